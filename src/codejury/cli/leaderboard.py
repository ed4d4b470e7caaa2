"""`codejury leaderboard`: stored results as a ranking with honest uncertainty."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from .published import published_frame, show_published
from .result_cells import apart_columns, board_columns, plain_columns
from .result_output import (
    FOR_PROGRAMS,
    Format,
    FormatOption,
    Wide,
    print_board,
    print_document,
    print_notes,
    print_plain,
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
    from ..analysis import Board


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
    common: Annotated[
        bool, typer.Option("--common", help="Compare all on the questions that all of them have.")
    ] = False,
    after_repair: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Each sample as it stands after N rounds of repair, not its first try."
        ),
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

    The score is the mean over test cases, in each of which every prompt counts alike. A rank of 1 to 7 means:
    with 95 % confidence the true rank is one of these, for all models of the table together. Whoever may have
    rank 1 could be the best; a line stands where everything above is surely better than everything below.

    Who lacks test cases, prompts or more than 5 % of its samples is not ranked, and shown apart; --common
    ranks all by what all have. Void answers are counted, never scored. Rounds of repair are no first tries.

    CSV and JSON have all columns, unrounded; what a table mixes is said below it, or on stderr.

    Exit code: 0 done; 2 bad input, or there are no results.
    """
    from ..analysis import PUBLISHED_HISTORY, after_repairs, board
    from ..analysis.cells import grouping

    filters = Filters(models=models, prompts=prompts, cases=cases, experiment=experiment, since=since,
                      max_history=max_history, where=where)  # fmt: skip
    if preset and max_history is None:
        filters = replace(filters, max_history=PUBLISHED_HISTORY)
    if len(by or ()) > 2:
        raise InputError("--by can be given twice at most: once for the rows, once for the columns")
    if preset and (common or after_repair):
        raise InputError("--preset published has rules of its own; leave --common and --after-repair out")
    folder, frame = load_selected(root, filters)
    names = grouping(by or ["model"], frame)
    if preset:
        frame = published_frame(frame)
    if after_repair:
        frame = after_repairs(frame, after_repair)
    whole = board(frame, names, seed=seed, passes=pass_at or (), common=common)
    if plot:
        save_plot(whole, folder, plot, plot_kind, seed)
    if preset:
        show_published(frame, names, style, wide=wide, seed=seed, passes=pass_at or ())
    else:
        _show(whole, style, wide=wide, seed=seed)


def _show(whole: Board, style: Format, *, wide: bool, seed: int) -> None:
    """Print the table, those that are not ranked, and what to bear in mind."""
    from ..analysis.ranks import breaks

    if style in FOR_PROGRAMS:
        print_rows(whole.table, style)
        tell(whole.notes)
        return
    if len(whole.by) == 2:
        notes = _show_pivot(whole, style, wide=wide)
    elif style is not Format.TABLE:
        print_document(board_columns(whole.table), style)
        notes = _explanation(whole, seed)
    else:
        ranked = whole.ranked
        lines = (
            []
            if whole.margin is None
            else breaks(ranked["rank_low"].to_list(), ranked["rank_high"].to_list())
        )
        left_out = print_board(board_columns(ranked), wide=wide, breaks=lines) if ranked.height else []
        _show_apart(whole, wide=wide)
        notes = [*_explanation(whole, seed), *left_out]
    (print_notes if style is Format.TABLE else tell)([*notes, *whole.notes])


def _show_apart(whole: Board, *, wide: bool) -> None:
    apart = whole.table.filter(whole.table["lacks"].is_not_null())
    if apart.height:
        print_notes(["Not ranked, for want of answers:"])
        print_board(apart_columns(apart), wide=wide)


def _show_pivot(whole: Board, style: Format, *, wide: bool) -> list[str]:
    from ..analysis import pivot

    print_plain(plain_columns(pivot(whole.answers, *whole.by)), style, wide=wide)
    return [f"Mean scores: {whole.by[0]} down, {whole.by[1]} across."]


def _explanation(whole: Board, seed: int) -> list[str]:
    """What the intervals and ranks of this table rest on."""
    from ..analysis.cells import SAMPLE
    from ..analysis.naming import noun, number_of

    if whole.unit == SAMPLE:
        return ["Intervals: 95 %, by single samples. There are no ranks: nothing can be paired."]
    drawn = f"Intervals: 95 %, bootstrap over {number_of(whole.units, noun(whole.unit))}, seed {seed}."
    return [drawn, *_ranks_explained(whole)]


def _ranks_explained(whole: Board) -> list[str]:
    from math import isfinite

    if whole.margin is None or whole.ranked.height < 2:
        return []
    if not isfinite(whole.margin):
        return ["Ranks: so few test cases make no order sure; it takes six."]
    best = int((whole.ranked["rank_low"] == 1).sum())
    who = "the first could" if best == 1 else f"the first {best} could"
    return [
        f"Ranks: 95 %, for all together; {who} be the best. Scores more than {whole.margin:.1f} points apart "
        "differ surely."
    ]
