"""The files of the contract: nothing is lost, nothing is doubled, and the predecessor's files read."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury import files as atomic
from codejury.errors import InputError
from codejury.files import remove_leftovers
from codejury.records import (
    Block,
    BlockKind,
    Completion,
    Ending,
    Evaluation,
    Execution,
    Extraction,
    Measurement,
    Message,
    Outcome,
    Performance,
)
from codejury.store import write as writing
from codejury.store.convert import conversation_file, evaluation_dict, to_bytes
from codejury.store.names import SampleName, TimestampClock, is_timestamp, next_timestamp, timestamp_of
from codejury.store.read import read_conversation, read_evaluation
from codejury.store.samples import Request, StoredEvaluation, StoredSample
from codejury.store.scan import find_samples
from codejury.store.schema import KEYS, PUBLISHED_KEYS, AskedFile, MessageFile
from codejury.store.write import earlier_evaluations, sample_folder, write_conversation, write_evaluation

steadily = settings(deadline=None, derandomize=True)

DOCS = Path(__file__).parents[2] / "docs" / "files.md"

# The predecessor's two files, as it spells them: a conversation of 2023, and an evaluation.
OLD_CONVERSATION = (
    r'[{"content":"Act as a helpful AI assistant","variables":[],"_type":"systemmessage"},'
    r'{"content":"In Julia, write `double`.","variables":[],"_type":"usermessage"},'
    r'{"content":"```julia\ndouble(x) = 2x\n```","status":200,"tokens":[68,110],"elapsed":1.770536657,'
    r'"_type":"aimessage"}]'
)
NEWER_ANSWER = (
    r'{"content":"","status":200,"tokens":[198,2],"elapsed":0.24,"cost":0.00018,"log_prob":null,'
    r'"finish_reason":"stop","run_id":-387974522,"sample_id":null,"_type":"aimessage"}'
)
OLD_EVALUATION = (
    r'{"name":"double","parsed":true,"executed":true,"unit_tests_count":5,"examples_count":4,'
    r'"unit_tests_passed":3,"examples_executed":4,"tokens":[68,110],"elapsed_seconds":1.770536657,"cost":0,'
    r'"model":"gpt-x--optim","timestamp":"20231214_005952__154","prompt_strategy":"1SHOT",'
    r'"prompt_label":"InJulia","device":"Apple-MacBook-Pro-M1","version_prompt":"1.1",'
    r'"schema":"PromptingTools.OllamaManagedSchema()","version_pt":"0.10.0-DEV",'
    r'"parameters":{"options":{"num_gpu":99}},"experiment":""}'
)
OLD_TAIL = "InJulia__1SHOT__20231214_005952__154.json"

REQUEST = Request(
    category="numbers",
    name="double",
    model="accounts/some:models/gpt x",
    prompt_label="JuliaExpertAsk",
    parameters={"temperature": 0.2},
    experiment="scan",
    device="laptop",
    schema="openai",
    version_prompt="1.2",
    prompt_hash="abc",
    template_version="1.0",
    asked_julia_version="1.10",
    variables={"task": "Write `double`."},
    seed=7,
    sample=2,
    run_id=11,
)
ASKED = (Message(role="system", content="S"), Message(role="user", content="U"))
ANSWER = Completion(
    text="```julia\ndouble(x) = 2x\n```",
    prompt_tokens=12,
    completion_tokens=34,
    elapsed_seconds=1.5,
    cost=0.25,
    finish_reason="stop",
    retries=3,
)
EXECUTION = Execution(
    parsed=True,
    executed=True,
    blocks=(
        Block(kind=BlockKind.MAIN, index=0, ending=Ending.PASSED, seconds=0.1),
        Block(
            kind=BlockKind.UNIT_TEST,
            index=0,
            ending=Ending.FAILED,
            error_type="TestFailure",
            message="3 == 4",
            line=2,
        ),
    ),
    extraction=Extraction(
        rule="all",
        blocks_found=1,
        blocks_used=(0,),
        extended=(0,),
        code="double(x) = 2x",
        dropped_imports=("Foo",),
    ),
    julia_version="1.10.4",
    sandbox="L3",
    stdout="hello",
    tampering=("none really",),
)
VERDICT = Evaluation(
    name="double",
    parsed=True,
    executed=True,
    unit_tests_count=1,
    examples_count=0,
    unit_tests_passed=0,
    examples_executed=0,
    score=66.66666666666667,
    outcome=Outcome.FAIL,
    execution=EXECUTION,
    definition_hash="def",
    codejury_version="0.1.0",
    extra={"candidates": 1},
)
VOID = dataclasses.replace(
    VERDICT, score=None, outcome=Outcome.VOID, void_reason="the sandbox broke", execution=None
)


def stored(root: Path, **changes: Any) -> StoredSample:
    return write_conversation(root, dataclasses.replace(REQUEST, **changes), ASKED, [ANSWER])


def put(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def files_below(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file())


class TestNames:
    @pytest.mark.parametrize("strategy", ["1SHOT", "1CODEFIXER__CodeFixerTiny", "2CODEFIXER__A__B"])
    def test_a_name_is_read_from_its_known_ends(self, strategy):
        name = SampleName.parse(f"evaluation__InJulia__{strategy}__20240201_195629__158.json")
        assert name == SampleName(
            prompt_label="InJulia", prompt_strategy=strategy, timestamp="20240201_195629__158"
        )

    word = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,20}[A-Za-z0-9.-])?", fullmatch=True)

    @steadily
    @given(word.filter(lambda text: "__" not in text), word, st.integers(0, 4_000_000_000_000))
    def test_every_name_we_write_reads_back(self, label, strategy, milliseconds):
        name = SampleName(prompt_label=label, prompt_strategy=strategy, timestamp=timestamp_of(milliseconds))
        for kind in ("conversation", "evaluation"):
            assert SampleName.parse(name.filename(kind)) == name

    @pytest.mark.parametrize(
        "filename",
        [
            "evaluation__InJulia__1SHOT.json",
            "evaluation__InJulia__20240201_195629__158.json",
            "superseded__InJulia__1SHOT__20240201_195629__158.1.json",
            "evaluation__InJulia__1SHOT__20240201_195629__158.json.bak",
            "",
        ],
    )
    def test_other_names_are_refused(self, filename):
        with pytest.raises(InputError, match="not the name of a sample's file"):
            SampleName.parse(filename)

    @pytest.mark.parametrize(
        ("label", "strategy"),
        [("a__b", "1SHOT"), ("a_", "1SHOT"), ("../a", "1SHOT"), ("", "1SHOT"), ("a", "_x"), ("a", "x/y"),
         ("a" * 81, "1SHOT")],
    )  # fmt: skip
    def test_labels_and_strategies_that_would_not_read_back_are_refused(self, label, strategy):
        with pytest.raises(InputError):
            SampleName(prompt_label=label, prompt_strategy=strategy, timestamp="20240201_195629__158")

    def test_a_timestamp_is_utc_with_milliseconds(self):
        assert timestamp_of(1706817389158) == "20240201_195629__158"
        assert timestamp_of(1706817389005) == "20240201_195629__005"

    def test_the_next_timestamp_is_one_number_later_also_where_there_was_none(self):
        assert next_timestamp("20240201_195629__158") == "20240201_195629__159"
        assert next_timestamp("20240201_195629") == "20240201_195629__001"

    @pytest.mark.parametrize("text", ["20240201_195629__158", "20240201_195629"])
    def test_a_timestamp_is_known_by_its_form(self, text):
        assert is_timestamp(text)
        assert not is_timestamp(f"{text}x")
        assert not is_timestamp("")

    def test_a_clock_never_says_the_same_twice_to_any_thread(self):
        clock = TimestampClock()
        with ThreadPoolExecutor(8) as pool:
            ticks = list(pool.map(lambda _: clock.tick(), range(2000)))
        assert len(set(ticks)) == 2000

    def test_a_model_with_slashes_and_colons_lies_several_folders_deep(self, tmp_path):
        folder = sample_folder(tmp_path, REQUEST)
        assert folder == tmp_path / "numbers" / "double" / "accounts" / "some:models" / "gpt x"

    @pytest.mark.parametrize(
        "model",
        ["", "..", "../x", "a/../../b", "/etc/passwd", "a//b", "a/", "/a", ".", ".hidden", "a/.git", "a\0b",
         "a\nb", "a\\b", "a ", " a", "a/ b", "\ud800", "a\u202eb", "definition.toml", "x" * 201, "é" * 101],
    )  # fmt: skip
    def test_a_model_that_could_lead_elsewhere_is_refused(self, tmp_path, model):
        with pytest.raises(InputError, match=r"model .*: cannot name a folder, because"):
            stored(tmp_path / "root", model=model)
        assert files_below(tmp_path) == []

    @pytest.mark.parametrize("field", ["category", "name"])
    @pytest.mark.parametrize("text", ["", "..", "a/b", ".x", "a\\b"])
    def test_a_category_or_test_case_that_could_lead_elsewhere_is_refused(self, tmp_path, field, text):
        with pytest.raises(InputError, match="cannot name a folder"):
            stored(tmp_path, **{field: text})


def can_hold_files_without_a_name(folder: Path) -> bool:
    try:
        atomic.create_unnamed(folder / "trial", b"")
    except atomic.UnsupportedError:
        return False
    (folder / "trial").unlink()
    return True


def record_steps(patch: pytest.MonkeyPatch) -> list[str]:
    """What is asked of the kernel, in order: no test can pull the plug."""
    happened: list[str] = []

    def recorded(module: Any, name: str, step: Callable[..., str]) -> None:
        call = getattr(module, name)

        def record(*args: Any, **options: Any) -> Any:
            result = call(*args, **options)
            happened.append(step(*args))
            return result

        patch.setattr(module, name, record)

    recorded(
        os, "fsync", lambda file: "folder synced" if stat.S_ISDIR(os.fstat(file).st_mode) else "file synced"
    )
    recorded(os, "link", lambda *_: "named")
    recorded(Path, "replace", lambda *_: "named")
    recorded(Path, "mkdir", lambda *_: "folder made")
    return happened


@pytest.mark.parametrize("create", [atomic.create_unnamed, atomic.create_linked, atomic.create_reserved])
class TestEveryWayToCreateAFile:
    @pytest.fixture(autouse=True)
    def _only_what_this_disk_can(self, tmp_path, create):
        if create is atomic.create_unnamed and not can_hold_files_without_a_name(tmp_path):
            pytest.skip("this file system holds no files without a name")

    def test_it_makes_the_whole_file_and_nothing_beside(self, tmp_path, create):
        create(tmp_path / "a.json", b"x" * 100_000)
        assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
        assert (tmp_path / "a.json").read_bytes() == b"x" * 100_000

    def test_it_never_overwrites(self, tmp_path, create):
        create(tmp_path / "a.json", b"first")
        with pytest.raises(FileExistsError):
            create(tmp_path / "a.json", b"second")
        assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
        assert (tmp_path / "a.json").read_bytes() == b"first"

    def test_of_many_writers_of_one_name_exactly_one_wins(self, tmp_path, create):
        def attempt(number: int) -> int:
            try:
                create(tmp_path / "a.json", str(number).encode())
            except FileExistsError:
                return 0
            return 1

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(attempt, range(40))) == 1
        assert [path.name for path in tmp_path.iterdir()] == ["a.json"]

    def test_the_file_is_on_the_disk_before_its_name_and_its_name_before_the_call_returns(
        self, tmp_path, create, monkeypatch
    ):
        happened = record_steps(monkeypatch)
        create(tmp_path / "a.json", b"x")
        assert happened == ["file synced", "named", "folder synced"]

    def test_the_rights_of_a_file_are_those_of_any_other(self, tmp_path, create):
        create(tmp_path / "a.json", b"")
        (tmp_path / "b").touch()
        assert (tmp_path / "a.json").stat().st_mode == (tmp_path / "b").stat().st_mode


class TestAtomic:
    def test_a_replacement_is_on_the_disk_before_the_old_file_goes(self, tmp_path, monkeypatch):
        put(tmp_path, "a.json", "old")
        happened = record_steps(monkeypatch)
        atomic.replace(tmp_path / "a.json", b"new")
        assert happened == ["file synced", "named", "folder synced"]

    def test_each_new_folder_is_on_the_disk_before_the_next(self, tmp_path, monkeypatch):
        happened = record_steps(monkeypatch)
        atomic.make_folders(tmp_path / "a/b")
        assert happened == ["folder made", "folder synced", "folder made", "folder synced"]

    def test_where_files_without_a_name_cannot_be_had_a_hidden_one_is_tried(self):
        # /proc takes neither; the error is that of the hidden file.
        with pytest.raises(OSError, match=r"\.codejury-"):
            atomic.create(Path("/proc/self/a.json"), b"x")

    def test_replace_swaps_the_file_and_leaves_nothing_beside(self, tmp_path):
        put(tmp_path, "a.json", "old")
        atomic.replace(tmp_path / "a.json", b"new")
        assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
        assert (tmp_path / "a.json").read_bytes() == b"new"

    def test_old_leftovers_of_killed_writers_are_removed_and_young_ones_stay(self, tmp_path):
        old, young = put(tmp_path / "a", ".codejury-1", ""), put(tmp_path / "a", ".codejury-2", "")
        os.utime(old, (1, 1))
        assert remove_leftovers(tmp_path) == 1
        assert files_below(tmp_path) == [young]


class TestConversations:
    def test_it_reads_back_as_it_was_written(self, tmp_path):
        sample = stored(tmp_path)
        conversation = read_conversation(sample.conversation)
        assert conversation.messages == (*ASKED, Message(role="assistant", content=ANSWER.text))
        assert conversation.answer == ANSWER.text
        assert conversation.completion == ANSWER
        assert (conversation.request, conversation.timestamp) == (REQUEST, sample.timestamp)

    def test_it_has_the_shape_of_the_published_ones(self, tmp_path):
        system, user, answer = json.loads(stored(tmp_path).conversation.read_bytes())
        assert system == {"content": "S", "variables": [], "_type": "systemmessage"}
        assert user == {"content": "U", "variables": ["task"], "_type": "usermessage"}
        assert json.loads(NEWER_ANSWER).keys() <= answer.keys()
        assert (answer["tokens"], answer["elapsed"], answer["cost"]) == ([12, 34], 1.5, 0.25)
        assert (answer["status"], answer["sample_id"], answer["run_id"]) == (200, 2, 11)

    def test_it_lies_under_its_own_name_on_one_line(self, tmp_path):
        sample = stored(tmp_path)
        assert sample.conversation.parent == sample_folder(tmp_path, REQUEST)
        assert SampleName.parse(sample.conversation.name).timestamp == sample.timestamp
        assert b"\n" not in sample.conversation.read_bytes()

    def test_a_round_of_repair_keeps_the_whole_conversation_and_each_answers_cost(self, tmp_path):
        first, second = ANSWER, dataclasses.replace(ANSWER, text="better", cost=0.5, retries=0)
        asked = (
            *ASKED,
            Message(role="assistant", content=first.text),
            Message(role="user", content="It fails."),
        )
        request = dataclasses.replace(REQUEST, prompt_strategy="1CODEFIXER__CodeFixerTiny", round=1)
        conversation = read_conversation(
            write_conversation(tmp_path, request, asked, [first, second]).conversation
        )
        assert [message.role for message in conversation.messages] == [
            "system", "user", "assistant", "user", "assistant",
        ]  # fmt: skip
        assert conversation.completions == (first, second)
        assert (conversation.answer, conversation.completion.cost) == ("better", 0.5)
        assert conversation.request == request

    def test_completions_that_do_not_match_the_messages_are_a_mistake_of_the_caller(self, tmp_path):
        with pytest.raises(ValueError, match="0 earlier answers"):
            write_conversation(tmp_path, REQUEST, ASKED, [ANSWER, ANSWER])

    def test_unknown_tokens_and_costs_are_null_and_not_zero(self, tmp_path):
        sample = write_conversation(tmp_path, REQUEST, ASKED, [Completion(text="x")])
        answer = json.loads(sample.conversation.read_bytes())[-1]
        assert (answer["tokens"], answer["cost"]) == ([None, None], None)
        assert read_conversation(sample.conversation).completion == Completion(text="x")

    @pytest.mark.parametrize(
        ("text", "kept"),
        [
            ("half \ud83d pair", "half \ufffd pair"),
            ("\ud83d\ude00", "😀"),
            ("\0\x1b\u2028", "\0\x1b\u2028"),
            ("", ""),
        ],
    )
    def test_an_answer_is_kept_whatever_characters_it_has(self, tmp_path, text, kept):
        sample = write_conversation(tmp_path, REQUEST, ASKED, [dataclasses.replace(ANSWER, text=text)])
        assert read_conversation(sample.conversation).answer == kept

    def test_an_answer_is_kept_whatever_its_parameters_are(self, tmp_path):
        parameters = {"stop": ("a",), "nan": float("nan"), "view": MappingProxyType({"x": Path("p")})}
        conversation = read_conversation(stored(tmp_path, parameters=parameters).conversation)
        assert conversation.request
        assert conversation.request.parameters == {"stop": ["a"], "nan": None, "view": {"x": "p"}}

    def test_the_predecessors_read(self, tmp_path):
        conversation = read_conversation(put(tmp_path, "c.json", OLD_CONVERSATION))
        assert conversation.answer == "```julia\ndouble(x) = 2x\n```"
        assert conversation.completion == Completion(
            text=conversation.answer, prompt_tokens=68, completion_tokens=110, elapsed_seconds=1.770536657
        )
        assert conversation.request is None

    def test_the_predecessors_newer_ones_and_empty_answers_read(self, tmp_path):
        completion = read_conversation(put(tmp_path, "c.json", f"[{NEWER_ANSWER}]")).completion
        assert (completion.text, completion.cost, completion.finish_reason) == ("", 0.00018, "stop")

    def test_minus_one_tokens_are_unknown(self, tmp_path):
        text = NEWER_ANSWER.replace("[198,2]", "[-1,-1]")
        completion = read_conversation(put(tmp_path, "c.json", f"[{text}]")).completion
        assert (completion.prompt_tokens, completion.completion_tokens) == (None, None)

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "is empty"),
            ("[{", "is not valid JSON"),
            ("[" * 100_000, "is not valid JSON"),
            ('[{"_type":"aimessage","content":NaN}]', "NaN is not JSON"),
            ("[]", "array of messages, at least one"),
            ("{}", "array of messages"),
            ("[1]", "message 0: must be a JSON object"),
            ('[{"_type":"robot","content":"x"}]', "message 0: _type Invalid enum value 'robot'"),
            ('[{"_type":["aimessage"],"content":"x"}]', "message 0: _type must be `str`"),
            ('[{"_type":"aimessage"}]', "message 0: content is missing"),
            ('[{"_type":"usermessage","content":"x"}]', "the last message must be the model's answer"),
            (f"[{NEWER_ANSWER.replace('[198,2]', '[1]')}]", "tokens must be `array` of length 2"),
            ('[{"_type":"aimessage","content":"x","codejury":{}}]', "codejury Object missing required field"),
        ],
    )
    def test_a_malformed_one_is_named_with_its_reason(self, tmp_path, text, why):
        path = put(tmp_path, "c.json", text)
        with pytest.raises(InputError, match=re.escape(why)) as caught:
            read_conversation(path)
        assert str(caught.value).startswith(f"{path}: ")

    def test_one_that_is_not_utf8_or_not_there_is_named(self, tmp_path):
        (tmp_path / "c.json").write_bytes(b'["\xff"]')
        with pytest.raises(InputError, match="is not valid JSON"):
            read_conversation(tmp_path / "c.json")
        with pytest.raises(InputError, match="cannot be read: No such file"):
            read_conversation(tmp_path / "d.json")


class TestEvaluations:
    def test_it_has_the_published_keys_first_and_with_the_same_meaning(self, tmp_path):
        sample = write_evaluation(stored(tmp_path), VERDICT)
        document = json.loads(sample.evaluation.read_bytes())
        assert list(document)[:20] == list(json.loads(OLD_EVALUATION)) == list(PUBLISHED_KEYS)
        assert {key: document[key] for key in PUBLISHED_KEYS} == {
            "name": "double", "parsed": True, "executed": True, "unit_tests_count": 1, "examples_count": 0,
            "unit_tests_passed": 0, "examples_executed": 0, "tokens": [12, 34], "elapsed_seconds": 1.5,
            "cost": 0.25, "model": REQUEST.model, "timestamp": sample.timestamp, "prompt_strategy": "1SHOT",
            "prompt_label": "JuliaExpertAsk", "device": "laptop", "version_prompt": "1.2", "schema": "openai",
            "version_pt": REQUEST.version_pt, "parameters": {"temperature": 0.2}, "experiment": "scan",
        }  # fmt: skip

    def test_it_has_all_keys_of_ours_and_reads_back(self, tmp_path):
        sample = write_evaluation(stored(tmp_path), VERDICT)
        keys = [key for key in KEYS if key not in ("reasoning_tokens", "performance")]  # only where known
        assert list(json.loads(sample.evaluation.read_bytes())) == keys
        read = read_evaluation(sample.evaluation)
        assert read.evaluation == VERDICT
        assert read.request == dataclasses.replace(REQUEST, variables={})
        assert read.completion == dataclasses.replace(ANSWER, text="")

    @pytest.mark.parametrize(
        "performance",
        [
            Performance(speed=2.0, statements=(Measurement(
                statement="f(x)", speed=2.0, spread=0.01, seconds=1e-5, allocated=16, reference_allocated=0,
                inferred=None,
            ),)),
            Performance(not_measured="still running after 10 s", failed=2),
        ],
        ids=["measured", "not measured"],
    )  # fmt: skip
    def test_what_was_measured_reads_back(self, tmp_path, performance):
        execution = dataclasses.replace(VERDICT.execution, performance=performance)
        sample = write_evaluation(stored(tmp_path), dataclasses.replace(VERDICT, execution=execution))
        assert read_evaluation(sample.evaluation).evaluation.execution.performance == performance

    def test_the_julia_that_was_asked_for_is_not_the_one_that_judged(self, tmp_path):
        read = read_evaluation(write_evaluation(stored(tmp_path), VERDICT).evaluation)
        assert (read.request.asked_julia_version, read.evaluation.julia_version) == ("1.10", "1.10.4")

    def test_one_from_before_a_question_could_name_the_julia_reads_as_it_is(self, tmp_path):
        sample = write_evaluation(stored(tmp_path), VERDICT)
        for path in (sample.conversation, sample.evaluation):
            path.write_text(path.read_text(encoding="utf-8").replace('"asked_julia_version":"1.10",', ""))
        (found,) = find_samples(tmp_path)
        assert (found.problem, found.request.asked_julia_version) == ("", "")
        asked = read_conversation(sample.conversation).request
        assert asked == dataclasses.replace(REQUEST, asked_julia_version="")
        judged = read_evaluation(write_evaluation(found, VERDICT).evaluation)
        assert judged.request.asked_julia_version == ""

    def test_a_julia_that_is_no_text_is_named(self, tmp_path):
        sample = write_evaluation(stored(tmp_path), VERDICT)
        text = sample.evaluation.read_text(encoding="utf-8")
        sample.evaluation.write_text(
            text.replace('"asked_julia_version":"1.10"', '"asked_julia_version":1.1')
        )
        with pytest.raises(InputError, match=r"asked_julia_version must be `str`, not 1\.1"):
            read_evaluation(sample.evaluation)

    def test_a_void_one_has_no_score_and_reads_back(self, tmp_path):
        sample = write_evaluation(stored(tmp_path), VOID)
        assert sample.outcome == "void"
        assert read_evaluation(sample.evaluation).evaluation == VOID

    def test_of_a_long_output_the_tail_is_kept(self, tmp_path):
        execution = dataclasses.replace(EXECUTION, stdout="x" * 1_000_000 + "end")
        sample = write_evaluation(stored(tmp_path), dataclasses.replace(VERDICT, execution=execution))
        tail = read_evaluation(sample.evaluation).evaluation.execution.stdout
        assert len(tail) == 4000
        assert tail.endswith("end")

    def test_it_lies_beside_its_conversation(self, tmp_path):
        sample = write_evaluation(stored(tmp_path), VERDICT)
        assert files_below(tmp_path) == [sample.conversation, sample.evaluation]

    def test_a_verdict_on_another_test_case_is_refused(self, tmp_path):
        with pytest.raises(InputError, match="is about double, the verdict about triple"):
            write_evaluation(stored(tmp_path), dataclasses.replace(VERDICT, name="triple"))

    def test_the_predecessors_get_the_verdict_that_their_counts_stand_for(self, tmp_path):
        read = read_evaluation(put(tmp_path / "numbers" / "double" / "gpt-x", "e.json", OLD_EVALUATION))
        verdict, old = read.evaluation, json.loads(OLD_EVALUATION)
        assert (verdict.by_predecessor, verdict.execution, verdict.rules_version) == (True, None, None)
        assert (verdict.score, verdict.outcome) == (25 + 25 + 25 * 3 / 5 + 25, Outcome.FAIL)
        assert (read.request.category, read.request.model) == ("numbers", old["model"])
        assert (read.request.parameters, read.completion.cost) == (old["parameters"], 0)

    @pytest.mark.parametrize(
        ("changes", "outcome"),
        [
            ({"unit_tests_passed": 5}, Outcome.PASS),
            ({"unit_tests_passed": 5, "examples_executed": 0}, Outcome.PASS),
            ({"unit_tests_passed": 5, "executed": False}, Outcome.FAIL),
            ({"unit_tests_count": 0, "unit_tests_passed": 0}, Outcome.PASS),
            ({"unit_tests_count": 0, "unit_tests_passed": 0, "examples_executed": 3}, Outcome.FAIL),
        ],
    )
    def test_all_unit_tests_decide_the_predecessors_outcome_or_else_all_examples(
        self, tmp_path, changes, outcome
    ):
        path = put(tmp_path, "e.json", json.dumps(json.loads(OLD_EVALUATION) | changes))
        assert read_evaluation(path).evaluation.outcome is outcome

    def test_a_number_of_tokens_that_the_predecessor_did_not_know_is_unknown(self, tmp_path):
        path = put(tmp_path, "e.json", OLD_EVALUATION.replace("[68,110]", "[-1,110]"))
        completion = read_evaluation(path).completion
        assert (completion.prompt_tokens, completion.completion_tokens) == (None, 110)

    def test_what_a_foreign_file_holds_beside_the_predecessors_keys_is_ignored(self, tmp_path):
        path = put(tmp_path, "e.json", json.dumps(json.loads(OLD_EVALUATION) | {"seed": "none", "blocks": 3}))
        assert read_evaluation(path).request.seed is None

    def test_a_field_that_came_later_has_its_default_in_an_older_file(self, tmp_path):
        older = json.loads(write_evaluation(stored(tmp_path), VERDICT).evaluation.read_bytes())
        for later in ("packages", "notes", "asked_julia_version"):
            del older[later]
        for block in older["blocks"]:
            del block["seconds"]
        read = read_evaluation(put(tmp_path, "e.json", json.dumps(older)))
        assert (read.request.asked_julia_version, read.evaluation.execution.notes) == ("", ())
        assert {block.seconds for block in read.evaluation.execution.blocks} == {0.0}

    @pytest.mark.parametrize(
        ("key", "value", "why"),
        [
            ("parsed", 1, "parsed must be `bool`, not 1"),
            ("unit_tests_passed", True, "unit_tests_passed must be `int`, not True"),
            ("unit_tests_passed", 6, "unit_tests_passed is 6, more than unit_tests_count 5"),
            ("tokens", [1], "tokens must be `array` of length 2"),
            ("cost", "free", "cost must be `int | float | null`, not 'free'"),
            ("parameters", [], "parameters must be `object`"),
            ("model", None, "model must be `str`, not None"),
            ("codejury_schema", 2, "codejury_schema is 2: a newer Codejury wrote it"),
            ("codejury_schema", "1", "codejury_schema must be `int`"),
            ("codejury_schema", 1, "outcome is missing"),
        ],
    )
    def test_a_malformed_one_is_named_with_its_reason(self, tmp_path, key, value, why):
        path = put(tmp_path, "e.json", json.dumps(json.loads(OLD_EVALUATION) | {key: value}))
        with pytest.raises(InputError, match=re.escape(why)) as caught:
            read_evaluation(path)
        assert str(caught.value).startswith(f"{path}: ")

    @pytest.mark.parametrize(
        ("changes", "why"),
        [
            ({"score": None}, "void, and only void, has no score"),
            ({"outcome": "void"}, "void, and only void, has no score"),
            ({"score": 101}, "more than 100"),
            ({"outcome": "won"}, "outcome Invalid enum value 'won'"),
            ({"blocks": [{}]}, "blocks Object missing required field `kind` at `$[0]`"),
            ({"blocks": [1]}, "blocks must be `object` at `$[0]`"),
            ({"extraction": {"rule": 1}}, "extraction must be `str` at `$.rule`"),
            ({"extraction": 3}, "extraction must be `object | null`"),
            ({"extraction": {"extended": ["1"]}}, "extraction must be `int` at `$.extended[0]`"),
        ],
    )
    def test_a_malformed_one_of_ours_is_named_with_its_reason(self, tmp_path, changes, why):
        good = json.loads(write_evaluation(stored(tmp_path), VERDICT).evaluation.read_bytes())
        path = put(tmp_path, "e.json", json.dumps(good | changes))
        with pytest.raises(InputError, match=re.escape(why)):
            read_evaluation(path)

    def test_one_of_an_earlier_version_does_not_say_which_blocks_went_on(self, tmp_path):
        earlier = json.loads(write_evaluation(stored(tmp_path), VERDICT).evaluation.read_bytes())
        del earlier["extraction"]["extended"]
        record = read_evaluation(put(tmp_path, "e.json", json.dumps(earlier))).evaluation
        assert record.execution.extraction == dataclasses.replace(EXECUTION.extraction, extended=())

    def test_all_that_is_wrong_comes_at_once(self, tmp_path):
        document = json.loads(OLD_EVALUATION) | {"parsed": "yes"}
        del document["model"], document["cost"]
        with pytest.raises(InputError) as caught:
            read_evaluation(put(tmp_path, "e.json", json.dumps(document)))
        for why in ("parsed must be", "model is missing", "cost is missing"):
            assert why in str(caught.value)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


class TestHostileFiles:
    """Whatever a key holds, the file becomes a record, or its reader says what is wrong with it."""

    evaluation = json.loads(
        to_bytes(
            evaluation_dict(
                StoredEvaluation(request=REQUEST, timestamp="t", completion=ANSWER, evaluation=VERDICT)
            )
        )
    )
    conversation = json.loads(to_bytes(conversation_file(REQUEST, "t", ASKED, [ANSWER])))

    @pytest.fixture(scope="class")
    @classmethod
    def file(cls, tmp_path_factory):
        return tmp_path_factory.mktemp("hostile") / "file.json"

    @steadily
    @given(st.sampled_from(sorted(evaluation)), anything)
    def test_an_evaluation_with_anything_under_a_key(self, file, key, value):
        file.write_bytes(to_bytes({**self.evaluation, key: value}))
        with suppress(InputError):
            assert read_evaluation(file).evaluation

    @steadily
    @given(st.sampled_from(sorted(conversation[-1])), anything)
    def test_an_answer_with_anything_under_a_key(self, file, key, value):
        file.write_bytes(to_bytes([*self.conversation[:-1], {**self.conversation[-1], key: value}]))
        with suppress(InputError):
            assert read_conversation(file).messages

    @steadily
    @given(anything)
    def test_anything_at_all(self, file, value):
        file.write_bytes(to_bytes(value))
        for read in (read_evaluation, read_conversation):
            with pytest.raises(InputError):
                read(file)


class TestJudgingAgain:
    def test_the_old_evaluation_is_kept_unchanged_and_the_new_one_names_it(self, tmp_path):
        sample = write_evaluation(stored(tmp_path), VERDICT)
        old = sample.evaluation.read_bytes()
        write_evaluation(sample, dataclasses.replace(VERDICT, score=100.0))
        write_evaluation(sample, VOID)
        first, second = earlier_evaluations(sample)
        assert first.read_bytes() == old
        assert json.loads(second.read_bytes())["score"] == 100.0
        newest = read_evaluation(sample.evaluation)
        assert newest.evaluation.outcome is Outcome.VOID
        assert newest.supersedes == (first.name, second.name)

    def test_no_reader_of_the_layout_sees_a_sample_twice(self, tmp_path):
        sample = write_evaluation(stored(tmp_path), VERDICT)
        write_evaluation(sample, VOID)
        assert len(list(tmp_path.rglob("evaluation__*"))) == 1
        assert len(list(find_samples(tmp_path))) == 1

    def test_a_copy_made_by_a_writer_that_was_killed_is_not_made_twice(self, tmp_path):
        sample = write_evaluation(stored(tmp_path), VERDICT)
        stem = sample.tail.removesuffix(".json")
        put(sample.folder, f"superseded__{stem}.1.json", sample.evaluation.read_text())
        write_evaluation(sample, VOID)
        assert len(earlier_evaluations(sample)) == 1

    def test_the_predecessors_verdict_is_superseded_and_the_facts_of_its_request_stay(self, tmp_path):
        folder = tmp_path / "numbers" / "double" / "gpt-x"
        put(folder, f"conversation__{OLD_TAIL}", OLD_CONVERSATION)
        put(folder, f"evaluation__{OLD_TAIL}", OLD_EVALUATION)
        (sample,) = find_samples(tmp_path)
        write_evaluation(sample, VERDICT)
        new, old = json.loads(sample.evaluation.read_bytes()), json.loads(OLD_EVALUATION)
        ours = {"unit_tests_count", "examples_count", "unit_tests_passed", "examples_executed"}
        assert {key: new[key] for key in PUBLISHED_KEYS if key not in ours} == {
            key: old[key] for key in PUBLISHED_KEYS if key not in ours
        }
        assert (new["category"], new["score"]) == ("numbers", VERDICT.score)
        assert earlier_evaluations(sample)[0].read_text() == OLD_EVALUATION

    def test_a_broken_evaluation_is_kept_too(self, tmp_path):
        sample = stored(tmp_path)
        put(sample.folder, sample.evaluation.name, "{")
        write_evaluation(sample, VERDICT)
        assert earlier_evaluations(sample)[0].read_text() == "{"
        assert read_evaluation(sample.evaluation).completion.cost == 0.25

    def test_many_that_judge_again_at_once_lose_nothing(self, tmp_path):
        sample = write_evaluation(stored(tmp_path), VERDICT)
        verdicts = [dataclasses.replace(VERDICT, score=float(score)) for score in range(20)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda verdict: write_evaluation(sample, verdict), verdicts))
        files = [*earlier_evaluations(sample), sample.evaluation]
        kept = [read_evaluation(path).evaluation.score for path in files]
        assert sorted(kept) == sorted([VERDICT.score, *map(float, range(20))])


class TestFinding:
    def test_what_was_written_is_found(self, tmp_path):
        judged, waiting = write_evaluation(stored(tmp_path), VERDICT), stored(tmp_path, model="b")
        found = list(find_samples(tmp_path))
        without_variables = dataclasses.replace(REQUEST, variables={})  # an evaluation does not repeat them
        assert found == [dataclasses.replace(judged, request=without_variables), waiting]
        assert [sample.has_evaluation for sample in found] == [True, False]

    def test_the_json_counts_before_the_folder(self, tmp_path):
        put(tmp_path / "numbers" / "double" / "double" / "gpt-x", f"evaluation__{OLD_TAIL}", OLD_EVALUATION)
        (sample,) = find_samples(tmp_path)
        request = sample.request
        assert (request.model, request.name, request.category) == ("gpt-x--optim", "double", "numbers")
        assert (sample.has_conversation, sample.has_evaluation, sample.outcome) == (False, True, "")

    @pytest.mark.parametrize("below", ["", "numbers", "numbers/double", "numbers/double/gpt-x"])
    def test_the_category_is_known_wherever_the_search_begins(self, tmp_path, monkeypatch, below):
        put(tmp_path / "numbers" / "double" / "gpt-x", f"evaluation__{OLD_TAIL}", OLD_EVALUATION)
        monkeypatch.chdir(tmp_path / below)
        (sample,) = find_samples(Path())
        assert sample.request.category == "numbers"

    @pytest.mark.parametrize("doubled", [False, True])
    @pytest.mark.parametrize(("defined", "below"), [(True, "."), (True, "numbers/double"), (False, ".")])
    def test_a_conversation_of_the_predecessor_alone_is_known_by_its_path(
        self, tmp_path, doubled, defined, below
    ):
        case = tmp_path / "numbers" / "double"
        folder = case / "double" / "a" / "b:c" if doubled else case / "a" / "b:c"
        put(folder, f"conversation__{OLD_TAIL}", OLD_CONVERSATION)
        if defined:
            put(case, "definition.toml", "")
        (sample,) = find_samples(tmp_path / below)
        request = sample.request
        assert (request.category, request.name, request.model) == ("numbers", "double", "a/b:c")
        assert (request.prompt_label, request.prompt_strategy) == ("InJulia", "1SHOT")
        assert (sample.timestamp, sample.problem) == ("20231214_005952__154", "")
        assert write_evaluation(sample, VERDICT).has_evaluation

    def test_a_broken_file_comes_with_its_problem_and_stops_nothing(self, tmp_path):
        good, broken = (
            write_evaluation(stored(tmp_path), VERDICT),
            write_evaluation(stored(tmp_path), VERDICT),
        )
        broken.evaluation.write_text("{", encoding="utf-8")
        found = {sample.tail: sample for sample in find_samples(tmp_path)}
        assert found[good.tail].problem == ""
        assert str(broken.evaluation) in found[broken.tail].problem
        assert found[broken.tail].request == REQUEST

    def test_a_broken_file_alone_is_known_by_its_path(self, tmp_path):
        put(tmp_path / "numbers" / "double" / "m", f"evaluation__{OLD_TAIL}", "{}")
        (sample,) = find_samples(tmp_path)
        assert "name is missing" in sample.problem
        assert (sample.request.name, sample.request.model, sample.timestamp) == (
            "double", "m", "20231214_005952__154",
        )  # fmt: skip

    def test_a_name_nobody_can_read_counts_for_nothing_if_the_json_says_it(self, tmp_path):
        put(tmp_path / "numbers" / "double" / "m", "evaluation__x.json", OLD_EVALUATION)
        put(tmp_path / "numbers" / "double" / "m", "conversation__y.json", OLD_CONVERSATION)
        named, unnamed = sorted(find_samples(tmp_path), key=lambda sample: sample.problem)
        assert (named.request.prompt_label, named.problem) == ("InJulia", "")
        assert "not the name of a sample's file" in unnamed.problem

    def test_other_files_hidden_folders_and_links_in_circles_are_passed_over(self, tmp_path):
        sample = stored(tmp_path)
        put(tmp_path / ".git", f"evaluation__{OLD_TAIL}", OLD_EVALUATION)
        put(tmp_path, "notes.json", "{}")
        (sample.folder / "up").symlink_to(tmp_path)
        os.mkfifo(tmp_path / f"conversation__{OLD_TAIL}")
        assert list(find_samples(tmp_path)) == [sample]

    def test_a_root_that_is_not_a_folder_is_an_input_error(self, tmp_path):
        with pytest.raises(InputError, match="not a folder"):
            list(find_samples(tmp_path / "nowhere"))


# Writes samples one after the other; each line on stdout is a conversation that is promised to be stored.
WRITER = """
import sys
from pathlib import Path
from codejury.records import Completion, Evaluation, Message, Outcome
from codejury.store.samples import Request
from codejury.store.write import write_conversation, write_evaluation

request = Request(category="numbers", name="double", model="m", prompt_label="InJulia")
verdict = Evaluation(name="double", parsed=True, executed=True, unit_tests_count=1, examples_count=0,
                     unit_tests_passed=1, examples_executed=0, score=100.0, outcome=Outcome.PASS)
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    asked, answer = [Message(role="user", content="?")], Completion(text="the answer")
    sample = write_conversation(Path(sys.argv[1]), request, asked, [answer])
    print(sample.conversation, flush=True)
    write_evaluation(sample, verdict)
"""


def writer(root: Path, count: int) -> subprocess.Popen[str]:
    """A process that is ready to write, and begins when its stdin gets a line."""
    command = [sys.executable, "-c", WRITER, str(root), str(count)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def begin(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.write("\n")
    process.stdin.flush()


class TestManyWriters:
    def test_threads_never_share_a_name(self, tmp_path):
        with ThreadPoolExecutor(16) as pool:
            samples = list(pool.map(lambda _: stored(tmp_path), range(200)))
        assert len({sample.conversation for sample in samples}) == 200
        assert len(files_below(tmp_path)) == 200

    def test_processes_never_share_a_name(self, tmp_path):
        writers = [writer(tmp_path, 100) for _ in range(3)]
        for process in writers:
            begin(process)
        promised = [line for process in writers for line in process.communicate()[0].splitlines()]
        assert [process.returncode for process in writers] == [0, 0, 0]
        assert len(set(promised)) == 300
        assert len(list(find_samples(tmp_path))) == 300
        assert all(sample.has_evaluation for sample in find_samples(tmp_path))

    def test_a_name_that_is_taken_by_an_evaluation_alone_is_not_used(self, tmp_path):
        """An evaluation without its conversation must not meet the conversation of another answer."""
        name = SampleName.parse(f"evaluation__{OLD_TAIL}")
        put(tmp_path, f"evaluation__{OLD_TAIL}", OLD_EVALUATION)
        assert not writing._took_name(tmp_path, name, b"[]")
        (tmp_path / f"evaluation__{OLD_TAIL}").unlink()
        assert writing._took_name(tmp_path, name, b"[]")
        assert not writing._took_name(tmp_path, name, b"[1]")
        assert (tmp_path / f"conversation__{OLD_TAIL}").read_bytes() == b"[]"

    def test_a_writer_killed_at_any_moment_leaves_no_half_file_and_loses_nothing(self, tmp_path):
        dice = random.Random(20240201)
        promised: list[Path] = []
        for _ in range(6):
            process = writer(tmp_path, 1_000_000)
            begin(process)
            assert process.stdout
            promised.append(Path(process.stdout.readline().strip()))
            time.sleep(dice.uniform(0.0, 0.05))
            process.send_signal(signal.SIGKILL)
            lines = process.communicate()[0].splitlines(keepends=True)
            promised += [Path(line.strip()) for line in lines if line.endswith("\n")]
        found = list(find_samples(tmp_path))
        assert {sample.conversation for sample in found} >= set(promised)
        assert [sample.problem for sample in found if sample.problem] == []
        assert {read_conversation(sample.conversation).answer for sample in found} == {"the answer"}
        if can_hold_files_without_a_name(tmp_path):
            assert [path for path in files_below(tmp_path) if path.name.startswith(".")] == []

    def test_a_folder_that_cannot_be_written_is_an_input_error(self, tmp_path):
        put(tmp_path / "numbers", "double", "a file where a folder belongs")
        with pytest.raises(InputError, match="cannot be written: "):
            stored(tmp_path)


class TestInStep:
    def test_the_files_keep_every_fact_of_the_records(self):
        kept = {
            field.name for record in (Request, Evaluation, Execution) for field in dataclasses.fields(record)
        }
        elsewhere = {
            "variables",  # in the conversation
            "execution",  # its fields stand beside the others
            "stdout",  # as `stdout_tail`
            "given_error",  # as `void_reason`
        }
        assert kept - elsewhere <= set(KEYS)

    @pytest.mark.parametrize(
        "keys",
        [
            KEYS,
            [field.name for field in dataclasses.fields(Block)],
            [field.name for field in dataclasses.fields(Extraction)],
            AskedFile.__struct_encode_fields__,
            MessageFile.__struct_encode_fields__,
        ],
        ids=["evaluation", "block", "extraction", "request", "message"],
    )
    def test_the_documentation_explains_every_key(self, keys):
        text = DOCS.read_text(encoding="utf-8")
        assert [key for key in keys if f"`{key}`" not in text] == []
