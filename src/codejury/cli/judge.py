"""`codejury judge`: verdicts on a file of answers."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..errors import InputError
from ..options import JudgeOptions
from .option_flags import with_flags
from .progress import Status, progress
from .render import (
    error_console,
    many,
    number,
    output_console,
    safe_text,
    tell_notes,
    tell_suite,
    tell_waiting,
)

if TYPE_CHECKING:
    from rich.table import Table

    from ..exchange.bulk.answers import CheckedLines
    from ..exchange.bulk.plan import BulkPlan, BulkTally


STDIO: Final = "-"
AnswersFile = Annotated[
    str,
    typer.Argument(
        metavar="ANSWERS.jsonl", help="Lines with task_id, and completion or solution; - for stdin."
    ),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out lines that cannot be used, and say which.")
]


@with_flags(JudgeOptions)
def judge(
    answers: AnswersFile,
    output: Annotated[
        str,
        typer.Option(
            metavar="OUT.jsonl",
            help="Where the verdicts go, - for stdout; a file begun earlier is continued.",
        ),
    ],
    definitions: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder of the test cases.", show_default="the bundled suite"),
    ] = None,
    skip_bad: SkipBad = False,
    only_split: Annotated[
        bool,
        typer.Option(
            "--only-split",
            help="Count only unit tests that no code of the answer takes part in deciding: for rewards.",
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")] = False,
    **judging: Any,
) -> None:
    """Judge a file of answers: each line comes back with its verdict, in the same order.

    A line is a JSON object with `task_id` (a test case's name, or category/name) and `completion` (an answer
    in markdown, or bare code) or `solution` (bare code); its other fields are kept as they are. All lines are
    checked before anything runs.

    However a run ended, the same command goes on where it stopped. Void lines are then judged again. Answers
    to a test case whose definition cannot be used are void, too.

    Exit code: 0 all judged; 1 some lines are void, or bad and skipped; 2 bad input; 130 stopped.
    """
    from ..exchange.bulk.plan import prepare

    options = JudgeOptions.of(**judging)
    file = None if output == STDIO else Path(output)
    with answers_file(answers) as path:
        plan = prepare(path, definitions or tell_suite(), file, skip_bad=skip_bad)
        left_out = tell_notes(plan.tasks.notes(), warnings=not quiet)
        tell_bad_lines(plan.lines)
        if not quiet:
            _tell(plan)
        tally = judge_all(plan, options, quiet=quiet, only_split=only_split)
    if not quiet:
        (output_console() if file else error_console()).print(summary(tally))
        tell_waiting(tally.waiting, options.environment or plan.tasks.packages.environment)
    raise typer.Exit(int(tally.void > 0 or left_out or bool(plan.lines.bad)))


def judge_all(plan: BulkPlan, options: JudgeOptions, *, quiet: bool, only_split: bool = False) -> BulkTally:
    """Carry out the plan, and show on stderr how far it is. Ctrl-C ends the command and says how to go on."""
    from ..exchange.bulk.run import run
    from ..judge.backends import open_judge

    if not plan.to_judge:
        return plan.settled
    judge = open_judge(
        options, answers=plan.to_judge, packages=plan.tasks.packages, on_note=error_console().print
    )
    try:
        with progress("judged", plan.total, quiet=quiet) as status, judge:
            status.judge = judge
            status.update(plan.settled.lines, plan.total)
            return run(
                plan,
                judge,
                only_split=only_split,
                stream=sys.stdout.buffer,
                on_progress=lambda tally: _show(tally, plan, status),
            )
    except KeyboardInterrupt:
        kept = f"What is judged is in {plan.output}; the same command goes on from there."
        error_console().print(f"Stopped. {kept}" if plan.output else "Stopped.")
        raise typer.Exit(130) from None


def _tell(plan: BulkPlan) -> None:
    console = error_console()
    if plan.written:
        again = f"; {plan.unsettled} of them are judged again" if plan.unsettled else ""
        console.print(f"{plan.output} has {plan.written} of {plan.total} lines already{again}.")
    if plan.replaced_fields:
        fields = ", ".join(plan.replaced_fields)
        console.print(f"Fields of the input that the verdict's fields replace: {fields}", style="yellow")


def _show(tally: BulkTally, plan: BulkPlan, status: Status) -> None:
    told = f"judged: {tally.passed} pass, {tally.failed} fail, {tally.void} void"
    status.update(tally.lines, plan.total, told)


def summary(tally: BulkTally) -> Table:
    """The counts, the rates, and which Julia judged."""
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_row("pass", str(tally.passed), style="green")
    table.add_row("fail", str(tally.failed), style="red")
    table.add_row("void", str(tally.void), style="yellow" if tally.void else "")
    table.add_row("timed out", str(tally.timed_out), style="yellow" if tally.timed_out else "")
    table.add_row("pass rate", "n/a" if tally.pass_rate is None else f"{100 * tally.pass_rate:.1f} %")
    table.add_row("mean score", "n/a" if tally.mean_score is None else number(tally.mean_score))
    table.add_row("Julia", ", ".join(sorted(tally.julia_versions)) or "n/a")
    if len(tally.julia_versions) > 1:
        table.add_row("", "judged by several versions of Julia: do not compare them", style="yellow")
    return table


def tell_bad_lines(lines: CheckedLines) -> None:
    """Which lines were left out, on stderr."""
    if lines.bad:
        told = f"{many(len(lines.bad), 'bad line', 'is', 'are')} skipped:"
        error_console().print(safe_text("\n".join([told, *lines.told])), style="yellow")


@contextmanager
def answers_file(place: str) -> Iterator[Path]:
    """The file that was named; for `-` one with all of stdin, since answers are read twice."""
    if place != STDIO:
        yield Path(place)
        return
    with TemporaryDirectory(prefix="codejury-") as folder:
        path = Path(folder) / "stdin"
        with path.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        try:
            yield path
        except InputError as error:  # a message names what the user knows
            raise InputError(str(error).replace(str(path), "stdin")) from None
