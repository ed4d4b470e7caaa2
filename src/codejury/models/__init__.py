"""Models: one prompt in, one answer out; the only package with a network.

`Session` holds what the models of one run share and turns a model's name into a model. Nothing here is
imported before it is used: the HTTP library and the price list cost half a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .keys import Keyring as Keyring
    from .protocol import Model as Model
    from .protocol import Parameters as Parameters
    from .protocol import RequestRefused as RequestRefused
    from .session import Session as Session

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "keys": ("Keyring",),
        "protocol": ("Model", "Parameters", "RequestRefused"),
        "session": ("Session",),
    },
)
