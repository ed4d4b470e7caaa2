"""Kill a run again and again, and count what that costs.

    python bench/crash.py [--kills N] [--seed S] [--batches]

A run is started as a process of its own and killed with SIGKILL after a random time, N times (200); then it
is let finish. Printed are the samples that are missing at the end (lost), those stored more than once
(doubled), and the answers that were asked for again although they had been on the disk (asked twice). All
must be 0, and the exit code says whether they are.

What had been answered but not stored when it was killed is not counted: between the last byte of an answer
and the disk there is a moment that nobody can close.

With --batches runs ask in batches, by OpenAI's and by Anthropic's format, N kills (50) in all, each just
before or after a step of the service. Printed are the requests that were submitted twice by the service's own
log, and the models whose samples are missing or there too often.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from benchmark_world import RIGHT, replies, told_judge
from codejury.records import Execution, Job
from codejury.run.benchmark import run_benchmark
from codejury.store.read import read_conversation, read_evaluation
from codejury.store.scan import find_samples
from fakes import honest, in_folders
from servers import HostileServer, Request

CASES = ("double", "repeat")
FIRST_SEED = 1000
SAMPLES_PER_KILL = 10
"""Of each test case: enough that no run is done before it is killed."""
# Loaded once, in the process that the others are forked from: a killed run should have been at work.
LOADED_BEFORE = [
    *("codejury.run", "codejury.judge", "codejury.models.hosted", "codejury.configuration"),
    *("httpcore2", "h11", "anyio._backends._asyncio", "markdown_it"),
]

Id = tuple[str, int]
"""The test case and the seed: what tells one planned sample from another, also in the server's log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toll:
    """What a campaign cost."""

    kills: int
    wanted: int
    survived: int
    """Answers that were on the disk after the last kill."""
    requests: int
    lost: list[Id]
    doubled: list[Id]
    asked_twice: list[Id]

    @property
    def is_none(self) -> bool:
        return not (self.lost or self.doubled or self.asked_twice)


def slow_judge(job: Job) -> Execution:
    time.sleep(0.004)
    return honest(job)


def one_run(base_url: str, definitions: Path, save_dir: Path, samples: int, connections: int) -> None:
    with told_judge(slow_judge) as judge:
        run_benchmark(
            "mine",
            judge=judge,
            base_url=base_url,
            definitions=definitions,
            save_dir=save_dir,
            prompt="InJulia",
            samples=samples,
            seed=FIRST_SEED,
            max_connections=connections,
        )


def id_of(request: Request) -> Id:
    case = "double" if "double" in request.body["messages"][-1]["content"] else "repeat"
    return case, request.body["seed"]


def wait_for_more(server: HostileServer, process: BaseProcess) -> None:
    """Until a request has come, however slow this machine is today."""
    before = len(server.requests)
    while len(server.requests) == before:
        assert process.is_alive()
        time.sleep(0.001)


class Witness:
    """Knows what was on the disk when, and what was asked afterwards."""

    def __init__(self, server: HostileServer, save_dir: Path) -> None:
        self._server = server
        self._save_dir = save_dir
        self._seen: set[Path] = set()
        self.stored_at: dict[Id, int] = {}
        """How many requests the server had seen when this answer was found on the disk."""

    def look(self) -> None:
        for path in set(self._save_dir.rglob("conversation__*.json")) - self._seen:
            request = read_conversation(path).request
            assert request is not None
            assert request.seed is not None
            self._seen.add(path)
            self.stored_at.setdefault((request.name, request.seed), len(self._server.requests))

    def asked_again(self) -> list[Id]:
        log = enumerate(self._server.requests)
        return [
            id_of(r)
            for number, r in log
            if number >= self.stored_at.get(id_of(r), len(self._server.requests))
        ]


def campaign(folder: Path, kills: int, seed: int) -> Toll:
    """Kill a run so many times, let it finish, and count."""
    chance = random.Random(seed)
    definitions, save_dir = in_folders(folder / "cases", "maths/double", "text/repeat"), folder / "results"
    samples = SAMPLES_PER_KILL * kills
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(LOADED_BEFORE)
    with HostileServer(replies(lambda request: RIGHT, after=0.03)) as server:
        witness = Witness(server, save_dir)
        for kill in range(kills):
            process = processes.Process(
                target=one_run, args=(server.base_url, definitions, save_dir, samples, 2)
            )
            process.start()
            if kill % 5:  # else it may hit the start, the reading of what is there, the plan
                wait_for_more(server, process)
            time.sleep(chance.uniform(0.0, 0.3))
            assert process.is_alive(), f"it was done before kill {kill}: make it slower"
            process.kill()
            process.join()
            witness.look()
        survived = len(witness.stored_at)
        server.script = (replies(lambda request: RIGHT),)
        last = processes.Process(target=one_run, args=(server.base_url, definitions, save_dir, samples, 16))
        last.start()
        last.join(600)
        assert last.exitcode == 0, f"the last run ended with {last.exitcode}"
        wanted = [(case, FIRST_SEED + number) for case in CASES for number in range(samples)]
        found = judged(save_dir)
        return Toll(
            kills=kills,
            wanted=len(wanted),
            survived=survived,
            requests=len(server.requests),
            lost=[each for each in wanted if not found[each]],
            doubled=[each for each, count in found.items() if count > 1],
            asked_twice=witness.asked_again(),
        )


def judged(save_dir: Path) -> Counter[Id]:
    """The whole samples, with a verdict that is right; a file that cannot be read ends it."""
    found = Counter[Id]()
    for sample in find_samples(save_dir):
        assert not sample.problem, sample.problem
        if sample.has_conversation and read_evaluation(sample.evaluation).evaluation.outcome == "pass":
            found[sample.request.name, sample.request.seed or 0] += 1
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, help="200 if left out; 50 with --batches")
    parser.add_argument("--seed", type=int, default=20240201)
    parser.add_argument("--batches", action="store_true", help="runs that ask in batches")
    options = parser.parse_args()
    return batches(options.kills or 50, options.seed) if options.batches else singles(options)


def batches(kills: int, seed: int) -> int:
    """Half of the kills for each of two formats."""
    from batch_crash import batch_campaign

    costs = 0
    for style in ("openai", "anthropic"):
        with tempfile.TemporaryDirectory() as folder:
            cases = in_folders(Path(folder, "cases"), "maths/double", "text/repeat")
            toll = batch_campaign(Path(folder, "results"), cases, style, kills=kills // 2, seed=seed)
        print(f"{style}: {toll.kills} kills, {toll.requests} requests (seed {seed})")
        for step, count in sorted(toll.where.items()):
            print(f"  {count:3} {step}")
        for name in ("submitted_twice", "lost", "doubled"):
            print(f"{name.replace('_', ' ')}: {len(getattr(toll, name))}")
        costs += not toll.is_none
    return int(bool(costs))


def singles(options: argparse.Namespace) -> int:
    """Runs that ask for one answer at a time."""
    with tempfile.TemporaryDirectory() as folder:
        toll = campaign(Path(folder), options.kills or 200, options.seed)
    print(f"{toll.kills} kills, {toll.wanted} samples, {toll.requests} requests (seed {options.seed})")
    print(f"on the disk after the last kill: {toll.survived}")
    for name in ("lost", "doubled", "asked_twice"):
        print(f"{name.replace('_', ' ')}: {len(getattr(toll, name))}")
    return 0 if toll.is_none else 1


if __name__ == "__main__":
    sys.exit(main())
