"""Is the difference of two models more than chance? Exact sign-flip tests, and what many of them mean.

sign_flip_test    one pair: how often would a mean difference this large arise, if on every test case it
                  were a toss-up which of the two did better?
holm              p-values of many tests, corrected one by one
step_down         p-values of all pairs, corrected jointly: what tiers rest on

With n test cases no single p-value is below 2 / 2^n. Holm's correction multiplies it by the number of pairs:
with 14 test cases and 64 models (2,016 pairs) the best and the worst model could never be told apart. The
joint correction is Holm's step-down too, but it does not pretend that the pairs know nothing of each other:
it flips the test cases' signs for all pairs at once and looks at the largest of all statistics (Westfall and
Young 1993). So 14 test cases can tell models apart, and the
chance that any two equal models are said to differ stays below 5 %.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .intervals import Numbers

EXACT_CASES = 20
"""Up to so many differences every pattern of signs is counted; beyond, rounded differences are."""

_GRID = 1 << 12
_TIE = 1e-9
_ROUNDED_TIE = 1e-5
_PORTION = 32
_UNTHREADED = 1 << 18
_MOST_STATISTICS = 20_000_000


def sign_flip_test(differences: Numbers) -> float:
    """Two-sided p-value of the mean difference, over all 2^n patterns of signs (Fisher 1935).

    Differences of zero have no sign and say nothing. Above `EXACT_CASES` others the sizes are rounded to a
    4,096th of their sum, and p is right to a few percent of itself, rather too large than too small.
    """
    sizes = np.abs(differences[differences != 0])
    observed = abs(float(differences.sum()))
    if len(sizes) == 0 or observed <= _TIE * sizes.sum():
        return 1.0
    if len(sizes) <= EXACT_CASES:
        return _enumerated(sizes, observed)
    return _convolved(sizes, observed)


def _enumerated(sizes: Numbers, observed: float) -> float:
    """Meet in the middle: all sums of one half, sorted, searched for each sum of the other."""
    first, second = sizes[::2], sizes[1::2]
    left, right = _all_sums(first), np.sort(_all_sums(second))
    least = observed - _TIE * sizes.sum()
    reached = len(right) - np.searchsorted(right, least - left, side="left")
    return min(1.0, 2 * float(reached.sum()) / 2.0 ** len(sizes))


def _all_sums(sizes: Numbers) -> Numbers:
    """The sums of sizes under all patterns of signs. [1, 2] -> [-3, -1, 1, 3] in some order."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums


def _convolved(sizes: Numbers, observed: float) -> float:
    """The distribution of the sum of those that come out positive, on a grid, one difference at a time."""
    step = sizes.sum() / _GRID
    rounded = np.rint(sizes / step).astype(np.int64)
    chances = np.zeros(int(rounded.sum()) + 1)
    chances[0], filled = 1.0, 1
    for size in rounded:
        grown = chances[: filled + size] * 0.5
        grown[size:] += chances[:filled] * 0.5
        chances[: filled + size] = grown
        filled += size
    return min(1.0, 2 * float(chances[_least_step(sizes, rounded, observed) :].sum()))


def _least_step(sizes: Numbers, rounded: NDArray[np.int64], observed: float) -> int:
    """The sum of positive ones on the grid from which on a pattern is as extreme as the observed one.

    Rounding must not change the spread of the sums, so that is put right; nor may it lose a pattern that ties
    with the observed one, so the border is moved out by about what rounding can do to a sum.
    """
    spread = np.sqrt((sizes**2).sum() / (rounded.astype(np.float64) ** 2).sum())
    reached = observed / spread - 0.5 * np.sqrt(len(sizes))
    return max(0, int(np.ceil((rounded.sum() + reached) / 2)))


def holm(p_values: Numbers) -> Numbers:
    """Corrected p-values (Holm 1979). [0.01, 0.04, 0.03] -> [0.03, 0.06, 0.06]."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1)
    return corrected


def step_down(differences: Numbers, *, seed: int) -> Numbers:
    """Jointly corrected p-values of all pairs (rows) from their differences on each test case (columns).

    The statistic of a pair is its sum over its root of the sum of squares, which no flip changes: the order
    of the exact test, on one scale for all pairs. 0 where a pair has no common test case.
    """
    lengths = np.sqrt((differences**2).sum(axis=1, keepdims=True))
    scaled = np.divide(differences, lengths, out=np.zeros_like(differences), where=lengths > 0)
    observed = np.abs(scaled.sum(axis=1))
    order = np.argsort(observed, kind="stable")
    reached = _times_reached(scaled[order], observed[order], seed)
    corrected = np.empty(len(order))
    corrected[order] = np.maximum.accumulate(reached[::-1])[::-1]
    return corrected


def _times_reached(scaled: Numbers, observed: Numbers, seed: int) -> Numbers:
    """How often the largest statistic of a pair and of all weaker pairs is as large as the pair's own.

    In single precision, and what a tie may lose by it is granted back.
    """
    patterns = _patterns(scaled.shape[1], len(scaled), seed).astype(np.float32)
    columns, least = scaled.T.astype(np.float32), observed.astype(np.float32) - np.float32(_ROUNDED_TIE)
    reached = np.zeros(len(observed))
    for signs in np.array_split(patterns, len(patterns) // _PORTION + 1):
        statistics = np.abs(_product(signs, columns))
        np.maximum.accumulate(statistics, axis=1, out=statistics)
        reached += (statistics >= least).sum(axis=0)
    return reached / len(patterns)


def _product(signs: NDArray[np.float32], columns: NDArray[np.float32]) -> NDArray[np.float32]:
    """Matrix product in pieces too small to be worth threads: on a busy machine these wait for each other."""
    result = np.empty((len(signs), columns.shape[1]), dtype=np.float32)
    width = max(1, _UNTHREADED // signs.size)
    for start in range(0, columns.shape[1], width):
        result[:, start : start + width] = signs @ columns[:, start : start + width]
    return result


def _patterns(cases: int, pairs: int, seed: int) -> NDArray[np.float64]:
    """All patterns of signs, or where they are too many 10,000 drawn ones; fewer for very many pairs.

    A pattern and its mirror image are one, for sizes are compared. The first is the observed one: with it
    drawn p-values are never 0, and as valid as the exact ones.
    """
    rounds = int(np.clip(_MOST_STATISTICS // max(pairs, 1), 500, 10_000))
    if cases <= 30 and 2 ** (cases - 1) <= rounds:
        numbers = np.arange(2 ** (cases - 1))[:, None]
        return np.asarray(1 - 2 * ((numbers >> np.arange(cases)) & 1), dtype=np.float64)
    bits = np.random.default_rng([seed, cases]).integers(0, 2, size=(rounds, cases))
    bits[0] = 1
    return np.asarray(2 * bits - 1, dtype=np.float64)
