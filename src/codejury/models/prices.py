"""What an answer took, as far as its service can be believed, and what it costs. Unknown is None, never 0.

A price is a function of the tokens of an answer. It comes from the user's `codejury.toml`, else from the
list of the package `genai-prices`, which is loaded on the first question about it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

MOST_TOKENS: Final = 100_000_000  # no model reads or writes more in one go: a larger count is an error


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """None where the service does not say, or says something that cannot be."""

    read: int | None = None
    """All tokens of the prompt, those from a cache and into one included."""
    written: int | None = None
    """All tokens that are paid for as output, reasoning included."""
    reasoning: int | None = None
    """Those of `written` that are not part of the answer."""
    cache_read: int = 0
    """Those of `read` that came from a cache."""
    cache_written: int = 0
    """Those of `read` that went into one."""


def believable_count(value: Any) -> int | None:
    """A believable number of tokens, or None: a wrong number is worse than none."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def usage(
    read: Any, written: Any, *, reasoning: Any = None, cache_read: Any = None, cache_written: Any = None
) -> Usage:
    """What a service says, as far as it can be: a part is never more than the whole.

    usage(10, 5, reasoning=3) -> all known      usage(-1, 5, reasoning=7) -> written=5 alone
    """
    whole_in, whole_out = believable_count(read), believable_count(written)
    thought = believable_count(reasoning)
    from_cache, to_cache = believable_count(cache_read) or 0, believable_count(cache_written) or 0
    fits = whole_in is not None and from_cache + to_cache <= whole_in
    return Usage(
        read=whole_in,
        written=whole_out,
        reasoning=thought if thought is not None and whole_out is not None and thought <= whole_out else None,
        cache_read=from_cache if fits else 0,
        cache_written=to_cache if fits else 0,
    )


def added(*parts: Any) -> int | None:
    """The sum of counts that are told apart; None if one of them cannot be. Those left out are 0.

    added(10, None, 4) -> 14      added(10, -1) -> None      added(None, None) -> None
    """
    told = [part for part in parts if part is not None]
    counts = [believable_count(part) for part in told]
    return None if not told or None in counts else sum(count for count in counts if count is not None)


# ---- What so many tokens cost.

Price = Callable[[Usage], float | None]
MILLION = 1_000_000


def nothing(usage: Usage) -> float | None:
    """Baselines, replays and local models."""
    return 0.0


def unknown(usage: Usage) -> float | None:
    return None


def fixed(usd_in: float, usd_out: float) -> Price:
    """So much per million tokens read and written, wherever they come from."""

    def cost(usage: Usage) -> float | None:
        if usd_in == usd_out == 0:
            return 0.0
        if usage.read is None or usage.written is None:
            return None
        return (usage.read * usd_in + usage.written * usd_out) / MILLION

    return cost


def listed(provider: str, model: str) -> Price:
    """As the price list has it; the list knows steps, dates, and what a cache costs."""

    def cost(usage: Usage) -> float | None:
        if usage.read is None or usage.written is None:
            return None
        return _from_the_list(provider, model, usage)

    return cost


def _from_the_list(provider: str, model: str, usage: Usage) -> float | None:
    from genai_prices import Usage as Priced
    from genai_prices import calc_price

    priced = Priced(
        input_tokens=usage.read,
        output_tokens=usage.written,
        cache_read_tokens=usage.cache_read or None,
        cache_write_tokens=usage.cache_written or None,
        output_reasoning_tokens=usage.reasoning or None,
    )
    try:
        found = calc_price(priced, model_ref=model, provider_id=provider)
    except LookupError:
        return None
    if found.model_price.input_mtok is None or found.model_price.output_mtok is None:
        return None  # listed without a price per token: the sum would be a wrong 0
    return float(found.total_price)


def per_million(price: Price) -> tuple[float, float] | None:
    """USD per million tokens read and written, for small requests."""
    read, written = price(Usage(read=1000, written=0)), price(Usage(read=0, written=1000))
    if read is None or written is None:
        return None
    return round(read * 1000, 6), round(written * 1000, 6)
