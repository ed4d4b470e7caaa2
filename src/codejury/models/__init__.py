"""Models: one prompt in, one answer out; the only room with a network.

session     what the models of one run share, and how a model string becomes a model
order       what a user asked for, filled in
protocol    what a model is
chat        the client for every OpenAI-compatible server: retries, pace, cost
 ├ wire       bytes there and back, within bounds
 ├ replies    what a server said, understood
 ├ patience   how long to wait, how often to try
 ├ naming     whose answer it is
 ├ limiter    how many requests at once
 └ shutter    the end of sending
baselines, replay, local     models that need no key
keys, prices, providers      what the others ask about; providers.toml lists the services
catalogue   what `codejury models` shows

Nothing here is imported before it is used: the HTTP library and the price list cost half a second.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .keys import Keyring
    from .order import Maker, Order
    from .protocol import Model, NotSent, Parameters, RequestRefused, Retry
    from .providers import secret_variables
    from .session import Session

__all__ = [
    "Keyring",
    "Maker",
    "Model",
    "NotSent",
    "Order",
    "Parameters",
    "RequestRefused",
    "Retry",
    "Session",
    "secret_variables",
]

_HOMES = {
    "Keyring": "keys",
    "Maker": "order",
    "Model": "protocol",
    "NotSent": "protocol",
    "Order": "order",
    "Parameters": "protocol",
    "RequestRefused": "protocol",
    "Retry": "protocol",
    "Session": "session",
    "secret_variables": "providers",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
