"""Where points are lost: a bar for each model, a piece of it for each kind of failure.

Pieces are known by their letter as well as by their colour, and stand in the same order in every bar.
"""

from __future__ import annotations

from collections import defaultdict
from string import ascii_uppercase
from typing import TYPE_CHECKING, Final, Literal

import altair as alt

from .alt_text import describe
from .captions import Caption, by_name, need_columns
from .style import INK, OKABE_ITO, Picture, Rows, data, finished, step_for, title

if TYPE_CHECKING:
    import polars


Value = Literal["points", "share"]

_MOST_KINDS: Final = 7
_REST: Final = "all other kinds"
_REST_COLOUR: Final = "#BBBBBB"
_WIDTH: Final = 520
_NARROWEST: Final = 11
"""Pixels a piece needs for its letter."""
_DARK: Final = frozenset({"#0072B2", "#000000"})
_TITLES: Final = {
    "points": "Points lost on average (of 100)",
    "share": "Share of the judged answers (%)",
}
_WHAT: Final = {
    "points": "Average points that each kind of failure costs; a bar is what is missing to 100.",
    "share": "Share of answers that lost points, by the kind of failure.",
}


def failure_chart(
    table: polars.DataFrame, caption: Caption | None = None, *, value: Value = "points"
) -> Picture:
    """Draw a table of `failure_table`. Fewest losses on top; rare kinds together."""
    heading = "Where points are lost"
    need_columns(table, ("kind", "label", value), heading)
    rows, order, kinds = _pieces(table, value)
    colours = [*OKABE_ITO[: len(kinds) - (kinds[-1].endswith(_REST))]]
    colours += [_REST_COLOUR] * (len(kinds) - len(colours))
    longest = max(row["end"] for row in rows)
    for row in rows:
        wide = _WIDTH * (row["end"] - row["start"]) / longest >= _NARROWEST
        row["mark"] = row["letter"] if wide else ""
        row["ink"] = "white" if colours[kinds.index(row["kind"])] in _DARK else INK
    y = alt.Y("name:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=6))
    base = alt.Chart(data(rows)).encode(y=y)
    x = alt.X("start:Q", title=_TITLES[value], scale=alt.Scale(domain=[0, longest], nice=True))
    legend = alt.Legend(title="Kind of failure", orient="right", symbolType="square")
    colour = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=colours), legend=legend)
    tips = ["name:N", "kind:N", alt.Tooltip("value:Q", format=".1f")]
    chart = alt.layer(
        base.mark_bar(stroke="white", strokeWidth=0.6).encode(x=x, x2="end:Q", color=colour, tooltip=tips),
        base.mark_text(fontSize=9, baseline="middle").encode(
            x=alt.X("middle:Q"), text="mark:N", color=alt.Color("ink:N", scale=None)
        ),
    ).properties(
        width=_WIDTH,
        height=alt.Step(step_for(len(order))),
        title=title(heading, _WHAT[value], caption or Caption()),
    )
    return finished(chart, describe("failures", table))


def _pieces(table: polars.DataFrame, value: Value) -> tuple[Rows, list[str], list[str]]:
    """Return the pieces of all bars, the bars in order, and the kinds in order, each with its letter."""
    names = by_name([str(name) for name in table[table.columns[0]].unique(maintain_order=True).to_list()])
    factor = 100.0 if value == "share" else 1.0
    amounts: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    totals: defaultdict[str, float] = defaultdict(float)
    for row in table.iter_rows(named=True):
        amount = factor * (row[value] or 0.0)
        amounts[names[str(row[table.columns[0]])]][row["label"]] += amount
        totals[row["label"]] += amount
    ranked = sorted(totals, key=lambda label: (-totals[label], label))
    kept = ranked if len(ranked) <= _MOST_KINDS + 1 else ranked[:_MOST_KINDS]
    labels = [*kept, _REST] if len(kept) < len(ranked) else kept
    kinds = {label: f"{letter}  {label}" for letter, label in zip(ascii_uppercase, labels, strict=False)}
    rows = [piece for name, parts in amounts.items() for piece in _bar(name, parts, kinds)]
    order = sorted(amounts, key=lambda name: (sum(amounts[name].values()), name))
    return rows, order, list(kinds.values())


def _bar(name: str, parts: dict[str, float], kinds: dict[str, str]) -> Rows:
    known = {label: parts.get(label, 0.0) for label in kinds if label != _REST}
    if _REST in kinds:
        known[_REST] = sum(parts.values()) - sum(known.values())
    start, pieces = 0.0, []
    for label, amount in known.items():
        if amount > 1e-9:
            end = start + amount
            pieces.append({
                "name": name, "kind": kinds[label], "letter": kinds[label][0], "value": amount,
                "start": start, "end": end, "middle": (start + end) / 2,
            })  # fmt: skip
            start = end
    return pieces
