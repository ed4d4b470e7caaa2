"""Test cases that count for nobody, because every answer to them is void."""

from __future__ import annotations

import polars as pl

from .mixtures import listed, number_of


def void_cases(frame: pl.DataFrame) -> list[str]:
    """Say how many there are, and why: a Julia that is too old for them, or a package that is not installed.

    `2 test cases count for nobody, since all their answers are void: heaps (needs Julia 1.9, and this is
    1.5.3), as_of_join (packages of the definition are not installed: DataFrames).`
    """
    reasons = pl.col("void_reason").drop_nulls().mode().sort().first()
    cases = (
        frame.group_by("test_case")
        .agg(pl.col("score").count().alias("judged"), reasons.alias("reason"))
        .filter(pl.col("judged") == 0)
        .sort("test_case")
    )
    if cases.is_empty():
        return []
    told = [f"{name} ({reason or 'no reason was stored'})" for name, _, reason in cases.iter_rows()]
    one = cases.height == 1
    count, all_void = ("counts", "all its") if one else ("count", "all their")
    return [
        f"{number_of(cases.height, 'test case')} {count} for nobody, since {all_void} answers are void: "
        f"{listed(told)}."
    ]
