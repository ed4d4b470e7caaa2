"""What all pictures share: colours, sizes, titles.

Colours are those of Okabe and Ito, made to be told apart by everybody; heat maps use cividis. No picture says
something by colour alone: there are shapes, labels or letters too, so that it can be printed in grey.

Names of models go into the data as values, never into the names of fields or into expressions, where `.`, `[`
and `:` would mean something.
"""

from __future__ import annotations

from typing import Any, Final, cast

import altair as alt
from altair.utils.schemapi import debug_mode

from .captions import Caption

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
    with debug_mode(False):  # altair would check each value of the rows against its schema, for seconds
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
