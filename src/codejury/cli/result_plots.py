"""`--plot FILE`: the picture that belongs to a table. The drawing is `codejury.report.plots`' business."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..errors import InputError
from .render import error_console

if TYPE_CHECKING:
    import polars as pl

    from ..results.statistics.tables import Board


class PlotKind(StrEnum):
    """What there is to see."""

    RANKING = "ranking"
    COST = "cost"
    TIME = "time"
    PROMPTS = "prompts"
    CASES = "cases"
    TEMPERATURE = "temperature"
    EFFORT = "effort"
    EFFORT_COST = "effort-cost"
    FAILURES = "failures"


Plot = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Also draw it, as PNG, SVG or HTML by the file's ending."),
]
PlotKindOption = Annotated[
    PlotKind | None,
    typer.Option(
        "--plot-kind",
        help="What to draw.",
        show_default="the ranking; with two --by a heat map",
    ),
]

_NAMED: Final = {"temperature": "a temperature", "effort": "an effort"}


def save_plot(whole: Board, root: Path, file: Path, kind: PlotKind | None, seed: int) -> None:
    """Draw the evaluations that a table counts, and say where the picture is."""
    from ..report.plots import caption_of, save_chart

    caption = caption_of(whole.answers, root.name)
    if kind is None and len(whole.by) == 2:
        chart = _heat_map(whole, whole.by, caption)
    else:
        chart = _CHARTS[kind or PlotKind.RANKING](whole, root, seed, caption)
    error_console().print(f"Picture: {save_chart(chart, file)}")


def _heat_map(whole: Board, by: Sequence[str], caption: Any) -> Any:
    from ..report.plots import heat_map
    from ..results.statistics.tables import pivot

    metric = whole.metric.value
    table = pivot(whole.answers, by[0], by[1], metric)
    words = [name.removeprefix("parameter.").replace("_", " ") for name in by]
    heading = f"{metric.capitalize()} by {words[0]} and {words[1]}"
    return heat_map(table, caption, metric=metric, heading=heading)


def _ranking(whole: Board, _: Path, __: int, caption: Any) -> Any:
    from ..report.plots import ranking

    return ranking(whole.table, caption, metric=whole.metric.value)


def _against(against: Any) -> Callable[..., Any]:
    def draw(whole: Board, _: Path, __: int, caption: Any) -> Any:
        from ..report.plots import score_against

        return score_against(whole.table, against, caption, metric=whole.metric.value)

    return draw


def _prompts(whole: Board, _: Path, __: int, caption: Any) -> Any:
    from ..report.plots import prompt_comparison
    from ..results.statistics.tables import pivot

    metric = whole.metric.value
    return prompt_comparison(pivot(whole.answers, "model", "prompt", metric), caption, metric=metric)


def _cases(whole: Board, _: Path, __: int, caption: Any) -> Any:
    return _heat_map(whole, ("model", "test_case"), caption)


def _by_parameter(name: str) -> Callable[..., Any]:
    def draw(whole: Board, _: Path, seed: int, caption: Any) -> Any:
        from ..report.plots import score_by_parameter

        table = _parameter_table(whole, name, seed)
        return score_by_parameter(table, f"parameter.{name}", caption, metric=whole.metric.value)

    return draw


def _effort_cost(whole: Board, _: Path, seed: int, caption: Any) -> Any:
    """Each model at each effort, by what it costs: how much more thinking buys."""
    from ..report.plots import score_against

    return score_against(_parameter_table(whole, "effort", seed), "cost", caption, metric=whole.metric.value)


def _parameter_table(whole: Board, name: str, seed: int) -> pl.DataFrame:
    from ..results.statistics.tables import leaderboard

    column = f"parameter.{name}"
    if column not in whole.answers.columns:
        raise InputError(f"no answer was asked for with {_NAMED[name]}, so there is nothing to draw")
    known = whole.answers.filter(whole.answers[column].is_not_null())
    return leaderboard(known, ("model", column), metric=whole.metric, seed=seed)


def _failures(whole: Board, root: Path, __: int, caption: Any) -> Any:
    from ..report.plots import failure_chart
    from ..results.failures.table import failure_table

    return failure_chart(failure_table(whole.answers, root), caption)


_CHARTS: Final[dict[PlotKind, Callable[..., Any]]] = {
    PlotKind.RANKING: _ranking,
    PlotKind.COST: _against("cost"),
    PlotKind.TIME: _against("elapsed"),
    PlotKind.PROMPTS: _prompts,
    PlotKind.CASES: _cases,
    PlotKind.TEMPERATURE: _by_parameter("temperature"),
    PlotKind.EFFORT: _by_parameter("effort"),
    PlotKind.EFFORT_COST: _effort_cost,
    PlotKind.FAILURES: _failures,
}
