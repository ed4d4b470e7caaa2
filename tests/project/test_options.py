"""What the options of a run take and refuse, from whatever they come."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codejury.errors import InputError
from codejury.options import JudgeOptions, RunOptions, address_problem, declared_options, problems_of
from codejury.records import Limits


@pytest.mark.parametrize(
    ("name", "taken", "refused"),
    [
        ("workers", (1,), (0,)),
        ("timeout", (0.01,), (0, -1.0)),
        ("answer_timeout", (0.01,), (0,)),
        ("memory", (16,), (15,)),
        ("samples", (1,), (0,)),
        ("temperature", (0, 2), (-0.1, 2.1)),
        ("top_p", (0.01, 1), (0, 1.1)),
        ("max_tokens", (1,), (0,)),
        ("thinking_tokens", (0,), (-1,)),
        ("rounds", (1,), (0,)),
        ("limit", (1,), (0,)),
        ("max_connections", (1,), (0,)),
        ("budget", (0.01,), (0.0,)),
        ("confirm_above", (0,), (-0.1,)),
        ("seed", (-1, 0), ()),
    ],
)
def test_an_option_is_taken_up_to_its_bounds_and_refused_beyond(
    name: str, taken: tuple[float, ...], refused: tuple[float, ...]
) -> None:
    for value in taken:
        assert problems_of({name: value}) == []
    for value in refused:
        assert [problem.field for problem in problems_of({name: value})] == [name]


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("samples", 0, "must be an integer from 1, not 0"),
        ("samples", True, "must be an integer, not True"),
        ("samples", 1.5, "must be an integer, not 1.5"),
        ("samples", "5", "must be an integer"),
        ("timeout", float("inf"), "must be a finite number, not inf"),
        ("timeout", True, "must be a number, not True"),
        ("top_p", 2, "must be a number above 0, up to 1, not 2"),
        ("allow_unsafe", 1, "must be true or false, not 1"),
        ("device", 3, "must be a text, not 3"),
        ("model", "", "must not be empty"),
        ("strategy", "guess", "must be one of 1SHOT, repair"),
        ("save_dir", 3, "must be a folder, not 3"),
        ("base_url", "ftp://x", "is not an http or https address"),
        ("modle", "x", "is not an option"),
    ],
)
def test_a_wrong_value_is_told_with_what_it_must_be(name: str, value: Any, what: str) -> None:
    (problem,) = problems_of({name: value})
    assert (problem.field, problem.what.partition(";")[0]) == (name, what)


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("http://h", ""),
        ("https://h:8000/v1/", ""),
        ("http://h:port", "is not an address"),
        ("http://", "is not an http or https address"),
        ("ws://h", "is not an http or https address"),
        ("http://user@h", "holds more than an address"),
        ("http://:secret@h", "holds more than an address"),
        ("http://h?q=1", "holds more than an address"),
        ("http://h#there", "holds more than an address"),
        ("http://h/v1/chat/completions/", "goes too far: leave out /chat/completions"),
        ("http://h/v1/messages", "goes too far: leave out /messages"),
    ],
)
def test_an_address_is_that_of_a_server_and_no_more(address: str, problem: str) -> None:
    assert address_problem(address) == problem


def test_of_several_values_the_wrong_ones_are_told_by_their_place() -> None:
    found = problems_of({"temperature": [0.5, 3, -1], "top_p": [2], "max_tokens": 0})
    assert [problem.field for problem in found] == ["temperature[1]", "temperature[2]", "top_p", "max_tokens"]
    assert found[0].repair == "for example temperature = 0.7"
    with pytest.raises(InputError, match=r"temperature\[1\][\s\S]*top_p"):
        RunOptions.of(temperature=[0.5, 3], top_p=2)
    with pytest.raises(InputError, match="samples: must be an integer from 1"):
        RunOptions(samples=0)


def test_values_are_lists_once_each_and_folders_wherever_they_come_from() -> None:
    options = RunOptions.of(
        model="a/b",
        temperature=[1, 0, 1.0],
        prompt_dir=["~/mine"],
        save_dir="~/results",
        case=None,
        prompt=[],
    )
    assert (options.model, options.temperature) == (("a/b",), (1.0, 0.0))
    assert options.prompt_dir == (Path.home() / "mine",)
    assert options.save_dir == Path.home() / "results"
    assert (options.case, options.prompt) == ((), RunOptions().prompt)
    again = options.with_values({"model": ["c", "c"], "samples": 2})
    assert (again.model, again.samples, again.temperature) == (("c",), 2, (1.0, 0.0))


def test_more_time_is_more_for_each_block_and_for_the_answer() -> None:
    slower = JudgeOptions(timeout=3, answer_timeout=10).with_times(2)
    assert (slower.timeout, slower.answer_timeout) == (6, 20)
    assert slower.limits == Limits(seconds=6, answer_seconds=20)
    assert JudgeOptions.of(memory=64).limits.memory_mb == 64


def test_rounds_count_only_where_answers_are_repaired() -> None:
    assert RunOptions(rounds=3).repair_rounds == 0
    assert RunOptions(rounds=3, strategy="repair").repair_rounds == 3


def test_an_option_has_a_flag_a_variable_and_words_for_what_holds_without_it() -> None:
    options = declared_options()
    assert (options["max_tokens"].flag, options["max_tokens"].variable) == (
        "--max-tokens", "CODEJURY_MAX_TOKENS",
    )  # fmt: skip
    told = {name: options[name].default_text for name in ("batch", "workers", "case", "timeout", "samples")}
    assert told == {
        "batch": "off", "workers": "one per processor", "case": "all", "timeout": "10", "samples": "1",
    }  # fmt: skip
    assert options["prompt"].default_text == "InJulia, JuliaExpertAsk, JuliaExpertCoTTask"
    assert options["temperature"].help == "How random the answers are; several values make a scan."
    assert options["samples"].help == "Answers to each question."


def test_the_options_of_a_run_come_before_those_of_judging() -> None:
    names = list(declared_options())
    assert names[0] == "model"
    assert set(names[-len(declared_options(JudgeOptions)) :]) == set(declared_options(JudgeOptions))
    assert declared_options()["temperature"].is_list
    assert not declared_options()["workers"].is_list
    assert declared_options()["workers"].item is int
