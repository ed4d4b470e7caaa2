"""What a user asked for, complete: a model string filled in from `codejury.toml`.

service_of      who answers it over HTTP
price_of        what it costs
effective       the parameters that are really sent
refused         those that never are
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from . import prices
from .limits import RequestPolicy
from .protocol import Model, Parameters
from .providers import Provider, known_providers

if TYPE_CHECKING:
    from .session import Session

KEYLESS: Final = {"baseline": "baselines", "command": "commands", "local": "local", "replay": "replay"}
"""Providers that need no key of ours, and the modules that make their models."""
COMMAND: Final = "command"

_LANGUAGE: Final = ("adapter", "streams", "stream_options", "parameters", "names", "models", "batches")
"""What a server shares with the provider that it speaks like."""

ROOM_FOR_AN_ANSWER: Final = 8192
"""Tokens, beyond those that a model may think for."""

# Small models like to go on for ever.
DEFAULTS: Final[Mapping[str, Parameters]] = {"local": Parameters(max_tokens=512)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """All that is needed to make a model."""

    name: str
    """What the user calls it: `openai/gpt-4o`, or a name of their own."""
    provider: str
    """The provider's name; "" for a server given by its address alone."""
    model: str
    """What the server calls it."""
    base_url: str = ""
    """The server, where it is not the provider's own."""
    adapter: str = ""
    """The wire format, where it is not the provider's own."""
    streams: bool | None = None
    """Whether to ask for the reply in pieces; None leaves it to the provider."""
    key_variables: tuple[str, ...] = ()
    """Where its key is, if not where the provider's is."""
    key_is_optional: bool = False
    """Without a key the request is sent all the same."""
    parameters: Parameters = field(default_factory=Parameters)
    """Used where the run says nothing."""
    usd_per_million: tuple[float, float] | None = None
    """The user's own price, for tokens read and written."""
    max_connections: int | None = None
    requests_per_minute: int | None = None
    batch_poll_seconds: float | None = None
    command: tuple[str, ...] = ()
    """The program that answers, and its arguments."""
    policy: RequestPolicy = field(default_factory=RequestPolicy)


ModelFactory = Callable[[ModelSpec, "Session"], Model]
"""What the table of providers leads to, and what an entry point of the group `codejury.models` names."""


def service_of(spec: ModelSpec) -> Provider | None:
    """Who answers a model over HTTP; None for a built-in or a plug-in."""
    service = known_providers().get(spec.provider)
    if spec.base_url:
        service = _own_server(spec, service)
    if service is None:
        return None
    named = service.for_model(spec.model)
    streams = named.streams if spec.streams is None else spec.streams
    return replace(named, adapter=spec.adapter or named.adapter, streams=streams)


def _own_server(spec: ModelSpec, like: Provider | None) -> Provider:
    """A server of the user's own, which may speak like a provider: never with its key, or at its price."""
    server = Provider(name=spec.provider, base_url=spec.base_url, batches="openai")
    if like is None:
        return server
    kept = {name: getattr(like, name) for name in _LANGUAGE}
    return replace(server, **kept)


def key_variables(spec: ModelSpec) -> tuple[str, ...]:
    """The variables that may hold the key; none where none is needed."""
    service = service_of(spec)
    return spec.key_variables or (service.key_variables if service else ())


def price_of(spec: ModelSpec) -> prices.Price:
    """The user's own price, else that of the service; what runs here costs nothing."""
    service = service_of(spec)
    if spec.usd_per_million is not None:
        return prices.fixed(*spec.usd_per_million)
    if spec.provider == COMMAND:
        return prices.unknown  # it may well ask somebody who charges for it
    if spec.provider in KEYLESS or (service is not None and service.free):
        return prices.nothing
    return prices.listed(service.prices, spec.model) if service and service.prices else prices.unknown


def effective(spec: ModelSpec, parameters: Parameters) -> Parameters:
    """What is really sent: the run's, over the model's table, over the service's defaults.

    Without what the model would refuse.
    """
    service = service_of(spec)
    defaults = Parameters.from_mapping(service.parameters) if service else Parameters()
    own = DEFAULTS.get(spec.provider, Parameters())
    given = parameters.over(spec.parameters).without(refused(spec))
    return given.over(own).over(_with_room(defaults, given.thinking_tokens))


def refused(spec: ModelSpec) -> frozenset[str]:
    """Parameters that are never sent to this model: it would refuse the whole request."""
    service = service_of(spec)
    if service is None:
        return frozenset()
    from .adapters import adapter_named  # baselines and programs speak no wire format

    unheard = {name for name, sent_as in service.names.items() if not sent_as}
    named = service.names.keys() - unheard
    return adapter_named(service.adapter).lacks - named | unheard


def left_out(spec: ModelSpec, parameters: Parameters) -> tuple[str, ...]:
    """Parameters that somebody set, and that are not sent."""
    given = parameters.over(spec.parameters).sampling()
    return tuple(name for name in given if name in refused(spec))


def _with_room(defaults: Parameters, thinking_tokens: int | None) -> Parameters:
    """The longest answer of a service, or more: what is thought counts as part of the answer."""
    if not defaults.max_tokens or not thinking_tokens:
        return defaults
    return replace(defaults, max_tokens=max(defaults.max_tokens, thinking_tokens + ROOM_FOR_AN_ANSWER))


# ---- Suggestions for a name that was mistyped.
