"""Where the verdict of each Julia on an answer is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codejury.errors import InputError
from codejury.store.read import by_julia
from codejury.store.write import earlier_evaluations, write_evaluation
from fakes import a_judge, facts
from julia_verdicts import HERE, on
from stored_trees import Tree
from stored_trees import stored as file_of


@pytest.fixture
def tree(tmp_path: Path, definitions: Path) -> Tree:
    return Tree(tmp_path / "results", definitions)


def test_the_present_verdict_is_that_of_its_own_julia_and_others_have_a_file_beside_it(tree: Tree) -> None:
    sample = tree.add("half")
    assert by_julia(sample, HERE) == sample
    other = by_julia(sample, "1.12.1")
    assert other.evaluation == sample.folder / f"julia-1.12.1__{sample.tail}"
    assert (other.has_evaluation, other.outcome, other.conversation) == (False, "", sample.conversation)


def test_a_verdict_beside_is_found_again_and_superseded_under_its_own_name(tree: Tree) -> None:
    sample = tree.add("half")
    present = sample.evaluation.read_bytes()
    for script in (lambda job: facts(job.test_case), lambda job: facts(job.test_case, tests=())):
        with a_judge(on("1.12.1", script)) as judge:
            verdict = judge.evaluate("```julia\nx\n```", tree.lookup.find(sample.request))
        write_evaluation(by_julia(sample, "1.12.1"), verdict)
    other = by_julia(sample, "1.12.1")
    assert other.has_evaluation
    found = file_of(other.evaluation)
    assert (found["score"], found["cost"]) == (75, 0.25)
    (earlier,) = earlier_evaluations(other)
    assert (earlier.name, file_of(earlier)["score"]) == (
        f"superseded__julia-1.12.1__{sample.tail.removesuffix('.json')}.1.json",
        100,
    )
    assert found["supersedes"] == [earlier.name]
    assert (sample.evaluation.read_bytes(), earlier_evaluations(sample)) == (present, [])


def test_a_present_verdict_that_cannot_be_read_is_nobodys(tree: Tree) -> None:
    sample = tree.add("half")
    sample.evaluation.write_text("{")
    assert by_julia(sample, HERE).julia == HERE
    assert by_julia(replace(sample, has_evaluation=False), HERE).julia == HERE


@pytest.mark.parametrize("version", ["", "../x", "1.10/4", "latest"])
def test_what_is_no_version_cannot_become_a_file_name(version: str, tree: Tree) -> None:
    with pytest.raises(InputError, match="not a version of Julia"):
        by_julia(tree.add("right"), version)
