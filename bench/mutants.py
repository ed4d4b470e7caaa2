"""Break our own Python in small ways, one at a time, and see whether the tests of that package notice.

    python bench/mutants.py [--count N] [--seed S] [--packages store,models] [--list]
                            [--record FILE] [--minutes M] [--part K/N]

A mutant is one package's code with one small fault: another comparison, a condition the other way round, a
number one off, a statement or a result dropped. The sample is drawn from all packages in turn, by the seed
alone. No file is changed: the fault is put in on import. Each mutant runs against the tests that TESTS names
for its package, one file of tests after the other until one of them fails; files that say most about the
broken code come first. The test that fails then runs without the fault, and if it fails there too
it says nothing, and is left out: what is killed is killed by the fault. A test that hangs is ended.

With `--record` every answer of a file of tests is kept, and the same command goes on from there; with
`--minutes` it stops in between. So an hour's work can be done in pieces, and `--part` shares it among
processes. After a change of tests or code a record means nothing: begin another one.

Printed are the killed and the survivors, each with its place and its change. A survivor is a missing test,
or a change that no test can see.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path("src/codejury")

# The tests that answer for a file: the longest of these names that its path below the package begins with.
TESTS = {
    "": ("project", "cli/test_cli.py", "suite/test_definitions.py"),
    "records": ("judge/test_records.py", "judge/test_score.py", "store", "judge/test_judge.py"),
    "settings": (
        "project/test_settings.py",
        "judge/toolchain/test_toolchain.py",
        "project/test_configuration.py",
        "judge/test_warm.py",
    ),
    "suite": ("suite",),
    "prompts": ("prompts",),
    "models": ("models",),
    "models/batches": ("run/test_batches.py",),
    "judge": (
        "judge/test_judge.py",
        "judge/test_score.py",
        "judge/test_given.py",
        "judge/test_warm.py",
        "judge/ray",
    ),
    "judge/extract": ("judge/test_extract.py", "judge/test_lexer.py", "judge/test_answer_shapes.py"),
    "judge/sandbox": ("judge/sandbox",),
    "judge/toolchain": ("judge/toolchain",),
    "store": ("store",),
    "files": ("store", "run/test_unwritable.py"),
    "run": ("run",),
    "exchange": ("exchange",),
    "results": ("results", "golden"),
    "report": ("report", "golden"),
    "selftest": ("selftest",),
    "cli": ("cli", "golden"),
}

# Commands whose tests live with what they show: those of a file whose name begins so run as well.
BESIDE = {
    "cli/batches": ("run/test_batches.py",),
    "cli/errors": ("results/test_failures_table.py",),
    "cli/export": ("exchange/test_exchange.py",),
    "cli/import": ("exchange/test_exchange.py",),
    "cli/judge": ("exchange/test_bulk.py", "judge/test_warm.py"),
    "cli/models": ("project/test_configuration.py",),
    "cli/new": ("suite/test_new.py",),
    "cli/packages": ("judge/sandbox/test_packages.py",),
    "cli/rescore": ("exchange/test_rescore.py", "exchange/test_rescore_julias.py"),
    "cli/selftest": ("selftest",),
    "cli/setup": ("judge/sandbox/test_compiling.py",),
    "cli/site": ("report/test_site_build.py",),
    "cli/strength": ("suite/test_strength.py", "suite/test_strength_parts.py"),
    "cli/suite": ("suite/test_stubs.py", "suite/test_strength_parts.py"),
    "cli/validate": ("suite/test_validation.py", "suite/test_submissions.py"),
    "cli/verify": ("exchange/test_verify.py",),
}


def package_of(file: Path) -> str:
    path = file.with_suffix("").as_posix()
    return max((name for name in TESTS if not name or f"{path}/".startswith(f"{name}/")), key=len)


TEST_SECONDS = 300.0
"""What hangs longer than this, in one test, is ended and counts as noticed."""

Faults = Iterator[tuple[ast.expr | ast.stmt, str]]
NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

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
    start: int
    end: int
    """Where what is replaced begins and ends in the file, in bytes."""
    function: str
    """The innermost function or class around it; empty outside of all."""
    source: bytes
    after: str

    @property
    def before(self) -> str:
        return self.source[self.start : self.end].decode()

    @property
    def text(self) -> str:
        """The whole file with the fault."""
        return (self.source[: self.start] + self.after.encode() + self.source[self.end :]).decode()

    @property
    def package(self) -> str:
        return package_of(self.file.relative_to(PACKAGE))

    @property
    def identity(self) -> str:
        return f"{self.file}:{self.line}:{self.start}: {self.after}"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {_short(self.before)}  ->  {_short(self.after)}"


def _short(code: str) -> str:
    line = " ".join(code.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


# What can go wrong


def mutants_of(file: Path, source: str) -> list[Mutant]:
    """Every mutant of a file, in the order of its lines."""
    tree, code = ast.parse(source), source.encode()
    functions = [node for node in ast.walk(tree) if isinstance(node, NAMED)]
    begins = [0, *accumulate(map(len, code.splitlines(keepends=True)))]
    found = [
        Mutant(
            file=file, line=node.lineno, start=begins[node.lineno - 1] + node.col_offset,
            end=begins[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0),
            function=_around(functions, node.lineno), source=code, after=after,
        )
        for node, after in _faults(tree)
    ]  # fmt: skip
    return [mutant for mutant in found if mutant.before != mutant.after]


def _around(functions: Sequence[Named], line: int) -> str:
    around = [node for node in functions if node.lineno <= line <= (node.end_lineno or line)]
    return max(around, key=lambda node: node.lineno).name if around else ""


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


@cache
def test_files(mutant: Mutant) -> dict[str, float]:
    """The files of tests for a mutant, and how much each says about what is broken by its length."""
    found: dict[str, float] = {}
    name = mutant.file.stem
    words = {name, name.replace("_", "-"), mutant.function, mutant.function.strip("_")} - {""}
    path = mutant.file.relative_to(PACKAGE).as_posix()
    beside = [tests for begin, tests in BESIDE.items() if path.startswith(begin)]
    for tests in chain(TESTS[mutant.package], *beside):
        place = ROOT / "tests" / tests
        for file in sorted(place.rglob("test_*.py")) if place.is_dir() else [place]:
            text = file.read_text(encoding="utf-8")
            said = sum(len(re.findall(rf"\b{re.escape(word)}\b", text)) for word in words)
            found[file.relative_to(ROOT).as_posix()] = said / text.count("\n")
    return dict(sorted(found.items(), key=lambda item: -item[1]))


BREAK_IMPORT = """
from importlib.machinery import SourceFileLoader

whole = SourceFileLoader.get_code


def get_code(self, name):
    if self.path != {file!r}:
        return whole(self, name)
    with open({broken!r}, "rb") as source:
        return self.source_to_code(source.read(), self.path)


SourceFileLoader.get_code = get_code
"""


def notices(mutant: Mutant, file: str) -> str:
    """The first test of a file that fails because of the mutant, or nothing."""
    done: list[str] = []
    while True:
        failed, begun = first_failure([file, *(f"--deselect={test}" for test in done)], mutant)
        # An error before the first test, mostly on import, has no test's name.
        if not failed or not first_failure([failed] if begun else [file, "--collect-only"])[0]:
            return failed
        print(f"{failed} fails by itself, and is left out", flush=True)
        if not begun:
            return ""
        done += begun


def first_failure(arguments: Sequence[str], mutant: Mutant | None = None) -> tuple[str, list[str]]:
    """The test at which pytest ended, and all that it had begun.

    It is the first argument if no test had begun, and empty if all passed.

    The fault is put in when the file is imported, by pytest and by every Python that a test starts, but for
    those that a test gives an environment of its own.
    """
    command = [
        sys.executable, "-m", "pytest", "-x", "-vv", "--tb=no", "-p", "no:cacheprovider",
        "-o", f"faulthandler_timeout={TEST_SECONDS}", *arguments,
    ]  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder, tempfile.TemporaryFile() as output:
        if mutant is not None:
            broken = Path(folder) / "broken"
            broken.write_text(mutant.text, encoding="utf-8")
            code = BREAK_IMPORT.format(file=str(ROOT / mutant.file), broken=str(broken))
            (Path(folder) / "sitecustomize.py").write_text(code, encoding="utf-8")
        process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | {"PYTHONPATH": f"{folder}:{ROOT / 'src'}"},
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            ended: int = process.wait(timeout=2 * TEST_SECONDS)
        except subprocess.TimeoutExpired:
            ended = -1
        finally:
            _end_group(process)
        output.seek(0)
        said = output.read().decode(errors="replace")
    begun = re.findall(r"^(tests/\S+?::\S.*?)(?: (?:PASSED|FAILED|ERROR|SKIPPED|XFAIL)\b.*| *)$", said, re.M)
    if ended in (0, pytest.ExitCode.NO_TESTS_COLLECTED):
        return "", begun
    return (begun[-1] if begun else arguments[0]), begun


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Whatever a broken run has started in its session ends with it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Record:
    """What each file of tests said of each mutant: the test that failed, or nothing."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.known: dict[tuple[str, str], str] = {}
        self.read()

    def read(self) -> None:
        """What is there by now: other processes add to it."""
        if self.file is not None and self.file.exists():
            for line in self.file.read_text(encoding="utf-8").splitlines():
                mutant, tests, failed = json.loads(line)
                self.known[mutant, tests] = failed

    def add(self, mutant: Mutant, tests: str, failed: str) -> None:
        self.known[mutant.identity, tests] = failed
        if self.file is not None:
            with self.file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps([mutant.identity, tests, failed]) + "\n")

    def killer(self, mutant: Mutant) -> str | None:
        """The test that noticed a mutant; nothing if no test did; None as long as that is open."""
        said = [self.known.get((mutant.identity, file)) for file in test_files(mutant)]
        return next(filter(None, said), None if None in said else "")


def examine(chosen: Sequence[Mutant], record: Record, until: float) -> None:
    """Files that speak of what is broken come first, for all mutants; the others seldom notice anything."""
    for speaks in (True, False):
        for mutant in chosen:
            for file in [file for file, says in test_files(mutant).items() if (says > 0) == speaks]:
                record.read()
                if record.killer(mutant) is None and (mutant.identity, file) not in record.known:
                    if time.monotonic() > until:
                        return
                    started = time.monotonic()
                    record.add(mutant, file, notices(mutant, file))
                    seconds = time.monotonic() - started
                    killer = record.killer(mutant)
                    fate = "open" if killer is None else "killed" if killer else "survived"
                    print(f"{fate:8}  {mutant}  {killer or file} ({seconds:.0f} s)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Do the tests notice small faults in our own code?")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--packages", default=",".join(TESTS), help="names between commas")
    parser.add_argument("--record", type=Path, help="keep what was found out there, and go on from it")
    parser.add_argument("--part", default="1/1", help="2/3: each third of them, from the second on")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin nothing new after that")
    parser.add_argument("--list", action="store_true", help="say which mutants would run, and stop")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    chosen = draw(options.packages.split(","), options.count, options.seed)[part - 1 :: parts]
    if options.list:
        print(*chosen, sep="\n")
        return
    until = time.monotonic() + 60 * options.minutes
    record = Record(options.record)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # with the tests that are running
    examine(chosen, record, until)
    summarize(chosen, record)


def summarize(chosen: Sequence[Mutant], record: Record) -> None:
    killers = {mutant: record.killer(mutant) for mutant in chosen}
    survivors = [mutant for mutant, killer in killers.items() if killer == ""]
    decided = sum(killer is not None for killer in killers.values())
    killed = decided - len(survivors)
    rate = f" ({100 * killed / decided:.0f} %)" if decided else ""
    left = f", {len(chosen) - decided} not examined yet" if decided < len(chosen) else ""
    print(f"\n{killed} of {decided} killed{rate}, {len(survivors)} survived{left}:")
    print(*(f"  {mutant}" for mutant in survivors), sep="\n")


if __name__ == "__main__":
    main()
