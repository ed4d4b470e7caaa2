"""Score against cost or time: who gives most for least. The Pareto front is marked by shape and a line."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

import altair as alt

from ...errors import InputError
from .alt_text import describe
from .captions import MEASURES, Caption, caption_for, label_columns, need_columns, row_names
from .front import pareto_front, steps_of
from .labels import place_labels
from .style import BLUE, INK, ORANGE, Picture, Rows, data, finished, title

if TYPE_CHECKING:
    import polars


Against = Literal["cost", "elapsed"]
Align = Literal["left", "center", "right"]

_HEADINGS: Final = {"cost": "against cost", "elapsed": "against time"}
_AXES: Final = {
    "cost": "Mean cost of an answer (USD, logarithmic)",
    "elapsed": "Mean time to an answer (seconds, logarithmic)",
}
_MEASURED: Final = {"cost": "price", "elapsed": "time"}
_LEAST_SPAN: Final = 30
"""Points that the axis of the score spans at least: little differences shall not look large."""
_FRONT: Final = "on the Pareto front: none is better and cheaper"
_OTHER: Final = "another is better and cheaper"
_FASTER: Final = {"cost": "cheaper", "elapsed": "faster"}


def score_against(
    table: polars.DataFrame,
    against: Against = "cost",
    caption: Caption | None = None,
    *,
    metric: str = "solved",
) -> Picture:
    """Draw the metric of a leaderboard over `cost` (USD per answer) or `elapsed` (seconds).

    Rows without a value, or with 0, cannot be on a logarithmic axis: they are left out, and counted below the
    title. InputError if none is left.
    """
    if against not in _HEADINGS:
        raise InputError(f"score_against: {against!r} is not known; there is {', '.join(_HEADINGS)}")
    heading = f"{MEASURES[metric].title} {_HEADINGS[against]}"
    need_columns(table, (metric, against), heading)
    drawn = table.filter((table[against] > 0).fill_null(value=False) & table[metric].is_not_null())
    rows, left_out = _rows(table, against, metric)
    if not rows:
        raise InputError(f"{heading}: there is nothing to draw, every {_MEASURED[against]} is unknown or 0")
    size = _Size(rows)
    _place(rows, size)
    what = f"The line joins the models on the Pareto front. {_left_out(left_out, against)}".strip()
    chart = alt.layer(*_layers(rows, size, against, metric)).properties(
        width=size.width,
        height=size.height,
        title=title(heading, what, caption_for(drawn, caption)),
    )
    return finished(chart, describe(against, table, metric))


def _left_out(count: int, against: Against) -> str:
    return f"Not shown: {count} whose {_MEASURED[against]} is unknown or 0." if count else ""


def _rows(table: polars.DataFrame, against: Against, metric: str) -> tuple[Rows, int]:
    names = row_names(table, label_columns(table, tuple(MEASURES)))
    found = zip(names, table.iter_rows(named=True), strict=True)
    rows = [
        {
            "name": name,
            "x": row[against],
            "score": row[metric],
            "low": row.get("low"),
            "high": row.get("high"),
        }
        for name, row in found
        if row[against] and row[against] > 0 and row[metric] is not None
    ]
    fronts = pareto_front([(row["x"], row["score"]) for row in rows])
    other = _OTHER.replace("cheaper", _FASTER[against])
    front_said = _FRONT.replace("cheaper", _FASTER[against])
    for row, front in zip(rows, fronts, strict=True):
        row |= {"front": front, "group": front_said if front else other}
    return rows, len(names) - len(rows)


class _Size:
    """The picture's size and scales; labels are placed in pixels, so both must be fixed."""

    def __init__(self, rows: Rows) -> None:
        crowd = len(rows)
        self.width = 620 if crowd <= 15 else 820
        self.height = 380 if crowd <= 15 else 520 if crowd <= 40 else 680
        exponents = [log10(row["x"]) for row in rows]
        margin = max(0.15, 0.08 * (max(exponents) - min(exponents)))
        self.low, self.high = min(exponents) - margin, max(exponents) + margin
        scores = [row["score"] for row in rows]
        self.bottom = max(0.0, min(min(scores) - 8, 100 - _LEAST_SPAN))
        self.top = min(100.0, max(max(scores) + 6, self.bottom + _LEAST_SPAN))

    def pixels(self, row: dict[str, Any]) -> tuple[float, float]:
        across = (log10(row["x"]) - self.low) / (self.high - self.low)
        up = (row["score"] - self.bottom) / (self.top - self.bottom)
        return across * self.width, (1 - up) * self.height

    def x_at(self, pixel: float) -> float:
        exponent = self.low + pixel / self.width * (self.high - self.low)
        return float(10**exponent)

    def score_at(self, pixel: float) -> float:
        return float(self.top - pixel / self.height * (self.top - self.bottom))


def _place(rows: Rows, size: _Size) -> None:
    """Give each row a place for its label, in the units of the axes; the front is served first."""
    rows.sort(key=lambda row: (not row["front"], -row["score"]))
    points = [size.pixels(row) for row in rows]
    steps = steps_of(sorted(point for point, row in zip(points, rows, strict=True) if row["front"]))
    places = place_labels(points, [row["name"] for row in rows], size.width, size.height, steps)
    for row, place in zip(rows, places, strict=True):
        if place:
            row |= {"label_x": size.x_at(place.x), "label_y": size.score_at(place.y)}
            row |= {"align": place.align, "led": place.led}


def _layers(rows: Rows, size: _Size, against: Against, metric: str) -> list[alt.Chart]:
    x = alt.X("x:Q", title=_AXES[against], axis=alt.Axis(format="~g", tickCount=8), scale=alt.Scale(
        type="log", domain=[10**size.low, 10**size.high], nice=False))  # fmt: skip
    y = alt.Y("score:Q", title=MEASURES[metric].axis, scale=alt.Scale(
        domain=[size.bottom, size.top], nice=False))  # fmt: skip
    points = alt.Chart(data(rows)).encode(x=x, y=y)
    front = sorted((row for row in rows if row["front"]), key=lambda row: row["x"])
    line = alt.Chart(data(front)).mark_line(
        color=ORANGE, strokeDash=[5, 3], interpolate="step-after", strokeWidth=1.5
    )
    return [line.encode(x=x, y=y), *_labels(rows, x, y), _marks(points, rows)]


def _marks(points: alt.Chart, rows: Rows) -> alt.Chart:
    groups = sorted({row["group"] for row in rows}, reverse=True)
    on_front = [group.startswith("on ") for group in groups]
    legend = alt.Legend(title=None, orient="top", direction="horizontal", labelLimit=340)
    shapes = ["diamond" if front else "circle" for front in on_front]
    fills = [ORANGE if front else "white" for front in on_front]
    strokes = [ORANGE if front else BLUE for front in on_front]
    marks = points.mark_point(size=70, strokeWidth=1.5, opacity=1).encode(
        shape=alt.Shape("group:N", scale=alt.Scale(domain=groups, range=shapes), legend=legend),
        fill=alt.Fill("group:N", scale=alt.Scale(domain=groups, range=fills), legend=legend),
        stroke=alt.Stroke("group:N", scale=alt.Scale(domain=groups, range=strokes), legend=legend),
        tooltip=[
            alt.Tooltip("name:N"),
            alt.Tooltip("score:Q", format=".1f"),
            alt.Tooltip("x:Q", format=".4~g"),
        ],
    )
    return cast(alt.Chart, marks)


def _labels(rows: Rows, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Names at their places; thin lines to those that stand away from their point."""
    led = alt.Chart(data([row for row in rows if row.get("led")]))
    lines = led.mark_rule(color="#B5B5B5", strokeWidth=0.8)
    return [
        lines.encode(x=x, y=y, x2="label_x:Q", y2="label_y:Q"),
        *(
            _texts([row for row in rows if row.get("align") == align and row["front"] == front], align, ink)
            for align in get_args(Align)
            for front, ink in ((True, INK), (False, "#555555"))
        ),
    ]


def _texts(rows: Rows, align: Align, ink: str) -> alt.Chart:
    """Names in one colour, which a dark page can replace: it leaves alone what depends on a datum."""
    texts = alt.Chart(data(rows)).mark_text(align=align, baseline="middle", fontSize=10, color=ink)
    return cast(alt.Chart, texts.encode(x=alt.X("label_x:Q"), y=alt.Y("label_y:Q"), text=alt.Text("name:N")))
