"""Failures of whole folders: tables that add up, and the command that shows them."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import polars as pl
import pytest

from codejury.cli import run
from codejury.records import Block, BlockKind, Ending, Execution, Extraction, Job
from codejury.results.failures.evidence import Kind
from codejury.results.failures.table import classified, failure_table, spread_out, void_table
from codejury.results.index.load import load_evaluations
from codejury.store.samples import StoredSample
from fakes import facts
from stored_trees import Tree

ROOT = Path(__file__).parents[2]
PYTHON = "```python\ndef double(x):\n    return 2 * x\n```"


def failing(message: str) -> tuple[Block, ...]:
    """The main code alone, with an error."""
    main = Block(kind=BlockKind.MAIN, index=0, ending=Ending.ERRORED, error_type="Error", message=message)
    return (main,)


def nothing_found(job: Job) -> Execution:
    """A run that found no Julia code in the answer."""
    from codejury.records import Block, BlockKind, Ending

    main = Block(
        kind=BlockKind.MAIN, index=0, ending=Ending.ERRORED, error_type="ParseError", message="no code"
    )
    found = Extraction(rule="none", blocks_found=1, blocks_used=())
    return facts(job.test_case, parsed=False, executed=False, blocks=(main,), extraction=found)


def a_package_is_missing(job: Job) -> Execution:
    return facts(job.test_case, executed=False, missing_packages=("DataFrames",))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def tree(tmp_path: Path, definitions: Path) -> Tree:
    """Two models: one with a half and a right answer, one with an answer in Python, prose and a void one."""
    tree = Tree(tmp_path / "results", definitions)
    tree.add("half", model="good/model")
    tree.add("right", model="good/model")
    tree.add(PYTHON, model="bad:model[7b].x", script=nothing_found)
    tree.add("I cannot.", "text/repeat", model="bad:model[7b].x", script=nothing_found)
    tree.add("right", "text/repeat", model="bad:model[7b].x", script=a_package_is_missing)
    return tree


def frame_of(tree: Tree) -> pl.DataFrame:
    return load_evaluations(tree.root, cache=False)


def test_each_model_has_its_kinds_with_counts_and_shares(tree: Tree) -> None:
    table = failure_table(frame_of(tree), tree.root)
    assert table.select("model", "kind", "count", "share", "of_failures").rows() == [
        ("bad:model[7b].x", "no_code", 1, 0.5, 0.5),
        ("bad:model[7b].x", "other_language", 1, 0.5, 0.5),
        ("good/model", "wrong_result", 1, 0.5, 1.0),
    ]


def test_the_points_of_all_kinds_are_what_is_missing_to_a_hundred(tree: Tree) -> None:
    frame = frame_of(tree)
    table = failure_table(frame, tree.root)
    lost = table.group_by("model").agg(pl.col("points").sum()).sort("model")["points"].to_list()
    means = frame.group_by("model").agg(pl.col("score").mean()).sort("model")["score"].to_list()
    assert lost == pytest.approx([100 - mean for mean in means])


def test_the_example_is_a_file_below_the_root(tree: Tree) -> None:
    for example in failure_table(frame_of(tree), tree.root)["example"].to_list():
        assert (tree.root / example).is_file()


def test_it_can_be_grouped_by_something_else(tree: Tree) -> None:
    table = failure_table(frame_of(tree), tree.root, by=["test_case"])
    assert table.columns[0] == "test_case"
    assert table.filter(pl.col("test_case") == "repeat")["kind"].to_list() == ["no_code"]


def test_only_files_of_answers_that_lost_points_are_read(tree: Tree) -> None:
    frame = frame_of(tree)
    for file in frame.filter(pl.col("outcome") != "fail")["file"].to_list():
        (tree.root / file).write_text("not JSON")
    assert failure_table(frame, tree.root)["count"].sum() == 3


def test_where_files_are_gone_the_frame_alone_tells(tree: Tree) -> None:
    frame = frame_of(tree)
    kinds = classified(frame, tree.root / "nowhere")["kind"].to_list()
    assert sorted(kinds) == ["no_code", "no_code", "wrong_result"]


def test_void_answers_are_no_failures_and_named_apart(tree: Tree) -> None:
    voids = void_table(frame_of(tree))
    assert voids["model"].to_list() == ["bad:model[7b].x"]
    assert "DataFrames" in voids["void_reason"].item()


def test_the_predecessors_answers_are_read_beside_its_flags(tmp_path: Path, definitions: Path) -> None:
    tree = Tree(tmp_path / "published", definitions)
    tree.add_published(PYTHON)
    lonely = tree.add_published("```julia\ndouble(x) = x\n```", "text/repeat", parsed=True, executed=True)
    lonely.with_name(lonely.name.replace("evaluation", "conversation")).unlink()
    kinds = dict(classified(frame_of(tree), tree.root).select("test_case", "kind").rows())
    assert kinds == {"double": Kind.OTHER_LANGUAGE, "repeat": Kind.TESTS_UNKNOWN}


def test_a_frame_without_failures_gives_empty_tables(tree: Tree) -> None:
    passed = frame_of(tree).filter(pl.col("outcome") == "pass")
    table = failure_table(passed, tree.root)
    assert table.is_empty()
    assert table.columns[:2] == ["model", "kind"]
    assert void_table(passed).is_empty()


def test_spread_out_there_is_a_column_for_each_kind_with_zeros(tree: Tree) -> None:
    wide = spread_out(failure_table(frame_of(tree), tree.root))
    assert wide.columns[0] == "model"
    assert set(wide.columns[1:]) == {"another language", "no code", "wrong result"}
    assert wide.filter(pl.col("model") == "good/model")["no code"].item() == 0


# The command


def errors(tree: Tree, *options: str) -> int:
    return run(["errors", "--root", str(tree.root), *options])


def test_the_command_shows_kinds_shares_examples_and_voids(
    tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    assert errors(tree) == 0
    shown = capsys.readouterr().out
    assert "3 of the 4 judged answers lost points" in shown
    assert "bad:model[7b].x" in shown
    assert "The answer is written in Python" in shown
    assert "Void, and not counted here: 1 ×" in shown


def test_the_commands_it_names_open_the_answers(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    errors(tree, "--examples", "5")
    commands = re.findall(r"^  codejury (show .+)$", capsys.readouterr().out, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        assert run(shlex.split(command)) == 0


def test_without_examples_there_are_none(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    errors(tree, "--examples", "0")
    assert "codejury show" not in capsys.readouterr().out


def test_filters_narrow_it(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    assert errors(tree, "--model", "good/*", "--case", "double", "--prompt", "InJulia") == 0
    shown = capsys.readouterr().out
    assert "1 of the 2 judged answers lost points" in shown
    assert "bad:model" not in shown


def test_json_and_csv_have_a_row_for_each_model_and_kind(
    tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    assert errors(tree, "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["model"], row["kind"], row["share"]) for row in rows][-1] == (
        "good/model",
        "wrong_result",
        0.5,
    )
    assert errors(tree, "--format", "csv") == 0
    assert capsys.readouterr().out.startswith("model,kind,label,count,share,of_failures,points,example\n")


def test_markdown_is_a_table(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    assert errors(tree, "--format", "markdown") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| model | kind |")
    assert len(lines) == 2 + 3


def test_a_picture_is_drawn_by_the_same_command(tree: Tree, tmp_path: Path) -> None:
    assert errors(tree, "--plot", str(tmp_path / "failures.svg")) == 0
    assert "Where points are lost" in (tmp_path / "failures.svg").read_text(encoding="utf-8")


def test_when_nothing_was_lost_it_says_so(
    tmp_path: Path, definitions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = Tree(tmp_path / "perfect", definitions)
    tree.add("right")
    assert errors(tree) == 0
    assert "None of the 1 judged answers lost a point" in capsys.readouterr().out


def test_what_a_model_wrote_cannot_steer_the_terminal(
    tmp_path: Path, definitions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def steering(job: Job) -> Execution:
        from codejury.records import Block, BlockKind, Ending

        main = Block(
            kind=BlockKind.MAIN, index=0, ending=Ending.ERRORED, error_type="E", message="\x1b[2J\x07"
        )
        return facts(job.test_case, executed=False, blocks=(main,))

    tree = Tree(tmp_path / "hostile", definitions)
    sample: StoredSample = tree.add("wrong", script=steering)
    assert sample.has_evaluation
    errors(tree)
    assert not set(capsys.readouterr().out) & {"\x1b", "\x07"}


def test_a_folder_without_results_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["errors", "--root", str(tmp_path)]) == 2
    assert "no results" in capsys.readouterr().err


def test_the_code_of_the_docs_runs_as_it_stands(
    tmp_path: Path, definitions: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "results").mkdir()
    Tree(tmp_path / "results" / "demo", definitions).add("half")
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "failures.md").read_text(), re.DOTALL)
    exec(compile(code, "failures.md", "exec"), {})
    assert "wrong_result" in capsys.readouterr().out


def test_the_docs_name_every_kind_in_order_of_precedence() -> None:
    table = (ROOT / "docs" / "failures.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(Kind)
