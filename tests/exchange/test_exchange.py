"""Answers come in once and whole, go out as they are, and come back the same."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codejury.cli import run
from codejury.errors import InputError, SandboxError
from codejury.exchange.bulk.plan import prepare
from codejury.exchange.bulk.run import run as judge_in_bulk
from codejury.exchange.case_lookup import AnswerFilter
from codejury.exchange.export import ExportForm, Selection, export_lines, write_lines
from codejury.exchange.import_answers import Imported, prepare_import, run_import
from codejury.exchange.import_lines import OPTIONAL, Labels
from codejury.records import Execution, Job
from codejury.store.read import read_conversation, read_evaluation
from codejury.store.scan import find_samples
from fakes import a_judge, honest, in_folders
from stored_trees import Script, Tree, judging, published_conversation

Capture = pytest.CaptureFixture[str]


class Desk:
    """A file to import, and where it goes."""

    def __init__(self, folder: Path, definitions: Path) -> None:
        self.answers = folder / "answers.jsonl"
        self.save_dir = folder / "results"
        self.definitions = definitions
        self.labels = Labels(model="my/model")
        self.judged = 0

    def write(self, *lines: Any) -> None:
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        self.answers.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")

    def load(self, script: Script = honest, *, workers: int = 1) -> list[Imported]:
        plan = prepare_import(self.answers, self.definitions, self.save_dir, self.labels)
        with judging(script, workers=workers) as judge:
            return list(run_import(plan, judge))

    def statuses(self, **options: Any) -> list[str]:
        return [imported.status.value for imported in self.load(**options)]

    @property
    def answers_stored(self) -> list[str]:
        return [read_conversation(sample.conversation).answer for sample in find_samples(self.save_dir)]

    def files(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self.save_dir.rglob("*") if path.is_file()}


@pytest.fixture
def desk(tmp_path: Path, definitions: Path) -> Desk:
    return Desk(tmp_path, definitions)


@pytest.fixture
def tree(tmp_path: Path, definitions: Path) -> Tree:
    return Tree(tmp_path / "tree", definitions)


def line(completion: str, task_id: str = "double", **more: Any) -> dict[str, Any]:
    return {"task_id": task_id, "completion": completion, **more}


# Import


def test_a_line_becomes_a_conversation_and_its_evaluation(desk: Desk) -> None:
    desk.write(
        line(
            "half", "maths/double", prompt="Write it.", prompt_tokens=3, completion_tokens=5, cost=0.5,
            elapsed_seconds=2, finish_reason="stop", seed=7, parameters={"temperature": 0.2}, unknown=[1],
        )
    )  # fmt: skip
    desk.labels = Labels(
        model="my/model", prompt_label="Mine", prompt_strategy="1SHOT", experiment="e", device="laptop"
    )
    (imported,) = desk.load()
    sample = imported.sample
    assert sample.folder == desk.save_dir / "maths/double/my/model"
    conversation = read_conversation(sample.conversation)
    assert [(message.role, message.content) for message in conversation.messages] == [
        ("user", "Write it."), ("assistant", "half")
    ]  # fmt: skip
    stored = json.loads(sample.evaluation.read_bytes())
    wanted: dict[str, Any] = {
        "score": 87.5, "tokens": [3, 5], "cost": 0.5, "elapsed_seconds": 2.0, "finish_reason": "stop",
        "seed": 7, "sample": 0, "parameters": {"temperature": 0.2}, "experiment": "e", "device": "laptop",
        "prompt_label": "Mine", "schema": "import", "category": "maths", "version_pt": "",
    }  # fmt: skip
    assert {key: stored[key] for key in wanted} == wanted


def test_what_is_not_known_is_not_invented(desk: Desk) -> None:
    desk.write(line("right"))
    (imported,) = desk.load()
    stored = read_evaluation(imported.sample.evaluation)
    assert stored.request.prompt_label == "Imported"
    answer = stored.completion
    assert (answer.prompt_tokens, answer.completion_tokens, answer.cost) == (None, None, None)
    assert len(read_conversation(imported.sample.conversation).messages) == 1


def test_what_is_said_for_all_lines_goes_before_what_a_line_says(desk: Desk) -> None:
    desk.write(line("right", model="theirs", prompt_label="Theirs"))
    desk.labels = Labels()
    (imported,) = desk.load()
    assert (imported.sample.request.model, imported.sample.request.prompt_label) == ("theirs", "Theirs")
    desk.labels = Labels(model="mine", prompt_label="Mine")
    (imported,) = desk.load()
    assert (imported.sample.request.model, imported.sample.request.prompt_label) == ("mine", "Mine")


def test_a_whole_conversation_can_be_given(desk: Desk) -> None:
    sent = [("system", "s"), ("user", "u"), ("assistant", "a"), ("user", "again")]
    desk.write(line("right", messages=[{"role": role, "content": text} for role, text in sent]))
    (imported,) = desk.load()
    conversation = read_conversation(imported.sample.conversation)
    assert [(each.role, each.content) for each in conversation.messages] == [*sent, ("assistant", "right")]


@pytest.mark.parametrize("code", ["right()", '"""\n```julia\nright()\n```\n"""\nf() = 1', "right() # `````"])
def test_bare_code_gets_a_fence_and_is_judged_as_it_is(desk: Desk, code: str) -> None:
    seen: list[str] = []

    def note(job: Job) -> Execution:
        seen.extend(snippet.code for snippet in job.snippets)
        return honest(job)

    desk.write({"task_id": "double", "solution": code, "completion": "prose"})
    desk.load(note)
    assert seen == [f"{code}\n"]


def test_an_answer_with_half_a_surrogate_pair_is_imported_once(desk: Desk) -> None:
    desk.write('{"task_id": "double", "completion": "right \\ud83d", "parameters": {"x": 1e999}}')
    assert desk.statuses() == ["added"]
    assert desk.statuses() == ["known"]


# Once and only once


def test_importing_the_same_file_twice_adds_nothing(desk: Desk) -> None:
    desk.write(line("right"), line("half"), line("right", "text/repeat"))
    assert desk.statuses() == ["added"] * 3
    before = desk.files()
    assert desk.statuses() == ["known"] * 3
    assert desk.files() == before


def test_equal_lines_are_samples_of_their_own(desk: Desk) -> None:
    desk.write(line("right"), line("right"))
    first, second = desk.load()
    assert [first.sample.request.sample, second.sample.request.sample] == [0, 1]
    assert desk.statuses() == ["known", "known"]
    desk.write(line("right"), line("right"), line("right"))
    assert sorted(desk.statuses()) == ["added", "known", "known"]
    assert len(desk.answers_stored) == 3


def test_a_number_tells_equal_answers_of_two_files_apart(desk: Desk) -> None:
    desk.write(line("right", sample=0))
    desk.load()
    desk.write(line("right", sample=1))
    assert desk.statuses() == ["added"]
    assert desk.statuses() == ["known"]
    desk.write(line("half"))
    (imported,) = desk.load()
    assert imported.sample.request.sample == 2


@pytest.mark.parametrize(
    "other",
    [{"cost": 1.5}, {"seed": 1}, {"parameters": {"temperature": 1}}, {"prompt": "p"}, {"experiment": "x"}],
)
def test_another_request_or_measurement_is_another_answer(desk: Desk, other: dict[str, Any]) -> None:
    desk.write(line("right"))
    desk.load()
    desk.write(line("right", **other))
    assert desk.statuses() == ["added"]


def test_the_same_answer_of_another_model_is_another_answer(desk: Desk) -> None:
    desk.write(line("right"))
    desk.load()
    desk.labels = Labels(model="my")
    assert desk.statuses() == ["added"]
    assert desk.statuses() == ["known"]


def test_an_import_keeps_the_moment_when_an_answer_was_made(desk: Desk) -> None:
    line = {"task_id": "double", "model": "m", "timestamp": "20240201_195629__158"}
    desk.write(line | {"completion": "one"}, line | {"completion": "another, at the same moment"})
    desk.load()
    names = sorted(path.name for path in desk.save_dir.rglob("conversation__*"))
    assert [name[-25:] for name in names] == ["20240201_195629__158.json", "20240201_195629__159.json"]
    assert [sample.timestamp for sample in find_samples(desk.save_dir)] == [name[-25:-5] for name in names]
    assert desk.statuses() == ["known", "known"]


def test_a_moment_that_no_file_could_be_named_after_is_refused(desk: Desk) -> None:
    desk.write({"task_id": "double", "model": "m", "timestamp": "../../etc", "completion": "x"})
    with pytest.raises(InputError, match="`timestamp` is not such as 20240201_195629__158"):
        desk.load()


def test_an_import_that_was_stopped_goes_on(desk: Desk) -> None:
    desk.write(*(line(f"right {number}") for number in range(10)))
    plan = prepare_import(desk.answers, desk.definitions, desk.save_dir, desk.labels)
    with judging() as judge:
        running = run_import(plan, judge)
        for _ in range(4):
            next(running)
        running.close()
    unjudged = [sample for sample in find_samples(desk.save_dir) if not sample.has_evaluation]
    statuses = desk.statuses()
    assert statuses.count("known") == 4
    assert statuses.count("judged") == len(unjudged)
    assert sorted(desk.answers_stored) == sorted(f"right {number}" for number in range(10))
    assert desk.statuses() == ["known"] * 10


def test_a_broken_conversation_in_the_folder_is_nobodys_answer(desk: Desk) -> None:
    desk.write(line("right"))
    (imported,) = desk.load()
    imported.sample.conversation.write_text("[")
    assert desk.statuses() == ["added"]


def test_an_answer_of_the_predecessor_is_recognised_in_its_own_folder(tree: Tree, desk: Desk) -> None:
    tree.add_published("right")
    desk.save_dir, desk.labels = tree.root, Labels()
    desk.answers.write_text("".join(f"{each.line}\n" for each in export_lines(tree.root, Selection())))
    assert desk.statuses() == ["known"]


# Nothing before all is checked


def test_every_bad_line_is_told_of_with_its_number_and_nothing_is_written(desk: Desk) -> None:
    bad: list[Any] = [
        "{",
        "[]",
        {"completion": "x"},
        {"task_id": "double"},
        line("x", "unknown"),
        line("x", cost=-1),
        line("x", cost=float("nan")),
        line("x", prompt_tokens="3", seed=1.5),
        line("x", messages=[{"role": "robot", "content": ""}]),
        line("x", messages=[{"role": "assistant", "content": "x"}]),
        line("x", prompt="p", messages=[]),
        line("x", parameters=[]),
        line("x", prompt_label="a__b"),
        line("x", sample=-1),
    ]
    desk.write(line("right"), *bad, line("right"))
    with pytest.raises(InputError) as caught:
        desk.load()
    told = str(caught.value).splitlines()
    nothing = "cannot be imported, so nothing was; --skip-bad goes on without"
    assert told[0] == f"{desk.answers}: {len(bad)} lines {nothing}"
    assert [text.split(":")[0].strip() for text in told[1:]] == [f"line {n}" for n in range(2, len(bad) + 2)]
    assert "`seed` is not a whole number; `prompt_tokens` is not a whole number from 0" in str(caught.value)
    assert not desk.save_dir.exists()


@pytest.mark.parametrize("model", ["../up", "a//b", ".hidden", "a\nb"])
def test_a_model_that_could_lead_elsewhere_is_refused(desk: Desk, model: str) -> None:
    desk.write(line("right"))
    desk.labels = Labels(model=model)
    with pytest.raises(InputError, match="cannot name a folder"):
        desk.load()


def test_without_a_model_each_line_must_name_one(desk: Desk) -> None:
    desk.write(line("right", model="m"), line("right"))
    desk.labels = Labels()
    with pytest.raises(InputError, match="line 2: `model` is missing"):
        desk.load()


def test_a_void_verdict_is_stored_and_the_answer_kept(desk: Desk) -> None:
    def broken(_job: Job) -> Execution:
        raise SandboxError("out of order")

    desk.write(line("right"))
    (imported,) = desk.load(broken)
    assert read_evaluation(imported.sample.evaluation).evaluation.outcome == "void"
    assert desk.statuses() == ["known"], "rescore judges what is void"


# Export


def exported(tree: Tree, **selection: Any) -> list[dict[str, Any]]:
    return [json.loads(each.line) for each in export_lines(tree.root, Selection(**selection)) if each.line]


def test_a_line_has_the_answer_the_request_and_the_verdict(tree: Tree) -> None:
    sample = tree.add("half", parameters={"temperature": 0.2}, sample=3, seed=7)
    (row,) = exported(tree)
    assert (row["task_id"], row["completion"]) == ("maths/double", "half")
    assert [each["role"] for each in row["messages"]] == ["system", "user"]
    assert (row["model"], row["sample"], row["seed"]) == ("openai/gpt-x", 3, 7)
    assert (row["score"], row["outcome"], row["passed"]) == (87.5, "fail", False)
    assert (row["timestamp"], row["cost"]) == (sample.timestamp, 0.25)


def test_an_answer_without_a_verdict_is_exported_without_one(tree: Tree) -> None:
    tree.ask("right")
    (row,) = exported(tree)
    assert "score" not in row
    assert exported(tree, min_score=0) == exported(tree, passed=True) == []


def test_the_predecessors_answers_are_exported_with_the_score_they_stand_for(tree: Tree) -> None:
    tree.add_published("right", parsed=True)
    (row,) = exported(tree)
    assert (row["score"], row["prompt_tokens"], row["completion_tokens"]) == (25, 68, None)


def test_chats_are_whole_conversations_and_nothing_else(tree: Tree) -> None:
    tree.add("right")
    (row,) = exported(tree, form=ExportForm.OPENAI_CHAT)
    assert row == {
        "messages": [
            {"role": "system", "content": "You are terse."},
            {"role": "user", "content": "Write `double`."},
            {"role": "assistant", "content": "right"},
        ]
    }


@pytest.mark.parametrize(
    ("selection", "answers"),
    [
        ({"min_score": 87.5}, ["right", "half"]),
        ({"min_score": 87.6}, ["right"]),
        ({"passed": True}, ["right"]),
        ({"wanted": AnswerFilter(models=("gpt-4",))}, ["old"]),
        ({"wanted": AnswerFilter(cases=("text/*",))}, ["half"]),
    ],
)
def test_filters_choose_by_score_model_and_test_case(
    tree: Tree, selection: dict[str, Any], answers: list[str]
) -> None:
    tree.add("right")
    tree.add("half", "text/repeat")
    tree.add("wrong")
    tree.add_published("old", parsed=True)
    found = [row["completion"] for row in exported(tree, **selection)]
    assert sorted(found) == sorted(answers)


def test_the_order_is_that_of_the_files_each_time(tree: Tree) -> None:
    for number in range(6):
        tree.add(f"right {number}", "text/repeat" if number % 2 else "maths/double")
    assert [row["completion"][-1] for row in exported(tree)] == ["0", "2", "4", "1", "3", "5"]


def test_what_cannot_be_read_is_told_of_and_the_rest_is_exported(tree: Tree) -> None:
    broken, alone, _ = tree.add("right"), tree.add("right"), tree.add("right")
    broken.conversation.write_text("[")
    alone.conversation.unlink()
    results = list(export_lines(tree.root, Selection()))
    assert [bool(each.line) for each in results] == [False, False, True]
    assert str(broken.conversation) in results[0].problem
    assert "no conversation" in results[1].problem


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "new/out.jsonl"

    def failing() -> Any:
        yield "one"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_lines(target, failing())
    assert list(target.parent.iterdir()) == []
    assert write_lines(target, ["one", "two"]) == 2
    assert target.read_text() == "one\ntwo\n"


EXPORT_MEASURED = """
import sys, tracemalloc
from pathlib import Path
from codejury.exchange.export import Selection, export_lines, write_lines

def export():
    lines = export_lines(Path(sys.argv[1]), Selection())
    return write_lines(Path(sys.argv[2]), (each.line for each in lines))

export()  # what is imported and remembered at the first use is not counted
tracemalloc.start()
print(export(), tracemalloc.get_traced_memory()[1])
"""
"""In a process of its own: what other tests left running would be counted too."""


def test_export_holds_no_more_than_one_answer(tree: Tree, tmp_path: Path) -> None:
    long, count = 300_000, 60
    folder = tree.root / "maths/double/gpt-4"
    folder.mkdir(parents=True)
    for number in range(count):
        name = f"conversation__InJulia__1SHOT__20230101_000000__{number:03d}.json"
        (folder / name).write_text(json.dumps(published_conversation("." * long)))
    written, most = map(int, subprocess.check_output(
        [sys.executable, "-c", EXPORT_MEASURED, tree.root, tmp_path / "x"], text=True, timeout=60
    ).split())  # fmt: skip
    assert written == count
    assert most < long * count / 4


# There and back


def test_an_export_is_judged_in_bulk_to_the_same_verdicts(tree: Tree, tmp_path: Path) -> None:
    for answer, case in (("right", "maths/double"), ("half", "text/repeat"), ("wrong", "maths/double")):
        tree.add(answer, case)
    tree.ask("right")
    answers, out = tmp_path / "answers.jsonl", tmp_path / "out.jsonl"
    write_lines(answers, (each.line for each in export_lines(tree.root, Selection())))
    with a_judge() as judge:
        judge_in_bulk(prepare(answers, tree.definitions, out), judge)
    claimed = [json.loads(text) for text in answers.read_text().splitlines()]
    found = [json.loads(text) for text in out.read_text().splitlines()]
    for before, after in zip(claimed, found, strict=True):
        verdict = (
            "parsed",
            "executed",
            "unit_tests_passed",
            "examples_executed",
            "score",
            "outcome",
            "passed",
        )
        assert [before.get(key, after[key]) for key in verdict] == [after[key] for key in verdict]
        assert after["completion"] == before["completion"]


def test_an_export_imported_elsewhere_is_the_same_answers(tree: Tree, desk: Desk) -> None:
    tree.add("right", parameters={"temperature": 0.2}, experiment="e", seed=3, sample=1, device="laptop")
    tree.add("half", "text/repeat", model="other", prompt_label="AsIs")
    tree.add_published("wrong", prompt_strategy="1CODEFIXER__Tiny")
    write_lines(desk.answers, (each.line for each in export_lines(tree.root, Selection())))
    desk.labels = Labels()
    assert desk.statuses(workers=2) == ["added"] * 3
    assert desk.statuses() == ["known"] * 3
    copy = Tree(desk.save_dir.with_name("x"), desk.definitions)
    copy.root = desk.save_dir

    def facts_of(where: Tree) -> list[dict[str, Any]]:
        ignored = ("sample", "julia_version", "definition_hash", "rules_version")
        return [{key: row[key] for key in row if key not in ignored} for row in exported(where)]

    assert facts_of(copy) == facts_of(tree)


# The commands and the docs


def test_the_docs_name_every_field_of_a_line(tree: Tree) -> None:
    docs = (Path(__file__).parents[2] / "docs" / "stored-answers.md").read_text(encoding="utf-8")
    tree.add("right")
    (row,) = exported(tree)
    assert [name for name in (*OPTIONAL, *row) if f"`{name}`" not in docs] == []


def test_bad_lines_can_be_skipped(desk: Desk) -> None:
    desk.write("nonsense", line("right"), line("right", sample=-1))
    plan = prepare_import(desk.answers, desk.definitions, desk.save_dir, desk.labels, skip_bad=True)
    assert (plan.total, sorted(plan.lines.bad)) == (1, [1, 3])
    with judging(honest) as judge:
        assert [imported.number for imported in run_import(plan, judge)] == [2]


def test_the_commands_go_there_and_back(tmp_path: Path, capsys: Capture) -> None:
    definitions = in_folders(tmp_path / "cases", "maths/double")
    answers, results = tmp_path / "answers.jsonl", tmp_path / "results"
    good, bad = "```julia\ndouble(x) = 2x\n```", "```julia\ndouble(x) = 3x\n```"
    answers.write_text("".join(json.dumps(line(text)) + "\n" for text in (good, bad)))
    command = ["import", str(answers), "--model", "m", "--save-dir", str(results)]
    command += ["--definitions", str(definitions), "--workers", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "codejury", *command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert f"2 answers added to {results}, 0 were there already." in done.stdout
    assert re.search(r"^pass rate +50.0 %\nmean score +87.5$", done.stdout, re.MULTILINE)
    assert run(command) == 0
    assert "0 answers added to" in capsys.readouterr().out
    assert run(["export", str(results), "--passed", "--format", "openai-chat"]) == 0
    (chat,) = capsys.readouterr().out.splitlines()
    assert json.loads(chat)["messages"][-1]["content"] == good
    out = tmp_path / "out.jsonl"
    assert run(["export", str(results), "--output", str(out), "--min-score", "70"]) == 0
    assert len(out.read_text().splitlines()) == 2
    assert capsys.readouterr().err == f"2 lines in {out}\n"


def test_a_format_that_is_none_is_bad_input(tmp_path: Path, capsys: Capture) -> None:
    assert run(["export", str(tmp_path), "--format", "xml"]) == 2
    assert "there are: jsonl, openai-chat" in capsys.readouterr().err


def test_export_says_which_files_it_left_out(tree: Tree, capsys: Capture) -> None:
    tree.add("right").conversation.write_text("[")
    assert run(["export", str(tree.root)]) == 1
    assert "left out:" in capsys.readouterr().err


def test_import_of_a_pipe_is_refused(tmp_path: Path, capsys: Capture) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert run(["import", str(tmp_path / "pipe"), "--model", "m", "--save-dir", str(tmp_path / "x")]) == 2
    assert "is not a file" in capsys.readouterr().err


def test_a_sample_without_a_number_gets_the_next_one(desk: Desk) -> None:
    desk.write(line("right", sample=4), line("half"), line("wrong", seed=1))
    assert [each.sample.request.sample for each in desk.load()] == [4, 5, 6]
    assert replace(desk.labels, model=None) == Labels()
