"""`codejury import`: answers made elsewhere become stored, judged answers."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..options import JudgeOptions
from ..program import command
from .judge import AnswersFile, SkipBad, answers_file, summary, tell_bad_lines
from .option_flags import with_flags
from .progress import progress
from .render import error_console, many, output_console, tell_notes, tell_suite, tell_waiting

if TYPE_CHECKING:
    from ..exchange.import_answers import Imported, ImportPlan


@with_flags(JudgeOptions)
def import_answers(
    answers: AnswersFile,
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
    skip_bad: SkipBad = False,
    **judging: Any,
) -> None:
    """Store answers that were made elsewhere, and judge them like all others.

    A line is a JSON object with `task_id` (a test case's name, or category/name) and `completion` (an answer
    in markdown) or `solution` (bare code). It can say what was sent (`prompt`, or `messages`), what was
    measured (`prompt_tokens`, `completion_tokens`, `elapsed_seconds`, `cost`, `finish_reason`) and which
    sample it is. All lines are checked before anything is written.

    An answer that is stored already is not stored again, so the same command goes on where it stopped.

    Exit code: 0 all stored and judged; 1 some verdicts are void, some lines are bad and skipped, or a
    definition cannot be used; 2 bad input; 130 stopped.
    """
    from ..exchange.import_answers import prepare_import
    from ..exchange.import_lines import Labels

    labels = Labels(
        model=model, prompt_label=prompt, prompt_strategy=strategy, experiment=experiment, device=device
    )
    options = JudgeOptions.of(**judging)
    tally = _ImportTally()
    with answers_file(answers) as path:
        plan = prepare_import(path, definitions or tell_suite(), save_dir, labels, skip_bad=skip_bad)
        left_out = tell_notes(plan.tasks.notes())
        tell_bad_lines(plan.lines)
        stopped = _carry_out(plan, tally, options)
    tally.show(save_dir)
    tell_waiting(tally.verdicts.waiting, options.environment or plan.tasks.packages.environment)
    if stopped:
        error_console().print("Stopped. What was imported is stored; the same command goes on from there.")
        raise typer.Exit(130)
    if plan.left_out:
        lines = "1 line was" if plan.left_out == 1 else f"{plan.left_out} lines were"
        error_console().print(
            f"{lines} not imported: fix the definitions named above, and the same command imports them."
        )
    raise typer.Exit(int(tally.verdicts.void > 0 or left_out or bool(plan.lines.bad)))


class _ImportTally:
    """How many lines were new, how many known, and how the new ones were judged."""

    def __init__(self) -> None:
        from ..exchange.bulk.plan import BulkTally

        self.statuses: Counter[str] = Counter()
        self.verdicts = BulkTally()

    def add(self, imported: Imported) -> None:
        from ..exchange.bulk.plan import VerdictSummary
        from ..judge.score import evaluation_to_dict

        self.statuses[imported.status.value] += 1
        if imported.evaluation:
            self.verdicts = self.verdicts.plus(VerdictSummary.of(evaluation_to_dict(imported.evaluation)))

    def show(self, save_dir: Path) -> None:
        console = output_console()
        counts = self.statuses
        console.print(
            f"{many(counts['added'], 'answer')} added to {save_dir}, {counts['known']} were there already"
            + (f", {counts['judged']} of those not judged until now" if counts["judged"] else "")
            + ".",
            soft_wrap=True,
        )
        if self.verdicts.lines:
            console.print(summary(self.verdicts))
        if self.verdicts.void:
            console.print(
                f"{self.verdicts.void} void: `{command('rescore', str(save_dir))}` tries them again.",
                style="yellow",
            )


def _carry_out(plan: ImportPlan, tally: _ImportTally, options: JudgeOptions) -> bool:
    """Store and judge all lines; return whether Ctrl-C stopped it."""
    from ..exchange.import_answers import run_import
    from ..judge.backends import open_judge

    # It starts with the first answer that needs it: a file that was imported before needs none.
    judge = open_judge(
        options, answers=plan.total, packages=plan.tasks.packages, on_note=error_console().print
    )
    try:
        with (
            progress("imported", plan.total) as status,
            closing(judge),
            closing(run_import(plan, judge)) as results,
        ):
            status.judge = judge
            for imported in results:
                tally.add(imported)
                status.update(tally.statuses.total(), plan.total)
    except KeyboardInterrupt:
        return True
    return False
