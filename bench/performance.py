"""Measure how well the speed of an answer repeats, on a quiet machine and on a busy one, and what it costs.

    python bench/performance.py [CASE ...] [--repeats N] [--busy N]

Answers are the reference solution and the accepted submissions of every test case with `performance`. Each is
judged N times; a speed agrees if it is within a tenth of the answer's median, or is marked as noisy. `--busy`
keeps so many processes computing beside it.

Prints for each answer its speed, the largest of its speeds divided by the smallest, and how many are noisy;
then the share of answers whose speeds all agree, and the time of a verdict with measuring divided by that of
one without.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from codejury.judge.judge import Judge
from codejury.records import NOISY_ABOVE, Performance, TestCase
from codejury.suite.load import load_definition
from codejury.suite.submissions import SubmissionKind, read_submissions
from codejury.suite.suite import bundled_suite, find_definitions

BURN = "while True: sum(range(10_000))"


def answers_to(case: TestCase, path: Path) -> Iterator[tuple[str, str]]:
    """The right solutions that there are, by name."""
    yield "reference", case.reference_solution
    for one in read_submissions(path)[0]:
        if one.kind is SubmissionKind.ACCEPTED:
            yield one.name, one.code


def judged(judge: Judge, code: str, case: TestCase, *, measure: bool) -> tuple[float, Performance | None]:
    started = time.perf_counter()
    execution = judge.execute_code(code, case, measure=measure)
    return time.perf_counter() - started, execution.performance


def agree(speeds: list[float]) -> bool:
    middle = median(speeds) if speeds else 1.0
    return all(abs(speed / middle - 1) <= NOISY_ABOVE for speed in speeds)


@contextmanager
def busy(processes: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(processes):
            burner = stack.enter_context(subprocess.Popen([sys.executable, "-c", BURN]))
            stack.callback(burner.kill)
        yield


def report(cases: list[TestCase], repeats: int) -> None:
    agreeing, noisy, listed, costs = 0, 0, 0, []
    with Judge() as judge:
        judged(judge, cases[0].reference_solution, cases[0], measure=True)  # starts all that it needs
        for case in cases:
            assert case.path is not None
            for name, code in answers_to(case, case.path):
                found = [judged(judge, code, case, measure=True) for _ in range(repeats)]
                without = median(judged(judge, code, case, measure=False)[0] for _ in range(repeats))
                costs.append(median(seconds for seconds, _ in found) / without)
                measured = [one for _, one in found if one is not None and one.speed is not None]
                if not measured:
                    print(f"{case.name:20} {name:34} not measured: {found[0][1]}")
                    continue
                speeds = [one.speed or 0.0 for one in measured]
                sure = [one.speed or 0.0 for one in measured if not one.noisy]
                listed += 1
                agreeing += agree(sure)
                noisy += len(measured) - len(sure)
                apart = max(speeds) / min(speeds)
                print(
                    f"{case.name:20} {name:34} speed {median(speeds):7.3f}  apart {apart:5.3f}  "
                    f"noisy {len(measured) - len(sure)} of {repeats}  {'' if agree(sure) else 'DIFFERS'}"
                )
    print(f"\n{agreeing} of {listed} answers agree within a tenth, or say that they are noisy")
    print(f"{noisy / max(1, listed * repeats):.0%} of the speeds are marked as noisy")
    print(f"a verdict with measuring takes {median(costs):.1f} times as long as one without (median)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cases", nargs="*", help="CATEGORY/NAME; all with `performance` without any")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--busy", type=int, default=0)
    arguments = parser.parse_args()
    root = bundled_suite()
    files = [root / name for name in arguments.cases] or find_definitions(root)
    cases = [case for case in map(load_definition, files) if case.performance]
    with busy(arguments.busy):
        report(cases, arguments.repeats)


if __name__ == "__main__":
    main()
