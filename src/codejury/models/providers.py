"""The model services Codejury knows, read from `providers.toml` beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ..configuration import Configuration


# For a server given by `--base-url` alone. Never a provider's own key: that is not the server's to see.
ANY_SERVERS_KEY: Final = "CODEJURY_API_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A service: data alone, which names the adapter that speaks its language."""

    name: str
    base_url: str
    adapter: str = "chat"
    streams: bool = False
    """It is asked for its reply in pieces, as they come."""
    stream_options: bool = True
    """It counts tokens in a stream of chat completions if it is asked to."""
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
    reasons: bool = False
    """The model thinks before it answers, and is asked to tell what."""
    batches: str = ""
    """The way in which it takes batches; "" where it takes none."""
    batch_price: float = 1.0
    """What a batch costs, as a share of the usual price."""
    models: tuple[Mapping[str, Any], ...] = ()
    """What differs for some of its models: patterns under `match`, then any of the fields above."""

    def for_model(self, model: str) -> Provider:
        """The service as one of its models knows it: the first entry that fits counts."""
        fitting = (entry for entry in self.models if any(fnmatchcase(model, p) for p in entry["match"]))
        differs = {name: value for name, value in next(fitting, {}).items() if name != "match"}
        tables = {name: {**getattr(self, name), **differs.get(name, {})} for name in ("parameters", "names")}
        return replace(self, **{**differs, **tables})


@cache
def known_providers() -> Mapping[str, Provider]:
    """All services by name, in the order of the file."""
    tables = tomllib.loads(files(__package__).joinpath("providers.toml").read_text(encoding="utf-8"))
    return {name: _provider(name, table) for name, table in tables.items()}


def _provider(name: str, table: dict[str, Any]) -> Provider:
    lists = {key: tuple(table.get(key, ())) for key in ("key_variables", "models")}
    return Provider(name=name, **{**table, **lists})


def secret_variables(configuration: Configuration | None = None) -> tuple[str, ...]:
    """The names of all variables that hold keys: no candidate may ever see one."""
    known = [name for provider in known_providers().values() for name in provider.key_variables]
    models = configuration.models.values() if configuration else ()
    own = [model.key_variable for model in models if model.key_variable]
    return tuple(dict.fromkeys([*known, ANY_SERVERS_KEY, *own]))
