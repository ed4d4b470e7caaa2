"""Ranks that say how sure they are.

The difference of two groups (models) is sure if it is larger than chance makes any difference of the board:
draw the units (test cases) again and again, for all groups at once, and see how far the groups' means move
against each other. The farthest move of all pairs, in 95 of 100 draws, is the margin (`sure_difference`): a
family of signed paired tests corrected for all pairs at once. So with 95 % confidence all claims "better" of
a board are true together, and with them all rank intervals (Mogstad, Romano, Shaikh and Wilhelm 2024):

    from 1 + how many are surely better    to all - how many are surely worse

One margin for all pairs, instead of one for each, has a price where a few models vary much less than the
others, and three virtues. Two scores are enough to see whether their order is sure. A better score never has
a worse interval. And to do better on a test case never costs a place: the model's differences grow by as much
as the margin can at most. Margins that depend on the pair (a largest t statistic) have neither of the last
two, and fail where scores are skewed: of models that are equally good in different ways (always 75; 100 and
0), they declared some better on 49 of 100 boards of 8 models and 14 test cases (`bench/ranks.py`).

As in `intervals` the bootstrap is corrected for few units. The quantile of Student's t is farther out here,
for it is the largest of many differences that decides. And it counts a little of what may have gone unseen,
as the interval of a single pair does, so that a board is not surer than the pair alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .intervals import ROUNDS, Numbers, drawn_means, normal_quantile, t_quantile, unseen_move
from .power import LEAST_CASES

CONFIDENCE = 0.95
_TAIL = 0.995
_TIE = 1e-9


def moves(means: Numbers, *, seed: int, rounds: int = ROUNDS) -> Numbers:
    """The farthest move of any two groups (rows) against each other in each round, sorted.

    Infinite below six units: even who wins all of five is not surely better.
    """
    groups, units = means.shape
    if units < LEAST_CASES or groups < 2:
        return np.full(rounds, np.inf)
    drawn = drawn_means(means, np.ones_like(means), seed=seed, rounds=rounds) - means.mean(axis=1)
    stretch = np.sqrt(units / (units - 1)) * t_quantile(_TAIL, units - 1) / normal_quantile(_TAIL)
    return np.sort(np.hypot((drawn.max(axis=1) - drawn.min(axis=1)) * stretch, unseen_move(units)))


def sure_difference(moved: Numbers, confidence: float = CONFIDENCE) -> float:
    """The margin: two groups farther apart than this differ surely."""
    return float(np.quantile(moved, confidence, method="higher"))


def chance_of(difference: float, moved: Numbers) -> float:
    """How often chance alone moves some pair as far: a p-value corrected for all pairs, never 0."""
    reached = len(moved) - int(np.searchsorted(moved, abs(difference), side="left"))
    return (reached + 1) / (len(moved) + 1)


def rank_intervals(scores: Numbers, margin: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The best and the worst rank that each group may have in truth.

    [90, 80, 40] and 20 -> [1, 1, 3] and [2, 2, 3]
    """
    ordered, apart = np.sort(scores), margin + _TIE
    better = len(scores) - np.searchsorted(ordered, scores + apart, side="right")
    worse = np.searchsorted(ordered, scores - apart, side="left")
    return 1 + better, len(scores) - worse


def breaks(low: Sequence[int], high: Sequence[int]) -> list[int]:
    """After how many rows of a ranking, best first, everything above is surely better than all below."""
    return [place for place in range(1, len(low)) if max(high[:place]) <= place < min(low[place:])]


# ---- Is the difference of two models more than chance? The exact sign-flip test of one pair.

SIGNIFICANT = 0.05
EXACT_CASES = 20
"""Up to so many differences every pattern of signs is counted; beyond, rounded differences are."""

_GRID = 1 << 12
_SIGN_TIE = 1e-9


def sign_flip_test(differences: Numbers) -> float:
    """Two-sided p-value of the mean difference, over all 2^n patterns of signs (Fisher 1935).

    Differences of zero have no sign and say nothing. Above `EXACT_CASES` others the sizes are rounded to a
    4,096th of their sum, and p is right to a few percent of itself, rather too large than too small.
    """
    sizes = np.abs(differences[differences != 0])
    observed = abs(float(differences.sum()))
    if len(sizes) == 0 or observed <= _SIGN_TIE * sizes.sum():
        return 1.0
    if len(sizes) <= EXACT_CASES:
        return _enumerated(sizes, observed)
    return _convolved(sizes, observed)


def _enumerated(sizes: Numbers, observed: float) -> float:
    """Meet in the middle: all sums of one half, sorted, searched for each sum of the other."""
    first, second = sizes[::2], sizes[1::2]
    left, right = _all_sums(first), np.sort(_all_sums(second))
    least = observed - _SIGN_TIE * sizes.sum()
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
