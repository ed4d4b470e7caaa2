"""`codejury rescore`: stored answers judged again, and which scores move."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..records import Limits
from .progress import progress
from .render import error_console, output_console, tell_notes
from .rescore_tables import as_row, show_board, show_move, show_plan, summary, tell_plan
from .stored import (
    DEFAULTS,
    AllowUnsafe,
    AnswerTimeout,
    Cases,
    Definitions,
    Folder,
    Memory,
    Models,
    Timeout,
    Workers,
    julia_in_use,
    wanted_answers,
    wide_console,
    worker_count,
)

if TYPE_CHECKING:
    from ..rejudging import Aim, Board, Exam, Rescored, Survey


def rescore(
    folder: Folder,
    definitions: Definitions = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Judge all answers again, also those whose verdict stands.")
    ] = False,
    models: Models = None,
    cases: Cases = None,
    workers: Workers = None,
    timeout: Timeout = DEFAULTS.seconds,
    answer_timeout: AnswerTimeout = DEFAULTS.answer_seconds,
    memory: Memory = DEFAULTS.memory_mb,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be judged, and end.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object for each answer, and a last one for all.")
    ] = False,
    allow_unsafe: AllowUnsafe = False,
) -> None:
    """Judge stored answers again, and tell which scores move and why.

    Judged are answers without a verdict or with a void one, and those whose definition, judging rules or
    Julia have changed since. The old evaluation is kept beside the new one as `superseded__...json`. A new
    verdict that is void takes no other's place.

    However a rescore ended, the same command goes on where it stopped (with --all it begins anew).

    Exit code: 0 done; 1 some answers could not be judged; 2 bad input; 130 stopped.
    """
    from ..rejudging import Aim, exam_for, survey

    exam = exam_for(folder, definitions)
    aim = Aim(wanted=wanted_answers(models, cases), everything=everything, julia_version=julia_in_use())
    planned = survey(folder, exam, aim)
    tell_notes(exam.notes())
    if dry_run:
        show_plan(planned, as_json=as_json)
        raise typer.Exit(int(bool(planned.problems)))
    tell_plan(planned)
    session = _Session(folder, exam, aim, planned, as_json=as_json)
    limits = Limits(seconds=timeout, answer_seconds=answer_timeout, memory_mb=memory)
    stopped = session.run(limits, worker_count(workers, planned.to_judge), allow_unsafe=allow_unsafe)
    session.conclude()
    if stopped:
        error_console().print("Stopped. What was judged is stored; the same command goes on from there.")
        raise typer.Exit(130)
    raise typer.Exit(int(bool(session.board.problems)))


class _Session:
    """One run: judges, shows what moves as it comes, adds it up."""

    def __init__(self, folder: Path, exam: Exam, aim: Aim, planned: Survey, *, as_json: bool) -> None:
        from ..rejudging import Board

        self._folder, self._exam, self._aim, self._planned = folder, exam, aim, planned
        self._as_json = as_json
        self.board: Board = Board()

    def run(self, limits: Limits, workers: int, *, allow_unsafe: bool) -> bool:
        """Judge what is planned; return whether it was stopped by Ctrl-C."""
        from ..judge import Judge
        from ..rejudging import rescore as rescored

        if not self._planned.to_judge:
            self.board.problems.update(self._planned.problems)
            return False
        packages = self._planned.packages
        judge = Judge(workers=workers, limits=limits, allow_unsafe=allow_unsafe, packages=packages)
        try:
            with (
                progress("judged again", self._planned.to_judge) as status,
                judge,
                closing(rescored(self._folder, self._exam, self._aim, judge, workers=workers)) as results,
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
