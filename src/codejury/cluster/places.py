"""Which node has room for one more worker. Knows nothing of Ray: it is told what nodes there are."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a worker is, as far as verdicts depend on it."""

    level: str
    julia_version: str
    codejury_version: str

    def __str__(self) -> str:
        return f"Julia {self.julia_version}, isolation {self.level}, codejury {self.codejury_version}"


class Places:
    """Counts workers per node. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: Counter[str] = Counter()
        self._refused: dict[str, str] = {}
        self._standard: Facts | None = None

    @property
    def taken(self) -> Counter[str]:
        """Workers by node."""
        with self._lock:
            return +self._taken

    def take(self, rooms: Mapping[str, int]) -> str | None:
        """A node with room, the emptiest first; None if all are full. `rooms`: the processors of each."""
        with self._lock:
            free = {
                node: most - self._taken[node] for node, most in rooms.items() if node not in self._refused
            }
            node = max(free, key=lambda name: (free[name], name), default=None)
            if node is None or free[node] < 1:
                return None
            self._taken[node] += 1
            return node

    def give_back(self, node: str) -> None:
        with self._lock:
            self._taken[node] -= 1

    def refuse(self, node: str, reason: str) -> bool:
        """Never use this node again. Whether that is news."""
        with self._lock:
            is_new = node not in self._refused
            self._refused.setdefault(node, reason)
            return is_new

    def why_none(self, rooms: Mapping[str, int]) -> str:
        """Why there will never be room as things are: "" while a node is left that could take a worker."""
        with self._lock:
            if not rooms or any(node not in self._refused for node in rooms):
                return ""
            return "\n".join(sorted({self._refused[node] for node in rooms}))

    def differs(self, facts: Facts) -> str:
        """How a worker differs from the first one; "" if it does not. The first one sets the standard."""
        with self._lock:
            self._standard = self._standard or facts
            return "" if facts == self._standard else f"it has {facts}; the others have {self._standard}"
