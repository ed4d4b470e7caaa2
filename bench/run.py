"""Measure a run against a local server: how close it comes to the ideal, and whether its memory stays flat.

    python bench/run.py [--samples N] [--seconds S] [--connections C] [--memory-samples M] [--suite]

throughput   a server that takes S seconds for an answer, C connections, right answers of which no two are the
             same, the real judge with two workers. Ideal is C answers every S seconds. Models and judge share
             this machine's processors, so the judge's own speed is measured too, alone and during the run.
             The test cases are small ones of our own, as big as those of published suites (three examples,
             five unit tests); --suite takes the bundled ones, which have two to four times as many.
memory       a server that answers at once and a judge that is told what to say: what is left is the run.

The server is a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from codejury.judge.judge import Judge
from codejury.judge.sandbox.forkserver import VERY_MANY_JOBS
from codejury.options import RunOptions
from codejury.records import Block, BlockKind, Ending, Execution, Extraction, Job, TestCase
from codejury.run.benchmark import Benchmark
from codejury.run.events import Answered, Asked, Event, Judged
from codejury.run.loop import StopRequest
from codejury.run.repair import Evaluates
from codejury.suite.load import load_definition
from codejury.suite.save import save_definition
from codejury.suite.suite import bundled_suite, find_definitions, packages_of
from codejury.testing import FakeSandbox

WORKERS = 2


# Name, arguments of the calls, solution: eight calls each, of which three are examples.
SMALL = {
    "clean_column": (
        ['"Col 1"', '" a "', '"b.c"', '"A B"', '"x.y"', '""', '"Z"', '"1 2"'],
        'clean_column(s) = replace(lowercase(strip(s)), r"[ .]+" => "_")',
    ),
    "count_words": (
        ['"a b a"', '""', '"x"', '"A a"', '"b  b"', '"c d"', '"d"', '" e "'],
        """function count_words(text)
    counts = Dict{String,Int}()
    for word in split(lowercase(text))
        counts[word] = get(counts, word, 0) + 1
    end
    return counts
end""",
    ),
    "second_largest": (
        ["[1, 2, 3]", "[5, 5, 4]", "[2, 1]", "[9, 7, 8]", "[1, 1, 1, 0]", "[-1, -2]", "[3, 4]", "[10, 2, 5]"],
        "second_largest(v) = sort(unique(v); rev = true)[2]",
    ),
}


def write_small_cases(folder: Path) -> None:
    for name, (arguments, solution) in SMALL.items():
        calls = [f"{name}({argument})" for argument in arguments]
        case = TestCase(
            name=name,
            contributor="bench",
            criteria=("parsed", "executed", "passed_unit_tests", "executed_examples"),
            prompt=f"Write `{name}`.",
            version="1.0",
            examples=tuple(calls[:3]),
            unit_tests=tuple(f"@test {call} == {call}" for call in calls[3:]),
            imports=(),
            reference_solution=solution,
        )
        save_definition(case, folder / "small" / name / "definition.toml")


def load_cases(definitions: Path) -> list[TestCase]:
    return [load_definition(file) for file in find_definitions(definitions)]


def answer_to(case: TestCase, number: int) -> str:
    return f"Here is a solution:\n\n```julia\n# try {number}\n{case.reference_solution}\n```\n"


# The server


async def serve(definitions: Path, seconds: float, ready: Connection) -> None:
    asked = {case.prompt.strip(): case for case in load_cases(definitions)}
    numbers = itertools.count()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
                )
                body = json.loads(await reader.readexactly(int(length.split(b":")[1])))
                await asyncio.sleep(seconds)
                case = asked[body["messages"][-1]["content"]]
                writer.write(_reply(answer_to(case, next(numbers))))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=1024)
    ready.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def _reply(text: str) -> bytes:
    document = {
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 200},
    }
    body = json.dumps(document).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
        len(body),
        body,
    )


def run_server(definitions: Path, seconds: float, ready: Connection) -> None:
    asyncio.run(serve(definitions, seconds, ready))


@contextmanager
def a_server(definitions: Path, seconds: float) -> Iterator[str]:
    processes = multiprocessing.get_context("spawn")
    receiver, sender = processes.Pipe(duplex=False)
    process = processes.Process(target=run_server, args=(definitions, seconds, sender), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{receiver.recv()}/v1"
    finally:
        process.terminate()
        process.join()


# The run


class Watch:
    """When things happened."""

    def __init__(self, every: int = 0) -> None:
        self.first_asked = self.last_answered = 0.0
        self.answered = self.judged = self.judged_meanwhile = 0
        self.memory: list[tuple[int, float]] = []
        self.waits_for_judge = bool(every)
        self._every = every

    def __call__(self, event: Event) -> None:
        now = time.perf_counter()
        match event:
            case Asked():
                self.first_asked = self.first_asked or now
            case Answered():
                self.answered += 1
                self.last_answered = now
                self.judged_meanwhile = self.judged
            case Judged():
                self.judged += 1
                if self._every and self.judged % self._every == 0:
                    self.memory.append((self.judged, memory_mb()))


def memory_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(
    definitions: Path, url: str, samples: int, connections: int, judge: Evaluates, watch: Watch
) -> None:
    """One run, until the last answer is there: what the judge does afterwards is not our question."""
    cases = len(load_cases(definitions))
    each = -(-samples // cases)
    stop = StopRequest()

    def on_event(event: Event) -> None:
        watch(event)
        if watch.answered == each * cases and not watch.waits_for_judge:
            stop()

    with tempfile.TemporaryDirectory() as folder:
        options = RunOptions.of(
            model="server",
            prompt="AsIs",
            base_url=url,
            samples=each,
            definitions=definitions,
            max_connections=connections,
            workers=WORKERS,
            save_dir=folder,
        )
        benchmark = Benchmark(options)
        tally = benchmark.run(benchmark.plan(), on_event=on_event, judge=judge, stop=stop)
        assert not tally.total("failed"), tally


def judge_alone(cases: list[TestCase], judge: Judge, count: int) -> float:
    """Answers per second, with nothing else to do."""

    def judge_one(number: int) -> None:
        case = cases[number % len(cases)]
        judge.evaluate(answer_to(case, number), case)

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(judge_one, range(3 * VERY_MANY_JOBS * WORKERS // 2)))  # as warm as it gets
        began = time.perf_counter()
        list(pool.map(judge_one, range(count)))
        return count / (time.perf_counter() - began)


def throughput(definitions: Path, options: argparse.Namespace) -> None:
    watch = Watch()
    cases = load_cases(definitions)
    packages = packages_of(cases)
    with a_server(definitions, options.seconds) as url, Judge(workers=WORKERS, packages=packages) as judge:
        alone = judge_alone(cases, judge, 400)
        measure(definitions, url, options.samples, options.connections, judge, watch)
    seconds = watch.last_answered - watch.first_asked
    ideal = -(-watch.answered // options.connections) * options.seconds
    rate, judged = watch.answered / seconds, watch.judged_meanwhile / seconds
    needed = min(rate, alone)
    behind = watch.answered - watch.judged_meanwhile
    print(f"{watch.answered} answers in {seconds:.1f} s over {options.connections} connections")
    print(f"answers     {rate:6.1f} /s   {ideal / seconds:6.1%} of the ideal: {ideal:.0f} s")
    print(f"verdicts    {judged:6.1f} /s   {judged / needed:6.1%} of what answers or judge allow")
    print(f"judge alone {alone:6.1f} /s   {behind} answers were still to judge")


def memory(definitions: Path, options: argparse.Namespace) -> None:
    watch = Watch(every=max(1, options.memory_samples // 10))
    with (
        a_server(definitions, 0.0) as url,
        Judge(workers=WORKERS, sandbox_factory=lambda: FakeSandbox(passes)) as judge,
    ):
        measure(definitions, url, options.memory_samples, options.connections, judge, watch)
    seconds = watch.last_answered - watch.first_asked
    print(f"{watch.judged} samples, {watch.answered / seconds:.0f} /s; MB after so many samples:")
    print("  " + "  ".join(f"{judged}: {mb:.0f}" for judged, mb in watch.memory))
    (first, early), (last, late) = watch.memory[1], watch.memory[-1]
    print(f"from {first} to {last} samples: {late - early:+.1f} MB, {late / early:.3f} times")


def passes(job: Job) -> Execution:
    """All blocks pass."""
    case = job.test_case
    kinds = (BlockKind.EXAMPLE,) * len(case.examples) + (BlockKind.UNIT_TEST,) * len(case.unit_tests)
    main = Block(kind=BlockKind.MAIN, index=0, ending=Ending.PASSED)
    facts: dict[str, Any] = {"julia_version": "none", "sandbox": "fake", "stdout": "x" * 2000}
    return Execution(
        parsed=True,
        executed=True,
        blocks=(main, *(Block(kind=kind, index=n, ending=Ending.PASSED) for n, kind in enumerate(kinds))),
        extraction=Extraction(rule="all", blocks_found=1, blocks_used=(0,), code=job.snippets[0].code),
        **facts,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=1920)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--memory-samples", type=int, default=5000)
    parser.add_argument("--suite", action="store_true", help="the bundled test cases, not small ones")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_small_cases(Path(folder))
        definitions = bundled_suite() if options.suite else Path(folder)
        if options.samples:
            throughput(definitions, options)
        if options.memory_samples:
            memory(definitions, options)


if __name__ == "__main__":
    main()
