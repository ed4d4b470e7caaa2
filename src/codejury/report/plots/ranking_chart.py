"""The ranking: one row for each model, its value with the interval, its rank, and its other value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

import altair as alt

from .alt_text import describe
from .captions import MEASURES, Caption, caption_for, label_columns, need_columns, number, row_names
from .style import BLUE, GREY, INK, ORANGE, Picture, Rows, data, finished, step_for, title

if TYPE_CHECKING:
    import polars


_WIDTH: Final = 460
_OTHERS: Final = {"solved": "score", "score": "solved"}


def ranking(
    table: polars.DataFrame, caption: Caption | None = None, *, metric: str = "solved", heading: str = ""
) -> Picture:
    """Draw a leaderboard: points with intervals; a band ends where everything above is surely better.

    `table` is one of `codejury.leaderboard` by the metric: what it is grouped by, then `solved`, `low`,
    `high`, `rank_low`, `rank_high`, `score` and `lacks`. Its order is kept.
    """
    need_columns(table, (metric, "low", "high"), "ranking")
    measure, other = MEASURES[metric], MEASURES[_OTHERS[metric]]
    rows = _rows(table, metric)
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
        title=f"{measure.axis} and {other.axis.lower()}",
        axis=alt.Axis(grid=True),
        scale=alt.Scale(domain=[0, 100], nice=False),
    )
    layers = [
        base.mark_rect(color=BLUE, opacity=0.08)
        .encode(x=alt.XDatum(0), x2=alt.X2Datum(100))
        .transform_filter("datum.band == 1"),
        base.mark_rule(color=BLUE, strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q"),
        *(_ends(base, field) for field in ("low", "high")),
        _marks(rows, y, x, metric),
        *_columns(base),
    ]
    what = (
        f"{measure.mean.capitalize()} with its 95 % interval, "
        "and the ranks it may have in truth (95 %, for all together)."
    )
    chart = alt.layer(*layers).properties(
        width=_WIDTH,
        height=alt.Step(step_for(len(rows))),
        title=title(heading or f"Ranking by {measure.mean}", what, caption_for(table, caption)),
    )
    return finished(chart, describe("ranking", table, metric))


def _rows(table: polars.DataFrame, metric: str) -> Rows:
    names = row_names(table, label_columns(table, tuple(MEASURES)))
    rows: Rows = []
    bands = _bands(table)
    for name, row, band in zip(names, table.iter_rows(named=True), bands, strict=True):
        rows.append({
            "name": name, "score": row[metric], "low": row["low"], "high": row["high"],
            "other": row.get(_OTHERS[metric]),
            "said": _said(row, metric), "rank": _rank(row), "band": band % 2,
        })  # fmt: skip
    return rows


def _said(row: Mapping[str, Any], metric: str) -> str:
    known = row["low"] is not None and row["high"] is not None
    return number(row[metric]) + (f"  ({number(row['low'])} to {number(row['high'])})" if known else "")


def _rank(row: Mapping[str, Any]) -> str:
    """`rank 1 to 7`, `not ranked`, or nothing where nobody is."""
    if row.get("lacks"):
        return "not ranked"
    low, high = row.get("rank_low"), row.get("rank_high")
    return "" if low is None else f"rank {low}" if low == high else f"rank {low} to {high}"


def _bands(table: polars.DataFrame) -> list[int]:
    """The band of each row: a new one begins where all ranks above are better than all from there on."""
    ranks = [(row.get("rank_low"), row.get("rank_high")) for row in table.iter_rows(named=True)]
    known = [(low, high) for low, high in ranks if low is not None and high is not None]
    begins = [
        place
        for place in range(1, len(known))
        if max(high for _, high in known[:place]) <= place < min(low for low, _ in known[place:])
    ]
    ranked = [sum(begin <= place for begin in begins) for place in range(len(known))]
    return [*ranked, *(0 for _ in ranks[len(known) :])]


def _ends(base: alt.Chart, field: str) -> alt.Chart:
    """The small strokes at the ends of an interval."""
    ends = base.mark_tick(color=BLUE, thickness=2, size=8, opacity=1)
    return cast(alt.Chart, ends.encode(x=alt.X(f"{field}:Q")))


def _marks(rows: Rows, y: alt.Y, x: alt.X, metric: str) -> alt.Chart:
    """Both metrics as points of different shape, with one legend."""
    words = [f"{MEASURES[metric].mean}, with its interval", MEASURES[_OTHERS[metric]].mean]
    measures = [
        {"name": row["name"], "score": row[field], "measure": measure}
        for row in rows
        for field, measure in zip(("score", "other"), words, strict=True)
        if row[field] is not None
    ]
    scale: dict[str, Any] = {"domain": words}
    legend = alt.Legend(title=None, orient="top", direction="horizontal", labelLimit=400, offset=2)
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
    """The numbers and the ranks, in two columns right of the plot."""
    text: dict[str, Any] = {"align": "left", "baseline": "middle", "clip": False, "fontSize": 11}
    return [
        base.mark_text(**text, color=INK).encode(x=alt.value(_WIDTH + 10), text="said:N"),
        base.mark_text(**text, color=GREY, fontStyle="italic").encode(
            x=alt.value(_WIDTH + 132), text="rank:N"
        ),
    ]
