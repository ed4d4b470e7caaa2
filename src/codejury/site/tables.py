"""The numbers of all pages. Every estimate is made by `codejury.analysis`; here they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import polars as pl

    from ..analysis import Board

Row = dict[str, Any]

SEED: Final = 0
CONFIDENCE: Final = 0.95
FILTERS: Final = ("prompt", "category", "experiment")
MOST_VIEWS: Final = 250

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
    from ..analysis import board

    return board(frame, ("model",), seed=SEED, confidence=CONFIDENCE)


def rows_of(board: Board) -> list[Row]:
    """The rows, each with its `band`: how often above it everything is surely better than all from it on.

    None for those that are not ranked.
    """
    from ..analysis.ranks import breaks

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


def profiles_of(frame: pl.DataFrame) -> Profiles:
    return Profiles(categories=_by_model(frame, "category"), prompts=_by_model(frame, "prompt"))


def _by_model(frame: pl.DataFrame, column: str) -> dict[str, list[Row]]:
    """For each model, a board of its own answers by another column."""
    from ..analysis import leaderboard

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


def views(frame: pl.DataFrame, board: Board) -> Iterator[View]:
    """A board for every combination of filters that occurs, fewest filters first, up to MOST_VIEWS.

    The first has no filter: it is the board of the whole frame, which is at hand.
    """
    import polars as pl

    some = choices(frame)
    options: list[list[str | None]] = [[None, *some.get(column, [])] for column in FILTERS]
    combinations = sorted(product(*options), key=lambda choice: sum(value is not None for value in choice))
    made = 0
    for choice in combinations:
        wanted = [
            pl.col(name) == value for name, value in zip(FILTERS, choice, strict=True) if value is not None
        ]
        part = frame.filter(*wanted) if wanted else frame
        if part.height and made < MOST_VIEWS:
            made += 1
            yield _view(board_of(part) if wanted else board, choice)


def _view(board: Board, choice: Choice) -> View:
    return View(
        choice=choice,
        rows=tuple(rows_of(board)),
        notes=board.notes,
        answers=board.answers.height,
        cases=board.answers["test_case"].n_unique(),
    )


def unit_test_rates(frame: pl.DataFrame, hashes: Mapping[str, str]) -> pl.DataFrame:
    """How often each unit test passed: `test_case`, `model`, `index`, `share`, `answers`.

    Only of answers judged by the very definition the site shows: a test that was changed is another test.
    """
    import polars as pl

    known = pl.DataFrame(
        {"test_case": list(hashes), "definition_hash": list(hashes.values())},
        schema={"test_case": pl.String, "definition_hash": pl.String},
    )
    return (
        frame.filter((pl.col("outcome") != "void") & (pl.col("unit_test_endings").list.len() > 0))
        .join(known, on=["test_case", "definition_hash"], how="semi")
        .select(
            "test_case", "model", "unit_test_endings",
            pl.int_ranges(0, pl.col("unit_test_endings").list.len()).alias("index"),
        )
        .explode("unit_test_endings", "index")
        .group_by("test_case", "model", "index")
        .agg((pl.col("unit_test_endings") == "passed").mean().alias("share"), pl.len().alias("answers"))
        .sort("test_case", "model", "index")
    )  # fmt: skip


def failures_of(frame: pl.DataFrame, kinds: Mapping[str, str]) -> pl.DataFrame:
    """The table of failures by model, from the kind of each file; see `codejury.failures.failure_table`."""
    import polars as pl

    from ..failures import summarised

    kind = pl.Series("kind", [kinds[file] for file in frame["file"]], dtype=pl.String)
    failed = frame.with_columns(kind, (100.0 - pl.col("score")).alias("points")).filter(pl.col("kind") != "")
    return summarised(failed, frame.filter(pl.col("outcome") != "void"))


def matrix(frame: pl.DataFrame, value: str = "score") -> pl.DataFrame:
    """Models down, test cases across."""
    from ..analysis import pivot

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
