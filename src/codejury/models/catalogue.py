"""What can be asked: the models and services a user has, without asking any of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import prices
from .keys import Keyring
from .order import KEYLESS, key_variables, price_of, service_of
from .providers import Provider, known_providers
from .session import Session, known_provider, providers_table

BUILT_IN: Final = {
    "baseline/reference": "the test case's own solution: the ceiling",
    "baseline/chatty": "the same in a messy answer",
    "baseline/stub": "returns nothing: the floor",
    "local/smollm2-135m": "a small language model on this machine",
    "local/FILE.gguf": "any model llama.cpp can serve",
    "replay/FOLDER": "answers from stored conversations",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the catalogue."""

    name: str
    kind: str
    """`configured`, `provider`, `built-in` or `plug-in`."""
    note: str
    """Its address, or what it is."""
    key_variables: tuple[str, ...] = ()
    has_key: bool | None = None
    """None where no key is needed."""
    usd_per_million: tuple[float, float] | None = None
    """For tokens read and written; None where it is unknown."""
    max_connections: int | None = None
    requests_per_minute: int | None = None


def catalogue(session: Session) -> list[Entry]:
    """All configured models, what is built in, services, and plug-ins."""
    configured = session.configuration.models if session.configuration else {}
    free = (0.0, 0.0)
    return [
        *(describe(name, session) for name in configured),
        *(
            Entry(name=name, kind="built-in", note=note, usd_per_million=free)
            for name, note in BUILT_IN.items()
        ),
        *(_service(provider, session.keyring) for provider in known_providers().values()),
        *(
            Entry(name=f"{name}/...", kind="plug-in", note=point.value)
            for name, point in providers_table().items()
            if _kind(name) == "plug-in"
        ),
    ]


def describe(spec: str, session: Session) -> Entry:
    """What one model string means; ModelRefused if it means nothing."""
    order = session.order(spec)
    service = service_of(order)
    if service is None:
        known_provider(order)
    is_configured = session.configuration is not None and spec in session.configuration.models
    variables = key_variables(order)
    return Entry(
        name=spec,
        kind="configured" if is_configured else _kind(order.provider),
        note=f"{order.model} at {service.base_url}" if service else BUILT_IN.get(spec, order.provider),
        key_variables=variables,
        has_key=_has_key(variables, session.keyring),
        usd_per_million=prices.per_million(price_of(order)),
        max_connections=order.max_connections or (service.max_connections if service else None),
        requests_per_minute=order.requests_per_minute,
    )


def _kind(provider: str) -> str:
    if provider in KEYLESS:
        return "built-in"
    return "provider" if provider in known_providers() or not provider else "plug-in"


def _service(provider: Provider, keyring: Keyring) -> Entry:
    return Entry(
        name=f"{provider.name}/...",
        kind="provider",
        note=provider.base_url,
        key_variables=provider.key_variables,
        has_key=_has_key(provider.key_variables, keyring),
        usd_per_million=(0.0, 0.0) if provider.free else None,
        max_connections=provider.max_connections,
    )


def _has_key(variables: tuple[str, ...], keyring: Keyring) -> bool | None:
    return any(keyring.has(name) for name in variables) if variables else None
