"""What a benchmark that is still to be run could resolve."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ..errors import InputError
from .spread import TYPICAL, Spread, smallest_difference


def power(
    cases: Sequence[int], samples: Sequence[int], *, spread: Spread = TYPICAL, power: float = 0.8
) -> pl.DataFrame:
    """The smallest difference of two models that would be found: `cases`, `samples`, `difference`.

    Found means p <= 0.05 in the sign-flip test of the pair, in so many of all benchmarks (`power`). Samples
    are the answers of each model to each test case, over all prompts. Null below six test cases: even
    winning all five of five has p > 0.05.
    """
    if not cases or not samples or min(*cases, *samples) < 1 or not 0 < power < 1:
        raise InputError("a benchmark has at least one test case and one sample, and a power between 0 and 1")
    rows = [
        (count, each, smallest_difference(count, spread.variance(each), power=power))
        for count in cases
        for each in samples
    ]
    schema = {"cases": pl.Int64, "samples": pl.Int64, "difference": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")
