"""The board and one answer, by the verdicts of the Julia that was asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codejury.cli import run
from codejury.store.read import by_julia
from fakes import facts
from julia_verdicts import HERE, judged_by
from stored_trees import Tree


@pytest.fixture
def tree(tmp_path: Path, definitions: Path) -> Tree:
    return Tree(tmp_path / "results", definitions)


def board(tree: Tree, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    line = ["leaderboard", "--root", str(tree.root), "--definitions", str(tree.definitions), *arguments]
    code = run(line)
    out, err = capsys.readouterr()
    return out + err if code == 0 else f"exit code {code}: {err}"


def test_the_board_shows_one_julia_or_several_as_a_pivot_and_never_mixes_them(
    tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    tree.add("half")
    tree.add("right", "text/repeat")
    judged_by(tree, "1.12.1", lambda job: facts(job.test_case))
    assert "50.0" in board(tree, capsys)
    assert "100.0" in board(tree, capsys, "--julia", "1.12.1")
    pivot = board(tree, capsys, "--julia", HERE, "--julia", "1.12.1", "--format", "markdown")
    assert "| model | 1.10.0 | 1.12.1 |" in " ".join(pivot.splitlines()[0].split())
    assert "50.0 | 100.0" in " ".join(pivot.split())
    assert "Mixes versions of Julia" not in pivot
    crowded = board(tree, capsys, "--julia", "1.*", "--by", "model", "--by", "prompt")
    assert crowded.startswith("exit code 2")
    assert "leave one --by out" in crowded
    assert "no Julia fits '1.7'; known: 1.10.0, 1.12.1" in board(tree, capsys, "--julia", "1.7")


def test_a_verdict_beside_can_be_shown(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    sample = tree.add("half")
    judged_by(tree, "1.12.1", lambda job: facts(job.test_case))
    assert run(["show", str(by_julia(sample, "1.12.1").evaluation), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["evaluation"]["score"], bool(shown["conversation"])) == (100, True)
