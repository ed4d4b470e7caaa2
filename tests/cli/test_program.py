"""Hints name the program as it was started, so that they can be typed where they are read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from codejury.program import start_words


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_a_program_that_is_found_in_path_is_named_without_its_folder(tmp_path: Path) -> None:
    program = executable(tmp_path / "bin/codejury")
    assert start_words(str(program), f"/nowhere:{program.parent}") == ["codejury"]


def test_a_program_that_another_one_hides_is_named_by_its_path(tmp_path: Path) -> None:
    other, program = executable(tmp_path / "first/codejury"), executable(tmp_path / "second/codejury")
    assert start_words(str(program), f"{other.parent}:{program.parent}") == [str(program)]


def test_a_program_below_this_folder_is_named_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = executable(tmp_path / ".venv/bin/codejury")
    monkeypatch.chdir(tmp_path)
    assert start_words(str(program), "/nowhere") == [".venv/bin/codejury"]
    assert start_words(".venv/bin/codejury", "/nowhere") == [".venv/bin/codejury"]


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("/home/ada/.cache/uv/archive-v0/x1/bin/codejury", ["uvx", "codejury"]),
        ("/home/ada/.local/share/pipx/.cache/ab12/bin/codejury", ["pipx", "run", "codejury"]),
        ("/home/ada/.cache/pipx/ab12/bin/codejury", ["pipx", "run", "codejury"]),
        ("/home/ada/env/lib/python3.12/site-packages/codejury/__main__.py", ["python", "-m", "codejury"]),
    ],
)
def test_what_was_started_by_another_tool_is_started_by_it_again(program: str, words: list[str]) -> None:
    assert start_words(program, "/nowhere") == words


def test_what_is_started_from_within_another_program_has_its_own_name() -> None:
    assert start_words("-c", "/nowhere") == ["codejury"]


def test_a_hint_of_the_command_line_can_be_typed_as_it_stands(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("codejury")
    done = subprocess.run(
        [program, "leaderboard", "--root", "."],
        cwd=tmp_path,
        env={"PATH": "/usr/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"`{program} run` makes results" in done.stderr
