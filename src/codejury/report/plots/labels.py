"""Labels beside points: each gets the nearest free place; one that is far from its point gets a line to it.

Works in pixels, with the width of a text guessed from its length. Greedy, in the order given: the most
important labels first. A label for which no place is free is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Final, Literal

_FONT: Final = 10.0
_CHARACTER: Final = 0.54
"""The width of a letter, as a part of the size of the font."""
_HEIGHT: Final = 1.2
_NEAR: Final = 9.0
_STRAIGHT: Final = 0.1
"""Cosine below which a direction counts as straight up or down."""
_RADII: Final = (9.0, 16.0, 26.0, 38.0, 52.0, 70.0, 90.0)
# Right, left, above, below, then between: the order in which places are liked.
_ANGLES: Final = tuple(pi * turn for turn in (0, 1, 1.5, 0.5, 1.75, 0.25, 1.25, 0.75, 1.9, 0.1, 1.1, 0.9))


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def within(self, width: float, height: float) -> bool:
        return self.left >= 0 and self.top >= 0 and self.right <= width and self.bottom <= height


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a label stands: the point it starts, ends or is centred at, and whether a line leads there."""

    x: float
    y: float
    align: Literal["left", "center", "right"]
    led: bool


def place_labels(
    points: Sequence[tuple[float, float]],
    labels: Sequence[str],
    width: float,
    height: float,
    obstacles: Sequence[Box] = (),
    *,
    font: float = _FONT,
    farthest: Sequence[float] = (),
) -> list[Place | None]:
    """Return a place for each label, None where there is no room. Points and obstacles stay free.

    `font` is the size of the letters in pixels; `farthest`, how far from its point each label may stand, if
    that is not the same for all.
    """
    taken = [*obstacles, *(Box(left=x - 5, top=y - 5, right=x + 5, bottom=y + 5) for x, y in points)]
    places: list[Place | None] = []
    limits = farthest or [_RADII[-1]] * len(points)
    for (x, y), label, limit in zip(points, labels, limits, strict=True):
        size = (len(label) * _CHARACTER * font, _HEIGHT * font)
        radii = [radius for radius in _RADII if radius <= limit]
        found = _first_free(x, y, size, radii, taken, (width, height))
        places.append(found[0] if found else None)
        if found:
            taken.append(found[1])
    return places


def _first_free(
    x: float,
    y: float,
    size: tuple[float, float],
    radii: Sequence[float],
    taken: Sequence[Box],
    room: tuple[float, float],
) -> tuple[Place, Box] | None:
    for radius in radii:
        for angle in _ANGLES:
            place, box = _candidate(x, y, size, radius, angle)
            if box.within(*room) and not any(box.meets(other) for other in taken):
                return place, box
    return None


def _candidate(
    x: float, y: float, size: tuple[float, float], radius: float, angle: float
) -> tuple[Place, Box]:
    """A label on the circle around its point: right of the point it starts there, left of it it ends."""
    length, tall = size
    at_x, at_y = x + radius * cos(angle), y + radius * sin(angle)
    align: Literal["left", "center", "right"] = "left" if cos(angle) > 0 else "right"
    if abs(cos(angle)) < _STRAIGHT:
        align = "center"
    left = at_x - {"left": 0.0, "center": 0.5, "right": 1.0}[align] * length
    box = Box(left=left, top=at_y - tall / 2, right=left + length, bottom=at_y + tall / 2)
    return Place(x=at_x, y=at_y, align=align, led=radius > _NEAR), box
