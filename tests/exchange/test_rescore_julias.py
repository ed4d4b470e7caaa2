"""Stored answers on several Julias: verdicts kept by version, never mixed, every difference explained."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from another_julia import another_julia
from codejury.exchange.case_lookup import AnswerFilter
from codejury.exchange.julias import TOLD, Difference, JuliaSummary, compare_julias, difference_of
from codejury.judge.score import assess, void
from codejury.judge.toolchain.find import find_julia
from codejury.records import Block, BlockKind, Ending, Evaluation, Execution, Extraction, Job
from codejury.settings import load_settings
from codejury.store.read import by_julia
from codejury.store.scan import find_samples
from codejury.store.write import earlier_evaluations
from codejury.suite.load import load_definition
from codejury.suite.save import save_definition
from fakes import a_case, code_of, facts
from julia_verdicts import HERE, judged_by
from stored_trees import Tree, rewrite
from stored_trees import stored as file_of


@pytest.fixture
def tree(tmp_path: Path, definitions: Path) -> Tree:
    return Tree(tmp_path / "results", definitions)


def test_the_verdict_of_another_julia_is_kept_beside_the_present_one(tree: Tree) -> None:
    sample = tree.add("half")
    present = sample.evaluation.read_bytes()
    assert judged_by(tree, "1.12.1") == 1
    beside = sample.folder / f"julia-1.12.1__{sample.tail}"
    assert sample.evaluation.read_bytes() == present
    found = file_of(beside)
    assert (found["julia_version"], found["score"]) == ("1.12.1", 87.5)
    assert {key: found[key] for key in ("tokens", "cost", "timestamp")} == {
        key: json.loads(present)[key] for key in ("tokens", "cost", "timestamp")
    }
    assert judged_by(tree, "1.12.1") == 0, "it has judged everything"
    assert judged_by(tree, HERE) == 0, "the present verdict is its own"
    assert [each.tail for each in find_samples(tree.root)] == [sample.tail], "and it is one sample still"


def test_a_verdict_beside_is_superseded_under_its_own_name(tree: Tree) -> None:
    sample = tree.add("half")
    judged_by(tree, "1.12.1")
    path = tree.definitions / "maths/double/definition.toml"
    save_definition(replace(load_definition(path), unit_tests=("@test double(1) == 2",)), path)
    assert judged_by(tree, "1.12.1") == 1
    beside = by_julia(sample, "1.12.1")
    (earlier,) = earlier_evaluations(beside)
    assert earlier.name.startswith("superseded__julia-1.12.1__InJulia__1SHOT__")
    assert file_of(beside.evaluation)["unit_tests_count"] == 1
    assert earlier_evaluations(sample) == []


def test_prices_that_only_the_present_evaluation_knows_come_along(tree: Tree) -> None:
    path = tree.add_published("right", cost=0.5)
    judged_by(tree, "1.12.1")
    beside = path.with_name(path.name.replace("evaluation__", "julia-1.12.1__"))
    assert file_of(beside)["cost"] == 0.5
    assert "julia_version" not in file_of(path), "the predecessor's stays as it is"


def test_an_answer_without_any_verdict_gets_one_by_each_julia(tree: Tree) -> None:
    sample = tree.ask("right")
    judged_by(tree, "1.12.1")
    judged_by(tree, "1.9.4")
    assert not sample.evaluation.exists()
    assert sorted(path.name.partition("__")[0] for path in sample.folder.glob("julia-*")) == [
        "julia-1.12.1", "julia-1.9.4"
    ]  # fmt: skip


# Why verdicts differ


def stored(execution: Execution | None, reason: str = "") -> Evaluation:
    """The verdict on a run of `double`."""
    case = a_case()
    if reason or execution is None:
        return void(case, reason, execution=execution)
    return assess(execution, case)


def ending(ending: Ending, error_type: str = "") -> Any:
    """A run whose first unit test ended so, and whose others passed."""
    case = a_case()
    run = facts(case, tests=(1, 2, 3))
    block = Block(kind=BlockKind.UNIT_TEST, index=0, ending=ending, error_type=error_type)
    others = [b for b in run.blocks if (b.kind, b.index) != (block.kind, 0)]
    return stored(replace(run, blocks=(*others[:3], block, *others[3:])))


PASSED = facts(a_case())
NO_PACKAGE = Extraction(rule="all", blocks_found=1, blocks_used=(0,), dropped_imports=("CSV",))
DIFFERENCES = [
    (stored(facts(a_case(), parsed=False, executed=False)), Difference.SYNTAX),
    (ending(Ending.ERRORED, "UndefVarError"), Difference.UNDEFINED_NAME),
    (ending(Ending.ERRORED, "MethodError"), Difference.CHANGED_METHOD),
    (ending(Ending.ERRORED, "BoundsError"), Difference.OTHER_ERROR),
    (ending(Ending.FAILED), Difference.DIFFERENT_RESULT),
    (ending(Ending.TIMED_OUT), Difference.RESOURCES),
    (ending(Ending.OUT_OF_MEMORY), Difference.RESOURCES),
    (stored(replace(PASSED, missing_packages=("CSV",))), Difference.MISSING_PACKAGE),
    (stored(facts(a_case(), executed=False, extraction=NO_PACKAGE)), Difference.MISSING_PACKAGE),
    (stored(PASSED, "needs Julia 1.9, and this is 1.5.3"), Difference.NEEDS_NEWER_JULIA),
    (stored(None, "the sandbox failed"), Difference.NOT_JUDGED),
]


@pytest.mark.parametrize(("worse", "difference"), DIFFERENCES)
def test_a_difference_is_told_by_what_went_wrong_on_the_julia_that_finds_less(
    worse: Any, difference: Difference
) -> None:
    better = stored(PASSED)
    assert difference_of(worse, better) is difference_of(better, worse) is difference
    assert difference_of(worse, worse) is None


def test_a_failure_that_both_have_explains_nothing() -> None:
    both = Block(kind=BlockKind.UNIT_TEST, index=0, ending=Ending.ERRORED, error_type="UndefVarError")
    only = Block(kind=BlockKind.UNIT_TEST, index=1, ending=Ending.FAILED)
    passed = tuple(Block(kind=BlockKind.UNIT_TEST, index=n, ending=Ending.PASSED) for n in (1, 2, 3))
    worse = stored(replace(PASSED, blocks=(both, only, *passed[1:])))
    better = stored(replace(PASSED, blocks=(both, *passed)))
    assert difference_of(worse, better) is Difference.DIFFERENT_RESULT


def test_every_difference_can_be_told_and_is_in_the_docs() -> None:
    assert set(TOLD) == {*Difference}
    docs = (Path(__file__).parents[2] / "docs" / "stored-answers.md").read_text(encoding="utf-8")
    assert [each for each in TOLD if f"| `{each}` |" not in docs] == []


def test_differences_are_added_up_by_model_and_by_test_case(tree: Tree) -> None:
    def newer(job: Job) -> Execution:
        """`half` is right by then, and `right` is not; what is `odd` cannot be judged any more."""
        if "odd" in code_of(job):
            return facts(job.test_case, missing_packages=("CSV",))
        return facts(job.test_case, tests=None if "half" in code_of(job) else (0,))

    tree.add("right", model="a")
    tree.add("half", model="a")
    tree.add("half", "text/repeat", model="b")
    tree.add("right odd", "text/repeat", model="b")
    tree.ask("right", model="never/judged")
    judged_by(tree, "1.12.1", newer, wanted=AnswerFilter(models=("a", "b")))
    sums = JuliaSummary(versions=(HERE, "1.12.1"))
    for compared in compare_julias(tree.root, sums.versions):
        sums.add(compared)
    a, b = sums.models["a"], sums.models["b"]
    assert (a.answers, a.up["1.12.1"], a.down["1.12.1"]) == (2, 1, 1)
    assert (a.share_passed(HERE), a.share_passed("1.12.1")) == (50, 50)
    assert (b.answers, b.not_compared, b.share_passed(HERE), b.share_passed("1.12.1")) == (1, 1, 0, 100)
    assert (b.mean_score(HERE), b.mean_score("1.12.1")) == (87.5, 100)
    assert sums.cases["text/repeat"].up["1.12.1"] == 1
    assert sums.models["never/judged"].share_passed(HERE) is None
    assert sums.differences == {
        ("1.12.1", Difference.DIFFERENT_RESULT): 3,
        ("1.12.1", Difference.MISSING_PACKAGE): 1,
    }
    assert (sums.answers, sums.not_compared) == (5, 2)


def test_verdicts_by_different_definitions_are_not_blamed_on_julia(tree: Tree) -> None:
    sample = tree.add("half")
    judged_by(tree, "1.12.1", lambda job: facts(job.test_case))
    (compared,) = compare_julias(tree.root, (HERE, "1.12.1"))
    assert compared.differences
    rewrite(by_julia(sample, "1.12.1").evaluation, definition_hash="other")
    (compared,) = compare_julias(tree.root, (HERE, "1.12.1"))
    assert compared.differences == {}


# The command, with the real Julia in two versions


@pytest.fixture(scope="module")
def julias(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """The Julia at hand, and one that calls itself a later version."""
    here = find_julia(load_settings())
    assert here
    folder = tmp_path_factory.mktemp("julia")
    folder.chmod(0o755)
    launcher, _ = another_julia(folder)
    yield here.launcher, launcher
    shutil.rmtree(folder)  # an image of 200 megabytes, which would be kept with the logs of the tests


def rescored(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "codejury", "rescore", *map(str, arguments), "--workers", "1"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_the_command_judges_on_each_julia_and_says_which_verdicts_move_and_why(
    tree: Tree, julias: tuple[Path, Path]
) -> None:
    here, later = (find_julia(replace(load_settings(), julia=str(launcher))) for launcher in julias)
    assert here
    assert later
    newer = f'VERSION == v"{later.version}"'
    tree.ask("```julia\ndouble(x) = 2x\n```", model="steady")
    tree.ask(f"```julia\ndouble(x) = {newer} ? 2x : twice(x)\n```", model="modern")
    tree.ask(f'```julia\nrepeat(x) = {newer} ? x + "a" : 2x\n```', "text/repeat", model="old")
    tree.ask(f"```julia\nrepeat(x) = {newer} ? 2x : 3x\n```", "text/repeat", model="modern")
    named = ("--julia", julias[0], "--julia", julias[1])
    planned = rescored(tree.root, "--definitions", tree.definitions, *named, "--dry-run")
    assert (planned.returncode, planned.stdout.count("4 of 4 answers to judge")) == (0, 2)
    done = rescored(tree.root, "--definitions", tree.definitions, *named, "--json")
    assert done.returncode == 0, done.stderr
    *samples, sums = map(json.loads, done.stdout.splitlines())
    assert {(each["model"], each["task_id"]): each["differences"] for each in samples} == {
        ("steady", "maths/double"): {},
        ("modern", "maths/double"): {later.version: "undefined_name"},
        ("old", "text/repeat"): {later.version: "changed_method"},
        ("modern", "text/repeat"): {later.version: "different_result"},
    }
    verdicts = {each["model"]: each["verdicts"] for each in samples}
    assert [claim["julia_version"] for claim in verdicts["old"].values()] == [here.version, later.version]
    assert sums["versions"] == [here.version, later.version]
    assert sums["models"]["modern"]["versions"][later.version] == {
        "solved": 100, "score": 100, "up": 2, "down": 0
    }  # fmt: skip
    assert sums["test_cases"]["text/repeat"]["versions"][later.version]["down"] == 1
    told = rescored(tree.root, "--definitions", tree.definitions, *named)
    assert told.returncode == 0
    assert told.stderr.count("0 of 4 answers to judge") == 2
    assert f"Julia {later.version}: uses a name that is not defined there" in told.stdout
    assert f"--julia {here.version} --julia {later.version}" in told.stdout


def test_two_julias_of_one_version_are_refused(tree: Tree, tmp_path: Path) -> None:
    here = find_julia(load_settings())
    assert here
    same = tmp_path / "same-julia"
    same.write_text(f'#!/bin/sh\nexec {here.launcher} "$@"\n')
    same.chmod(0o755)
    done = rescored(tree.root, "--julia", here.launcher, "--julia", same)
    assert done.returncode == 2
    assert f"are both Julia {here.version}" in done.stderr
