"""What the commands that read results have in common: which results, and how they are loaded.

default_root      where `codejury run` would store its results from this folder
load_selected     the evaluations that were asked for, with complaints about files that cannot be read
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..errors import InputError
from ..program import command
from ..records import Metric
from .render import error_console, many, safe_text, tell_suite

if TYPE_CHECKING:
    import polars as pl

    from ..records import TestCase
    from ..results.index.load import BrokenFile


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
Definitions = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="The folder of the test cases, which say their level and kind.",
        show_default="those beside the results, else the bundled suite",
    ),
]
Levels = Annotated[
    list[str] | None,
    typer.Option("--level", metavar="LEVEL", help="Only test cases of this level; repeatable."),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="KIND", help="Only test cases of this kind; repeatable."),
]
JuliaVersions = Annotated[
    list[str] | None,
    typer.Option(
        "--julia",
        metavar="VERSION",
        help="The verdicts of this Julia, also those beside the present ones; several make a pivot.",
        show_default="the present verdicts",
    ),
]
MetricOption = Annotated[
    Metric, typer.Option("--metric", help="What decides: tasks solved, or points of the score.")
]
Seed = Annotated[int, typer.Option(min=0, help="Of everything that is drawn at random.")]

_NAMED_FILES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which evaluations count, as the command line says it."""

    models: list[str] | None = None
    prompts: list[str] | None = None
    cases: list[str] | None = None
    not_cases: list[str] | None = None
    experiment: list[str] | None = None
    levels: list[str] | None = None
    kinds: list[str] | None = None
    since: str = ""
    max_history: int | None = None
    where: str = ""
    definitions: Path | None = None
    julias: list[str] | None = None


def default_root() -> Path:
    """Where `codejury run` stores its results, by the codejury.toml of this folder if there is one."""
    from ..configuration import load_configuration

    return load_configuration(None).run.save_dir


def load_selected(root: Path | None, filters: Filters) -> tuple[Path, pl.DataFrame]:
    """The folder, and the evaluations in it that fit the filters; at least one."""
    from ..results.index.load import load_results
    from ..results.statistics.select import select

    folder = root or default_root()
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder. {_ADVICE}")
    results = load_results(folder, max_history=filters.max_history, every_julia=bool(filters.julias))
    tell_left_out(results.broken, results.files, results.copies)
    if results.frame.is_empty():
        raise InputError(f"{folder}: there are no results in it. {_ADVICE}")
    frame = select(
        _with_their_cases(results.frame, folder, filters.definitions),
        models=filters.models or (),
        prompts=filters.prompts or (),
        cases=filters.cases or (),
        not_cases=filters.not_cases or (),
        experiments=filters.experiment or (),
        levels=filters.levels or (),
        kinds=filters.kinds or (),
        julias=filters.julias or (),
        since=filters.since,
        where=filters.where,
    )
    if frame.is_empty():
        raise InputError(
            f"none of the {results.frame.height:,} results in {folder} fits all filters; leave one out"
        )
    return folder, frame


def _with_their_cases(frame: pl.DataFrame, folder: Path, definitions: Path | None) -> pl.DataFrame:
    """The evaluations with the level, the kind and the stub score of their test cases, where known."""
    from ..errors import DefinitionError
    from ..results.statistics.select import with_cases
    from ..suite.stubs import stub_scores
    from ..suite.suite import Suite, find_definitions

    suite = Suite(find_definitions(definitions or tell_suite(folder)))
    cases: dict[str, TestCase] = {}
    for name in frame["test_case"].unique().sort():
        for file in suite.find(name):
            with suppress(DefinitionError):  # other commands tell of it; answers are judged already
                cases.setdefault(name, suite.load(file))
    return with_cases(frame, cases, stub_scores(cases.values()))


_ADVICE: Final = f"`{command('run')}` makes results; --root DIR names another folder"


def tell_left_out(broken: Sequence[BrokenFile], files: int, copies: int) -> None:
    """Say which of the evaluations in a folder are not counted, and why."""
    _complain_of(broken, files)
    if copies:
        left_out = many(copies, "evaluation", "is left out: a copy", "are left out: copies")
        error_console().print(
            f"{left_out} of another file (the same model, test case, prompt, strategy and time)",
            style="yellow",
        )


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
