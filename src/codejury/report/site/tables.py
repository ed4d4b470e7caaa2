"""The numbers of all pages. Every estimate is made by `results.statistics`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import polars as pl

    from ...results.statistics.tables import Board


Row = dict[str, Any]

SEED: Final = 0
CONFIDENCE: Final = 0.95
FILTERS: Final = ("level", "kind", "prompt", "category", "experiment")
MOST_VIEWS: Final = 250
"""Each is a file, and takes a moment to make; above it the combinations of most filters are left out."""

_OF_CASES: Final = frozenset({"level", "kind", "category"})
"""Filters that choose test cases."""

Choice = tuple[str | None, ...]
"""A value for each of FILTERS; None for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The board of some of the answers."""

    choice: Choice
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    """What to bear in mind when reading it."""
    answers: int
    cases: int


def board_of(frame: pl.DataFrame) -> Board:
    """The board of all answers of a frame."""
    from ...results.statistics.tables import board

    return board(frame, ("model",), seed=SEED, confidence=CONFIDENCE)


def rows_of(board: Board) -> list[Row]:
    """The rows, each with its `band`: how often above it everything is surely better than all from it on.

    None for those that are not ranked.
    """
    from ...results.statistics.ranks import breaks

    rows = board.table.to_dicts()
    ranked = [row for row in rows if row["rank_low"] is not None]
    lines = breaks([row["rank_low"] for row in ranked], [row["rank_high"] for row in ranked])
    for place, row in enumerate(rows):
        row["band"] = None if row["lacks"] else sum(line <= place for line in lines)
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Profiles:
    """Boards of the answers of each model, by its name."""

    categories: Mapping[str, list[Row]]
    prompts: Mapping[str, list[Row]]
    levels: Mapping[str, list[Row]]
    kinds: Mapping[str, list[Row]]


def profiles_of(frame: pl.DataFrame) -> Profiles:
    return Profiles(
        categories=_by_model(frame, "category"),
        prompts=_by_model(frame, "prompt"),
        levels=_by_model(frame, "level"),
        kinds=_by_model(frame, "kind"),
    )


def _by_model(frame: pl.DataFrame, column: str) -> dict[str, list[Row]]:
    """For each model, a board of its own answers by another column."""
    from ...results.statistics.tables import leaderboard

    table = leaderboard(frame, ("model", column), seed=SEED, confidence=CONFIDENCE)
    boards: dict[str, list[Row]] = {}
    for row in table.to_dicts():
        boards.setdefault(row["model"], []).append(row)
    return boards


def providers(frame: pl.DataFrame) -> dict[str, str]:
    """The provider of each model."""
    return dict(frame.select("model", "provider").unique("model").sort("model").iter_rows())


def choices(frame: pl.DataFrame) -> dict[str, list[str]]:
    """What can be filtered by, where there is more than one value."""
    found = {column: sorted(frame[column].unique().to_list()) for column in ("provider", *FILTERS)}
    return {column: values for column, values in found.items() if len(values) > 1}


def combinations(frame: pl.DataFrame) -> list[Choice]:
    """The combinations of filters that get a board, fewest filters first: none at all is the first."""
    return sorted(
        (choice for choice, cases in occurring(frame).items() if _tells(choice, cases)),
        key=lambda choice: (
            len(choice) - choice.count(None),
            [(value is not None, value or "") for value in choice],  # "" is a value, None is none
        ),
    )


def occurring(frame: pl.DataFrame) -> dict[Choice, int]:
    """Every combination of filters that some answer has, and how many test cases it leaves."""
    some = choices(frame)
    cases: dict[Choice, set[str]] = {}
    for test_case, *values in frame.select("test_case", *FILTERS).unique().iter_rows():
        pairs = zip(FILTERS, values, strict=True)
        for choice in product(*((None, value) if name in some else (None,) for name, value in pairs)):
            cases.setdefault(choice, set()).add(test_case)
    return {choice: len(names) for choice, names in cases.items()}


def _tells(choice: Choice, cases: int) -> bool:
    """Whether a board of so few test cases could tell anything: fewer than six make no order of models sure.

    A single filter always gets one.
    """
    from ...results.statistics.power import LEAST_CASES

    narrowing = [name for name, value in zip(FILTERS, choice, strict=True) if value is not None]
    return len(_OF_CASES.intersection(narrowing)) < 2 or cases >= LEAST_CASES


def views(frame: pl.DataFrame, board: Board, chosen: Sequence[Choice]) -> Iterator[View]:
    """A board for each combination of filters; the one without any is the whole board, which is at hand."""
    import polars as pl

    for choice in chosen:
        wanted = [
            pl.col(name) == value for name, value in zip(FILTERS, choice, strict=True) if value is not None
        ]
        yield _view(board_of(frame.filter(*wanted)) if wanted else board, choice)


def _view(board: Board, choice: Choice) -> View:
    return View(
        choice=choice,
        rows=tuple(rows_of(board)),
        notes=board.notes,
        answers=board.answers.height,
        cases=board.answers["test_case"].n_unique(),
    )


def failures_of(frame: pl.DataFrame, kinds: Mapping[str, str]) -> pl.DataFrame:
    """The table of failures by model, from the kind of each file; see `results.failures.table`."""
    import polars as pl

    from ...results.failures.table import summarised

    kind = pl.Series("kind", [kinds[file] for file in frame["file"]], dtype=pl.String)
    failed = frame.with_columns(kind, (100.0 - pl.col("score")).alias("points")).filter(pl.col("kind") != "")
    return summarised(failed, frame.filter(pl.col("outcome") != "void"))


def matrix(frame: pl.DataFrame, value: str = "solved") -> pl.DataFrame:
    """Models down, test cases across."""
    from ...results.statistics.tables import pivot

    return pivot(frame, "model", "test_case", value)


def counts_of(frame: pl.DataFrame, column: str) -> list[tuple[str, int]]:
    """How often each value of a column occurs, the most frequent first; what is not on record as ""."""
    counted = (
        frame[column]
        .cast(str)
        .fill_null("")
        .value_counts(name="n")
        .sort(["n", column], descending=[True, False])
    )
    return [(str(value), int(number)) for value, number in counted.iter_rows()]
