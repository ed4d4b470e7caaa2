"""What a look at a test case's strength has to say.

StrengthReport
    mutants      each killed, surviving, or marked equivalent
    cheats       answers that know nothing; each has to fail
    redundant    tests that no mutant needs
    unsteady     tests that fail at times, in another order, or that take long
    unknown      names in tests that the prompt never gives
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from .mutants import Mutant


class Fate(StrEnum):
    KILLED = "killed"
    SURVIVED = "survived"
    EQUIVALENT = "equivalent"  # marked so, and indeed it passes everything
    UNJUDGED = "unjudged"  # the sandbox broke


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantResult:
    """What became of a mutant."""

    mutant: Mutant
    fate: Fate
    killer: int | None = None
    """The first unit test, from 0, that it fails, as far as it is known."""
    timed_out: bool = False
    reason: str = ""
    """Why it is marked equivalent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheatResult:
    """How an answer that knows nothing did."""

    name: str
    code: str
    passed: bool
    """It passes every unit test: the test case is worth nothing."""


class UnsteadyKind(StrEnum):
    FLAKY = "flaky"  # fails at times, in its own order
    ORDER = "order"  # fails in another order
    SLOW = "slow"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsteadyTest:
    """A unit test that does not always say the same, or takes its time."""

    test: int
    trouble: UnsteadyKind
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthReport:
    """All that is known about the strength of one test case."""

    name: str
    category: str
    path: Path | None
    tests: int
    mutants: tuple[MutantResult, ...] = ()
    left_out: int = 0
    """Mutants that were not drawn, where there were too many."""
    unprintable: tuple[int, ...] = ()
    """Lines of top-level expressions that could not be mutated."""
    cheats: tuple[CheatResult, ...] = ()
    redundant: tuple[int, ...] = ()
    unsteady: tuple[UnsteadyTest, ...] = ()
    repeats: int = 0
    unknown_names: tuple[tuple[int, str], ...] = ()
    """Unit test, from 0, and name."""
    stale_entries: tuple[str, ...] = ()
    """Entries of the file of equivalent mutants that match no mutant."""
    wrong_entries: tuple[str, ...] = ()
    """Entries whose mutant is killed: it is not equivalent."""
    faulty_entries: tuple[str, ...] = ()
    """What is wrong with the file of equivalent mutants; then no mutant counts as equivalent."""
    unchecked_because: str = ""
    seconds: float = 0.0

    def count(self, fate: Fate) -> int:
        return sum(result.fate is fate for result in self.mutants)

    @property
    def survivors(self) -> tuple[MutantResult, ...]:
        return tuple(result for result in self.mutants if result.fate is Fate.SURVIVED)

    @property
    def counted(self) -> int:
        """The mutants that count: all that were judged, but those marked equivalent."""
        return self.count(Fate.KILLED) + self.count(Fate.SURVIVED)

    @property
    def strength(self) -> float | None:
        """Killed of those that count, in percent; None where there is none."""
        return 100 * self.count(Fate.KILLED) / self.counted if self.counted else None

    @property
    def passing_cheats(self) -> tuple[CheatResult, ...]:
        return tuple(cheat for cheat in self.cheats if cheat.passed)

    @property
    def flaky(self) -> tuple[UnsteadyTest, ...]:
        return tuple(test for test in self.unsteady if test.trouble is not UnsteadyKind.SLOW)

    def good_enough(self, bar: float) -> bool:
        """Strong, no cheat passes, nothing is flaky, and its file of equivalents says nothing false."""
        if self.unchecked_because:
            return True
        strong = self.strength is not None and self.strength >= bar
        false = self.stale_entries or self.wrong_entries or self.faulty_entries
        return strong and not (self.passing_cheats or self.flaky or false)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """What is good enough, in percent."""

    each: float
    overall: float


def overall(reports: Sequence[StrengthReport]) -> float | None:
    """Killed of all mutants that count, over all cases, in percent."""
    counted = sum(report.counted for report in reports)
    return 100 * sum(report.count(Fate.KILLED) for report in reports) / counted if counted else None


def strong_enough(reports: Sequence[StrengthReport], bars: Bars) -> bool:
    """Every case reaches its bar; where there are several, all together reach theirs."""
    together = overall(reports)
    high = len(reports) <= 1 or together is None or together >= bars.overall
    return high and all(report.good_enough(bars.each) for report in reports)
