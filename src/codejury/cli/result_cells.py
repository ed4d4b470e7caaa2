"""Tables of results as people read them: headings, rounded numbers, n/a for what is unknown.

board_columns     a leaderboard
apart_columns     those of it that are not ranked, and what they lack
plain_columns     any other table
fitting           the most important columns that fit a width
broken            a long name in lines of some width
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ..records import Metric
from .render import safe_text
from .run_tables import UNKNOWN, dollars

if TYPE_CHECKING:
    import polars as pl


_GAP: Final = 2
_NARROWEST_NAME: Final = 26

# Behind these a name may break, and before a capital: openai/gpt-4o, wrap_words, JuliaExpertAsk.
_JOINTS: Final = re.compile(r"(?<=[/_:.@ -])|(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """A heading and its cells."""

    heading: str
    cells: tuple[str, ...]
    is_name: bool = False
    """Words, on the left, which may break; numbers stand on the right and may not."""
    rank: int = 0
    """The higher it is, the sooner the column goes where there is no room."""

    @property
    def width(self) -> int:
        """What it takes; a name can break."""
        longest = max(map(len, (*self.cells, *self.heading.split("\n"))), default=0)
        return min(longest, _NARROWEST_NAME) if self.is_name else longest


def decimal(value: float | None) -> str:
    """77.6."""
    return UNKNOWN if value is None else f"{value:.1f}"


def percent(value: float | None) -> str:
    """43.1 %."""
    return UNKNOWN if value is None else f"{100 * value:.1f} %"


def count(value: float | None) -> str:
    """1,204."""
    return UNKNOWN if value is None else f"{value:,.0f}"


def seconds(value: float | None) -> str:
    """14.1 s."""
    return UNKNOWN if value is None else f"{value:,.1f} s"


def times(value: float | None) -> str:
    """1.35: a third faster than the reference solution."""
    return UNKNOWN if value is None else f"{value:.3g}" if value < 100 else f"{value:,.0f}"


def interval(low: float | None, high: float | None) -> str:
    """65.3 to 86.5."""
    return UNKNOWN if low is None or high is None else f"{low:.1f} to {high:.1f}"


def ranks(low: int | None, high: int | None) -> str:
    """1 to 7; 3 where it is sure."""
    return UNKNOWN if low is None or high is None else str(low) if low == high else f"{low} to {high}"


_METRICS: Final = {Metric.SOLVED: "solved %", Metric.SCORE: "score"}
_OPTIONAL: Final = ("lift", "cost_per_solved", "speed", "allocates_more")
"""Columns that are left out where nothing is known."""

# Column, heading, how it is written, and its rank; in the order in which they are shown.
_MEASURES: Final[tuple[tuple[str, str, Callable[[float | None], str], int], ...]] = (
    ("lift", "lift", decimal, 6),
    ("speed", "speed", times, 6),
    ("allocates_more", "allocates\nmore", percent, 18),
    ("near", "nearly", decimal, 17),
    ("samples", "samples", count, 4),
    ("void", "void", count, 16),
    ("zero", "zero", count, 10),
    ("full", "full", count, 9),
    ("std", "std", decimal, 12),
    ("median", "median", decimal, 11),
    ("elapsed", "time\nmean", seconds, 8),
    ("elapsed_median", "time\nmedian", seconds, 13),
    ("prompt_tokens", "tokens\nin", count, 15),
    ("completion_tokens", "tokens\nout", count, 14),
    ("reasoning_tokens", "tokens\nthought", count, 17),
    ("cut_short", "cut\nshort", percent, 18),
    ("empty", "empty", percent, 18),
    ("cost", "cost per\nanswer", dollars, 7),
    ("cost_per_solved", "cost per\nsolved", dollars, 5),
    ("elapsed_per_solved", "time per\nsolved", seconds, 18),
)


def board_columns(table: pl.DataFrame, metric: Metric) -> list[TableColumn]:
    """A leaderboard as columns for people; ranks first, then the names, the metric and its interval."""
    names = table.columns[: table.columns.index("solved")]
    passes = [name for name in table.columns if name.startswith(("pass@", "pass^"))]
    (other,) = (name for name in Metric if name is not metric)
    low, high = table["low"].to_list(), table["high"].to_list()
    shown = [
        TableColumn(heading="rank", cells=tuple(map(ranks, table["rank_low"], table["rank_high"])), rank=2),
        *(name_column(table[name]) for name in names),
        TableColumn(heading=_METRICS[metric], cells=_written(table[metric.value], decimal)),
        TableColumn(heading="95 % interval", cells=tuple(map(interval, low, high)), rank=1),
        *(TableColumn(heading=k, cells=_written(table[k], percent), rank=3) for k in passes),
        TableColumn(heading=_METRICS[other], cells=_written(table[other.value], decimal), rank=3),
    ]
    for name, heading, write, rank in _MEASURES:
        # Void answers, empty ones, and those cut short must not go unseen; where there are none, names need
        # the room.
        urgent = name in ("void", "cut_short", "empty") and bool((table[name] > 0).any())
        if table[name].count() or name not in _OPTIONAL:
            cells = _written(table[name], write)
            shown.append(TableColumn(heading=heading, cells=cells, rank=2 if urgent else rank))
    if table["lacks"].count():
        shown.append(_lacks_column(table))
    return shown


def apart_columns(table: pl.DataFrame, metric: Metric) -> list[TableColumn]:
    """Those that are not ranked, with the reason."""
    names = table.columns[: table.columns.index("solved")]
    return [
        *(name_column(table[name]) for name in names),
        TableColumn(heading=_METRICS[metric], cells=_written(table[metric.value], decimal)),
        TableColumn(heading="samples", cells=_written(table["samples"], count), rank=1),
        TableColumn(heading="void", cells=_written(table["void"], count), rank=2),
        _lacks_column(table),
    ]


def _lacks_column(table: pl.DataFrame) -> TableColumn:
    cells = tuple(safe_text(text or "", one_line=True) for text in table["lacks"])
    return TableColumn(heading="lacks", cells=cells, is_name=True)


def plain_columns(table: pl.DataFrame, *, digits: int | None = 1) -> list[TableColumn]:
    """Any table: text on the left, whole numbers as they are, others with so many digits (None: all)."""
    return [name_column(table[name]) if _is_text(table[name]) else _number_column(table[name], digits)
            for name in table.columns]  # fmt: skip


def name_column(values: pl.Series) -> TableColumn:
    cells = tuple(_named(value) for value in values.to_list())
    return TableColumn(heading=_heading(values.name), cells=cells, is_name=True)


def _heading(name: str) -> str:
    if name.startswith("parameter."):
        return safe_text(name.removeprefix("parameter."), one_line=True)
    return name.replace("_", " ")


def _named(value: Any) -> str:
    """An empty name is shown, too."""
    text = f"{value:g}" if isinstance(value, float) else "" if value is None else str(value)
    return safe_text(text, one_line=True) or "(none)"


def _is_text(values: pl.Series) -> bool:
    return not values.dtype.is_numeric()


def _number_column(values: pl.Series, digits: int | None) -> TableColumn:
    def write(value: float | None) -> str:
        if value is None:
            return UNKNOWN
        return count(value) if whole else str(value) if digits is None else f"{value:.{digits}f}"

    whole = values.dtype.is_integer()
    return TableColumn(heading=safe_text(values.name, one_line=True), cells=_written(values, write))


def _written(values: pl.Series, write: Callable[[float | None], str]) -> tuple[str, ...]:
    return tuple(write(value) for value in values.to_list())


def fitting(columns: Sequence[TableColumn], width: int) -> tuple[list[TableColumn], list[TableColumn]]:
    """The columns that fit, in order, and those that do not; rank 0 always stays. Long names are broken."""
    kept = list(columns)
    while _width(kept) > width and any(column.rank for column in kept):
        kept.remove(max(kept, key=lambda column: column.rank))
    return names_broken(kept, width), [column for column in columns if column not in kept]


def names_broken(columns: Sequence[TableColumn], width: int) -> list[TableColumn]:
    """The same columns with names that take no more room than the numbers leave."""
    numbers = [column for column in columns if not column.is_name]
    room = width - _width(numbers) - _GAP * (len(columns) - len(numbers))
    each = max(room // max(len(columns) - len(numbers), 1), 8)
    return [
        replace(column, cells=tuple(broken(cell, each) for cell in column.cells))
        if column.is_name
        else column
        for column in columns
    ]


def broken(name: str, width: int) -> str:
    """A name in lines of `width` letters at most, broken at its joints where it has some."""
    lines = [""]
    for piece in _JOINTS.split(name):
        while len(piece) > width:
            room = width - len(lines[-1])
            lines[-1], piece = lines[-1] + piece[:room], piece[room:]
            lines.append("")
        if len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines if line.strip())


def portions(columns: Sequence[TableColumn], width: int) -> list[list[TableColumn]]:
    """A table too wide as several below each other, each with the names in front."""
    first, rest = columns[0], list(columns[1:])
    parts: list[list[TableColumn]] = []
    while rest:
        part = [first, rest.pop(0)]
        while rest and _width([*part, rest[0]]) <= width:
            part.append(rest.pop(0))
        parts.append(part)
    return parts or [[first]]


def _width(columns: Sequence[TableColumn]) -> int:
    return sum(column.width for column in columns) + _GAP * (len(columns) - 1)
