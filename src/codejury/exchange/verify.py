"""A submission under review: all files checked, some or all answers judged again, and the faults listed.

inspect      every sample: its files, its place, its definition, its sums; doubles; the denominator
pick         a seeded random choice of the verdicts that can be reproduced, or all of them
reproduce    each chosen answer judged anew, and compared with its claim
look again   what came out otherwise is judged once more, alone and with more time
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from ..errors import InputError
from ..judge.judge import Judge
from ..records import RULES_VERSION, BlockKind, Ending, Evaluation, Outcome, Packages
from ..store.wanted import read_wanted
from .case_lookup import EVERYONE, AnswerFilter, CaseLookup, wanted_samples
from .coverage import Combination, CoverageCheck, DuplicateCheck
from .reasons import claim_text, same_verdict
from .sample_checks import ClaimedVerdict, Fault, Finding, Inspected, inspect_sample, shown

_MOST_SECOND_LOOKS: Final = 100
"""A submission with more differences than this has failed; what is left needs no second look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What is to be verified, and how much of it is judged again."""

    root: Path
    lookup: CaseLookup
    wanted: AnswerFilter = EVERYONE
    pick: int | None = None
    """How many answers are judged again; None for all."""
    seed: int = 0
    expected: int | None = None
    """Samples each test case must have; None for what the runs recorded as wanted, or where they did not, as
    many as the fullest one of its combination has."""


@dataclass(slots=True, kw_only=True)
class VerifyReport:
    """The result of a review; the submission is good if there are no `findings`."""

    seed: int
    samples: int = 0
    models: set[str] = field(default_factory=set)
    reproducible: int = 0
    """Verdicts that were fit to be judged again."""
    to_judge: int = 0
    judged: int = 0
    reproduced: int = 0
    """Of those judged; the next two are among them."""
    second_try: int = 0
    """Came out at the second look."""
    wanted_cases: int = 0
    """Test cases that the runs have recorded as wanted; 0 where nothing is recorded."""
    suite_cases: int = 0
    slower: int = 0
    """Ran out of time where they were judged, and not here."""
    findings: list[Finding] = field(default_factory=list)


Told = Callable[[VerifyReport], None]
StartsJudge = Callable[[Packages, int], AbstractContextManager[Judge]]


def verify(review: Review, start_judge: StartsJudge, *, on_progress: Told = lambda _: None) -> VerifyReport:
    """Carry out a review. InputError if the tree holds no sample: nothing at all is no good submission.

    `start_judge` is told how many times the usual seconds the judge gives.
    """
    report = VerifyReport(seed=review.seed)
    chosen = _inspect(review, report)
    if report.to_judge:
        on_progress(report)
        packages = review.lookup.packages
        with start_judge(packages, 1) as judge:
            doubtful = _reproduce(review, chosen, judge, report, on_progress)
        if doubtful:
            with start_judge(packages, SECOND_LOOK) as judge:
                for each in doubtful:
                    _look_again(review.root, each, judge, report)
                    on_progress(report)
    return report


def _inspect(review: Review, report: VerifyReport) -> frozenset[Path] | None:
    """Check all files; return the evaluations to reproduce, None for all of them."""
    doubles, denominator = DuplicateCheck(), CoverageCheck()
    lottery = ReservoirSample(review.pick or 0, review.seed)
    for each in _inspected(review):
        report.samples += 1
        report.models.add(each.sample.request.model)
        report.findings += each.findings
        where = shown(each.sample.conversation, review.root)
        report.findings += doubles.faults(each.sample, each.conversation, where)
        if each.test_case:
            denominator.add(each.sample.request, each.test_case)
        if each.trial:
            report.reproducible += 1
            lottery.enter(each.sample.evaluation)
    if not report.samples:
        raise InputError(f"{review.root}: holds no sample of that kind; there is nothing to verify")
    cases = review.lookup.names(review.wanted)
    recorded = _recorded(review)
    report.findings += denominator.short(cases, review.expected, recorded)
    if review.expected is None and recorded:
        report.wanted_cases = len({case for due in recorded.values() for case in due})
        report.suite_cases = len(cases)
    report.to_judge = report.reproducible if review.pick is None else len(lottery.drawn)
    return None if review.pick is None else lottery.drawn


def _recorded(review: Review) -> dict[Combination, dict[tuple[str, str], int]]:
    """The samples that the runs wanted, of each test case under each combination."""
    recorded: dict[Combination, Counter[tuple[str, str]]] = {}
    for entry in read_wanted(review.root):
        asked = review.wanted.includes_question(entry.model, entry.prompt_label)
        for name, samples in entry.samples.items():
            category, _, case = name.rpartition("/")
            if asked and review.wanted.includes_case(category, case):
                recorded.setdefault(entry.combination, Counter())[category, case] += samples
    return {combination: dict(counts) for combination, counts in recorded.items()}


def _inspected(review: Review) -> Iterator[Inspected]:
    for sample in wanted_samples(review.root, review.wanted):
        yield inspect_sample(review.root, sample, review.lookup)


def _reproduce(
    review: Review,
    chosen: frozenset[Path] | None,
    judge: Judge,
    report: VerifyReport,
    on_progress: Told,
) -> list[ClaimedVerdict]:
    """Judge the chosen answers; return those that need a second look."""
    doubtful: list[ClaimedVerdict] = []
    with closing(judge.each(_trials(review, chosen), partial(_judge, judge))) as judged:
        for trial, evaluation in judged:
            report.judged += 1
            if comes_out(trial, evaluation):
                report.reproduced += 1
            elif len(doubtful) < _MOST_SECOND_LOOKS:
                doubtful.append(trial)
            else:
                report.findings.append(difference(review.root, trial, evaluation))
            on_progress(report)
    return doubtful


def _trials(review: Review, chosen: frozenset[Path] | None) -> Iterator[ClaimedVerdict]:
    for each in _inspected(review):
        if (chosen is None or each.sample.evaluation in chosen) and (trial := each.trial):
            yield trial


def _judge(judge: Judge, trial: ClaimedVerdict) -> Evaluation:
    return judge.evaluate(trial.answer, trial.test_case)


def _look_again(root: Path, trial: ClaimedVerdict, judge: Judge, report: VerifyReport) -> None:
    evaluation = _judge(judge, trial)
    if comes_out(trial, evaluation):
        report.second_try += 1
    elif only_slower(trial.claim, evaluation):
        report.slower += 1
    else:
        report.findings.append(difference(root, trial, evaluation))
        return
    report.reproduced += 1


# ---- One verdict given again, and held against the one that was claimed.

SECOND_LOOK: Final = 3
"""How many times the limit of seconds an answer gets when it is looked at again."""


class ReservoirSample:
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


def comes_out(trial: ClaimedVerdict, evaluation: Evaluation) -> bool:
    """Whether the new verdict is the one that was claimed."""
    return same_verdict(trial.claim, evaluation)


def difference(root: Path, trial: ClaimedVerdict, evaluation: Evaluation) -> Finding:
    """What did not come out, and whether another Julia or other rules may be why."""
    claim = trial.claim
    where = shown(trial.evaluation, root)
    if evaluation.outcome is Outcome.VOID:
        return Finding(fault=Fault.UNVERIFIED, where=where, what=evaluation.void_reason)
    what = f"claimed {claim_text(claim)}; found {claim_text(evaluation)}"
    if claim.rules_version != RULES_VERSION:
        old = "the predecessor's rules" if claim.by_predecessor else f"rules {claim.rules_version}"
        rules = f"claimed by {old}, found by rules {RULES_VERSION}"
        return Finding(fault=Fault.OTHER_RULES, where=where, what=f"{what} ({rules})")
    if claim.julia_version and claim.julia_version != evaluation.julia_version:
        julia = f"claimed by Julia {claim.julia_version}, found by Julia {evaluation.julia_version}"
        return Finding(fault=Fault.OTHER_JULIA, where=where, what=f"{what} ({julia})")
    return Finding(fault=Fault.DIFFERS, where=where, what=what)


def only_slower(claim: Evaluation, evaluation: Evaluation) -> bool:
    """Whether every block that passes here and not in the claim had run out of time there."""
    if evaluation.execution is None or claim.execution is None:
        return False
    claimed = {(block.kind, block.index): block.ending for block in claim.execution.blocks}
    found = {(block.kind, block.index): block.passed for block in evaluation.execution.blocks}
    nothing_ran = claimed.get((BlockKind.MAIN, 0)) == Ending.TIMED_OUT
    differing = [key for key, passed in found.items() if passed != (claimed.get(key) == Ending.PASSED)]
    return bool(differing) and all(
        found[key] and (nothing_ran or claimed.get(key) == Ending.TIMED_OUT) for key in differing
    )
