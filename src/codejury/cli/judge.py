"""`codejury judge`: verdicts on a file of answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..records import Limits
from .render import error_console, number, output_console, tell_notes

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
    tally = judge_all(plan, Limits(seconds=timeout, memory_mb=memory), hall, quiet=quiet)
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
    """Carry out the plan, with a bar on stderr. Ctrl-C ends the command and says how to go on."""
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
        with _progress(plan, quiet=quiet) as on_progress, judge:
            return run(plan, judge, workers=workers, on_progress=on_progress)
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


@contextmanager
def _progress(plan: Plan, *, quiet: bool) -> Iterator[Callable[[Tally], None]]:
    """A bar on stderr while answers are judged; nothing where stderr is no terminal."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = error_console()
    hidden = quiet or not console.is_terminal
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("starting Julia", total=plan.total, completed=plan.settled.lines)

        def show(tally: Tally) -> None:
            told = f"{tally.passed} pass, {tally.failed} fail, {tally.void} void"
            bar.update(task, completed=tally.lines, description=told)

        yield show


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
