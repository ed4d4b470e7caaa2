"""What all pictures share: colours, sizes, names that fit, titles.

Colours are those of Okabe and Ito, made to be told apart by everybody; heat maps use cividis. No picture says
something by colour alone: there are shapes, labels or letters too, so that it can be printed in grey.

Names of models go into the data as values, never into the names of fields or into expressions, where `.`, `[`
and `:` would mean something.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

import altair as alt

from ..errors import InputError
from .captions import Caption
from .names import shown_names

OKABE_ITO: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "stroke", "wedge")
INK: Final = "#222222"
GREY: Final = "#767676"
BLUE: Final = OKABE_ITO[0]
ORANGE: Final = OKABE_ITO[5]
FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
LABEL_SIZE: Final = 11


Rows = list[dict[str, Any]]
Picture = alt.LayerChart | alt.FacetChart


def data(rows: Rows) -> alt.InlineData:
    """Rows as part of the specification: a picture needs no other file."""
    return alt.InlineData(values=rows)


def title(text: str, what: str, caption: Caption) -> alt.TitleParams:
    """Return a title with what is shown, of how much, and whose data it is."""
    lines = [
        line for line in (what, caption.facts, f"Source: {caption.source}" if caption.source else "") if line
    ]
    return alt.TitleParams(
        text=text, subtitle=lines, anchor="start", frame="group", offset=14, fontSize=16, subtitleFontSize=11,
        subtitleColor=GREY, subtitlePadding=4, color=INK,
    )  # fmt: skip


def finished(chart: Picture, description: str) -> Picture:
    """Return the chart with the style of all, and words for those who cannot see it."""
    dressed = (
        chart.properties(description=description, background="white", padding=12)
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=LABEL_SIZE, titleFontSize=12, labelColor=INK, titleColor=INK,
            titleFontWeight="normal", labelLimit=420, gridColor="#E3E3E3", domainColor=GREY, tickColor=GREY,
        )
        .configure_legend(
            labelFontSize=LABEL_SIZE, titleFontSize=12, titleLimit=320, labelLimit=320, symbolLimit=0
        )
    )  # fmt: skip
    return cast(Picture, dressed)


def step_for(count: int) -> int:
    """Height of a row in pixels: generous for few, still readable for sixty."""
    return 28 if count <= 6 else 22 if count <= 15 else 18


def need_columns(table: Any, columns: Iterable[str], picture: str) -> None:
    """InputError if a table is empty or lacks what a picture shows."""
    if missing := [name for name in columns if name not in table.columns]:
        raise InputError(f"{picture}: the table has no column {', '.join(missing)}")
    if table.is_empty():
        raise InputError(f"{picture}: there is nothing to draw, the table has no rows")


def label_columns(table: Any, measures: Sequence[str]) -> list[str]:
    """Return the columns in front of the first measure: what the rows of a leaderboard are grouped by."""
    columns = list(table.columns)
    ends = [columns.index(name) for name in measures if name in columns]
    return columns[: min(ends, default=1)] or columns[:1]


def row_names(table: Any, columns: Sequence[str]) -> list[str]:
    """Return one readable, unique name for each row."""
    parts = zip(*(table[name].to_list() for name in columns), strict=True)
    return shown_names([" · ".join("" if part is None else str(part) for part in row) for row in parts])


def number(value: float | None, digits: int = 1) -> str:
    return "n/a" if value is None else f"{value:.{digits}f}"
