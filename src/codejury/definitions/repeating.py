"""A test case as it is run once more."""

from __future__ import annotations

from dataclasses import replace

from ..records import TestCase


def with_other_numbers(test_case: TestCase, number: int) -> TestCase:
    """The same test case, but its unit tests draw other random numbers, the same for the same `number`.

    The judge seeds each block alike; a test that does its work only by that luck is flaky all the same.
    """
    seeding = f"Core.eval(Module(), :(import Random; Random.seed!({1000 + number})))"
    return replace(test_case, unit_tests_setup=f"{test_case.unit_tests_setup}\n{seeding}")
