"""What every sandbox promises, said once and held against every implementation.

    L3, L2.5, L2   the fork server at that level of isolation
    cold           one process per candidate, at the best level of this machine
    ray            a fork server on a node of a cluster, at the best level of this machine
    warm           a fork server of a process that lives on, at the best level of this machine
    fake           the one for tests: it promises the form of an answer, not its truth

A cold start takes seconds, so `cold` runs the promises that its own code could break; what both runners share
(selection, clean-up, tests) is said for L3 alone.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codejury.errors import SandboxError
from codejury.judge.backends import open_pool
from codejury.judge.sandbox import forkserver
from codejury.judge.sandbox.factory import SandboxFactory
from codejury.judge.sandbox.forkserver import MANY_JOBS, ForkServerSandbox
from codejury.judge.sandbox.isolation.probe import MEANS, Isolation, probe_isolation
from codejury.judge.sandbox.protocol import Sandbox
from codejury.judge.toolchain.find import find_bubblewrap, find_julia
from codejury.judge.warm.client import WarmFactory, WarmSandbox, stop_servers
from codejury.records import (
    Block,
    BlockKind,
    Ending,
    Execution,
    Extraction,
    Job,
    Limits,
    Packages,
    Snippet,
    TestCase,
)
from codejury.selftest.attack_runner import CASE, descendants, open_descriptors
from codejury.settings import load_settings
from codejury.testing import FakeSandbox

SECRET = "a secret of the parent's environment"
PASSED, FAILED, ERRORED = Ending.PASSED, Ending.FAILED, Ending.ERRORED
TIMED_OUT, DIED, NOT_RUN = Ending.TIMED_OUT, Ending.DIED, Ending.NOT_RUN


def on(*implementations: str) -> pytest.MarkDecorator:
    """Say it of these."""
    return pytest.mark.parametrize("sandbox", implementations, indirect=True)


ISOLATED = ("L3", "L2.5", "L2", "cold", "ray", "warm")


@pytest.fixture(scope="session")
def machine() -> Isolation:
    settings = load_settings()
    assert find_julia(settings) is not None, "no Julia: run `codejury setup`"
    return probe_isolation(bubblewrap=find_bubblewrap(settings))


def skip_unless_possible(level: str, machine: Isolation) -> None:
    missing = [check for check in machine.checks if check.name in MEANS[level] and not check.ok]
    if missing:
        pytest.skip(f"{level} is not to be had here: {missing[0].name}: {missing[0].detail}")


def make_sandbox(name: str, request: pytest.FixtureRequest) -> tuple[Sandbox, Callable[[], None]]:
    """The implementation, and what closes it."""
    if name == "fake":
        fake = FakeSandbox(everything_passes)
        return fake, fake.close
    machine: Isolation = request.getfixturevalue("machine")
    level = machine.level if name in ("cold", "ray", "warm") else name
    if level == "L1":
        pytest.skip("this machine gives no isolation (`codejury doctor` says why)")
    skip_unless_possible(level, machine)
    if name == "ray":
        request.getfixturevalue("cluster")
        pool = open_pool(most=1)
        return pool(), pool.close
    if name == "warm":
        return make_warm_sandbox(request.getfixturevalue("tmp_path_factory").mktemp("warm"))
    factory = SandboxFactory(level=level, cold=name == "cold")
    sandbox = factory()
    assert factory.note == ""

    def close() -> None:
        sandbox.close()
        factory.close()

    return sandbox, close


def make_warm_sandbox(runtime: Path) -> tuple[Sandbox, Callable[[], None]]:
    settings = replace(load_settings(), runtime=runtime, warm_minutes=5)
    factory = WarmFactory(allow_unsafe=False, packages=Packages(), settings=settings)
    sandbox = factory()
    assert isinstance(sandbox, WarmSandbox)

    def close() -> None:
        sandbox.close()
        factory.close()
        assert len(stop_servers(settings)) == 1

    return sandbox, close


@pytest.fixture(scope="session")
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox shared by all that is said of its implementation; a secret was in our environment first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CODEJURY_TEST_SECRET", SECRET)
        made, close = make_sandbox(request.param, request)
        yield made
        close()


@pytest.fixture
def l3(request: pytest.FixtureRequest) -> Iterator[ForkServerSandbox]:
    """A fork server of one's own, to be ended by the test."""
    made, close = make_sandbox("L3", request)
    assert isinstance(made, ForkServerSandbox)
    yield made
    close()


# How a job is written and an execution read.


def case_with(tests: Sequence[str] = (), **fields: Any) -> TestCase:
    return replace(CASE, **{"examples": (), "unit_tests": tuple(tests), **fields})


def run(
    sandbox: Sandbox,
    *codes: str | Snippet,
    tests: Sequence[str] = (),
    limits: Limits = Limits(seconds=5.0, memory_mb=256),  # noqa: B008 - frozen
    **fields: Any,
) -> Execution:
    """Run the blocks of an answer against unit tests and other fields of a test case."""
    snippets = [code if isinstance(code, Snippet) else Snippet(code=code, language="julia") for code in codes]
    return sandbox.execute(Job(test_case=case_with(tests, **fields), snippets=tuple(snippets), limits=limits))


def endings(execution: Execution, kind: BlockKind = BlockKind.UNIT_TEST) -> list[Ending]:
    return [block.ending for block in execution.of_kind(kind)]


def main_of(execution: Execution) -> Block:
    (block,) = execution.of_kind(BlockKind.MAIN)
    return block


def everything_passes(job: Job) -> Execution:
    """The fake's script."""
    case = job.test_case
    listed = [(BlockKind.MAIN, 1), (BlockKind.EXAMPLE, len(case.examples))]
    listed.append((BlockKind.UNIT_TEST, len(case.unit_tests)))
    return Execution(
        parsed=True,
        executed=True,
        blocks=tuple(Block(kind=kind, index=i, ending=PASSED) for kind, n in listed for i in range(n)),
        extraction=Extraction(rule="all", blocks_found=len(job.snippets), blocks_used=(0,)),
        julia_version="1.10.0",
        sandbox="fake",
    )


# The form of an answer


@on("fake", *ISOLATED)
def test_a_right_answer_passes_and_the_verdict_says_where_it_ran(sandbox: Sandbox) -> None:
    execution = run(sandbox, CASE.reference_solution, tests=CASE.unit_tests, examples=CASE.examples)
    assert (execution.parsed, execution.executed) == (True, True)
    assert {block.ending for block in execution.blocks} == {PASSED}
    assert execution.sandbox == sandbox.level
    assert execution.julia_version == sandbox.julia_version
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", execution.julia_version)
    assert execution.tampering == ()


@on("fake", "L3")
def test_every_block_of_the_definition_has_a_place_in_the_verdict_in_order(sandbox: Sandbox) -> None:
    execution = run(sandbox, "answer(x) = x", tests=["@test true"] * 3, examples=("answer(1)", "answer(2)"))
    places = [(block.kind, block.index) for block in execution.blocks]
    examples = [(BlockKind.EXAMPLE, 0), (BlockKind.EXAMPLE, 1)]
    assert places == [(BlockKind.MAIN, 0), *examples, *((BlockKind.UNIT_TEST, i) for i in range(3))]


@on("L3")
def test_blocks_that_could_not_run_are_in_the_verdict_too(sandbox: Sandbox) -> None:
    execution = run(sandbox, "answer(x) = x\nerror()", tests=["@test true"] * 2, examples=("answer(1)",))
    assert [block.ending for block in execution.blocks] == [ERRORED, NOT_RUN, NOT_RUN, NOT_RUN]
    assert (execution.parsed, execution.executed) == (True, False)


def test_a_fake_hands_on_the_sandbox_error_it_was_told_to_raise() -> None:
    def script(job: Job) -> Execution:
        raise SandboxError("as told")

    fake = FakeSandbox(script)
    with pytest.raises(SandboxError, match="as told"):
        run(fake, "answer(x) = x")


# Limits: each silence has its own name, and costs only the block it happened in


@on(*ISOLATED)
def test_it_runs_the_julia_that_the_setting_names(sandbox: Sandbox) -> None:
    asked_for = find_julia(load_settings())
    assert asked_for is not None
    assert sandbox.julia_version == asked_for.version
    execution = run(sandbox, "answer(x) = Sys.BINDIR", tests=[f'@test answer(1) == "{asked_for.bindir}"'])
    assert endings(execution) == [PASSED]


@on(*ISOLATED)
def test_an_endless_loop_costs_only_its_own_block_and_the_next_job_still_runs(sandbox: Sandbox) -> None:
    code = "answer(x) = (while x == 2; end; x)"
    tests = ["@test answer(1) == 1", "@test answer(2) == 2", "@test answer(3) == 3"]
    execution = run(sandbox, code, tests=tests, limits=Limits(seconds=2.5))
    assert endings(execution) == [PASSED, TIMED_OUT, PASSED]
    assert execution.of_kind(BlockKind.UNIT_TEST)[1].message == "still running after 2.5 s"
    assert endings(run(sandbox, "answer(x) = x", tests=["@test answer(1) == 1"])) == [PASSED]


@on("L3")
def test_an_endless_loop_in_the_main_code_is_not_executed(sandbox: Sandbox) -> None:
    execution = run(
        sandbox, "answer(x) = x\nwhile true end", tests=["@test true"], limits=Limits(seconds=0.5)
    )
    assert main_of(execution).ending is TIMED_OUT
    assert (execution.parsed, execution.executed, endings(execution)) == (True, False, [NOT_RUN])


@on("L3")
def test_every_block_has_the_whole_time_for_itself(sandbox: Sandbox) -> None:
    pauses = ["@test (sleep(0.6); true)"] * 4
    execution = run(sandbox, "sleep(0.6)", tests=pauses, limits=Limits(seconds=1.5))
    assert main_of(execution).ending is PASSED
    assert endings(execution) == [PASSED] * 4
    assert sum(block.seconds for block in execution.blocks) > 1.5


@on("L3")
def test_a_hanging_teardown_is_charged_to_its_block(sandbox: Sandbox) -> None:
    execution = run(
        sandbox,
        "answer(x) = x",
        tests=["n = 1\n@test true", "n = 2\n@test true"],
        unit_tests_teardown="n == 1 && sleep(100)",
        limits=Limits(seconds=0.5),
    )
    assert endings(execution) == [TIMED_OUT, PASSED]


LOOPS = "answer(x) = (while x > 0; end; x)"


@on("L3", "cold")
def test_a_block_that_ran_out_of_time_tells_how_long_it_ran(sandbox: Sandbox) -> None:
    execution = run(sandbox, LOOPS, tests=["@test answer(1) == 1"], limits=Limits(seconds=0.7))
    (block,) = execution.of_kind(BlockKind.UNIT_TEST)
    assert block.ending is TIMED_OUT
    assert 0.7 <= block.seconds < 2


@on("L3", "cold", "ray")
def test_an_answer_that_loops_in_all_its_blocks_takes_no_longer_than_its_total(sandbox: Sandbox) -> None:
    tests = [f"@test answer({number}) == {number}" for number in range(1, 21)]
    limits = Limits(seconds=2.0, answer_seconds=5.0)
    execution = run(sandbox, LOOPS, tests=tests, limits=limits)
    blocks = execution.of_kind(BlockKind.UNIT_TEST)
    assert endings(execution) == [TIMED_OUT] * 20
    assert sum(block.seconds for block in blocks) < 10
    assert blocks[0].message == "still running after 2 s"
    assert blocks[-1].message == "not tried: the answer's 5 s were used up"
    assert [block.was_run for block in blocks].count(True) <= 3


@on("L3")
def test_after_three_time_outs_in_a_row_the_rest_of_that_kind_is_not_tried(sandbox: Sandbox) -> None:
    examples = [f"answer({number})" for number in (-1, 1, 2, 3, 4, -2)]
    tests = ["@test answer(-1) == -1", "@test answer(1) == 1", "@test answer(-2) == -2"]
    limits = Limits(seconds=0.5)
    execution = run(sandbox, LOOPS, tests=tests, examples=tuple(examples), limits=limits)
    blocks = execution.of_kind(BlockKind.EXAMPLE)
    assert endings(execution, BlockKind.EXAMPLE) == [PASSED, *[TIMED_OUT] * 5]
    assert [block.was_run for block in blocks] == [True] * 4 + [False] * 2
    assert blocks[-1].message == "not tried: 3 in a row had timed out"
    assert endings(execution) == [PASSED, TIMED_OUT, PASSED]


@on("L3")
def test_what_was_redefined_is_found_though_the_time_was_used_up(sandbox: Sandbox) -> None:
    code = "Base.isempty(::Vector{Int}) = true\n" + LOOPS
    decided_there = "foreach([1]) do x\n    @test isempty([x])\nend"
    tests = [decided_there, *[f"@test answer({sign}) == {sign}" for sign in (1, -1, 2, -2, 3)]]
    # Enough that the first test has passed before: compiling it takes seconds where the machine is busy.
    execution = run(sandbox, code, tests=tests, limits=Limits(seconds=4, answer_seconds=9))
    # Whether it was still tried depends on how busy the machine is.
    assert "the answer's 9 s were used up" in execution.of_kind(BlockKind.UNIT_TEST)[-1].message
    assert execution.notes == ("redefined Base.isempty",)
    assert endings(execution)[0] is FAILED


@on("L3", "cold")
def test_exit_in_the_middle_of_the_main_code_is_not_executed(sandbox: Sandbox) -> None:
    execution = run(sandbox, "answer(x) = x\nexit(0)\nprintln(1)", tests=["@test answer(1) == 1"])
    assert main_of(execution).ending is DIED
    assert "exit code 0" in main_of(execution).message
    assert (execution.parsed, execution.executed, endings(execution)) == (True, False, [NOT_RUN])


@on("L3")
@pytest.mark.parametrize("last", ["exit()", "exit(0)", "exit(main())"])
def test_a_program_may_end_itself_at_its_end(sandbox: Sandbox, last: str) -> None:
    code = f"answer(x) = x\nmain() = 0\n{last}"
    execution = run(sandbox, code, tests=["@test answer(1) == 1"])
    assert (execution.executed, endings(execution)) == (True, [PASSED])


@on("L3")
def test_a_program_that_reports_a_failure_at_its_end_has_failed(sandbox: Sandbox) -> None:
    execution = run(sandbox, "answer(x) = x\nexit(1)", tests=["@test answer(1) == 1"])
    assert (main_of(execution).ending, execution.executed) == (DIED, False)


@on("L3")
def test_a_block_that_dies_costs_only_itself_and_the_state_of_earlier_blocks_is_kept(
    sandbox: Sandbox,
) -> None:
    tests = ["seen[] += 1\n@test seen[] == 1", "seen[] += 1\nexit()", "@test seen[] == 1"]
    execution = run(sandbox, "const seen = Ref(0)\nanswer(x) = x", tests=tests)
    assert endings(execution) == [PASSED, DIED, PASSED]


@on("L3")
def test_a_crash_names_the_signal(sandbox: Sandbox) -> None:
    execution = run(sandbox, "answer(x) = x", tests=["unsafe_store!(Ptr{Int}(8), 1)", "@test true"])
    assert endings(execution) == [DIED, PASSED]
    assert "SIGSEGV" in execution.of_kind(BlockKind.UNIT_TEST)[0].message


@on(*ISOLATED)
def test_too_much_memory_has_its_own_verdict(sandbox: Sandbox) -> None:
    code = "const held = Any[]\nanswer(x) = (while x == 2; push!(held, fill(1, 10^6)); end; x)"
    tests = ["@test answer(2) == 2", "@test answer(3) == 3"]
    execution = run(sandbox, code, tests=tests, limits=Limits(seconds=10.0, memory_mb=128))
    assert endings(execution) == [Ending.OUT_OF_MEMORY, PASSED]
    assert execution.of_kind(BlockKind.UNIT_TEST)[0].message == "used more than 128 MB"


@on("L3")
def test_one_allocation_beyond_the_limit_has_the_same_verdict(sandbox: Sandbox) -> None:
    execution = run(sandbox, "answer(x) = length(zeros(10^11))", tests=["answer(1)", "@test true"])
    assert endings(execution) == [Ending.OUT_OF_MEMORY, PASSED]


@on("L3")
def test_memory_within_the_limit_is_the_candidates_to_use(sandbox: Sandbox) -> None:
    execution = run(
        sandbox, "answer(x) = length(fill(1.0, 10^7))", tests=["@test answer(1) == 10^7"]
    )  # 80 MB
    assert endings(execution) == [PASSED]


@on("L3")
def test_output_is_captured_from_both_streams(sandbox: Sandbox) -> None:
    execution = run(sandbox, 'println("to stdout"); println(stderr, "to stderr"); answer(x) = x')
    assert execution.stdout == "to stdout\nto stderr\n"


@on("L3", "cold")
def test_a_flood_of_output_has_its_own_verdict_and_is_not_kept(sandbox: Sandbox) -> None:
    code = 'answer(x) = (x == 2 && foreach(i -> println("x"^1000), 1:10_000); x)'
    limits = Limits(seconds=5.0, output_bytes=100_000)
    execution = run(sandbox, code, tests=["@test answer(2) == 2", "@test answer(3) == 3"], limits=limits)
    assert endings(execution) == [Ending.OUTPUT_FLOOD, PASSED]
    assert execution.of_kind(BlockKind.UNIT_TEST)[0].message == "printed more than 100000 bytes"
    assert len(execution.stdout) <= 100_000


@on("L3")
def test_a_stack_overflow_is_an_ordinary_error(sandbox: Sandbox) -> None:
    execution = run(
        sandbox, "f(x) = f(x + 1) + 1\nanswer(x) = x == 2 ? f(1) : x", tests=["answer(2)", "@test true"]
    )
    assert endings(execution) == [ERRORED, PASSED]
    assert execution.of_kind(BlockKind.UNIT_TEST)[0].error_type == "StackOverflowError"


# The candidate's world


@on("L3")
def test_random_numbers_are_the_same_on_every_run(sandbox: Sandbox) -> None:
    first, second = (
        run(sandbox, "println(rand(UInt64))\nanswer(x) = x", tests=["println(rand(UInt64))"]).stdout
        for _ in range(2)
    )
    assert first == second
    assert len(set(first.split())) == 2


@on("L3")
def test_a_skipped_block_moves_no_random_number_of_the_next(sandbox: Sandbox) -> None:
    code, asks = "answer(x) = x", "@test rand(UInt64) == 0"
    skipped = run(sandbox, code, tests=["rand(); exit()", asks])
    drawn = run(sandbox, code, tests=["rand()", asks])
    assert endings(skipped) == [DIED, FAILED]
    assert endings(drawn) == [PASSED, FAILED]
    assert skipped.blocks[-1].message == drawn.blocks[-1].message


@on("L3", "cold")
def test_stdin_is_empty(sandbox: Sandbox) -> None:
    code = "answer(x) = (eof(stdin), readline(), read(stdin, String))"
    assert endings(run(sandbox, code, tests=['@test answer(1) == (true, "", "")'])) == [PASSED]


@on(*ISOLATED)
def test_a_file_written_by_one_candidate_is_not_there_for_the_next(sandbox: Sandbox) -> None:
    places = '[pwd(), tempdir(), homedir(), "/tmp", "/dev/shm"]'
    left = f"""
        for place in {places}
            try write(joinpath(place, "left"), "x") catch end
        end
        mkpath("closed/inner")
        try chmod("closed", 0o000) catch end
        answer(x) = isfile("left")
        """
    assert endings(run(sandbox, left, tests=["@test answer(1)"])) == [PASSED]
    looks = f'answer(x) = [p for p in {places} if ispath("$p/left") || ispath("$p/closed")]'
    assert endings(run(sandbox, looks, tests=["@test answer(1) == []"])) == [PASSED]


@on(*ISOLATED)
def test_a_candidate_sees_no_variable_of_our_environment(sandbox: Sandbox) -> None:
    code = """
        foreach(println, ENV)
        for process in readdir("/proc"), file in ("environ", "cmdline")
            try println(read("/proc/$process/$file", String)) catch end
        end
        answer(x) = x
        """
    execution = run(sandbox, code)
    assert execution.executed
    assert os.environ["CODEJURY_TEST_SECRET"] == SECRET
    assert "HOME=>" in execution.stdout.replace('"', "").replace(" ", "")
    assert SECRET not in execution.stdout


@on(*ISOLATED)
def test_a_candidate_reads_no_file_of_ours_and_writes_none(sandbox: Sandbox, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o777)  # only the sandbox is in the way
    ours = tmp_path / "ours.txt"
    ours.write_text(SECRET)
    ours.chmod(0o666)
    code = f"""
        try println(read("{ours}", String)) catch err; println(typeof(err)) end
        try write("{ours}", "changed") catch err; println(typeof(err)) end
        try write("{ours}.new", "new") catch err; println(typeof(err)) end
        answer(x) = x
        """
    execution = run(sandbox, code)
    assert execution.executed
    assert len(execution.stdout.splitlines()) == 3
    assert (SECRET in execution.stdout, ours.read_text(), len(list(tmp_path.iterdir()))) == (False, SECRET, 1)


@on(*ISOLATED)
def test_there_is_no_network(sandbox: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        code = f"using Sockets\nanswer(x) = try connect({server.getsockname()[1]}); 1 catch; 0 end"
        assert endings(run(sandbox, code, tests=["@test answer(1) == 0"])) == [PASSED]
        with pytest.raises(BlockingIOError):
            server.accept()


@on(*ISOLATED)
def test_no_program_can_be_started(sandbox: Sandbox) -> None:
    code = """
        answer(x) = try run(`true`); :ran catch err; typeof(err) end
        forks(x) = ccall(:fork, Cint, ())
        """
    assert endings(run(sandbox, code, tests=["@test answer(1) == Base.IOError", "@test forks(1) == -1"])) == [
        PASSED,
        PASSED,
    ]


@on("L3", "L2.5")
def test_a_candidate_inherits_nothing_of_ours_but_its_two_channels(sandbox: Sandbox) -> None:
    code = """
        for fd in readdir("/proc/self/fd")
            println(try readlink("/proc/self/fd/" * fd) catch; "" end)
        end
        answer(x) = x
        """
    links = set(run(sandbox, code).stdout.split())
    unexpected = {link for link in links if not re.match(r"/dev/|/proc/\d+/mem|anon_inode:|pipe:", link)}
    assert unexpected == set()


@on("L3", "L2.5", "L2")
def test_a_poisoned_event_loop_is_the_poisoners_own(sandbox: Sandbox) -> None:
    # An exclusive entry in an epoll set cannot be changed afterwards: libuv aborts where it must.
    poison = """
        link(fd) = try readlink("/proc/self/fd/$fd") catch; "" end
        loop = [fd for fd in 3:63 if occursin("anon_inode", link(fd))]
        for fd in loop, other in loop
            entry = UInt32[0x10000001, 0, 0, 0]
            ccall(:epoll_ctl, Cint, (Cint, Cint, Cint, Ptr{UInt32}), fd, 2, other, entry)
            ccall(:epoll_ctl, Cint, (Cint, Cint, Cint, Ptr{UInt32}), fd, 1, other, entry)
        end
        answer(x) = x
        """
    run(sandbox, poison)
    waits = "answer(x) = (sleep(0.01); wait(Timer(0.01)); fetch(@async x))"
    assert endings(run(sandbox, waits, tests=["@test answer(1) == 1"])) == [PASSED]


@on("L3")
def test_what_one_candidate_leaves_in_event_descriptors_the_next_does_not_see(sandbox: Sandbox) -> None:
    code = r"""
        link(fd) = try readlink("/proc/self/fd/$fd") catch; "" end
        answer(kind) = [fd for fd in 3:63 if link(fd) == "anon_inode:[$kind]"]
        told(fd, what) = match(Regex("$what:\\s*(\\w+)"), read("/proc/self/fdinfo/$fd", String))[1]
        count_of(fd) = parse(Int, told(fd, "eventfd-count"); base = 16)
        add(fd, n) = ccall(:write, Cssize_t, (Cint, Ptr{UInt64}, Csize_t), fd, UInt64[n], 8)
        """
    clean, leave = (
        "@test all(fd -> count_of(fd) < 1000, answer(:eventfd))",
        "foreach(fd -> add(fd, 5000), answer(:eventfd))",
    )
    seen = "@test !isempty(answer(:eventfd)) && all(fd -> count_of(fd) >= 5000, answer(:eventfd))"
    for _ in range(2):
        execution = run(sandbox, code, tests=[clean, leave, seen])
        assert endings(execution) == [PASSED, PASSED, PASSED], execution.blocks


@on("L3")
def test_a_candidate_opens_no_more_than_128_files(sandbox: Sandbox) -> None:
    code = """
        opens() = ccall(:open, Cint, (Cstring, Cint), "/dev/null", 0) >= 0
        answer(most) = something(findfirst(_ -> !opens(), 1:most), most)
        """
    assert endings(run(sandbox, code, tests=["@test 20 < answer(1000) <= 128"])) == [PASSED]


@on("L3")
def test_what_one_candidate_does_to_julia_the_next_does_not_see(sandbox: Sandbox) -> None:
    run(sandbox, 'Base.uppercase(s::String) = "changed"\nENV["CHANGED"] = "1"\nanswer(x) = x\ncd("/")')
    code = 'answer(x) = (uppercase("a"), haskey(ENV, "CHANGED"), pwd() == "/")'
    assert endings(run(sandbox, code, tests=['@test answer(1) == ("A", false, false)'])) == [PASSED]


# The sandbox itself: what is lost is replaced, and nothing is left


def tree_of(sandbox: ForkServerSandbox) -> frozenset[int]:
    return descendants(sandbox.worker_pid)


def wait_until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


class Assassin:
    """Strikes at the worker each time a candidate is running in it, a given number of times."""

    def __init__(self, sandbox: ForkServerSandbox, *, times: int, strike: Callable[[int], None]) -> None:
        self._sandbox = sandbox
        self._times = times
        self._victim = 0
        self._strike = strike
        self._idle = len(tree_of(sandbox))
        self._thread = threading.Thread(target=self._lurk, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._thread.join(timeout=1)
        assert not self._thread.is_alive(), "it found nobody to strike at"

    def _lurk(self) -> None:
        for _ in range(self._times):
            wait_until(self._is_busy)
            self._victim = self._sandbox.worker_pid
            self._strike(self._victim)

    def _is_busy(self) -> bool:
        """A worker that was not struck yet runs a candidate."""
        return self._sandbox.worker_pid != self._victim and len(tree_of(self._sandbox)) > self._idle


def kill_outright(worker: int) -> None:
    os.kill(worker, signal.SIGKILL)


SLOW = "answer(x) = (sleep(0.3); x)"


@on("L3")
def test_a_worker_that_is_killed_is_replaced_and_its_job_judged(sandbox: ForkServerSandbox) -> None:
    before = sandbox.worker_pid
    with Assassin(sandbox, times=1, strike=kill_outright):
        execution = run(sandbox, SLOW, tests=["@test answer(1) == 1", "@test answer(1) == 2"])
    assert endings(execution) == [PASSED, FAILED]
    assert sandbox.worker_pid != before


@on("L3")
def test_a_worker_that_hangs_is_replaced_and_its_job_judged(sandbox: ForkServerSandbox) -> None:
    def stop_all_inside(worker: int) -> None:
        for process in descendants(worker):
            os.kill(process, signal.SIGSTOP)

    before = sandbox.worker_pid
    with Assassin(sandbox, times=1, strike=stop_all_inside):
        execution = run(sandbox, SLOW, tests=["@test answer(1) == 1"], limits=Limits(seconds=2.0))
    assert endings(execution) == [PASSED]
    assert sandbox.worker_pid != before
    assert not descendants(before)


@on("L3")
def test_a_candidate_that_takes_the_worker_down_twice_gets_the_verdict_itself(
    sandbox: ForkServerSandbox,
) -> None:
    with Assassin(sandbox, times=2, strike=kill_outright):
        execution = run(sandbox, "sleep(0.3)\nanswer(x) = x", tests=["@test true"])
    assert main_of(execution).ending is DIED
    assert "lost twice" in main_of(execution).message
    assert (execution.executed, endings(execution)) == (False, [NOT_RUN])
    assert endings(run(sandbox, "answer(x) = x", tests=["@test answer(1) == 1"])) == [PASSED]


@on("L3")
def test_an_order_to_kill_that_comes_too_late_costs_nothing(sandbox: ForkServerSandbox) -> None:
    before = sandbox.worker_pid
    sandbox._worker.order_kill()  # what happens when a block ends just as its time is up
    assert endings(run(sandbox, "answer(x) = x", tests=["@test answer(1) == 1"])) == [PASSED]
    assert sandbox.worker_pid == before


@pytest.mark.parametrize("name", ["L3", "L2", "cold"])
def test_closing_leaves_no_process_and_no_folder_behind(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes, descriptors = descendants(), open_descriptors()
    with tempfile.TemporaryDirectory() as temporary:  # others use the usual one meanwhile
        monkeypatch.setattr(tempfile, "tempdir", temporary)
        Path(temporary).chmod(0o755)
        sandbox, close = make_sandbox(name, request)
        run(sandbox, 'write("left", "x")\nanswer(x) = x', tests=["@test answer(1) == 1"])
        close()
        close()
        assert list(Path(temporary).iterdir()) == []
    assert (descendants(), open_descriptors()) == (processes, descriptors)


def test_closing_ends_a_candidate_that_is_running(l3: ForkServerSandbox) -> None:
    idle, others = len(tree_of(l3)), descendants() - {l3.worker_pid, *tree_of(l3)}
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(run, l3, "sleep(60)\nanswer(x) = x", limits=Limits(seconds=100.0))
        wait_until(lambda: len(tree_of(l3)) > idle)
        l3.close()
        assert waiting.exception() is not None
    assert descendants() <= others  # those of a cluster come and go meanwhile


@pytest.mark.parametrize("name", ["fake", "L3", "cold"])
def test_a_closed_sandbox_refuses_jobs(name: str, request: pytest.FixtureRequest) -> None:
    sandbox, close = make_sandbox(name, request)
    close()
    with pytest.raises(SandboxError, match="closed"):
        run(sandbox, "answer(x) = x")


@on("L3")
def test_nothing_leaks_over_two_hundred_candidates(
    sandbox: ForkServerSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forkserver, "VERY_MANY_JOBS", MANY_JOBS + 1)  # it settles in, if it did not before
    codes = [
        "answer(x) = x",
        "answer(x) = error(string(x))",
        'answer(x) = (write("file", "x"); println(x); exit())',
        "struct P{T}; x::T; end\nanswer(x) = P(x)",
        "answer(x) = (@async sleep(0); x)\nx +",
    ]

    def judge(count: int) -> dict[str, object]:
        for i in range(count):
            run(sandbox, codes[i % len(codes)], tests=[f"@test answer({i}) == {i}"])
        return held_by(sandbox)

    before, after = judge(20), judge(200)
    grown = after.pop("memory_kb") - before.pop("memory_kb")  # type: ignore[operator]
    assert after == before
    assert grown < 8_000


def held_by(sandbox: ForkServerSandbox) -> dict[str, object]:
    """What we and the worker hold: processes, descriptors, maps, memory."""
    worker = [sandbox.worker_pid, *sorted(tree_of(sandbox))]
    pages = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in worker]
    return {
        "worker": worker,
        "family": descendants(),
        "descriptors": open_descriptors(),
        "their descriptors": [len(os.listdir(f"/proc/{pid}/fd")) for pid in worker],  # noqa: PTH208
        "their maps": [len(Path(f"/proc/{pid}/maps").read_text().splitlines()) for pid in worker],
        "memory_kb": sum(pages) * os.sysconf("SC_PAGE_SIZE") // 1024,
    }


@on("L3")
def test_two_workers_give_the_same_verdicts_as_one(sandbox: Sandbox, l3: ForkServerSandbox) -> None:
    codes = [
        *(f"answer(x) = x + {i}" for i in range(6)),
        "answer(x) = rand(1:10)",
        "answer(x) =",
        "answer(x) = (x == 4 && exit(); 42)",
        'answer(x) = (write("f", "x"); filesize("f") + 41)',
        "answer(x) = (println(pwd()); error(string(x)))",
        "answer(x) = (x == 3 && while true; end; 99)",
    ]

    def judge(sandbox: Sandbox, code: str) -> Execution:
        execution = run(sandbox, code, tests=CASE.unit_tests, limits=Limits(seconds=1.0))
        return replace(execution, blocks=tuple(replace(block, seconds=0.0) for block in execution.blocks))

    alone = [judge(sandbox, code) for code in codes]
    with ThreadPoolExecutor(2) as pool:
        halves = [
            pool.submit(lambda box, part: [judge(box, code) for code in part], box, part)
            for box, part in ((sandbox, codes[::2]), (l3, codes[1::2]))
        ]
        together = [half.result() for half in halves]
    assert together == [alone[::2], alone[1::2]]


# From blocks to a candidate


def verdict_on(sandbox: Sandbox, *blocks: str | Snippet) -> tuple[str, tuple[int, ...], bool]:
    """Which rule fired, which blocks were used, and whether the result executes."""
    execution = run(sandbox, *blocks, tests=["@test answer(1) == 1"])
    return execution.extraction.rule, execution.extraction.blocks_used, execution.executed


@on("L3")
def test_all_blocks_joined_are_tried_first(sandbox: Sandbox) -> None:
    assert verdict_on(sandbox, "a = 1", "answer(x) = x * a", "answer(1)") == ("all", (0, 1, 2), True)


@on("L3")
def test_if_that_fails_the_defining_blocks_with_the_definitions_before_them(sandbox: Sandbox) -> None:
    blocks = ["struct P; x; end", "not_there()", "answer(x) = P(x).x", "answer(not_there)"]
    assert verdict_on(sandbox, *blocks) == ("defining", (0, 2), True)


@on("L3")
def test_if_that_fails_too_the_last_defining_block(sandbox: Sandbox) -> None:
    blocks = ["answer(x) = x\nnot_there()", "answer(x) = x"]
    assert verdict_on(sandbox, *blocks) == ("last_defining", (1,), True)


@on("L3")
def test_if_none_executes_the_one_that_got_furthest_is_the_verdict(sandbox: Sandbox) -> None:
    blocks = ["answer(x) = x\na = 1\nb = 2\nnot_there()", "answer(x) = not_there()\nanswer(1)"]
    assert verdict_on(sandbox, *blocks) == ("all", (0, 1), False)
    late = ["x +", "answer(x) = x\na = 1\nb = 2\nnot_there()"]
    assert verdict_on(sandbox, *late) == ("defining", (1,), False)


@on("L3")
def test_blocks_of_other_languages_never_count(sandbox: Sandbox) -> None:
    python = Snippet(code="answer = 1", language="python")
    assert verdict_on(sandbox, python, "answer(x) = x") == ("all", (1,), True)
    execution = run(sandbox, python, tests=["@test true"])
    assert (execution.extraction.rule, execution.parsed, execution.executed) == ("none", False, False)
    assert (main_of(execution).ending, endings(execution)) == (ERRORED, [NOT_RUN])


@on("L3")
def test_untagged_blocks_count_where_none_is_tagged_and_they_are_julia(sandbox: Sandbox) -> None:
    untagged, prose = Snippet(code="answer(x) = x"), Snippet(code="Then call it like so.")
    assert verdict_on(sandbox, prose, untagged) == ("all", (1,), True)
    assert verdict_on(sandbox, untagged, "answer(x) = x") == ("all", (1,), True)


@on("L3")
def test_an_answer_without_a_fence_is_code_if_it_is_julia_as_a_whole(sandbox: Sandbox) -> None:
    assert verdict_on(sandbox, Snippet(code="answer(x) = x", fenced=False)) == ("all", (0,), True)
    for prose in ("I am sorry, I cannot.", "Sorry", "# only a comment"):
        assert verdict_on(sandbox, Snippet(code=prose, fenced=False)) == ("none", (), False), prose
    for nothing in ("", "  \n"):
        assert verdict_on(sandbox, Snippet(code=nothing, fenced=False)) == ("empty", (), False)


@on("L3")
def test_the_code_that_was_run_is_recorded(sandbox: Sandbox) -> None:
    execution = run(sandbox, "a = 1\n", "answer(x) = a\n@test false\n")
    assert execution.extraction.code.split("\n") == ["a = 1", "", "answer(x) = a", "@test false", ""]
    assert execution.extraction.blocks_found == 2


# Clean-up


@on("L3")
def test_tests_of_the_candidates_own_are_taken_out_and_counted(sandbox: Sandbox) -> None:
    code = """
        using Test
        answer(x) = x
        @test answer(1) == 2
        Test.@test answer(1) == 3
        @test_throws ErrorException answer(1)
        @testset "mine" begin
            @test answer(1) == 4
        end
        if true
            @test false
        end
        """
    execution = run(sandbox, code, tests=["@test answer(1) == 1"])
    assert (execution.executed, endings(execution)) == (True, [PASSED])
    assert execution.extraction.dropped_tests == 5


@on("L3")
def test_imports_of_packages_that_are_not_there_are_dropped_one_name_at_a_time(sandbox: Sandbox) -> None:
    code = """
        using NotThere, Dates, AlsoNot  # three at once
        import Statistics: mean,
            std
        using Elsewhere: f, g
        import NotThere.Inner
        answer(x) = (Date(2020, 1, x), mean([1, 3]), std([1.0, 1.0]))
        """
    execution = run(sandbox, code, tests=["@test answer(2) == (Date(2020, 1, 2), 2, 0)"])
    assert endings(execution) == [PASSED]
    assert execution.extraction.dropped_imports == ("NotThere", "AlsoNot", "Elsewhere")


@on("L3")
def test_package_management_is_dropped(sandbox: Sandbox) -> None:
    code = """
        using Pkg; Pkg.add("NotThere")
        Pkg.activate(; temp = true)
        import Pkg
        answer(x) = x
        """
    assert endings(run(sandbox, code, tests=["@test answer(1) == 1"])) == [PASSED]


@on("L3")
def test_modules_of_the_candidates_own_are_imported_as_anywhere(sandbox: Sandbox) -> None:
    code = """
        module Inner
            export helper
            helper(x) = x
            module Deeper
                using ..Inner
                twice(x) = 2helper(x)
            end
        end
        using .Inner
        using .Inner.Deeper: twice
        import .Inner
        answer(x) = twice(helper(x))
        """
    assert endings(run(sandbox, code, tests=["@test answer(2) == 4"])) == [PASSED]


@on("L3")
def test_a_dropped_import_does_not_save_code_that_needs_it(sandbox: Sandbox) -> None:
    execution = run(sandbox, "using DataFrames\nanswer(x) = nrow(DataFrame(a = [1]))\nanswer(1)")
    assert main_of(execution).error_type == "UndefVarError"
    assert main_of(execution).line == 3


@on("L3")
def test_docstrings_and_triple_quotes_are_ordinary_code(sandbox: Sandbox) -> None:
    code = '''
        """
            answer(x)

        Says "x", with a fence:
        ```julia
        answer(1)
        ```
        """
        function answer(x)
            text = """
                a "quoted" $(x)
                """
            return text
        end

        "A type."
        struct P end
        '''
    assert endings(run(sandbox, code, tests=['@test answer(1) == "a \\"quoted\\" 1\\n"'])) == [PASSED]


@on("L3")
def test_a_repl_transcript_is_reduced_to_its_inputs(sandbox: Sandbox) -> None:
    transcript = """\
julia> function answer(x)
           x
       end
answer (generic function with 1 method)

julia> answer(2)
2
"""
    assert endings(run(sandbox, transcript, tests=["@test answer(1) == 1"])) == [PASSED]


# Parsed and executed


@on("L3")
def test_code_that_does_not_parse_is_not_parsed_and_says_where(sandbox: Sandbox) -> None:
    execution = run(sandbox, "a = 1\nfunction answer(x)\n    x +\nend)", tests=["@test true"])
    assert (execution.parsed, execution.executed, endings(execution)) == (False, False, [NOT_RUN])
    assert main_of(execution).error_type == "ParseError"
    assert main_of(execution).message


@on("L3")
@pytest.mark.parametrize("fault", ["1 + x = 2", "break", "answer(x, x) = x", "f() = (local y; global y)"])
def test_a_fault_of_syntax_that_shows_only_at_lowering_is_not_parsed_either(
    fault: str, sandbox: Sandbox
) -> None:
    execution = run(sandbox, f"answer(x) = x\n{fault}")
    assert (execution.parsed, execution.executed) == (False, False)
    assert main_of(execution).line == 2


@on("L3")
def test_an_exception_is_parsed_and_not_executed_with_type_message_and_line(sandbox: Sandbox) -> None:
    execution = run(sandbox, 'answer(x) = x\n\nthrow(ArgumentError("no good"))\nanswer(1)')
    block = main_of(execution)
    assert (execution.parsed, execution.executed) == (True, False)
    assert (block.error_type, block.message, block.line) == ("ArgumentError", "no good", 3)


@on("L3")
@pytest.mark.parametrize(
    ("code", "error", "message"),
    [
        ("undefined_name", "UndefVarError", "undefined_name"),
        ("[1, 2][5]", "BoundsError", "5"),
        ('parse(Int, "x")', "ArgumentError", "invalid"),
        ('Dict("a" => 1)["b"]', "KeyError", '"b"'),
        ("sqrt(-1)", "DomainError", "-1"),
        ("1 + nothing", "MethodError", "Nothing"),
        ("div(1, 0)", "DivideError", ""),
        ('throw("text")', "String", "text"),
        ("struct E <: Exception; msg; end\nthrow(E(7))", "E", ""),
    ],
)
def test_errors_are_told_by_type_and_a_short_message(
    code: str, error: str, message: str, sandbox: Sandbox
) -> None:
    block = main_of(run(sandbox, f"answer(x) = x\n{code}"))
    assert block.error_type == error
    assert message in block.message
    assert len(block.message) <= 400


@on("L3")
def test_packages_the_definition_needs_and_julia_lacks_are_named_and_nothing_runs(sandbox: Sandbox) -> None:
    execution = run(
        sandbox, 'print("ran")\nanswer(x) = x', tests=["@test true"], imports=("Dates", "NotThere")
    )
    assert execution.missing_packages == ("NotThere",)
    assert (execution.stdout, endings(execution)) == ("", [NOT_RUN])


@on("L3")
def test_imports_of_the_definition_are_there_for_candidate_and_tests(sandbox: Sandbox) -> None:
    tests = ["@test answer(1) == Date(2020, 1, 1)", '@test @sprintf("%d", 1) == "1"']
    execution = run(sandbox, "answer(x) = Date(2020, 1, x)", tests=tests, imports=("Dates", "Printf"))
    assert endings(execution) == [PASSED, PASSED]


# Examples and unit tests


@on("L3")
def test_examples_run_before_unit_tests_in_the_same_module_with_all_state(sandbox: Sandbox) -> None:
    execution = run(
        sandbox,
        "log = []\nanswer(x) = push!(log, x)",
        examples=("answer(1)", "y = 5"),
        tests=["@test log == [1]\nanswer(2)", "@test log == [1, 2] && y == 5"],
    )
    assert endings(execution, BlockKind.EXAMPLE) == [PASSED, PASSED]
    assert endings(execution) == [PASSED, PASSED]


@on("L3")
def test_setup_runs_before_each_block_of_its_kind_and_teardown_always_after(sandbox: Sandbox) -> None:
    execution = run(
        sandbox,
        "answer(x) = x\nconst calls = String[]",
        examples=('push!(calls, "e1")', 'push!(calls, "e2")\nerror()'),
        examples_setup='push!(calls, "before")',
        examples_teardown='push!(calls, "after")',
        tests=['@test calls == ["before", "e1", "after", "before", "e2", "after"] && a == 1', "@test a == 1"],
        unit_tests_setup="a = 1",
        unit_tests_teardown="a = 2",
    )
    assert endings(execution, BlockKind.EXAMPLE) == [PASSED, ERRORED]
    assert endings(execution) == [PASSED, PASSED]


@on("L3")
def test_a_setup_or_teardown_that_fails_fails_the_block(sandbox: Sandbox) -> None:
    code = "answer(x) = x\nconst turn = Ref(0)"
    execution = run(sandbox, code, tests=["@test true"] * 2, unit_tests_setup="(turn[] += 1) == 1 && error()")
    assert endings(execution) == [ERRORED, PASSED]
    execution = run(
        sandbox, code, tests=["@test true"] * 2, unit_tests_teardown="(turn[] += 1) == 1 && error()"
    )
    assert endings(execution) == [ERRORED, PASSED]


@on("L3")
def test_a_failing_test_tells_both_values_and_its_own_line(sandbox: Sandbox) -> None:
    test = 'a = 1\n@test answer(a) == [1]\n@test answer("x") == "y"\n@test true'
    block = run(sandbox, "answer(x) = x isa Int ? [x] : x", tests=[test]).blocks[-1]
    assert (block.ending, block.error_type, block.line) == (FAILED, "TestFailed", 3)
    assert block.message == 'got "x" == "y"'


DEFINITIONS = """
struct P; x::Int; end
Base.:(==)(a::P, b::P) = a.x == b.x
answer(x) = x
fails(x) = throw(ArgumentError("bad"))
"""

PASSING = [
    "@test answer(1) == 1",
    "@test answer(1) != 2",
    "@test answer(1.0) ≈ 1.0 + 1e-10",
    "@test answer(1.0) ≈ 1.05 atol=0.1",
    "@test isapprox(answer(1.0), 1.05; atol = 0.1)",
    "@test 0 < answer(1) < 2 <= 2",
    "@test !(answer(1) == 2)",
    "@test answer(1) == 1 && answer(2) == 2",
    "@test answer(1) == 2 || answer(2) == 2",
    "@test answer(1) isa Int",
    "@test answer(1) in [1, 2]",
    "@test answer(1) ∉ [2, 3]",
    "@test answer([1]) ⊆ [1, 2]",
    "@test answer(nothing) === nothing",
    "@test isequal(answer(NaN), NaN)",
    "@test isempty(answer([]))",
    "@test answer(true)",
    "@test all(answer([1, 2]) .== [1, 2])",
    "@test answer(P(1)) == P(1)",
    "@test answer([P(1)]) == [P(1)]",
    '@test answer(Dict("a" => [1])) == Dict("a" => [1])',
    "@test Set(answer([1, 2])) == Set([2, 1])",
    "@test answer((a = 1, b = [2])) == (a = 1, b = [2])",
    '@test answer("héé") == "h" * "éé"',
    "@test answer([1 2; 3 4])[2, end] == 4",
    "@test [answer(i)^2 for i in 1:3] == [1, 4, 9]",
    "@test sort(answer([3, 1]); rev = true) == [3, 1]",
    "@test map(answer, 1:2) == [1, 2]",
    "@test (y = answer(1)) == 1",
    "@test_throws ArgumentError fails(1)",
    '@test_throws ArgumentError("bad") fails(1)',
    "@test_throws Exception fails(1)",
    "@test_throws MethodError answer(1, 2)",
    "@test_throws ErrorException answer(1).not_there",
    "@test_throws UndefVarError(:not_there) answer(not_there)",
    "@test_skip answer(1) == 2",
    "@test_broken answer(1) == 2",
    "let y = 1\n    @test answer(y) == 1\n    @test_throws ArgumentError fails(y)\nend",
    "for i in 1:3\n    @test answer(i) == i\nend",
    '@testset "named" begin\n    z = 1\n    @test answer(z) == 1\nend',
    "@testset for i in 1:2\n    @test answer(i) == i\nend",
    "@testset begin\n    @testset begin\n        @test answer(1.0) ≈ 1.04 atol=0.1\n    end\nend",
    "function check(y)\n    @test answer(y) == y\nend\ncheck(1)",
    "Test.@test answer(1) == 1",
]
FAILING = [
    "@test answer(1) == 2",
    "@test answer(1.0) ≈ 1.05",
    "@test answer(1.0) ≈ 1.5 atol=0.1",
    "@test 0 < answer(1) < 1",
    "@test !(answer(1) == 1)",
    "@test answer(1) == 1 && answer(2) == 1",
    "@test answer(1) isa String",
    "@test answer(3) in [1, 2]",
    "@test answer(missing) == 1",
    "@test answer(1)",
    "@test answer(nothing)",
    '@test answer("true")',
    "@test answer(P(1)) == P(2)",
    "@test answer(P(1)) == 1",
    "@test answer(1) === 1.0",
    "@test_throws ArgumentError answer(1)",
    "@test_throws DomainError fails(1)",
    '@test_throws ArgumentError("good") fails(1)',
    "@test_throws UndefVarError(:nowhere) answer(not_there)",
    "@test_broken answer(1) == 1",
    "let y = 1\n    @test answer(y) == 2\nend",
    "for i in 1:3\n    @test answer(i) == 1\nend",
    '@testset "named" begin\n    @test answer(1) == 1\n    @test answer(1) == 2\nend',
    "@testset begin\n    @test_throws ArgumentError answer(1)\nend",
    "let y = 1\n    @test answer(y)\nend",
    "@test answer(1) == 2\n@test true",
]
BREAKING = [
    "fails(1)",
    "@test fails(1) == 1",
    "@test fails(1)",
    "answer(1) +",
    "@test answer(1) == not_there",
    "@testset begin\n    @test fails(1) == 1\nend",
    "@test answer(1, 2) == 1",
]


@on("L3")
def test_every_form_of_test_that_holds_passes(sandbox: Sandbox) -> None:
    assert outcomes(sandbox, PASSING) == dict.fromkeys(PASSING, PASSED)


@on("L3")
def test_every_form_of_test_that_does_not_hold_fails(sandbox: Sandbox) -> None:
    assert outcomes(sandbox, FAILING) == dict.fromkeys(FAILING, FAILED)


@on("L3")
def test_an_exception_in_a_test_is_an_error_and_not_a_failure(sandbox: Sandbox) -> None:
    assert outcomes(sandbox, BREAKING) == dict.fromkeys(BREAKING, ERRORED)


def outcomes(sandbox: Sandbox, tests: list[str]) -> dict[str, Ending]:
    return dict(zip(tests, endings(run(sandbox, DEFINITIONS, tests=tests)), strict=True))


# Who decides


def deciders(execution: Execution) -> list[str]:
    return [block.decided_by.value for block in execution.of_kind(BlockKind.UNIT_TEST)]


@on("L3")
def test_what_cannot_travel_or_be_named_fails_no_right_answer(sandbox: Sandbox) -> None:
    code = (
        "struct Own <: Real; n::Int; end\nstruct Doubling end\nBase.:*(::Doubling, x::AbstractMatrix) = 2x\n"
        "answer(x) = x\nlacking(n) = Vector{String}(undef, n)"
    )
    tests = [
        "@test (answer(3)::Int) == 3",
        "@test Complex(Own(1), Own(2)) isa Complex",
        "let M = reshape(1:6, 2, 3)\n answer(M)\n @test Doubling() * permutedims(M) == 2permutedims(M)\nend",
        "@test gaps(3) isa Vector{String}",
    ]
    setup = "gaps(n) = n > 2 ? lacking(n) : lacking(0)"
    execution = run(sandbox, code, tests=tests, unit_tests_setup=setup)
    assert [(block.error_type, block.message) for block in execution.blocks if not block.passed] == []
    assert deciders(execution)[0] == "referee"


@on("L3", "cold")
def test_a_referee_decides_from_values_and_the_candidate_only_about_its_own_types(sandbox: Sandbox) -> None:
    code = (
        "struct Coin; n; end\nBase.:(==)(a::Coin, b::Coin) = a.n == b.n\nanswer(x) = Coin(x)\ntwice(x) = 2x"
    )
    tests = [
        "@test twice(2) == 4",
        "@test answer(1).n == 1",
        "@test answer(1) == Coin(1)",
        "foreach(1:2) do x\n    @test twice(x) == 2x\nend",
        "@test twice(2) == 5",
    ]
    execution = run(sandbox, code, tests=tests)
    assert endings(execution) == [PASSED, PASSED, PASSED, PASSED, FAILED]
    assert deciders(execution) == ["referee", "referee", "candidate", "candidate", "referee"]


@on("L3")
def test_what_a_candidate_redefines_is_noted_and_moves_no_verdict_of_the_referees(sandbox: Sandbox) -> None:
    code = "Base.:(==)(a::Int, b::Int) = true\nanswer(x) = 2x"
    decided_there = "foreach([1]) do x\n    @test answer(x) == 2\nend"
    execution = run(sandbox, code, tests=["@test answer(1) == 2", "@test answer(1) == 3", decided_there])
    assert endings(execution) == [PASSED, FAILED, FAILED]
    assert execution.notes == ("redefined Base.==",)
    assert execution.tampering == ()


@on("L3")
def test_what_was_thrown_is_told_to_the_referee_whatever_it_lacks(sandbox: Sandbox) -> None:
    code = """
    struct Own <: Exception; x; end
    answer(x) = throw(x == 1 ? DomainError(x) : x == 2 ? Own(x) : KeyError(x))
    """
    tests = [
        f"@test_throws {expected} answer({n})" for n, expected in enumerate(["DomainError", "Exception"], 1)
    ]
    tests += [
        "@test_throws KeyError(3) answer(3)",
        "@test_throws ArgumentError answer(2)",
        "@test_throws Own answer(2)",
    ]
    execution = run(sandbox, code, tests=tests)
    assert endings(execution) == [PASSED, PASSED, PASSED, FAILED, PASSED]
    assert deciders(execution) == ["referee"] * 4 + ["candidate"]


@on("L3")
def test_a_test_that_may_be_told_and_cannot_be_split_even_so_is_decided_as_a_whole(sandbox: Sandbox) -> None:
    code = "struct Own; x; end\nBase.:(==)(a::Own, b::Int) = a.x == b\nanswer(x) = Own(x)"
    # The first check would tell what is expected, and the second has a value that cannot travel.
    first = "let own = answer(1)\n    @test own == 1\n    @test own != BitSet([2])\nend"
    execution = run(sandbox, code, tests=[first, "@test answer(1).x == 1", "@test answer(1).x == 2"])
    assert endings(execution) == [PASSED, PASSED, FAILED]
    assert deciders(execution) == ["candidate", "referee", "referee"]


@on("L3")
def test_harmless_piracy_costs_nothing(sandbox: Sandbox) -> None:
    code = "Base.:+(a::String, b::String) = a * b\nanswer(x) = x + x"
    execution = run(sandbox, code, tests=['@test answer("a") == "aa"', '@test answer("b") + "c" == "bbc"'])
    assert endings(execution)[0] is PASSED


@on("L3")
def test_a_candidate_finds_the_inputs_of_a_test_in_its_memory_and_not_what_is_expected(
    sandbox: Sandbox,
) -> None:
    # Searches all its memory for a word that goes on with 729, which is nowhere in its own code.
    code = """
    function found(word)
        for line in eachline("/proc/self/maps")
            range, access = split(line)[1:2]
            startswith(access, "rw") && !occursin("[v", line) || continue
            from, to = parse.(UInt, split(range, '-'), base = 16)
            bytes = try open(io -> (seek(io, from); read(io, to - from)), "/proc/self/mem") catch; UInt8[] end
            at = 0
            while at < length(bytes)
                place = GC.@preserve bytes ccall(:memmem, Ptr{UInt8},
                    (Ptr{UInt8}, Csize_t, Ptr{UInt8}, Csize_t),
                    pointer(bytes) + at, length(bytes) - at, word, sizeof(word))
                place == C_NULL && break
                at = Int(place - pointer(bytes)) + sizeof(word)
                at + 3 <= length(bytes) && bytes[at+1:at+3] == [0x37, 0x32, 0x39] && return true
            end
        end
        return false
    end
    answer(x) = (found("given-mark-"), found("wanted-mark-"))
    """
    test = '@test answer("given-mark-729") == (true, "wanted-mark-729" == "")'
    execution = run(sandbox, code, tests=[test], limits=Limits(seconds=30, memory_mb=1500))
    assert endings(execution) == [PASSED], execution.of_kind(BlockKind.UNIT_TEST)[0].message


@on("L3")
def test_a_value_that_the_referee_cannot_read_fails_its_test_and_no_other(sandbox: Sandbox) -> None:
    code = "answer(x) = x == 1 ? foldl((a, _) -> Any[a, a], 1:60, init = Any[1]) : x"
    tests = ["@test answer(1) == 1", "@test answer(2) == 2"]
    assert endings(run(sandbox, code, tests=tests)) == [FAILED, PASSED]


@on("L3", "cold")
def test_a_candidate_that_dies_while_it_is_parsed_has_failed(sandbox: Sandbox) -> None:
    execution = run(sandbox, "answer(x) = x" + "'" * 300_000, tests=["@test answer(1) == 1"])
    assert not execution.executed
    assert endings(execution) == [NOT_RUN]
