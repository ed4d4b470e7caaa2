"""A pivot of scores as a heat map: rows and columns ordered, every value readable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import altair as alt

from .captions import Caption
from .names import by_name, shown_names
from .style import INK, Picture, Rows, data, finished, need_columns, title
from .words import describe

if TYPE_CHECKING:
    import polars

MEAN: Final = "mean"
_WHAT: Final = "Mean scores; the first column is the row's mean. Best on top, easiest left."
# Below this score cividis is dark, and the numbers on it are white.
_DARK: Final = 52


def heat_map(
    pivoted: polars.DataFrame,
    caption: Caption | None = None,
    *,
    heading: str = "Score by model and test case",
) -> Picture:
    """Draw a pivot: its first column names the rows, each other column is one of the heat map's.

    Best rows on top, easiest columns left; the first column of the picture is the mean of the row. Cells
    without a value stay empty.
    """
    need_columns(pivoted, (), "heat map")
    rows, order, columns = _cells(pivoted)
    row_step, column_step = (24 if len(order) <= 15 else 18), (34 if len(columns) <= 30 else 26)
    base = alt.Chart(data(rows)).encode(
        x=alt.X("column:N", sort=columns, title=None, axis=alt.Axis(
            orient="top", labelAngle=-50, ticks=False, domain=False, labelLimit=260, labelPadding=4)),
        y=alt.Y("row:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=6)),
    )  # fmt: skip
    legend = alt.Legend(
        title="Mean score (points of 100)", orient="bottom", direction="horizontal", gradientLength=220
    )
    colour = alt.Color("value:Q", scale=alt.Scale(scheme="cividis", domain=[0, 100]), legend=legend)
    ink = alt.condition(f"datum.value < {_DARK}", alt.value("white"), alt.value(INK))
    chart = alt.layer(
        base.mark_rect(stroke="white", strokeWidth=1).encode(
            color=colour, tooltip=["row:N", "column:N", "value:Q"]
        ),
        base.mark_text(fontSize=10 if column_step > 30 else 9).encode(
            text=alt.Text("value:Q", format=".0f"), color=ink
        ),
    ).properties(
        width=alt.Step(column_step),
        height=alt.Step(row_step),
        title=title(heading, _WHAT, caption or Caption()),
    )
    return finished(chart, describe("heat_map", pivoted))


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
