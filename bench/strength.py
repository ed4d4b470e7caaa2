"""Measure how many mutants are judged in a second, and what judging each in a new Julia would cost.

    python bench/strength.py [CASE ...] [--workers N] [--cold N]

warm        as `codejury validate --strength` does it: one fork of a warm Julia per run
reference   the solution itself, with all its examples and tests, in the same sandbox
cold        a new Julia process per mutant, sandboxed, for the first N mutants

Prints mutants per second, and the ratios, which do not depend on the machine as much.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from codejury.judge.judge import Judge
from codejury.judge.sandbox.factory import SandboxFactory
from codejury.records import Job, Limits, Snippet, TestCase
from codejury.suite.load import load_definition
from codejury.suite.strength.measure import Options, measure_case
from codejury.suite.strength.mutants import Findings, find_mutants
from codejury.suite.strength.repeats import chain_tests
from codejury.suite.suite import bundled_suite, find_definitions

CASES = ("strings_and_text/wrap_words", "collections/invert_index", "dates_and_times/add_business_days")


def seconds_for(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def judge_warm(case: TestCase, findings: Findings, judge: Judge, workers: int) -> float:
    """Seconds per mutant, with the run that finds out which test is needed."""
    options = Options(repeats=0, workers=workers)
    bare = Findings(
        forms=findings.forms,
        mutants=findings.mutants,
        unknown_names=(),  # without names there are no cheats
        expected=(),
        exceptions=(),
        calls=(),
    )
    return seconds_for(lambda: measure_case(case, bare, judge.execute_code, options)) / len(findings.mutants)


def judge_reference(case: TestCase, judge: Judge, times: int = 10) -> float:
    runs = range(times)
    return seconds_for(lambda: [judge.execute_code(case.reference_solution, case, 10) for _ in runs]) / times


def judge_cold(case: TestCase, findings: Findings, count: int) -> float:
    """Seconds per mutant with a new Julia process for each."""
    factory = SandboxFactory(cold=True)
    chain = chain_tests(case)
    chosen = findings.mutants[:count]

    def work() -> None:
        sandbox = factory()
        for mutant in chosen:
            snippet = Snippet(code=mutant.code, language="julia")
            sandbox.execute(Job(test_case=chain.test_case, snippets=(snippet,), limits=Limits()))
        sandbox.close()

    return seconds_for(work) / len(chosen)


def report(cases: Sequence[TestCase], workers: int, cold: int) -> None:
    started = time.perf_counter()
    all_findings = find_mutants(cases)
    mutants = sum(len(findings.mutants) for findings in all_findings)
    print(f"{mutants} mutants of {len(cases)} cases found in {time.perf_counter() - started:.1f} s")
    with Judge(workers=workers) as judge:
        _ = judge.level
        for case, findings in zip(cases, all_findings, strict=True):
            warm = judge_warm(case, findings, judge, workers)
            reference = judge_reference(case, judge)
            line = f"{case.name}: {1 / warm:.1f} mutants a second with {workers} workers"
            line += f"; a mutant costs {warm / reference:.2f} of a run of the reference"
            if cold:
                ratio = judge_cold(case, findings, cold) / warm
                line += f"; a cold Julia each would cost {ratio:.1f} times as much"
            print(line)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", type=Path, help="definitions or folders of them")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--cold", type=int, default=5, metavar="N", help="mutants to judge cold; 0 for none")
    options = parser.parse_args()
    roots = options.cases or [bundled_suite() / name for name in CASES]
    report([load_definition(file) for file in find_definitions(*roots)], options.workers, options.cold)


if __name__ == "__main__":
    main()
