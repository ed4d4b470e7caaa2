"""How a run is watched: which time is the candidate's, which time-out counts, and that no limit sleeps."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from codejury.judge.sandbox import watch
from codejury.judge.sandbox.examiner import Examiner
from codejury.judge.sandbox.execution import execute
from codejury.judge.sandbox.proof import proof_task
from codejury.judge.sandbox.run import QUICK_SHARE, OnFrame, Run, Stop, Task
from codejury.judge.sandbox.timeout_fairness import STARVED, RunScheduler, RunsOnce
from codejury.judge.sandbox.watch import waited_seconds
from codejury.judge.sandbox.worker import Launch, Worker
from codejury.records import BlockKind, Ending, Execution, Job, Limits, Snippet
from fakes import a_case

# Speaks the protocol of the Julia side as far as a clock needs it: frames, and pauses between them.
STAND_IN = """
import hmac, os, socket, struct, sys, time
from codejury.judge.sandbox.wire import FRAME_MARK, KEY_BYTES, encode

control = socket.socket(fileno=int(sys.argv[-1]))
(size,) = struct.unpack("<I", control.recv(4))
plan = control.recv(size)[8:].decode().split()
ready = encode(["ready", "1.5.3", "0", "1"])
control.sendall(struct.pack("<I", len(ready)) + ready)
_, (job, verdicts, output, orders), _, _ = socket.recv_fds(control, 5, 4)
key = os.read(job, 10_000)[8 : 8 + KEY_BYTES]
sent, blocks = 0, -1
for step in plan:
    if step.startswith("wait="):
        time.sleep(float(step.removeprefix("wait=")))
        continue
    if step.startswith("burn="):
        os.sched_setaffinity(0, {int(step.removeprefix("burn="))})
        while True:
            pass
    if step == "chatter":
        hoard = []
        while True:
            hoard += [b"x" * 2**20] if len(hoard) < 300 else []
            os.write(output, b".")
            time.sleep(0.005)
    blocks += step == "block"
    more = {"main": ["passed"], "block": ["unit_test", str(blocks)]}
    payload = encode([step, *more.get(step, [])])
    tag = hmac.digest(key, struct.pack("<I", sent) + payload, "sha256")
    os.write(verdicts, FRAME_MARK + struct.pack("<I", len(payload)) + payload + tag)
    sent += 1
"""


def run_stand_in(plan: str, *, seconds: float, answer_seconds: float = 60.0, memory_mb: int = 1000) -> Run:
    launch = Launch(command=[sys.executable, "-c", STAND_IN], environment={})
    worker = Worker(launch, [plan], mode="once")
    try:
        limits = Limits(seconds=seconds, answer_seconds=answer_seconds, memory_mb=memory_mb)
        return worker.run_alone(proof_task("", [""] * plan.count("block")), limits)
    finally:
        worker.close()


def test_the_time_until_a_candidates_code_runs_is_not_its_own():
    run = run_stand_in("wait=0.6 begun candidates extraction parsed main done", seconds=0.3)
    assert (run.stop, run.done) == (Stop.ITSELF, True)


@pytest.mark.parametrize("begun", ["begun", "begun candidates extraction parsed", "begun parsed main"])
def test_from_then_on_each_silence_is_held_against_the_limit(begun):
    run = run_stand_in(f"{begun} wait=60 done", seconds=0.3)
    assert (run.stop, run.prepared) == (Stop.TIME, True)


def test_a_judge_that_never_comes_to_the_code_is_ended_all_the_same(monkeypatch):
    monkeypatch.setattr(watch, "PREPARING_SECONDS", 0.3)
    run = run_stand_in("wait=60 begun", seconds=60)
    assert (run.stop, run.prepared) == (Stop.TIME, False)


def test_chatter_hides_neither_the_time_nor_the_memory_it_takes():
    begun = "begun candidates extraction parsed chatter"
    assert run_stand_in(begun, seconds=0.5).stop is Stop.TIME
    hoarding = run_stand_in(begun, seconds=20, memory_mb=100)
    assert hoarding.stop is Stop.MEMORY
    assert len(hoarding.output) < 300, "it was noticed only when the time was over"


def test_all_blocks_of_a_run_together_are_held_against_the_answers_total():
    begun = "begun candidates extraction parsed main wait=0.3 block wait=0.3 block wait=0.3 block done"
    run = run_stand_in(begun, seconds=0.5, answer_seconds=0.7)
    assert (run.stop, len(run.frames)) == (Stop.TOTAL, 7)
    assert 0.7 <= run.seconds < 2
    assert run.last_seconds < 0.3


def test_what_is_not_the_candidates_own_time_takes_nothing_from_the_total():
    run = run_stand_in("wait=0.5 begun candidates extraction parsed main done", seconds=1, answer_seconds=0.4)
    assert (run.stop, run.done) == (Stop.ITSELF, True)


@pytest.mark.parametrize(("excused", "stop"), [(60.0, Stop.ITSELF), (0.5, Stop.TOTAL)])
def test_values_that_take_the_referee_long_are_at_last_the_candidates_own_time(monkeypatch, excused, stop):
    take = Examiner.take

    def take_slowly(examiner, frame):
        time.sleep(1 if frame[0] == b"block" else 0)
        return take(examiner, frame)

    monkeypatch.setattr(Examiner, "take", take_slowly)
    monkeypatch.setattr(watch, "EXCUSED_SECONDS", excused)
    plan = f"begun candidates extraction parsed main {'wait=0.1 block ' * 3}wait=4 done"
    assert run_stand_in(plan, seconds=10, answer_seconds=3).stop is stop


def test_a_run_tells_how_long_its_last_block_had_run():
    run = run_stand_in("begun candidates extraction parsed main wait=0.5 block wait=60", seconds=0.8)
    assert run.stop is Stop.TIME
    assert 0.8 <= run.last_seconds < 1.2 <= run.seconds


LIMITS = Limits(seconds=1.0, answer_seconds=10.0)


def starved(*, frames: int = 0, seconds: float = 1.0) -> Run:
    return Run(frames=[["block"]] * frames, stop=Stop.TIME, waited_seconds=0.5, seconds=seconds)


def one_after_the_other(*runs: Run) -> RunsOnce:
    """Gives these, and tells of their frames as they come."""
    left = iter(runs)

    def run(limits: Limits, on_frame: OnFrame) -> Run:
        found = next(left)
        for number in range(len(found.frames)):
            on_frame(number + 1)
        return found

    return run


def test_a_time_out_that_waited_for_a_processor_is_repeated_alone():
    found = RunScheduler().run_fairly(one_after_the_other(starved(), Run(seconds=0.2)), LIMITS, counts=True)
    assert (found.stop, found.seconds) == (Stop.ITSELF, 1.2), "both runs take from the answer's time"


def test_what_times_out_alone_as_well_counts_and_says_so():
    found = RunScheduler().run_fairly(one_after_the_other(starved(), starved(), Run()), LIMITS, counts=True)
    assert (found.stop, found.alone) == (Stop.TIME, True)


def test_a_later_block_that_waited_in_its_turn_is_repeated_alone_too():
    runs = one_after_the_other(starved(frames=3), starved(frames=5), starved(frames=5), Run())
    found = RunScheduler().run_fairly(runs, LIMITS, counts=True)
    assert (len(found.frames), found.alone, found.seconds) == (5, True, 3.0)


def test_a_repetition_has_what_is_left_of_the_answers_time():
    given = []

    def run(limits: Limits, on_frame: OnFrame) -> Run:
        given.append(limits.answer_seconds)
        return starved(seconds=4.0)

    RunScheduler().run_fairly(run, LIMITS, counts=True)
    assert given == [10.0, 6.0]


@pytest.mark.parametrize(
    ("first", "counts"),
    [
        (Run(stop=Stop.TIME, waited_seconds=0.05, seconds=1.0), True),
        (Run(stop=Stop.TIME, waited_seconds=0.5, seconds=1.0), False),
        (Run(stop=Stop.TIME, waited_seconds=0.5, seconds=10.0), True),
        (Run(stop=Stop.TIME, waited_seconds=0.9, cpu_seconds=1.9, seconds=1.0), True),
        (Run(stop=Stop.TOTAL, waited_seconds=0.5, seconds=1.0), True),
        (Run(stop=Stop.MEMORY, waited_seconds=0.5, seconds=1.0), True),
    ],
    ids=[
        "it hardly waited",
        "it does not count",
        "no time is left",
        "its own threads kept it waiting",
        "its total is used up",
        "no time-out",
    ],
)
def test_nothing_else_is_repeated(first, counts):
    assert RunScheduler().run_fairly(one_after_the_other(first, Run()), LIMITS, counts=counts) is first


class Guest:
    """Another worker's run, which stays until it is told to go."""

    def __init__(self, scheduler: RunScheduler) -> None:
        self.inside, self.may_go = threading.Event(), threading.Event()
        self._thread = threading.Thread(
            target=scheduler.run_fairly, args=(self._stay, LIMITS), kwargs={"counts": True}
        )
        self._thread.start()

    def _stay(self, limits: Limits, on_frame: OnFrame) -> Run:
        self.inside.set()
        self.may_go.wait(60)
        return Run()

    def leave(self) -> None:
        self.may_go.set()
        self._thread.join()


def test_the_repetition_waits_until_nobody_else_runs():
    scheduler, still_there = RunScheduler(), []
    guest = Guest(scheduler)
    guest.inside.wait(10)
    threading.Timer(0.2, guest.may_go.set).start()

    def starve(limits: Limits, on_frame: OnFrame) -> Run:
        still_there.append(not guest.may_go.is_set())
        return starved()

    scheduler.run_fairly(starve, LIMITS, counts=True)
    guest.leave()
    assert still_there == [True, False]


def test_whoever_comes_while_a_repetition_waits_for_the_others_is_let_in_and_waited_for_too():
    scheduler, runs = RunScheduler(), []

    def starve(limits: Limits, on_frame: OnFrame) -> Run:
        runs.append(limits)
        return starved()

    long_run = Guest(scheduler)
    long_run.inside.wait(10)
    repeated = threading.Thread(target=scheduler.run_fairly, args=(starve, LIMITS), kwargs={"counts": True})
    repeated.start()
    repeated.join(0.2)
    newcomer = Guest(scheduler)
    assert newcomer.inside.wait(10), "the long run keeps the repetition waiting, and nobody else"
    long_run.leave()
    repeated.join(0.2)
    assert len(runs) == 1, "the newcomer still runs"
    newcomer.leave()
    repeated.join(10)
    assert len(runs) == 2


def test_others_go_on_as_soon_as_the_block_in_question_has_ended():
    scheduler, runs = RunScheduler(), []

    def run(limits: Limits, on_frame: OnFrame) -> Run:
        runs.append(limits)
        if len(runs) == 1:
            return starved(frames=2)
        guest = Guest(scheduler)
        on_frame(1)
        on_frame(2)
        assert not guest.inside.wait(0.2), "the block in question still runs"
        on_frame(3)
        assert guest.inside.wait(10), "it has ended, and the rest of the run needs no silence"
        guest.leave()
        return Run(frames=[["block"]] * 3)

    assert not scheduler.run_fairly(run, LIMITS, counts=True).alone


def test_a_run_that_shared_its_processor_is_known_to_have_waited():
    processor = min(os.sched_getaffinity(0))
    rival = f"import os; os.sched_setaffinity(0, {{{processor}}}); print(flush=True)\nwhile True: pass"
    # In a session of its own, as the run is: Linux shares a processor between sessions first, and that of the
    # tests has much to do elsewhere.
    command = [sys.executable, "-c", rival]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as other:
        try:
            assert other.stdout is not None
            other.stdout.readline()  # from here on it takes its share
            run = run_stand_in(f"begun candidates extraction parsed burn={processor}", seconds=2.0)
        finally:
            other.kill()  # it would be waited for without end
    assert run.stop is Stop.TIME
    assert run.waited_seconds >= run.starved_seconds > STARVED * 2.0


def test_a_process_that_is_gone_waited_for_nothing():
    assert waited_seconds(2**22 + 1) == 0.0


def test_what_was_never_reached_is_not_said_to_have_run():
    stuck = Run(stop=Stop.TIME)
    job = Job(test_case=a_case(), snippets=(Snippet(code="double(x) = 2x", language="julia"),))
    execution = execute(job, lambda *_, **__: stuck, level="L3", julia_version="1.5.3")
    main = execution.blocks[0]
    assert (main.ending, main.message) == (
        Ending.TIMED_OUT,
        "could not be prepared within 30 s",
    )


# What an answer's time is spent on: a runner that needs no Julia, in which chosen blocks hang.


class Hanging:
    """Runs blocks in no time, but for those that hang or take `slow` seconds each; remembers its runs."""

    def __init__(self, *hanging: int, slow: float = 0.0, alone: bool = False) -> None:
        self.hanging, self.slow, self.alone = hanging, slow, alone
        self.candidates, self.main_hangs = 1, False
        self.redefined: list[str] = []
        self.decided_by = "candidate"
        self.runs: list[tuple[bool, Limits, bool]] = []

    def __call__(self, task: Task, limits: Limits, *, counts: bool) -> Run:
        self.runs.append((task.interpret, limits, counts))
        run = Run(frames=[["candidates", "all", "0", str(self.candidates)], ["parsed", "1", "", "0"]])
        if self.main_hangs:
            return self._stopped(run, limits)
        run.frames.append(["main", "passed", "", "", "0", "0.0", "1", "1"])
        for order in task.blocks:
            if order.number in self.hanging or run.seconds + self.slow > limits.answer_seconds:
                return self._stopped(run, limits)
            run.seconds += self.slow
            place = [order.kind.value, str(order.index)]
            run.frames.append(["block", *place, "passed", "", "", "0", str(self.slow), self.decided_by])
        run.frames.append(["done", *self.redefined])
        return run

    def _stopped(self, run: Run, limits: Limits) -> Run:
        left = limits.answer_seconds - run.seconds
        run.stop = Stop.TIME if limits.seconds < left else Stop.TOTAL
        run.last_seconds = min(limits.seconds, left)
        run.seconds += run.last_seconds
        run.alone = self.alone and self.runs[-1][2]
        return run

    @property
    def compiled(self) -> list[Limits]:
        return [limits for interpreted, limits, _ in self.runs if not interpreted]


def judged(runner: Hanging, *, examples: int = 0, tests: int = 0, **limits: float) -> Execution:
    case = a_case(examples=("1",) * examples, unit_tests=("@test true",) * tests)
    job = Job(
        test_case=case,
        snippets=(Snippet(code="double(x) = 2x", language="julia"),),
        limits=Limits(**limits),
    )
    return execute(job, runner, level="L3", julia_version="1.5.3")


def told(execution: Execution, kind: BlockKind = BlockKind.UNIT_TEST) -> list[str]:
    return [block.message or block.ending.value for block in execution.of_kind(kind)]


HUNG, THREE = "still running after 1 s", "not tried: 3 in a row had timed out"


def test_a_block_that_hangs_between_others_costs_only_itself():
    execution = judged(Hanging(2, 3, 5, 6), tests=7, seconds=1)
    assert told(execution) == ["passed", HUNG, HUNG, "passed", HUNG, HUNG, "passed"]


def test_after_three_in_a_row_the_rest_of_that_kind_is_not_tried_and_the_other_kind_is():
    runner = Hanging(2, 3, 4, 5, 8)
    execution = judged(runner, examples=6, tests=3, seconds=1)
    assert told(execution, BlockKind.EXAMPLE) == ["passed", HUNG, HUNG, HUNG, THREE, THREE]
    assert told(execution) == ["passed", HUNG, "passed"]
    assert len(runner.compiled) == 5, "one for each that hung, and one to the end"


def test_the_last_example_and_the_first_tests_are_no_row():
    assert told(judged(Hanging(1, 2, 3, 4), examples=2, tests=3, seconds=1)) == [HUNG, HUNG, "passed"]


def test_an_answer_that_loops_costs_its_total_and_no_more():
    runner = Hanging(*range(1, 27))
    execution = judged(runner, examples=6, tests=20, seconds=10)
    assert sum(block.seconds for block in execution.blocks) <= 60
    assert told(execution)[-1] == "not tried: the answer's 60 s were used up"
    assert {block.ending for block in execution.blocks[1:]} == {Ending.TIMED_OUT}
    assert len(runner.runs) <= 9, "three of them in the interpreter, a twentieth of the time"


def test_what_was_not_tried_is_known_from_what_was():
    execution = judged(Hanging(*range(1, 6)), tests=5, seconds=1)
    assert [block.was_run for block in execution.of_kind(BlockKind.UNIT_TEST)] == [True] * 3 + [False] * 2
    assert [block.seconds for block in execution.blocks] == [0.0, 1.0, 1.0, 1.0, 0.0, 0.0]


def test_all_candidates_of_an_answer_share_its_total():
    runner = Hanging()
    runner.candidates, runner.main_hangs = 3, True
    execution = judged(runner, tests=1, seconds=10, answer_seconds=16)
    assert [round(limits.answer_seconds, 1) for limits in runner.compiled] == [15.6, 5.3]
    assert execution.blocks[0].message == "still running after 10 s"
    assert execution.blocks[1].ending is Ending.NOT_RUN


def test_the_interpreter_has_a_small_share_of_what_is_left():
    runner = Hanging(slow=0.3)
    execution = judged(runner, tests=20, seconds=10)
    (interpreted, quick, counts), *_ = runner.runs
    assert (interpreted, counts) == (True, False)
    assert quick.answer_seconds == QUICK_SHARE * 60
    assert told(execution) == ["passed"] * 20
    (compiled,) = runner.compiled
    assert 60 - compiled.answer_seconds <= quick.answer_seconds


def test_once_a_block_hung_alone_no_other_time_out_of_the_answer_is_repeated_alone():
    runner = Hanging(1, 3, 5, alone=True)
    judged(runner, tests=6, seconds=1)
    repeated_if_starved = [counts for interpreted, _, counts in runner.runs if not interpreted]
    assert repeated_if_starved == [True, False, False, False]


def test_what_its_own_process_decided_before_the_time_was_used_up_is_still_looked_at():
    runner = Hanging(3, slow=0.1)
    runner.redefined = ["redefined =="]
    execution = judged(runner, tests=4, seconds=1, answer_seconds=1)
    assert told(execution)[:2] == ["decided by code that redefined =="] * 2
    assert execution.notes == ("redefined ==",)


def test_what_the_referee_decided_stands_whatever_was_redefined():
    runner = Hanging(3, slow=0.1)
    runner.redefined, runner.decided_by = ["redefined =="], "referee"
    execution = judged(runner, tests=4, seconds=1, answer_seconds=1)
    assert told(execution)[:2] == ["passed", "passed"]
    assert execution.tampering == ()


def test_what_cannot_be_looked_at_any_more_has_not_passed():
    runner = Hanging(3, slow=0.1)
    first = runner.__call__

    def slower_and_slower(task: Task, limits: Limits, *, counts: bool) -> Run:
        run = first(task, limits, counts=counts)
        runner.slow = 5.0
        return run

    case = a_case(examples=(), unit_tests=("@elapsed true",) * 4)
    job = Job(test_case=case, snippets=(), limits=Limits(seconds=1, answer_seconds=1))
    execution = execute(job, slower_and_slower, level="L3", julia_version="1.5.3")
    message = "passed, but the answer's 1 s were used up before the code that decided it was looked at"
    assert told(execution)[:2] == [message, message]
    assert not any(block.passed for block in execution.of_kind(BlockKind.UNIT_TEST))
