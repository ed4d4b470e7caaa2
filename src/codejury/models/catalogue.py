"""What can be asked: the models and services a user has, without asking any of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from . import prices
from .keys import Keyring
from .providers import Provider, known_providers
from .session import Session, known_provider, providers_table
from .spec import COMMAND, KEYLESS, ModelSpec, key_variables, price_of, refused, service_of

BUILT_IN: Final = {
    "baseline/reference": "the test case's own solution: the ceiling",
    "baseline/chatty": "the same in a messy answer",
    "baseline/stub": "returns nothing: the floor",
    "command/NAME": "a program of yours, which codejury.toml describes",
    "local/smollm2-135m": "a small language model on this machine",
    "local/FILE.gguf": "any model llama.cpp can serve",
    "replay/FOLDER": "answers from stored conversations",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
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
    adapter: str = ""
    """The wire format; "" where nothing goes over a wire."""
    reasoning: str = ""
    """Which of `effort` and `thinking_tokens` it is sent; "" for neither."""
    reasons: bool = False
    """Known to think before it answers."""
    batches: bool = False


def catalogue(session: Session) -> list[CatalogueEntry]:
    """All configured models, what is built in, services, and plug-ins."""
    configured = session.configuration.models if session.configuration else {}
    free = (0.0, 0.0)
    return [
        *(describe(name, session) for name in configured),
        *(
            CatalogueEntry(
                name=name, kind="built-in", note=note, usd_per_million=None if _may_cost(name) else free
            )
            for name, note in BUILT_IN.items()
        ),
        *(_service(provider, session.keyring) for provider in known_providers().values()),
        *(
            CatalogueEntry(name=f"{name}/...", kind="plug-in", note=point.value)
            for name, point in providers_table().items()
            if _kind(name) == "plug-in"
        ),
    ]


def describe(text: str, session: Session) -> CatalogueEntry:
    """What one model string means; ModelRefused if it means nothing."""
    spec = session.spec_of(text)
    service = service_of(spec)
    if service is None:
        known_provider(spec)
    is_configured = session.configuration is not None and text in session.configuration.models
    variables = key_variables(spec)
    return CatalogueEntry(
        name=text,
        kind="configured" if is_configured else _kind(spec.provider),
        note=f"{spec.model} at {service.base_url}" if service else _what_it_is(text, spec),
        key_variables=variables,
        has_key=_has_key(variables, session.keyring),
        usd_per_million=prices.per_million(price_of(spec)),
        max_connections=spec.max_connections or (service.max_connections if service else None),
        requests_per_minute=spec.requests_per_minute,
        **(_speaks(service, refused(spec)) if service else {}),
    )


def _what_it_is(text: str, spec: ModelSpec) -> str:
    return f"the program {spec.command[0]}" if spec.command else BUILT_IN.get(text, spec.provider)


def _may_cost(name: str) -> bool:
    return name.startswith(f"{COMMAND}/")


def _kind(provider: str) -> str:
    if provider in KEYLESS:
        return "built-in"
    return "provider" if provider in known_providers() or not provider else "plug-in"


def _service(provider: Provider, keyring: Keyring) -> CatalogueEntry:
    return CatalogueEntry(
        name=f"{provider.name}/...",
        kind="provider",
        note=provider.base_url,
        key_variables=provider.key_variables,
        has_key=_has_key(provider.key_variables, keyring),
        usd_per_million=(0.0, 0.0) if provider.free else None,
        max_connections=provider.max_connections,
        **_speaks(provider, refused(ModelSpec(name="", provider=provider.name, model=""))),
    )


def _speaks(service: Provider, unheard: Collection[str]) -> dict[str, Any]:
    """How a service is asked."""
    return {
        "adapter": service.adapter,
        "reasoning": ", ".join(name for name in ("effort", "thinking_tokens") if name not in unheard),
        "reasons": service.reasons,
        "batches": bool(service.batches),
    }


def _has_key(variables: tuple[str, ...], keyring: Keyring) -> bool | None:
    return any(keyring.has(name) for name in variables) if variables else None
