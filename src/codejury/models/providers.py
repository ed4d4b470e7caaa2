"""The model services Codejury knows, read from `providers.toml` beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ..configuration import Configuration

# For a server given by `--base-url` alone. Never a provider's own key: that is not the server's to see.
ANY_SERVERS_KEY: Final = "CODEJURY_API_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A service that speaks the OpenAI chat protocol."""

    name: str
    base_url: str
    key_variables: tuple[str, ...] = ()
    """The first one that is set holds the key; none where the service wants none."""
    max_connections: int = 16
    prices: str = ""
    """Its name in the price list, "" where that list does not know it."""
    free: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Sent unless the user says otherwise."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What it calls a parameter; "" where it refuses to hear of it."""


@cache
def known_providers() -> Mapping[str, Provider]:
    """All services by name, in the order of the file."""
    tables = tomllib.loads(files(__package__).joinpath("providers.toml").read_text(encoding="utf-8"))
    return {name: _provider(name, table) for name, table in tables.items()}


def _provider(name: str, table: dict[str, Any]) -> Provider:
    return Provider(name=name, **{**table, "key_variables": tuple(table["key_variables"])})


def secret_variables(configuration: Configuration | None = None) -> tuple[str, ...]:
    """The names of all variables that hold keys: no candidate may ever see one."""
    known = [name for provider in known_providers().values() for name in provider.key_variables]
    models = configuration.models.values() if configuration else ()
    own = [model.key_variable for model in models if model.key_variable]
    return tuple(dict.fromkeys([*known, ANY_SERVERS_KEY, *own]))
