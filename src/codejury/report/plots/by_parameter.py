"""Score by temperature or another parameter: one line with its interval for each model.

Few models share one picture, told apart by colour, shape and dashes; more get a small picture each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import altair as alt

from ...errors import InputError
from ...records import EFFORTS
from .alt_text import describe
from .captions import MEASURES, Caption, by_name, caption_for, need_columns
from .style import BLUE, OKABE_ITO, SHAPES, Picture, Rows, data, finished, title

if TYPE_CHECKING:
    import polars

from typing import TYPE_CHECKING

from .heat_map_chart import heat_map
from .style import step_for

if TYPE_CHECKING:
    import polars


_EFFORT: Final = "parameter.effort"
_MOST_TOGETHER: Final = 6
_LONGEST_NAME: Final = 32
_DASHES: Final = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [10, 2])


def score_by_parameter(
    table: polars.DataFrame,
    parameter: str = "parameter.temperature",
    caption: Caption | None = None,
    *,
    metric: str = "solved",
) -> Picture:
    """Draw a leaderboard grouped by `model` and a parameter's column: numbers, or efforts of reasoning."""
    measure = MEASURES[metric]
    heading = f"{measure.title} by {_plain(parameter)}"
    need_columns(table, ("model", parameter, metric, "low", "high"), heading)
    rows = _rows(table, parameter, metric)
    if not rows:
        raise InputError(f"{heading}: no row has a number in {parameter}, there is nothing to draw")
    models = list(dict.fromkeys(row["name"] for row in rows))
    draw = _together if len(models) <= _MOST_TOGETHER else _apart
    what = f"{measure.mean.capitalize()} with its 95 % interval, and a line for each model."
    drawn = table.filter(table[parameter].is_not_null() & table[metric].is_not_null())
    chart = draw(rows, models, parameter, measure.axis).properties(
        title=title(heading, what, caption_for(drawn, caption))
    )
    return finished(chart, describe("parameter", table.rename({parameter: "value"}), metric))


def _plain(parameter: str) -> str:
    """`parameter.options.num_gpu` -> `options.num_gpu`."""
    return parameter.removeprefix("parameter.")


def _rows(table: polars.DataFrame, parameter: str, metric: str) -> Rows:
    known = table[parameter].is_not_null() & table[metric].is_not_null()
    found = table.filter(known).sort("model", parameter)
    if found.is_empty():
        return []
    if _are_efforts(found[parameter]):
        places = {effort: place for place, effort in enumerate(EFFORTS)}
        found = found.with_columns(found[parameter].replace_strict(places)).sort("model", parameter)
    if not found[parameter].dtype.is_numeric():
        return []
    shown = by_name(found["model"].unique(maintain_order=True).to_list(), _LONGEST_NAME)
    columns = found.select("model", parameter, metric, "low", "high").iter_rows()
    return [
        {"name": shown[model], "x": x, "at": x, "score": score, "low": low, "high": high}
        for model, x, score, low, high in columns
    ]


def _are_efforts(values: polars.Series) -> bool:
    """Whether these are words for how much a model thinks, which have an order."""
    known = values.drop_nulls()
    return not known.is_empty() and not known.dtype.is_numeric() and set(known).issubset(EFFORTS)


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
    axis = alt.Axis()
    if parameter == _EFFORT:  # places in the list of efforts; the words are ours, no text of a result
        taken = sorted({round(row["x"]) for row in rows})
        axis = alt.Axis(values=taken, labelExpr=f"{list(EFFORTS)}[datum.value]")
    return _Axes(
        x=alt.X("at:Q", title=name, scale=alt.Scale(domain=reach, nice=False, zero=False), axis=axis),
        span=alt.Scale(domain=span, nice=False, zero=False),
        title=score_title,
    )


def _together(rows: Rows, models: list[str], parameter: str, axis: str) -> Picture:
    """One picture; models stand a little beside each other, or their intervals would hide one another."""
    places = [row["x"] for row in rows]
    shift = 0.012 * (max(places) - min(places))
    for row in rows:
        row["at"] = row["x"] + shift * (models.index(row["name"]) - (len(models) - 1) / 2)
    axes = _axes(rows, parameter, axis)
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


def _apart(rows: Rows, models: list[str], parameter: str, axis: str) -> Picture:
    """A small picture for each model, all on the same axes."""
    axes = _axes(rows, parameter, axis)
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


# ---- Each model's scores under several prompts: one row for each model, one mark for each prompt.

_MOST_PROMPTS: Final = 7
"""More shapes than these cannot be told apart; then it is a heat map."""


def prompt_comparison(
    pivoted: polars.DataFrame, caption: Caption | None = None, *, metric: str = "solved"
) -> Picture:
    """Draw a pivot of models by prompts: how much the prompt matters to whom. Best model on top."""
    need_columns(pivoted, (), "prompt comparison")
    heading = f"{MEASURES[metric].title} by model and prompt"
    if len(pivoted.columns) - 1 > _MOST_PROMPTS:
        return heat_map(pivoted, caption, metric=metric, heading=heading)
    rows, order, prompts = _marks(pivoted)
    y = alt.Y(
        "name:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, grid=True, labelPadding=6)
    )
    x = alt.X("score:Q", title=MEASURES[metric].axis, scale=alt.Scale(domain=[0, 100], nice=False))
    base = alt.Chart(data(rows)).encode(y=y)
    legend = alt.Legend(title="Prompt", orient="top", direction="horizontal", columns=4)
    colours, shapes = list(OKABE_ITO[: len(prompts)]), list(SHAPES[: len(prompts)])
    chart = alt.layer(
        base.mark_rule(color="#B5B5B5", strokeWidth=2).encode(x=alt.X("min(score):Q"), x2="max(score):Q"),
        base.mark_point(size=60, filled=True, opacity=0.9).encode(
            x=x,
            color=alt.Color("prompt:N", scale=alt.Scale(domain=prompts, range=colours), legend=legend),
            shape=alt.Shape("prompt:N", scale=alt.Scale(domain=prompts, range=shapes), legend=legend),
            tooltip=["name:N", "prompt:N", alt.Tooltip("score:Q", format=".1f")],
        ),
    ).properties(
        width=520,
        height=alt.Step(step_for(len(order))),
        title=title(heading, "One mark for each prompt; the line spans them.", caption or Caption()),
    )
    return finished(chart, describe("prompts", pivoted, metric))


def _marks(pivoted: polars.DataFrame) -> tuple[Rows, list[str], list[str]]:
    label, *names = pivoted.columns
    prompts = by_name(names)
    models = by_name([str(name) for name in pivoted[label].to_list()])
    rows: Rows = []
    means: dict[str, float] = {}
    for row in pivoted.iter_rows():
        known = {name: value for name, value in zip(names, row[1:], strict=True) if value is not None}
        shown = models[str(row[0])]
        means[shown] = sum(known.values()) / len(known) if known else 0.0
        rows += [{"name": shown, "prompt": prompts[name], "score": value} for name, value in known.items()]
    return rows, sorted(means, key=lambda name: -means[name]), list(prompts.values())
