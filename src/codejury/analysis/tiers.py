"""Tiers: a ranking that claims no more than the data does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .intervals import Flags, Numbers
from .signs import step_down

SIGNIFICANT = 0.05


def pair_differences(means: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64], Numbers]:
    """All pairs of groups (rows), and their differences on every unit (column); 0 where one has none."""
    first, second = np.triu_indices(len(means), 1)
    return first, second, np.nan_to_num(means[first] - means[second], nan=0.0)


def told_apart(means: Numbers, *, seed: int) -> Flags:
    """Which groups differ: a symmetric table of flags, corrected for looking at all pairs."""
    first, second, differences = pair_differences(means)
    flags = np.zeros((len(means), len(means)), dtype=np.bool_)
    if differences.size:
        flags[first, second] = step_down(differences, seed=seed) <= SIGNIFICANT
    result: Flags = flags | flags.T
    return result


def tiers(order: NDArray[np.int64], differs: Flags) -> NDArray[np.int64]:
    """The tier of every group, 1 for the best.

    Go down the ranking. A group that differs from the head of the present tier opens the next tier and is
    its head; any other joins. So all members of a tier could not be told apart from its best. Neighbours on
    two sides of a border need not differ from each other: "cannot be told apart" is no chain.
    """
    numbers = np.zeros(len(order), dtype=np.int64)
    if not len(order):
        return numbers
    head, number = order[0], 1
    for group in order:
        if differs[head, group]:
            head, number = group, number + 1
        numbers[group] = number
    return numbers
