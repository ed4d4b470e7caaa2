"""Is the difference of two models more than chance? The exact sign-flip test of one pair.

How often would a mean difference this large arise, if on every test case it were a toss-up which of the two
did better? With n test cases no p-value is below 2 / 2^n. What is sure among all pairs of a board is
`ranks`'.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .intervals import Numbers

SIGNIFICANT = 0.05
EXACT_CASES = 20
"""Up to so many differences every pattern of signs is counted; beyond, rounded differences are."""

_GRID = 1 << 12
_TIE = 1e-9


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
