"""Terminals of all kinds: narrow ones, dumb ones, those that do not know their width, and other locales."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from codejury.cli import COMMANDS, run
from definition_samples import write

PROGRAM = [sys.executable, "-m", "codejury"]


def in_a_terminal(command: list[str], **environ: str) -> str:
    """What a command shows in a terminal, stderr included."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, *command], stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, **environ}
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the last one has closed it
            break
        if not part:
            break
        shown += part
    process.wait()
    os.close(ours)
    return shown.decode(errors="replace")


def test_a_dumb_terminal_shows_how_far_a_run_is(tmp_path: Path) -> None:
    write(tmp_path / "cases")
    command = [
        "run",
        "--model",
        "baseline/stub",
        "--prompt",
        "AsIs",
        "--definitions",
        str(tmp_path / "cases"),
    ]
    shown = in_a_terminal([*command, "--save-dir", str(tmp_path / "results")], TERM="dumb")
    assert "1 model: 0 of 1 sample is there" in shown
    assert "1 of 1 sample, " in shown


def test_a_terminal_that_does_not_know_its_width_shows_everything(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    assert run(["prompts"]) == 0
    assert "JuliaExpertAsk" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "name"), [("suite", "first_contradiction"), ("models", "baseline/reference")]
)
def test_no_name_is_cut_at_60_columns(
    command: str, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert run([command]) == 0
    told = capsys.readouterr().out
    assert name in told
    assert max(map(len, told.splitlines())) <= 60


@pytest.mark.parametrize("width", [60, 50])
def test_the_plan_of_a_run_leaves_out_columns_and_folds_no_name_to_shreds(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(tmp_path / "cases")
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes that for a terminal
    command = ["run", "--dry-run", "--definitions", str(tmp_path / "cases"), "--prompt", "JuliaExpertAsk"]
    assert run([*command, "--model", "baseline/reference", "--model", "baseline/chatty"]) == 0
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert max(map(len, lines)) <= width
    assert any(line.startswith("baseline/reference") for line in lines)
    assert any(line.startswith("  JuliaExpertAsk ") and line.rstrip().endswith("0 USD") for line in lines)
    assert any(line.startswith("Left out for want of room: combinations, ") for line in lines)


def test_the_doctor_shows_paths_in_full_at_60_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = "/nowhere/" + "a-long-name-of-a-folder/" * 3 + "julia"
    monkeypatch.setenv("CODEJURY_JULIA", path)
    monkeypatch.setenv("COLUMNS", "60")
    assert run(["doctor"]) == 1
    told = capsys.readouterr().out
    assert path in "".join(line.strip() for line in told.splitlines())


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_each_example_once(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    run([command, "--help"])
    told = re.sub(r"[\s│]+", " ", capsys.readouterr().out)
    assert told.count("Examples:") == 1


def test_letters_outside_ascii_are_no_obstacle_in_any_locale(tmp_path: Path) -> None:
    home = tmp_path / "Zoë"
    home.mkdir()
    environ = {**os.environ, "HOME": str(home), "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environ["CODEJURY_CACHE"] = str(home / "cache")
    write(home / "code_generation")
    for command, told in (
        (["suite", "--json"], "count_vowels"),
        (["validate", "--no-run", "--json"], "Zoë"),
        (["run", "--model", "baseline/stub", "--prompt", "AsIs", "--dry-run"], "baseline/stub"),
        (["doctor", "--json"], "Zoë/cache"),
    ):
        done = subprocess.run(
            [*PROGRAM, *command], cwd=home, env=environ, capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode in (0, 1), done.stderr
        assert told in done.stdout
