"""Break our own Python in small ways, one at a time, and see whether the tests of that package notice.

    python bench/mutants.py [--count N] [--seed S] [--packages store,models] [--list]

A mutant is one package's code with one small fault: another comparison, a condition the other way round, a
number one off, a statement or a result dropped. The sample is drawn from all packages in turn, by the seed
alone. Each mutant runs in a copy of the tree, so that the real one is never broken, against the tests that
TESTS names for its package, until the first of them fails. One that hangs is killed by a time-out, which is
taken from a run without any fault: a package whose tests fail by themselves says nothing, and is left out.

Printed are the killed and the survivors, each with its place and its change. A survivor is a missing test,
or a change that no test can see.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from codejury.settings import load_settings

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path("src/codejury")

# The tests that answer for a file: the longest of these names that its path below the package begins with.
TESTS = {
    "": ("project", "cli/test_cli.py", "suite/test_definitions.py"),
    "records": ("judge/test_score.py", "store", "judge/test_judge.py"),
    "settings": ("judge/toolchain/test_toolchain.py",),
    "suite": ("suite",),
    "prompts": ("prompts",),
    "models": ("models",),
    "models/batches": ("run/test_batches.py",),
    "judge": ("judge/test_judge.py", "judge/test_score.py", "judge/ray"),
    "judge/extract": ("judge/test_extract.py", "judge/test_lexer.py", "judge/test_answer_shapes.py"),
    "judge/sandbox": ("judge/sandbox",),
    "judge/toolchain": ("judge/toolchain",),
    "store": ("store",),
    "files": ("store", "run/test_unwritable.py"),
    "run": ("run",),
    "exchange": ("exchange",),
    "results": ("results",),
    "report": ("report/test_plots.py", "report/test_site_build.py"),
    "selftest": ("selftest",),
    "cli": ("cli",),
}


def package_of(file: Path) -> str:
    path = file.with_suffix("").as_posix()
    return max((name for name in TESTS if not name or f"{path}/".startswith(f"{name}/")), key=len)


LEAST_SECONDS = 60.0
MOST_SECONDS = 900.0

Faults = Iterator[tuple[ast.AST, str]]

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
# Without `/`: it mostly joins paths here, and all else in its place only crashes.
ARITHMETIC: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(), ast.Sub: ast.Add(), ast.Mult: ast.FloorDiv(),
    ast.FloorDiv: ast.Mult(), ast.Mod: ast.FloorDiv(), ast.BitAnd: ast.BitOr(),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One file with one small fault."""

    file: Path
    """From the root of the project."""
    line: int
    before: str
    after: str
    text: str
    """The whole file with the fault."""

    @property
    def package(self) -> str:
        return package_of(self.file.relative_to(PACKAGE))

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {_short(self.before)}  ->  {_short(self.after)}"


def _short(code: str) -> str:
    line = " ".join(code.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


# What can go wrong


def mutants_of(file: Path, source: str) -> list[Mutant]:
    """Every mutant of a file, in the order of its lines."""
    found = []
    for node, after in _faults(ast.parse(source)):
        before = ast.get_source_segment(source, node)
        if before is None or before == after:
            continue
        text = _replaced(source, node, after)
        found.append(Mutant(file=file, line=node.lineno, before=before, after=after, text=text))  # type: ignore[attr-defined]
    return found


def _replaced(source: str, node: ast.AST, after: str) -> str:
    """The source with other text in the place of a node; positions count bytes of UTF-8."""
    lines = source.encode().splitlines(keepends=True)
    first, last = node.lineno - 1, node.end_lineno - 1  # type: ignore[attr-defined]
    head, tail = lines[first][: node.col_offset], lines[last][node.end_col_offset :]  # type: ignore[attr-defined]
    return b"".join([*lines[:first], head + after.encode() + tail, *lines[last + 1 :]]).decode()


def _faults(node: ast.AST) -> Faults:
    """A node and the code that takes its place, for all nodes that run. Types and docstrings do not."""
    yield from _faults_here(node)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases", "type_params"):
            continue
        children = value if isinstance(value, list) else [value]
        for child in children:
            if isinstance(child, ast.AST) and not _says_nothing(child):
                yield from _faults(child)


def _says_nothing(node: ast.AST) -> bool:
    """Docstrings, `__all__`, and what only a type checker reads."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) == "__all__"
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _faults_here(node: ast.AST) -> Faults:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
            yield node, f"({ast.unparse(left)} {COMPARISONS[type(op)]} {ast.unparse(right)})"
        case ast.BoolOp(op=op, values=values):
            word = " or " if isinstance(op, ast.And) else " and "
            yield node, f"({word.join(f'({ast.unparse(value)})' for value in values)})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, f"({ast.unparse(operand)})"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            yield node, f"({ast.unparse(ast.BinOp(left, ARITHMETIC[type(op)], right))})"
        case ast.Constant(value=bool(value)):
            yield node, str(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield node, f"({value + 1})"
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield test, f"(not ({ast.unparse(test)}))"
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield node, "return None"
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.AugAssign() | ast.Raise():
            yield node, "pass"
        case ast.Continue():
            yield node, "break"
        case ast.Break():
            yield node, "continue"


@cache
def mutants_in(package: str) -> tuple[Mutant, ...]:
    """All that can be made of a package."""
    everything = sorted((ROOT / PACKAGE).rglob("*.py"))
    files = [file for file in everything if package_of(file.relative_to(ROOT / PACKAGE)) == package]
    return tuple(
        mutant
        for file in files
        for mutant in mutants_of(file.relative_to(ROOT), file.read_text(encoding="utf-8"))
    )


def draw(packages: Sequence[str], count: int, seed: int) -> list[Mutant]:
    """So many mutants, from all packages in turn."""
    shuffled = {}
    for package in packages:
        mutants = list(mutants_in(package))
        random.Random(f"{seed} {package}").shuffle(mutants)
        shuffled[package] = mutants
    order = random.Random(seed).sample(packages, len(packages))
    most = max(map(len, shuffled.values()), default=0)
    turns = [
        shuffled[package][turn] for turn in range(most) for package in order if turn < len(shuffled[package])
    ]
    return turns[:count]


# Running


class Tree:
    """A copy of our source among links to everything else: the place where code is broken."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for entry in ROOT.iterdir():
            if entry.name != "src":
                (folder / entry.name).symlink_to(entry)
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))

    def passes(self, package: str, seconds: float) -> bool | None:
        """Whether the tests of a package pass; None if they take longer."""
        files = [f"tests/{name}" for name in TESTS[package]]
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files]
        # Bytecode is found by time and size of its source, and two mutants may have both in common.
        environment = os.environ | {
            "PYTHONPATH": str(self.folder / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(
            command, cwd=self.folder, env=environment, stdin=quiet, stdout=quiet, stderr=quiet,
            start_new_session=True,
        )  # fmt: skip
        try:
            return process.wait(timeout=seconds) == 0
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end_group(process)

    def notices(self, mutant: Mutant, seconds: float) -> str:
        """`killed`, `timed out` (which is killed too) or `survived`."""
        file = self.folder / mutant.file
        whole = file.read_text(encoding="utf-8")
        file.write_text(mutant.text, encoding="utf-8")
        try:
            passed = self.passes(mutant.package, seconds)
        finally:
            file.write_text(whole, encoding="utf-8")
        return "timed out" if passed is None else "survived" if passed else "killed"


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Whatever a broken run has started in its session ends with it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def time_limits(tree: Tree, packages: Sequence[str]) -> dict[str, float]:
    """Three times what the tests of each package take without a fault; none where they fail."""
    limits = {}
    for package in packages:
        started = time.monotonic()
        if tree.passes(package, MOST_SECONDS):
            limits[package] = max(LEAST_SECONDS, 3 * (time.monotonic() - started))
            print(f"{package}: its tests pass in {time.monotonic() - started:.0f} s", flush=True)
        else:
            print(f"{package}: its tests do not pass as they are, so it is left out", flush=True)
    return limits


def main() -> None:
    parser = argparse.ArgumentParser(description="Do the tests notice small faults in our own code?")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--packages", default=",".join(TESTS), help="names between commas")
    parser.add_argument("--list", action="store_true", help="say which mutants would run, and stop")
    options = parser.parse_args()
    chosen = draw(options.packages.split(","), options.count, options.seed)
    if options.list:
        print(*chosen, sep="\n")
        return
    # Not below /tmp, which candidates have for themselves: the judge's own Julia code would be hidden there.
    cache_folder = load_settings().cache
    cache_folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mutants-", dir=cache_folder) as folder:
        Path(folder).chmod(0o755)  # run by root, Julia is another user
        tree = Tree(Path(folder))
        limits = time_limits(tree, list(dict.fromkeys(mutant.package for mutant in chosen)))
        fates = []
        for mutant in (mutant for mutant in chosen if mutant.package in limits):
            fates.append((tree.notices(mutant, limits[mutant.package]), mutant))
            print(f"{fates[-1][0]:9}  {mutant}", flush=True)
    survivors = [mutant for fate, mutant in fates if fate == "survived"]
    killed = len(fates) - len(survivors)
    rate = f" ({100 * killed / len(fates):.0f} %)" if fates else ""
    print(f"\n{killed} of {len(fates)} killed{rate}, {len(survivors)} survived:")
    print(*(f"  {mutant}" for mutant in survivors), sep="\n")


if __name__ == "__main__":
    main()
