"""The group `isolation`: what keeps candidates apart from this machine, each found by trying it."""

from __future__ import annotations

from collections.abc import Iterator

from ..judge.sandbox.isolation import probe
from .checks import CheckState, SelftestTrial, told
from .machine import BEST, Machine


def isolation_trials(machine: Machine) -> Iterator[SelftestTrial]:
    """The probe's checks. What the level does not need is no failure where it is missing."""
    level = machine.asked or BEST
    optional = {name for names in probe.MEANS.values() for name in names} - set(probe.MEANS[level])
    for check in machine.isolation.checks:
        if check.ok:
            yield SelftestTrial(check.name, told(CheckState.PASSED, check.detail))
        elif check.name in optional:
            yield SelftestTrial(
                check.name, told(CheckState.SKIPPED, f"not needed for {level}: {check.detail}")
            )
        else:
            yield SelftestTrial(check.name, told(CheckState.FAILED, f"{check.detail} → {check.repair}"))
