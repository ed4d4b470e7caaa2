"""How long to wait, and how often to try again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from math import isfinite


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """The limits of one request. All can be set per model in `codejury.toml`."""

    tries: int = 6
    """Requests in all before a model counts as unavailable."""
    seconds: float = 600.0
    """For one try, from the first byte sent to the last one read."""
    silence_seconds: float = 300.0
    """Without a single byte. Long, since a model thinks before its first one."""
    connect_seconds: float = 20.0
    first_delay: float = 1.0
    longest_delay: float = 60.0
    longest_pause: float = 300.0
    """A service that asks for more than this is left to the next run."""
    answer_bytes: int = 8_000_000


def backoff(retry: int, chance: float, patience: Patience, asked: float | None = None) -> float:
    """Seconds before the retry (from 0): doubling, with half of it left to chance.

    0, 1, 2, 3 -> 0.5..1, 1..2, 2..4, 4..8           never less than the service asked for
    """
    full = min(patience.longest_delay, patience.first_delay * 2.0**retry)
    if asked is None:
        return full * (0.5 + chance / 2)
    # A spread on top: all that were sent away together must not come back together.
    return asked + min(asked, patience.first_delay) * chance


def retry_after(headers: Mapping[str, str], wall: float) -> float | None:
    """The seconds a service asks to be left alone; None if it does not say.

    retry-after: 7 -> 7.0     retry-after: Wed, 21 Oct 2026 07:28:00 GMT -> from now until then
    """
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "").strip()
    if (seconds := _number(text)) is not None:
        return seconds
    return _until(text, wall)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return max(0.0, value) if isfinite(value) else None


def _until(date: str, wall: float) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    if moment.tzinfo is None:  # the standard says GMT
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - wall)
