"""Code that a definition gives: it runs before every answer, and no answer is blamed for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from codejury.judge.judge import Judge
from codejury.records import BlockKind, Outcome, TestCase

GIVEN = """\
struct Account
    owner::String
    balance::Int
end

interest(a::Account) = a.balance ÷ 10 + 1

yearly(a::Account) = a.balance + interest(a)
"""
CASE = TestCase(
    name="interest",
    contributor="somebody",
    criteria=("parsed", "executed", "passed_unit_tests", "executed_examples"),
    prompt="Fix `interest`: it is one too high.",
    version="1.0",
    examples=('yearly(Account("a", 100))',),
    unit_tests=(
        '@test interest(Account("a", 100)) == 10',
        '@test yearly(Account("a", 100)) == 110',
        '@test Account("a", 1) == Account("a", 1)',
    ),
    imports=(),
    reference_solution="interest(a::Account) = a.balance ÷ 10",
    given=GIVEN,
    kind="fix",
)


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge() as judge:
        yield judge


@pytest.mark.parametrize(
    "answer",
    [
        "```julia\ninterest(a::Account) = a.balance ÷ 10\n```",
        "```\ninterest(a::Account) = a.balance ÷ 10\n```",
        "interest(a::Account) = a.balance ÷ 10",
    ],
    ids=["a Julia fence", "a fence without a tag", "bare code"],
)
def test_an_answer_replaces_a_given_function_and_uses_the_rest(judge, answer):
    evaluation = judge.evaluate(answer, CASE)
    assert (evaluation.outcome, evaluation.score) == (Outcome.PASS, 100.0)


def test_an_answer_may_repeat_all_of_the_given_code(judge):
    whole = GIVEN.replace(" + 1", "")
    assert judge.evaluate(f"```julia\n{whole}```", CASE).outcome is Outcome.PASS


def test_the_given_code_itself_is_judged_with_its_fault(judge):
    execution = judge.execute_code(GIVEN, CASE)
    assert [block.passed for block in execution.of_kind(BlockKind.UNIT_TEST)] == [False, False, True]


def test_lines_and_code_in_a_verdict_are_those_of_the_answer_alone(judge):
    code = "interest(a::Account) = a.balance ÷ 10\n\nnot_defined_anywhere()"
    execution = judge.execute_code(code, CASE)
    assert execution.of_kind(BlockKind.MAIN)[0].line == 3
    assert execution.extraction.code == code
    assert execution.extraction.blocks_found == 1


def test_methods_of_the_given_code_are_no_tampering(judge):
    # For Julia's own types, and of a function that decides verdicts: an answer that did this is noted.
    pirate = "Base.:(==)(a::Symbol, b::Int) = true\n"
    case = replace(CASE, given=pirate + GIVEN)
    assert judge.execute_code(CASE.reference_solution, case).notes == ()
    assert judge.execute_code(pirate + CASE.reference_solution, CASE).notes != ()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ('x = 1\nerror("no")', "the definition's given code fails in line 2: ErrorException: no"),
        ("f(x) = x +", "the definition's given code fails in line 1: ParseError"),
    ],
)
def test_given_code_that_fails_makes_the_verdict_void(judge, given, said):
    evaluation = judge.evaluate(CASE.reference_solution, replace(CASE, given=given))
    assert (evaluation.outcome, evaluation.score) == (Outcome.VOID, None)
    assert evaluation.void_reason.startswith(said)


def test_given_code_that_measures_memory_is_compiled_like_the_answer(judge):
    # In the interpreter every call allocates.
    case = replace(
        CASE,
        given="allocations(f, x) = (f(x); @allocated f(x))\n" + GIVEN,
        unit_tests=('@test allocations(interest, Account("a", 10^9)) == 0',),
    )
    assert judge.evaluate(CASE.reference_solution, case).outcome is Outcome.PASS


def test_a_definition_for_a_newer_julia_is_void_here_and_says_so(judge):
    evaluation = judge.evaluate(CASE.reference_solution, replace(CASE, julia="99.1"))
    assert evaluation.outcome is Outcome.VOID
    assert evaluation.void_reason == f"needs Julia 99.1, and this is {judge.julia_version}"
    assert judge.evaluate(CASE.reference_solution, replace(CASE, julia="1.0")).outcome is Outcome.PASS
