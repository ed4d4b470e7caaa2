"""Whether the reference solution passes again and again: with other random numbers, in another order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from statistics import median
from typing import Final

from ..definitions import with_other_numbers
from ..records import BlockKind, Execution, TestCase
from .report import Trouble, UnsteadyTest

SLOW_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """One more run of the reference solution."""

    test_case: TestCase
    order: tuple[int, ...]
    """The original's number of each unit test."""
    shuffled: bool


def plan_repeats(test_case: TestCase, repeats: int, seed: int) -> list[Repeat]:
    """So many runs in order and as many in another: first from behind, then shuffled."""
    count = len(test_case.unit_tests)
    random = Random(seed)
    plan = []
    for number in range(repeats):
        own = tuple(range(count))
        other = own[::-1] if number == 0 else tuple(random.sample(own, count))
        plan += [
            _repeat(test_case, own, number, shuffled=False),
            _repeat(test_case, other, number, shuffled=True),
        ]
    return plan


def _repeat(test_case: TestCase, order: tuple[int, ...], number: int, *, shuffled: bool) -> Repeat:
    case = replace(
        with_other_numbers(test_case, number),
        examples=test_case.examples if not shuffled else (),
        unit_tests=tuple(test_case.unit_tests[index] for index in order),
    )
    return Repeat(test_case=case, order=order, shuffled=shuffled)


def judge_repeats(repeats: Sequence[Repeat], executions: Sequence[Execution]) -> tuple[UnsteadyTest, ...]:
    """The tests that failed in any repeat, and those that take long in most."""
    failures: dict[int, list[bool]] = {}
    seconds: dict[int, list[float]] = {}
    for repeat, execution in zip(repeats, executions, strict=True):
        for block in execution.of_kind(BlockKind.UNIT_TEST):
            test = repeat.order[block.index]
            seconds.setdefault(test, []).append(block.seconds)
            if not block.passed:
                failures.setdefault(test, []).append(repeat.shuffled)
    in_order = sum(not repeat.shuffled for repeat in repeats)
    return (*_failing(failures, in_order, len(repeats) - in_order), *_slow(seconds))


def _failing(failures: dict[int, list[bool]], in_order: int, shuffled: int) -> Iterator[UnsteadyTest]:
    for test, seen in sorted(failures.items()):
        own, other = seen.count(False), seen.count(True)
        if own:
            detail = f"failed {own} of {in_order} times with other random numbers"
            yield UnsteadyTest(test=test, trouble=Trouble.FLAKY, detail=detail)
        else:
            detail = f"failed {other} of {shuffled} times in another order"
            yield UnsteadyTest(test=test, trouble=Trouble.ORDER, detail=detail)


def _slow(seconds: dict[int, list[float]]) -> Iterator[UnsteadyTest]:
    for test, taken in sorted(seconds.items()):
        if median(taken) > SLOW_SECONDS:
            yield UnsteadyTest(test=test, trouble=Trouble.SLOW, detail=f"takes {median(taken):.1f} s")
