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


def save_plot(
    frame: pl.DataFrame, root: Path, file: Path, kind: PlotKind | None, by: Sequence[str], seed: int
) -> None:
    """Draw the evaluations of a table, and say where the picture is."""
    from ..plots import caption_of, save_chart

    caption = caption_of(frame, root.name)
    if kind is None and len(by) == 2:
        chart = _heat_map(frame, by, caption)
    else:
        chart = _CHARTS[kind or PlotKind.RANKING](frame, root, by, seed, caption)
    error_console().print(f"Picture: {save_chart(chart, file)}")


def _heat_map(frame: pl.DataFrame, by: Sequence[str], caption: Any) -> Any:
    from ..analysis import pivot
    from ..plots import heat_map

    table = pivot(frame, by[0], by[1])
    words = [name.removeprefix("parameter.").replace("_", " ") for name in by]
    return heat_map(table, caption, heading=f"Score by {words[0]} and {words[1]}")


def _ranking(frame: pl.DataFrame, _: Path, by: Sequence[str], seed: int, caption: Any) -> Any:
    from ..analysis import leaderboard
    from ..plots import ranking

    return ranking(leaderboard(frame, by, seed=seed), caption)


def _against(against: Any) -> Callable[..., Any]:
    def draw(frame: pl.DataFrame, _: Path, by: Sequence[str], seed: int, caption: Any) -> Any:
        from ..analysis import leaderboard
        from ..plots import score_against

        return score_against(leaderboard(frame, by, seed=seed), against, caption)

    return draw


def _prompts(frame: pl.DataFrame, _: Path, __: Sequence[str], ___: int, caption: Any) -> Any:
    from ..analysis import pivot
    from ..plots import prompt_comparison

    return prompt_comparison(pivot(frame, "model", "prompt"), caption)


def _cases(frame: pl.DataFrame, _: Path, __: Sequence[str], ___: int, caption: Any) -> Any:
    return _heat_map(frame, ("model", "test_case"), caption)


def _temperature(frame: pl.DataFrame, _: Path, __: Sequence[str], seed: int, caption: Any) -> Any:
    from ..analysis import leaderboard
    from ..plots import score_by_parameter

    if _TEMPERATURE not in frame.columns:
        raise InputError("no answer was asked for with a temperature, so there is nothing to draw")
    return score_by_parameter(leaderboard(frame, ("model", _TEMPERATURE), seed=seed), _TEMPERATURE, caption)


def _failures(frame: pl.DataFrame, root: Path, __: Sequence[str], ___: int, caption: Any) -> Any:
    from ..failures import failure_table
    from ..plots import failure_chart

    return failure_chart(failure_table(frame, root), caption)


_CHARTS: Final[dict[PlotKind, Callable[..., Any]]] = {
    PlotKind.RANKING: _ranking,
    PlotKind.COST: _against("cost"),
    PlotKind.TIME: _against("elapsed"),
    PlotKind.PROMPTS: _prompts,
    PlotKind.CASES: _cases,
    PlotKind.TEMPERATURE: _temperature,
    PlotKind.FAILURES: _failures,
}
