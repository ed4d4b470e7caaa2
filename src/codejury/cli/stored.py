"""What the commands for stored answers have in common: their options, the judge they start, their bar."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..records import Limits
from .render import error_console, output_console

if TYPE_CHECKING:
    from rich.console import Console

    from ..rejudging import Wanted

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder with stored answers.")]
Definitions = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="The folder of the test cases.",
        show_default="those in the folder, else the bundled suite",
    ),
]
Models = Annotated[
    list[str] | None, typer.Option("--model", metavar="GLOB", help="Only these models; repeatable.")
]
Cases = Annotated[
    list[str] | None, typer.Option("--case", metavar="GLOB", help="Only these test cases; repeatable.")
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Answers judged at once.", show_default="one per processor")
]
Timeout = Annotated[
    float, typer.Option(min=0.1, help="Seconds for the main code, and for each example and test.")
]
Memory = Annotated[int, typer.Option(min=16, metavar="MB", help="Memory a candidate may use, in MB.")]
AllowUnsafe = Annotated[bool, typer.Option("--allow-unsafe", help="Run even where no sandbox can be had.")]

DEFAULTS: Final = Limits()
_WIDTH_OF_A_FILE: Final = 200


def wanted_answers(models: list[str] | None, cases: list[str] | None) -> Wanted:
    from ..rejudging import Wanted

    return Wanted(models=tuple(models or ()), cases=tuple(cases or ()))


def worker_count(asked: int | None, answers: int) -> int:
    """As many as were asked for, else one per processor; never more than there are answers."""
    return min(asked or len(os.sched_getaffinity(0)), max(answers, 1))


def julia_in_use() -> str:
    """The version of the Julia that would judge, "" if there is none."""
    from ..settings import load_settings
    from ..toolchain import find_julia

    found = find_julia(load_settings())
    return found.version if found else ""


def wide_console() -> Console:
    """Standard output for tables with long names: a file or a CI log has no edge where they must break."""
    console = output_console()
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH_OF_A_FILE)
    return console


@contextmanager
def progress_bar(what: str, total: int | None) -> Iterator[Callable[[int, int | None], None]]:
    """A bar on stderr, nothing where that is no terminal. Lines printed meanwhile appear above it.

    It is told how much is done, and of how much if that was not known before.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = error_console()
    told = (BarColumn(), MofNCompleteColumn(), TextColumn(what))
    with Progress(
        *told,
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
        # Where stdout is a file or a pipe, what is printed there must not end up above the bar.
        redirect_stdout=sys.stdout.isatty(),
    ) as bar:
        task = bar.add_task("", total=total)
        yield lambda done, of: bar.update(task, completed=done, total=of)
