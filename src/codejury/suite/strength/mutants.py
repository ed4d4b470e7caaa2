"""Asks Julia for the mutants of solutions, which it parses and prints and never runs.

solutions, tests -> one locked-down Julia (julia/mutate.jl) -> records on its stdout -> Findings
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from ...errors import SandboxError, ToolchainError
from ...judge.sandbox.isolation.bubblewrap import STEP_DOWN, TMP, bubblewrap_command, must_step_down
from ...judge.sandbox.isolation.probe import probe_isolation
from ...judge.toolchain.find import find_bubblewrap, find_julia
from ...judge.toolchain.julia import JuliaInstall
from ...program import command
from ...records import TestCase
from ...settings import load_settings

_SCRIPT: Final = Path(__file__).with_name("julia") / "mutate.jl"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopLevelForm:
    """One top-level expression of a solution."""

    line: int
    name: str
    """What it defines, "" if nothing."""
    faithful: bool
    """Whether what is printed parses to the same expression."""
    source: str
    printed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A solution with one small fault."""

    id: str
    """The same as long as the changed lines, as printed, and the name they belong to stay the same."""
    operator: str
    line: int
    """Of the statement in the solution, from 1."""
    form: int
    """Which top-level expression, from 0."""
    start: int
    """The first line of the printed form that changes, from 0."""
    before: tuple[str, ...]
    after: tuple[str, ...]
    code: str
    """The whole solution with the fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What Julia says about a definition."""

    broken: str = ""
    """Why the solution could not be mutated, "" if it could."""
    forms: tuple[TopLevelForm, ...]
    mutants: tuple[Mutant, ...]
    unknown_names: tuple[tuple[int, str], ...]
    """Unit test (from 0) and a name in it that nothing gives but, perhaps, the prompt."""
    expected: tuple[str, ...]
    """Values that tests compare with, as code."""
    exceptions: tuple[str, ...]
    calls: tuple[tuple[str, str], ...]
    """Calls in examples: the function, and its arguments as the code of a tuple."""

    @property
    def printed_solution(self) -> str:
        """The solution as Julia's expressions say it."""
        return "\n\n".join(form.printed if form.faithful else form.source for form in self.forms)


def find_mutants(test_cases: Sequence[TestCase]) -> list[Findings]:
    """Every mutant of each reference solution, and what the tests say about names and values.

    One Julia for all: it takes seconds to start and hundredths of a second for a case.
    """
    lines = "".join(f"{' '.join(map(_list, _lists(case)))}\n" for case in test_cases)
    output = run_parser(_SCRIPT, lines)
    rows = [row.split("\x1f") for row in output.split("\x1e")]
    ends = [number for number, row in enumerate(rows) if row[0] == "done"]
    if len(ends) != len(test_cases):
        raise SandboxError("the mutator ended in the middle of its work")
    starts = [0, *(end + 1 for end in ends)]
    return [_findings(rows[start:end], rows[end][1]) for start, end in zip(starts, ends, strict=False)]


def _lists(test_case: TestCase) -> tuple[Sequence[str], ...]:
    around = (test_case.unit_tests_setup, test_case.unit_tests_teardown)
    solution = (test_case.reference_solution,)
    return (solution, test_case.unit_tests, around, test_case.examples, test_case.imports)


def _list(texts: Sequence[str]) -> str:
    return ",".join(text.encode().hex() for text in texts)


def _findings(rows: Sequence[Sequence[str]], broken: str) -> Findings:
    forms = tuple(_form(fields) for kind, *fields in rows if kind == "form")
    return Findings(
        broken=broken,
        forms=forms,
        mutants=tuple(_mutants([fields for kind, *fields in rows if kind == "mutant"], forms)),
        unknown_names=tuple(
            (int(fields[0]) - 1, fields[1]) for kind, *fields in rows if kind in ("name", "field")
        ),
        expected=tuple(fields[0] for kind, *fields in rows if kind == "expected"),
        exceptions=tuple(fields[0] for kind, *fields in rows if kind == "error"),
        calls=tuple((fields[0], fields[1]) for kind, *fields in rows if kind == "call"),
    )


def _form(fields: Sequence[str]) -> TopLevelForm:
    line, name, faithful, source, printed = fields
    return TopLevelForm(line=int(line), name=name, faithful=faithful == "1", source=source, printed=printed)


def _mutants(rows: Sequence[Sequence[str]], forms: Sequence[TopLevelForm]) -> Iterator[Mutant]:
    seen: dict[tuple[str, ...], int] = {}
    for number, operator, line, start, gone, come in rows:
        form = int(number) - 1
        lines = forms[form].printed.split("\n")
        first = int(start) - 1
        before = lines[first : first + int(gone)]
        after = come.split("\n") if come else []
        key = (forms[form].name, *(line.strip() for line in before), "->", *(line.strip() for line in after))
        seen[key] = seen.get(key, 0) + 1
        changed = [*lines[:first], *after, *lines[first + int(gone) :]]
        yield Mutant(
            id=_identity(key, seen[key]),
            operator=operator,
            line=int(line),
            form=form,
            start=first,
            before=tuple(before),
            after=tuple(after),
            code=_whole(forms, form, "\n".join(changed)),
        )


def _identity(key: tuple[str, ...], occurrence: int) -> str:
    return sha256("\n".join((*key, str(occurrence))).encode()).hexdigest()[:8]


def _whole(forms: Sequence[TopLevelForm], changed: int, text: str) -> str:
    """The solution as it stands, but for one form."""
    return "\n\n".join(text if number == changed else form.source for number, form in enumerate(forms)) + "\n"


# ---- Runs a Julia script of ours that only parses what it reads: locked down all the same.

_FLAGS: Final = ("--startup-file=no", "--history-file=no", "--color=no", "--depwarn=no", "-O0")
_SCRATCH: Final = Path("/scratch")
_TMP_MB: Final = 32
_SECONDS: Final = 600


def run_parser(script: Path, text: str) -> str:
    """What the script writes when it is given the text. SandboxError if it does not end well."""
    settings = load_settings()
    julia = find_julia(settings)
    if julia is None:
        raise ToolchainError(f"no Julia was found; `{command('setup')}` installs one")
    bubblewrap = find_bubblewrap(settings)
    contained = probe_isolation(bubblewrap=bubblewrap).level in ("L3", "L2.5")
    run = [str(julia.executable), *_FLAGS, str(script)]
    readonly = [*julia.roots, *julia.package_roots, script.parent]
    if bubblewrap and contained:
        return _communicate(_inside(bubblewrap, readonly, julia, run), {}, text)
    return _communicate(_outside(readonly, run), _environment(julia, TMP), text)


def _inside(bubblewrap: Path, readonly: Sequence[Path], julia: JuliaInstall, run: Sequence[str]) -> list[str]:
    # Julia may lie below /tmp, which must not be hidden then.
    scratch = _SCRATCH if any(path.is_relative_to(TMP) for path in readonly) else TMP
    return bubblewrap_command(
        bubblewrap,
        readonly=readonly,
        scratch=scratch,
        tmp_mb=_TMP_MB,
        environment=_environment(julia, scratch),
        command=run,
        step_down=must_step_down(),
    )


def _outside(readonly: Sequence[Path], run: Sequence[str]) -> list[str]:
    if not must_step_down():
        return list(run)
    return [sys.executable, "-I", "-S", str(STEP_DOWN), "--reveal", *map(str, readonly), "--", *run]


def _environment(julia: JuliaInstall, home: Path) -> Mapping[str, str]:
    return {
        **julia.environment,
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "JULIA_DEPOT_PATH": ":".join(map(str, julia.depots)),
        "JULIA_LOAD_PATH": ":".join(julia.load_path),
    }


def _communicate(command: Sequence[str], environment: Mapping[str, str], text: str) -> str:
    try:
        done = subprocess.run(
            command,
            input=text.encode(),
            env=dict(environment),
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SandboxError(f"Julia took longer than {_SECONDS} s to parse the solutions") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise SandboxError(
            f"Julia could not parse the solutions: {said or f'it ended with {done.returncode}'}"
        )
    return done.stdout.decode("utf-8", "replace")
