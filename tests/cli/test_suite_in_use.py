"""Which suite is meant where none is named, and that commands say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from codejury.cli import run
from codejury.suite.suite import bundled_suite, suite_in_use
from definition_samples import write
from fakes import in_folders
from stored_trees import Tree


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_without_a_suite_here_it_is_the_one_that_comes_with_codejury(tmp_path: Path) -> None:
    assert suite_in_use() == bundled_suite()
    (tmp_path / "code_generation/text/results_only").mkdir(parents=True)
    assert suite_in_use() == bundled_suite()


def test_code_generation_in_this_folder_is_the_suite(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["new", "text_processing/tidy!"]) == 0
    write(tmp_path / "code_generation")
    capsys.readouterr()
    assert run(["validate", "--no-run"]) == 1
    told = capsys.readouterr()
    assert told.err == "Suite: code_generation\n"
    assert "2 definitions: 1 valid, 1 not valid" in told.out


def test_the_folder_that_codejury_toml_names_comes_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "code_generation")
    write(tmp_path / "mine", contributor="eve")
    Path("codejury.toml").write_text('[run]\ndefinitions = "mine"\n')
    assert run(["suite"]) == 0
    told = capsys.readouterr()
    assert told.err == "Suite: mine\n"
    assert "1 test case in 1 category" in told.out


@pytest.mark.parametrize(
    "command",
    [
        ["validate", "--no-run"],
        ["suite"],
        ["run", "--model", "baseline/stub", "--prompt", "AsIs", "--dry-run"],
    ],
)
def test_every_command_says_which_suite_it_uses(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(command)
    assert capsys.readouterr().err.splitlines()[0] == "Suite: the one that comes with Codejury"
    write(tmp_path / "code_generation")
    run(command)
    assert capsys.readouterr().err.splitlines()[0] == "Suite: code_generation"


@pytest.mark.parametrize(
    "command",
    [
        ["leaderboard", "--root", "results"],
        ["leaderboard", "--root", "results", "--format", "json"],
        ["errors", "--root", "results"],
        ["compare", "m/a", "m/b", "--root", "results"],
        ["power", "--root", "results"],
        ["site", "build", "--root", "results"],
        ["show", "EVALUATION"],
    ],
)
def test_commands_about_stored_results_say_which_suite_they_use(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = Tree(tmp_path / "results", in_folders(tmp_path / "code_generation", "maths/double"))
    for model in ("m/a", "m/b"):
        stored = tree.add("```julia\ndouble(x) = 2x\n```", model=model).evaluation
    words = [str(stored) if word == "EVALUATION" else word for word in command]
    run(words)
    told = capsys.readouterr()
    assert "Suite: code_generation" in told.err.splitlines()
    assert "Suite:" not in told.out
    run([*words, "--definitions", "code_generation"])
    assert "Suite:" not in capsys.readouterr().err
