"""`codejury judge`: verdicts on a file of answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..records import Limits
from .progress import Status, progress
from .render import error_console, number, output_console, tell_notes
from .stored import DEFAULTS, AnswerTimeout

if TYPE_CHECKING:
    from rich.table import Table

    from ..bulk import Plan, Tally


def judge(
    answers: Annotated[
        Path, typer.Argument(metavar="ANSWERS.jsonl", help="Lines with task_id, and completion or solution.")
    ],
    output: Annotated[
        Path,
        typer.Option(metavar="OUT.jsonl", help="Where the verdicts go; a file begun earlier is continued."),
    ],
    definitions: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder of the test cases.", show_default="the bundled suite"),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Answers judged at once.", show_default="one per processor")
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds for the main code, and for each example and test.")
    ] = Limits().seconds,
    answer_timeout: AnswerTimeout = DEFAULTS.answer_seconds,
    memory: Annotated[
        int, typer.Option(min=16, metavar="MB", help="Memory a candidate may use, in MB.")
    ] = Limits().memory_mb,
    allow_unsafe: Annotated[
        bool, typer.Option("--allow-unsafe", help="Run even where no sandbox can be had.")
    ] = False,
    engine: Annotated[
        str,
        typer.Option(metavar="local|ray", help="Judge on this machine, or on a Ray cluster."),
    ] = "local",
    ray_address: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="The cluster, for --engine ray.", show_default="the one Ray knows of"
        ),
    ] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")] = False,
) -> None:
    """Judge a file of answers: each line comes back with its verdict, in the same order.

    A line is a JSON object with `task_id` (a test case's name, or category/name) and `completion` (an answer
    in markdown, or bare code) or `solution` (bare code); its other fields are kept as they are. All lines are
    checked before anything runs.

    However a run ended, the same command goes on where it stopped. Void lines are then judged again. Answers
    to a test case whose definition cannot be used are void, too.

    Exit code: 0 all judged; 1 some lines are void; 2 bad input; 130 stopped.
    """
    from ..bulk import prepare
    from ..cluster import check_engine
    from ..definitions import bundled_suite

    check_engine(engine)
    plan = prepare(answers, definitions or bundled_suite(), output)
    left_out = tell_notes(plan.tasks.notes(), warnings=not quiet)
    if not quiet:
        _tell(plan)
    hall = Hall(engine, ray_address, workers, allow_unsafe)
    limits = Limits(seconds=timeout, answer_seconds=answer_timeout, memory_mb=memory)
    tally = judge_all(plan, limits, hall, quiet=quiet)
    if not quiet:
        output_console().print(summary(tally))
    raise typer.Exit(int(tally.void > 0 or left_out))


@dataclass(frozen=True, slots=True)
class Hall:
    """Where it is judged, and by how many."""

    engine: str
    ray_address: str
    workers: int | None
    allow_unsafe: bool


def judge_all(plan: Plan, limits: Limits, hall: Hall, *, quiet: bool) -> Tally:
    """Carry out the plan, and show on stderr how far it is. Ctrl-C ends the command and says how to go on."""
    from ..bulk import run
    from ..engines import judges_at_once, open_judge

    if not plan.to_judge:
        return plan.settled
    workers = judges_at_once(hall.engine, hall.workers, plan.to_judge)
    judge = open_judge(
        hall.engine,
        workers=workers,
        limits=limits,
        allow_unsafe=hall.allow_unsafe,
        packages=plan.tasks.packages,
        ray_address=hall.ray_address,
        on_note=error_console().print,
    )
    try:
        with progress("judged", plan.total, quiet=quiet) as status, judge:
            status.judge = judge
            status.update(plan.settled.lines, plan.total)
            return run(plan, judge, workers=workers, on_progress=lambda tally: _show(tally, plan, status))
    except KeyboardInterrupt:
        error_console().print(
            f"Stopped. What is judged is in {plan.output}; the same command goes on from there."
        )
        raise typer.Exit(130) from None


def _tell(plan: Plan) -> None:
    console = error_console()
    if plan.written:
        again = f"; {plan.unsettled} of them are judged again" if plan.unsettled else ""
        console.print(f"{plan.output} has {plan.written} of {plan.total} lines already{again}.")
    if plan.replaced_fields:
        fields = ", ".join(plan.replaced_fields)
        console.print(f"Fields of the input that the verdict's fields replace: {fields}", style="yellow")


def _show(tally: Tally, plan: Plan, status: Status) -> None:
    told = f"judged: {tally.passed} pass, {tally.failed} fail, {tally.void} void"
    status.update(tally.lines, plan.total, told)


def summary(tally: Tally) -> Table:
    """The counts, the mean score, and which Julia judged."""
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_row("pass", str(tally.passed), style="green")
    table.add_row("fail", str(tally.failed), style="red")
    table.add_row("void", str(tally.void), style="yellow" if tally.void else "")
    table.add_row("mean score", "n/a" if tally.mean_score is None else number(tally.mean_score))
    table.add_row("Julia", ", ".join(sorted(tally.julia_versions)) or "n/a")
    if len(tally.julia_versions) > 1:
        table.add_row("", "judged by several versions of Julia: do not compare them", style="yellow")
    return table
