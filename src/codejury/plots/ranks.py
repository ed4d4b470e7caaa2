"""The ranking: one row for each model, its score with the interval, its tier, and its strict rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import altair as alt

from .captions import Caption
from .style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    Picture,
    Rows,
    data,
    finished,
    label_columns,
    need_columns,
    number,
    row_names,
    step_for,
    title,
)
from .words import describe

if TYPE_CHECKING:
    import polars

_WIDTH: Final = 460
_SCORE: Final = "mean score, with its interval"
_STRICT: Final = "answers that pass all unit tests"


def ranking(
    table: polars.DataFrame, caption: Caption | None = None, *, heading: str = "Ranking by score"
) -> Picture:
    """Draw a leaderboard: points with intervals; rows of one tier, which cannot be told apart, share a band.

    `table` is one of `codejury.analysis.leaderboard`: what it is grouped by, then `score`, `low`, `high`,
    `tier` and `strict`. Its order is kept.
    """
    need_columns(table, ("score", "low", "high"), "ranking")
    rows = _rows(table)
    order = [row["name"] for row in rows]
    y = alt.Y(
        "name:N",
        sort=order,
        title=None,
        axis=alt.Axis(ticks=False, domain=False, grid=False, labelPadding=10),
    )
    base = alt.Chart(data(rows)).encode(y=y)
    x = alt.X(
        "score:Q",
        title="Score (points of 100) and strict rate (%)",
        axis=alt.Axis(grid=True),
        scale=alt.Scale(domain=[0, 100], nice=False),
    )
    layers = [
        base.mark_rect(color=BLUE, opacity=0.08)
        .encode(x=alt.XDatum(0), x2=alt.X2Datum(100))
        .transform_filter("datum.band == 1"),
        base.mark_rule(color=BLUE, strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q"),
        *(_ends(base, field) for field in ("low", "high")),
        _marks(rows, y, x),
        *_columns(base),
    ]
    what = "Mean score with its 95 % interval. A band is a tier: none in it can be told apart from its best."
    chart = alt.layer(*layers).properties(
        width=_WIDTH, height=alt.Step(step_for(len(rows))), title=title(heading, what, caption or Caption())
    )
    return finished(chart, describe("ranking", table))


def _rows(table: polars.DataFrame) -> Rows:
    names = row_names(table, label_columns(table, ("score",)))
    rows: Rows = []
    previous: object = None
    for name, row in zip(names, table.iter_rows(named=True), strict=True):
        tier = row.get("tier")
        rows.append({
            "name": name, "score": row["score"], "low": row["low"], "high": row["high"],
            "strict": None if row.get("strict") is None else 100 * row["strict"],
            "said": f"{number(row['score'])}  ({number(row['low'])} to {number(row['high'])})",
            "tier": "" if tier is None or tier == previous else f"tier {tier}",
            "band": 0 if tier is None else int(tier) % 2,
        })  # fmt: skip
        previous = tier
    return rows


def _ends(base: alt.Chart, field: str) -> alt.Chart:
    """The small strokes at the ends of an interval."""
    ends = base.mark_tick(color=BLUE, thickness=2, size=8, opacity=1)
    return cast(alt.Chart, ends.encode(x=alt.X(f"{field}:Q")))


def _marks(rows: Rows, y: alt.Y, x: alt.X) -> alt.Chart:
    """Score and strict rate as points of different shape, with one legend."""
    measures = [
        {"name": row["name"], "score": row[field], "measure": measure}
        for row in rows
        for field, measure in (("score", _SCORE), ("strict", _STRICT))
        if row[field] is not None
    ]
    scale: dict[str, Any] = {"domain": [_SCORE, _STRICT]}
    legend = alt.Legend(title=None, orient="top", direction="horizontal", labelLimit=260, offset=2)
    marks = (
        alt.Chart(data(measures))
        .mark_point(opacity=1, strokeWidth=1.5)
        .encode(
            y=y,
            x=x,
            shape=alt.Shape(
                "measure:N", scale=alt.Scale(**scale, range=["circle", "diamond"]), legend=legend
            ),
            fill=alt.Fill("measure:N", scale=alt.Scale(**scale, range=[BLUE, "transparent"]), legend=legend),
            # The diamond is the larger one, so that it shows where both are equal.
            size=alt.Size("measure:N", scale=alt.Scale(**scale, range=[55, 110]), legend=legend),
            stroke=alt.Stroke("measure:N", scale=alt.Scale(**scale, range=[BLUE, ORANGE]), legend=legend),
            tooltip=[alt.Tooltip("name:N"), alt.Tooltip("measure:N"), alt.Tooltip("score:Q", format=".1f")],
        )
    )
    return cast(alt.Chart, marks)


def _columns(base: alt.Chart) -> list[alt.Chart]:
    """The numbers and the tiers, in two columns right of the plot."""
    text: dict[str, Any] = {"align": "left", "baseline": "middle", "clip": False, "fontSize": 11}
    return [
        base.mark_text(**text, color=INK).encode(x=alt.value(_WIDTH + 10), text="said:N"),
        base.mark_text(**text, color=GREY, fontStyle="italic").encode(
            x=alt.value(_WIDTH + 132), text="tier:N"
        ),
    ]
