"""What the commands that read results have in common: which results, and how they are loaded.

default_root      where `codejury run` would store its results from this folder
load_selected     the evaluations that were asked for, with complaints about files that cannot be read
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..errors import InputError
from .render import error_console, many, safe_text

if TYPE_CHECKING:
    import polars as pl

    from ..index import BrokenFile

Root = Annotated[
    Path | None,
    typer.Option(
        "--root",
        metavar="DIR",
        envvar="CODEJURY_SAVE_DIR",
        help="The folder with the results.",
        show_default="where codejury run stores them: results/code_generation",
    ),
]
ModelNames = Annotated[
    list[str] | None,
    typer.Option("--models", metavar="GLOB", help="Only these models; repeatable, or with commas."),
]
PromptNames = Annotated[
    list[str] | None,
    typer.Option("--prompts", metavar="GLOB", help="Only these prompts; repeatable, or with commas."),
]
CaseNames = Annotated[
    list[str] | None,
    typer.Option(
        "--cases", metavar="GLOB", help="Only these test cases, or category/name; repeatable, or with commas."
    ),
]
Experiments = Annotated[
    list[str] | None,
    typer.Option("--experiment", metavar="GLOB", help='Only these experiments ("" for none); repeatable.'),
]
Since = Annotated[str, typer.Option(metavar="DATE", help="Only answers from this day on: 2024-05-01.")]
MaxHistory = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Only the last N answers to each question: device, test case, model, prompt, strategy.",
        show_default="all",
    ),
]
Where = Annotated[
    str, typer.Option(metavar="SQL", help="A condition on the columns, such as 'elapsed < 30 AND executed'.")
]
Seed = Annotated[int, typer.Option(min=0, help="Of everything that is drawn at random.")]

_NAMED_FILES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which evaluations count, as the command line says it."""

    models: list[str] | None = None
    prompts: list[str] | None = None
    cases: list[str] | None = None
    experiment: list[str] | None = None
    since: str = ""
    max_history: int | None = None
    where: str = ""


def default_root() -> Path:
    """Where `codejury run` stores its results, by the codejury.toml of this folder if there is one."""
    from ..benchmark.options import DEFAULT_SAVE_DIR
    from ..configuration import load_configuration

    return load_configuration(None).run.save_dir or DEFAULT_SAVE_DIR


def load_selected(root: Path | None, filters: Filters) -> tuple[Path, pl.DataFrame]:
    """The folder, and the evaluations in it that fit the filters; at least one."""
    from ..analysis import select
    from ..index import load_results

    folder = root or default_root()
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder. {_ADVICE}")
    results = load_results(folder, max_history=filters.max_history)
    _complain_of(results.broken, results.files)
    if results.copies:
        left_out = many(results.copies, "evaluation", "is left out: a copy", "are left out: copies")
        error_console().print(
            f"{left_out} of another file (the same model, test case, prompt, strategy and time)",
            style="yellow",
        )
    if results.frame.is_empty():
        raise InputError(f"{folder}: there are no results in it. {_ADVICE}")
    frame = select(
        results.frame,
        models=_listed(filters.models),
        prompts=_listed(filters.prompts),
        cases=_listed(filters.cases),
        experiments=filters.experiment or (),
        since=filters.since,
        where=filters.where,
    )
    if frame.is_empty():
        raise InputError(
            f"none of the {results.frame.height:,} results in {folder} fits all filters; leave one out"
        )
    return folder, frame


_ADVICE: Final = "`codejury run` makes results; --root DIR names another folder"


def _listed(patterns: Sequence[str] | None) -> list[str]:
    """["a,b", "c"] -> ["a", "b", "c"]."""
    parts = (part.strip() for pattern in patterns or () for part in pattern.split(","))
    return [part for part in parts if part]


def _complain_of(broken: Sequence[BrokenFile], files: int) -> None:
    """Say how many files could not be used, and name the first."""
    if not broken:
        return
    console = error_console()
    console.print(
        f"{len(broken):,} of {files:,} evaluations cannot be used, and are left out:", style="yellow"
    )
    for one in broken[:_NAMED_FILES]:
        console.print(f"  {safe_text(f'{one.path}: {one.reason}', one_line=True)}", style="yellow")
    if len(broken) > _NAMED_FILES:
        console.print(f"  and {len(broken) - _NAMED_FILES:,} more", style="yellow")


def tell(notes: Sequence[str]) -> None:
    """Remarks on stderr, out of the way of what is piped on."""
    for note in notes:
        error_console().print(safe_text(note))
