"""`codejury rescore`: stored answers judged again, and which scores move."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..options import JudgeOptions
from .option_flags import JuliaNames, with_flags
from .progress import progress
from .render import error_console, output_console, tell_notes, tell_suite, tell_waiting
from .rescore_tables import as_row, show_board, show_move, show_plan, summary, tell_plan
from .stored import (
    CaseGlobs,
    Definitions,
    Folder,
    ModelGlobs,
    NotCaseGlobs,
    PromptGlobs,
    chosen_answers,
    julia_in_use,
    wide_console,
)

if TYPE_CHECKING:
    from ..exchange.case_lookup import CaseLookup
    from ..exchange.moves import RescoreSummary
    from ..exchange.rescore import Rescored, RescoreSelection, Survey


@with_flags(JudgeOptions)
def rescore(
    folder: Folder,
    definitions: Definitions = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Judge all answers again, also those whose verdict stands.")
    ] = False,
    model: ModelGlobs = None,
    prompt: PromptGlobs = None,
    case: CaseGlobs = None,
    not_case: NotCaseGlobs = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be judged, and end.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object for each answer, and a last one for all.")
    ] = False,
    julia: JuliaNames = None,
    **judging: Any,
) -> None:
    """Judge stored answers again, and tell which scores move and why.

    Judged are answers without a verdict or with a void one, and those whose definition, judging rules or
    Julia have changed since. The old evaluation is kept beside the new one as `superseded__...json`. A new
    verdict that is void takes no other's place.

    With --julia, the present evaluations stay: what each of these Julias has no verdict on is judged by it,
    and kept beside them as `julia-VERSION__...json`. Then it tells which verdicts differ from those of the
    first Julia, and why, by model and by test case.

    However a rescore ended, the same command goes on where it stopped (with --all it begins anew).

    Exit code: 0 done; 1 some answers could not be judged; 2 bad input; 130 stopped.
    """
    from ..exchange.case_lookup import lookup_for
    from ..exchange.rescore import RescoreSelection, survey

    options = JudgeOptions.of(**judging)
    lookup = lookup_for(folder, definitions or tell_suite(folder))
    wanted = chosen_answers(model, prompt, case, not_case)
    if julia:
        from .rescore_julias import RescoreCourse, rescore_on_each

        course = RescoreCourse(
            folder=folder, lookup=lookup, wanted=wanted, everything=everything, judging=options
        )
        raise typer.Exit(rescore_on_each(julia, course, dry_run=dry_run, as_json=as_json))
    aim = RescoreSelection(wanted=wanted, everything=everything, julia_version=julia_in_use())
    planned = survey(folder, lookup, aim)
    tell_notes(lookup.notes())
    if dry_run:
        show_plan(planned, as_json=as_json)
        raise typer.Exit(int(bool(planned.problems)))
    tell_plan(planned)
    session = _Session(folder, lookup, aim, planned, as_json=as_json)
    stopped = session.run(options)
    session.conclude()
    tell_waiting(session.board.waiting, options.environment or planned.packages.environment)
    if stopped:
        error_console().print("Stopped. What was judged is stored; the same command goes on from there.")
        raise typer.Exit(130)
    raise typer.Exit(int(bool(session.board.problems)))


class _Session:
    """One run: judges, shows what moves as it comes, adds it up."""

    def __init__(
        self, folder: Path, lookup: CaseLookup, aim: RescoreSelection, planned: Survey, *, as_json: bool
    ) -> None:
        from ..exchange.moves import RescoreSummary

        self._folder, self._exam, self._aim, self._planned = folder, lookup, aim, planned
        self._as_json = as_json
        self.board: RescoreSummary = RescoreSummary()

    def run(self, options: JudgeOptions) -> bool:
        """Judge what is planned; return whether it was stopped by Ctrl-C."""
        from ..exchange.rescore import rescore as rescored
        from ..judge.backends import open_judge

        if not self._planned.to_judge:
            self.board.problems.update(self._planned.problems)
            return False
        judge = open_judge(
            options,
            answers=self._planned.to_judge,
            packages=self._planned.packages,
            on_note=error_console().print,
        )
        try:
            with (
                progress("judged again", self._planned.to_judge) as status,
                judge,
                closing(rescored(self._folder, self._exam, self._aim, judge)) as results,
            ):
                status.judge = judge
                for result in results:
                    self.board.add(result)
                    self._show(result)
                    status.update(self.board.judged, self._planned.to_judge)
        except KeyboardInterrupt:
            return True
        return False

    def _show(self, result: Rescored) -> None:
        if self._as_json:
            typer.echo(json.dumps({"type": "sample", **as_row(result, self._folder)}))
        elif result.moved:
            show_move(output_console(), result, self._folder)

    def conclude(self) -> None:
        """The tables at the end, or the last JSON object."""
        if self._as_json:
            typer.echo(json.dumps({"type": "summary", **summary(self.board)}))
            return
        show_board(wide_console(), self.board, untouched=self._planned.samples - self._planned.to_judge)
