"""The same stored answers on several Julias: which verdicts differ from those of the first, and why.

Each verdict is on the disk already (see `by_julia`): comparing reads, and judges nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from ..errors import InputError
from ..records import Block, Ending, Evaluation, Outcome
from ..store.read import by_julia, read_evaluation
from ..store.samples import StoredSample
from .case_lookup import EVERYONE, AnswerFilter, wanted_samples
from .reasons import same_score


class Difference(StrEnum):
    """Why one Julia finds something else than another: what went wrong on the one that finds less."""

    SYNTAX = "syntax"
    UNDEFINED_NAME = "undefined_name"
    CHANGED_METHOD = "changed_method"
    DIFFERENT_RESULT = "different_result"
    OTHER_ERROR = "other_error"
    MISSING_PACKAGE = "missing_package"
    NEEDS_NEWER_JULIA = "needs_newer_julia"
    NOT_JUDGED = "not_judged"
    RESOURCES = "resources"


TOLD: Final = {
    Difference.SYNTAX: "does not parse there",
    Difference.UNDEFINED_NAME: "uses a name that is not defined there",
    Difference.CHANGED_METHOD: "calls a method that does not exist there",
    Difference.DIFFERENT_RESULT: "gives another result",
    Difference.OTHER_ERROR: "throws another error",
    Difference.MISSING_PACKAGE: "a package is not installed for one of them",
    Difference.NEEDS_NEWER_JULIA: "the test case needs a newer Julia",
    Difference.NOT_JUDGED: "could not be judged by one of them",
    Difference.RESOURCES: "ran out of time or memory, or ended its process",
}
"""Each difference in words; a test keeps the list complete."""

_BY_ERROR: Final = {
    "UndefVarError": Difference.UNDEFINED_NAME,
    "MethodError": Difference.CHANGED_METHOD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JuliaComparison:
    """One answer, and what each Julia found."""

    sample: StoredSample
    claims: Mapping[str, Evaluation | None]
    """By version, in the order they were asked for; None: there is no verdict that can be compared."""
    differences: Mapping[str, Difference]
    """By version: those that find something else than the first one."""

    @property
    def comparable(self) -> bool:
        """Whether every Julia has a verdict, void ones included."""
        return all(self.claims.values())


def compare_julias(
    root: Path, versions: Sequence[str], wanted: AnswerFilter = EVERYONE
) -> Iterator[JuliaComparison]:
    """Every wanted answer of a tree with its verdicts by these Julias; the others against the first."""
    return (_compared(sample, versions) for sample in wanted_samples(root, wanted))


def _compared(sample: StoredSample, versions: Sequence[str]) -> JuliaComparison:
    stored = {version: _verdict(by_julia(sample, version)) for version in versions}
    first = stored[versions[0]]
    differences = {}
    for version in versions[1:]:
        other = stored[version]
        if first and other and _same_exam(first, other) and (why := difference_of(first, other)):
            differences[version] = why
    return JuliaComparison(sample=sample, claims=stored, differences=differences)


def _verdict(sample: StoredSample) -> Evaluation | None:
    if not sample.has_evaluation:
        return None
    try:
        return read_evaluation(sample.evaluation).evaluation
    except InputError:
        return None


def _same_exam(one: Evaluation, other: Evaluation) -> bool:
    """Whether definition and rules are the same, so that Julia alone can make the difference."""
    return (one.definition_hash, one.rules_version) == (other.definition_hash, other.rules_version)


def difference_of(one: Evaluation, other: Evaluation) -> Difference | None:
    """Why two Julias find differently; None where outcome and score are the same."""
    if one.outcome == other.outcome and same_score(one.score, other.score):
        return None
    if void := next((each for each in (one, other) if each.outcome is Outcome.VOID), None):
        return _of_void(void)
    worse, better = sorted((one, other), key=_fared)
    if better.parsed and not worse.parsed:
        return Difference.SYNTAX
    if _packages_not_found(worse) - _packages_not_found(better):
        return Difference.MISSING_PACKAGE
    return _of_block(_telling_block(worse, better))


def _fared(stored: Evaluation) -> tuple[float, bool]:
    return stored.score or 0.0, stored.outcome is Outcome.PASS


def _packages_not_found(stored: Evaluation) -> set[str]:
    """What the answer wanted to load, and the judge left out because it is not installed."""
    return set(stored.execution.extraction.dropped_imports) if stored.execution else set()


def _of_void(stored: Evaluation) -> Difference:
    if stored.execution and stored.execution.missing_packages:
        return Difference.MISSING_PACKAGE
    needs_newer = stored.void_reason.startswith("needs Julia ")
    return Difference.NEEDS_NEWER_JULIA if needs_newer else Difference.NOT_JUDGED


def _telling_block(worse: Evaluation, better: Evaluation) -> Block | None:
    """The first block that passed on the one Julia and failed by itself on the other."""
    passed = {_place(block) for block in _blocks(better) if block.passed}
    failed = (block for block in _blocks(worse) if not block.passed and block.ending is not Ending.NOT_RUN)
    return next((block for block in failed if _place(block) in passed), None)


def _blocks(stored: Evaluation) -> Sequence[Block]:
    return stored.execution.blocks if stored.execution else ()


def _place(block: Block) -> tuple[str, int]:
    return block.kind, block.index


def _of_block(block: Block | None) -> Difference:
    if block is None or block.ending is Ending.FAILED:
        return Difference.DIFFERENT_RESULT
    if block.ending is Ending.ERRORED:
        return _BY_ERROR.get(block.error_type, Difference.OTHER_ERROR)
    return Difference.RESOURCES


# ---- Sums: per model, per test case, per difference


@dataclass(slots=True)
class Fared:
    """How a group of answers fared by each Julia. Only answers count that every Julia could judge."""

    answers: int = 0
    passed: Counter[str] = field(default_factory=Counter)
    """By version."""
    points: dict[str, float] = field(default_factory=dict)
    up: Counter[str] = field(default_factory=Counter)
    """By version: answers that fare better than by the first Julia."""
    down: Counter[str] = field(default_factory=Counter)
    not_compared: int = 0
    """Answers that a Julia has no verdict on, or a void one."""

    def add(self, compared: JuliaComparison) -> None:
        fates = {
            version: (claim.score, claim.outcome == Outcome.PASS)
            for version, claim in compared.claims.items()
            if claim is not None and claim.score is not None
        }
        if len(fates) < len(compared.claims):
            self.not_compared += 1
            return
        self.answers += 1
        first = next(iter(fates.values()))
        for version, (score, passed) in fates.items():
            self.passed[version] += passed
            self.points[version] = self.points.get(version, 0.0) + score
            if version in compared.differences:
                (self.up if fates[version] > first else self.down)[version] += 1

    def share_passed(self, version: str) -> float | None:
        """In percent."""
        return 100 * self.passed[version] / self.answers if self.answers else None

    def mean_score(self, version: str) -> float | None:
        return self.points[version] / self.answers if self.answers else None


@dataclass(slots=True)
class JuliaSummary:
    """All that was compared so far."""

    versions: tuple[str, ...]
    models: dict[str, Fared] = field(default_factory=dict)
    cases: dict[str, Fared] = field(default_factory=dict)
    differences: Counter[tuple[str, Difference]] = field(default_factory=Counter)
    """By version."""
    answers: int = 0

    def add(self, compared: JuliaComparison) -> None:
        request = compared.sample.request
        self.answers += 1
        self.models.setdefault(request.model, Fared()).add(compared)
        self.cases.setdefault(f"{request.category}/{request.name}", Fared()).add(compared)
        self.differences.update(compared.differences.items())

    @property
    def not_compared(self) -> int:
        return sum(fared.not_compared for fared in self.models.values())
