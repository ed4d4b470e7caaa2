"""A run that is killed at any moment loses nothing that had reached the disk, and asks for none of it again.

Fifty times a run is started as a process of its own and killed with SIGKILL after a random time; then it is
let finish. What had been answered but not stored when it was killed is not complete, and may be asked for
again: between the last byte of an answer and the disk there is a moment that nobody can close.
"""

from __future__ import annotations

import multiprocessing
import random
import time
from collections import Counter
from multiprocessing.process import BaseProcess
from pathlib import Path

from benchmark_world import RIGHT, replies, told_judge
from codejury.benchmark import run_benchmark
from codejury.records import Execution, Job
from codejury.store import find_samples, read_conversation, read_evaluation
from fakes import honest
from servers import HostileServer, Request

KILLS = 50
SEED = 20240201
SAMPLES = 500
FIRST_SEED = 1000
# Loaded once, in the process that the others are forked from: a killed run should have been at work.
LOADED_BEFORE = [
    *("codejury.benchmark", "codejury.judge", "codejury.models.chat", "codejury.configuration"),
    *("httpcore2", "h11", "anyio._backends._asyncio", "markdown_it"),
]

Id = tuple[str, int]
"""The test case and the seed: what tells one planned sample from another, also in the server's log."""


def slow_judge(job: Job) -> Execution:
    time.sleep(0.004)
    return honest(job)


def one_run(base_url: str, definitions: Path, save_dir: Path, connections: int) -> None:
    with told_judge(slow_judge) as judge:
        run_benchmark(
            "mine",
            judge=judge,
            base_url=base_url,
            definitions=definitions,
            save_dir=save_dir,
            prompt="InJulia",
            samples=SAMPLES,
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


def test_a_run_killed_fifty_times_ends_with_every_sample_once_and_none_paid_for_twice(tmp_path, definitions):
    chance = random.Random(SEED)
    save_dir = tmp_path / "results"
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(LOADED_BEFORE)
    with HostileServer(replies(lambda request: RIGHT, after=0.03)) as server:
        witness = Witness(server, save_dir)
        for kill in range(KILLS):
            process = processes.Process(target=one_run, args=(server.base_url, definitions, save_dir, 2))
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
        last = processes.Process(target=one_run, args=(server.base_url, definitions, save_dir, 16))
        last.start()
        last.join(120)
        assert last.exitcode == 0
        assert witness.asked_again() == []

    wanted = {(case, FIRST_SEED + n): 1 for case in ("double", "repeat") for n in range(SAMPLES)}
    found = Counter()
    for sample in find_samples(save_dir):
        assert not sample.problem
        assert sample.has_conversation
        assert read_evaluation(sample.evaluation)["outcome"] == "pass"
        found[sample.request.name, sample.request.seed] += 1
    assert found == wanted
    assert 100 < survived < 2 * SAMPLES, "the kills came in the middle of the work"
