"""Unit tests in a chain: after the first one that fails, none is run any more.

A mutant that fails a test is killed, and what comes after only costs time: most of all where it hangs, for
each test that hangs costs the whole time limit. So every test begins by asking for a mark that the one
before it has left, and ends at once where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..records import BlockKind, Execution, TestCase


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
