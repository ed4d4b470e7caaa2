"""How fast an answer is: measured beside the reference solution, after its verdict and not for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from codejury.errors import Severity
from codejury.judge.judge import Judge
from codejury.judge.sandbox import measuring
from codejury.judge.sandbox.factory import SandboxFactory
from codejury.judge.sandbox.measuring import with_performance
from codejury.judge.sandbox.run import Run, Stop
from codejury.records import Job, Limits, Outcome, Performance, Snippet, Statement, TestCase
from codejury.suite.validate import validate_definition
from fakes import a_case, facts

REFERENCE = "total(v) = (s = 0.0; for x in v; s += x; end; s)"
CASE = a_case(
    name="total",
    prompt="Write a function `total`.",
    examples=("total([1.0])",),
    unit_tests=("@test total([1.0, 2.0]) == 3.0", "@test total([0.5]) == 0.5"),
    reference_solution=REFERENCE,
    performance=(Statement(setup="v = rand(50_000)", statement="total(v)"),),
)
FASTER = "total(v) = (s = 0.0; @inbounds @simd for i in eachindex(v); s += v[i]; end; s)"
SLOWER = "total(v) = (s = 0.0; for k in 1:4, x in v; s += x / 4; end; s)"
ALLOCATING = "total(v) = sum([x for x in v])"
NOT_INFERRED = "total(v) = (s = Any[0.0]; for x in v; s[1] += x; end; s[1])"


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge() as judge:
        yield judge


def measured(judge: Judge, code: str, case: TestCase = CASE) -> Performance:
    evaluation = judge.evaluate(code, case)
    assert evaluation.outcome is Outcome.PASS
    assert evaluation.score == 100.0
    assert evaluation.execution
    assert evaluation.execution.performance
    return evaluation.execution.performance


def speed_of(performance: Performance | None) -> float:
    assert performance is not None
    assert performance.speed is not None, performance.reason
    return performance.speed


def test_an_answer_like_the_reference_solution_is_as_fast(judge):
    found = measured(judge, REFERENCE)
    (one,) = found.statements
    assert found.noisy or 0.8 < speed_of(found) < 1.25
    assert (one.statement, one.allocated, one.reference_allocated, one.inferred) == ("total(v)", 0, 0, True)


def test_a_faster_answer_and_a_slower_one_are_told_apart(judge):
    assert speed_of(measured(judge, FASTER)) > 1.5
    assert speed_of(measured(judge, SLOWER)) < 0.6


def test_what_an_answer_allocates_is_told(judge):
    found = measured(judge, ALLOCATING)
    assert found.allocates_more
    assert 400_000 <= found.statements[0].allocated < 410_000
    assert not measured(judge, FASTER).allocates_more


def test_a_call_whose_type_julia_cannot_know_is_told(judge):
    assert not measured(judge, NOT_INFERRED).inferred
    assert measured(judge, FASTER).inferred


def test_the_speed_is_the_median_over_the_statements(judge):
    statements = tuple(Statement(setup=f"v = rand({n}_000)", statement="total(v)") for n in (20, 30, 40))
    found = measured(judge, FASTER, replace(CASE, performance=statements))
    speeds = sorted(one.speed for one in found.statements)
    assert (len(speeds), found.speed) == (3, speeds[1])


def test_variables_are_made_anew_for_every_round_so_a_statement_may_change_them(judge):
    case = a_case(
        name="shift!",
        examples=("shift!([1])",),
        unit_tests=("@test shift!([1, 2]) == [2, 3]",),
        given="const STEP = 1\nstruct Box\n    v::Vector{Int}\nend",
        reference_solution="shift!(v::Vector{Int}) = (v .+= STEP)\nshift!(b::Box) = shift!(b.v)",
        performance=(
            Statement(setup="n = 30_000\nv = rand(1:9, n)", statement="shift!(v)"),
            Statement(setup="b = Box(zeros(Int, 30_000))", statement="shift!(b)"),
        ),
    )
    found = measured(judge, "shift!(v::Vector) = (for i in eachindex(v); v[i] += STEP; end; v)\n"
                            "shift!(b::Box) = shift!(b.v)", case)  # fmt: skip
    assert found.speed is not None


def test_an_answer_that_fails_a_unit_test_has_no_speed(judge):
    evaluation = judge.evaluate("total(v) = 3.0", CASE)
    assert evaluation.outcome is Outcome.FAIL
    assert evaluation.execution.performance is None


def test_without_statements_nothing_is_measured_and_no_process_more_is_started(judge, monkeypatch):
    def refuse(*_: Any) -> Run:
        raise AssertionError("a process was started")

    monkeypatch.setattr("codejury.judge.sandbox.forkserver.ForkServerSandbox._run_measuring", refuse)
    assert judge.evaluate(FASTER, replace(CASE, performance=())).execution.performance is None
    assert judge.execute_code(FASTER, CASE).performance is None  # as strength and submissions ask


def test_a_statement_that_hangs_is_ended_and_told(judge, monkeypatch):
    monkeypatch.setattr(measuring, "SECONDS", 2.0)
    found = measured(judge, "total(v) = (length(v) > 9 && while true; end; sum(v))")
    assert (found.speed, found.reason) == (None, "statement 1: still running after 2 s")
    monkeypatch.undo()
    assert measured(judge, FASTER).speed is not None  # the next one is not harmed


OTHER_RESULT = "its result is not that of the reference solution"
UNMEASURABLE = {
    "throws": ('total(v) = length(v) > 9 ? error("no") : sum(v)', "statement 1: ErrorException: no"),
    "exits": ("total(v) = length(v) > 9 ? exit(0) : sum(v)", "ended by itself with exit code 0"),
    "does nothing": ("total(v) = length(v) > 9 ? 0.0 : sum(v)", OTHER_RESULT),
    "remembers what it said before": (
        """
        const SAID = Float64[]
        told(v) = isempty(SAID) ? push!(SAID, sum(v))[1] : SAID[1]
        total(v) = length(v) < 9 ? sum(v) : told(v)
        """,
        OTHER_RESULT,
    ),
    "leaves the work to whoever looks at the value": (
        """
        struct Lazy <: Real
            v::Vector{Float64}
        end
        Base.:(==)(a::Lazy, b::Real) = sum(a.v) == b
        total(v) = length(v) < 9 ? sum(v) : Lazy(v)
        """,
        OTHER_RESULT,
    ),
    "makes its own task smaller": ("rand(n) = [1.0]\ntotal(v) = sum(v)", "its set-up gives other values"),
    "slows the reference solution": (
        f"""
        slowly(x) = foldl(max, (x, x, x))
        Base.iterate(v::Vector{{Float64}}, i = 1) = i > length(v) ? nothing : (slowly(v[i]), i + 1)
        {FASTER}
        """,
        "the code redefined Base",
    ),
    "changes the judge's clock": (
        f"""
        for m in values(Base.loaded_modules)
            nameof(m) === :Codejury && Core.eval(m, :(cpu_ns() = 0))
        end
        {SLOWER}
        """,
        "redefined",
    ),
    "forges frames": (
        """
        forge(fd) = ccall(:write, Cssize_t, (Cint, Cstring, Csize_t), fd, "cjry", 4)
        total(v) = (length(v) > 9 && foreach(forge, 3:40); sum(v))
        """,
        "the judge's own channel",
    ),
}


@pytest.mark.parametrize(("code", "reason"), UNMEASURABLE.values(), ids=UNMEASURABLE)
def test_what_cannot_be_measured_has_a_reason_and_no_speed(judge, code, reason):
    found = measured(judge, code)
    assert found.speed is None
    assert reason in found.reason


def test_another_clock_makes_nobody_faster(judge):
    forged = "Base.time_ns() = UInt64(0)\nBase.gc_bytes() = 0\nBase.time() = 0.0\n"
    found = measured(judge, forged + NOT_INFERRED)
    assert found.speed is None or (found.speed < 0.5 and found.allocates_more)


def test_a_reference_solution_that_throws_is_not_the_answers_fault(judge):
    case = replace(CASE, performance=(Statement(statement="total(missing_name)"),))
    assert measured(judge, FASTER, case).reason.startswith(
        "statement 1: the reference solution: UndefVarError"
    )


def test_validation_names_the_statement_that_fails_by_its_number(judge):
    statements = (*CASE.performance, Statement(setup="v = [1.0]", statement="total(v) + missing_name"))
    report = validate_definition(replace(CASE, performance=statements), judge=judge)
    (problem,) = report.problems
    assert (problem.field, problem.severity) == ("performance[2]", Severity.WARNING)
    assert problem.what.startswith("cannot be measured: the reference solution: UndefVarError")
    assert problem.code == "total(v) + missing_name"


def test_validation_tells_of_a_statement_that_is_too_short(judge):
    statements = (Statement(statement="total([1.0])"), *CASE.performance)
    (problem,) = validate_definition(replace(CASE, performance=statements), judge=judge).problems
    assert problem.field == "performance[1]"
    assert "microseconds" in problem.what


def test_a_julia_that_is_not_forked_measures_too():
    factory = SandboxFactory(cold=True)
    job = Job(test_case=CASE, snippets=(Snippet(code=NOT_INFERRED, language="julia"),))
    with closing(factory()) as sandbox:
        found = sandbox.execute(job).performance
    factory.close()
    assert speed_of(found) < 0.5


# What the process says is not believed

JOB = Job(test_case=CASE, snippets=(), limits=Limits())
GOOD = ["measured", "40,41,42", "20,20,21", "16", "0", "1"]


def told(*frames: list[str], stop: Stop = Stop.ITSELF) -> Performance:
    run = Run(frames=[["begun"], *frames], stop=stop)
    found = with_performance(facts(CASE), JOB, lambda task, limits: run).performance
    assert found is not None
    return found


def test_times_become_a_speed_with_its_spread():
    found = told(GOOD, ["done"])
    assert (found.speed, found.noisy) == (2.0, False)
    (one,) = found.statements
    assert (one.seconds, one.allocated, one.reference_allocated, one.inferred) == (20e-9, 16, 0, True)
    assert one.spread == pytest.approx(2.05 / 2.0 - 1)


def test_rounds_that_disagree_make_a_speed_noisy():
    found = told(["measured", "40,40,60", "20,20,20", "0", "0", ""], ["done"])
    assert found.noisy
    assert found.statements[0].inferred is None


@pytest.mark.parametrize(
    "frame",
    [
        ["measured"],
        [*GOOD, "more"],
        ["measured", "40,41", "20,20", "16", "0", "1"],
        ["measured", "40,41,42", "20,20", "16", "0", "1"],
        ["measured", "40,41,x", "20,20,21", "16", "0", "1"],
        ["measured", "40,41,42", "0,20,21", "16", "0", "1"],
        ["measured", "40,41,42", "20,20,21", "9" * 40, "0", "1"],
        ["measured", "40,41,42", "20,20,21", "16", "0", "yes"],
        ["measured", ",".join(["40"] * 500), ",".join(["20"] * 500), "16", "0", "1"],
        ["unmeasured", "candidate", "-1", "x"],
        ["unmeasured"],
    ],
)  # fmt: skip
def test_nothing_is_made_of_what_the_judge_would_not_write(frame):
    found = told(frame, ["done"])
    assert found.speed is None
    assert found.not_measured == "the process wrote to the judge's own channel"


def test_a_statement_too_few_or_too_many_is_no_measurement():
    assert told(["done"]).speed is None
    assert told(GOOD, GOOD, ["done"]).speed is None
    assert told(GOOD, stop=Stop.MEMORY).reason == "statement 2: used more than 512 MB"
