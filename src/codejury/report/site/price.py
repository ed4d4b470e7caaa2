"""The picture of the board: solved against what a solved task costs, with the line of the best at each price.

It is part of the page, as SVG with links, in the page's colours: it needs no drawing library and no script.
Two are made, one for phones, since the letters of a picture that is scaled down cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import Any, Final

from ..plots.captions import shown_names
from ..plots.front import pareto_front, steps_of
from ..plots.labels import Place, place_labels

Row = Mapping[str, Any]

FEWEST: Final = 2
"""Models with a price, below which there is nothing to compare."""
_LEAST_SPAN: Final = 20.0
"""Points that the axis of solved spans at least: little differences shall not look large."""
_FAR, _NEAR = 90.0, 26.0
"""How far from its point a name may stand: of the best, and of the others, or lines would cross all over."""
_ANCHORS: Final = {"left": "start", "center": "middle", "right": "end"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    text: str
    x: float
    y: float
    anchor: str
    led: bool
    """Whether a line leads to it from its point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    model: str
    slug: str
    solved: float
    cost: float
    x: float
    y: float
    best: bool
    """At its price."""
    label: Label | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PricePicture:
    """Everything in pixels."""

    name: str
    width: int
    height: int
    left: float
    right: float
    top: float
    bottom: float
    points: tuple[Point, ...]
    line: str
    """The best at each price, as the points of a polyline."""
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _PictureSize:
    name: str
    width: int
    height: int
    font: float
    longest_name: int


_SIZES: Final = (
    _PictureSize(name="wide", width=960, height=470, font=12.5, longest_name=32),
    _PictureSize(name="narrow", width=360, height=400, font=12.0, longest_name=20),
)
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 24, 44


def price_pictures(rows: Sequence[Row]) -> list[PricePicture]:
    """The picture in both sizes; none where fewer than two models have a price."""
    priced = with_price(rows)
    return [_picture(priced, size) for size in _SIZES] if len(priced) >= FEWEST else []


def with_price(rows: Sequence[Row]) -> list[Row]:
    """The ranked rows that can stand on a logarithmic axis of cost."""
    return [
        row
        for row in rows
        if row["lacks"] is None and row["solved"] is not None and (row["cost_per_solved"] or 0) > 0
    ]


class _Scales:
    """From money and percent to pixels."""

    def __init__(self, rows: Sequence[Row], size: _PictureSize) -> None:
        exponents = [log10(row["cost_per_solved"]) for row in rows]
        margin = max(0.12, 0.05 * (max(exponents) - min(exponents)))
        self.low, self.high = min(exponents) - margin, max(exponents) + margin
        solved = [row["solved"] for row in rows]
        bottom = max(0.0, 10 * floor((min(solved) - 2) / 10))
        self.top = min(100.0, 10 * ceil((max(solved) + 2) / 10))
        self.bottom = min(bottom, self.top - _LEAST_SPAN)
        self.width, self.height = size.width - _LEFT - _RIGHT, size.height - _TOP - _BOTTOM

    def x(self, cost: float) -> float:
        return float((log10(cost) - self.low) / (self.high - self.low) * self.width)

    def y(self, solved: float) -> float:
        return float((self.top - solved) / (self.top - self.bottom) * self.height)

    def across(self, most: int) -> Iterator[Tick]:
        """Round amounts of money: 1, 2 and 5 of each power of ten, or 1 alone where those are too many."""
        powers = range(floor(self.low), ceil(self.high) + 1)
        for steps in ((1, 2, 5), (1, 3), (1,)):
            found = [step * 10.0**power for power in powers for step in steps]
            shown = [cost for cost in found if self.low <= log10(cost) <= self.high]
            if len(shown) <= most:
                break
        return (Tick(at=_round(_LEFT + self.x(cost)), text=f"${cost:.7g}") for cost in shown)

    def up(self) -> Iterator[Tick]:
        step = 10 if self.top - self.bottom <= 60 else 20
        for value in range(ceil(self.bottom / step) * step, round(self.top) + 1, step):
            yield Tick(at=_round(_TOP + self.y(value)), text=f"{value} %")


def _picture(rows: Sequence[Row], size: _PictureSize) -> PricePicture:
    scales = _Scales(rows, size)
    best = pareto_front([(row["cost_per_solved"], row["solved"]) for row in rows])
    # The best get their names first.
    order = sorted(zip(best, rows, strict=True), key=lambda pair: (not pair[0], -pair[1]["solved"]))
    places = [(scales.x(row["cost_per_solved"]), scales.y(row["solved"])) for _, row in order]
    front = sorted(place for place, (on_front, _) in zip(places, order, strict=True) if on_front)
    texts = shown_names([_short(row["model"]) for _, row in order], size.longest_name)
    labels = place_labels(
        places, texts, scales.width, scales.height, steps_of([*front, (scales.width, front[-1][1])]),
        font=size.font, farthest=[_FAR if on_front else _NEAR for on_front, _ in order],
    )  # fmt: skip
    points = [
        Point(
            model=row["model"], slug=row["slug"], solved=row["solved"], cost=row["cost_per_solved"],
            x=_round(x + _LEFT), y=_round(y + _TOP), best=on_front,
            label=_label(place, text),
        )
        for (on_front, row), (x, y), text, place in zip(order, places, texts, labels, strict=True)
    ]  # fmt: skip
    return PricePicture(
        name=size.name, width=size.width, height=size.height, left=_LEFT, right=size.width - _RIGHT, top=_TOP,
        bottom=size.height - _BOTTOM,
        points=tuple(reversed(points)),  # the best are drawn over the others
        line=_line(front, scales.width), across=tuple(scales.across(size.width // 70)),
        up=tuple(scales.up()),
    )  # fmt: skip


def _label(place: Place | None, text: str) -> Label | None:
    if place is None:
        return None
    x, y = _round(place.x + _LEFT), _round(place.y + _TOP)
    return Label(text=text, x=x, y=y, anchor=_ANCHORS[place.align], led=place.led)


def _short(model: str) -> str:
    """openai/gpt-x -> gpt-x."""
    return model.rpartition("/")[2] or model


def _line(front: Sequence[tuple[float, float]], right: float) -> str:
    """Steps: each is the best until the next one that solves more can be paid."""
    corners = [front[0]]
    for (_, y), (next_x, next_y) in pairwise(front):
        corners += [(next_x, y), (next_x, next_y)]
    corners.append((right, front[-1][1]))
    return " ".join(f"{_round(x + _LEFT)},{_round(y + _TOP)}" for x, y in corners)


def _round(pixels: float) -> float:
    return round(pixels, 1)
