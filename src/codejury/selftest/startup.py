"""The group `start-up`: a worker starts and proves itself, forked at each level, and cold."""

from __future__ import annotations

from collections.abc import Iterator

from ..judge.sandbox.isolation.probe import MEANS
from .bench import Bench
from .checks import CheckState, SelftestTrial, told
from .machine import Machine


def startup_trials(machine: Machine) -> Iterator[SelftestTrial]:
    """One for each level that this machine gives, or for the one that was asked for."""
    for level in [machine.asked] if machine.asked else MEANS:
        name = f"fork at {level}"
        if missing := machine.lacks(level):
            yield SelftestTrial(name, told(CheckState.SKIPPED, missing))
            continue
        with Bench(machine, level=level) as bench:
            yield SelftestTrial(name, bench.open)
    with Bench(machine, cold=True) as bench:
        yield SelftestTrial(f"cold at {machine.level}", bench.open)
