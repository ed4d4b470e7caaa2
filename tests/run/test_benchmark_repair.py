"""Repair rounds: what a model is told, what it is never told, and what is stored."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark_world import RIGHT, WRONG, World, always, last_message, priced, replies, told_judge
from codejury.judge.judge import Judge
from codejury.judge.score import assess
from codejury.options import RunOptions
from codejury.records import Block, BlockKind, Ending, Evaluation, Execution, Job, TestCase
from codejury.results.index.load import load_evaluations
from codejury.results.statistics.repairs import after_repairs
from codejury.results.statistics.tables import leaderboard
from codejury.run.benchmark import Benchmark
from codejury.run.events import Asked, Judged
from codejury.run.repair import feedback, load_repair_template, output_without_tests
from fakes import a_case, facts, honest
from servers import HostileServer, Request


@pytest.fixture
def world(tmp_path: Path, definitions: Path) -> World:
    return World(tmp_path, definitions)


REPAIR = {"strategy": "repair", "rounds": 2, "case": "double"}
USAGE = {"prompt_tokens": 1000, "completion_tokens": 0}


def learns_after(tries: int) -> HostileServer:
    """A model that is right once it was told so many times that it is wrong."""

    def choose(request: Request) -> str:
        said = sum(message["role"] == "assistant" for message in request.body["messages"])
        return RIGHT if said >= tries else WRONG

    return HostileServer(replies(choose, usage=USAGE))


def strategies(world: World) -> list[tuple[str, str]]:
    return [(s.request.prompt_strategy, s.outcome) for s in world.samples()]


def test_a_model_that_repairs_itself_is_asked_until_it_passes(world):
    with learns_after(1) as server:
        found = world.run("mine", configuration=priced(server, "mine", usd=10), **REPAIR)
    assert len(server.requests) == 2, "what passes is not repaired"
    assert sorted(strategies(world)) == [("1CODEFIXER__CodeFixerTiny", "pass"), ("1SHOT", "fail")]
    assert [(e["round"], e["sample"], e["outcome"]) for e in found] == [(0, 0, "fail"), (1, 0, "pass")]
    assert [e["cost"] for e in found] == [pytest.approx(0.01)] * 2, "each round has its own cost"
    assert [event.is_last for event in world.told(Judged)] == [False, True]


def test_the_standings_of_a_run_are_what_the_board_shows_after_each_round(world):
    """Samples of unequal number, of which some pass at once: rounds are never averaged with first tries."""

    def choose(request: Request) -> str:
        said = sum(message["role"] == "assistant" for message in request.body["messages"])
        return RIGHT if said or len(server.requests) % 3 == 0 else WRONG

    with HostileServer(replies(choose, usage=USAGE)) as server:
        configuration = priced(server, "mine", usd=10)
        world.run("mine", configuration=configuration, **REPAIR, samples=3)
        world.run("mine", configuration=configuration, **REPAIR, samples=5)
        options = RunOptions.of(
            model="mine", prompt="InJulia", definitions=world.definitions, save_dir=world.save_dir,
            **REPAIR, samples=5,
        )  # fmt: skip
        standings = Benchmark(options, configuration=configuration).standings()
    frame = load_evaluations(world.save_dir, cache=False)
    assert frame["round"].max() == 1
    assert standings[1].mean_score > standings[0].mean_score, "repair helped"
    for standing in standings:
        counted = after_repairs(frame, standing.round) if standing.round else frame
        (row,) = leaderboard(counted).to_dicts()
        assert row["score"] == pytest.approx(standing.mean_score)
        assert row["solved"] == pytest.approx(100 * standing.strict_rate)
        assert row["samples"] == standing.judged == 5
        assert row["cost"] * 5 == pytest.approx(standing.cost)


def test_a_round_holds_the_whole_conversation(world):
    with learns_after(2) as server:
        world.run("mine", base_url=server.base_url, **REPAIR)
    (file,) = world.files("conversation__InJulia__2CODEFIXER__CodeFixerTiny__*")
    kinds = [message["_type"].removesuffix("message") for message in json.loads(file.read_text())]
    assert kinds == ["user", "ai", "user", "ai", "user", "ai"]
    sent = [message["role"] for message in server.requests[2].body["messages"]]
    assert sent == ["user", "assistant", "user", "assistant", "user"]
    assert "It does not parse" in last_message(server.requests[2])


def test_repairs_end_after_the_rounds_that_were_asked_for(world):
    with learns_after(99) as server:
        world.run("mine", base_url=server.base_url, samples=3, **REPAIR)
        assert len(server.requests) == 9
        world.run("mine", base_url=server.base_url, samples=3, **REPAIR)
        assert len(server.requests) == 9, "a chain that is over is over"
        world.run("mine", base_url=server.base_url, samples=3, **REPAIR | {"rounds": 3})
        assert len(server.requests) == 12


def test_first_tries_of_an_earlier_run_are_repaired_and_not_asked_again(world):
    with learns_after(1) as server:
        world.run("mine", base_url=server.base_url, case="double", samples=2)
        world.run("mine", base_url=server.base_url, samples=2, **REPAIR)
        assert len(server.requests) == 4
    assert [event.which.round for event in world.told(Asked)] == [1, 1]


def test_a_chain_that_was_cut_in_the_middle_goes_on_with_the_same_words(world):
    with learns_after(2) as server:
        world.run("mine", base_url=server.base_url, **REPAIR)
        for file in world.files("evaluation__InJulia__1CODEFIXER*") + world.files("*2CODEFIXER*"):
            file.unlink()
        world.run("mine", base_url=server.base_url, **REPAIR)
    assert len(server.requests) == 4
    assert server.requests[3].body == server.requests[2].body


def test_a_repair_goes_on_with_the_question_that_was_asked_also_under_another_julia(world):
    with learns_after(1) as server:
        with told_judge(julia_version="1.5.3") as judge:
            world.run("mine", judge, base_url=server.base_url, case="double")
        with told_judge(julia_version="1.12.1") as judge:
            found = world.run("mine", judge, base_url=server.base_url, **REPAIR)
    first, repair = server.requests
    assert repair.body["messages"][0] == first.body["messages"][0]
    assert [(e["round"], e["asked_julia_version"]) for e in found] == [(0, "1.5"), (1, "1.5")]


def test_the_limit_counts_repairs_too(world):
    with learns_after(99) as server:
        world.run("mine", base_url=server.base_url, limit=2, **REPAIR)
        assert len(server.requests) == 2


def test_other_words_of_the_repair_are_another_question(world):
    with learns_after(99) as server:
        world.run("mine", base_url=server.base_url, **REPAIR)
    first, second, _ = sorted(world.samples(), key=lambda sample: sample.request.round)
    assert first.request.prompt_hash != second.request.prompt_hash


# What a model is told


def judged(case: TestCase, execution: Execution) -> Evaluation:
    return assess(execution, case)


def with_block(case: TestCase, kind: BlockKind, index: int, **changes: Any) -> Evaluation:
    """All is well, but for one block."""
    execution = facts(case)
    blocks = [
        replace(block, **changes) if (block.kind, block.index) == (kind, index) else block
        for block in execution.blocks
    ]
    return judged(case, replace(execution, blocks=tuple(blocks)))


def test_code_that_does_not_load_is_told_with_its_line():
    main = Block(
        kind=BlockKind.MAIN,
        index=0,
        ending=Ending.ERRORED,
        error_type="UndefVarError",
        message="`y` is not defined",
        line=2,
    )
    case = a_case()
    broken = facts(case, executed=False, stdout="so far\n")
    code = replace(broken.extraction, code="x = 1\n  z = y\n")
    evaluation = judged(case, replace(broken, blocks=(main, *broken.blocks[1:]), extraction=code))
    told = feedback(evaluation, case, "", printed="so far\n")
    assert told == (
        "It fails when it is loaded, at line 2:\n\n    z = y\n\nUndefVarError: `y` is not defined\n\n"
        "It printed:\n\n    so far"
    )


def test_a_failed_test_is_told_without_what_was_expected():
    evaluation = with_block(
        a_case(), BlockKind.UNIT_TEST, 1, ending=Ending.FAILED, error_type="TestFailed", message="got 3 == 4"
    )
    assert feedback(evaluation, a_case(), "") == "1 of 4 unit tests does not pass:\n- a wrong result"


def test_an_error_in_a_test_is_told_with_its_message_unless_that_repeats_the_test():
    case = a_case(unit_tests=('@test double("secret") == "secretsecret"',))
    known = "Write a function `double`."

    def told(message: str) -> str:
        error = {"ending": Ending.ERRORED, "error_type": "MethodError", "message": message}
        return feedback(with_block(case, BlockKind.UNIT_TEST, 0, **error), case, known)

    assert told("no method matching double(::String)").endswith(
        "- MethodError: no method matching double(::String)"
    )
    assert told('cannot double "secret"').endswith("\n- MethodError")


def test_equal_errors_are_told_once_and_many_are_cut():
    case = a_case(unit_tests=tuple(f"@test double({n}) == 0" for n in range(10)))
    execution = facts(case)
    blocks = [
        replace(block, ending=Ending.ERRORED, error_type=f"Error{'ABCDEFGHIJ'[block.index // 2]}")
        if block.kind is BlockKind.UNIT_TEST
        else block
        for block in execution.blocks
    ]
    told = feedback(judged(case, replace(execution, blocks=tuple(blocks))), case, "")
    assert told.splitlines() == [
        "10 of 10 unit tests do not pass:",
        "- ErrorA",
        "- ErrorB",
        "- ErrorC",
        "- and 2 other errors",
    ]


def test_a_failed_example_a_time_out_and_tampering_are_told():
    case = a_case()
    example = with_block(
        case, BlockKind.EXAMPLE, 0, ending=Ending.ERRORED, error_type="KeyError", message="key 1 not found"
    )
    assert "1 of 2 example calls does not pass:\n- KeyError: key 1 not found" in feedback(example, case, "")
    slow = with_block(
        case, BlockKind.UNIT_TEST, 0, ending=Ending.TIMED_OUT, message="still running after 10 s"
    )
    assert "- it did not end in time" in feedback(slow, case, "")
    sly = judged(case, replace(facts(case), tampering=("redefined Base.==",)))
    assert "interferes" in feedback(sly, case, "")


# Letters of which no word of our own feedback is made.
words = st.text(alphabet="qvxzjk79", min_size=2, max_size=6)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(words, min_size=1, max_size=8), st.lists(words, max_size=8), st.data())
def test_no_word_of_a_test_reaches_a_model_that_did_not_know_it(test, message, data):
    case = a_case(unit_tests=(" ".join(test),))
    ending = data.draw(st.sampled_from([Ending.FAILED, Ending.ERRORED, Ending.DIED]))
    evaluation = with_block(
        case, BlockKind.UNIT_TEST, 0, ending=ending, error_type="E", message=" ".join(message)
    )
    known = " ".join(data.draw(st.lists(st.sampled_from(test), max_size=3)))
    told = set(feedback(evaluation, case, known).replace("1 of 1", "").split())
    assert not (set(test) - set(known.split())) & (told & set(message))


def test_the_repair_template_asks_for_the_whole_code():
    template = load_repair_template()
    assert template.label == "CodeFixerTiny"
    assert "{{" not in template.fill_in("what was found")
    assert "what was found" in template.fill_in("what was found")


# Output


def test_output_is_shown_from_a_run_without_the_tests():
    def prints_more_when_tested(job: Job) -> Execution:
        return facts(
            job.test_case, stdout="hello\n" + "expected 42\n" * bool(job.test_case.unit_tests), tests=()
        )

    case = a_case()
    with told_judge(prints_more_when_tested) as judge:
        evaluation = judge.evaluate("right", case)
        assert evaluation.execution is not None
        assert "expected 42" in evaluation.execution.stdout
        assert output_without_tests("right", evaluation, case, judge) == "hello\n"


def test_silent_code_is_not_run_twice():
    runs = []

    def silent(job: Job) -> Execution:
        runs.append(job)
        return honest(job)

    with told_judge(silent) as judge:
        evaluation = judge.evaluate("half", a_case())
        assert output_without_tests("half", evaluation, a_case(), judge) == ""
    assert len(runs) == 1


def test_code_that_prints_what_it_is_compared_with_learns_nothing_from_it():
    case = a_case(
        name="answer",
        prompt="Write answer().",
        examples=("answer()",),
        unit_tests=("@test answer() == 271828",),
        reference_solution="answer() = 271828",
    )
    spy = (
        "struct Spy end\n"
        "Base.:(==)(::Spy, other) = (println(other); false)\n"
        "Base.:(==)(other, ::Spy) = (println(other); false)\n"
        'answer() = (println("asked"); Spy())'
    )
    with Judge() as judge:
        answer = f"```julia\n{spy}\n```"
        evaluation = judge.evaluate(answer, case)
        printed = output_without_tests(answer, evaluation, case, judge)
    told = feedback(evaluation, case, answer, printed=printed)
    assert "271828" not in told
    assert "asked" in told
    assert "1 of 1 unit tests does not pass" in told


def test_the_standings_count_answers_behind_a_linked_folder(world, tmp_path):
    with always(RIGHT) as server:
        world.run("mine", base_url=server.base_url, case="double", prompt="AsIs", samples=1)
    category = world.save_dir / world.samples()[0].request.category
    category.rename(tmp_path / "elsewhere")
    category.symlink_to(tmp_path / "elsewhere")
    options = RunOptions.of(
        model="mine", base_url=server.base_url, case="double", prompt="AsIs", samples=1,
        definitions=world.definitions, save_dir=world.save_dir,
    )  # fmt: skip
    (standing,) = Benchmark(options).standings()
    assert (standing.judged, standing.mean_score) == (1, 100.0)
