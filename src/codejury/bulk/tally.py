"""How bulk judging went so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..records import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts of verdicts. Void lines are listed, but take no part in a rate or a mean."""

    passed: int = 0
    failed: int = 0
    void: int = 0
    points: float = 0.0
    julia_versions: frozenset[str] = frozenset()

    @property
    def lines(self) -> int:
        return self.judged + self.void

    @property
    def judged(self) -> int:
        return self.passed + self.failed

    @property
    def mean_score(self) -> float | None:
        """None where nothing was judged: no data is not 0."""
        return self.points / self.judged if self.judged else None

    def plus(self, verdict: Mapping[str, Any]) -> Tally:
        """Return the tally with one more verdict."""
        version = verdict["julia_version"]
        return Tally(
            passed=self.passed + (verdict["outcome"] == Outcome.PASS),
            failed=self.failed + (verdict["outcome"] == Outcome.FAIL),
            void=self.void + (verdict["outcome"] == Outcome.VOID),
            points=self.points + (verdict["score"] or 0.0),
            julia_versions=self.julia_versions | {version} if version else self.julia_versions,
        )
