"""How a run is watched: which time is the candidate's, which time-out counts, and that no limit sleeps."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from codejury.records import Ending, Job, Limits, Snippet
from codejury.sandbox import watch
from codejury.sandbox.execution import execute
from codejury.sandbox.run import Run, Stop
from codejury.sandbox.turnstile import STARVED, Turnstile
from codejury.sandbox.watch import waited_seconds
from codejury.sandbox.worker import Launch, Worker
from fakes import a_case

# Speaks the protocol of the Julia side as far as a clock needs it: frames, and pauses between them.
STAND_IN = """
import hmac, os, socket, struct, sys, time
from codejury.sandbox.wire import FRAME_MARK, KEY_BYTES, encode

control = socket.socket(fileno=int(sys.argv[-1]))
(size,) = struct.unpack("<I", control.recv(4))
plan = control.recv(size)[8:].decode().split()
ready = encode(["ready", "1.5.3", "0", "1"])
control.sendall(struct.pack("<I", len(ready)) + ready)
_, (job, verdicts, output), _, _ = socket.recv_fds(control, 5, 3)
key = os.read(job, 10_000)[8 : 8 + KEY_BYTES]
sent = 0
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
    payload = encode([step])
    tag = hmac.digest(key, struct.pack("<I", sent) + payload, "sha256")
    os.write(verdicts, FRAME_MARK + struct.pack("<I", len(payload)) + payload + tag)
    sent += 1
"""


def run_stand_in(plan: str, *, seconds: float, memory_mb: int = 1000) -> Run:
    launch = Launch(command=[sys.executable, "-c", STAND_IN], environment={})
    worker = Worker(launch, [plan], mode="once")
    try:
        return worker.run_alone([], Limits(seconds=seconds, memory_mb=memory_mb))
    finally:
        worker.close()


def test_the_time_until_a_candidates_code_runs_is_not_its_own():
    run = run_stand_in("wait=0.6 candidates wait=0.6 extraction wait=0.6 parsed main done", seconds=0.3)
    assert (run.stop, run.done) == (Stop.ITSELF, True)


@pytest.mark.parametrize("begun", ["candidates extraction parsed", "candidates extraction parsed main"])
def test_from_then_on_each_silence_is_held_against_the_limit(begun):
    run = run_stand_in(f"{begun} wait=60 done", seconds=0.3)
    assert (run.stop, run.prepared) == (Stop.TIME, True)


def test_a_judge_that_never_comes_to_the_code_is_ended_all_the_same(monkeypatch):
    monkeypatch.setattr(watch, "PREPARING_SECONDS", 0.3)
    run = run_stand_in("candidates wait=60 extraction", seconds=60)
    assert (run.stop, run.prepared) == (Stop.TIME, False)


def test_chatter_hides_neither_the_time_nor_the_memory_it_takes():
    begun = "candidates extraction parsed chatter"
    assert run_stand_in(begun, seconds=0.5).stop is Stop.TIME
    hoarding = run_stand_in(begun, seconds=20, memory_mb=100)
    assert hoarding.stop is Stop.MEMORY
    assert len(hoarding.output) < 300, "it was noticed only when the time was over"


def test_a_time_out_that_waited_for_a_processor_is_repeated_alone():
    turnstile, runs = Turnstile(), iter([Run(stop=Stop.TIME, waited_seconds=0.5), Run()])
    assert turnstile.run_fairly(lambda: next(runs), seconds=1.0, counts=True).stop is Stop.ITSELF
    assert list(runs) == []


@pytest.mark.parametrize(
    ("first", "counts"),
    [
        (Run(stop=Stop.TIME, waited_seconds=0.05), True),
        (Run(stop=Stop.TIME, waited_seconds=0.5), False),
        (Run(stop=Stop.MEMORY, waited_seconds=0.5), True),
    ],
    ids=["it hardly waited", "it does not count", "it was no time-out"],
)
def test_nothing_else_is_repeated(first, counts):
    runs = iter([first, Run()])
    assert Turnstile().run_fairly(lambda: next(runs), seconds=1.0, counts=counts) is first


def test_the_repetition_runs_while_nobody_else_does():
    turnstile, other_inside, let_go = Turnstile(), threading.Event(), threading.Event()

    def stay() -> Run:
        other_inside.set()
        let_go.wait(10)
        return Run()

    other = threading.Thread(target=turnstile.run_fairly, args=(stay,), kwargs={"seconds": 1, "counts": True})
    other.start()
    other_inside.wait(10)
    threading.Timer(0.2, let_go.set).start()
    still_there = []

    def starve_once() -> Run:
        still_there.append(other.is_alive() and not let_go.is_set())
        return Run(stop=Stop.TIME, waited_seconds=1.0)

    turnstile.run_fairly(starve_once, seconds=1.0, counts=True)
    other.join()
    assert still_there == [True, False]


def test_a_run_that_shared_its_processor_is_known_to_have_waited():
    processor = min(os.sched_getaffinity(0))
    rival = f"import os; os.sched_setaffinity(0, {{{processor}}})\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", rival]) as other:
        run = run_stand_in(f"candidates extraction parsed burn={processor}", seconds=1.0)
        other.kill()
    assert run.stop is Stop.TIME
    assert run.waited_seconds > STARVED * 1.0


def test_a_process_that_is_gone_waited_for_nothing():
    assert waited_seconds(2**22 + 1) == 0.0


def test_what_was_never_reached_is_not_said_to_have_run():
    stuck = Run(frames=[["candidates", "all", "0", "1"]], stop=Stop.TIME)
    job = Job(test_case=a_case(), snippets=(Snippet(code="double(x) = 2x", language="julia"),))
    execution = execute(job, lambda *_, **__: stuck, level="L3", julia_version="1.5.3")
    main = execution.blocks[0]
    assert (main.ending, main.message) == (
        Ending.TIMED_OUT,
        "could not be parsed and prepared within 30 s",
    )
