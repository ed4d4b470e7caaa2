"""The Pareto front: the models that no other beats in both of two measures. Needs no drawing library."""

from __future__ import annotations

from itertools import pairwise

from .labels import Box


def pareto_front(points: list[tuple[float, float]]) -> list[bool]:
    """Return for each (x, score) whether no other is as good in both and better in one.

    [(1, 50), (2, 80), (3, 70)] -> [True, True, False]
    """
    return [
        not any(
            other_x <= x and other_score >= score and (other_x < x or other_score > score)
            for other_x, other_score in points
        )
        for x, score in points
    ]


def steps_of(front: list[tuple[float, float]]) -> list[Box]:
    """The line through a front in pixels, sorted from the left, as places where no label may stand."""
    boxes = []
    for (x, y), (next_x, next_y) in pairwise(front):
        boxes.append(Box(left=x, top=y - 2, right=next_x, bottom=y + 2))
        boxes.append(Box(left=next_x - 2, top=min(y, next_y), right=next_x + 2, bottom=max(y, next_y)))
    return boxes
