"""What a rescore moved, added up as it goes: per model, and per cause."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ..records import Outcome
from .reasons import Quirk, Reason
from .rescore import Rescored


@dataclass(slots=True)
class RescoredModel:
    """The answers of one model that were judged again."""

    judged: int = 0
    first: int = 0
    """Had no score before, and have one now."""
    up: int = 0
    down: int = 0
    void: int = 0
    """Void now, or still."""
    not_judged: int = 0
    """Could not be judged, or keep the old verdict because the new one is void."""
    comparable: int = 0
    points_before: float = 0.0
    points_after: float = 0.0

    def add(self, result: Rescored) -> None:
        if result.problem or result.after is None:
            self.not_judged += 1
            return
        self.judged += 1
        self.void += result.after.outcome == Outcome.VOID
        if result.change is None:
            self.first += result.after.score is not None
            return
        self.up += result.change > 0
        self.down += result.change < 0
        self.comparable += 1
        self.points_before += (result.before.score if result.before else None) or 0.0
        self.points_after += result.after.score or 0.0

    @property
    def mean_before(self) -> float | None:
        """Of the answers that have a score before and after, so that the two means compare the same ones."""
        return self.points_before / self.comparable if self.comparable else None

    @property
    def mean_after(self) -> float | None:
        return self.points_after / self.comparable if self.comparable else None


@dataclass(slots=True)
class RescoreSummary:
    """All that was judged again so far."""

    models: dict[str, RescoredModel] = field(default_factory=dict)
    causes: Counter[tuple[tuple[Reason | Quirk, ...], str]] = field(default_factory=Counter)
    """Moves by their causes and their direction: `up`, `down`, or `new` for a first score."""
    problems: Counter[str] = field(default_factory=Counter)
    waiting: Counter[str] = field(default_factory=Counter)
    """Void for want of Julia packages: how many, by the package."""

    def add(self, result: Rescored) -> None:
        self.models.setdefault(result.sample.request.model, RescoredModel()).add(result)
        if result.problem:
            self.problems[result.problem] += 1
        if result.moved:
            self.causes[result.causes, direction(result)] += 1
        if result.after and result.after.execution:
            self.waiting.update(result.after.execution.missing_packages)

    @property
    def judged(self) -> int:
        return sum(tally.judged for tally in self.models.values())


def direction(result: Rescored) -> str:
    """`up`, `down`, `same`, or `new` where there was no score, or is none now."""
    if result.change is None:
        return "new"
    return "up" if result.change > 0 else "down" if result.change < 0 else "same"
