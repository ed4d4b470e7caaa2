"""What a user asked for, complete: a model string filled in from `codejury.toml`.

service_of      who answers it over HTTP
price_of        what it costs
effective       the parameters that are really sent
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from . import prices
from .patience import Patience
from .protocol import Model, Parameters
from .providers import Provider, known_providers

if TYPE_CHECKING:
    from .session import Session

KEYLESS: Final = {"baseline": "baselines", "local": "local", "replay": "replay"}
"""Providers that need neither key nor network, and the modules that make their models."""

# Small models like to go on for ever.
DEFAULTS: Final[Mapping[str, Parameters]] = {"local": Parameters(max_tokens=512)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """All that is needed to make a model."""

    name: str
    """What the user calls it: `openai/gpt-4o`, or a name of their own."""
    provider: str
    """The maker's name in the table; "" for a server given by its address alone."""
    model: str
    """What the server calls it."""
    base_url: str = ""
    """The server, where it is not the provider's own."""
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
    patience: Patience = field(default_factory=Patience)


Maker = Callable[[Order, "Session"], Model]
"""What the table of providers leads to, and what an entry point of the group `codejury.models` names."""


def service_of(order: Order) -> Provider | None:
    """Who answers an order over HTTP; None for a built-in or a plug-in."""
    if order.base_url:
        return Provider(name=order.provider, base_url=order.base_url)
    return known_providers().get(order.provider)


def key_variables(order: Order) -> tuple[str, ...]:
    """The variables that may hold the key; none where none is needed."""
    service = service_of(order)
    return order.key_variables or (service.key_variables if service else ())


def price_of(order: Order) -> prices.Price:
    """The user's own price, else that of the service; what runs here costs nothing."""
    service = service_of(order)
    if order.usd_per_million is not None:
        return prices.fixed(*order.usd_per_million)
    if order.provider in KEYLESS or (service is not None and service.free):
        return prices.nothing
    return prices.listed(service.prices, order.model) if service and service.prices else prices.unknown


def effective(order: Order, parameters: Parameters) -> Parameters:
    """What is really sent: the run's, over the model's table, over the service's defaults."""
    service = service_of(order)
    defaults = Parameters.from_mapping(service.parameters) if service else Parameters()
    own = DEFAULTS.get(order.provider, Parameters())
    return parameters.over(order.parameters).over(own).over(defaults)
