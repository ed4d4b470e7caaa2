"""What calls itself julia and is none, or hangs: it is given up, and what it said is told."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from codejury.errors import ToolchainError
from codejury.judge.toolchain import julia


def program(folder: Path, *lines: str) -> Path:
    path = folder / "julia"
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return path


def is_gone(pid: int) -> bool:
    """Whether the process has ended, though nobody may have taken note of it yet."""
    status = Path(f"/proc/{pid}/status")
    try:
        return "State:\tZ" in status.read_text()
    except OSError:
        return True


def test_one_that_hangs_is_given_up_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(julia, "_SECONDS_FOR_ITS_VERSION", 1)
    hanging = program(tmp_path, "sleep 600 &", f"echo $! > {tmp_path}/child", "wait")
    with pytest.raises(ToolchainError, match="gave no answer within 1 seconds"):
        julia.ask(hanging)
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 60
    while not is_gone(child):
        assert time.monotonic() < deadline, f"the child {child} still runs"
        time.sleep(0.01)


@pytest.mark.parametrize("stream", [">&1", ">&2"])
def test_what_it_said_is_told_whichever_way_it_said_it(tmp_path: Path, stream: str) -> None:
    talking = program(tmp_path, f"echo 'no channel is installed' {stream}", "exit 1")
    with pytest.raises(ToolchainError, match="it said:\n    no channel is installed"):
        julia.ask(talking)


def test_one_that_says_nothing_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match=r"it said:\n    \(nothing\)"):
        julia.ask(program(tmp_path, "exit 1"))
