"""Where the noise of a comparison comes from: test cases that suit one model better, and luck in sampling.

The difference of two models on a test case varies for two reasons. `between`: test cases favour one or the
other, and only more test cases average that out. `within`: another answer to the same question scores
differently, and more samples average that out as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...errors import InputError
from ...records import Metric
from .cells import cells, judged, sample_sums
from .intervals import Numbers, t_quantile
from .repairs import first_tries

LEAST_CASES: Final = 6
"""Below six test cases even winning all of them has p > 0.05 in a sign-flip test."""

_QUESTION: Final = ("model", "test_case", "prompt", "strategy", "experiment", "parameters")
_MOST_CASES: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Standard deviations of a metric, which goes from 0 to 100."""

    between: float
    """Of the true difference of two models, from one test case to the next."""
    within: float
    """From one answer to the next to the same question."""
    source: str = ""
    """Where the two numbers come from, for a person."""

    def variance(self, samples: float) -> float:
        """Of the difference on one test case with so many answers of each model."""
        return self.between**2 + 2 * self.within**2 / samples


TYPICAL: Final = Spread(between=15.0, within=25.0, source="typical of the published local models")
"""Of the score. Measured on the predecessor's 33 local models: 14.8 (the median pair) and 25.3."""

MOST_WITHIN: Final = 50.0
"""The largest standard deviation of answers that are worth 0 or 100 each: half of them solve the task."""


@lru_cache(maxsize=4096)  # searches ask for the same numbers again and again
def reach(cases: int, confidence: float = 0.95, power: float = 0.8) -> float:
    """How many standard errors a true difference must have to be found with this power."""
    return t_quantile((1 + confidence) / 2, cases - 1) + t_quantile(power, cases - 1)


def smallest_difference(cases: int, variance: float, *, power: float = 0.8) -> float | None:
    """What so many test cases can resolve; None where they cannot resolve anything."""
    return reach(cases, power=power) * sqrt(variance / cases) if cases >= LEAST_CASES else None


def cases_to_resolve(difference: float, variance: float, *, power: float = 0.8) -> int | None:
    """The fewest test cases that resolve a difference; None for a difference of nothing."""
    if not difference:
        return None
    low, high = LEAST_CASES - 1, LEAST_CASES
    while not _resolves(high, difference, variance, power):
        low, high = high, 2 * high
        if high > _MOST_CASES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _resolves(middle, difference, variance, power) else (middle, high)
    return high


def _resolves(cases: int, difference: float, variance: float, power: float) -> bool:
    smallest = smallest_difference(cases, variance, power=power)
    return smallest is not None and smallest <= abs(difference)


def samples_to_resolve(
    difference: float, cases: int, between: float, within: float, samples: float, *, power: float = 0.8
) -> int | None:
    """The fewest answers per test case that resolve a difference; None if no number of them can.

    `between` and `within` are variances of the difference on a test case; `within` at `samples` answers.
    """
    if cases < LEAST_CASES:
        return None
    room = cases * (difference / reach(cases, power=power)) ** 2 - between
    return ceil(samples * within / room - 1e-9) or 1 if room > 0 else None


def sampling_variance(scored: pl.DataFrame, metric: Metric) -> float | None:
    """Variance among answers to the same question; None if none was answered twice."""
    repeated = repeated_questions(scored, metric)
    freedom = int(repeated["freedom"].sum())
    return float(repeated["squares"].sum()) / freedom if freedom else None


def repeated_questions(scored: pl.DataFrame, metric: Metric, by: Sequence[str] = ("model",)) -> pl.DataFrame:
    """Of questions answered twice or more, summed for each group: `squares` of deviations, `freedom`."""
    return (
        scored.group_by(_QUESTION, maintain_order=True)
        .agg((pl.len() - 1).cast(pl.Int64).alias("freedom"), pl.col(metric.value).var().alias("variance"))
        .filter(pl.col("freedom") > 0)
        .group_by(by, maintain_order=True)
        .agg((pl.col("variance") * pl.col("freedom")).sum().alias("squares"), pl.col("freedom").sum())
        .sort(by)
    )


def spread_of(frame: pl.DataFrame, metric: Metric = Metric.SOLVED) -> Spread:
    """The spread in stored results: of the median pair of models, and of all repeated questions.

    Where every question has one answer, luck in sampling cannot be measured: then it is taken as that of the
    published models for the score, and as the largest there can be, 50, for the share of answers that solve.
    """
    scored = judged(first_tries(frame))
    models = scored.select("model").unique().sort("model")
    if models.height < 2 or scored["test_case"].n_unique() < 3:
        raise InputError(
            "the spread between models needs results of two models on three test cases; "
            f"there are {models.height} and {scored['test_case'].n_unique()}"
        )
    measured = sampling_variance(scored, metric)
    guess = TYPICAL.within if metric is Metric.SCORE else MOST_WITHIN
    within = guess**2 if measured is None else measured
    matrix = cells(scored, models, ("model",), "test_case", metric)
    _, counts = sample_sums(scored, models, ("model",), "test_case", metric)
    between = _median_between(matrix, counts, within)
    assumed = "" if measured is not None else f"; every question has one answer, so {guess:g} is assumed"
    source = f"{models.height} models on {matrix.shape[1]} test cases{assumed}"
    return Spread(between=sqrt(between), within=sqrt(within), source=source)


def _median_between(means: Numbers, counts: Numbers, within: float) -> float:
    """Variance of the case differences less what sampling adds, for the median pair."""
    first, second = np.triu_indices(len(means), 1)
    differences = means[first] - means[second]
    with np.errstate(divide="ignore", invalid="ignore"):
        luck = within * (1 / counts[first] + 1 / counts[second])
    enough = np.isfinite(differences).sum(axis=1) >= 3
    if not enough.any():
        raise InputError("no two models share three test cases; nothing can be said about their spread")
    luck = np.where(np.isfinite(differences), luck, np.nan)[enough]
    total = np.nanvar(differences[enough], axis=1, ddof=1)
    return float(np.median(np.maximum(total - np.nanmean(luck, axis=1), 0)))


# ---- What a benchmark that is still to be run could resolve.


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


# ---- pass@k and pass^k: the chances that one of k answers passes all unit tests, and that all of them do.


def passes_at_k(samples: NDArray[np.int64], passed: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Estimate for each cell the chance that k answers hold a passing one (Chen et al. 2021, unbiased).

    It is 1 - C(samples - passed, k) / C(samples, k), as a product that does not overflow.
    samples=5 passed=2 k=1 -> 0.4     samples=5 passed=0 k=1 -> 0.0     samples=2 k=5 -> nan
    """
    missed = np.ones(len(samples))
    with np.errstate(divide="ignore", invalid="ignore"):
        for drawn in range(k):
            missed *= np.maximum(samples - passed - drawn, 0) / (samples - drawn)
    # Undefined for fewer than k samples: 1.0 there would flatter whoever answered least.
    return np.where(samples >= k, 1 - missed, np.nan)


def all_passes(samples: NDArray[np.int64], passed: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Estimate each cell's chance that k answers all pass (pass^k, unbiased): C(passed, k) / C(samples, k).

    samples=5 passed=4 k=1 -> 0.8     samples=5 passed=4 k=2 -> 0.6     samples=2 k=5 -> nan
    """
    chance = np.ones(len(samples))
    with np.errstate(divide="ignore", invalid="ignore"):
        for drawn in range(k):
            chance *= np.maximum(passed - drawn, 0) / (samples - drawn)
    return np.where(samples >= k, chance, np.nan)
