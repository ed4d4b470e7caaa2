"""Numbers as people read them. The browser does the same in static/base.js; a test compares the two."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

NOTHING: Final = "–"
_MINUTE: Final = 60.0


def number(value: float | None, digits: int = 1) -> str:
    """85.8214 -> 85.8; None -> –. A number nobody knows is never shown as 0."""
    return NOTHING if _unknown(value) else f"{value:.{digits}f}"


def share(value: float | None) -> str:
    """0.524 -> 52 %."""
    return NOTHING if _unknown(value) else f"{100 * (value or 0.0):.0f} %"


def count(value: float | None) -> str:
    """29701 -> 29,701."""
    return NOTHING if _unknown(value) else f"{value:,.0f}"


def money(value: float | None) -> str:
    """USD with as many digits as tell something: 0.00123 -> $0.0012; 1.5 -> $1.50; 0 -> $0."""
    if _unknown(value):
        return NOTHING
    if not value:
        return "$0"
    digits = 2 if abs(value) >= 1 else min(8, 1 - math.floor(math.log10(abs(value))))
    return f"${value:.{digits}f}"


def seconds(value: float | None) -> str:
    """12.34 -> 12.3 s; 754 -> 12 min 34 s."""
    if value is None or math.isnan(value):
        return NOTHING
    if value < 10 * _MINUTE:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes:,} min {rest:02d} s"


def times(value: float | None) -> str:
    """1.347 -> 1.35 ×: so many times as fast."""
    return NOTHING if _unknown(value) else f"{value:.2f} ×"


def moment(timestamp: str) -> str:
    """20240201_195629__158 -> 2024-02-01 19:56."""
    digits = timestamp.replace("_", "")
    if len(digits) < 12 or not digits[:12].isdigit():
        return timestamp or NOTHING
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:8]} {digits[8:10]}:{digits[10:12]}"


def ranks(low: int | None, high: int | None) -> str:
    """1, 7 -> 1 to 7; 3, 3 -> 3."""
    return NOTHING if low is None or high is None else str(low) if low == high else f"{low} to {high}"


def counted(amount: int, noun: str) -> str:
    """3, "answer" -> 3 answers."""
    return f"{amount:,} {noun}{'' if amount == 1 else 's'}"


def things_to_know(amount: int) -> str:
    """What the notes below it are folded into."""
    return "One thing to know" if amount == 1 else f"{amount} things to know"


def shade(value: float | None) -> str:
    """Which of eleven shades a score of 0 to 100 gets: `q0` to `q10`, or `none`."""
    return "none" if _unknown(value) else f"q{max(0, min(10, round((value or 0.0) / 10)))}"


def _unknown(value: float | None) -> bool:
    return value is None or not math.isfinite(value)


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "number": number, "share": share, "count": count, "money": money, "seconds": seconds,
    "times": times, "moment": moment, "shade": shade,
}  # fmt: skip
