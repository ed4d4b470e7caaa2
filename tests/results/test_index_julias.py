"""Verdicts of several Julias in one tree: tables have the present ones, unless they ask for the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codejury.exchange.rescore import RescoreSelection, rescore
from codejury.records import Execution, Job
from codejury.results.index.load import load_results
from fakes import facts
from julia_verdicts import HERE, judged_by
from stored_trees import Tree, judging, rewrite


@pytest.fixture
def tree(tmp_path: Path, definitions: Path) -> Tree:
    return Tree(tmp_path / "results", definitions)


def rows(tree: Tree, **options: Any) -> list[tuple[str | None, float | None]]:
    results = load_results(tree.root, cache=False, **options)
    assert results.copies == 0
    return sorted(results.frame.select("julia_version", "score").rows())


def test_tables_hold_the_present_verdicts_unless_asked_for_others(tree: Tree) -> None:
    tree.add("half")
    judged_by(tree, "1.12.1", lambda job: facts(job.test_case))
    assert rows(tree) == [(HERE, 87.5)]
    assert rows(tree, every_julia=True) == [(HERE, 87.5), ("1.12.1", 100)]
    assert rows(tree, every_julia=True, max_history=1) == [(HERE, 87.5), ("1.12.1", 100)]
    assert load_results(tree.root, cache=False).files == 1


def test_the_index_knows_both_kinds_and_still_keeps_them_apart(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CODEJURY_CACHE", str(tmp_path / "cache"))
    sample = tree.add("half")
    assert len(load_results(tree.root).frame) == 1
    judged_by(tree, "1.12.1")
    broken = sample.folder / f"julia-1.9.4__{sample.tail}"
    broken.write_text("{")
    for _ in range(2):
        present, every = load_results(tree.root), load_results(tree.root, every_julia=True)
        assert (len(present.frame), present.files, present.broken) == (1, 1, ())
        assert (len(every.frame), [each.path for each in every.broken]) == (2, [broken])
        assert every.unjudged == present.unjudged == 0


def test_a_void_verdict_counts_for_the_julia_that_its_file_names(tree: Tree) -> None:
    tree.add("right")

    def fails(_job: Job) -> Execution:
        from codejury.errors import SandboxError

        raise SandboxError("out of order")

    selection = RescoreSelection(julia_version="1.12.1", beside=True)
    with judging(fails) as judge:
        list(rescore(tree.root, tree.lookup, selection, judge))
    assert rows(tree, every_julia=True) == [(HERE, 100), ("1.12.1", None)]


def test_the_present_verdict_stands_where_its_julia_has_another_one_beside_it(tree: Tree) -> None:
    sample = tree.add("half")
    beside = sample.folder / f"julia-{HERE}__{sample.tail}"
    beside.write_bytes(sample.evaluation.read_bytes())
    rewrite(beside, score=10.0)
    results = load_results(tree.root, cache=False, every_julia=True)
    assert (results.frame["score"].to_list(), results.copies) == ([87.5], 1)
