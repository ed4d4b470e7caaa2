"""What a worker proves before it judges, and what becomes of a candidate that crashes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from codejury.errors import SandboxError
from codejury.judge.sandbox import forkserver, oneshot, proof
from codejury.judge.sandbox.factory import SandboxFactory
from codejury.judge.sandbox.forkserver import ForkServerSandbox
from codejury.judge.sandbox.oneshot import OneShotSandbox
from codejury.judge.sandbox.run import Run, Stop
from codejury.records import Ending, Execution, Job, Limits, Snippet, TestCase
from fakes import a_case

CASE: TestCase = replace(
    a_case(), name="double", examples=(), unit_tests=("@test double(1) == 2", "@test double(2) == 4")
)
# The first process of its own namespace, as every forked candidate is at L3. A cold one never is.
CRASHES_WHEN_FORKED = "getpid() == 1 && ccall(:abort, Cvoid, ())\ndouble(x) = 2x"


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServerSandbox]:
    factory = SandboxFactory()
    made = factory()
    if not isinstance(made, ForkServerSandbox) or made.level != "L3":
        pytest.skip(f"no forked worker at L3 here: {factory.note or made.level}")
    yield made
    made.close()
    factory.close()


def judged(sandbox: ForkServerSandbox, code: str, case: TestCase = CASE) -> Execution:
    snippet = Snippet(code=code, language="julia")
    return sandbox.execute(Job(test_case=case, snippets=(snippet,), limits=Limits(seconds=5)))


def test_each_part_that_does_not_work_is_named(server: ForkServerSandbox) -> None:
    broken = {"a task": "@test false", "sleep": "@test true", "BLAS": 'error("no library")'}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "PARTS", broken)
        failing = proof.failing_parts(server._worker.run)
    assert failing == ["a task: TestFailed the expression is false", "BLAS: ErrorException no library"]


def test_the_part_that_a_worker_dies_of_is_named(server: ForkServerSandbox) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "PARTS", {"a task": "@test true", "sleep": "ccall(:abort, Cvoid, ())"})
        failing = proof.failing_parts(server._worker.run)
    # The first process of a namespace cannot be ended by its own SIGABRT.
    assert failing in (
        ["sleep: the process was ended by SIGSEGV"],
        ["sleep: the process was ended by SIGABRT"],
    )


def test_every_part_is_proven_by_a_test_that_can_fail() -> None:
    assert all("@test" in code for code in proof.PARTS.values())
    silent = Run(frames=[["candidates", "all", "0", "1"]], stop=Stop.TIME)
    assert proof.failing_parts(lambda payload, limits: silent) == [
        "defining a type and a function: it was stopped: time"
    ]


def test_a_julia_that_loses_something_to_the_fork_judges_in_cold_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forkserver, "failing_parts", lambda run: ["sleep: the process was ended by SIGSEGV"])
    factory = SandboxFactory()
    made = factory()
    assert isinstance(made, OneShotSandbox)
    assert "cannot be forked safely: sleep: the process was ended by SIGSEGV" in factory.note
    snippet = Snippet(code="double(x) = 2x", language="julia")
    execution = made.execute(Job(test_case=CASE, snippets=(snippet,)))
    assert (execution.unit_tests_passed, execution.notes) == (2, (factory.note,))
    made.close()
    factory.close()


def test_where_cold_processes_fail_too_the_judge_refuses_and_names_the_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(oneshot, "failing_parts", lambda run: ["a timer: timed out"])
    factory = SandboxFactory(cold=True)
    with pytest.raises(SandboxError, match=r"does not work in the sandbox .*: a timer: timed out"):
        factory()
    factory.close()


def test_a_crash_that_only_the_fork_has_is_not_held_against_the_candidate(server: ForkServerSandbox) -> None:
    execution = judged(server, CRASHES_WHEN_FORKED)
    assert execution.unit_tests_passed == 2
    (note,) = execution.notes
    assert note.startswith("it crashed in a forked process (the process was ended by SIG")


def test_a_crash_that_a_cold_process_has_too_is_the_candidates(server: ForkServerSandbox) -> None:
    execution = judged(server, "double(x) = x == 2 ? ccall(:abort, Cint, ()) : 2x")
    assert [block.ending for block in execution.blocks] == [Ending.PASSED, Ending.PASSED, Ending.DIED]
    assert execution.notes == ()


def test_what_ends_without_a_crash_is_not_repeated(
    server: ForkServerSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> Run:
        raise AssertionError("a cold process was started")

    monkeypatch.setattr(forkserver, "run_in_cold_process", never)
    assert judged(server, "double(x) = exit(3)").blocks[1].ending is Ending.DIED
    assert judged(server, "double(x) = 2x").unit_tests_passed == 2


def test_a_signal_without_a_name_is_told_by_its_number() -> None:
    assert Run(status=40).ending_text == "the process was ended by signal 40"
    assert Run(status=(128 + 11) << 8).ending_text == "the process was ended by SIGSEGV"
