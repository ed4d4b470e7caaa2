"""A tree of stored answers becomes a frame: every evaluation one row, whoever wrote it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from codejury.errors import InputError
from codejury.records import RULES_VERSION, Execution, Job
from codejury.results.index import scan as contents
from codejury.results.index.load import load_evaluations, load_results
from codejury.results.index.rows import SCHEMA
from fakes import facts
from stored_trees import Tree, published, rewrite


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def tree(tmp_path: Path, definitions: Path) -> Tree:
    return Tree(tmp_path / "results", definitions)


RIGHT = "```julia\nright(x) = 2x\n```"


def only_row(tree: Tree) -> dict[str, Any]:
    return load_evaluations(tree.root).row(0, named=True)


def second_test_fails(job: Job) -> Execution:
    return facts(job.test_case, tests=(0, 2, 3), examples=(0, 1))


def test_an_evaluation_of_ours_becomes_a_row_with_all_its_facts(tree):
    request = {
        "parameters": {"temperature": 0.2},
        "experiment": "warm",
        "device": "bench",
        "prompt_hash": "ab",
    }
    sample = tree.add(RIGHT, **request)
    row = only_row(tree)
    assert list(row) == [*list(SCHEMA)[:27], "parameter.temperature", *list(SCHEMA)[27:]]
    expected = {
        "model": "openai/gpt-x", "provider": "openai", "test_case": "double", "category": "maths",
        "prompt": "InJulia", "strategy": "1SHOT", "experiment": "warm", "device": "bench",
        "timestamp": sample.timestamp, "sample": None, "round": 0, "outcome": "pass",
        "parsed": True, "executed": True,
        "unit_tests_count": 4, "unit_tests_passed": 4, "examples_count": 2, "examples_executed": 2,
        "score": 100.0, "strict": True, "prompt_tokens": 10, "completion_tokens": 20, "elapsed": 0.5,
        "cost": 0.25, "parameters": '{"temperature":0.2}', "parameter.temperature": 0.2,
        "rules_version": RULES_VERSION, "sandbox": "fake", "extraction": "all", "void_reason": None,
        "prompt_hash": "ab",
        "first_kind": None, "first_ending": None, "first_error_type": None, "first_message": None,
        "unit_test_endings": ["passed"] * 4, "file": sample.evaluation.relative_to(tree.root).as_posix(),
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected


def test_the_first_thing_that_went_wrong_is_told(tree):
    tree.add(RIGHT, script=second_test_fails)
    row = only_row(tree)
    assert (row["outcome"], row["strict"], row["score"]) == ("fail", False, 93.75)
    assert (row["first_kind"], row["first_ending"]) == ("unit_test", "failed")
    assert row["unit_test_endings"] == ["passed", "failed", "passed", "passed"]


def test_code_that_did_not_run_is_the_first_trouble_not_the_tests_after_it(tree):
    tree.add(RIGHT, script=lambda job: facts(job.test_case, executed=False))
    row = only_row(tree)
    assert (row["first_kind"], row["first_ending"]) == ("main", "errored")
    assert row["unit_test_endings"] == ["not_run"] * 4


def test_a_void_evaluation_has_neither_score_nor_strict(tree):
    tree.add("x", script=lambda job: facts(job.test_case, missing_packages=("DataFrames",)))
    row = only_row(tree)
    assert (row["outcome"], row["score"], row["strict"]) == ("void", None, None)
    assert "DataFrames" in row["void_reason"]


def test_an_evaluation_of_the_predecessor_gets_its_published_score(tree):
    counts = {"unit_tests_passed": 3, "examples_executed": 1}
    tree.add_published("x", parsed=True, executed=True, **counts, parameters={"options": {"num_gpu": 99}})
    row = only_row(tree)
    assert (row["score"], row["outcome"], row["strict"]) == (25 + 25 + 25 * 3 / 4 + 25 * 1 / 2, "fail", False)
    assert (row["category"], row["provider"], row["device"]) == ("maths", "ollama", "laptop")
    assert row["parameter.options.num_gpu"] == 99.0
    unknown = ("julia_version", "rules_version", "codejury_version", "sandbox", "extraction", "void_reason",
               "definition_hash", "prompt_hash", "first_kind", "unit_test_endings")  # fmt: skip
    assert {row[name] for name in unknown} == {None}


def test_all_unit_tests_of_the_predecessor_passed_is_strict(tree):
    tree.add_published("x", parsed=True, executed=True, unit_tests_passed=4)
    assert only_row(tree)["strict"] is True


def test_what_the_predecessor_did_not_know_is_null_also_after_a_new_verdict(tree):
    path = tree.add_published("x", cost=0, tokens=[0, -1])
    sample = tree.add("x", model="judged/again")
    old = ("cost", "tokens", "version_pt")
    rewrite(sample.evaluation, **{key: json.loads(path.read_text())[key] for key in old})
    frame = load_evaluations(tree.root)
    assert frame.select("cost", "prompt_tokens", "completion_tokens").rows() == [(None, None, None)] * 2


def test_nothing_spent_is_zero_in_our_own_files(tree):
    sample = tree.add("x", device="-")
    rewrite(sample.evaluation, cost=0.0, tokens=[0, None])
    row = only_row(tree)
    assert (row["cost"], row["prompt_tokens"], row["completion_tokens"]) == (0.0, 0, None)
    assert row["device"] == ""


def test_the_json_is_trusted_before_the_path(tree):
    path = tree.add_published("x", model="gpt-4--optim")
    plain = path.parent.with_name("gpt-4")
    path.parent.rename(plain)
    doubled = tree.root / "maths" / "double" / "double" / "gpt-4"
    doubled.mkdir(parents=True)
    (plain / path.name).rename(doubled / path.name)
    row = only_row(tree)
    assert (row["model"], row["test_case"], row["category"]) == ("gpt-4--optim", "double", "maths")
    assert row["file"] == f"maths/double/double/gpt-4/{path.name}"


@pytest.mark.parametrize("start", [".", "maths", "maths/double", "maths/double/gpt-4", ".."])
def test_any_folder_of_the_tree_can_be_the_root(tree, start):
    tree.add_published("x")
    row = load_evaluations(tree.root / start).row(0, named=True)
    assert (row["category"], row["test_case"], row["model"]) == ("maths", "double", "gpt-4")


@pytest.mark.parametrize(
    "model",
    [
        "a/b/c/d",
        "phind:34b v2",
        "evaluation__x.json",
        "conversation__x.json",
        "conversation__",
        "ünï-模型",
        "x" * 200,
        "a,b;c'd\"e",
    ],
)
def test_hostile_model_names_are_only_names(tree, model):
    tree.add("x", model=model)
    row = only_row(tree)
    assert row["model"] == model
    assert (tree.root / row["file"]).is_file()


@pytest.mark.parametrize(
    ("schema", "provider"),
    [
        ("PromptingTools.OllamaManagedSchema()", "ollama"),
        ("PromptingTools.MistralOpenAISchema()", "mistral"),
        ("PromptingTools.OpenAISchema()", "openai"),
        ("import", ""),
        ("local", "local"),
        ("", ""),
    ],
)
def test_a_model_without_a_slash_has_the_service_as_its_provider(tree, schema, provider):
    tree.add_published("x", schema=schema)
    assert only_row(tree)["provider"] == provider


def test_superseded_evaluations_and_hidden_folders_are_not_read(tree):
    path = tree.add_published("x")
    path.with_name(path.name.replace("evaluation__", "superseded__")).write_text(path.read_text())
    hidden = tree.root / ".old"
    hidden.mkdir()
    (hidden / path.name).write_text(path.read_text())
    assert load_results(tree.root).files == 1


def test_conversations_without_an_evaluation_are_counted_and_no_rows(tree):
    tree.ask("waits")
    tree.add("judged")
    results = load_results(tree.root)
    assert (len(results.frame), results.files, results.unjudged) == (1, 1, 1)


def test_parameters_become_columns_numbers_where_all_are(tree):
    tree.add("a", parameters={"temperature": 1, "stop": ["x"], "nested": {"top_k": 5}})
    tree.add("b", parameters={"temperature": 0.5, "stop": "end", "seed": None})
    tree.add("c")
    frame = load_evaluations(tree.root).sort("timestamp")
    assert frame["parameters"].to_list()[1:] == ['{"seed":null,"stop":"end","temperature":0.5}', "{}"]
    named = frame.select("^parameter\\..*$").to_dict(as_series=False)
    assert named == {
        "parameter.nested.top_k": [5.0, None, None],
        "parameter.seed": [None, None, None],
        "parameter.stop": ['["x"]', "end", None],
        "parameter.temperature": [1.0, 0.5, None],
    }


def test_max_history_keeps_the_last_of_each_device_case_model_prompt_and_strategy(tree):
    for second in range(4):
        tree.add_published("x", timestamp=f"20240101_00000{second}__1", experiment=f"{second % 2}")
        tree.add_published("x", timestamp=f"20240101_00000{second}__2", device="other")
        tree.add_published("x", timestamp=f"20240101_00000{second}__3", prompt_label="AsIs")
    frame = load_evaluations(tree.root, max_history=2)
    assert len(frame) == 6
    assert frame["timestamp"].str.slice(14, 1).unique().sort().to_list() == ["2", "3"]


@pytest.mark.parametrize("number", [0, -1])
def test_a_history_of_nothing_is_refused(tree, number):
    with pytest.raises(InputError, match="max_history"):
        load_evaluations(tree.root, max_history=number)


def test_an_empty_tree_is_an_empty_frame_with_all_columns(tree):
    results = load_results(tree.root)
    assert (dict(results.frame.schema), results.files, results.broken) == (SCHEMA, 0, ())


def test_a_root_that_is_not_there_is_said(tmp_path):
    with pytest.raises(InputError, match="not a folder"):
        load_evaluations(tmp_path / "nowhere")


BROKEN = {
    "empty": (b"", "empty"),
    "cut off": (b'{"name": "double", "par', "not valid JSON"),
    "not UTF-8": (b"\xff\xfe\x00", "not valid JSON"),
    "not an object": (b"[1, 2]", "object"),
    "too deep": (b"[" * 100_000, "not valid JSON"),
    "no model": ({"model": ...}, "model is missing"),
    "a text for a flag": ({"parsed": "yes"}, "parsed must be"),
    "a text for a number": ({"unit_tests_passed": "3"}, "unit_tests_passed must be"),
    "a fraction of a test": ({"unit_tests_passed": 1.5}, "unit_tests_passed must be"),
    "a negative count": ({"examples_count": -1}, "examples_count must be"),
    "more passed than listed": ({"unit_tests_passed": 9}, "more than"),
    "a number for a name": ({"name": 7}, "name must be"),
    "a list of parameters": ({"parameters": [1]}, "parameters must be"),
    "three tokens": ({"tokens": [1, 2, 3]}, "tokens must be"),
    "an infinite time": ({"elapsed_seconds": float("inf")}, "not valid JSON"),
    "a count beyond numbers": ({"unit_tests_count": 10**30}, "unit_tests_count must be"),
    "a newer format": ({"codejury_schema": 99}, "newer"),
    "half of our keys": ({"codejury_schema": 1, "score": 50.0, "outcome": "fail"}, "is missing"),
}


def spoilt(changes: dict[str, Any]) -> bytes:
    """An evaluation with other values; `...` leaves the key out."""
    values = published("double") | changes
    return json.dumps({key: value for key, value in values.items() if value is not ...}).encode()


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_is_named_with_the_reason_and_spoils_no_other(tree, kind):
    tree.add("good")
    good = load_evaluations(tree.root)
    spoil, reason = BROKEN[kind]
    path = tree.add_published("x", prompt_label="AsIs")
    path.write_bytes(spoil if isinstance(spoil, bytes) else spoilt(spoil))
    results = load_results(tree.root)
    assert results.files == 2
    assert results.frame.equals(good)
    assert [file.path for file in results.broken] == [path]
    assert reason in results.broken[0].reason
    assert str(path) not in results.broken[0].reason


@pytest.mark.parametrize(
    "changes",
    [
        {"score": None}, {"outcome": "void"}, {"outcome": "maybe"}, {"score": 101}, {"score": "100"},
        {"blocks": None}, {"blocks": [{"kind": "main"}]}, {"extraction": 5}, {"julia_version": None},
    ],
    ids=str,
)  # fmt: skip
def test_an_evaluation_of_ours_that_contradicts_itself_is_broken(tree, changes):
    sample = tree.add("x")
    rewrite(sample.evaluation, **changes)
    results = load_results(tree.root)
    assert (len(results.frame), len(results.broken)) == (0, 1)


def test_unusual_spelling_is_not_broken(tree):
    path = tree.add_published("x")
    text = json.dumps(published("double", model="half \ud800 pair"), indent=2)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\n\n")
    assert only_row(tree)["model"] == "half \ufffd pair"


def test_a_number_too_large_for_a_float_is_broken_not_infinite(tree):
    path = tree.add_published("x", elapsed_seconds=1.75)
    path.write_text(path.read_text().replace("1.75", "1e999"))
    results = load_results(tree.root)
    assert len(results.frame) == 0
    assert "elapsed_seconds" in results.broken[0].reason


def test_what_cannot_be_read_or_is_no_file_is_reported(tree):
    place = tree.add_published("x").parent
    os.mkfifo(place / "evaluation__pipe.json")
    (place / "evaluation__link.json").symlink_to(place / "nowhere")
    Path(os.fsdecode(bytes(place) + b"/evaluation__\xff.json")).write_text("{}")
    results = load_results(tree.root)
    assert (len(results.frame), results.files) == (1, 4)
    reasons = [str(file).removeprefix(str(place)) for file in results.broken]
    assert [reason.partition(";")[0] for reason in reasons] == [
        "/evaluation__link.json: is not a file, or a link that leads nowhere",
        "/evaluation__pipe.json: is not a file, or a link that leads nowhere",
        "/evaluation__\ufffd.json: its path is not valid UTF-8",
    ]


def test_a_link_to_an_evaluation_is_followed_and_one_to_a_folder_is_not(tree, tmp_path):
    path = tree.add_published("x")
    kept = tmp_path / "kept.json"
    path.rename(kept)
    path.symlink_to(kept)
    (tree.root / "circle").symlink_to(tree.root)
    assert load_evaluations(tree.root)["file"].to_list() == [path.relative_to(tree.root).as_posix()]


@pytest.fixture
def many(tree: Tree) -> list[str]:
    """Enough files for several batches, in two folders; every hundredth is empty."""
    text = tree.add_published("x", timestamp="20240101_120000__000").read_text()
    for number in range(2500):
        place = tree.root / "maths" / f"m{number % 2}"
        place.mkdir(exist_ok=True)
        (place / f"evaluation__{number:04d}.json").write_text(
            "" if number % 100 == 7 else text.replace("20240101_120000__000", f"20240101_120000__{number:04}")
        )
    return sorted(path.relative_to(tree.root).as_posix() for path in tree.root.rglob("evaluation__*"))


def test_many_files_are_read_in_order_across_batches(tree, many):
    results = load_results(tree.root)
    assert (len(results.frame), len(results.broken), results.files) == (2476, 25, 2501)
    assert results.frame["file"].is_sorted()


def test_threads_that_read_ahead_bring_the_same_bytes_in_order(tree, many):
    batches = [many[start : start + 100] for start in range(0, len(many), 100)]
    ahead = list(contents.read_ahead(str(tree.root), batches))
    alone = list(contents.contents_of(str(tree.root), many))
    assert [batch for batch, _ in ahead] == batches
    assert [one for _, found in ahead for one in found] == [one for _, found in alone for one in found]
    assert [data for _, found in ahead for _, data in found] == [(tree.root / f).read_bytes() for f in many]


def test_what_is_not_there_any_more_has_no_bytes(tree, many):
    (tree.root / many[0]).unlink()
    gone = [many[0], "nowhere/evaluation__x.json", many[1]]
    ((_, found),) = contents.contents_of(str(tree.root), gone)
    assert [bool(data) for _, data in found] == [False, False, True]


def test_a_frame_can_be_grouped_at_once(tree):
    tree.add(RIGHT)
    tree.add(RIGHT, script=second_test_fails)
    means = load_evaluations(tree.root).group_by("model").agg(pl.col("score").mean())
    assert means.rows() == [("openai/gpt-x", 96.875)]


def test_the_code_of_the_document_runs(tree, tmp_path, monkeypatch, capsys):
    tree.add(RIGHT)
    tree.add_published("x").with_name("evaluation__broken.json").touch()
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "analysis.md").read_text(encoding="utf-8")
    loading = page.partition("## Loading")[2].partition("\n## ")[0]
    for code in re.findall(r"```python\n(.*?)```", loading, re.DOTALL):
        exec(compile(code, "docs/analysis.md", "exec"), {})
    said = capsys.readouterr().out
    assert "openai/gpt-x" in said
    assert "3 evaluations, 1 broken, 0 answers" in said
    assert "evaluation__broken.json is empty" in said


def test_the_document_names_every_column():
    page = (Path(__file__).parents[2] / "docs" / "analysis.md").read_text(encoding="utf-8")
    assert [name for name in SCHEMA if f"`{name}`" not in page] == []
