"""Measure a Ray cluster against this machine alone: the same answers, the same judge.

    python bench/scale.py [--count N] [--lines N] [--address ADDRESS]

throughput   verdicts per second with one and two workers: sandboxes at home, and workers of a cluster. The
             cluster is a two-node one on this machine, unless another is named: its nodes share the same
             processors, so what is compared is what Ray costs, not what more machines bring.
overhead     the difference per candidate, with one worker
memory       of the process that writes, while it judges so many lines on the cluster with workers that are
             told what to say: what is left is the driver
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from codejury.exchange.bulk.plan import prepare
from codejury.exchange.bulk.run import run
from codejury.judge.backends import open_judge
from codejury.judge.judge import Judge
from codejury.judge.ray_nodes import RayWorker
from codejury.options import JudgeOptions
from codejury.records import Packages
from codejury.testing import FakeSandbox
from run import SMALL, memory_mb, passes, write_small_cases

SECONDS = 5.0
WARM = 30
"""Verdicts before the clock starts."""


class SaysYes(RayWorker):
    """A worker without a sandbox: every candidate passes at once."""

    def __init__(self, *, allow_unsafe: bool, packages: Packages | None) -> None:
        self._sandbox = FakeSandbox(passes)

    def close(self) -> None:
        self._sandbox.close()


@contextmanager
def a_cluster(address: str) -> Iterator[str]:
    """The one that was named, or two nodes here."""
    if address:
        yield address
        return
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    try:
        yield made.address
    finally:
        made.shutdown()


def write_answers(file: Path, count: int) -> Path:
    """Right answers, no two alike."""
    names = list(SMALL)
    with file.open("w", encoding="utf-8") as out:
        for number in range(count):
            name = names[number % len(names)]
            out.write(json.dumps({"task_id": name, "solution": f"# {number}\n{SMALL[name][1]}"}) + "\n")
    return file


def verdicts_per_second(
    folder: Path, judge: Judge, workers: int, answers: Path, on_progress: Callable[[Any], None]
) -> float:
    """The clock starts when all workers are warm."""
    began = [0.0, 0.0]

    def watch(tally: Any) -> None:
        on_progress(tally)
        if tally.lines == WARM:
            began[0] = time.perf_counter()
        began[1] = tally.lines

    output = folder / f"{time.monotonic_ns()}.jsonl"
    with judge:
        run(prepare(answers, folder / "cases", output), judge, on_progress=watch)
        return (began[1] - WARM) / (time.perf_counter() - began[0])


def throughput(folder: Path, count: int, address: str) -> None:
    answers = write_answers(folder / "answers.jsonl", count)
    rates = {
        (engine, workers): verdicts_per_second(
            folder,
            open_judge(JudgeOptions(engine=engine, workers=workers, timeout=SECONDS, ray_address=address)),
            workers,
            answers,
            lambda _: None,
        )
        for workers in (1, 2)
        for engine in ("local", "ray")
    }
    for (engine, workers), rate in rates.items():
        against = rate / rates["local", workers]
        print(f"{engine:6} {workers} worker(s) {rate:7.1f} verdicts/s   {against:6.1%} of local")
    overhead = 1 / rates["ray", 1] - 1 / rates["local", 1]
    print(f"overhead of a cluster, one worker: {1000 * overhead:.2f} ms per candidate")
    print(f"two workers against one: local {rates['local', 2] / rates['local', 1]:.2f}x, "
          f"ray {rates['ray', 2] / rates['ray', 1]:.2f}x")  # fmt: skip


def driver_memory(folder: Path, lines: int, address: str) -> None:
    answers = write_answers(folder / "many.jsonl", lines)
    seen: list[tuple[int, float]] = []

    def watch(tally: Any) -> None:
        if tally.lines % max(1, lines // 10) == 0:
            seen.append((tally.lines, memory_mb()))

    from codejury.judge.ray_pool import RayPool

    judge = Judge(workers=2, sandbox_factory=RayPool(address, most=2, worker=SaysYes))
    rate = verdicts_per_second(folder, judge, 2, answers, watch)
    print(f"{lines} lines on the cluster, {rate:.0f} /s; driver's MB after so many lines:")
    print("  " + "  ".join(f"{done}: {mb:.0f}" for done, mb in seen))
    (first, early), (last, late) = seen[1], seen[-1]
    print(f"from {first} to {last} lines: {late - early:+.1f} MB, {late / early:.3f} times")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--address", default="")
    options = parser.parse_args()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with tempfile.TemporaryDirectory() as name, a_cluster(options.address) as address:
        folder = Path(name)
        write_small_cases(folder / "cases")
        if options.count:
            throughput(folder, options.count, address)
        if options.lines:
            driver_memory(folder, options.lines, address)


if __name__ == "__main__":
    main()
