"""`codejury rescore DIR --julia A --julia B`: stored answers on several Julias, and which verdicts move."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import InputError
from ..options import JudgeOptions
from ..program import command
from .option_flags import julias_named
from .progress import progress
from .render import error_console, many, safe_text, tell_notes, tell_waiting
from .rescore_tables import mean, points, show_plan, show_problems, tell_plan
from .stored import wide_console

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..exchange.case_lookup import AnswerFilter, CaseLookup
    from ..exchange.julias import Fared, JuliaComparison, JuliaSummary
    from ..exchange.moves import RescoreSummary
    from ..exchange.rescore import RescoreSelection
    from ..judge.toolchain.julia import JuliaInstall


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoreCourse:
    """Which answers are judged and how, whichever Julia does it."""

    folder: Path
    lookup: CaseLookup
    wanted: AnswerFilter
    everything: bool
    judging: JudgeOptions

    def selection(self, julia: JuliaInstall) -> RescoreSelection:
        from ..exchange.rescore import RescoreSelection

        return RescoreSelection(
            wanted=self.wanted, everything=self.everything, julia_version=julia.version, beside=True
        )

    def judge_all(self, julia: JuliaInstall) -> RescoreSummary:
        """Judge with one Julia what it has no verdict on."""
        from ..exchange.moves import RescoreSummary
        from ..exchange.rescore import rescore, survey
        from ..judge.backends import open_judge

        aim = self.selection(julia)
        planned = survey(self.folder, self.lookup, aim)
        error_console().print(f"Julia {julia.version}:", end=" ")
        tell_plan(planned)
        if not planned.to_judge:
            return RescoreSummary(problems=planned.problems)
        judge = open_judge(
            self.judging, answers=planned.to_judge, packages=planned.packages, julia=julia.launcher
        )
        board = RescoreSummary()
        with (
            progress(f"judged by Julia {julia.version}", planned.to_judge) as status,
            judge,
            closing(rescore(self.folder, self.lookup, aim, judge)) as results,
        ):
            status.judge = judge
            for done, result in enumerate(results, start=1):
                board.add(result)
                status.update(done, planned.to_judge)
        return board

    def tell(self, julia: JuliaInstall, board: RescoreSummary) -> None:
        """What one Julia could not judge, and what would help."""
        if board.problems or board.waiting:
            error_console().print(f"Julia {julia.version}:", style="yellow")
        show_problems(error_console(), board.problems)
        environment = self.judging.environment or self.lookup.packages.environment
        tell_waiting(board.waiting, environment, julia.launcher)


def rescore_on_each(names: Sequence[str], course: RescoreCourse, *, dry_run: bool, as_json: bool) -> int:
    """Judge with one Julia after the other, compare, tell, and return the exit code."""
    julias = _of_different_versions(names)
    if dry_run:
        return _show_plans(julias, course, as_json=as_json)
    try:
        boards = {julia.version: course.judge_all(julia) for julia in julias}
    except KeyboardInterrupt:
        error_console().print("Stopped. What was judged is stored; the same command goes on from there.")
        return 130
    tell_notes(course.lookup.notes())
    problems = {version: board.problems for version, board in boards.items()}
    _compare(course, [julia.version for julia in julias], problems, as_json=as_json)
    for julia in julias:
        course.tell(julia, boards[julia.version])
    return int(any(problems.values()))


def _of_different_versions(names: Sequence[str]) -> list[JuliaInstall]:
    """The Julias; InputError for two of one version, since a verdict is kept by the version that gave it."""
    by_version: dict[str, JuliaInstall] = {}
    for julia in julias_named(names):
        other = by_version.setdefault(julia.version, julia)
        if other is not julia:
            raise InputError(
                f"--julia: {other.launcher} and {julia.launcher} are both Julia {julia.version}, and "
                "verdicts are kept by version; name one of them"
            )
    return list(by_version.values())


def _show_plans(julias: Sequence[JuliaInstall], course: RescoreCourse, *, as_json: bool) -> int:
    from ..exchange.rescore import survey

    problems = 0
    for julia in julias:
        planned = survey(course.folder, course.lookup, course.selection(julia))
        problems += planned.problems.total()
        if not as_json:
            wide_console().print(f"Julia {julia.version} ({julia.launcher}):", style="bold", soft_wrap=True)
        show_plan(planned, as_json=as_json)
    return int(bool(problems))


def _compare(
    course: RescoreCourse, versions: Sequence[str], problems: Mapping[str, Counter[str]], *, as_json: bool
) -> None:
    from ..exchange.julias import JuliaSummary, compare_julias

    sums = JuliaSummary(versions=tuple(versions))
    for compared in compare_julias(course.folder, versions, course.wanted):
        sums.add(compared)
        if as_json:
            typer.echo(json.dumps({"type": "sample", **_as_row(compared, course.folder)}))
        elif compared.differences:
            _show_difference(wide_console(), compared, course.folder)
    if as_json:
        told = {version: dict(reasons) for version, reasons in problems.items()}
        typer.echo(json.dumps({"type": "summary", **_as_document(sums), "problems": told}))
    else:
        _show_sums(wide_console(), sums, course.folder)


# ---- For programs


def _as_row(compared: JuliaComparison, folder: Path) -> dict[str, Any]:
    from ..exchange.reasons import claim_row

    request = compared.sample.request
    return {
        "file": str(compared.sample.evaluation.relative_to(folder)),
        "model": request.model,
        "task_id": f"{request.category}/{request.name}",
        "prompt_label": request.prompt_label,
        "prompt_strategy": request.prompt_strategy,
        "timestamp": compared.sample.timestamp,
        "verdicts": {version: claim and claim_row(claim) for version, claim in compared.claims.items()},
        "differences": dict(compared.differences),
    }


def _as_document(sums: JuliaSummary) -> dict[str, Any]:
    return {
        "versions": list(sums.versions),
        "answers": sums.answers,
        "not_compared": sums.not_compared,
        "models": {name: _fared_row(fared, sums) for name, fared in sorted(sums.models.items())},
        "test_cases": {name: _fared_row(fared, sums) for name, fared in sorted(sums.cases.items())},
        "differences": [
            {"version": version, "difference": why, "count": count}
            for (version, why), count in sums.differences.most_common()
        ],
    }


def _fared_row(fared: Fared, sums: JuliaSummary) -> dict[str, Any]:
    return {
        "answers": fared.answers,
        "not_compared": fared.not_compared,
        "versions": {
            version: {
                "solved": fared.share_passed(version),
                "score": fared.mean_score(version),
                "up": fared.up[version],
                "down": fared.down[version],
            }
            for version in sums.versions
        },
    }


# ---- For people


def _show_difference(console: Console, compared: JuliaComparison, folder: Path) -> None:
    """`100 -> 25  text/wrap_words/gpt-x/evaluation__...json  Julia 1.10.4: uses a name that ...`."""
    from ..exchange.julias import TOLD

    first = points(next(iter(compared.claims.values())))
    file = safe_text(str(compared.sample.evaluation.relative_to(folder)), one_line=True)
    for version, why in compared.differences.items():
        after = points(compared.claims[version])
        console.print(
            f"{first} -> {after}  {file}  Julia {version}: {TOLD[why]}", soft_wrap=True, highlight=False
        )


def _show_sums(console: Console, sums: JuliaSummary, folder: Path) -> None:
    first = sums.versions[0]
    moved = {name: fared for name, fared in sums.cases.items() if fared.up or fared.down}
    console.print("", _fared_table("model", sums.models, sums), "")
    if moved:
        console.print(_fared_table("test case", moved, sums), "")
    if sums.differences:
        console.print(_difference_table(sums), "")
    elif len(sums.versions) > 1:
        console.print("No verdict differs.")
    told = f"Solved in %; up and down against Julia {first}; the same answers in every column."
    if sums.not_compared:
        told += f" {many(sums.not_compared, 'answer', 'has', 'have')} no score by one of them."
    console.print(told, soft_wrap=True)
    flags = [word for version in sums.versions for word in ("--julia", version)]
    console.print(f"As a board: {command('leaderboard', '--root', str(folder), *flags)}", soft_wrap=True)


def _fared_table(heading: str, groups: Mapping[str, Fared], sums: JuliaSummary) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column(heading, overflow="fold")
    table.add_column("answers", justify="right")
    for place, version in enumerate(sums.versions):
        for name in (version, "up", "down") if place else (version,):
            table.add_column(name, justify="right")
    for name, fared in sorted(groups.items()):
        cells = [str(fared.answers)]
        for place, version in enumerate(sums.versions):
            cells.append(mean(fared.share_passed(version)))
            cells += [str(fared.up[version]), str(fared.down[version])] if place else []
        table.add_row(safe_text(name, one_line=True), *cells)
    return table


def _difference_table(sums: JuliaSummary) -> Table:
    from rich.table import Table

    from ..exchange.julias import TOLD

    table = Table(box=None, pad_edge=False)
    table.add_column("moved", justify="right")
    table.add_column("Julia")
    table.add_column("because", overflow="fold")
    for (version, why), count in sums.differences.most_common():
        table.add_row(str(count), version, TOLD[why])
    return table
