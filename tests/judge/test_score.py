"""From facts to points."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from codejury.errors import InputError
from codejury.judge.score import (
    VERDICT_FIELDS,
    assess,
    decided_by_referee,
    definition_hash,
    evaluation_to_dict,
    fractions_earned,
    of_referee_only,
    score_evaluation,
    void,
)
from codejury.records import Block, BlockKind, DecidedBy, Ending, Outcome
from fakes import a_case, facts

CASE = a_case()


def test_all_tests_and_examples_passed_is_a_pass_with_a_hundred_points():
    evaluation = assess(facts(CASE), CASE)
    assert (evaluation.score, evaluation.outcome) == (100.0, Outcome.PASS)


def test_points_are_shared_equally_and_not_rounded():
    evaluation = assess(facts(CASE, tests=(0, 1, 2), examples=(1,)), CASE)
    assert (evaluation.unit_tests_passed, evaluation.examples_executed) == (3, 1)
    assert evaluation.score == 25 + 25 + 18.75 + 12.5
    assert evaluation.outcome is Outcome.FAIL
    third = assess(
        facts(a_case(unit_tests=CASE.unit_tests[:3]), tests=(0,)), a_case(unit_tests=CASE.unit_tests[:3])
    )
    assert third.score == pytest.approx(75 + 25 / 3, abs=1e-12)


@pytest.mark.parametrize(
    ("criteria", "points"),
    [
        (("parsed",), 100.0),
        (("passed_unit_tests",), 50.0),
        (("unit_tests", "passed_unit_tests"), 50.0),  # two spellings of one criterion count once
        (("execution", "unit_tests"), 75.0),
        (("parsing", "execution", "unit_tests"), 250 / 3),
        (("examples",), 0.0),
    ],
)
def test_only_the_criteria_that_the_definition_names_count(criteria, points):
    case = a_case(criteria=criteria)
    assert assess(facts(case, tests=(0, 1), examples=()), case).score == pytest.approx(points, abs=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 7])
def test_full_marks_are_exactly_a_hundred(count):
    case = a_case(criteria=("parsed", "executed", "unit_tests"), unit_tests=("@test true",) * count)
    assert assess(facts(case), case).score == 100.0


def test_tests_that_never_ran_count_as_failed():
    run = facts(CASE, tests=(0, 1))
    cut = replace(
        run, blocks=tuple(b for b in run.blocks if b.kind is not BlockKind.UNIT_TEST or b.index < 2)
    )
    evaluation = assess(cut, CASE)
    assert (evaluation.unit_tests_passed, evaluation.unit_tests_count) == (2, 4)


def test_a_block_reported_twice_or_unknown_to_the_definition_earns_nothing_more():
    run = facts(CASE, tests=(0,))
    forged = [Block(kind=BlockKind.UNIT_TEST, index=i, ending=Ending.PASSED) for i in (0, 0, 7, -1)]
    assert assess(replace(run, blocks=(*run.blocks, *forged)), CASE).unit_tests_passed == 1


def test_code_that_did_not_execute_has_passed_nothing_whatever_is_reported():
    run = replace(facts(CASE), executed=False)
    evaluation = assess(run, CASE)
    assert (evaluation.unit_tests_passed, evaluation.examples_executed, evaluation.score) == (0, 0, 25.0)
    assert evaluation.outcome is Outcome.FAIL


def test_tampering_fails_all_unit_tests_and_is_told():
    evaluation = assess(facts(CASE, tampering=("redefined ==",)), CASE)
    assert (evaluation.unit_tests_passed, evaluation.examples_executed) == (0, 2)
    assert evaluation.outcome is Outcome.FAIL
    assert evaluation_to_dict(evaluation)["tampering"] == ["redefined =="]


def test_a_missing_package_is_void_and_names_the_package():
    evaluation = assess(facts(CASE, missing_packages=("Foo", "Bar")), CASE)
    assert (evaluation.outcome, evaluation.score) == (Outcome.VOID, None)
    assert "Foo, Bar" in evaluation.void_reason
    assert score_evaluation(evaluation, CASE) is None


def test_without_unit_tests_all_examples_decide():
    case = a_case(unit_tests=(), criteria=("parsed", "executed", "examples"))
    assert assess(facts(case), case).outcome is Outcome.PASS
    assert assess(facts(case, examples=(0,)), case).outcome is Outcome.FAIL
    assert assess(facts(case, tampering=("x",)), case).outcome is Outcome.FAIL


def test_a_criterion_with_nothing_to_measure_earns_nothing():
    case = a_case(unit_tests=(), criteria=("parsed", "unit_tests"))
    assert assess(facts(case), case).score == 50.0


def test_a_test_case_without_criteria_cannot_be_scored():
    with pytest.raises(InputError, match="criteria"):
        fractions_earned(void(CASE, "x"), a_case(criteria=()))


def test_the_hash_changes_with_whatever_can_change_a_verdict_and_with_nothing_else():
    same = [
        a_case(prompt="other `double`"),
        a_case(contributor="bob"),
        a_case(version="2.0"),
        a_case(reference_solution="x"),
        a_case(criteria=("parsing", "execution", "unit_tests", "examples")),
    ]
    other = [
        a_case(name="triple"),
        a_case(criteria=("parsed",)),
        a_case(examples=("double(1)",)),
        a_case(unit_tests=CASE.unit_tests[::-1]),
        a_case(imports=("Dates",)),
        a_case(examples_setup="x = 1"),
        a_case(examples_teardown="x = 1"),
        a_case(unit_tests_setup="x = 1"),
        a_case(unit_tests_teardown="x = 1"),
    ]
    assert {definition_hash(case) for case in same} == {definition_hash(CASE)}
    assert len({definition_hash(case) for case in [CASE, *other]}) == 1 + len(other)


def test_a_verdict_as_json_has_all_its_fields_void_or_not():
    for evaluation in (assess(facts(CASE), CASE), void(CASE, "broken")):
        verdict = json.loads(json.dumps(evaluation_to_dict(evaluation)))
        assert tuple(verdict) == VERDICT_FIELDS
    assert verdict["extraction"] is None
    assert (verdict["outcome"], verdict["passed"], verdict["score"]) == ("void", False, None)


def test_a_verdict_as_json_tells_each_block_and_the_tail_of_the_output():
    run = facts(CASE, tests=(), stdout="a" * 5000 + "end")
    verdict = json.loads(json.dumps(evaluation_to_dict(assess(run, CASE))))
    assert verdict["blocks"][-1] == {
        "kind": "unit_test", "index": 3, "ending": "failed", "error_type": "", "message": "", "line": None,
        "seconds": 0.0, "decided_by": "",
    }  # fmt: skip
    assert verdict["extraction"]["rule"] == "all"
    assert len(verdict["stdout_tail"]) == 4000
    assert verdict["stdout_tail"].endswith("end")


def test_a_julia_older_than_the_definition_asks_for_is_no_failure():
    newer = replace(CASE, julia="1.9")
    for version, outcome in {
        "1.8.5": Outcome.VOID,
        "1.9.0-rc2": Outcome.PASS,
        "1.10.1": Outcome.PASS,
    }.items():
        assert assess(facts(newer, julia_version=version), newer).outcome is outcome
    assert (
        assess(facts(newer, julia_version="1.8.5"), newer).void_reason == "needs Julia 1.9, and this is 1.8.5"
    )


def test_given_code_is_part_of_what_can_change_a_verdict_and_level_and_kind_are_not():
    before = definition_hash(CASE)
    assert definition_hash(replace(CASE, level="hard", kind="speed", julia="1.9")) == before
    assert definition_hash(replace(CASE, given="x = 1")) != before


def test_the_hash_of_a_definition_without_given_code_is_that_of_stored_evaluations():
    # Computed before there was given code: a change would make every stored evaluation look outdated.
    assert definition_hash(a_case(name="twice", unit_tests=("@test twice(1) == 2",))) == (
        "7553e3f2b2ea08aa76e565da7de4bf751776d2ed7f3710b69fa8cce1abc1b6ce"
    )


def decided(run, *, by_candidate):
    """The same run, these unit tests decided by a type of its own, the others by the referee."""
    who = {True: DecidedBy.CANDIDATE, False: DecidedBy.REFEREE}
    return replace(
        run,
        blocks=tuple(
            replace(b, decided_by=who[b.index in by_candidate]) if b.kind is BlockKind.UNIT_TEST else b
            for b in run.blocks
        ),
    )


def test_only_what_the_referee_decides_for_the_reference_solution_counts_where_that_is_asked():
    split = decided_by_referee(decided(facts(CASE), by_candidate={3}))
    assert split == {0, 1, 2}
    answer = assess(decided(facts(CASE, tests=(0, 1, 2)), by_candidate={3}), CASE)
    counted = of_referee_only(answer, CASE, split)
    assert (counted.unit_tests_passed, counted.unit_tests_count, counted.outcome) == (3, 3, Outcome.PASS)
    assert counted.score == 100.0


def test_an_answer_cannot_take_a_test_out_of_that_count_by_a_type_of_its_own():
    split = decided_by_referee(decided(facts(CASE), by_candidate=()))
    answer = assess(decided(facts(CASE), by_candidate={0, 1, 2}), CASE)
    counted = of_referee_only(answer, CASE, split)
    assert (counted.unit_tests_passed, counted.unit_tests_count, counted.outcome) == (1, 4, Outcome.FAIL)
