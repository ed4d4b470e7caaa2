"""All groups in their order, one check after the other."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import Final

from .attacking import attack_trials
from .checks import CheckState, SelftestCheck, SelftestTrial
from .isolation import isolation_trials
from .judging import cold_judging_trials, judging_trials
from .machine import Machine
from .startup import startup_trials
from .suite import suite_trials, whole_suite_trials

GROUPS: Final = ("isolation", "start-up", "judging", "cold judging", "suite", "attacks")


def run_selftest(
    machine: Machine,
    *,
    full: bool = False,
    groups: Sequence[str] = GROUPS,
    on_start: Callable[[str, str], None] = lambda group, name: None,
) -> Iterator[SelftestCheck]:
    """Try everything, and yield each check when it is done; `on_start` hears of each before it begins.

    `full` takes the whole suite instead of a sample.
    """
    for group in groups:
        with closing(_trials(group, machine, full=full)) as trials:
            for trial in trials:
                on_start(group, trial.name)
                yield trial.carry_out(group)


def _trials(group: str, machine: Machine, *, full: bool) -> Generator[SelftestTrial]:
    makers: dict[str, Callable[[Machine], Iterator[SelftestTrial]]] = {
        "isolation": isolation_trials,
        "start-up": startup_trials,
        "judging": judging_trials,
        "cold judging": cold_judging_trials,
        "suite": whole_suite_trials if full else suite_trials,
        "attacks": attack_trials,
    }
    why_not = machine.nothing_runs_because
    if group == "isolation" or not why_not:
        yield from makers[group](machine)
    else:
        # Of the reasons, only a missing Julia has not been told under `isolation`.
        state = CheckState.FAILED if machine.no_julia and group == "start-up" else CheckState.SKIPPED
        yield SelftestTrial("Julia" if machine.no_julia else "not tried", lambda: (state, why_not))
