"""Which blocks are decided in Julia's interpreter, and which are compiled."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from codejury.judge.sandbox.compiling import measuring_tests, must_compile
from codejury.judge.sandbox.execution import execute
from codejury.judge.sandbox.run import Run, Stop, Task
from codejury.records import BlockKind, Ending, Execution, Job, Limits, Snippet
from fakes import a_case

ONE_LINE = "bytes(f, x) = (f(x); @allocated f(x))"
FUNCTION = "function bytes(f, x)\n    f(x)\n    return @allocated f(x)\nend"
DEFINED_ONCE = "if !@isdefined(bytes)\n    # @elapsed says less\n    bytes(f, x) = @allocated f(x)\nend"
USED = f"{ONE_LINE}\nsmall(f) = bytes(f, 1) < 100"
TESTS = ("@test f(1) == 2", "@test bytes(f, 1) == 0", "@test small(f)", "bytes_of = 1\n@test bytes_of == 1")


def measuring(setup: str = "", *tests: str, teardown: str = "") -> set[int]:
    case = a_case(unit_tests_setup=setup, unit_tests=tests, unit_tests_teardown=teardown)
    return set(measuring_tests(case))


@pytest.mark.parametrize("setup", [ONE_LINE, FUNCTION, DEFINED_ONCE, f"x = 1\n{FUNCTION}\ny = 2"])
def test_a_test_that_uses_a_helper_of_the_setup_that_measures_is_compiled(setup: str):
    assert measuring(setup, *TESTS) == {1}


def test_a_helper_that_uses_one_that_measures_measures_too():
    assert measuring(USED, *TESTS) == {1, 2}


def test_what_measures_in_a_test_and_what_another_test_makes_of_it_is_compiled():
    assert measuring("", "@test f(1) == 2", "t = @elapsed f(1)\n@test t < 1", "@test t > 0") == {1, 2}


@pytest.mark.parametrize(
    "setup",
    [
        "f(x) = 1; g(x) = @allocated f(x)",
        "function f(x)\n    x\nend; g(x) = @elapsed f(x)",
        "begin\n    g(x) = @elapsed f(x)\nend",
        "a, b = (@elapsed 1), 2",
        "M.g(x) = @elapsed x",
        "f(x) = 1\n  ; g(x) = @elapsed f(x)",
        "@elapsed f(1)",
    ],
)
def test_where_it_is_not_clear_what_measures_all_tests_are_compiled(setup: str):
    assert measuring(setup, *TESTS) == {0, 1, 2, 3}


def test_a_teardown_that_measures_belongs_to_all_tests():
    assert measuring("", *TESTS, teardown="@elapsed f(1)") == {0, 1, 2, 3}


def test_the_hash_of_an_infinite_number_is_compiled():
    assert measuring("", "@test hash(f(1)) == hash(1)", "@test hash(f(Inf)) == hash(Inf)") == {1}


def test_a_comment_measures_nothing():
    assert measuring("# not @elapsed\nx = 1", "# @elapsed\n@test f(1) == 2") == set()


@pytest.mark.parametrize(
    ("code", "changes", "compiled"),
    [
        ("f(x) = x", {"unit_tests": TESTS}, False),
        ("f(x) = muladd(x, x, x)", {"unit_tests": TESTS}, True),
        ("f(x) = x", {"examples": ("@time f(1)",)}, True),
        ("f(x) = x", {"given": "g(x) = fma(x, x, x)"}, True),
        ("f(x) = x", {"unit_tests": ("@test (@elapsed f(1)) < 1",)}, True),
        ("f(x) = x", {"unit_tests": ("@test (@elapsed f(1)) < 1", "@test f(1) == 1")}, False),
    ],
)
def test_everything_is_compiled_where_the_candidate_or_all_tests_need_it(
    code: str, changes: dict[str, object], compiled: bool
):
    job = Job(test_case=a_case(**changes), snippets=(Snippet(code=code, language="julia"),))
    assert must_compile(job) is compiled


@dataclass
class Told:
    """Ends unit tests as it is told to, in the interpreter and with the compiler; remembers what it ran."""

    interpreted: dict[int, str] = field(default_factory=dict)
    compiled: dict[int, str] = field(default_factory=dict)
    main: str = "passed"
    """Of the main code, compiled."""
    runs: list[tuple[str, list[int]]] = field(default_factory=list)

    def __call__(self, task: Task, limits: Limits, *, counts: bool) -> Run:
        kind = "interpreted" if task.interpret else "compiled"
        self.runs.append((kind, [order.index for order in task.blocks]))
        run = Run(frames=[["candidates", "all", "0", "1"], ["parsed", "1", "", "0"]])
        main = "passed" if task.interpret else self.main
        run.frames.append(["main", main, "", "", "0", "0.0", "1", "1"])
        for order in task.blocks if main == "passed" else ():
            ending = (self.interpreted if task.interpret else self.compiled).get(order.index, "passed")
            if ending == "hangs":
                run.stop = Stop.TIME
                return run
            told, _, message = ending.partition(": ")
            place = ["unit_test", str(order.index)]
            run.frames.append(["block", *place, told, message, message, "0", "0.0", "referee"])
        run.frames.append(["done"])
        return run


def judged(runner: Told) -> Execution:
    """With four tests, of which the second one measures."""
    case = a_case(examples=(), unit_tests=("@test f(1) == 2", "@test @elapsed(f(1)) < 1", *TESTS[2:]))
    job = Job(test_case=case, snippets=(Snippet(code="f(x) = 2x", language="julia"),))
    return execute(job, runner, level="L3", julia_version="1.5.3")


def endings(execution: Execution) -> list[Ending]:
    return [block.ending for block in execution.of_kind(BlockKind.UNIT_TEST)]


ALL = [0, 1, 2, 3]


def test_only_the_test_that_measures_is_compiled_and_its_verdict_is_the_compilers():
    runner = Told(interpreted={1: "failed: slow"})
    assert endings(judged(runner)) == [Ending.PASSED] * 4
    assert runner.runs == [("interpreted", ALL), ("compiled", [1])]


def test_a_test_too_slow_for_the_interpreter_is_compiled_alone():
    runner = Told(interpreted={2: "hangs"})
    assert endings(judged(runner)) == [Ending.PASSED] * 4
    assert runner.runs == [("interpreted", ALL), ("interpreted", [0, 1, 3]), ("compiled", [1, 2])]


def test_a_test_that_hangs_costs_only_itself():
    runner = Told(interpreted={2: "hangs"}, compiled={2: "hangs"})
    assert endings(judged(runner)) == [Ending.PASSED, Ending.PASSED, Ending.TIMED_OUT, Ending.PASSED]
    assert ("compiled", ALL) not in runner.runs


def test_what_overflows_the_stack_of_the_interpreter_is_compiled_alone():
    runner = Told(interpreted={3: "errored: StackOverflowError"})
    assert endings(judged(runner)) == [Ending.PASSED] * 4
    assert runner.runs == [("interpreted", ALL), ("compiled", [1, 3])]


def test_a_test_that_fails_alone_as_it_did_among_the_others_has_failed():
    runner = Told(interpreted={1: "failed: got 1"}, compiled={1: "failed: got 1"})
    assert endings(judged(runner))[1] is Ending.FAILED
    assert runner.runs == [("interpreted", ALL), ("compiled", [1])]


@pytest.mark.parametrize("among_others", ["passed", "failed: got 2", "hangs"])
def test_a_test_that_fails_alone_and_not_as_it_did_among_the_others_is_compiled_among_them(among_others: str):
    runner = Told(interpreted={1: among_others}, compiled={1: "errored: UndefVarError"})
    assert endings(judged(runner))[1] is Ending.ERRORED
    assert runner.runs[-1] == ("compiled", ALL)


def test_where_three_tests_are_too_slow_for_the_interpreter_everything_is_compiled():
    runner = Told(interpreted=dict.fromkeys((0, 2, 3), "hangs"))
    assert endings(judged(runner)) == [Ending.PASSED] * 4
    assert [kind for kind, _ in runner.runs] == ["interpreted"] * 3 + ["compiled"]
    assert runner.runs[-1] == ("compiled", ALL)


def test_tests_that_measure_are_none_of_those():
    runner = Told(interpreted=dict.fromkeys((0, 1, 2), "hangs"))
    assert endings(judged(runner)) == [Ending.PASSED] * 4
    assert runner.runs[-2:] == [("interpreted", [3]), ("compiled", [0, 1, 2])]


def test_main_code_that_fails_only_where_it_is_compiled_has_failed():
    execution = judged(Told(main="errored"))
    assert not execution.executed
    assert endings(execution) == [Ending.NOT_RUN] * 4
