"""`codejury import`: answers made elsewhere become stored, judged answers."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..records import Limits, Outcome
from .progress import progress
from .render import error_console, many, number, output_console, tell_notes
from .stored import (
    DEFAULTS,
    AllowUnsafe,
    AnswerTimeout,
    Memory,
    Timeout,
    Workers,
    worker_count,
)

if TYPE_CHECKING:
    from ..exchange import ImportPlan


def import_answers(
    answers: Annotated[
        Path, typer.Argument(metavar="ANSWERS.jsonl", help="Lines with task_id, and completion or solution.")
    ],
    save_dir: Annotated[Path, typer.Option(metavar="DIR", help="The folder that the answers are stored in.")],
    model: Annotated[
        str | None, typer.Option(help="Who gave the answers.", show_default="`model` of each line")
    ] = None,
    prompt: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL", help="The prompt.", show_default="`prompt_label` of each line, else Imported"
        ),
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(help="The strategy.", show_default="`prompt_strategy` of each line, else 1SHOT"),
    ] = None,
    experiment: Annotated[
        str | None,
        typer.Option(help="A name for a series of runs.", show_default="`experiment` of each line"),
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="Where the model ran.", show_default="`device` of each line")
    ] = None,
    definitions: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder of the test cases.", show_default="the bundled suite"),
    ] = None,
    workers: Workers = None,
    timeout: Timeout = DEFAULTS.seconds,
    answer_timeout: AnswerTimeout = DEFAULTS.answer_seconds,
    memory: Memory = DEFAULTS.memory_mb,
    allow_unsafe: AllowUnsafe = False,
) -> None:
    """Store answers that were made elsewhere, and judge them like all others.

    A line is a JSON object with `task_id` (a test case's name, or category/name) and `completion` (an answer
    in markdown) or `solution` (bare code). It can say what was sent (`prompt`, or `messages`), what was
    measured (`prompt_tokens`, `completion_tokens`, `elapsed_seconds`, `cost`, `finish_reason`) and which
    sample it is. All lines are checked before anything is written.

    An answer that is stored already is not stored again, so the same command goes on where it stopped.

    Exit code: 0 all stored and judged; 1 some verdicts are void, or a definition cannot be used; 2 bad input;
    130 stopped.
    """
    from ..definitions import bundled_suite
    from ..exchange import Labels, prepare_import

    labels = Labels(
        model=model, prompt_label=prompt, prompt_strategy=strategy, experiment=experiment, device=device
    )
    plan = prepare_import(answers, definitions or bundled_suite(), save_dir, labels)
    left_out = tell_notes(plan.tasks.notes())
    limits = Limits(seconds=timeout, answer_seconds=answer_timeout, memory_mb=memory)
    tally = _Tally()
    stopped = _carry_out(plan, tally, limits, worker_count(workers, plan.total), allow_unsafe=allow_unsafe)
    tally.show(save_dir)
    if stopped:
        error_console().print("Stopped. What was imported is stored; the same command goes on from there.")
        raise typer.Exit(130)
    if plan.left_out:
        lines = "1 line was" if plan.left_out == 1 else f"{plan.left_out} lines were"
        error_console().print(
            f"{lines} not imported: mend the definitions named above, and the same command imports them."
        )
    raise typer.Exit(int(tally.void > 0 or left_out))


class _Tally:
    """How many lines were new, how many known, and how the new ones were judged."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.scores = 0.0
        self.judged = 0
        self.void = 0

    def show(self, save_dir: Path) -> None:
        console = output_console()
        counts = self.statuses
        console.print(
            f"{many(counts['added'], 'answer')} added to {save_dir}, {counts['known']} were there already"
            + (f", {counts['judged']} of those not judged until now" if counts["judged"] else "")
            + ".",
            soft_wrap=True,
        )
        if self.judged:
            console.print(f"{self.judged} judged, mean score {number(self.scores / self.judged)}.")
        if self.void:
            console.print(
                f"{self.void} void: `codejury rescore {save_dir}` tries them again.", style="yellow"
            )


def _carry_out(plan: ImportPlan, tally: _Tally, limits: Limits, workers: int, *, allow_unsafe: bool) -> bool:
    """Store and judge all lines; return whether Ctrl-C stopped it."""
    from ..exchange import run_import
    from ..judge import Judge

    # It starts with the first answer that needs it: a file that was imported before needs none.
    judge = Judge(workers=workers, limits=limits, allow_unsafe=allow_unsafe, packages=plan.tasks.packages)
    try:
        with (
            progress("imported", plan.total) as status,
            closing(judge),
            closing(run_import(plan, judge, workers=workers)) as results,
        ):
            status.judge = judge
            for imported in results:
                tally.statuses[imported.status.value] += 1
                if verdict := imported.evaluation:
                    tally.void += verdict.outcome is Outcome.VOID
                    tally.judged += verdict.outcome is not Outcome.VOID
                    tally.scores += verdict.score or 0.0
                status.update(tally.statuses.total(), plan.total)
    except KeyboardInterrupt:
        return True
    return False
