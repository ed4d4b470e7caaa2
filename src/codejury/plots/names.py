"""Names as they are shown: on one line, not too long, with nothing hidden in them, and all different."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Final

LONGEST_NAME: Final = 44
_UNSAFE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def shown_names(names: Sequence[str], longest: int = LONGEST_NAME) -> list[str]:
    r"""Return names as they are shown: one line, not too long, and still different from each other.

    "a\x1b[31m" -> r"a\x1b[31m"     "" -> "(no name)"
    """
    shown: dict[str, None] = {}
    for name in (shown_name(name, longest) for name in names):
        others = (f"{name} ({number})" for number in count(2))
        shown[name if name not in shown else next(other for other in others if other not in shown)] = None
    return list(shown)


def by_name(names: Sequence[str], longest: int = LONGEST_NAME) -> Mapping[str, str]:
    """Return how each of some different names is shown."""
    return dict(zip(names, shown_names(names, longest), strict=True))


def shown_name(name: str, longest: int = LONGEST_NAME) -> str:
    """Return one name as it is shown."""
    return _shortened(_harmless(name) or "(no name)", longest)


def _harmless(name: str) -> str:
    return "".join(ascii(c)[1:-1] if unicodedata.category(c) in _UNSAFE else c for c in name).strip()


def _shortened(name: str, longest: int) -> str:
    """Long names lose their middle: both ends tell them apart, as in `accounts/…/dbrx-instruct`."""
    if len(name) <= longest:
        return name
    head = longest // 3
    return f"{name[:head]}…{name[-(longest - head - 1) :]}"
