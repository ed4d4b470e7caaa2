"""More than one machine: a real Ray cluster, two nodes on this one."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codejury.errors import InputError
from codejury.exchange.bulk.plan import prepare
from codejury.exchange.bulk.run import run
from codejury.judge.backends import judges_at_once, open_judge, open_pool
from codejury.judge.judge import Judge
from codejury.judge.ray_nodes import Places, WorkerFacts
from codejury.options import JudgeOptions
from codejury.records import Ending, Job, Snippet
from fakes import a_case, in_folders

SECONDS = 5.0


# Places: which node takes the next worker


def test_workers_go_to_the_emptiest_node_until_all_are_full() -> None:
    places = Places()
    rooms = {"big": 2, "small": 1}
    assert [places.take(rooms) for _ in range(4)] == ["big", "small", "big", None]
    places.give_back("small")
    assert places.take(rooms) == "small"


def test_a_node_that_joins_takes_workers_and_one_that_is_gone_takes_none() -> None:
    places = Places()
    assert places.take({"old": 1}) == "old"
    assert places.take({"old": 1, "new": 1}) == "new"
    places.give_back("old")
    assert places.take({"new": 1}) is None


def test_a_refused_node_is_told_of_once_and_never_used_again() -> None:
    places = Places()
    assert places.refuse("bad", "no Julia")
    assert not places.refuse("bad", "no Julia")
    assert places.take({"bad": 4}) is None


def test_only_when_every_node_is_refused_is_there_no_hope() -> None:
    places = Places()
    places.refuse("bad", "no Julia")
    assert places.why_none({"bad": 1, "good": 1}) == ""
    assert places.why_none({"bad": 1}) == "no Julia"
    assert places.why_none({}) == "", "a cluster may still be starting"


def test_the_first_worker_sets_the_standard_and_one_that_differs_is_told_how() -> None:
    places = Places()
    standard = WorkerFacts(level="L3", julia_version="1.5.3", codejury_version="1")
    assert places.differs(standard) == ""
    assert places.differs(standard) == ""
    other = places.differs(WorkerFacts(level="L2", julia_version="1.5.3", codejury_version="1"))
    assert "isolation L2" in other
    assert "isolation L3" in other


# Without a cluster


def test_nothing_imports_ray_before_it_is_asked_for() -> None:
    code = "import codejury.cli, codejury.judge.backends, codejury.run, sys; print('ray' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"


def test_without_ray_one_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "codejury.judge.ray_pool", raising=False)
    with pytest.raises(InputError, match=re.escape("pip install 'codejury[ray]'")):
        open_pool()


def test_an_unknown_engine_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="engine: must be one of local, ray"):
        JudgeOptions(engine="spark")


def test_no_more_workers_than_answers() -> None:
    assert judges_at_once(JudgeOptions(workers=8), 3) == 3
    assert judges_at_once(JudgeOptions(engine="ray"), 5) == 5
    assert judges_at_once(JudgeOptions(engine="ray", workers=2), 1000) == 2
    assert judges_at_once(JudgeOptions(), 0) == 1


# With one


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return in_folders(tmp_path / "cases", "maths/double")


def answers(tmp_path: Path, count: int) -> Path:
    """Right ones, wrong ones, broken ones and slow ones, no two alike."""
    codes = (
        "double(x) = 2x",
        "double(x) = x",
        "double(x) = ",
        'double(x) = error("no")',
        "double(x) = (sleep(0.05); x + x)",
    )
    lines = [
        {"task_id": "double", "solution": f"# {number}\n{codes[number % len(codes)]}", "number": number}
        for number in range(count)
    ]
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def judged(file: Path, cases: Path, judge: Judge, on_progress: Callable[[Any], None] = lambda _: None) -> str:
    """The whole output, without what differs from run to run: seconds."""
    output = file.with_suffix(f".{time.monotonic_ns()}.out")
    run(prepare(file, cases, output), judge, on_progress=on_progress)
    return re.sub(r'"seconds": [0-9.e-]+', '"seconds": 0', output.read_text(encoding="utf-8"))


def test_a_cluster_gives_the_same_lines_in_the_same_order_as_this_machine(
    tmp_path: Path, cases: Path, cluster: Any, jury: Judge
) -> None:
    file = answers(tmp_path, 20)
    with open_judge(JudgeOptions(engine="ray", workers=2, timeout=SECONDS)) as judge:
        on_cluster = judged(file, cases, judge)
    assert on_cluster == judged(file, cases, jury)
    assert [json.loads(line)["outcome"] for line in on_cluster.splitlines()[:4]] == ["pass", *["fail"] * 3]


def test_a_node_killed_in_the_middle_costs_no_line_and_doubles_none(
    tmp_path: Path, cases: Path, cluster: Any, jury: Judge
) -> None:
    file = answers(tmp_path, 60)
    doomed = cluster.add_node(num_cpus=1)
    seen = threading.Event()

    def kill_at_ten(tally: Any) -> None:
        if tally.lines == 10 and not seen.is_set():
            seen.set()
            cluster.remove_node(doomed, allow_graceful=False)

    with open_judge(JudgeOptions(engine="ray", workers=3, timeout=SECONDS)) as judge:
        lines = judged(file, cases, judge, kill_at_ten)
    assert seen.is_set()
    assert lines == judged(file, cases, jury)


def test_a_node_that_joins_is_used(cluster: Any) -> None:
    pool = open_pool(most=9)
    try:
        pool()
        joined = cluster.add_node(num_cpus=1)
        wait_until(lambda: pool.workers[joined.node_id] == 1)
        cluster.remove_node(joined)
    finally:
        pool.close()


def test_a_node_that_cannot_judge_is_refused_with_its_reason_and_the_others_go_on(cluster: Any) -> None:
    notes: list[str] = []
    lame = cluster.add_node(num_cpus=1, env_vars={"CODEJURY_JULIA": "/nowhere/julia"})
    pool = open_pool(most=9, on_note=notes.append)
    try:
        sandbox = pool()
        wait_until(lambda: bool(notes))
        job = Job(test_case=a_case(), snippets=(Snippet(code="double(x) = 2x", language="julia"),))
        assert sandbox.execute(job).unit_tests_passed == 4
    finally:
        pool.close()
        cluster.remove_node(lame)
    assert len(notes) == 1
    assert "is not used" in notes[0]
    assert "/nowhere/julia" in notes[0]


def test_a_candidate_whose_worker_dies_is_judged_again_and_two_deaths_are_its_verdict(cluster: Any) -> None:
    pool = open_pool(most=1)
    slow = Job(test_case=a_case(), snippets=(Snippet(code="sleep(3)\ndouble(x) = 2x", language="julia"),))
    try:
        sandbox = pool()
        with killing(times=1):
            assert sandbox.execute(slow).unit_tests_passed == 4
        with killing(times=2):
            execution = sandbox.execute(slow)
    finally:
        pool.close()
    assert execution.blocks[0].ending is Ending.DIED
    assert "lost twice" in execution.blocks[0].message
    assert not execution.executed


class killing:  # noqa: N801 - reads as a verb
    """Kills the process of a worker that is busy, so many times."""

    def __init__(self, *, times: int) -> None:
        self._times = times
        self._thread = threading.Thread(target=self._kill)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._thread.join()

    def _kill(self) -> None:
        killed: set[int] = set()
        for _ in range(self._times):
            wait_until(lambda: bool(busy_workers() - killed))
            time.sleep(0.5)  # the candidate is under way by then
            victim = min(busy_workers() - killed)
            killed.add(victim)
            os.kill(victim, signal.SIGKILL)


def busy_workers() -> set[int]:
    """Processes that execute a candidate: Ray names them after what they do."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"ray::RayWorker.execute" in (folder / "cmdline").read_bytes():
                found.add(int(folder.name))
        except OSError:
            continue
    return found


def wait_until(condition: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.1)


def test_the_command_line_judges_on_a_cluster(tmp_path: Path, cases: Path, cluster: Any) -> None:
    file, output = answers(tmp_path, 5), tmp_path / "out.jsonl"
    told = codejury(
        "judge", file, "--definitions", cases, "--output", output,
        "--engine", "ray", "--ray-address", cluster.address, "--workers", "1",
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    results = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [result["outcome"] for result in results] == ["pass", "fail", "fail", "fail", "pass"]
    assert {result["sandbox"] for result in results} != {""}


def test_answers_are_imported_rescored_and_verified_and_definitions_validated_on_a_cluster(
    tmp_path: Path, cases: Path, cluster: Any
) -> None:
    results = tmp_path / "results"
    there = ("--definitions", cases, "--engine", "ray", "--ray-address", cluster.address, "--workers", "1")
    imported = codejury("import", answers(tmp_path, 5), "--model", "m", "--save-dir", results, *there)
    assert imported.returncode == 0, imported.stderr
    assert re.search(r"^pass rate +40.0 %$", imported.stdout, re.MULTILINE)
    again = codejury("rescore", results, "--all", "--json", *there)
    assert again.returncode == 0, again.stderr
    told = [json.loads(line) for line in again.stdout.splitlines()]
    assert [row["type"] for row in told] == ["sample"] * 5 + ["summary"]
    verified = codejury("verify", results, "--full", "--json", *there)
    assert verified.returncode == 0, verified.stderr
    assert json.loads(verified.stdout)["reproduced"] == 5
    valid = codejury("validate", cases, "--no-strict", "--json", *there[2:])
    assert valid.returncode == 0, valid.stderr
    assert json.loads(valid.stdout)["valid"]


def test_a_cluster_that_is_not_there_is_one_clear_message(tmp_path: Path, cases: Path) -> None:
    told = codejury(
        "judge", answers(tmp_path, 1), "--definitions", cases, "--output", tmp_path / "out.jsonl",
        "--engine", "ray", "--ray-address", "127.0.0.1:1",
    )  # fmt: skip
    assert told.returncode == 2
    assert "--ray-address: cannot reach a Ray cluster at 127.0.0.1:1" in told.stderr
    assert "Traceback" not in told.stderr


def codejury(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "codejury", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
