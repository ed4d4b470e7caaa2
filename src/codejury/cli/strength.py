"""The strength part of `codejury validate`: measures, shows, and says what to do next.

measure        test cases -> reports, with a bar on stderr
as_document    the JSON form; for people see strength_report.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..suite.strength.report import Bars, Fate, overall, strong_enough
from .progress import progress
from .render import safe_text

if TYPE_CHECKING:
    from ..judge.judge import Judge
    from ..records import TestCase
    from ..suite.strength.measure import Options
    from ..suite.strength.report import MutantResult, StrengthReport


def measure(
    test_cases: Sequence[TestCase],
    options: Options,
    judge: Judge | None,
    on_report: Callable[[StrengthReport], None],
) -> list[StrengthReport]:
    """The strength of each test case, with a bar on stderr; no judge where none is valid."""
    from ..suite.strength.measure import measure_suite

    if judge is None or not test_cases:
        return []
    with progress("finding mutants", None) as status:
        status.judge = judge

        def on_progress(number: int, done: int, total: int) -> None:
            name = safe_text(test_cases[number].name, one_line=True)
            place = f"{number + 1} of {len(test_cases)}: {name}"
            status.update(done, total or None, f"runs of case {place}")

        return measure_suite(test_cases, judge, options, on_progress=on_progress, on_report=on_report)


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
        "faulty_entries": list(report.faulty_entries),
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
