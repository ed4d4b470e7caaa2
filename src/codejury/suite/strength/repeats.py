"""Whether the reference solution passes again and again: with other random numbers, in another order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from statistics import median
from typing import Final

from ...records import BlockKind, Execution, TestCase
from .report import UnsteadyKind, UnsteadyTest

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
            yield UnsteadyTest(test=test, trouble=UnsteadyKind.FLAKY, detail=detail)
        else:
            detail = f"failed {other} of {shuffled} times in another order"
            yield UnsteadyTest(test=test, trouble=UnsteadyKind.ORDER, detail=detail)


def _slow(seconds: dict[int, list[float]]) -> Iterator[UnsteadyTest]:
    for test, taken in sorted(seconds.items()):
        if median(taken) > SLOW_SECONDS:
            yield UnsteadyTest(test=test, trouble=UnsteadyKind.SLOW, detail=f"takes {median(taken):.1f} s")


# ---- Unit tests in a chain: after the first one that fails, none is run any more.


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """A test case that has some of the original's unit tests, each after the mark of the one before."""

    test_case: TestCase
    tests: tuple[int, ...]
    """The original's number of each, from 0."""

    def failed(self, execution: Execution) -> bool:
        """Whether any test was not passed."""
        return self.first_failure(execution) is not None

    def first_failure(self, execution: Execution) -> int | None:
        """The first test that was not passed, as the original counts; the first of all after tampering."""
        blocks = {block.index: block for block in execution.of_kind(BlockKind.UNIT_TEST)}
        for index, test in enumerate(self.tests):
            if execution.tampering or index not in blocks or not blocks[index].passed:
                return test
        return None


def chain_tests(test_case: TestCase, tests: Sequence[int] | None = None, *, linked: bool = True) -> Chain:
    """The given tests of a test case, or all, without its examples.

    Not `linked`, they all run, whatever the others did: for tests that do not bear a line more.
    """
    chosen = tuple(range(len(test_case.unit_tests)) if tests is None else tests)
    codes = [test_case.unit_tests[test] for test in chosen]
    if linked:
        codes = [_linked(code, link) for link, code in enumerate(codes)]
    case = replace(test_case, examples=(), examples_setup="", examples_teardown="", unit_tests=tuple(codes))
    return Chain(test_case=case, tests=chosen)


def _linked(code: str, link: int) -> str:
    asked = f"codejury_mark_{link - 1}\n" if link else ""
    return f"{asked}{code}\ncodejury_mark_{link} = true\n"


def later_tests(chain: Chain, original: TestCase, test: int) -> Chain | None:
    """The tests of a chain that come after one; None after the last."""
    later = [one for one in chain.tests if one > test]
    linked = chain.test_case.unit_tests[0] != original.unit_tests[chain.tests[0]]
    return chain_tests(original, later, linked=linked) if later else None


# ---- A test case as it is run once more.


def with_other_numbers(test_case: TestCase, number: int) -> TestCase:
    """The same test case, but its unit tests draw other random numbers, the same for the same `number`.

    The judge seeds each block alike; a test that does its work only by that luck is flaky all the same.
    """
    seeding = f"Core.eval(Module(), :(import Random; Random.seed!({1000 + number})))"
    return replace(test_case, unit_tests_setup=f"{test_case.unit_tests_setup}\n{seeding}")
