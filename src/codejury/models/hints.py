"""Help for whoever mistyped a name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The likeliest meant, else all there are.

    opnai -> did you mean `openai`?         xyz -> known: anthropic, openai
    """
    names = sorted(known)
    if close := get_close_matches(word, names, n=1):
        return f"did you mean `{close[0]}`?"
    return f"known: {', '.join(names)}" if names else "there are none"
