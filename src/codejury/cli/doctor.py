"""`codejury doctor`: what this machine has for judging, what it lacks, and how to fix it.

Everything is tried, and at last one answer is judged: that judging works is only said where it did.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..errors import CodejuryError, InputError
from ..program import command
from ..settings import Settings, load_settings

if TYPE_CHECKING:
    from ..judge.sandbox.isolation.probe import Isolation
    from ..judge.toolchain.find import Search
    from ..judge.toolchain.julia import Package


LEVELS_FOR_JUDGING = ("L3", "L2.5", "L2")
SETUP = f"run `{command('setup', '--packages')}`"
PROVE = f"run `{command('selftest')}`, which shows what works here and what does not"


class DoctorState(StrEnum):
    GOOD = "good"
    POOR = "poor"  # works, but could be better
    BAD = "bad"  # judging is impossible


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorFinding:
    """One thing that was looked at."""

    name: str
    state: DoctorState
    detail: str
    repair: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorReport:
    """Everything the doctor found."""

    search: Search | None
    """None if the Julia asked for does not work."""
    bubblewrap: Path | None
    isolation: Isolation
    cache: Path
    api_keys: tuple[str, ...]
    findings: tuple[DoctorFinding, ...]
    packages: tuple[Package, ...] = ()
    """What candidates find besides the standard libraries."""

    @property
    def can_judge(self) -> bool:
        return all(finding.state is not DoctorState.BAD for finding in self.findings)


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Show what was found for judging, and how to fix what is missing.

    If nothing is missing, one answer is judged, which takes some seconds; `codejury selftest` proves more.

    The exit code is 1 if judging is impossible.
    """
    report = examine(load_settings())
    if as_json:
        typer.echo(json.dumps(to_json(report), indent=2, ensure_ascii=False))
    else:
        _show(report)
    raise typer.Exit(0 if report.can_judge else 1)


def examine(settings: Settings) -> DoctorReport:
    """Look at everything, by trying it."""
    from ..judge.sandbox.isolation.probe import probe_isolation
    from ..judge.toolchain.find import find_bubblewrap

    search, julia = _look_for_julia(settings)
    bubblewrap = find_bubblewrap(settings)
    isolation = probe_isolation(bubblewrap=bubblewrap)
    packages, lacks = _packages(search, settings.cache)
    findings = [
        julia,
        *lacks,
        *_compiled_judge(search, settings.cache),
        *_isolation(isolation),
    ]
    if all(finding.state is not DoctorState.BAD for finding in findings):
        findings.append(_judging(settings))
    findings.append(_api_keys(settings.api_keys))
    return DoctorReport(
        search=search,
        bubblewrap=bubblewrap,
        isolation=isolation,
        cache=settings.cache,
        api_keys=settings.api_keys,
        findings=tuple(findings),
        packages=packages,
    )


def _look_for_julia(settings: Settings) -> tuple[Search | None, DoctorFinding]:
    from ..judge.toolchain.find import search_julia

    try:
        search = search_julia(settings)
    except InputError as error:
        repair = "name another, or none so that Codejury looks for one itself"
        return None, DoctorFinding(name="Julia", state=DoctorState.BAD, detail=str(error), repair=repair)
    if search.found is None:
        detail = "; ".join(("not found", *search.passed_over))
        repair = f"run `{command('setup')}`, which installs one"
        return search, DoctorFinding(name="Julia", state=DoctorState.BAD, detail=detail, repair=repair)
    detail = f"{search.found.version}, {search.found.launcher} ({search.place})"
    if search.passed_over:
        detail += "; passed over: " + "; ".join(search.passed_over)
    return search, DoctorFinding(name="Julia", state=DoctorState.GOOD, detail=detail)


def _packages(search: Search | None, cache: Path) -> tuple[tuple[Package, ...], list[DoctorFinding]]:
    """What candidates can load with `using`, and what to say about that."""
    from ..judge.toolchain.environment import dependencies, with_packages
    from ..suite.suite import packages_folder

    if search is None or search.found is None:
        return (), []
    julia = search.found
    libraries = f"{len(standard_libraries(julia.stdlib))} standard libraries"
    try:
        seen = with_packages(julia, packages_folder(), cache)
    except CodejuryError as error:
        return (), [DoctorFinding(name="packages", state=DoctorState.BAD, detail=str(error), repair=SETUP)]
    own = ", ".join(f"{package.name} {package.version}" for package in seen.packages)
    missing = sorted(dependencies(packages_folder()).difference(seen.loadable))
    if not missing:
        found = f"{libraries}; {own or 'no others'}"
        return seen.packages, [DoctorFinding(name="packages", state=DoctorState.GOOD, detail=found)]
    lacks = f"{libraries}; {own or 'no others'}; the suite's {', '.join(missing)} cannot be loaded"
    return seen.packages, [DoctorFinding(name="packages", state=DoctorState.POOR, detail=lacks, repair=SETUP)]


def _compiled_judge(search: Search | None, cache: Path) -> list[DoctorFinding]:
    """Whether workers start at once, or read and compile the judge's own code first."""
    from ..judge.sandbox.compiled import find_compiled

    if search is None or search.found is None:
        return []
    if find_compiled(search.found, cache):
        return [DoctorFinding(name="judge", state=DoctorState.GOOD, detail="compiled for this Julia")]
    detail = "not compiled for this Julia: it works, but each worker starts seconds later"
    return [
        DoctorFinding(name="judge", state=DoctorState.POOR, detail=detail, repair=f"run `{command('setup')}`")
    ]


def standard_libraries(folder: Path) -> list[str]:
    """The names of the standard libraries in their folder."""
    return sorted(
        path.parent.parent.name for path in folder.glob("*/src/*.jl") if path.stem == path.parts[-3]
    )


def _isolation(isolation: Isolation) -> list[DoctorFinding]:
    """Each check, then the level they add up to."""
    findings = [
        DoctorFinding(
            name=check.name,
            state=DoctorState.GOOD if check.ok else DoctorState.POOR,
            detail=check.detail,
            repair=check.repair,
        )
        for check in isolation.checks
    ]
    return [*findings, _level(isolation)]


def _level(isolation: Isolation) -> DoctorFinding:
    if isolation.level == "L3":
        return DoctorFinding(name="isolation", state=DoctorState.GOOD, detail="L3, the strongest")
    if isolation.level in LEVELS_FOR_JUDGING:
        repair = "enough for judging; for L3, fix what is marked above"
        return DoctorFinding(name="isolation", state=DoctorState.POOR, detail=isolation.level, repair=repair)
    repair = "fix what is marked above; or accept the danger with `--allow-unsafe` where a command has it"
    detail = f"{isolation.level}: candidates could read and change your files"
    return DoctorFinding(name="isolation", state=DoctorState.BAD, detail=detail, repair=repair)


def _judging(settings: Settings) -> DoctorFinding:
    """One answer, judged as all others would be."""
    from ..selftest.machine import judge_once

    try:
        verdict = judge_once(settings)
    except CodejuryError as error:
        return DoctorFinding(name="judging", state=DoctorState.BAD, detail=str(error), repair=PROVE)
    detail = (
        f"an answer was judged in {verdict.judge_seconds:.2f} s;"
        f" the first worker took {verdict.start_seconds:.1f} s"
    )
    if verdict.note:
        return DoctorFinding(
            name="judging", state=DoctorState.POOR, detail=f"{detail}; {verdict.note}", repair=PROVE
        )
    return DoctorFinding(name="judging", state=DoctorState.GOOD, detail=detail)


def _api_keys(names: tuple[str, ...]) -> DoctorFinding:
    if names:
        return DoctorFinding(name="API keys", state=DoctorState.GOOD, detail=", ".join(names))
    repair = "to ask hosted models, set the key of their service, such as OPENAI_API_KEY"
    return DoctorFinding(
        name="API keys", state=DoctorState.POOR, detail="none set; judging needs none", repair=repair
    )


def to_json(report: DoctorReport) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "can_judge": report.can_judge,
        "level": report.isolation.level,
        "julia": _julia_to_json(report.search, report.packages),
        "bubblewrap": str(report.bubblewrap) if report.bubblewrap else None,
        "checks": [asdict(check) for check in report.isolation.checks],
        "api_keys": list(report.api_keys),
        "cache": str(report.cache),
        "findings": [asdict(finding) for finding in report.findings],
    }


def _julia_to_json(search: Search | None, packages: Sequence[Package]) -> dict[str, Any] | None:
    if search is None or search.found is None:
        return None
    julia = search.found
    return {
        "version": julia.version,
        "launcher": str(julia.launcher),
        "executable": str(julia.executable),
        "found_by": search.place,
        "passed_over": list(search.passed_over),
        "packages": [asdict(package) for package in packages],
        "standard_libraries": standard_libraries(julia.stdlib),
    }


def _show(report: DoctorReport) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    marks = {
        DoctorState.GOOD: ("✓", "green"),
        DoctorState.POOR: ("!", "yellow"),
        DoctorState.BAD: ("✗", "red"),
    }
    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in ("mark", "name", "detail"):
        table.add_column(overflow="fold")  # paths are to be read in full
    for finding in report.findings:
        mark, style = marks[finding.state]
        table.add_row(Text(mark, style=style), Text(finding.name, style="bold"), Text(finding.detail))
        if finding.repair:
            table.add_row("", "", Text(f"→ {finding.repair}", style=style))
    console = Console()
    console.print(table)
    more = command("selftest")
    verdict = f"Judging works, at isolation level {report.isolation.level}. `{more}` proves more of it."
    console.print(
        verdict if report.can_judge else "Judging is impossible on this machine as it is.", style="bold"
    )


# ---- One line of it, for commands that judge.

STRONGEST: Final = "L3"


def weaker_isolation(settings: Settings) -> str:
    """`Isolation L2, not L3: user namespaces: forbidden here`, and who says more; "" where it is L3."""
    from ..judge.sandbox.isolation.probe import probe_isolation
    from ..judge.toolchain.find import find_bubblewrap

    isolation = probe_isolation(bubblewrap=find_bubblewrap(settings))
    if isolation.level == STRONGEST:
        return ""
    lacking = "; ".join(f"{check.name}: {check.detail}" for check in isolation.checks if not check.ok)
    return f"Isolation {isolation.level}, not {STRONGEST}: {lacking} (`{command('doctor')}` says more)"
