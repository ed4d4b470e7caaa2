"""All groups in their order, one check after the other; what is tried in the shorter ones.

isolation   what keeps candidates apart from this machine, each found by trying it
start-up    a worker starts and proves itself, forked at each level, and cold
attacks     hostile candidates get nothing, and harm nobody
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Final

from ..judge.sandbox.isolation.probe import MEANS
from ..records import Limits
from .attack_runner import ATTACKS, Attack, AttackResult, AttackRunner, load_attacks
from .checks import CheckState, Result, SelftestCheck, SelftestTrial, known_result
from .judging import around_us, cold_judging_trials, judging_trials
from .machine import BEST, Machine, SandboxUnderTest
from .suite import suite_trials, whole_suite_trials

GROUPS: Final = ("isolation", "start-up", "judging", "cold judging", "suite", "attacks")
_ATTACK_LIMITS: Final = Limits(seconds=2.0, memory_mb=256)


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


def isolation_trials(machine: Machine) -> Iterator[SelftestTrial]:
    """The probe's checks. What the level does not need is no failure where it is missing."""
    level = machine.asked or BEST
    optional = {name for names in MEANS.values() for name in names} - set(MEANS[level])
    for check in machine.isolation.checks:
        if check.ok:
            yield SelftestTrial(check.name, known_result(CheckState.PASSED, check.detail))
        elif check.name in optional:
            yield SelftestTrial(
                check.name, known_result(CheckState.SKIPPED, f"not needed for {level}: {check.detail}")
            )
        else:
            yield SelftestTrial(
                check.name, known_result(CheckState.FAILED, f"{check.detail} → {check.repair}")
            )


def startup_trials(machine: Machine) -> Iterator[SelftestTrial]:
    """One for each level that this machine gives, or for the one that was asked for."""
    for level in [machine.asked] if machine.asked else MEANS:
        name = f"fork at {level}"
        if missing := machine.lacks(level):
            yield SelftestTrial(name, known_result(CheckState.SKIPPED, missing))
            continue
        with SandboxUnderTest(machine, level=level) as bench:
            yield SelftestTrial(name, bench.open)
    with SandboxUnderTest(machine, cold=True) as bench:
        yield SelftestTrial(f"cold at {machine.level}", bench.open)


def attack_trials(machine: Machine) -> Iterator[SelftestTrial]:
    """One for each attack, all on one worker, which must outlive them."""
    with around_us() as around, SandboxUnderTest(machine) as bench:
        yield SelftestTrial("a worker starts", bench.open)
        if bench.sandbox is not None:
            runner = AttackRunner(bench.sandbox, around, limits=_ATTACK_LIMITS)
            for attack in load_attacks(ATTACKS):
                yield SelftestTrial(attack.name.replace("_", " "), partial(_attacked, runner, attack))


def _attacked(runner: AttackRunner, attack: Attack) -> Result:
    finding = runner.run(attack)
    faults = list(_faults(finding))
    if faults:
        return (
            CheckState.FAILED,
            f"{'; '.join(faults)} ({attack.tries.partition(' | ')[0]}; {finding.ending})",
        )
    return CheckState.PASSED, "tampering was noticed" if finding.tampering else "contained"


def _faults(finding: AttackResult) -> Iterator[str]:
    yield from finding.breaches
    if finding.passed_at_all:
        yield f"{finding.passed_at_all} tests were forged"
    if finding.attack.must_be_flagged and not finding.tampering:
        yield "it was not noticed as tampering"
