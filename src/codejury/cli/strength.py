"""The strength part of `codejury validate`: measures, shows, and says what to do next.

measure        test cases -> reports, with a bar on stderr
as_document    the JSON form; for people see strength_report.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..records import TestCase
from .progress import progress
from .render import safe_text

if TYPE_CHECKING:
    from ..judge import Judge
    from ..strength import MutantResult, Options, StrengthReport

_FEW: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """What is good enough, in percent."""

    each: float
    overall: float


def measure(
    test_cases: Sequence[TestCase],
    options: Options,
    judge: Judge | None,
    on_report: Callable[[StrengthReport], None],
) -> list[StrengthReport]:
    """The strength of each test case, one after the other on one judge; no judge where none is valid."""
    from ..strength import find_mutants, measure_case
    from ..strength.equivalents import read_equivalents

    reports: list[StrengthReport] = []
    if judge is None or not test_cases:
        return reports
    for case in test_cases:
        read_equivalents(case.path)  # what is wrong there is told before minutes are spent
    with progress("finding mutants", None) as status:
        status.judge = judge
        for number, (case, found) in enumerate(zip(test_cases, find_mutants(test_cases), strict=True)):
            place = f"{number + 1} of {len(test_cases)}: {safe_text(case.name, one_line=True)}"
            status.update(0, None, f"runs of case {place}")
            reports.append(measure_case(case, found, judge.execute_code, options, status.update))
            on_report(reports[-1])
    return reports


def keep(report: StrengthReport, file: Path) -> None:
    """Keep a result for `codejury suite`, beside those of other test cases in the same file."""
    from ..strength.stored import save

    save([report], file)


def overall(reports: Sequence[StrengthReport]) -> float | None:
    """Killed of all mutants that count, over all cases, in percent."""
    from ..strength import Fate

    counted = sum(report.counted for report in reports)
    return 100 * sum(report.count(Fate.KILLED) for report in reports) / counted if counted else None


def strong_enough(reports: Sequence[StrengthReport], bars: Bars) -> bool:
    """Every case reaches its bar; where there are several, all together reach theirs."""
    together = overall(reports)
    high = len(reports) <= _FEW or together is None or together >= bars.overall
    return high and all(report.good_enough(bars.each) for report in reports)


def as_document(reports: Sequence[StrengthReport], bars: Bars) -> dict[str, Any]:
    """The JSON form."""
    together = overall(reports)
    return {
        "strong": strong_enough(reports, bars),
        "strength": None if together is None else round(together, 2),
        "bar": bars.each,
        "overall_bar": bars.overall,
        "cases": [_as_row(report, bars) for report in reports],
    }


def _as_row(report: StrengthReport, bars: Bars) -> dict[str, Any]:
    from ..strength import Fate

    strength = report.strength
    return {
        "name": report.name,
        "category": report.category,
        "path": str(report.path) if report.path else None,
        "strong": None if report.unchecked_because else report.good_enough(bars.each),
        "strength": None if strength is None else round(strength, 2),
        **{fate.value: report.count(fate) for fate in Fate},
        "left_out": report.left_out,
        "survivors": [_as_mutant(result) for result in report.survivors],
        "passing_cheats": [{"name": cheat.name, "code": cheat.code} for cheat in report.passing_cheats],
        "cheats": len(report.cheats),
        "tests": report.tests,
        "unneeded_tests": [test + 1 for test in report.redundant],
        "unsteady_tests": [
            {"test": one.test + 1, "trouble": one.trouble.value, "detail": one.detail}
            for one in report.unsteady
        ],
        "repeats": report.repeats,
        "unknown_names": [{"test": test + 1, "name": name} for test, name in report.unknown_names],
        "stale_entries": list(report.stale_entries),
        "wrong_entries": list(report.wrong_entries),
        "unprintable_lines": list(report.unprintable),
        "unchecked_because": report.unchecked_because,
        "seconds": round(report.seconds, 2),
    }


def _as_mutant(result: MutantResult) -> dict[str, Any]:
    mutant = result.mutant
    return {
        "mutant": mutant.id,
        "operator": mutant.operator,
        "line": mutant.line,
        "before": "\n".join(mutant.before),
        "after": "\n".join(mutant.after),
    }
