"""One verdict given again, and held against the one that was claimed.

Time is the one thing that differs between honest machines, so a time-out is treated with care:
- A claim that is better than what we find, because we ran out of time, gets `PATIENCE` times the limit.
  If it then comes out, it stands. If not, it does not reproduce: else a loop could claim to have passed.
- A claim that is worse because its machine ran out of time stands, and is counted as slower: nobody gains
  by it, and it says so in its own blocks.
An answer that is not steady (random numbers from the system, the time of day) has two tries to come out.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

from ..records import RULES_VERSION, BlockKind, Ending, Evaluation, Outcome
from ..store import EvaluationDict
from .checks import Trial
from .claims import claim_of
from .findings import Fault, Finding, shown

PATIENCE: Final = 3
"""How many times the limit of seconds an answer gets when it is looked at again."""


class Lottery:
    """Draws some of many without knowing how many there are; the same seed draws the same."""

    def __init__(self, places: int, seed: int) -> None:
        self._places = places
        self._random = random.Random(seed)
        self._entered = 0
        self._drawn: list[Path] = []

    def enter(self, path: Path) -> None:
        self._entered += 1
        if len(self._drawn) < self._places:
            self._drawn.append(path)
            return
        place = self._random.randrange(self._entered)
        if place < self._places:
            self._drawn[place] = path

    @property
    def drawn(self) -> frozenset[Path]:
        return frozenset(self._drawn)


def comes_out(trial: Trial, evaluation: Evaluation) -> bool:
    """Whether the new verdict is the one that was claimed."""
    return trial.claim.same_verdict(claim_of(evaluation))


def difference(root: Path, trial: Trial, evaluation: Evaluation) -> Finding:
    """What did not come out, and whether another Julia or other rules may be why."""
    claim, found = trial.claim, claim_of(evaluation)
    where = shown(trial.evaluation, root)
    if evaluation.outcome is Outcome.VOID:
        return Finding(fault=Fault.UNVERIFIED, where=where, what=evaluation.void_reason)
    what = f"claimed {claim}; found {found}"
    if claim.rules_version != RULES_VERSION:
        old = "the predecessor's rules" if claim.rules_version is None else f"rules {claim.rules_version}"
        rules = f"claimed by {old}, found by rules {RULES_VERSION}"
        return Finding(fault=Fault.OTHER_RULES, where=where, what=f"{what} ({rules})")
    if claim.julia_version and claim.julia_version != found.julia_version:
        julia = f"claimed by Julia {claim.julia_version}, found by Julia {found.julia_version}"
        return Finding(fault=Fault.OTHER_JULIA, where=where, what=f"{what} ({julia})")
    return Finding(fault=Fault.DIFFERS, where=where, what=what)


def only_slower(stored: EvaluationDict, evaluation: Evaluation) -> bool:
    """Whether every block that passes here and not in the claim had run out of time there."""
    if evaluation.execution is None or "codejury_schema" not in stored:
        return False
    claimed = {(block["kind"], block["index"]): block["ending"] for block in stored["blocks"]}
    found = {(block.kind.value, block.index): block.passed for block in evaluation.execution.blocks}
    nothing_ran = claimed.get((BlockKind.MAIN.value, 0)) == Ending.TIMED_OUT
    differing = [key for key, passed in found.items() if passed != (claimed.get(key) == Ending.PASSED)]
    return bool(differing) and all(
        found[key] and (nothing_ran or claimed.get(key) == Ending.TIMED_OUT) for key in differing
    )
