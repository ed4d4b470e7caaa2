"""A judge that lives on: the next command uses it, and none depends on it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from codejury.errors import InputError
from codejury.judge import backends
from codejury.judge.backends import FEW, open_judge
from codejury.judge.judge import Judge
from codejury.judge.sandbox.factory import SandboxFactory
from codejury.judge.sandbox.forkserver import ForkServerSandbox
from codejury.judge.warm import client, place
from codejury.judge.warm.client import WarmFactory, servers, stop_servers
from codejury.judge.warm.messages import (
    RequestKind,
    ServerLine,
    ServerReply,
    ServerRequest,
    ServerStatus,
    _read,
    _written,
)
from codejury.judge.warm.place import fingerprint
from codejury.options import JudgeOptions
from codejury.records import Execution, Job, Outcome, Packages, Snippet
from codejury.selftest.attack_runner import CASE, descendants
from codejury.settings import Settings, load_settings

RIGHT = "```julia\nanswer(x) = Dict(3 => 42, 4 => 99, 10 => -7)[x]\n```"
SLOW = "```julia\nsleep(3)\nanswer(x) = Dict(3 => 42, 4 => 99, 10 => -7)[x]\n```"


def soon(true: Callable[[], object]) -> bool:
    """Wait until something holds; a minute is long enough for any machine."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.02)
    return False


def is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Path]:
    """A folder for sockets of one's own; what is warm at the end is stopped."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    yield folder
    stop_servers(replace(load_settings(), runtime=folder))


@pytest.fixture
def settings(runtime: Path) -> Settings:
    return replace(load_settings(), runtime=runtime, warm_minutes=5)


@pytest.fixture
def home(definitions: Path, tmp_path: Path) -> Path:
    """A folder with two test cases and an answer to one."""
    (tmp_path / "answer.md").write_text("```julia\ndouble(x) = 2x\n```")
    return tmp_path


class Shell:
    """Somebody who types commands in a folder."""

    def __init__(self, folder: Path, runtime: Path) -> None:
        self.folder = folder
        self.environ = os.environ | {
            "XDG_RUNTIME_DIR": str(runtime),
            "CODEJURY_WARM_MINUTES": "5",
            "OPENAI_API_KEY": "sk-very-secret",
        }
        self.settings = replace(load_settings(), runtime=runtime)

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "codejury", *words],
            cwd=self.folder,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def type(self, *words: str, code: int = 0) -> str:
        process = self.start(*words)
        told, complaints = process.communicate()
        assert process.returncode == code, told + complaints
        return told

    def evaluate(self) -> dict[str, Any]:
        verdict = json.loads(self.type("evaluate", "cases/maths/double", "answer.md", "--json"))
        for block in verdict["blocks"]:
            del block["seconds"]
        return verdict

    @property
    def warm(self) -> list[ServerStatus]:
        return servers(self.settings)


@pytest.fixture
def shell(home: Path, runtime: Path) -> Shell:
    return Shell(home, runtime)


# ---- From one command to the next.


def test_the_next_command_is_served_by_the_judge_that_the_first_one_left(shell: Shell) -> None:
    first = shell.evaluate()
    (left,) = shell.warm
    second = shell.evaluate()
    told = shell.type("validate", "cases/maths/double", "--no-strict")
    (still,) = shell.warm
    assert (left.judged, still.judged, still.pid) == (1, 3, left.pid)
    assert "valid" in told
    shell.environ["CODEJURY_WARM_MINUTES"] = "0"
    assert first == second == shell.evaluate()
    assert shell.warm[0].judged == 3


def test_a_judge_of_another_folder_is_the_same_one(shell: Shell, tmp_path: Path) -> None:
    shell.evaluate()
    shell.folder = tmp_path / "cases"
    shell.type("evaluate", "maths/double", "../answer.md")
    (one,) = shell.warm
    assert one.judged == 2


def test_two_commands_at_once_are_both_served(shell: Shell) -> None:
    with ThreadPoolExecutor(2) as pool:
        verdicts = [future.result() for future in [pool.submit(shell.evaluate) for _ in range(2)]]
    assert [verdict["outcome"] for verdict in verdicts] == ["pass", "pass"]
    (one,) = shell.warm
    assert one.judged == 2


def test_status_tells_of_it_and_stop_ends_it_with_its_julias(shell: Shell) -> None:
    assert "No judge is warm" in shell.type("judge-server", "status", code=1)
    shell.type("judge-server", "start")
    (status,) = json.loads(shell.type("judge-server", "status", "--json"))
    assert f"process {status['pid']}: Julia" in shell.type("judge-server", "status")
    family = [status["pid"], *descendants(status["pid"])]
    assert len(family) > 2
    assert str(status["pid"]) in shell.type("judge-server", "stop")
    assert soon(lambda: not any(map(is_alive, family)))
    assert "No judge is warm" in shell.type("judge-server", "stop")
    assert [*(shell.settings.runtime or Path()).rglob("*.*")] == []


def test_one_that_nobody_uses_ends_by_itself(shell: Shell) -> None:
    shell.environ["CODEJURY_WARM_MINUTES"] = "0.001"
    shell.evaluate()
    assert soon(lambda: not shell.warm)


def test_a_wrong_number_of_minutes_is_told(shell: Shell) -> None:
    shell.environ["CODEJURY_WARM_MINUTES"] = "soon"
    process = shell.start("evaluate", "cases/maths/double", "answer.md")
    assert "CODEJURY_WARM_MINUTES: 'soon' is not a number" in process.communicate()[1]
    assert process.returncode == 2
    with pytest.raises(InputError):
        load_settings({"CODEJURY_WARM_MINUTES": "-1"})


def test_it_keeps_no_key(shell: Shell) -> None:
    shell.evaluate()
    (one,) = shell.warm
    for pid in (one.pid, *descendants(one.pid)):
        assert b"very-secret" not in Path(f"/proc/{pid}/environ").read_bytes()


def test_where_no_socket_can_be_made_the_command_has_a_judge_of_its_own(shell: Shell, runtime: Path) -> None:
    (runtime / f"codejury-{os.geteuid()}").mkdir(mode=0o755)
    process = shell.start("evaluate", "cases/maths/double", "answer.md")
    told, complaints = process.communicate()
    assert process.returncode == 0
    assert "PASS" in told
    assert "socket" not in complaints
    assert shell.warm == []


# ---- Whoever is killed, the other goes on.


def test_a_command_outlives_a_server_that_is_killed_while_it_judges(settings: Settings) -> None:
    factory = WarmFactory(allow_unsafe=False, packages=Packages(), settings=settings)
    with Judge(sandbox_factory=factory) as judge, ThreadPoolExecutor(1) as pool:
        assert judge.evaluate(RIGHT, CASE).outcome is Outcome.PASS
        waiting = pool.submit(judge.evaluate, SLOW, CASE)
        assert soon(lambda: judge.under_way)
        time.sleep(0.5)
        os.kill(servers(settings)[0].pid, signal.SIGKILL)
        assert waiting.result().outcome is Outcome.PASS
        assert judge.evaluate(RIGHT, CASE).outcome is Outcome.PASS
    assert servers(settings) == []


def test_a_server_that_was_killed_is_replaced_by_the_next_command(shell: Shell) -> None:
    before = shell.evaluate()
    (killed,) = shell.warm
    os.kill(killed.pid, signal.SIGKILL)
    assert shell.evaluate() == before
    (fresh,) = shell.warm
    assert fresh.pid != killed.pid


def test_a_server_drops_the_candidate_of_a_command_that_is_killed(shell: Shell) -> None:
    (shell.folder / "answer.md").write_text("```julia\nwhile true end\n```")
    words = ("evaluate", "cases/maths/double", "answer.md", "--timeout", "1000", "--answer-timeout", "1000")
    command = shell.start(*words)
    assert soon(lambda: shell.warm and shell.warm[0].sandboxes)
    (server,) = shell.warm
    time.sleep(1)
    command.kill()
    command.communicate()
    assert soon(lambda: not shell.warm[0].busy)
    (shell.folder / "answer.md").write_text("```julia\ndouble(x) = 2x\n```")
    assert shell.evaluate()["outcome"] == "pass"
    (still,) = shell.warm
    assert (still.pid, still.judged) == (server.pid, 1)


def test_ctrl_c_while_it_starts_ends_the_command_at_once(shell: Shell) -> None:
    command = shell.start("evaluate", "cases/maths/double", "answer.md")
    assert soon(lambda: shell.warm)
    command.send_signal(signal.SIGINT)
    command.communicate()
    assert command.returncode == 130


# ---- Only a judge that would say the same is used.


def other_julia(facts: dict[str, Any]) -> None:
    facts["decision"] = replace(facts["decision"], julia=replace(facts["decision"].julia, version="9.9.9"))


def less_isolation(facts: dict[str, Any]) -> None:
    facts["decision"] = replace(facts["decision"], level="L2.5")


def other_packages(facts: dict[str, Any]) -> None:
    facts["packages"] = Packages(("Dates",))


def other_environment(facts: dict[str, Any]) -> None:
    facts["packages"] = Packages(environment=Path("/elsewhere"))


def other_variables(facts: dict[str, Any]) -> None:
    facts["settings"] = replace(facts["settings"], julia_environment={"JULIA_NUM_THREADS": "4"})


@pytest.mark.parametrize(
    "change", [other_julia, less_isolation, other_packages, other_environment, other_variables]
)
def test_a_judge_is_found_by_all_that_decides_verdicts(change: Callable[[dict[str, Any]], None]) -> None:
    settings = load_settings()
    facts: dict[str, Any] = {
        "decision": SandboxFactory(settings=settings).decision,
        "packages": Packages(),
        "settings": settings,
    }
    before = fingerprint(**facts)
    assert fingerprint(**facts) == before
    change(facts)
    assert fingerprint(**facts) != before


@pytest.mark.parametrize("file", ["judge/score.py", "judge/sandbox/julia/judge.jl", "judge/new.py"])
def test_code_that_was_edited_is_not_served_by_older_code(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decision, settings = SandboxFactory().decision, load_settings()
    (tmp_path / "judge/sandbox/julia").mkdir(parents=True)
    for name in ("judge/score.py", "judge/sandbox/julia/judge.jl"):
        (tmp_path / name).write_text("before")
    monkeypatch.setattr(place, "_CODE", tmp_path)
    before = fingerprint(decision, Packages(), settings)
    (tmp_path / file).write_text("behind")
    assert fingerprint(decision, Packages(), settings) != before


def test_a_server_that_is_not_what_was_asked_for_does_not_serve(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "fingerprint", lambda *_: "of a code that is gone")
    factory = WarmFactory(allow_unsafe=False, packages=Packages(), settings=settings)
    sandbox = factory()
    assert isinstance(sandbox, ForkServerSandbox)
    sandbox.close()
    factory.close()
    assert servers(settings) == []


def test_many_answers_have_a_judge_of_their_own(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_WARM_MINUTES", "5")
    made: list[str] = []
    for module, kind in ((client, "WarmFactory"), (backends, "SandboxFactory")):
        monkeypatch.setattr(module, kind, lambda kind=kind, **_: made.append(kind))
    for answers in (1, FEW, FEW + 1, None):
        open_judge(JudgeOptions(), answers=answers, stay_warm=True)
    assert made == ["WarmFactory", "WarmFactory", "SandboxFactory", "SandboxFactory"]


# ---- What is said, and to whom.


def test_another_user_is_not_listened_to(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with theirs, pytest.raises(PermissionError, match="user"):
        ServerLine(ours)


def test_jobs_and_executions_arrive_as_they_were_sent(jury: Judge) -> None:
    job = Job(test_case=replace(CASE, path=Path("/a/b.toml")), snippets=(Snippet(code="ä\0\n"),))
    execution = jury.evaluate(RIGHT, CASE).execution
    assert isinstance(execution, Execution)
    for message in (ServerRequest(ask=RequestKind.EXECUTE, job=job), ServerReply(execution=execution)):
        sent = msgspec.msgpack.encode(message, enc_hook=_written)
        arrived = msgspec.msgpack.decode(sent, type=type(message), dec_hook=_read)
        assert arrived == message
    assert arrived.execution.blocks[0].kind is execution.blocks[0].kind


def test_nonsense_ends_one_connection_and_not_the_server(settings: Settings) -> None:
    factory = WarmFactory(allow_unsafe=False, packages=Packages(), settings=settings)
    with Judge(sandbox_factory=factory) as judge:
        judge.evaluate(RIGHT, CASE)
        (spot,) = place.all_places(place.own_folder(settings))
        with client._dial(spot) as end:
            end.sendall(b"\0\0\0\4oops")
            assert end.recv(1) == b""
        assert judge.evaluate(RIGHT, CASE).outcome is Outcome.PASS
    assert servers(settings)[0].judged == 2


def test_idle_ones_make_room_for_another(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MOST_SERVERS", 1)
    pids = []
    for names in ((), ("Dates",)):
        factory = WarmFactory(allow_unsafe=False, packages=Packages(names), settings=settings)
        with Judge(sandbox_factory=factory) as judge:
            judge.evaluate(RIGHT, CASE)
        assert soon(lambda: len(servers(settings)) == 1)
        pids.append(servers(settings)[0].pid)
    assert len(set(pids)) == 2
