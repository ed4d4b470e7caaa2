"""Runs against real HTTP servers on loopback: what is asked, what is stored, what happens when it breaks."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import codejury
from benchmark_world import RIGHT, WRONG, World, always, last_message, priced, refuses, replies, told_judge
from codejury.errors import InputError, SandboxError, ToolchainError
from codejury.judge.judge import Judge
from codejury.judge.score import void
from codejury.options import RunOptions
from codejury.records import Completion, Evaluation, Execution, Job, TestCase
from codejury.run.benchmark import Benchmark, run_benchmark, stopping_on, stream_benchmark
from codejury.run.combinations import combine
from codejury.run.events import (
    Answered,
    Asked,
    BeganJudging,
    Finished,
    Judged,
    LimitReached,
    ModelFailed,
    Noted,
    Planned,
    RequestFailed,
    Retried,
    Stopping,
    Voided,
)
from codejury.run.loop import StopRequest
from codejury.store.read import read_conversation, read_evaluation
from codejury.store.write import write_conversation
from codejury.suite.load import load_definition
from codejury.suite.save import save_definition
from codejury.suite.suite import Suite
from servers import HostileServer, Request, hangs_up, says, status


@pytest.fixture
def world(tmp_path: Path, definitions: Path) -> World:
    return World(tmp_path, definitions)


def test_answers_are_asked_for_judged_and_stored_as_the_contract_says(world):
    with always(RIGHT, usage={"prompt_tokens": 100, "completion_tokens": 50}) as server:
        found = world.run("mine", samples=2, configuration=priced(server, "mine"), device="desk")
    assert len(server.requests) == 4
    assert [(e["name"], e["outcome"], e["score"], e["sample"]) for e in found] == [
        ("double", "pass", 100.0, 0),
        ("double", "pass", 100.0, 1),
        ("repeat", "pass", 100.0, 0),
        ("repeat", "pass", 100.0, 1),
    ]
    assert {(e["model"], e["device"], e["category"]) for e in found} == {
        ("mine", "desk", "maths"),
        ("mine", "desk", "text"),
    }
    assert all(e["cost"] == pytest.approx(150e-6) and e["tokens"] == [100, 50] for e in found)
    assert all(sample.has_conversation and sample.has_evaluation for sample in world.samples())
    assert len(world.samples()) == 4


def test_a_second_run_asks_nobody_and_gives_the_same(world):
    with always(RIGHT) as server:
        first = world.run("mine", samples=3, base_url=server.base_url)
        again = world.run("mine", samples=3, base_url=server.base_url)
        assert len(server.requests) == 6
        more = world.run("mine", samples=5, base_url=server.base_url)
        assert len(server.requests) == 10
    assert again == first
    assert [e["sample"] for e in more] == [0, 1, 2, 3, 4] * 2


def test_a_question_names_the_judges_julia_and_both_files_say_which(world):
    with always(RIGHT) as server, told_judge(julia_version="1.13.0-rc3") as judge:
        found = world.run("mine", judge, base_url=server.base_url, prompt=["InJulia", "AsIs"], case="double")
    assert [e["asked_julia_version"] for e in found] == ["1.13", ""], "the bare prompt names none"
    questions = [last_message(request) for request in server.requests]
    assert sum("code will run on Julia 1.13)" in question for question in questions) == 1
    stored = {
        said[-1]["codejury"]["asked_julia_version"]: said[0]["content"] for said in world.conversations()
    }
    assert "Julia 1.13" in stored["1.13"]
    assert "Julia 1." not in stored[""]


def test_what_is_stored_counts_under_another_julia_and_only_new_questions_name_it(world):
    with always(RIGHT) as server:
        with told_judge(julia_version="1.5.3") as judge:
            world.run("mine", judge, base_url=server.base_url, samples=1, case="double")
        with told_judge(julia_version="1.12.1") as judge:
            world.run("mine", judge, base_url=server.base_url, samples=1, case="double")
            assert len(server.requests) == 1
            found = world.run("mine", judge, base_url=server.base_url, samples=2, case="double")
    assert len(server.requests) == 2
    assert [e["asked_julia_version"] for e in found] == ["1.5", "1.12"]


def test_a_question_that_must_name_the_julia_is_not_asked_where_the_judge_does_not_say(world):
    class Mute:
        """A judge of somebody's own, without a version."""

        def evaluate(self, answer: str, test_case: TestCase) -> Evaluation:
            raise AssertionError("nothing was asked")

    with always(RIGHT) as server, pytest.raises(InputError, match="InJulia names the Julia version"):
        world.run("mine", Mute(), base_url=server.base_url)
    assert server.requests == []


def test_one_model_fails_at_once_while_the_other_finishes(world):
    def choose(request: Request) -> Any:
        return refuses(request) if request.body["model"] == "locked" else RIGHT

    with HostileServer(replies(choose)) as server:
        found = world.run(
            ["locked", "open"], samples=20, base_url=server.base_url, max_connections=2, prompt="AsIs"
        )
    (failure,) = world.told(ModelFailed)
    assert failure.model == "locked"
    assert "no such key for locked" in failure.what
    asked = [request.body["model"] for request in server.requests]
    assert asked.count("open") == len(found) == 40
    assert asked.count("locked") <= 2, "no more than were under way at the first refusal"
    assert failure.unasked + len(world.told(RequestFailed)) == 40
    assert not world.files("*/*/locked/*")


def test_a_model_without_a_key_does_not_keep_the_others_from_being_asked(world, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    found = world.run(["openai/gpt-4o", "baseline/stub"])
    assert {e["model"] for e in found} == {"baseline/stub"}
    (failure,) = world.told(ModelFailed)
    assert "OPENAI_API_KEY" in failure.what
    assert failure.unasked == 2
    with pytest.raises(InputError, match=r"no key: set OPENAI_API_KEY[\s\S]*no provider `opnai`"):
        world.run(["openai/gpt-4o", "opnai/gpt-4o"])


def test_a_refused_request_costs_only_itself_and_is_asked_again_by_the_next_run(world):
    too_long = status(400, {"error": {"message": "maximum context length is 10 tokens"}})

    def choose(request: Request) -> Any:
        return too_long if "double" in last_message(request) else RIGHT

    with HostileServer(replies(choose)) as server:
        found = world.run("mine", samples=2, base_url=server.base_url)
        assert [e["name"] for e in found] == ["repeat", "repeat"]
        assert len(world.told(RequestFailed)) == 2
        assert not world.told(ModelFailed)
        assert len(world.samples()) == 2, "a failed request leaves no file"
        server.script = (says(RIGHT),)
        assert len(world.run("mine", samples=2, base_url=server.base_url)) == 4
    assert len(server.requests) == 6


def test_a_broken_connection_is_retried_and_told(world):
    with HostileServer(hangs_up(), says(RIGHT)) as server:
        configuration = priced(server, "mine", tries=2)
        found = world.run("mine", case="double", configuration=configuration)
    assert [e["retries"] for e in found] == [1]
    (retry,) = world.told(Retried)
    assert retry.model == "mine"
    (answer,) = world.told(Answered)
    assert answer.retries == 1


def test_a_server_that_is_down_is_given_up_after_some_requests(world):
    with always(status(500)) as server:
        configuration = priced(server, "mine", max_connections=1)
        assert world.run("mine", samples=30, configuration=configuration) == []
    assert 10 <= len(server.requests) <= 11, "one more was on its way"
    (failure,) = world.told(ModelFailed)
    assert failure.unasked + len(world.told(RequestFailed)) == 60
    assert "10 requests in a row" in failure.what


def test_a_plug_in_that_fails_in_its_own_way_takes_only_itself_down(world):
    class Broken:
        name = "broken"

        async def complete(self, *args: Any, **options: Any) -> Any:
            raise ZeroDivisionError("oh")

    options = RunOptions.of(
        model=["baseline/stub", "baseline/reference"],
        prompt="AsIs",
        definitions=world.definitions,
        save_dir=world.save_dir,
    )
    benchmark = Benchmark(options)
    first, second = benchmark.resolved_models
    resolved_models = [replace(first, model=Broken(), name="broken"), second]
    benchmark.combinations = combine(options, resolved_models, Suite.below(world.definitions))
    with told_judge() as judge, benchmark.alone():
        tally = benchmark.run(benchmark.plan(), judge=judge, on_event=world.events.append)
    assert "ZeroDivisionError: oh" in tally.models["broken"].problem
    assert tally.models["baseline/reference"].done == 2
    assert not tally.all_is_well


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("just a text", "complete() returned str, not a Completion"),
        (Completion(text=None), "whose text is NoneType"),
        (Completion(text=RIGHT, cost="free"), "whose cost is str"),
        (Completion(text=RIGHT, elapsed_seconds=float("nan")), "whose elapsed_seconds is nan"),
    ],
)
def test_a_plug_in_that_answers_with_the_wrong_type_is_named_and_the_others_go_on(world, answer, told):
    class Odd:
        name = "odd"

        async def complete(self, *args: Any, **options: Any) -> Any:
            return answer

    options = RunOptions.of(
        model=["baseline/stub", "baseline/reference"],
        prompt="AsIs",
        definitions=world.definitions,
        save_dir=world.save_dir,
    )
    benchmark = Benchmark(options)
    first, second = benchmark.resolved_models
    odd = replace(first, model=Odd(), name="odd")
    benchmark.combinations = combine(options, [odd, second], Suite.below(world.definitions))
    with told_judge() as judge, benchmark.alone():
        tally = benchmark.run(benchmark.plan(), judge=judge)
    assert told in tally.models["odd"].problem
    assert tally.models["odd"].problem.startswith("odd: ")
    assert tally.models["baseline/reference"].done == 2


def test_why_candidates_are_not_forked_is_told_when_the_judge_is_ready(world):
    class Cold:
        level, julia_version, note = "L3", "1.10.4", "one process per candidate: sleep fails"

        def evaluate(self, answer: str, test_case: TestCase) -> Evaluation:
            return void(test_case, "not the point")

    world.run("baseline/reference", Cold())
    assert [event.what for event in world.told(Noted)] == [Cold.note]


def test_a_sandbox_that_returns_the_wrong_type_makes_void_verdicts_and_is_named(world):
    with told_judge(lambda job: "fine") as judge:  # type: ignore[arg-type, return-value]
        world.run("baseline/reference", judge)
    assert [event.reason for event in world.told(Voided)] == [
        "the sandbox failed: FakeSandbox returned str, not an Execution"
    ] * 2


def test_the_next_run_removes_what_a_killed_writer_has_left(world):
    left = world.save_dir / "maths" / "double" / ".codejury-0123456789abcdef"
    left.parent.mkdir(parents=True)
    left.write_text("half", encoding="utf-8")
    world.run("baseline/stub")
    assert left.exists(), "it is young, and may belong to a writer that lives"
    os.utime(left, (0, 0))
    world.run("baseline/stub")
    assert not left.exists()


def test_a_conversation_without_an_evaluation_is_judged_and_not_asked_again(world):
    options = {"prompt": "InJulia", "definitions": world.definitions, "save_dir": world.save_dir}
    benchmark = Benchmark(RunOptions.of(model="baseline/stub", samples=1, **options))
    for combination in benchmark.combinations:
        completion = Completion(text=RIGHT, cost=0.25)
        write_conversation(
            world.save_dir, combination.request(0), combination.prompt("1.10").messages, [completion]
        )
    found = world.run("baseline/stub")
    assert world.told(Asked) == []
    assert [(e["outcome"], e["cost"]) for e in found] == [("pass", 0.25)] * 2


def test_a_void_verdict_is_judged_again_by_the_next_run_and_the_old_one_is_kept(world):
    def broken(job: Job) -> Execution:
        raise SandboxError("no more processes")

    with always(RIGHT) as server, told_judge(broken) as judge:
        assert world.run("mine", judge, base_url=server.base_url) == []
        assert [event.reason for event in world.told(Voided)] == ["the sandbox failed: no more processes"] * 2
        found = world.run("mine", base_url=server.base_url)
        assert len(server.requests) == 2
    assert [e["outcome"] for e in found] == ["pass", "pass"]
    assert len(world.files("superseded__*")) == 2


def test_an_evaluation_that_cannot_be_read_is_made_again_from_its_conversation(world):
    with always(RIGHT) as server:
        world.run("mine", base_url=server.base_url)
        world.files("evaluation__*")[0].write_text("{", encoding="utf-8")
        found = world.run("mine", base_url=server.base_url)
        assert len(server.requests) == 2
    assert [e["outcome"] for e in found] == ["pass", "pass"]


def test_an_answer_that_is_lost_without_a_verdict_is_asked_for_again(world):
    def broken(job: Job) -> Execution:
        raise SandboxError("no")

    with always(RIGHT) as server, told_judge(broken) as judge:
        world.run("mine", judge, case="double", base_url=server.base_url)
        for file in world.files("conversation__*"):
            file.unlink()
        assert len(world.run("mine", case="double", base_url=server.base_url)) == 1
        assert len(server.requests) == 2


def test_a_judge_that_cannot_start_ends_the_run_before_anybody_is_asked(world):
    def no_julia() -> Any:
        raise ToolchainError("no Julia was found")

    with always(RIGHT) as server:
        with Judge(sandbox_factory=no_julia) as judge, pytest.raises(ToolchainError, match="no Julia"):
            world.run("mine", judge, samples=50, base_url=server.base_url)
        assert server.requests == []


def test_a_judge_that_breaks_down_ends_the_run_and_every_answer_is_kept(world):
    class Breaks:
        julia_version = "1.10.4"

        def evaluate(self, answer: str, test_case: Any) -> Any:
            raise ToolchainError("Julia is gone")

    with always(RIGHT) as server:
        with pytest.raises(ToolchainError, match="Julia is gone"):
            world.run("mine", Breaks(), samples=50, base_url=server.base_url)
        kept = len(world.samples())
        assert kept == len(server.requests) > 0
        world.run("mine", samples=50, base_url=server.base_url)
        assert len(server.requests) == 100, "what was answered is not asked again"
    assert len(world.samples()) == 100


def test_each_sample_has_its_own_seed(world):
    with always(RIGHT) as server:
        world.run("mine", samples=3, case="double", seed=40, base_url=server.base_url)
        found = world.run("mine", samples=2, case="double", seed=42, base_url=server.base_url)
    assert sorted(request.body["seed"] for request in server.requests) == [40, 41, 42, 43]
    assert [e["seed"] for e in found] == [42, 43], "42 was there already"


def test_repeated_values_make_a_grid_that_is_sent_and_recorded(world):
    with always(RIGHT) as server:
        found = world.run(
            "mine",
            case="double",
            temperature=[0.2, 0.7],
            top_p=[0.5, 1],
            max_tokens=64,
            experiment="scan",
            base_url=server.base_url,
        )
    wanted = [{"temperature": t, "top_p": p, "max_tokens": 64} for t in (0.2, 0.7) for p in (0.5, 1.0)]
    assert [e["parameters"] for e in found] == wanted
    assert {e["experiment"] for e in found} == {"scan"}
    sent = [{key: request.body[key] for key in wanted[0]} for request in server.requests]
    assert sorted(sent, key=json.dumps) == sorted(wanted, key=json.dumps)


def test_other_words_parameters_or_experiments_are_other_questions(world):
    with always(RIGHT) as server:

        def requests(**options: Any) -> int:
            before = len(server.requests)
            world.run("mine", case="double", base_url=server.base_url, **options)
            return len(server.requests) - before

        assert requests() == 1
        assert requests(experiment="other") == 1
        assert requests(temperature=0.5) == 1
        assert requests(device="elsewhere") == 0, "the machine is recorded, and changes no question"
        path = world.definitions / "maths" / "double" / "definition.toml"
        save_definition(replace(load_definition(path), version="1.1"), path)
        assert requests() == 1


def test_a_template_with_other_words_is_another_question(world, tmp_path):
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    template = 'version = "1.0"\ndescription = "mine"\nsystem = ""\nuser = "{}: {{{{task}}}}"\n'

    def requests(words: str, server: HostileServer) -> int:
        (prompts / "Mine.toml").write_text(template.format(words), encoding="utf-8")
        before = len(server.requests)
        world.run("mine", prompt="Mine", prompt_dir=prompts, case="double", base_url=server.base_url)
        return len(server.requests) - before

    with always(RIGHT) as server:
        assert [requests(words, server) for words in ("Please", "Please", "Kindly")] == [1, 0, 1]


def test_a_limit_is_never_passed_and_the_rest_is_left_to_the_next_run(world):
    with always(RIGHT) as server:
        found = world.run(["a", "b"], samples=5, limit=6, base_url=server.base_url)
        assert len(server.requests) == 6
        assert {(e["model"], e["name"]) for e in found} == {
            (model, name) for model in "ab" for name in ("double", "repeat")
        }, "a run cut short has a little of everything"
        assert world.told(LimitReached) == [], "the plan was made for it"
        world.run(["a", "b"], samples=5, base_url=server.base_url)
        assert len(server.requests) == 20


def test_as_many_requests_run_at_once_as_connections_are_allowed(world):
    with always(RIGHT, after=0.1) as server:
        world.run("mine", samples=8, base_url=server.base_url, max_connections=8)
    assert server.most_at_once == 8


def test_the_events_of_a_run_add_up(world):
    def choose(request: Request) -> Any:
        return RIGHT if "double" in last_message(request) else WRONG

    with HostileServer(replies(choose)) as server:
        world.run("mine", samples=3, base_url=server.base_url)
    assert isinstance(world.events[0], Planned)
    assert isinstance(world.events[-1], Finished)
    assert len(world.told(Asked)) == len(world.told(Answered)) == len(world.told(Judged)) == 6
    assert [event.score for event in world.told(Judged)].count(100.0) == 3
    begun = [event.which for event in world.told(BeganJudging)]
    assert all(event.which in begun for event in world.told(Judged))
    assert len(begun) == len(world.told(Judged))
    for event in world.told(Answered):
        assert read_conversation(Path(event.file)).answer in (RIGHT, WRONG)
    for event in world.told(Judged):
        assert read_evaluation(Path(event.file)).evaluation.outcome == event.outcome
    finished = world.events[-1]
    assert (finished.answered, finished.judged, finished.failed, finished.stopped) == (6, 6, 0, False)


def test_events_can_be_read_one_by_one_and_leaving_early_stops_the_run(world):
    options = {"prompt": "AsIs", "definitions": world.definitions, "save_dir": world.save_dir, "samples": 100}
    with always(RIGHT, after=0.02) as server, told_judge() as judge:
        events = stream_benchmark("mine", judge=judge, base_url=server.base_url, max_connections=4, **options)
        for event in events:
            if isinstance(event, Judged):
                break
        events.close()
        made = len(server.requests)
        assert 0 < made < 200
        assert len(world.samples()) > 0
    assert all(not thread.name.startswith("codejury-run") for thread in threading.enumerate())


def all_under_way(world: World, server: HostileServer, judge: Judge, **options: Any) -> Any:
    """The events of a run whose requests are under way."""
    places = {"prompt": "AsIs", "definitions": world.definitions, "save_dir": world.save_dir}
    events = stream_benchmark(
        "mine", judge=judge, base_url=server.base_url, max_connections=4, **places, **options
    )
    next(event for event in events if isinstance(event, Asked))
    while len(server.requests) < 4:  # what is not sent yet would not be waited for
        time.sleep(0.01)
    return events


def test_who_leaves_the_events_decides_how_long_requests_under_way_are_waited_for(world):
    with always(RIGHT, after=20.0) as server, told_judge() as judge:
        all_under_way(world, server, judge, samples=4, patience=0).close()
    assert world.files("conversation__*") == []
    with always(RIGHT, after=2.0) as server, told_judge() as judge:
        all_under_way(world, server, judge, samples=4).close()
        assert len(world.files("conversation__*")) == len(server.requests) == 4


def test_an_interrupt_while_requests_under_way_are_waited_for_gives_them_up(world):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with always(RIGHT, after=20.0) as server, told_judge() as judge:
            events = all_under_way(world, server, judge, samples=4)
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            with pytest.raises(KeyboardInterrupt):
                events.close()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert world.files("conversation__*") == []
    assert all(not thread.name.startswith("codejury-run") for thread in threading.enumerate())


def stoppable(world: World, **options: Any) -> Benchmark:
    places = {"definitions": world.definitions, "save_dir": world.save_dir, "prompt": "AsIs"}
    return Benchmark(RunOptions.of(model="baseline/reference", **places | options))


def test_an_answer_that_came_is_on_the_disk_though_the_run_is_stopped_while_it_is_written(world):
    stop = StopRequest()

    def stop_at_the_first(event: object) -> None:
        world.events.append(event)
        if isinstance(event, Answered):
            stop()

    benchmark = stoppable(world, samples=100, max_connections=64)
    with told_judge() as judge:
        benchmark.run(benchmark.plan(), judge=judge, on_event=stop_at_the_first, stop=stop)
    assert len(world.told(Asked)) >= 64
    assert len(world.files("conversation__*")) == len(world.told(Asked))
    assert world.events[-1].stopped


def test_a_stop_sends_nothing_more_and_waits_no_longer_than_it_is_told_to(world):
    stop = StopRequest()

    def stop_soon(event: object) -> None:
        world.events.append(event)
        if isinstance(event, Asked) and len(world.told(Asked)) == 1:
            threading.Timer(0.5, lambda: stop(1.0)).start()

    options = RunOptions.of(
        model="mine", definitions=world.definitions, save_dir=world.save_dir, prompt="AsIs", samples=20,
        base_url="http://127.0.0.1:1", max_connections=4,
    )  # fmt: skip
    with always(RIGHT, after=30.0) as server, told_judge() as judge:
        benchmark = Benchmark(replace(options, base_url=server.base_url))
        began = time.monotonic()
        benchmark.run(benchmark.plan(), judge=judge, on_event=stop_soon, stop=stop)
        assert time.monotonic() - began < 15
    assert len(server.requests) == 4, "what waited for its turn is not sent"
    stopping = world.told(Stopping)
    assert stopping[0].under_way == 4
    assert 0.5 < stopping[0].seconds <= 1.0


def test_sigterm_waits_less_long_than_ctrl_c():
    for number, most in ((signal.SIGINT, 60.0), (signal.SIGTERM, 10.0)):
        stop = StopRequest()
        with stopping_on([number], stop) as came:
            signal.raise_signal(number)
        assert came == [number]
        assert most - 5 < stop.seconds_left <= most


def test_no_verdict_is_written_once_the_judge_is_given_up(world):
    """Its sandbox is closed under the candidate then: what it says is not about the candidate."""
    stop, begun, go_on = StopRequest(), threading.Event(), threading.Event()

    def hangs(job: Job) -> Execution:
        begun.set()
        go_on.wait(20)
        raise SandboxError("closed")

    def stop_at_once() -> None:
        begun.wait(20)
        stop()
        stop()

    benchmark = stoppable(world, case="double", workers=1)
    others = set(threading.enumerate())  # judges of other tests
    impatient = threading.Thread(target=stop_at_once)
    impatient.start()
    with told_judge(hangs, workers=1) as judge:
        tally = benchmark.run(benchmark.plan(), judge=judge, stop=stop)
        go_on.set()
        impatient.join()
        while any(t.name.startswith("codejury-judge") for t in set(threading.enumerate()) - others):
            time.sleep(0.01)
    assert not tally.all_is_well
    assert len(world.files("conversation__*")) == 1
    assert world.files("evaluation__*") == []
    assert [e["outcome"] for e in world.run("baseline/reference", case="double", prompt="AsIs")] == ["fail"]


def test_an_error_in_a_callback_costs_no_answer_that_is_under_way(world):
    heard = []

    def fails(event: object) -> None:
        heard.append(event)
        if isinstance(event, Answered):
            raise BrokenPipeError

    with HostileServer(replies(lambda request: says(RIGHT, after=0.2 * request.body["seed"]))) as server:
        options = {"definitions": world.definitions, "save_dir": world.save_dir, "prompt": "AsIs"}
        options |= {"samples": 4, "seed": 0, "case": "double", "base_url": server.base_url}
        with told_judge() as judge, pytest.raises(BrokenPipeError):
            run_benchmark("mine", judge=judge, on_event=fails, **options)
        assert len(server.requests) == len(world.samples()) == 4
    assert isinstance(heard[-1], Answered), "it is told nothing more"


def test_an_error_in_a_callback_ends_the_run_and_reaches_the_caller(world):
    def show(event: object) -> None:
        if isinstance(event, Judged):
            raise BrokenPipeError

    options = {"definitions": world.definitions, "save_dir": world.save_dir}
    with told_judge() as judge, pytest.raises(BrokenPipeError):
        run_benchmark("baseline/stub", judge=judge, on_event=show, **options)


def test_a_run_works_where_an_event_loop_runs_already(world):
    async def in_a_notebook() -> int:
        return len(world.run("baseline/reference"))

    assert asyncio.run(in_a_notebook()) == 2


def test_two_runs_do_not_ask_the_same_model_for_the_same_folder(world):
    options = RunOptions.of(
        model="baseline/stub", definitions=world.definitions, save_dir=world.save_dir, prompt="InJulia"
    )
    with Benchmark(options).alone():
        with pytest.raises(InputError, match="another run is asking baseline/stub"):
            world.run("baseline/stub")
        assert len(world.run("baseline/reference")) == 2, "another model may be asked"
    assert len(world.run("baseline/stub")) == 2
    assert len(world.samples()) == 4, "a lock is no sample"


def test_results_never_go_into_an_installed_package(world):
    inside = Path(codejury.__file__).parent / "code_generation"
    with pytest.raises(InputError, match="inside the installed package"):
        world.run("baseline/stub", save_dir=inside)


def test_a_full_disk_is_a_message(world):
    world.save_dir.write_text("a file in the way", encoding="utf-8")
    with pytest.raises(InputError, match="is a file; choose a folder"):
        world.run("baseline/stub")


def test_the_next_run_removes_hidden_files_of_writers_that_were_killed_long_ago(world):
    world.run("baseline/stub", case="double", prompt="AsIs", samples=1)
    folder = world.samples()[0].folder
    old, young = folder / ".codejury-old", folder / ".codejury-young"
    for path in (old, young):
        path.touch()
    os.utime(old, (0, 0))
    world.run("baseline/stub", case="double", prompt="AsIs", samples=1)
    assert (old.exists(), young.exists()) == (False, True), "a young one may belong to a living writer"
