"""`codejury doctor`: what this machine has for judging, what it lacks, and how to mend it.

Everything is tried, and at last one answer is judged: that judging works is only said where it did.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import CodejuryError, InputError
from ..settings import Settings, load_settings

if TYPE_CHECKING:
    from ..sandbox.probe import Isolation
    from ..toolchain import Search

LEVELS_FOR_JUDGING = ("L3", "L2.5", "L2")
PROVE = "run `codejury selftest`, which shows what works here and what does not"


class State(StrEnum):
    GOOD = "good"
    POOR = "poor"  # works, but could be better
    BAD = "bad"  # judging is impossible


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at."""

    name: str
    state: State
    detail: str
    repair: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything the doctor found."""

    search: Search | None
    """None if the Julia asked for does not work."""
    bubblewrap: Path | None
    isolation: Isolation
    cache: Path
    api_keys: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def can_judge(self) -> bool:
        return all(finding.state is not State.BAD for finding in self.findings)


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Show what was found for judging, and how to mend what is missing.

    If nothing is missing, one answer is judged, which takes some seconds; `codejury selftest` proves more.

    The exit code is 1 if judging is impossible.
    """
    report = examine(load_settings())
    if as_json:
        typer.echo(json.dumps(to_json(report), indent=2, ensure_ascii=False))
    else:
        _show(report)
    raise typer.Exit(0 if report.can_judge else 1)


def examine(settings: Settings) -> Report:
    """Look at everything, by trying it."""
    from ..sandbox.probe import probe_isolation
    from ..toolchain import find_bubblewrap

    search, julia = _look_for_julia(settings)
    bubblewrap = find_bubblewrap(settings)
    isolation = probe_isolation(bubblewrap=bubblewrap)
    findings = [
        julia,
        *_packages(search),
        *_compiled_judge(search, settings.cache),
        *_isolation(isolation),
    ]
    if all(finding.state is not State.BAD for finding in findings):
        findings.append(_judging(settings))
    findings.append(_api_keys(settings.api_keys))
    return Report(
        search=search,
        bubblewrap=bubblewrap,
        isolation=isolation,
        cache=settings.cache,
        api_keys=settings.api_keys,
        findings=tuple(findings),
    )


def _look_for_julia(settings: Settings) -> tuple[Search | None, Finding]:
    from ..toolchain import search_julia

    try:
        search = search_julia(settings)
    except InputError as error:
        repair = "name another, or none so that Codejury looks for one itself"
        return None, Finding(name="Julia", state=State.BAD, detail=str(error), repair=repair)
    if search.found is None:
        detail = "; ".join(("not found", *search.passed_over))
        repair = "run `codejury setup`, which installs one"
        return search, Finding(name="Julia", state=State.BAD, detail=detail, repair=repair)
    detail = f"{search.found.version}, {search.found.launcher} ({search.place})"
    if search.passed_over:
        detail += "; passed over: " + "; ".join(search.passed_over)
    return search, Finding(name="Julia", state=State.GOOD, detail=detail)


def _packages(search: Search | None) -> list[Finding]:
    """What candidates can load with `using`."""
    if search is None or search.found is None:
        return []
    julia = search.found
    own = ", ".join(f"{package.name} {package.version}".strip() for package in julia.packages)
    detail = f"{len(standard_libraries(julia.stdlib))} standard libraries; {own or 'no others installed'}"
    if not julia.unreadable:
        return [Finding(name="packages", state=State.GOOD, detail=detail)]
    hidden = ", ".join(map(str, julia.unreadable))
    repair = f"candidates never run as root: let all users read {hidden} (chmod -R a+rX)"
    return [Finding(name="packages", state=State.POOR, detail=detail, repair=repair)]


def _compiled_judge(search: Search | None, cache: Path) -> list[Finding]:
    """Whether workers start at once, or read and compile the judge's own code first."""
    from ..sandbox.compiled import find_compiled

    if search is None or search.found is None:
        return []
    if find_compiled(search.found, cache):
        return [Finding(name="judge", state=State.GOOD, detail="compiled for this Julia")]
    detail = "not compiled for this Julia: it works, but each worker starts seconds later"
    return [Finding(name="judge", state=State.POOR, detail=detail, repair="run `codejury setup`")]


def standard_libraries(folder: Path) -> list[str]:
    """The names of the standard libraries in their folder."""
    return sorted(
        path.parent.parent.name for path in folder.glob("*/src/*.jl") if path.stem == path.parts[-3]
    )


def _isolation(isolation: Isolation) -> list[Finding]:
    """Each check, then the level they add up to."""
    findings = [
        Finding(
            name=check.name,
            state=State.GOOD if check.ok else State.POOR,
            detail=check.detail,
            repair=check.repair,
        )
        for check in isolation.checks
    ]
    return [*findings, _level(isolation)]


def _level(isolation: Isolation) -> Finding:
    if isolation.level == "L3":
        return Finding(name="isolation", state=State.GOOD, detail="L3, the strongest")
    if isolation.level in LEVELS_FOR_JUDGING:
        repair = "judging works; for L3, mend what is marked above"
        return Finding(name="isolation", state=State.POOR, detail=isolation.level, repair=repair)
    repair = "mend what is marked above; or accept the danger with `--allow-unsafe` where a command has it"
    detail = f"{isolation.level}: candidates could read and change your files"
    return Finding(name="isolation", state=State.BAD, detail=detail, repair=repair)


def _judging(settings: Settings) -> Finding:
    """One answer, judged as all others would be."""
    from ..selftest import judge_once

    try:
        verdict = judge_once(settings)
    except CodejuryError as error:
        return Finding(name="judging", state=State.BAD, detail=str(error), repair=PROVE)
    detail = (
        f"an answer was judged in {verdict.judge_seconds:.2f} s;"
        f" the first worker took {verdict.start_seconds:.1f} s"
    )
    if verdict.note:
        return Finding(name="judging", state=State.POOR, detail=f"{detail}; {verdict.note}", repair=PROVE)
    return Finding(name="judging", state=State.GOOD, detail=detail)


def _api_keys(names: tuple[str, ...]) -> Finding:
    if names:
        return Finding(name="API keys", state=State.GOOD, detail=", ".join(names))
    repair = "to ask hosted models, set the key of their service, such as OPENAI_API_KEY"
    return Finding(name="API keys", state=State.POOR, detail="none set; judging needs none", repair=repair)


def to_json(report: Report) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "can_judge": report.can_judge,
        "level": report.isolation.level,
        "julia": _julia_to_json(report.search),
        "bubblewrap": str(report.bubblewrap) if report.bubblewrap else None,
        "checks": [asdict(check) for check in report.isolation.checks],
        "api_keys": list(report.api_keys),
        "cache": str(report.cache),
        "findings": [asdict(finding) for finding in report.findings],
    }


def _julia_to_json(search: Search | None) -> dict[str, Any] | None:
    if search is None or search.found is None:
        return None
    julia = search.found
    return {
        "version": julia.version,
        "launcher": str(julia.launcher),
        "executable": str(julia.executable),
        "found_by": search.place,
        "passed_over": list(search.passed_over),
        "packages": [asdict(package) for package in julia.packages],
        "standard_libraries": standard_libraries(julia.stdlib),
    }


def _show(report: Report) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    marks = {State.GOOD: ("✓", "green"), State.POOR: ("!", "yellow"), State.BAD: ("✗", "red")}
    table = Table.grid(padding=(0, 2, 0, 0))
    for finding in report.findings:
        mark, style = marks[finding.state]
        table.add_row(Text(mark, style=style), Text(finding.name, style="bold"), Text(finding.detail))
        if finding.repair:
            table.add_row("", "", Text(f"→ {finding.repair}", style=style))
    console = Console()
    console.print(table)
    verdict = (
        f"Judging works, at isolation level {report.isolation.level}. `codejury selftest` proves more of it."
    )
    console.print(
        verdict if report.can_judge else "Judging is impossible on this machine as it is.", style="bold"
    )
