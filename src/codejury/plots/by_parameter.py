"""Score by temperature or another parameter: one line with its interval for each model.

Few models share one picture, told apart by colour, shape and dashes; more get a small picture each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import altair as alt

from ..errors import InputError
from .captions import Caption, caption_for
from .names import by_name
from .style import BLUE, OKABE_ITO, SHAPES, Picture, Rows, data, finished, need_columns, title
from .words import describe

if TYPE_CHECKING:
    import polars

_MOST_TOGETHER: Final = 6
_LONGEST_NAME: Final = 32
_DASHES: Final = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [10, 2])


def score_by_parameter(
    table: polars.DataFrame, parameter: str = "parameter.temperature", caption: Caption | None = None
) -> Picture:
    """Draw a leaderboard grouped by `model` and a parameter's column, which must hold numbers."""
    heading = f"Score by {_plain(parameter)}"
    need_columns(table, ("model", parameter, "score", "low", "high"), heading)
    rows = _rows(table, parameter)
    if not rows:
        raise InputError(f"{heading}: no row has a number in {parameter}, there is nothing to draw")
    models = list(dict.fromkeys(row["name"] for row in rows))
    draw = _together if len(models) <= _MOST_TOGETHER else _apart
    what = "Mean scores with their 95 % intervals, and a line for each model."
    drawn = table.filter(table[parameter].is_not_null() & table["score"].is_not_null())
    chart = draw(rows, models, parameter).properties(title=title(heading, what, caption_for(drawn, caption)))
    return finished(chart, describe("parameter", table.rename({parameter: "value"})))


def _plain(parameter: str) -> str:
    """`parameter.options.num_gpu` -> `options.num_gpu`."""
    return parameter.removeprefix("parameter.")


def _rows(table: polars.DataFrame, parameter: str) -> Rows:
    known = table[parameter].is_not_null() & table["score"].is_not_null()
    found = table.filter(known).sort("model", parameter)
    if found.is_empty() or not found[parameter].dtype.is_numeric():
        return []
    shown = by_name(found["model"].unique(maintain_order=True).to_list(), _LONGEST_NAME)
    columns = found.select("model", parameter, "score", "low", "high").iter_rows()
    return [
        {"name": shown[model], "x": x, "at": x, "score": score, "low": low, "high": high}
        for model, x, score, low, high in columns
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Axes:
    x: alt.X
    span: alt.Scale
    title: str

    def score(self, field: str = "score") -> alt.Y:
        return alt.Y(f"{field}:Q", title=self.title, scale=self.span)


def _axes(rows: Rows, parameter: str, score_title: str) -> _Axes:
    """The axes of a picture: of the score, no more than the part that is in use, to whole tens."""
    low = min(row["score"] if row["low"] is None else row["low"] for row in rows)
    high = max(row["score"] if row["high"] is None else row["high"] for row in rows)
    span = [max(0.0, 10 * ((low - 2) // 10)), min(100.0, 10 * ((high + 2) // 10 + 1))]
    places = [row["at"] for row in rows]
    margin = 0.06 * (max(places) - min(places)) or 0.5
    reach = [min(places) - margin, max(places) + margin]
    name = _plain(parameter).replace("_", " ").capitalize()
    return _Axes(
        x=alt.X("at:Q", title=name, scale=alt.Scale(domain=reach, nice=False, zero=False)),
        span=alt.Scale(domain=span, nice=False, zero=False),
        title=score_title,
    )


def _together(rows: Rows, models: list[str], parameter: str) -> Picture:
    """One picture; models stand a little beside each other, or their intervals would hide one another."""
    places = [row["x"] for row in rows]
    shift = 0.012 * (max(places) - min(places))
    for row in rows:
        row["at"] = row["x"] + shift * (models.index(row["name"]) - (len(models) - 1) / 2)
    axes = _axes(rows, parameter, "Mean score (points of 100)")
    base = alt.Chart(data(rows)).encode(x=axes.x, y=axes.score())
    count = len(models)
    colours = alt.Scale(domain=models, range=list(OKABE_ITO[:count]))
    legend = alt.Legend(title="Model", symbolDash=[1, 0], symbolOpacity=1, symbolStrokeWidth=0)
    colour = alt.Color("name:N", legend=legend, scale=colours)
    shapes = alt.Scale(domain=models, range=list(SHAPES[:count]))
    shape = alt.Shape("name:N", legend=legend, scale=shapes)
    dashes = alt.Scale(domain=models, range=[list(dash) for dash in _DASHES[:count]])
    dash = alt.StrokeDash("name:N", legend=legend, scale=dashes)
    tips = ["name:N", "x:Q", alt.Tooltip("score:Q", format=".1f")]
    layers = (
        _intervals(base, axes).encode(color=colour),
        base.mark_line(strokeWidth=2).encode(color=colour, strokeDash=dash),
        base.mark_point(size=60, filled=True, opacity=1).encode(color=colour, shape=shape, tooltip=tips),
    )
    return alt.layer(*layers).properties(width=520, height=340)


def _apart(rows: Rows, models: list[str], parameter: str) -> Picture:
    """A small picture for each model, all on the same axes."""
    axes = _axes(rows, parameter, "Score (points)")
    base = alt.Chart(data(rows)).encode(x=axes.x, y=axes.score())
    header = alt.Header(labelLimit=190, labelFontSize=10)
    small = alt.layer(
        _intervals(base, axes).encode(color=alt.value(BLUE)),
        base.mark_line(strokeWidth=2, color=BLUE),
        base.mark_point(size=36, filled=True, color=BLUE, opacity=1),
    )
    faceted = small.properties(width=160, height=110).facet(
        facet=alt.Facet("name:N", sort=models, title=None, header=header), columns=5
    )
    return cast(Picture, faceted)


def _intervals(base: alt.Chart, axes: _Axes) -> alt.Chart:
    rules = base.mark_rule(strokeWidth=1.5, strokeOpacity=0.6)
    return cast(alt.Chart, rules.encode(y=axes.score("low"), y2="high:Q"))
