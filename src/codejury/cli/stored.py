"""What the commands for stored answers have in common: their options, and how many workers they start."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..records import Limits
from .render import output_console

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
AnswerTimeout = Annotated[
    float, typer.Option(min=0.1, help="Seconds for all of an answer, its repetitions included.")
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
