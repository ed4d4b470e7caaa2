"""A run whose answers cannot be written: nothing that was delivered is thrown away.

The obstacles are real ones that any user can meet: a file where a folder should be, limits of the process
(`ulimit -n`, `ulimit -f`), a folder without rights.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmark_world import RIGHT, World, always, last_message, replies, told_judge
from codejury.errors import InputError, WriteError
from codejury.run.benchmark import run_benchmark
from codejury.run.events import Answered, Asked, Event, Noted
from codejury.run.save import WriteProblem
from codejury.store.read import read_conversation
from servers import HostileServer, Request, says


@pytest.fixture
def world(tmp_path: Path, definitions: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("CODEJURY_CACHE", str(tmp_path / "cache"))
    return World(tmp_path, definitions)


@pytest.fixture(autouse=True)
def _no_task_dies_unheard(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


def put_in_the_way(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("in the way", encoding="utf-8")


class Blocks:
    """Answers all requests at the same moment; before that, once they are under way, it does something."""

    def __init__(self, at_once: int, before: Callable[[], None]) -> None:
        self._left = at_once
        self._before = before
        self._all_are_here = asyncio.Event()

    async def __call__(self, writer: asyncio.StreamWriter, request: Request) -> None:
        self._left -= 1
        if self._left == 0:
            self._before()
            self._all_are_here.set()
        await self._all_are_here.wait()
        await says(f"{RIGHT} {request.body['seed']}")(writer, request)


# Before anybody is asked


def test_a_file_where_a_models_folder_should_be_is_found_before_anybody_is_asked(world):
    put_in_the_way(world.save_dir / "text" / "repeat" / "mine")
    with always(RIGHT) as server, pytest.raises(WriteError, match=r"text/repeat/mine: is in the way"):
        world.run("mine", base_url=server.base_url)
    assert server.requests == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_rights_is_found_before_anybody_is_asked(world):
    closed = world.save_dir / "text"
    closed.mkdir(parents=True)
    closed.chmod(0o500)
    with always(RIGHT) as server, pytest.raises(WriteError, match=r"text: cannot be written"):
        world.run("mine", base_url=server.base_url)
    assert server.requests == []


def test_a_results_folder_that_is_a_link_to_itself_is_a_message(world):
    world.save_dir.symlink_to(world.save_dir)
    with pytest.raises(InputError, match="a link that leads to itself"):
        world.run("baseline/stub")


def run_within(limit: int, amount: int, told: Any, **options: Any) -> None:
    """In a process of its own: a run under a limit of the system; tells its notes, and how it ended."""
    resource.setrlimit(limit, (amount, amount))
    notes: list[str] = []

    def hear(event: Event) -> None:
        notes.extend([event.what] if isinstance(event, Noted) else [])

    error = ""
    with told_judge() as judge:
        try:
            run_benchmark("mine", judge=judge, on_event=hear, prompt="InJulia", **options)
        except InputError as exc:
            error = f"{type(exc).__name__}: {exc}"
    told.send((notes, error))


def ended(limit: int, amount: int, **options: Any) -> tuple[list[str], str]:
    processes = multiprocessing.get_context("spawn")
    ours, theirs = processes.Pipe()
    process = processes.Process(target=run_within, args=(limit, amount, theirs), kwargs=options)
    process.start()
    told: tuple[list[str], str] = ours.recv() if ours.poll(60) else ([], "it said nothing")
    process.join(60)
    return told


def test_a_process_that_may_open_few_files_asks_less_at_once_and_says_so(world):
    with always(RIGHT, after=0.05) as server:
        notes, error = ended(
            *(resource.RLIMIT_NOFILE, 128),
            base_url=server.base_url,
            definitions=world.definitions,
            save_dir=world.save_dir,
            samples=60,
            max_connections=100,
        )
    assert error == ""
    assert "may open 128 files, so at most" in notes[0]
    assert 4 < server.most_at_once < 60
    assert len(server.requests) == len(world.samples()) == 120


def test_a_process_that_may_open_next_to_none_is_told_before_anybody_is_asked(world):
    with always(RIGHT) as server:
        places = {"definitions": world.definitions, "save_dir": world.save_dir}
        _, error = ended(resource.RLIMIT_NOFILE, 60, base_url=server.base_url, **places)
    assert "this process may open 60 files, and needs" in error
    assert server.requests == []


def test_a_disk_without_room_for_one_answer_is_found_before_anybody_is_asked(world):
    with always(RIGHT) as server:
        places = {"definitions": world.definitions, "save_dir": world.save_dir}
        _, error = ended(resource.RLIMIT_FSIZE, 10_000, base_url=server.base_url, **places)
    assert error.startswith(f"WriteError: {world.save_dir}: cannot be written: File too large")
    assert server.requests == []
    assert list(world.save_dir.glob(".codejury-*")) == []


# While requests are under way


def test_answers_whose_place_is_blocked_are_kept_and_the_next_run_files_and_judges_them(world):
    act = Blocks(20, lambda: put_in_the_way(world.save_dir / "text"))
    options = {"samples": 10, "seed": 0, "max_connections": 20}
    with HostileServer(act) as server:
        with pytest.raises(WriteError) as raised:
            world.run("mine", base_url=server.base_url, **options)
        told = str(raised.value)
        assert "text/repeat/mine" in told
        assert "10 answers are kept in" in told
        assert str(world.save_dir / ".unfiled") in told
        assert len(world.told(Answered)) == len(server.requests) == 20
        assert all(Path(event.file).is_file() for event in world.told(Answered))

        (world.save_dir / "text").unlink()
        found = world.run("mine", base_url=server.base_url, **options)
        assert world.told(Asked) == [], "all were delivered, so nothing is asked again"
    assert [(e["name"], e["seed"], e["outcome"]) for e in found] == [
        (name, seed, "pass") for name in ("double", "repeat") for seed in range(10)
    ]
    for sample in world.samples():
        assert read_conversation(sample.conversation).answer.endswith(f" {sample.request.seed}")
    assert not (world.save_dir / ".unfiled").exists()


def test_where_the_whole_results_folder_refuses_the_users_cache_keeps_the_answers(world, tmp_path):
    def block() -> None:
        for name in ("text", "maths", ".unfiled"):
            put_in_the_way(world.save_dir / name)

    with HostileServer(Blocks(20, block)) as server:
        with pytest.raises(WriteError, match="20 answers are kept in") as raised:
            world.run("mine", base_url=server.base_url, samples=10, seed=0, max_connections=20)
        assert str(tmp_path / "cache") in str(raised.value)
        for name in ("text", "maths", ".unfiled"):
            (world.save_dir / name).unlink()
        found = world.run("mine", base_url=server.base_url, samples=10, seed=0)
        assert len(server.requests) == len(found) == 20
    assert list((tmp_path / "cache").rglob("conversation__*")) == []


def test_what_could_be_written_nowhere_is_tried_again_at_the_end(world, tmp_path):
    obstacles = [world.save_dir / "maths", world.save_dir / ".unfiled", tmp_path / "cache"]

    async def act(writer: asyncio.StreamWriter, request: Request) -> None:
        if "double" in last_message(request):
            for obstacle in obstacles:
                put_in_the_way(obstacle)
        else:
            await asyncio.sleep(0.5)
            for obstacle in obstacles:
                obstacle.unlink()
        await says(RIGHT)(writer, request)

    with HostileServer(act) as server:
        with pytest.raises(WriteError, match="maths/double/mine"):
            world.run("mine", base_url=server.base_url)
        assert len(world.samples()) == 2
        world.run("mine", base_url=server.base_url)
        assert len(server.requests) == 2


def test_nothing_more_is_sent_once_an_answer_could_not_be_written(world):
    def block(request: Request) -> str:
        if "text" not in (path.name for path in world.save_dir.iterdir() if path.is_file()):
            put_in_the_way(world.save_dir / "text")
        return RIGHT

    with HostileServer(replies(block, after=0.02)) as server:
        with pytest.raises(WriteError):
            world.run("mine", base_url=server.base_url, samples=100, max_connections=4)
        assert len(server.requests) < 20
        kept = len(world.samples()) + len(list((world.save_dir / ".unfiled").iterdir()))
        assert kept == len(server.requests)


def test_answers_too_large_for_any_disk_are_counted_as_lost_in_one_message(world):
    with always(RIGHT + "x" * 200_000) as server:
        places = {"definitions": world.definitions, "save_dir": world.save_dir}
        _, error = ended(resource.RLIMIT_FSIZE, 100_000, base_url=server.base_url, **places)
    assert error.startswith("WriteError")
    assert "File too large" in error
    assert "and are lost: 2" in error
    assert world.samples() == []


@pytest.mark.parametrize(
    ("files", "said"), [(1, "1 answer is kept in results/.unfiled."), (2, "2 answers are kept in results/")]
)
def test_trouble_is_told_with_what_became_of_the_answers_and_what_to_do(files, said):
    trouble = WriteProblem()
    trouble.add(WriteError("results/maths: the disk is full"))
    trouble.add(WriteError("something later"))
    trouble.unfiled += [Path(f"results/.unfiled/{number}") for number in range(files)]
    told = trouble.message()
    assert told.startswith("results/maths: the disk is full\nNothing more was asked")
    assert said in told
    assert "lost" not in told
    assert told.endswith(
        "Fix that and run the same command: it puts what was kept in its place, and goes on."
    )
