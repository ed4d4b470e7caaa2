"""Public names of a package, loaded when they are first used: `codejury --help` needs none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, from its modules and the public names in each.

    A package lists its public names twice: here, and for type checkers under `if TYPE_CHECKING`. A test
    keeps the two equal.
    """
    home = {name: module for module, names in modules.items() for name in names}

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f".{home[name]}", package), name)

    def names() -> list[str]:
        return sorted(home)

    return load, names, sorted(home)
