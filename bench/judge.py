"""Measure four ways to run the same candidates, in one run.

    python bench/judge.py [FOLDER] [--count N] [--cold N]

fork server     the sandbox as it is used: one locked-down child per candidate
in-process      the same judge in one warm process, a fresh module per candidate, no isolation
cold            one new Julia process per candidate, with our judge and sandbox
plain script    one new Julia process per candidate that only includes the code and tries each test

FOLDER holds published answers (`code_generation/`, `answers.jsonl.gz`); without it answers are made from
the bundled suite. Candidates that hang or end their process are left out: in-process nothing could stop
them.

Of the fork server the processor time is shown as well, of all its processes and of Python: where others use
the machine too, it says more than the clock.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path

from answers import Candidate, answers_folder, load_candidates

from codejury.judge.sandbox.execution import execute
from codejury.judge.sandbox.factory import SandboxFactory
from codejury.judge.sandbox.forkserver import VERY_MANY_JOBS
from codejury.judge.sandbox.launch import make_plan
from codejury.judge.sandbox.protocol import Sandbox
from codejury.judge.sandbox.run import Run, Task
from codejury.judge.sandbox.worker import Worker
from codejury.judge.toolchain.find import find_bubblewrap, find_julia
from codejury.records import Ending, Execution, Limits
from codejury.settings import load_settings

TURNS = 5
COUNTING = "for _ in range(10_000_000): pass"
ORDINARY = {Ending.PASSED, Ending.FAILED, Ending.ERRORED, Ending.NOT_RUN}


@dataclass
class Spent:
    """What a number of verdicts took."""

    seconds: float = 0.0
    processor_seconds: float = 0.0
    verdicts: int = 0

    @property
    def each(self) -> float:
        return self.seconds / self.verdicts

    def __str__(self) -> str:
        """What the clock does not show."""
        return f"{1000 * self.processor_seconds / self.verdicts:.1f} ms of processor time"

    @contextmanager
    def counting(self, verdicts: int) -> Iterator[None]:
        clock, processor = time.perf_counter(), processor_seconds()
        yield
        self.seconds += time.perf_counter() - clock
        self.processor_seconds += processor_seconds() - processor
        self.verdicts += verdicts


def processor_seconds() -> float:
    """What this process and all below it have used, and what ended below them."""
    times = os.times()
    return times.user + times.system + sum(map(_processor_seconds_below, _children(os.getpid())))


def _processor_seconds_below(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0  # it ended while we looked
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(map(_processor_seconds_below, _children(pid)))


def _children(pid: int) -> list[int]:
    """Of all threads: each has children of its own."""
    try:
        return [
            int(child)
            for file in Path(f"/proc/{pid}/task").glob("*/children")
            for child in file.read_text().split()
        ]
    except OSError:
        return []


def endings(execution: Execution) -> list[Ending]:
    return [block.ending for block in execution.blocks]


def seconds_each(candidates: Sequence[Candidate], judge: Callable[[Candidate], object]) -> float:
    started = time.perf_counter()
    for candidate in candidates:
        judge(candidate)
    return (time.perf_counter() - started) / len(candidates)


def settle_in(sandbox: Sandbox, candidates: Sequence[Candidate]) -> None:
    """Let a server do what it does once for many jobs."""
    for candidate in islice(cycle(candidates), VERY_MANY_JOBS):
        sandbox.execute(candidate.job)


def in_process_worker() -> Worker:
    settings = load_settings()
    julia, bubblewrap = find_julia(settings), find_bubblewrap(settings)
    assert julia is not None
    plan = make_plan("L3", julia, bubblewrap=bubblewrap, host_scratch=Path)
    return Worker(plan.launch, plan.settings(rehearse=True, fork=False, packages=()), mode="serve")


def run_in_process(worker: Worker, *, interpret: bool) -> Callable[[Candidate], Execution]:
    def runner(task: Task, limits: Limits, *, counts: bool) -> Run:
        payload = [task.payload[0], "1" if interpret else "0", *task.payload[2:]]
        return worker.run(replace(task, payload=payload), Limits(seconds=60))

    return lambda candidate: execute(candidate.job, runner, level="none", julia_version=worker.julia_version)


def run_plain_script(candidate: Candidate) -> None:
    """The least a cold process can do: include the code, then try every example and test."""
    julia = find_julia(load_settings())
    assert julia is not None
    case = candidate.test_case
    blocks = [*case.examples, *case.unit_tests]
    imports = "".join(f"using {name}\n" for name in case.imports)
    code = "\n".join(snippet.code for snippet in candidate.job.snippets if snippet.language == "julia")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "code.jl").write_text(f"using Test\n{imports}{code}\n")
        paths = [Path(folder) / f"block{number}.jl" for number in range(len(blocks))]
        for path, block in zip(paths, blocks, strict=True):
            path.write_text(block)
        tries = "\n".join(f'try include("{path}") catch err; showerror(stderr, err) end' for path in paths)
        (Path(folder) / "run.jl").write_text(f'include("{folder}/code.jl")\n{tries}\n')
        subprocess.run(
            [julia.executable, "--startup-file=no", "-O0", f"{folder}/run.jl"],
            env={**os.environ, **julia.environment},
            capture_output=True,
            check=False,
            timeout=120,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=answers_folder, nargs="?")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--cold", type=int, default=15, help="candidates for the cold ways")
    options = parser.parse_args()

    factory = SandboxFactory()
    sandboxes = [factory(), factory()]
    drawn = load_candidates(options.folder, options.count)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda sandbox: settle_in(sandbox, drawn), sandboxes))
    verdicts = [endings(sandboxes[0].execute(candidate.job)) for candidate in drawn]
    kept = [n for n, verdict in enumerate(verdicts) if set(verdict) <= ORDINARY]
    candidates = [drawn[n] for n in kept]
    print(
        f"{len(candidates)} candidates; {len(drawn) - len(candidates)} that hang or end the process left out"
    )

    spent_by_one, spent_by_two = one_and_two_workers(candidates, sandboxes)
    one, two = spent_by_one.each, spent_by_two.each
    for sandbox in sandboxes:
        sandbox.close()

    worker = in_process_worker()
    compiled = run_in_process(worker, interpret=False)
    inside = seconds_each(candidates, compiled)
    differing = sum(endings(compiled(drawn[n])) != verdicts[n] for n in kept)
    interpreted = seconds_each(candidates, run_in_process(worker, interpret=True))
    worker.close()

    few = candidates[: options.cold]
    cold_sandbox = SandboxFactory(cold=True)()
    cold = seconds_each(few, lambda candidate: cold_sandbox.execute(candidate.job))
    plain = seconds_each(few, run_plain_script)
    same_few = one if len(few) == len(candidates) else seconds_on_few(few)

    rows = [
        ("fork server, one worker", one, f"{1 / one:.1f} /s, {spent_by_one}"),
        ("fork server, two workers", two, f"{1 / two:.1f} /s, {one / two:.2f}x one worker, {spent_by_two}"),
        ("in-process, compiled", inside, f"fork server takes {one / inside:.2f}x"),
        ("in-process, interpreted", interpreted, f"fork server takes {one / interpreted:.2f}x"),
        ("cold, our judge", cold, f"fork server is {cold / same_few:.1f}x faster"),
        ("cold, plain script", plain, f"fork server is {plain / same_few:.1f}x faster"),
    ]
    print(f"two processes that only count get {two_loops():.2f}x of one done")
    for name, seconds, remark in rows:
        print(f"{name:26} {1000 * seconds:8.1f} ms   {remark}")
    print(f"verdicts that differ in-process: {differing}")


def one_and_two_workers(candidates: Sequence[Candidate], sandboxes: Sequence[Sandbox]) -> tuple[Spent, Spent]:
    """What they take with each, in turns: a shared machine is not equally fast all the time."""
    one, two = Spent(), Spent()
    for turn in range(TURNS):
        share = candidates[turn::TURNS]
        with one.counting(len(share)):
            for candidate in share:
                sandboxes[0].execute(candidate.job)
        with two.counting(len(share)):
            judge_together(share, sandboxes)
    return one, two


def judge_together(candidates: Sequence[Candidate], sandboxes: Sequence[Sandbox]) -> None:
    waiting = iter(candidates)  # whoever is free takes the next one
    with ThreadPoolExecutor(len(sandboxes)) as pool:
        list(pool.map(lambda worker: [worker.execute(c.job) for c in waiting], sandboxes))


def two_loops() -> float:
    """How much two processes that do nothing but count get done, over one: what these cores allow at most."""

    def seconds(processes: int) -> float:
        started = time.perf_counter()
        loops = [subprocess.Popen([sys.executable, "-c", COUNTING]) for _ in range(processes)]
        for loop in loops:
            loop.wait()
        return time.perf_counter() - started

    return 2 * sum(seconds(1) for _ in range(TURNS)) / sum(seconds(2) for _ in range(TURNS))


def seconds_on_few(few: Sequence[Candidate]) -> float:
    """The fork server on exactly the candidates that the cold ways had."""
    sandbox = SandboxFactory()()
    try:
        settle_in(sandbox, few)
        return seconds_each(few, lambda candidate: sandbox.execute(candidate.job))
    finally:
        sandbox.close()


if __name__ == "__main__":
    main()
