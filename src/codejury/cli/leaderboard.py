"""`codejury leaderboard`: stored results as a ranking with honest uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from .result_cells import board_columns, plain_columns
from .result_output import (
    FOR_PROGRAMS,
    Format,
    FormatOption,
    Wide,
    print_board,
    print_document,
    print_notes,
    print_pivot,
    print_rows,
)
from .result_plots import Plot, PlotKindOption, save_plot
from .results import (
    CaseNames,
    Experiments,
    Filters,
    MaxHistory,
    ModelNames,
    PromptNames,
    Root,
    Seed,
    Since,
    Where,
    load_selected,
    tell,
)

if TYPE_CHECKING:
    import polars as pl


class Preset(StrEnum):
    """Rules that belong together."""

    PUBLISHED = "published"


def leaderboard(
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Group by model, prompt, test_case, category, strategy, experiment, device, temperature or "
            "another column; two make a pivot.",
            show_default="model",
        ),
    ] = None,
    root: Root = None,
    models: ModelNames = None,
    prompts: PromptNames = None,
    cases: CaseNames = None,
    experiment: Experiments = None,
    since: Since = "",
    max_history: MaxHistory = None,
    where: Where = "",
    pass_at: Annotated[
        list[int] | None,
        typer.Option(metavar="K", min=1, help="Add pass@K, where every question has K answers; repeatable."),
    ] = None,
    preset: Annotated[
        Preset | None,
        typer.Option(help="The rules of the predecessor's tables: five prompts, the last five answers."),
    ] = None,
    style: FormatOption = Format.TABLE,
    wide: Wide = False,
    plot: Plot = None,
    plot_kind: PlotKindOption = None,
    seed: Seed = 0,
) -> None:
    """Rank models by their stored results, and say how sure that is.

    The score is the mean over all judged answers. The interval and the tiers take the test case as their
    unit: models of a tier cannot be told apart from its best. Void answers are counted, never scored.

    CSV and JSON have all columns, unrounded; what a table mixes is said below it, or on stderr.

    Exit code: 0 done; 2 bad input, or there are no results.
    """
    from ..analysis import PUBLISHED_HISTORY, published_selection
    from ..analysis.cells import grouping

    filters = Filters(models=models, prompts=prompts, cases=cases, experiment=experiment, since=since,
                      max_history=max_history, where=where)  # fmt: skip
    if preset and max_history is None:
        filters = replace(filters, max_history=PUBLISHED_HISTORY)
    if len(by or ()) > 2:
        raise InputError("--by can be given twice at most: once for the rows, once for the columns")
    folder, frame = load_selected(root, filters)
    names = grouping(by or ["model"], frame)
    if preset:
        frame = published_selection(frame)
        if frame.is_empty():
            raise InputError("no result has one of the five prompts that the published tables count")
    if plot:
        save_plot(frame, folder, plot, plot_kind, names, seed)
    _show(frame, names, style, wide=wide, seed=seed, passes=pass_at or (), published=bool(preset))


def _show(
    frame: pl.DataFrame,
    names: tuple[str, ...],
    style: Format,
    *,
    wide: bool,
    seed: int,
    passes: Sequence[int],
    published: bool,
) -> None:
    """Print the table, and what it mixes."""
    from ..analysis import leaderboard as ranked
    from ..analysis import mixtures

    mixed = mixtures(frame, names)
    if style in FOR_PROGRAMS:
        print_rows(ranked(frame, names, seed=seed, passes=passes), style)
        tell(mixed)
        return
    if len(names) == 2 or published:
        notes = _show_plain(frame, names, style, wide=wide, published=published)
    else:
        columns = board_columns(ranked(frame, names, seed=seed, passes=passes))
        notes = _explanation(frame, names, seed)
        if style is Format.TABLE:
            notes += print_board(columns, wide=wide)
        else:
            print_document(columns, style)
    (print_notes if style is Format.TABLE else tell)([*notes, *mixed])


def _show_plain(
    frame: pl.DataFrame, names: tuple[str, ...], style: Format, *, wide: bool, published: bool
) -> list[str]:
    """Print a pivot, or the predecessor's table."""
    from ..analysis import pivot, published_table

    if published and len(names) == 1:
        columns = plain_columns(published_table(frame, names), digits=None)  # it is rounded already
    else:
        columns = plain_columns(pivot(frame, *names))
    if style is Format.TABLE:
        print_pivot(columns, wide=wide)
    else:
        print_document(columns, style)
    rules = ["By the rules of the published tables, and rounded as they are."] if published else []
    return [*rules, f"Mean scores: {names[0]} down, {names[1]} across."] if len(names) == 2 else rules


def _explanation(frame: pl.DataFrame, names: Sequence[str], seed: int) -> list[str]:
    """What the intervals and tiers of this table rest on."""
    from ..analysis.cells import SAMPLE, unit_of

    scored = frame.drop_nulls("score")
    unit = unit_of(scored, names)
    if unit == SAMPLE:
        return ["Intervals: 95 %, by single samples. There are no tiers: nothing can be paired."]
    units = f"{scored[unit].n_unique()} {unit.replace('_', ' ')}s"
    return [
        f"Intervals: 95 %, bootstrap over {units}, seed {seed}. "
        "Whoever shares a tier cannot be told apart from its best."
    ]
