"""A walk over a tree of stored answers: which need a verdict, which keep theirs, which cannot have one.

find_samples -> wanted? -> its evaluation, its definition -> Examined, with the reasons to judge it (or none)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from ..records import TestCase
from ..store import EvaluationDict, StoredSample, find_samples, read_evaluation
from .exam import EVERYONE, Exam, Wanted
from .reasons import Reason, reasons_to_judge


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """Which answers are to be judged again."""

    wanted: Wanted = EVERYONE
    everything: bool = False
    """Also those whose verdict stands."""
    julia_version: str = ""
    """The Julia that would judge; "" if unknown, and then no answer is chosen for its Julia."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A stored answer, and what is to be done with it."""

    sample: StoredSample
    stored: EvaluationDict | None
    """The verdict it has, if that can be read."""
    test_case: TestCase | None
    reasons: tuple[Reason, ...] = ()
    """Why it is judged again; none if its verdict stands."""
    problem: str = ""
    """Why it cannot be judged, although it should."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What a rescore would do."""

    samples: int
    """Answers that are wanted."""
    to_judge: int
    reasons: Counter[tuple[str, Reason]]
    """How many answers of each model, by reason. An answer can have several."""
    per_model: Counter[str]
    """How many answers of each model are to be judged."""
    problems: Counter[str]
    """Why answers cannot be judged, and how many of them."""
    packages: tuple[str, ...]
    """The Julia packages that the test cases need."""


def survey(root: Path, exam: Exam, aim: Aim) -> Survey:
    """Count what there is to do. Reads every evaluation, writes nothing, runs nothing."""
    samples = to_judge = 0
    reasons: Counter[tuple[str, Reason]] = Counter()
    per_model: Counter[str] = Counter()
    problems: Counter[str] = Counter()
    for examined in examine_all(root, exam, aim):
        samples += 1
        if examined.problem:
            problems[examined.problem] += 1
        elif examined.reasons:
            model = examined.sample.request.model
            to_judge += 1
            per_model[model] += 1
            reasons.update((model, reason) for reason in examined.reasons)
    return Survey(
        samples=samples, to_judge=to_judge, reasons=reasons, per_model=per_model, problems=problems,
        packages=exam.packages,
    )  # fmt: skip


def examine_all(root: Path, exam: Exam, aim: Aim) -> Iterator[Examined]:
    """Every wanted answer of a tree, in the order of the paths; what is judged meanwhile does not matter."""
    return (
        examine(sample, exam, aim) for sample in find_samples(root) if aim.wanted.includes(sample.request)
    )


def examine(sample: StoredSample, exam: Exam, aim: Aim) -> Examined:
    """Look at one answer. A broken file or a missing definition is its problem, not an exception."""
    stored, broken = _verdict(sample)
    try:
        test_case = exam.find(sample.request)
    except InputError as exc:
        return Examined(sample=sample, stored=stored, test_case=None, problem=str(exc))
    reasons = reasons_to_judge(stored, test_case, julia_version=aim.julia_version, everything=aim.everything)
    if broken:
        reasons = (Reason.UNREADABLE,)
    problem = _obstacle(sample) if reasons else ""
    return Examined(sample=sample, stored=stored, test_case=test_case, reasons=reasons, problem=problem)


def _verdict(sample: StoredSample) -> tuple[EvaluationDict | None, bool]:
    """The stored verdict, and whether there is one that cannot be read."""
    if not sample.has_evaluation:
        return None, False
    try:
        return read_evaluation(sample.evaluation), False
    except InputError:
        return None, True


def _obstacle(sample: StoredSample) -> str:
    """Why a sample that should be judged cannot be."""
    if not sample.has_conversation:
        return "there is no conversation beside the evaluation, so there is no answer to judge"
    return "" if sample.timestamp else sample.problem
