"""What an answer costs, in USD. Unknown is None, never 0.

A price is a function of the tokens read and written. It comes from the user's `codejury.toml`, else
from the list of the package `genai-prices`, which is loaded on the first question about it.
"""

from __future__ import annotations

from collections.abc import Callable

Price = Callable[[int | None, int | None], float | None]
MILLION = 1_000_000


def nothing(prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
    """Baselines, replays and local models."""
    return 0.0


def unknown(prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
    return None


def fixed(usd_in: float, usd_out: float) -> Price:
    """So much per million tokens read and written."""

    def cost(prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        if usd_in == usd_out == 0:
            return 0.0
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * usd_in + completion_tokens * usd_out) / MILLION

    return cost


def listed(provider: str, model: str) -> Price:
    """As the price list has it; the list knows steps and dates."""

    def cost(prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        if prompt_tokens is None or completion_tokens is None:
            return None
        return _from_the_list(provider, model, prompt_tokens, completion_tokens)

    return cost


def _from_the_list(provider: str, model: str, prompt_tokens: int, completion_tokens: int) -> float | None:
    from genai_prices import Usage, calc_price

    usage = Usage(input_tokens=prompt_tokens, output_tokens=completion_tokens)
    try:
        found = calc_price(usage, model_ref=model, provider_id=provider)
    except LookupError:
        return None
    if found.model_price.input_mtok is None or found.model_price.output_mtok is None:
        return None  # listed without a price per token: the sum would be a wrong 0
    return float(found.total_price)


def per_million(price: Price) -> tuple[float, float] | None:
    """USD per million tokens read and written, for small requests."""
    read, written = price(1000, 0), price(0, 1000)
    if read is None or written is None:
        return None
    return round(read * 1000, 6), round(written * 1000, 6)
