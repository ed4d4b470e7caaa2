"""Verdicts on whole answers, by the real judge: from markdown to score."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import codejury
from codejury.errors import SandboxError
from codejury.judge.judge import Judge
from codejury.models.baselines import chatty_answer, reference_answer, stub_answer
from codejury.records import RULES_VERSION, BlockKind, Ending, Outcome, TestCase
from codejury.suite.load import load_definition
from codejury.suite.suite import bundled_suite, find_definitions
from fakes import a_case, a_judge

DOUBLE = a_case()
SUITE = [load_definition(path) for path in find_definitions(bundled_suite())]
# What needs nothing but the standard library. The other cases are void where their package is missing.
PACKAGES = tomllib.loads((bundled_suite() / "Project.toml").read_text(encoding="utf-8"))["deps"]
BUNDLED = [case for case in SUITE if not PACKAGES.keys() & set(case.imports)]


def fenced(code: str, tag: str = "julia") -> str:
    return f"Here:\n\n```{tag}\n{code}\n```\n"


# One of each category: `codejury validate` runs all of them in another test.
@pytest.mark.parametrize(
    "case", {case.category: case for case in BUNDLED}.values(), ids=lambda case: case.name
)
def test_the_reference_solution_of_a_bundled_case_scores_100(jury: Judge, case: TestCase) -> None:
    assert jury.evaluate(reference_answer(case), case).score == 100


@pytest.mark.parametrize("case", BUNDLED, ids=lambda case: case.name)
def test_the_same_solution_in_a_messy_answer_scores_100(jury: Judge, case: TestCase) -> None:
    assert jury.evaluate(chatty_answer(case), case).score == 100


def test_without_its_package_the_verdict_on_a_case_is_void(jury: Judge) -> None:
    others = [case for case in SUITE if case not in BUNDLED]
    verdicts = {(one.outcome, one.score) for one in (jury.evaluate(reference_answer(c), c) for c in others)}
    assert verdicts <= {(Outcome.VOID, None), (Outcome.PASS, 100.0)}
    assert len(others) >= 2


@pytest.mark.parametrize("case", BUNDLED, ids=lambda case: case.name)
def test_a_stub_passes_no_bundled_case(jury: Judge, case: TestCase) -> None:
    assert jury.evaluate(stub_answer(case), case).outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("", 0),
        ("I would double the number.", 0),
        ("Sorry", 0),
        (fenced("def double(x):\n    return 2 * x", "python"), 0),
        (fenced("def double(x):\n    return 2 * x"), 0),
        ("```julia\nfunction double(x", 0),
        (fenced("double(x) = 2x", ""), 100),
        (fenced("double(x) = 2x", "jl"), 100),
        ("double(x) = 2x", 100),
        ("```julia\ndouble(x) = 2x", 100),
        (fenced("julia> double(x) = 2x\ndouble (generic function with 1 method)"), 100),
        (fenced('"""\n    double(x)\n"""\ndouble(x) = 2x'), 100),
        (fenced("using NoSuchPackage, Dates\ndouble(x) = 2x"), 100),
        (fenced("double(x) = 2x\n@test double(1) == 3"), 100),
        (fenced("double(x) = 2x") + fenced("double(no_such_name)"), 100),
        (fenced("double(x) = x"), 75),
        (fenced("double(x) = 2x\nerror()"), 25),
        ("<think>```julia\ndouble(x) = 3x\n```</think>\n" + fenced("double(x) = 2x"), 100),
    ],
)
def test_an_answer_gets_the_score_it_deserves(jury: Judge, answer: str, score: float) -> None:
    assert jury.evaluate(answer, DOUBLE).score == score


def test_a_megabyte_of_text_is_judged_like_any_other_answer(jury: Judge) -> None:
    words = " ".join(random.Random(1).choices(["lorem", "ipsum", "dolor", "(", "`", "x = 1"], k=200_000))
    assert jury.evaluate(words, DOUBLE).score == 0


def test_an_evaluation_records_how_it_came_about(jury: Judge) -> None:
    evaluation = jury.evaluate(fenced("double(x) = 2x"), DOUBLE)
    assert evaluation.execution is not None
    assert evaluation.execution.sandbox == jury.level
    assert evaluation.execution.julia_version == jury.julia_version
    assert evaluation.rules_version == RULES_VERSION
    assert evaluation.codejury_version == codejury.__version__
    assert len(evaluation.definition_hash) == 64
    assert evaluation.execution.extraction.rule == "all"
    assert evaluation.execution.extraction.blocks_used == (0,)


@pytest.mark.parametrize("answer", ["", "  \n", "<think>It doubles.</think>\n"])
def test_an_answer_without_text_is_recorded_as_empty(jury: Judge, answer: str) -> None:
    evaluation = jury.evaluate(answer, DOUBLE)
    assert evaluation.score == 0
    assert evaluation.execution is not None
    assert evaluation.execution.extraction.rule == "empty"


def test_code_too_slow_for_the_interpreter_is_compiled_before_it_is_judged(jury: Judge) -> None:
    # Fifty million steps: minutes in the interpreter, a moment compiled.
    slow = "function double(x)\n  s = 0\n  for i in 1:50_000_000\n    s += i & 1\n  end\n  2x + 0s\nend"
    case = a_case(unit_tests=("@test double(1) == 2",), examples=("1",))
    assert jury.evaluate(fenced(slow), case).score == 100


def test_recursion_too_deep_for_the_interpreter_is_compiled_before_it_is_judged(jury: Judge) -> None:
    deep = "depth(n) = n == 0 ? 0 : 1 + depth(n - 1)\ndouble(x) = depth(20_000) == 20_000 ? 2x : 0"
    assert jury.evaluate(fenced(deep), DOUBLE).score == 100


def test_a_unit_test_that_measures_is_compiled_and_the_others_keep_their_verdicts(jury: Judge) -> None:
    # In the interpreter every call allocates, and what one test has set another one finds there.
    case = a_case(
        examples=("double(1)",),
        unit_tests_setup="bytes(f, x) = (f(x); @allocated f(x))",
        unit_tests=("y = double(1)\n@test y == 2", "@test bytes(double, 1) == 0", "@test double(y) == 4"),
    )
    assert jury.evaluate(fenced("double(x) = 2x"), case).score == 100
    wasteful = jury.evaluate(fenced("double(x) = sum([x, x])"), case)
    assert wasteful.execution is not None
    endings = [block.ending for block in wasteful.execution.of_kind(BlockKind.UNIT_TEST)]
    assert endings == [Ending.PASSED, Ending.FAILED, Ending.PASSED]


def test_a_test_that_hangs_costs_only_itself(jury: Judge) -> None:
    code = "double(x) = x == 2 ? sleep(1000) : 2x"
    case = a_case(
        examples=("double(1)",), unit_tests=tuple(f"@test double({n}) == {2 * n}" for n in (1, 2, 3))
    )
    evaluation = jury.evaluate(fenced(code), case)
    assert evaluation.execution is not None
    endings = [block.ending for block in evaluation.execution.blocks]
    assert endings == [Ending.PASSED, Ending.PASSED, Ending.PASSED, Ending.TIMED_OUT, Ending.PASSED]


def test_a_missing_package_makes_the_verdict_void_not_zero(jury: Judge) -> None:
    evaluation = jury.evaluate(fenced("double(x) = 2x"), a_case(imports=("NoSuchPackage",)))
    assert evaluation.outcome is Outcome.VOID
    assert evaluation.score is None
    assert "NoSuchPackage" in evaluation.void_reason


def test_many_threads_share_the_workers_and_each_gets_its_own_verdict(jury: Judge) -> None:
    answers = [fenced(f"double(x) = {factor}x") for factor in (1, 2, 3, 2, 1, 2)]
    with ThreadPoolExecutor(6) as pool:
        scores = list(pool.map(lambda answer: jury.evaluate(answer, DOUBLE).score, answers))
    assert scores == [75, 100, 75, 100, 75, 100]  # only double(x) = 2x passes; the examples always run


def test_map_gives_verdicts_in_the_order_of_the_answers_and_reads_only_a_little_ahead(
    jury: Judge,
) -> None:
    factors = [2, 3, 2, 2, 5, 2] * 20
    read: list[int] = []

    def answers() -> Iterator[tuple[str, TestCase]]:
        for factor in factors:
            read.append(factor)
            yield fenced(f"double(x) = {factor}x"), DOUBLE

    verdicts = jury.map(answers())
    first = next(verdicts)
    assert len(read) < len(factors)
    outcomes = [verdict.outcome for verdict in (first, *verdicts)]
    assert outcomes == [Outcome.PASS if factor == 2 else Outcome.FAIL for factor in factors]


def test_the_short_way_judges_one_answer_without_further_ado() -> None:
    assert codejury.evaluate(fenced("double(x) = 2x"), DOUBLE).outcome is Outcome.PASS


def test_a_sandbox_that_breaks_gives_a_void_verdict() -> None:
    def broken(job: object) -> None:
        raise SandboxError("out of processes")

    with a_judge(broken) as judge:  # type: ignore[arg-type]
        evaluation = judge.evaluate(fenced("double(x) = 2x"), DOUBLE)
    assert evaluation.outcome is Outcome.VOID
    assert evaluation.score is None
    assert "out of processes" in evaluation.void_reason


def test_a_judge_that_cannot_start_says_so_instead_of_voiding_everything() -> None:
    def no_sandbox() -> None:
        raise SandboxError("no isolation here")

    with pytest.raises(SandboxError, match="no isolation"), Judge(sandbox_factory=no_sandbox) as judge:  # type: ignore[arg-type]
        judge.evaluate(fenced("double(x) = 2x"), DOUBLE)
