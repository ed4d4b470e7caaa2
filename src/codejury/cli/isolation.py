"""One line for a machine that isolates candidates less well than it could."""

from __future__ import annotations

from typing import Final

from ..program import command
from ..settings import Settings

STRONGEST: Final = "L3"


def weaker_isolation(settings: Settings) -> str:
    """`Isolation L2, not L3: user namespaces: forbidden here`, and who says more; "" where it is L3."""
    from ..judge.sandbox.isolation.probe import probe_isolation
    from ..judge.toolchain.find import find_bubblewrap

    isolation = probe_isolation(bubblewrap=find_bubblewrap(settings))
    if isolation.level == STRONGEST:
        return ""
    lacking = "; ".join(f"{check.name}: {check.detail}" for check in isolation.checks if not check.ok)
    return f"Isolation {isolation.level}, not {STRONGEST}: {lacking} (`{command('doctor')}` says more)"
