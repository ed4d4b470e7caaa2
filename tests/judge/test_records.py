"""The records: what their properties say of their fields, and what they are where nothing is said."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from codejury.records import (
    NOISY_ABOVE,
    NOT_TRIED,
    RULES_VERSION,
    STDOUT_TAIL,
    Block,
    BlockKind,
    Completion,
    Criterion,
    Ending,
    Evaluation,
    Extraction,
    Job,
    Limits,
    Measurement,
    Outcome,
    Performance,
    Snippet,
    case_fits,
    verdict_facts,
)
from fakes import a_case, facts

DOCS = Path(__file__).parents[2] / "docs"


def a_verdict(**changes: object) -> Evaluation:
    fields = {
        "name": "double", "parsed": True, "executed": True, "unit_tests_count": 4, "examples_count": 2,
        "unit_tests_passed": 3, "examples_executed": 1, "score": 60.0, "outcome": Outcome.FAIL,
    }  # fmt: skip
    return Evaluation(**fields | changes)  # type: ignore[arg-type]


def test_the_limits_and_the_version_of_the_rules_are_those_of_the_documents() -> None:
    judging = (DOCS / "judging.md").read_text(encoding="utf-8")
    assert Limits() == Limits(seconds=10, answer_seconds=60, memory_mb=512, output_bytes=1_000_000)
    told = "10 seconds for the main code and for each block (`--timeout`), 60 seconds for the whole answer"
    assert told in judging
    assert "512 MB over the warm process" in judging
    assert "1 MB of output" in judging
    assert max(map(int, re.findall(r"^\| (\d+) \|", judging, re.MULTILINE))) == RULES_VERSION
    assert NOISY_ABOVE == 0.1
    assert STDOUT_TAIL == 4000


def test_what_is_not_said_is_not_so() -> None:
    snippet = Snippet(code="x = 1")
    assert (snippet.fenced, snippet.extended, snippet.markup) == (True, False, "")
    assert Job(test_case=a_case(), snippets=(snippet,)).measure
    assert Extraction(rule="all", blocks_found=1, blocks_used=(0,)).dropped_tests == 0
    assert Performance() == Performance(speed=None, noisy=False, not_measured="", failed=0)
    assert Block(kind=BlockKind.MAIN, index=0, ending=Ending.PASSED).seconds == 0
    reply = Completion(text="")
    assert (reply.elapsed_seconds, reply.cost, reply.retries) == (0, None, 0)


def test_test_cases_that_differ_in_their_file_alone_are_equal() -> None:
    case = a_case(path=Path("cases/text/double/definition.toml"))
    assert case == a_case(path=None)
    assert (case.category, a_case(path=None).category) == ("text", "")
    assert a_case(criteria=("parsed", "executed", "parsed")).scored_criteria == (
        Criterion("parsed"), Criterion("executed"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [("wrap_*", True), ("text/*", True), ("text/wrap_words", True), ("text*", False), ("wrap", False)],
)
def test_a_pattern_with_a_slash_is_held_against_the_category_too(pattern: str, fits: bool) -> None:
    assert case_fits(pattern, "text", "wrap_words") is fits


@pytest.mark.parametrize(
    ("ending", "message", "was_run"),
    [
        (Ending.PASSED, "", True),
        (Ending.NOT_RUN, "", False),
        (Ending.TIMED_OUT, "still running after 10 s", True),
        (Ending.TIMED_OUT, NOT_TRIED, False),
        (Ending.FAILED, NOT_TRIED, True),
    ],
)
def test_a_block_was_run_unless_it_was_not_tried(ending: Ending, message: str, was_run: bool) -> None:
    block = Block(kind=BlockKind.EXAMPLE, index=0, ending=ending, message=message)
    assert (block.was_run, block.passed) == (was_run, ending is Ending.PASSED)


def test_blocks_are_told_apart_and_counted_by_their_kind() -> None:
    execution = facts(a_case(), tests=(0, 2, 3), examples=(1,))
    assert (execution.unit_tests_passed, execution.examples_executed) == (3, 1)
    assert [block.index for block in execution.of_kind(BlockKind.UNIT_TEST)] == [0, 1, 2, 3]


def test_a_performance_says_what_was_allocated_inferred_and_why_nothing_was_measured() -> None:
    one = Measurement(
        statement="f()", speed=1, spread=0, seconds=1, allocated=16, reference_allocated=16, inferred=None
    )
    measured = Performance(speed=1, statements=(one,))
    assert (measured.allocates_more, measured.inferred, measured.reason) == (False, True, "")
    wasteful = Performance(speed=1, statements=(one, replace(one, allocated=17, inferred=False)))
    assert (wasteful.allocates_more, wasteful.inferred) == (True, False)
    assert Performance(not_measured="x").reason == "x"
    assert Performance(not_measured="x", failed=2).reason == "statement 2: x"


def test_a_verdict_says_who_gave_it_and_by_which_julia() -> None:
    ours = a_verdict(execution=facts(a_case()))
    assert (ours.by_predecessor, ours.julia_version) == (False, "1.10.0")
    theirs = a_verdict(rules_version=None)
    assert (theirs.by_predecessor, theirs.julia_version) == (True, "")


def test_the_facts_of_a_verdict_are_its_fields_with_those_of_its_run_among_them() -> None:
    case = a_case()
    execution = facts(case, tests=(0,), stdout="a" * 10 + "b" * STDOUT_TAIL, given_error="")
    told = verdict_facts(a_verdict(execution=execution, executed=False))
    assert (told["score"], told["executed"], told["sandbox"]) == (60.0, False, "fake")
    assert told["extraction"] == execution.extraction
    assert told["stdout_tail"] == "b" * STDOUT_TAIL
    assert not told.keys() & {"execution", "stdout", "given_error"}


def test_the_facts_of_a_verdict_on_nothing_that_ran_have_the_same_keys() -> None:
    ran, did_not = verdict_facts(a_verdict(execution=facts(a_case()))), verdict_facts(a_verdict())
    assert list(ran) == list(did_not)
    assert (did_not["extraction"], did_not["stdout_tail"], did_not["blocks"]) == (None, "", ())
    assert (did_not["julia_version"], did_not["parsed"]) == ("", True)
