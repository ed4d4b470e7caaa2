"""Bulk judging: every line in comes back once, in order, with its verdict, whatever happens in between."""

from __future__ import annotations

import io
import json
import threading
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codejury.errors import DefinitionError, InputError, SandboxError
from codejury.exchange.bulk.answers import Tasks, without_fields
from codejury.exchange.bulk.plan import BulkPlan, BulkTally, VerdictSummary, prepare
from codejury.exchange.bulk.run import Remembered, Verdict, Verdicts, run
from codejury.judge.score import VERDICT_FIELDS
from codejury.records import Ending, Execution, Job
from codejury.suite.suite import find_definitions
from fakes import a_judge, code_of, facts, honest, in_folders

Script = Callable[[Job], Execution]
PASSES = VerdictSummary(outcome="pass", score=100.0, julia_version="", missing_packages=(), timed_out=False)


class Desk:
    """The files of one bulk run, and a judge for it."""

    def __init__(self, folder: Path, definitions: Path) -> None:
        self.answers = folder / "answers.jsonl"
        self.output = folder / "out.jsonl"
        self.definitions = definitions
        self.judged: list[str] = []

    def write(self, *lines: Any) -> None:
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        self.answers.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")

    def prepare(self, **options: Any) -> BulkPlan:
        return prepare(self.answers, self.definitions, self.output, **options)

    def run(self, script: Script = honest, *, workers: int = 1, **options: Any) -> BulkTally:
        def noting(job: Job) -> Execution:
            self.judged.append(code_of(job))
            return script(job)

        self.judged.clear()
        plan = self.prepare()
        with a_judge(noting, workers=workers) as judge:
            return run(plan, judge, **options)

    @property
    def results(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.output.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def desk(tmp_path: Path, definitions: Path) -> Desk:
    return Desk(tmp_path, definitions)


def line(completion: str, task_id: str = "double", **more: Any) -> dict[str, Any]:
    return {"task_id": task_id, "completion": completion, **more}


def broken(_job: Job) -> Execution:
    raise SandboxError("out of order")


# What comes out


def test_each_line_comes_back_in_order_with_its_verdict(desk):
    desk.write(line("right"), line("half"), line("no idea"), line("right", "text/repeat"))
    tally = desk.run()
    assert [result["outcome"] for result in desk.results] == ["pass", "fail", "fail", "pass"]
    assert [result["score"] for result in desk.results] == [100.0, 87.5, 0.0, 100.0]
    assert [result["passed"] for result in desk.results] == [True, False, False, True]
    assert [result["name"] for result in desk.results] == ["double", "double", "double", "repeat"]
    assert all(result.keys() >= set(VERDICT_FIELDS) for result in desk.results)
    assert (tally.passed, tally.failed, tally.void, tally.mean_score) == (2, 2, 0, 287.5 / 4)
    assert tally.julia_versions == {"1.10.0"}


def test_other_fields_come_back_byte_for_byte_and_in_order(desk):
    huge = "9" * 5000
    odd = f'"b":1.50,"z" : 1E400, "i": {huge}, "ü": "\\u00fc"'
    text = f'{{ {odd}, "task_id":"double", "completion": "right", "n": NaN }}'
    desk.write(text)
    desk.run()
    out = desk.output.read_text(encoding="utf-8")
    assert out.startswith(text.removesuffix(" }") + ', "name": "double", ')
    assert out.count("\n") == 1


def test_a_field_with_a_verdict_s_name_gives_way_and_is_told_of(desk):
    desk.write(
        {"score": 3.00, "task_id": "double", "x": "{", "passed": {"a": [1, "}"]}, "completion": "right"}
    )
    assert desk.prepare().replaced_fields == ("score", "passed")
    desk.run()
    text = desk.output.read_text(encoding="utf-8")
    assert text.startswith('{"task_id": "double", "x": "{", "completion": "right", "name"')
    assert text.count('"score"') == 1
    assert desk.results[0]["score"] == 100.0
    assert desk.prepare().to_judge == 0


def test_verdicts_can_be_judged_again_as_answers(desk):
    desk.write(line("right", seed=1))
    desk.run()
    first = desk.results
    desk.answers, desk.output = desk.output, desk.output.with_name("again.jsonl")
    desk.run()
    assert desk.results == first


@pytest.mark.parametrize(
    ("text", "names", "rest"),
    [
        ('{"a": 1.0, "b": 2}', ["b"], '{"a": 1.0}'),
        ('{ "a" :1e5 , "b":[1, {"a": 2}] }', ["a"], '{"b":[1, {"a": 2}]}'),
        ('{"a": "\\"}, \\"b\\": 1", "b": 1, "c": null}', ["b"], '{"a": "\\"}, \\"b\\": 1", "c": null}'),
        ('{"a": 1}', ["a"], "{}"),
    ],
)
def test_fields_are_cut_out_of_the_text_of_an_object(text, names, rest):
    assert without_fields(text, names) == rest


def test_a_solution_is_bare_code_even_with_fences_in_its_docstrings(desk):
    code = '"""\n```julia\nwrong\n```\n"""\nright(x) = x'
    desk.write(
        {"task_id": "double", "solution": code}, {"task_id": "double", "solution": code, "completion": "?"}
    )
    desk.run()
    assert desk.judged == [code]


def test_a_completion_is_an_answer_in_markdown_or_bare_code(desk):
    desk.write(line("Sure:\n```julia\nright\n```"), line("right = 1"), line("x", solution=None))
    desk.run()
    assert desk.judged == ["right\n", "right = 1", "x"]


def test_blank_lines_windows_line_ends_and_a_byte_order_mark_do_no_harm(desk):
    desk.answers.write_bytes(
        b"\xef\xbb\xbf"
        + json.dumps(line("right")).encode()
        + b"\r\n\r\n  \n"
        + json.dumps(line("half")).encode()
    )
    desk.run()
    assert [result["outcome"] for result in desk.results] == ["pass", "fail"]
    assert b"\r" not in desk.output.read_bytes()


def test_an_empty_file_of_answers_gives_an_empty_output(desk):
    desk.write()
    assert desk.run() == BulkTally()
    assert desk.output.read_bytes() == b""


def test_the_output_s_folder_is_made(desk, tmp_path):
    desk.write(line("right"))
    desk.output = tmp_path / "new" / "folder" / "out.jsonl"
    desk.run()
    assert len(desk.results) == 1


# What is refused before anything runs


def refused(desk: Desk) -> str:
    with pytest.raises(InputError) as caught:
        desk.run()
    assert desk.judged == []
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object: [1]"),
        ("5", "not a JSON object: 5"),
        ('{"completion": "x"}', "`task_id` is missing"),
        ('{"task_id": 5, "completion": "x"}', "`task_id` is not a string: 5"),
        ('{"task_id": "double"}', "neither `completion` nor `solution`"),
        ('{"task_id": "double", "completion": null}', "neither `completion` nor `solution`"),
        ('{"task_id": "double", "completion": ["x"]}', '`completion` is not a string: ["x"]'),
        ('{"task_id": "double", "solution": 1}', "`solution` is not a string: 1"),
        ('{"task_id": "doubel", "completion": "x"}', "unknown task 'doubel'; did you mean `"),
        ('{"task_id": "zzzz", "completion": "x"}', "unknown task 'zzzz'; known: "),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_line_that_cannot_be_judged_is_told_with_its_number(desk, text, told):
    desk.write(line("right"), "", text)
    message = refused(desk)
    assert "1 line cannot be judged" in message
    assert f"line 3: {told}" in message or ("line 3: " in message and told in message)
    assert not desk.output.exists()


def test_bytes_that_are_not_utf8_are_told_with_their_place(desk):
    desk.answers.write_bytes(b'{"task_id": "double", "completion": "\xff"}\n')
    assert "line 1: not UTF-8: byte 0xff at column 38" in refused(desk)


def test_all_faults_are_told_at_once_twenty_in_full(desk):
    desk.write(*(["nonsense"] * 30), line("right"))
    message = refused(desk)
    assert "30 lines cannot be judged, so nothing was; --skip-bad goes on without" in message
    assert "line 20: " in message
    assert "line 21: " not in message
    assert message.endswith("... and 10 more")


def test_bad_lines_can_be_skipped_and_are_told(desk):
    desk.write("nonsense", line("right"), line("x", "unknown"), line("wrong"))
    plan = desk.prepare(skip_bad=True)
    assert (plan.total, sorted(plan.lines.bad)) == (2, [1, 3])
    assert [fault.split(":")[0] for fault in plan.lines.faults] == ["line 1", "line 3"]
    with a_judge() as judge:
        assert run(plan, judge).lines == 2
    assert [result["outcome"] for result in desk.results] == ["pass", "fail"]
    again = desk.prepare(skip_bad=True)
    assert (again.to_judge, again.written) == (0, 2), "the same command goes on where it stopped"


def test_a_file_of_bad_lines_alone_is_refused_even_if_they_may_be_skipped(desk):
    desk.write("nonsense")
    with pytest.raises(InputError, match="1 line cannot be judged"):
        desk.prepare(skip_bad=True)


def test_verdicts_can_be_written_to_a_stream_as_they_come(desk):
    desk.write(line("right"), line("half"))
    written = io.BytesIO()
    plan = prepare(desk.answers, desk.definitions, None)
    with a_judge() as judge:
        tally = run(plan, judge, stream=written)
    assert (tally.passed, tally.failed) == (1, 1)
    assert [json.loads(text)["outcome"] for text in written.getvalue().splitlines()] == ["pass", "fail"]


def test_answers_that_ran_out_of_time_are_counted(desk):
    def slow(job: Job) -> Execution:
        done = honest(job)
        late = replace(done.blocks[-1], ending=Ending.TIMED_OUT)
        return replace(done, blocks=(*done.blocks[:-1], late)) if "half" in code_of(job) else done

    desk.write(line("right"), line("half"))
    tally = desk.run(slow)
    assert (tally.timed_out, tally.pass_rate) == (1, 0.5)
    assert desk.run().timed_out == 1, "also of lines that an earlier run has written"


def test_an_ambiguous_name_asks_for_its_category(tmp_path):
    tasks = Tasks(find_definitions(in_folders(tmp_path, "a/double", "b/double")))
    with pytest.raises(InputError, match="say which: a/double or b/double"):
        tasks.find("double")
    assert tasks.find("b/double").category == "b"


def test_a_broken_definition_that_is_asked_for_is_told_and_others_do_not_matter(desk):
    file = desk.definitions / "maths" / "double" / "definition.toml"
    file.write_text("[code_generation]\nname = 5\n", encoding="utf-8")
    desk.write(line("right", "repeat"))
    assert desk.run().passed == 1
    desk.output.unlink()
    desk.write(line("right", "double"))
    with pytest.raises(DefinitionError, match="name: is an integer"):
        desk.run()


def test_answers_to_a_broken_definition_are_void_and_judged_once_it_is_mended(desk):
    file = desk.definitions / "maths" / "double" / "definition.toml"
    good = file.read_text(encoding="utf-8")
    file.write_text("[code_generation]\nname = 5\n", encoding="utf-8")
    desk.write(line("right", "repeat"), line("right", "maths/double"), line("half", "repeat"))
    tally = desk.run()
    assert (tally.passed, tally.failed, tally.void) == (1, 1, 1)
    void = desk.results[1]
    assert (void["name"], void["outcome"], void["score"]) == ("double", "void", None)
    assert "its definition cannot be used" in void["void_reason"]
    assert "name: is an integer, must be a string" in void["void_reason"]
    assert len(desk.prepare().tasks.notes().left_out) > 1
    file.write_text(good, encoding="utf-8")
    assert desk.run().passed == 2


def test_a_verdict_outlives_the_breaking_of_its_definition(desk):
    desk.write(line("right", "repeat"), line("right", "double"))
    desk.run()
    file = desk.definitions / "maths" / "double" / "definition.toml"
    file.write_text("[code_generation]\nname = 5\n", encoding="utf-8")
    assert desk.prepare().to_judge == 0
    assert desk.run().passed == 2


def test_files_that_will_not_do_are_refused(desk, tmp_path):
    assert "cannot be read" in refused(desk)
    desk.write(line("right"))
    desk.output = desk.answers
    assert "is the input" in refused(desk)
    desk.output = tmp_path
    assert "is not a file" in refused(desk)
    desk.answers, desk.output = tmp_path, tmp_path / "out.jsonl"
    assert "is not a file" in refused(desk)


# Going on


def test_lines_already_in_the_output_are_not_judged_again(desk):
    desk.write(line("right 1"), line("right 2"))
    desk.run()
    desk.write(line("right 1"), line("right 2"), line("half"))
    tally = desk.run()
    assert desk.judged == ["half"]
    assert (tally.passed, tally.failed) == (2, 1)
    assert len(desk.results) == 3


def test_a_last_line_that_was_cut_off_is_judged_again(desk):
    desk.write(line("right 1"), line("right 2"), line("right 3"))
    desk.run()
    whole = desk.output.read_bytes()
    for cut in range(len(whole) - 1, len(whole) - 40, -7):
        desk.output.write_bytes(whole[:cut])
        desk.run()
        assert desk.judged == ["right 3"]
        assert desk.output.read_bytes() == whole


def test_an_output_of_another_input_is_refused(desk):
    desk.write(line("right"), line("half"))
    desk.run()
    desk.write(line("right"), line("half", "repeat"))
    assert "line 2: is no verdict on line 2 of the answers (task 'repeat')" in refused(desk)
    desk.write(line("right"), line("half "))  # the same task, another answer
    assert "belongs to another input" in refused(desk)
    desk.write(line("right"))
    assert "has more lines than" in refused(desk)
    desk.output.write_text("not a verdict\n", encoding="utf-8")
    assert "line 1: is no verdict" in refused(desk)


def test_void_lines_are_judged_again_in_their_places(desk):
    desk.write(line("right 1"), line("right 2"), line("half"), line("right 3"))
    tally = desk.run(lambda job: broken(job) if "right" in code_of(job) else honest(job))
    assert (tally.void, tally.failed) == (3, 1)
    assert [result["outcome"] for result in desk.results] == ["void", "void", "fail", "void"]
    assert "out of order" in desk.results[0]["void_reason"]
    tally = desk.run()
    assert desk.judged == ["right 1", "right 2", "right 3"]
    assert [result["outcome"] for result in desk.results] == ["pass", "pass", "fail", "pass"]
    assert (tally.void, tally.passed, tally.failed) == (0, 3, 1)


def test_lines_judged_by_another_definition_are_judged_again(desk):
    desk.write(line("right"), line("right", "repeat"))
    desk.run()
    file = desk.definitions / "text" / "repeat" / "definition.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("== 8", "== 9"), encoding="utf-8")
    assert desk.prepare().unsettled == 1
    desk.run()
    assert len(desk.judged) == 1
    assert desk.prepare().to_judge == 0


def test_ctrl_c_keeps_what_is_done_and_the_next_run_goes_on(desk):
    desk.write(*(line(f"right {n}") for n in range(10)))

    def interrupt(tally: BulkTally) -> None:
        if tally.lines == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        desk.run(on_progress=interrupt)
    assert len(desk.results) == 4
    desk.run()
    assert desk.judged == [f"right {n}" for n in range(4, 10)]
    assert [result["completion"] for result in desk.results] == [f"right {n}" for n in range(10)]


def test_ctrl_c_while_void_lines_are_judged_again_loses_nothing(desk):
    desk.write(*(line(f"right {n}") for n in range(6)))
    desk.run(broken)

    def interrupt(tally: BulkTally) -> None:
        if tally.lines == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        desk.run(on_progress=interrupt)
    assert [result["outcome"] for result in desk.results] == ["pass"] * 2 + ["void"] * 4
    assert list(desk.output.parent.glob(".*")) == []
    desk.run()
    assert desk.judged == [f"right {n}" for n in range(2, 6)]


def test_a_bug_in_the_judge_is_a_void_line_that_the_next_run_judges_again(desk):
    desk.write(line("right 1"), line("right 2"))

    def buggy(job: Job) -> Execution:
        if "2" in code_of(job):
            raise ZeroDivisionError
        return honest(job)

    assert desk.run(buggy).void == 1
    assert "ZeroDivisionError" in desk.results[1]["void_reason"]
    assert desk.run().void == 0
    assert desk.judged == ["right 2"]


def test_two_runs_do_not_write_to_one_output(desk):
    desk.write(line("right"))
    plan = desk.prepare()

    def second(_tally: BulkTally) -> None:
        with a_judge() as judge, pytest.raises(InputError, match="another run writes to it"):
            run(plan, judge)

    desk.run(on_progress=second)
    with a_judge() as judge, pytest.raises(InputError, match="was changed since it was checked"):
        run(plan, judge)
    assert len(desk.results) == 1


def test_answers_that_change_after_the_check_are_noticed(desk):
    desk.write(line("right"))
    plan = desk.prepare()
    desk.write("nonsense")
    with a_judge() as judge, pytest.raises(InputError, match="line 1: was changed since it was checked"):
        run(plan, judge)


# Judging once, and many at a time


def test_equal_code_for_the_same_test_case_is_judged_once(desk):
    code = "```julia\nright\n```"
    same = (line(code), line(f"Other words.\n{code}\nBye."), line(code, copy=True))
    desk.write(*same, line(code, "repeat"), line("```julia\nright 2\n```"))
    desk.run()
    assert desk.judged == ["right\n", "right\n", "right 2\n"]
    assert len({json.dumps(result["blocks"]) for result in desk.results[:3]}) == 1


def test_equal_code_is_shared_while_it_is_still_being_judged(desk):
    others_are_asked = threading.Event()

    def slow(job: Job) -> Execution:
        if "half" in code_of(job):
            others_are_asked.set()
        assert others_are_asked.wait(10)
        return honest(job)

    desk.write(*(line("right", copy=n) for n in range(20)), line("half"))
    desk.run(slow, workers=2)
    assert sorted(desk.judged) == ["half", "right"]
    assert len(desk.results) == 21


def test_a_void_verdict_is_never_reused(desk):
    desk.write(line("right", n=1), *[line(f"half {n}") for n in range(70)], line("right", n=2))
    calls = {"right": 0}

    def flaky(job: Job) -> Execution:
        if "right" in code_of(job):
            calls["right"] += 1
            if calls["right"] == 1:
                raise SandboxError("once")
        return honest(job)

    desk.run(flaky)
    assert (desk.results[0]["outcome"], desk.results[-1]["outcome"]) == ("void", "pass")


def test_many_workers_give_the_same_lines_in_the_same_order(desk):
    desk.write(*(line(f"{'right' if n % 3 else 'half'} {n % 90}", id=n) for n in range(300)))
    desk.run(workers=4)
    assert [result["id"] for result in desk.results] == list(range(300))
    assert all((result["outcome"] == "pass") == (result["id"] % 3 != 0) for result in desk.results)
    assert len(desk.judged) == 90


def test_several_answers_are_judged_at_the_same_time(desk):
    meeting = threading.Barrier(3, timeout=10)

    def wait_for_the_others(job: Job) -> Execution:
        meeting.wait()
        return honest(job)

    desk.write(*(line(f"right {n}") for n in range(3)))
    assert desk.run(wait_for_the_others, workers=3).passed == 3


def test_what_is_remembered_is_bounded_and_the_oldest_goes_first():
    memory = Remembered(10)
    for key in "abc":
        memory.add(key, Verdict(text="1234", summary=PASSES))
        memory.get("a")
    assert [key for key in "abc" if memory.get(key)] == ["a", "c"]
    memory.add("d", Verdict(text="much too long", summary=PASSES))
    assert not any(memory.get(key) for key in "abcd")


def test_an_answer_is_under_way_no_longer_than_it_is_judged(desk, monkeypatch):
    made: list[Verdicts] = []
    init = Verdicts.__init__
    monkeypatch.setattr(Verdicts, "__init__", lambda self, *a, **b: made.append(self) or init(self, *a, **b))
    desk.write(*(line(f"right {n}") for n in range(5)))
    desk.run()
    (verdicts,) = made
    assert verdicts._under_way == {}, "or every line would stay in memory"


def test_memory_does_not_grow_with_the_number_of_lines(desk):
    def peak(count: int) -> int:
        desk.output.unlink(missing_ok=True)
        desk.write(*(line(f"# {n % 40}\n```julia\nright {'x' * 2000}\n```", id=n) for n in range(count)))
        plan = desk.prepare()
        with a_judge(lambda job: facts(job.test_case)) as judge:
            tracemalloc.start()
            try:
                run(plan, judge)
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

    few, many = peak(200), peak(2000)
    assert many < few + 200_000, f"{few} bytes for 200 lines, {many} for 2000"
