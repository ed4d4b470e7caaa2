"""What the commands for stored answers have in common: which answers, and how they are shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from .render import output_console

if TYPE_CHECKING:
    from rich.console import Console

    from ..exchange.case_lookup import AnswerFilter


Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder with stored answers.")]
Definitions = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="The folder of the test cases.",
        show_default="those in the folder, else the bundled suite",
    ),
]
ModelGlobs = Annotated[
    list[str] | None, typer.Option("--model", "-m", metavar="GLOB", help="Only these models; repeatable.")
]
PromptGlobs = Annotated[
    list[str] | None, typer.Option("--prompt", "-p", metavar="GLOB", help="Only these prompts; repeatable.")
]
CaseGlobs = Annotated[
    list[str] | None,
    typer.Option(
        "--case", "-c", metavar="GLOB", help="Only these test cases, by name or category/name; repeatable."
    ),
]
NotCaseGlobs = Annotated[
    list[str] | None,
    typer.Option("--not-case", metavar="GLOB", help="Test cases to leave out, likewise; repeatable."),
]

_WIDTH_OF_A_FILE: Final = 200


def chosen_answers(
    model: list[str] | None, prompt: list[str] | None, case: list[str] | None, not_case: list[str] | None
) -> AnswerFilter:
    from ..exchange.case_lookup import AnswerFilter

    return AnswerFilter(
        models=tuple(model or ()),
        prompts=tuple(prompt or ()),
        cases=tuple(case or ()),
        not_cases=tuple(not_case or ()),
    )


def julia_in_use() -> str:
    """The version of the Julia that would judge, "" if there is none."""
    from ..judge.toolchain.find import find_julia
    from ..settings import load_settings

    found = find_julia(load_settings())
    return found.version if found else ""


def wide_console() -> Console:
    """Standard output for tables with long names: a file or a CI log has no edge where they must break."""
    console = output_console()
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH_OF_A_FILE)
    return console
