"""`codejury leaderboard`: stored results as a ranking with honest uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..errors import InputError
from ..records import Metric
from .result_cells import apart_columns, board_columns, plain_columns
from .result_output import (
    FOR_PROGRAMS,
    Format,
    FormatOption,
    Wide,
    print_board,
    print_document,
    print_notes,
    print_pivot,
    print_plain,
    print_rows,
)
from .result_plots import Plot, PlotKindOption, save_plot
from .results import (
    Definitions,
    Experiments,
    Filters,
    JuliaVersions,
    Kinds,
    Levels,
    MaxHistory,
    MetricOption,
    Root,
    Seed,
    Since,
    Where,
    load_selected,
    tell,
)
from .stored import CaseGlobs, ModelGlobs, NotCaseGlobs, PromptGlobs

if TYPE_CHECKING:
    import polars as pl

    from ..results.statistics.tables import Board


class Preset(StrEnum):
    """Rules that belong together."""

    PUBLISHED = "published"


def leaderboard(
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Group by model, prompt, test_case, category, level, kind, strategy, experiment, device, "
            "temperature or another column; two make a pivot.",
            show_default="model",
        ),
    ] = None,
    metric: MetricOption = Metric.SOLVED,
    root: Root = None,
    definitions: Definitions = None,
    model: ModelGlobs = None,
    prompt: PromptGlobs = None,
    case: CaseGlobs = None,
    not_case: NotCaseGlobs = None,
    level: Levels = None,
    kind: Kinds = None,
    julia: JuliaVersions = None,
    experiment: Experiments = None,
    since: Since = "",
    max_history: MaxHistory = None,
    where: Where = "",
    pass_at: Annotated[
        list[int] | None,
        typer.Option(
            metavar="K", min=1, help="Add pass@K and pass^K, where questions have K answers; repeatable."
        ),
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

    Solved is the share of answers that pass all unit tests: the mean over test cases, in each of which every
    prompt counts alike. --metric score ranks by points instead, which pay for parts of a solution as well. A
    rank of 1 to 7 means: with 95 % confidence the true rank is one of these, for all models of the table
    together. Whoever may have rank 1 could be the best; a line stands where everything above is surely better
    than everything below.

    Who lacks test cases, prompts or more than 5 % of its samples is not ranked, and shown apart; --common
    ranks all by what all have. Void answers are counted, never scored. Rounds of repair are no first tries.

    CSV and JSON have all columns, unrounded; what a table mixes is said below it, or on stderr.

    Exit code: 0 done; 2 bad input, or there are no results.
    """
    from ..results.statistics.cells import grouping
    from ..results.statistics.published import PUBLISHED_HISTORY
    from ..results.statistics.repairs import after_repairs
    from ..results.statistics.tables import board

    filters = Filters(models=model, prompts=prompt, cases=case, not_cases=not_case,
                      experiment=experiment, levels=level,
                      kinds=kind, since=since, max_history=max_history, where=where,
                      definitions=definitions, julias=julia)  # fmt: skip
    if preset and max_history is None:
        filters = replace(filters, max_history=PUBLISHED_HISTORY)
    if len(by or ()) > 2:
        raise InputError("--by can be given twice at most: once for the rows, once for the columns")
    if preset and (common or after_repair):
        raise InputError("--preset published has rules of its own; leave --common and --after-repair out")
    folder, frame = load_selected(root, filters)
    names = grouping(_never_mixing_julias(by or ["model"], frame, julia), frame)
    if preset:
        frame = published_frame(frame)
    if after_repair:
        frame = after_repairs(frame, after_repair)
    metric = Metric.SCORE if preset else metric
    whole = board(frame, names, metric=metric, seed=seed, passes=pass_at or (), common=common)
    if plot:
        save_plot(whole, folder, plot, plot_kind, seed)
    if preset:
        show_published(frame, names, style, wide=wide, seed=seed, passes=pass_at or ())
    else:
        _show(whole, style, wide=wide, seed=seed)


def _never_mixing_julias(by: list[str], frame: pl.DataFrame, asked: list[str] | None) -> list[str]:
    """What to group by: of an answer that several Julias judged, each verdict has its own column."""
    several = bool(asked) and frame["julia_version"].n_unique() > 1
    if not several or "julia_version" in by:
        return by
    if len(by) > 1:
        raise InputError("--julia fits several versions, which are the columns; leave one --by out")
    return [*by, "julia_version"]


def _show(whole: Board, style: Format, *, wide: bool, seed: int) -> None:
    """Print the table, those that are not ranked, and what to bear in mind."""
    from ..results.statistics.ranks import breaks

    if style in FOR_PROGRAMS:
        print_rows(whole.table, style)
        tell(whole.notes)
        return
    if len(whole.by) == 2:
        notes = _show_pivot(whole, style, wide=wide)
    elif style is not Format.TABLE:
        print_document(board_columns(whole.table, whole.metric), style)
        notes = _explanation(whole, seed)
    else:
        ranked = whole.ranked
        lines = (
            []
            if whole.margin is None
            else breaks(ranked["rank_low"].to_list(), ranked["rank_high"].to_list())
        )
        left_out = (
            print_board(board_columns(ranked, whole.metric), wide=wide, breaks=lines) if ranked.height else []
        )
        _show_apart(whole, wide=wide)
        _show_parts(whole, wide=wide)
        notes = [*_explanation(whole, seed), *left_out, *_to_audit(whole)]
    (print_notes if style is Format.TABLE else tell)([*notes, *whole.notes])


def _show_apart(whole: Board, *, wide: bool) -> None:
    apart = whole.table.filter(whole.table["lacks"].is_not_null())
    if apart.height:
        print_notes(["Not ranked, for want of answers:"])
        print_board(apart_columns(apart, whole.metric), wide=wide)


def _show_parts(whole: Board, *, wide: bool) -> None:
    """The same rows on the test cases of each level and of each kind, where there are several."""
    from ..results.statistics.tables import parts_of

    for column in ("level", "kind"):
        table = parts_of(whole, column)
        if table is not None:
            print_notes(
                [f"{whole.metric.capitalize()} by {column} of the test cases, and how many there are:"]
            )
            print_pivot(plain_columns(table), wide=wide)


_MOST_NAMED: Final = 8


def _to_audit(whole: Board) -> list[str]:
    """Names the tests that nearly all strong models miss, as `case[test]`, counted from 1."""
    from ..results.statistics.missed import audited_tests
    from ..results.statistics.mixtures import listed

    if whole.by != ("model",):
        return []
    marked = [f"{case}[{index + 1}]" for case, index, _ in audited_tests(whole).iter_rows()]
    if not marked:
        return []
    return [
        f"For audit: nearly all strong models miss {listed(marked, _MOST_NAMED)}, and pass the other "
        "tests: somebody should see whether the prompt asks for it."
    ]


def _show_pivot(whole: Board, style: Format, *, wide: bool) -> list[str]:
    from ..results.statistics.tables import pivot

    table = pivot(whole.answers, whole.by[0], whole.by[1], whole.metric.value)
    print_plain(plain_columns(table), style, wide=wide)
    what = "Solved, % of answers" if whole.metric is Metric.SOLVED else "Mean scores"
    return [f"{what}: {whole.by[0]} down, {whole.by[1]} across."]


def _explanation(whole: Board, seed: int) -> list[str]:
    """What the intervals and ranks of this table rest on."""
    from ..results.statistics.cells import SAMPLE
    from ..results.statistics.mixtures import noun, number_of

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
        f"Ranks: 95 %, for all together; {who} be the best. Values of {whole.metric} more than "
        f"{whole.margin:.1f} points apart differ surely."
    ]


# ---- `--preset published`: the predecessor's tables, by its own rules.


def show_published(
    frame: pl.DataFrame,
    names: tuple[str, ...],
    style: Format,
    *,
    wide: bool,
    seed: int,
    passes: Sequence[int],
) -> None:
    """Print the table as it was published; for programs the usual columns, unrounded and without ranks."""
    from ..results.statistics.mixtures import mixtures
    from ..results.statistics.published import published_table
    from ..results.statistics.tables import pivot, pooled

    mixed = mixtures(frame, names)
    if style in FOR_PROGRAMS:
        print_rows(pooled(frame, names, seed=seed, passes=passes), style)
        tell(mixed)
        return
    if len(names) == 1:
        columns = plain_columns(published_table(frame, names), digits=None)  # it is rounded already
    else:
        columns = plain_columns(pivot(frame, names[0], names[1], "score", weighed=False))
    print_plain(columns, style, wide=wide)
    rules = ["By the rules of the published tables, and rounded as they are."]
    across = [f"Mean scores: {names[0]} down, {names[1]} across."] if len(names) == 2 else []
    (print_notes if style is Format.TABLE else tell)([*rules, *across, *mixed])


def published_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """The answers that its tables count."""
    from ..results.statistics.published import published_selection

    chosen = published_selection(frame)
    if chosen.is_empty():
        raise InputError("no result has one of the five prompts that the published tables count")
    return chosen
