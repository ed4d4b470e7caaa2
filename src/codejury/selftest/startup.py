"""The group `start-up`: a worker starts and proves itself, forked at each level, and cold."""

from __future__ import annotations

from collections.abc import Iterator

from ..sandbox.probe import MEANS
from .bench import Bench
from .checks import State, Trial, told
from .machine import Machine


def startup_trials(machine: Machine) -> Iterator[Trial]:
    """One for each level that this machine gives, or for the one that was asked for."""
    for level in [machine.asked] if machine.asked else MEANS:
        name = f"fork at {level}"
        if missing := machine.lacks(level):
            yield Trial(name, told(State.SKIPPED, missing))
            continue
        with Bench(machine, level=level) as bench:
            yield Trial(name, bench.open)
    with Bench(machine, cold=True) as bench:
        yield Trial(f"cold at {machine.level}", bench.open)
