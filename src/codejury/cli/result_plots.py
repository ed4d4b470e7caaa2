"""`--plot FILE`: the picture that belongs to a table. The drawing is `codejury.plots`' business."""

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

    from ..analysis import Board


class PlotKind(StrEnum):
    """What there is to see."""

    RANKING = "ranking"
    COST = "cost"
    TIME = "time"
    PROMPTS = "prompts"
    CASES = "cases"
    TEMPERATURE = "temperature"
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

_TEMPERATURE: Final = "parameter.temperature"


def save_plot(whole: Board, root: Path, file: Path, kind: PlotKind | None, seed: int) -> None:
    """Draw the evaluations that a table counts, and say where the picture is."""
    from ..plots import caption_of, save_chart

    caption = caption_of(whole.answers, root.name)
    if kind is None and len(whole.by) == 2:
        chart = _heat_map(whole.answers, whole.by, caption)
    else:
        chart = _CHARTS[kind or PlotKind.RANKING](whole, root, seed, caption)
    error_console().print(f"Picture: {save_chart(chart, file)}")


def _heat_map(frame: pl.DataFrame, by: Sequence[str], caption: Any) -> Any:
    from ..analysis import pivot
    from ..plots import heat_map

    table = pivot(frame, by[0], by[1])
    words = [name.removeprefix("parameter.").replace("_", " ") for name in by]
    return heat_map(table, caption, heading=f"Score by {words[0]} and {words[1]}")


def _ranking(whole: Board, _: Path, __: int, caption: Any) -> Any:
    from ..plots import ranking

    return ranking(whole.table, caption)


def _against(against: Any) -> Callable[..., Any]:
    def draw(whole: Board, _: Path, __: int, caption: Any) -> Any:
        from ..plots import score_against

        return score_against(whole.table, against, caption)

    return draw


def _prompts(whole: Board, _: Path, __: int, caption: Any) -> Any:
    from ..analysis import pivot
    from ..plots import prompt_comparison

    return prompt_comparison(pivot(whole.answers, "model", "prompt"), caption)


def _cases(whole: Board, _: Path, __: int, caption: Any) -> Any:
    return _heat_map(whole.answers, ("model", "test_case"), caption)


def _temperature(whole: Board, _: Path, seed: int, caption: Any) -> Any:
    from ..analysis import leaderboard
    from ..plots import score_by_parameter

    if _TEMPERATURE not in whole.answers.columns:
        raise InputError("no answer was asked for with a temperature, so there is nothing to draw")
    table = leaderboard(whole.answers, ("model", _TEMPERATURE), seed=seed)
    return score_by_parameter(table, _TEMPERATURE, caption)


def _failures(whole: Board, root: Path, __: int, caption: Any) -> Any:
    from ..failures import failure_table
    from ..plots import failure_chart

    return failure_chart(failure_table(whole.answers, root), caption)


_CHARTS: Final[dict[PlotKind, Callable[..., Any]]] = {
    PlotKind.RANKING: _ranking,
    PlotKind.COST: _against("cost"),
    PlotKind.TIME: _against("elapsed"),
    PlotKind.PROMPTS: _prompts,
    PlotKind.CASES: _cases,
    PlotKind.TEMPERATURE: _temperature,
    PlotKind.FAILURES: _failures,
}
