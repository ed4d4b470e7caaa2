"""A pivot of scores as a heat map: rows and columns ordered, every value readable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import altair as alt

from .alt_text import describe
from .captions import MEASURES, Caption, by_name, need_columns, shown_names
from .style import INK, LABEL_SIZE, Picture, Rows, data, finished, title

if TYPE_CHECKING:
    import polars


MEAN: Final = "mean"
_WHAT: Final = "The first column is the row's mean. Best on top, easiest left."
# Below this value cividis is dark, and the numbers on it are white.
_DARK: Final = 52


_MOST_NUMBERED: Final = 60
"""Columns; of more, nobody could read the number in each cell."""


def heat_map(
    pivoted: polars.DataFrame,
    caption: Caption | None = None,
    *,
    metric: str = "solved",
    heading: str = "",
) -> Picture:
    """Draw a pivot: its first column names the rows, each other column is one of the heat map's.

    Best rows on top, easiest columns left; the first column of the picture is the mean of the row. Cells
    without a value stay empty.
    """
    need_columns(pivoted, (), "heat map")
    rows, order, columns = _cells(pivoted)
    crowded = len(columns) > _MOST_NUMBERED
    row_step, column_step = (24 if len(order) <= 15 else 18), (34 if len(columns) <= 30 else 26)
    if crowded:
        row_step, column_step = 14, 12
    base = alt.Chart(data(rows)).encode(
        x=alt.X("column:N", sort=columns, title=None, axis=alt.Axis(
            orient="top", labelAngle=-50, ticks=False, domain=False, labelLimit=260, labelPadding=4,
            labelFontSize=9 if crowded else LABEL_SIZE)),
        y=alt.Y("row:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=6)),
    )  # fmt: skip
    legend = alt.Legend(
        title=MEASURES[metric].axis, orient="bottom", direction="horizontal", gradientLength=220
    )
    colour = alt.Color("value:Q", scale=alt.Scale(scheme="cividis", domain=[0, 100]), legend=legend)
    ink = alt.condition(f"datum.value < {_DARK}", alt.value("white"), alt.value(INK))
    cells = base.mark_rect(stroke="white", strokeWidth=0.5 if crowded else 1).encode(
        color=colour, tooltip=["row:N", "column:N", "value:Q"]
    )
    numbers = base.mark_text(fontSize=10 if column_step > 30 else 9).encode(
        text=alt.Text("value:Q", format=".0f"), color=ink
    )
    chart = alt.layer(
        *([cells] if crowded else [cells, numbers]),
    ).properties(
        width=alt.Step(column_step),
        height=alt.Step(row_step),
        title=title(
            heading or f"{MEASURES[metric].title} by model and test case", _WHAT, caption or Caption()
        ),
    )
    return finished(chart, describe("heat_map", pivoted, metric))


def _cells(pivoted: polars.DataFrame) -> tuple[Rows, list[str], list[str]]:
    """Return the cells, and the names of rows and columns in order of their means."""
    label, *names = pivoted.columns
    mean_of_row, *shown = shown_names([MEAN, *names])  # together: a test case can be called `mean`
    shown_columns = dict(zip(names, shown, strict=True))
    shown_rows = by_name([str(name) for name in pivoted[label].to_list()])
    cells: Rows = []
    row_means: dict[str, float] = {}
    for row in pivoted.iter_rows():
        name, values = shown_rows[str(row[0])], row[1:]
        row_means[name] = _mean(values)
        cells += [
            {"row": name, "column": shown_columns[column], "value": value}
            for column, value in zip(names, values, strict=True)
            if value is not None
        ]
        cells.append({"row": name, "column": mean_of_row, "value": row_means[name]})
    column_means = {shown_columns[name]: _mean(pivoted[name].to_list()) for name in names}
    columns = [mean_of_row, *sorted(column_means, key=lambda name: -column_means[name])]
    return cells, sorted(row_means, key=lambda name: -row_means[name]), columns


def _mean(values: Iterable[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0
