"""Compare our verdicts with published ones.

    python bench/agreement.py FOLDER [--workers N] [--limit N] [--show N] [--environment DIR]

FOLDER (or the file in it) holds `code_generation/` and `answers.jsonl.gz`: one answer per line with
`test_case`, `answer`, `published` (parsed, executed, unit_tests_passed, examples_executed), `plain` and
`note`. On plain answers every field must agree; on the others ours may be higher, and lower only for a
reason that can be named. Those without a note are shown first.

Test cases that import packages need them installed: `codejury setup --packages --environment DIR`. Without
DIR they are those of the folder's own Project.toml, else of the bundled suite.
"""

from __future__ import annotations

import argparse
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answers import answers_folder, read_answers

from codejury.judge.judge import Judge
from codejury.records import Evaluation, Outcome, TestCase
from codejury.suite.load import load_definition
from codejury.suite.suite import find_definitions, packages_of

FIELDS = ("parsed", "executed", "unit_tests_passed", "examples_executed")


@dataclass(frozen=True)
class Comparison:
    """One published answer beside our verdict on it."""

    line: dict[str, Any]
    ours: Evaluation

    @property
    def differences(self) -> dict[str, tuple[Any, Any]]:
        pairs = {field: (self.line["published"][field], getattr(self.ours, field)) for field in FIELDS}
        return {field: pair for field, pair in pairs.items() if pair[0] != pair[1]}

    @property
    def is_lower(self) -> bool:
        return any(ours < published for published, ours in self.differences.values())


def compare_all(
    folder: Path, workers: int, limit: int | None, environment: Path | None = None
) -> list[Comparison]:
    cases = {case.name: case for case in map(load_definition, find_definitions(folder / "code_generation"))}
    lines = [line for line in read_answers(folder) if line["test_case"] in cases][:limit]
    packages = packages_of(cases.values(), environment and environment.absolute())
    with Judge(workers=workers, packages=packages) as judge, ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda line: _compare(judge, line, cases), lines))


def _compare(judge: Judge, line: dict[str, Any], cases: dict[str, TestCase]) -> Comparison:
    return Comparison(line, judge.evaluate(line["answer"], cases[line["test_case"]]))


def report(title: str, comparisons: list[Comparison], show: int) -> None:
    judged = [comparison for comparison in comparisons if comparison.ours.outcome is not Outcome.VOID]
    agreeing = [comparison for comparison in judged if not comparison.differences]
    lower = [comparison for comparison in judged if comparison.is_lower]
    share = len(agreeing) / len(judged) if judged else float("nan")
    print(f"{title}: {len(judged)} judged, {len(comparisons) - len(judged)} void")
    print(f"  all four fields agree: {len(agreeing)} ({share:.2%}); lower in some field: {len(lower)}")
    print(f"  notes on lower ones: {dict(Counter(c.line['note'] or '(none)' for c in lower))}")
    for comparison in sorted(lower, key=lambda one: bool(one.line["note"]))[:show]:  # the unexplained first
        _show(comparison)


def _show(comparison: Comparison) -> None:
    print(f"\n  {comparison.line['id']}\n    note: {comparison.line['note'] or '(none)'}")
    for field, (published, ours) in comparison.differences.items():
        print(f"    {field}: published {published}, ours {ours}")
    execution = comparison.ours.execution
    for block in execution.blocks if execution else ():
        if not block.passed and block.ending != "not_run":
            where = f"{block.kind} {block.index}, line {block.line}"
            print(f"    {where}: {block.ending} {block.error_type} {block.message}")
    if execution:
        extraction = execution.extraction
        print(f"    {extraction.rule}, dropped {extraction.dropped_imports}, {execution.tampering}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=answers_folder)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--show", type=int, default=20, help="how many lower verdicts to show")
    parser.add_argument("--environment", type=Path, help="with the packages that test cases import")
    options = parser.parse_args()
    comparisons = compare_all(options.folder, options.workers, options.limit, options.environment)
    report("plain answers", [c for c in comparisons if c.line["plain"]], options.show)
    report("other answers", [c for c in comparisons if not c.line["plain"]], options.show)


if __name__ == "__main__":
    main()
