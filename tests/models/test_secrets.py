"""The key of a service appears nowhere: not in files, output, events or tracebacks, nor to a candidate."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

from benchmark_world import told_judge
from codejury.models.keys import Keyring
from codejury.run.benchmark import run_benchmark
from codejury.run.events import Judged
from servers import HostileServer, Request, says, status

SECRET = "sk-w5Zt0pS3cretV4lue9876"
PARTS = (SECRET, SECRET[:12], SECRET[-12:])

SNOOP = """
for place in ("/proc/self/environ", "/proc/1/environ", "/proc/$(getpid())/environ", PLACES...)
    try
        println(read(place, String))
    catch
    end
end
println(collect(ENV))
double(x) = 2x
"""


def echoing(request: Request) -> str:
    """What a careless or hostile server sends back."""
    return f"You are {request.headers.get('authorization')}"


def snoops(folder: Path) -> str:
    places = f'"{folder}/.env", "{folder}/codejury.toml", "{Path.home()}/.env"'
    return f"```julia\n{SNOOP.replace('PLACES...', places)}\n```"


def hostile_server(folder: Path) -> HostileServer:
    """Repeats the key in a 500, in an answer, in why it stopped, and in a final refusal."""

    async def act(writer: Any, request: Request) -> None:
        said, count = echoing(request), len(server.requests)
        if count == 1:
            await status(500, {"error": {"message": said}}, {"X-Echo": said})(writer, request)
        elif request.body["model"] == "locked":
            await status(401, {"error": {"message": said, "code": said}})(writer, request)
        else:
            await says(f"{said}\n{snoops(folder)}", finish_reason=said)(writer, request)

    server = HostileServer(act)
    return server


def output_of(arguments: list[str], folder: Path, **variables: str) -> str:
    """Everything a run says, on both streams."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CODEJURY_API")}
    done = subprocess.run(
        [sys.executable, "-m", "codejury", "run", *arguments],
        cwd=folder,
        env=clean | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return done.stdout + done.stderr


def assert_unseen(text: str, where: str) -> None:
    for part in PARTS:
        assert part not in text, where


@pytest.mark.parametrize(("place", "how"), [("environment", ["--json"]), (".env", [])])
def test_the_key_is_in_no_file_and_no_output_of_a_run(place, how, tmp_path, definitions):
    variables = {"CODEJURY_API_KEY": SECRET} if place == "environment" else {}
    if place == ".env":
        (tmp_path / ".env").write_text(f"CODEJURY_API_KEY={SECRET}\n", encoding="utf-8")
    with hostile_server(tmp_path) as server:
        arguments = [
            "--model",
            "open",
            "--model",
            "locked",
            "--base-url",
            server.base_url,
            "--prompt",
            "AsIs",
        ]
        arguments += ["--definitions", str(definitions), "--case", "double", "--save-dir", "results"]
        arguments += ["--workers", "1"]
        told = output_of([*arguments, *how], tmp_path, **variables)
    assert any(SECRET in request.headers.get("authorization", "") for request in server.requests)
    assert_unseen(told, "output")
    assert "[CODEJURY_API_KEY]" in told, "the server's words were shown, without the key"
    files = [path for path in (tmp_path / "results").rglob("*") if path.is_file()]
    verdicts = [json.loads(path.read_text()) for path in files if path.name.startswith("evaluation__")]
    assert len(verdicts) == 1
    for path in files:
        assert_unseen(path.read_bytes().decode(), str(path))
    for verdict in verdicts:
        assert verdict["outcome"] == "pass", "the snooping code itself ran"
        assert "PATH" in verdict["stdout_tail"] or "HOME" in verdict["stdout_tail"], "and saw an environment"


def test_not_even_a_traceback_with_all_local_variables_shows_the_key(tmp_path, definitions, monkeypatch):
    def fail(event: object) -> None:
        if isinstance(event, Judged):
            raise RuntimeError("a bug")

    monkeypatch.setenv("CODEJURY_API_KEY", SECRET)
    with hostile_server(tmp_path) as server, told_judge() as judge:
        with pytest.raises(RuntimeError) as caught:
            run_benchmark(
                "open",
                judge=judge,
                on_event=fail,
                base_url=server.base_url,
                definitions=definitions,
                save_dir=tmp_path / "results",
            )
        shown = "".join(
            traceback.TracebackException.from_exception(caught.value, capture_locals=True).format()
        )
    assert "CODEJURY_API_KEY" not in shown or SECRET not in shown
    assert_unseen(shown, "traceback")
    assert SECRET not in repr(Keyring.load())
