"""A campaign of kills against runs that ask in batches; the service's own log says what was submitted.

A kill comes just before or after a step of the service takes effect: submit (a file is uploaded, a batch
made), poll (jobs are listed, one is looked at) or collect. Where a run was killed the next one goes on; where
one ends, another model begins, until there were enough kills.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import signal
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from batch_child import run_once
from batch_servers import PROVIDERS, BatchServer
from benchmark_world import RIGHT
from codejury.store.scan import find_samples
from services import Said

SAMPLES = 4
"""Of each model: of two test cases, two each."""
STAGES = ("submit", "poll", "collect")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchToll:
    """What a campaign cost."""

    kills: int
    where: Counter[str]
    """At which steps of the service: `submit: after POST /batches`."""
    requests: int
    submitted_twice: list[str]
    lost: list[str]
    """Models with samples that are missing, or not judged."""
    doubled: list[str]
    """Models with more samples than were wanted."""

    @property
    def is_none(self) -> bool:
        return not (self.submitted_twice or self.lost or self.doubled)


class Killer:
    """Kills a process at the n-th step of a stage: just before or after that step takes effect."""

    def __init__(self, server: BatchServer) -> None:
        self._stage = ""
        self._left = 0
        self._pid = 0
        self.met: Counter[str] = Counter()
        self.where: Counter[str] = Counter()
        server.meanwhile = self._step

    def aim(self, pid: int, stage: str, step: int) -> None:
        """Step 1 is just before the stage's first request takes effect, step 2 just after."""
        self._stage, self._left, self._pid = stage, step, pid

    def _step(self, phase: str, method: str, path: str) -> None:
        stage = stage_of(method, path)
        if stage != self._stage:
            return
        self._left -= 1
        if self._left == 0:
            self.met[stage] += 1
            self.where[f"{stage}: {phase} {method} {re.sub(r'[0-9]+', 'N', path.partition('?')[0])}"] += 1
            os.kill(self._pid, signal.SIGKILL)


def stage_of(method: str, path: str) -> str:
    if method == "POST":
        return "submit"
    return "collect" if path.endswith(("/results", "/content")) else "poll"


def batch_campaign(folder: Path, definitions: Path, style: str, *, kills: int, seed: int) -> BatchToll:
    """Kill runs so many times, let the last one finish, and count."""
    chance = random.Random(seed)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["batch_child"])
    killed = finished = 0
    with BatchServer(style, lambda body: Said(text=RIGHT), looks=2) as server:
        killer = Killer(server)
        while killed < kills or not finished:
            target = (folder, f"model{finished}", definitions, server.base_url, PROVIDERS[style])
            child = context.Process(target=run_once, args=target)
            child.start()
            # The stage that was met least: a run that goes on with a batch submits nothing more.
            stage = min(STAGES, key=lambda one: killer.met[one]) if killed < kills else ""
            killer.aim(child.pid or 0, stage, chance.randint(1, 4))
            child.join()
            assert child.exitcode in (0, -signal.SIGKILL)
            killed += child.exitcode == -signal.SIGKILL
            finished += child.exitcode == 0
        submitted = Counter(server.submitted)
    found = judged_samples(folder)
    models = [f"model{number}" for number in range(finished)]
    return BatchToll(
        kills=killed,
        where=killer.where,
        requests=submitted.total(),
        submitted_twice=[number for number, count in submitted.items() if count > 1],
        lost=[model for model in models if found[model] < SAMPLES],
        doubled=[model for model in models if found[model] > SAMPLES],
    )


def judged_samples(folder: Path) -> Counter[str]:
    """How many whole samples each model has, with a verdict that is right."""
    found = Counter[str]()
    for sample in find_samples(folder):
        assert not sample.problem, sample.problem
        if sample.has_conversation and sample.has_evaluation:
            found[sample.request.model] += sample.outcome == "pass"
    return found
