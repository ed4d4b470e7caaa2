"""How far a mean may be off: intervals whose unit is the test case, not the sample.

Answers to one test case resemble each other. Taken for independent they make intervals more than twice too
narrow, so the bootstrap draws whole test cases ("units"), with all their samples:

bootstrap_errors     standard errors of means, for all groups at once
score_intervals      intervals of means that cannot leave their bounds, from those errors
difference_intervals intervals of mean differences of two groups

A bootstrap of n units finds a standard error that is too small by sqrt((n - 1) / n), and knows nothing of
the error of the error; the factor and Student's t with n - 1 degrees of freedom correct both. The interval is
made on the logit scale: it stays within the bounds and leans away from the nearer one, as the truth does.

Simulated with even, skewed, lumpy and all-or-nothing scores (`test_analysis_coverage.py`), a nominal
95 % covers 94 to 99 % with 14 test cases and 94 to 97 % with 60. Percentiles of the bootstrap alone covered
90 to 93 % with 14. Extremely skewed scores (a mean of 95 with most test cases at 100) remain the hard case:
84 % with 14 test cases, 93 % with 60. Percentiles covered 76 % there; a bootstrap-t covered 94 %, but with
intervals three times as wide, which tell nobody anything.

A difference of two models is skewed where one of them is near 100: a few test cases tell most of it, and may
not be among those at hand. Student's t covered 77 to 95 % there with 14 test cases and 86 to 95 % with 30,
the logit scale (bounds of -100 and 100 are far away) no more, a bootstrap-t 85 to 98 % with intervals up to
four times as wide. What helps is to count, for the spread alone, a tenth of a test case that all went to one
of the two and a tenth that all went to the other: 91 to 99 % with 14, 93 to 98 % with 30, 7 % wider at 14.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import exp, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

ROUNDS = 10_000
SCORES = (0.0, 100.0)

_NO_SPREAD = 1e-9
_UNSEEN = 0.1
"""Test cases on which one of two models wins 100 to 0, and as many the other, that nobody has seen."""


def bootstrap_errors(sums: Numbers, counts: Numbers, *, seed: int, rounds: int = ROUNDS) -> Numbers:
    """Standard errors of the means sums / counts of each group (row), by drawing units (columns).

    A unit with count 0 is not part of a group. Groups with as many units are drawn alike, so a group's
    error depends on the seed and on nothing else but its own scores. NaN below two units.
    """
    errors = np.full(len(sums), np.nan)
    for units, rows in _groups_by_size(counts > 0):
        if units >= 2:
            own = counts[rows] > 0
            shape = (int(rows.sum()), units)
            drawn = drawn_means(
                sums[rows][own].reshape(shape), counts[rows][own].reshape(shape), seed=seed, rounds=rounds
            )
            errors[rows] = drawn.std(axis=0, ddof=1) * np.sqrt(units / (units - 1))
    return errors


def _groups_by_size(present: Flags) -> Iterator[tuple[int, Flags]]:
    sizes = present.sum(axis=1)
    for size in np.unique(sizes):
        yield int(size), sizes == size


def drawn_means(sums: Numbers, counts: Numbers, *, seed: int, rounds: int) -> Numbers:
    """Means of the groups (columns) in each round (rows). A draw of n from n units is a row of weights."""
    units = sums.shape[1]
    weights = _weights(seed, units, rounds)
    # Mostly each unit counts once. Then every draw has as many as there are, and half of the work is saved.
    drawn = float(units) if (counts == 1.0).all() else weights @ counts.T
    means: Numbers = (weights @ sums.T) / drawn
    return means


@lru_cache(maxsize=16)  # many tables of as many test cases draw alike; 10 MB for 130 of them
def _weights(seed: int, units: int, rounds: int) -> Numbers:
    generator = np.random.default_rng([seed, units])
    weights = generator.multinomial(units, np.full(units, 1 / units), size=rounds).astype(np.float64)
    weights.flags.writeable = False
    return weights


def plain_errors(deviations: Numbers, counts: Numbers) -> Numbers:
    """Standard errors where every sample is a unit of its own: what the bootstrap tends to, s / sqrt(n)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts >= 2, deviations / np.sqrt(counts), np.nan)


def score_intervals(
    means: Numbers,
    errors: Numbers,
    units: NDArray[np.int64],
    *,
    confidence: float = 0.95,
    bounds: tuple[float, float] = SCORES,
) -> tuple[Numbers, Numbers]:
    """Lower and upper ends. NaN where there is one unit only: it says nothing about others."""
    low, high = np.full(len(means), np.nan), np.full(len(means), np.nan)
    for index in np.flatnonzero(np.isfinite(means) & (units >= 2)):
        one = (float(means[index]), float(errors[index]), int(units[index]))
        low[index], high[index] = score_interval(*one, confidence=confidence, bounds=bounds)
    return low, high


def score_interval(
    mean: float,
    error: float,
    units: int,
    *,
    confidence: float = 0.95,
    bounds: tuple[float, float] = SCORES,
) -> tuple[float, float]:
    """One interval: logit(mean) -+ t * error / (derivative of the logit), turned back."""
    least, most = bounds
    share = (mean - least) / (most - least)
    if error <= _NO_SPREAD or not 0 < share < 1:
        return _without_spread(share, units, confidence, bounds)
    middle = np.log(share / (1 - share))
    reach = t_quantile((1 + confidence) / 2, units - 1) * error / ((most - least) * share * (1 - share))
    ends = _expit(np.array([middle - reach, middle + reach]))
    low, high = least + (most - least) * ends
    return float(low), float(high)


def difference_intervals(
    differences: Numbers, *, confidence: float = 0.95, most: float = 100.0
) -> tuple[Numbers, Numbers]:
    """Ends of the mean of each row of differences on units (columns); NaN is a unit that a row has not.

    Student's t, with a spread that counts a little of what may have gone unseen. NaN below two units.
    """
    there = np.isfinite(differences)
    units = there.sum(axis=1)
    means = np.full(len(units), np.nan)
    np.divide(np.where(there, differences, 0.0).sum(axis=1), units, out=means, where=units > 0)
    squares = np.where(there, (differences - means[:, None]) ** 2, 0.0).sum(axis=1)
    squares += _UNSEEN * ((most - means) ** 2 + (most + means) ** 2)
    weight = units + 2 * _UNSEEN
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt(squares / weight / weight * units / (units - 1))
    errors *= [
        t_quantile((1 + confidence) / 2, count - 1) if count >= 2 else np.nan for count in units.tolist()
    ]
    return np.maximum(means - errors, -most), np.minimum(means + errors, most)


def unseen_move(units: int, confidence: float = 0.95, most: float = 100.0) -> float:
    """How far what nobody has seen may move the difference of two equal groups with so many units."""
    squares = 2 * _UNSEEN * most**2
    error = np.sqrt(squares * units / (units - 1)) / (units + 2 * _UNSEEN)
    return float(t_quantile((1 + confidence) / 2, units - 1) * error)


def _without_spread(
    share: float, units: int, confidence: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """All units agree, so there is nothing to draw; yet the next one may differ.

    The rule of three: if more than a share `unseen` of all test cases were different, it would be unlikely
    (below 2.5 %) to have met none of them. How different they are, nobody knows.
    14 test cases, all 100 -> 76.8 to 100     60, all 100 -> 94.0 to 100
    """
    least, most = bounds
    unseen = 1 - ((1 - confidence) / 2) ** (1 / units)
    low, high = share * (1 - unseen), share * (1 - unseen) + unseen
    return least + (most - least) * low, least + (most - least) * high


def _expit(values: Numbers) -> Numbers:
    result: Any = 1 / (1 + np.exp(-np.clip(values, -700, 700)))
    return np.asarray(result, dtype=np.float64)


# ---- Quantiles of the normal and of Student's t distribution: two functions of a library of 100 MB.

_TINY = 1e-300
_STEPS = 300
_CLOSE = 1e-12
"""Of a quantile: a step so small is the last one, and leaves much less."""
_MANY = 200
"""Degrees of freedom from which on the expansion is right to 10 digits; it is much faster."""


def normal_quantile(probability: float) -> float:
    """0.975 -> 1.96."""
    return NormalDist().inv_cdf(probability)


@lru_cache(maxsize=1024)
def t_quantile(probability: float, degrees: float) -> float:
    """0.975 with 13 degrees of freedom -> 2.160; with infinitely many, the normal quantile."""
    if probability < 0.5:
        return -t_quantile(1 - probability, degrees)
    if degrees >= _MANY:
        return _expanded(normal_quantile(probability), degrees)
    low, high = 0.0, 1.0
    while t_probability(high, degrees) < probability:
        low, high = high, 2 * high
    value = (low + high) / 2
    while True:  # Newton's steps, each inside what is known to enclose the quantile
        excess = t_probability(value, degrees) - probability
        low, high = (value, high) if excess < 0 else (low, value)
        after = value - excess / _t_density(value, degrees)
        after = after if low < after < high else (low + high) / 2
        if abs(after - value) <= _CLOSE * after:
            return after
        value = after


def _t_density(value: float, degrees: float) -> float:
    front = exp(lgamma((degrees + 1) / 2) - lgamma(degrees / 2)) / sqrt(degrees * pi)
    return front * exp(-(degrees + 1) / 2 * log1p(value * value / degrees))


def _expanded(x: float, degrees: float) -> float:
    """The quantile of t from that of the normal distribution (Abramowitz and Stegun, 26.7.5)."""
    return (
        x
        + (x**3 + x) / 4 / degrees
        + (5 * x**5 + 16 * x**3 + 3 * x) / 96 / degrees**2
        + (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384 / degrees**3
        + (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160 / degrees**4
    )


def t_probability(value: float, degrees: float) -> float:
    """Chance that a t-distributed number is at most `value`."""
    tail = _incomplete_beta(degrees / (degrees + value * value), degrees / 2, 0.5) / 2
    return tail if value < 0 else 1 - tail


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # there the fraction converges slowly; the mirror image does not
        return 1 - _incomplete_beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    return front * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    """Its continued fraction, by Lentz's method (NIST Handbook of Mathematical Functions, 8.17.22)."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _away_from_zero(number: float) -> float:
    return number if abs(number) > _TINY else _TINY
