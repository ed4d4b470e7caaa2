"""A submission under review: all files checked, some or all answers judged again, and the faults listed.

inspect      every sample: its files, its place, its definition, its sums; doubles; the denominator
pick         a seeded random choice of the verdicts that can be reproduced, or all of them
reproduce    each chosen answer judged anew, and compared with its claim
look again   what came out otherwise is judged once more, alone and with more time
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from ..errors import InputError
from ..records import Evaluation
from ..store import find_samples, read_wanted
from .checks import Inspected, Trial, inspect_sample
from .counting import Combination, Denominator, Doubles
from .exam import EVERYONE, Exam, Wanted
from .findings import Finding, shown
from .reproduce import PATIENCE, Lottery, comes_out, difference, only_slower
from .work import Evaluates, in_order

_MOST_SECOND_LOOKS: Final = 100
"""A submission with more differences than this has failed; what is left needs no second look."""


class StartsJudge(Protocol):
    """Gives a judge with these packages loaded and so many times the usual seconds."""

    def __call__(self, *, packages: tuple[str, ...], patience: int) -> AbstractContextManager[Evaluates]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What is to be verified, and how much of it is judged again."""

    root: Path
    exam: Exam
    wanted: Wanted = EVERYONE
    pick: int | None = None
    """How many answers are judged again; None for all."""
    seed: int = 0
    expected: int | None = None
    """Samples each test case must have; None for what the runs recorded as wanted, or where they did not, as
    many as the fullest one of its combination has."""


@dataclass(slots=True, kw_only=True)
class Report:
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


Told = Callable[[Report], None]


def verify(
    review: Review, start_judge: StartsJudge, *, workers: int = 1, on_progress: Told = lambda _: None
) -> Report:
    """Carry out a review. InputError if the tree holds no sample: nothing at all is no good submission."""
    report = Report(seed=review.seed)
    chosen = _inspect(review, report)
    if report.to_judge:
        on_progress(report)
        packages = review.exam.packages
        with start_judge(packages=packages, patience=1) as judge:
            doubtful = _reproduce(review, chosen, judge, workers, report, on_progress)
        if doubtful:
            with start_judge(packages=packages, patience=PATIENCE) as judge:
                for each in doubtful:
                    _look_again(review.root, each, judge, report)
                    on_progress(report)
    return report


def _inspect(review: Review, report: Report) -> frozenset[Path] | None:
    """Check all files; return the evaluations to reproduce, None for all of them."""
    doubles, denominator = Doubles(), Denominator()
    lottery = Lottery(review.pick or 0, review.seed)
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
    cases = review.exam.names(review.wanted)
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
        for name, samples in entry.samples.items():
            category, _, case = name.rpartition("/")
            if review.wanted.includes_model(entry.model) and review.wanted.includes_case(category, case):
                recorded.setdefault(entry.combination, Counter())[category, case] += samples
    return {combination: dict(counts) for combination, counts in recorded.items()}


def _inspected(review: Review) -> Iterator[Inspected]:
    for sample in find_samples(review.root):
        if review.wanted.includes(sample.request):
            yield inspect_sample(review.root, sample, review.exam)


def _reproduce(
    review: Review,
    chosen: frozenset[Path] | None,
    judge: Evaluates,
    workers: int,
    report: Report,
    on_progress: Told,
) -> list[Trial]:
    """Judge the chosen answers; return those that need a second look."""
    doubtful: list[Trial] = []
    with closing(in_order(_trials(review, chosen), partial(_judge, judge), workers=workers)) as judged:
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


def _trials(review: Review, chosen: frozenset[Path] | None) -> Iterator[Trial]:
    for each in _inspected(review):
        if (chosen is None or each.sample.evaluation in chosen) and (trial := each.trial):
            yield trial


def _judge(judge: Evaluates, trial: Trial) -> Evaluation:
    return judge.evaluate(trial.answer, trial.test_case)


def _look_again(root: Path, trial: Trial, judge: Evaluates, report: Report) -> None:
    evaluation = _judge(judge, trial)
    if comes_out(trial, evaluation):
        report.second_try += 1
    elif only_slower(trial.stored, evaluation):
        report.slower += 1
    else:
        report.findings.append(difference(root, trial, evaluation))
        return
    report.reproduced += 1
