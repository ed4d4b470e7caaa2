"""Unit tests that nearly all strong models miss: each is hard, or asks for what nobody was told.

Which of the two only a person can say, so such a test is marked for one to look at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import polars as pl

from ...records import Metric

if TYPE_CHECKING:
    from .tables import Board

FEWEST_STRONG: Final = 3
"""Below so many strong models what they miss says little."""
MOST_PASSING: Final = 0.1
"""Of the answers of strong models, to a test that is marked."""
LEAST_ELSEWHERE: Final = 0.5
"""Of the same answers, to the other tests of the test case: where those fail too, the whole task is hard."""


def unit_test_rates(frame: pl.DataFrame, hashes: Mapping[str, str]) -> pl.DataFrame:
    """How often each unit test passed: `test_case`, `model`, `index`, `share`, `answers`.

    Only of answers judged by the very definition they are asked by: a test that was changed is another test.
    """
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


def commonest_definitions(frame: pl.DataFrame) -> dict[str, str]:
    """By test case: the hash of the definition that judged most of its answers."""
    counts = (
        frame.filter(pl.col("definition_hash").is_not_null()).group_by("test_case", "definition_hash").len()
    )
    found = counts.sort("test_case", "len", "definition_hash").group_by("test_case").last()
    return dict(found.select("test_case", "definition_hash").iter_rows())


def audited_tests(whole: Board) -> pl.DataFrame:
    """Of a board of models: the tests that nearly all strong ones miss; see `missed_tests`."""
    rates = unit_test_rates(whole.answers, commonest_definitions(whole.answers))
    return missed_tests(rates, strong_models(whole.ranked, whole.metric))


def strong_models(ranked: pl.DataFrame, metric: Metric = Metric.SOLVED) -> list[str]:
    """The better half of the ranked models; none where these are too few to tell anything."""
    best = ranked.sort(metric.value, descending=True)["model"].to_list()
    strong = best[: (len(best) + 1) // 2]
    return strong if len(strong) >= FEWEST_STRONG else []


def missed_tests(rates: pl.DataFrame, strong: list[str]) -> pl.DataFrame:
    """The tests that nearly all strong models miss: `test_case`, `index`, and the `share` that passes.

    `rates` has a row for each `test_case`, `model` and `index` of a unit test, with the `share` of the
    model's answers that pass it. Each model counts alike.
    """
    own = rates.filter(pl.col("model").is_in(strong))
    enough = pl.col("model").n_unique() >= FEWEST_STRONG
    tests = own.group_by("test_case", "index").agg(pl.col("share").mean(), enough.alias("enough"))
    total, count = pl.col("share").sum().over("test_case"), pl.len().over("test_case")
    elsewhere = (total - pl.col("share")) / (count - 1)
    missed = pl.col("enough") & (pl.col("share") <= MOST_PASSING) & (elsewhere >= LEAST_ELSEWHERE)
    return tests.filter(missed).select("test_case", "index", "share").sort("test_case", "index")
