"""What is new: told by the dates of the answers. The page, and the feed of new models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any, Final

from ..plots.captions import shown_name
from .formatting import number, ranks

if TYPE_CHECKING:
    import polars as pl


Row = Mapping[str, Any]

MOST_DAYS: Final = 60
MOST_ITEMS: Final = 30
"""Models in the feed, the newest first."""
_LONGEST: Final = 200
_DIGITS: Final = 8


@dataclass(slots=True, kw_only=True)
class Day:
    """What came on one day."""

    name: str
    """2024-02-01."""
    models: list[Row] = field(default_factory=list)
    """Rows of the board whose first answer is of this day."""
    more: list[tuple[Row, int]] = field(default_factory=list)
    """Rows that were there before, and how many answers they got."""
    cases: list[str] = field(default_factory=list)
    """Test cases that nobody was asked before."""


def news(frame: pl.DataFrame, rows: Sequence[Row]) -> list[Day]:
    """The days on which something came, the newest first. Answers without a date tell nothing."""
    import polars as pl

    known = frame.filter(pl.col("timestamp").str.contains(r"^\d{8}")).with_columns(
        pl.col("timestamp").str.head(_DIGITS).alias("day")
    )
    by_model = {row["model"]: row for row in rows}
    days: dict[str, Day] = {}
    first: dict[str, str] = {}
    counts = known.group_by("model", "day").len().sort("day", "model")
    for model, digits, answers in counts.iter_rows():
        day = days.setdefault(digits, Day(name=f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"))
        if first.setdefault(model, digits) == digits:
            day.models.append(by_model[model])
        else:
            day.more.append((by_model[model], answers))
    for digits, name in _first_asked(known):
        if digits != min(days):  # on the first day everything is new
            days[digits].cases.append(name)
    for day in days.values():
        day.models.sort(key=lambda row: -(row["solved"] or 0.0))
    return [days[digits] for digits in sorted(days, reverse=True)]


def _first_asked(known: pl.DataFrame) -> list[tuple[str, str]]:
    """The first day and the name of each test case."""
    import polars as pl

    found = known.group_by("test_case").agg(pl.col("day").min()).sort("test_case")
    return list(found.select("day", "test_case").iter_rows())


def feed_items(days: Sequence[Day]) -> list[Row]:
    """The newest models, for the feed. Names lose what XML cannot hold."""
    found = [(day, row) for day in days for row in day.models][:MOST_ITEMS]
    return [
        {
            "title": shown_name(f"{row['model']}: {standing(row)}", _LONGEST),
            "slug": row["slug"],
            "day": day.name,
            "date": format_datetime(datetime.fromisoformat(day.name).replace(tzinfo=UTC)),
        }
        for day, row in found
        if _is_date(day.name)
    ]


def standing(row: Row) -> str:
    """90.2 % solved, rank 1 to 17."""
    solved = f"{number(row['solved'])} % solved"
    if row["lacks"]:
        return f"{solved}, not ranked yet"
    return f"{solved}, rank {ranks(row['rank_low'], row['rank_high'])}"


def _is_date(day: str) -> bool:
    try:
        datetime.fromisoformat(day)
    except ValueError:
        return False
    return True
