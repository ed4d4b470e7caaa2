"""Words for notes: columns as nouns, numbers with them, and lists that end."""

from __future__ import annotations

from collections.abc import Sequence


def noun(column: str) -> str:
    """test_case -> test case; parameter.temperature -> temperature."""
    return column.removeprefix("parameter.").replace("_", " ")


def number_of(amount: int, what: str) -> str:
    """1, "sample" -> 1 sample; 1200 -> 1,200 samples; category -> categories."""
    if amount == 1:
        return f"1 {what}"
    return f"{amount:,} {what[:-1]}ies" if what.endswith("y") else f"{amount:,} {what}s"


def listed(names: Sequence[object], most: int = 4) -> str:
    """a, b, c, d and 3 more."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(str(name) for name in names[:most]) + more
