"""The group `attacks`: hostile candidates get nothing, and harm nobody."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from ..records import Limits
from .attack_runner import ATTACKS, Attack, AttackResult, AttackRunner, load_attacks
from .bench import Bench
from .checks import CheckState, Result, SelftestTrial
from .judging import around_us
from .machine import Machine

LIMITS: Final = Limits(seconds=2.0, memory_mb=256)


def attack_trials(machine: Machine) -> Iterator[SelftestTrial]:
    """One for each attack, all on one worker, which must outlive them."""
    with around_us() as around, Bench(machine) as bench:
        yield SelftestTrial("a worker starts", bench.open)
        if bench.sandbox is not None:
            runner = AttackRunner(bench.sandbox, around, limits=LIMITS)
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
