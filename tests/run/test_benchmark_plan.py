"""The plan is what is wanted minus what is stored; and what it is expected to take."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark_world import priced
from codejury.errors import DefinitionError, InputError
from codejury.models.protocol import Parameters
from codejury.options import RunOptions
from codejury.run.benchmark import Benchmark
from codejury.run.combinations import Combination, chosen_cases
from codejury.run.cost import expect_model, expected_cost
from codejury.run.plan import RunPlan, RunTarget, plan_run
from codejury.store.samples import Request, StoredSample
from codejury.suite.load import load_definition
from codejury.suite.save import save_definition
from codejury.suite.suite import Suite
from servers import HostileServer, says


def combinations(definitions: Path | None, model: Any = "baseline/stub", **options: Any) -> list[Combination]:
    """One of them, unless told otherwise; without a folder, of the bundled suite."""
    options = {"prompt": "InJulia", "case": "double" if definitions else "wrap_words"} | options
    return Benchmark(RunOptions.of(model=model, definitions=definitions, **options)).combinations


def stored(request: Request, outcome: str = "fail", *, time: int = 0, **changes: Any) -> StoredSample:
    """A sample as `find_samples` would give it; without an outcome it is not judged."""
    stamp = f"20250101_120000__{time:03d}"
    facts: dict[str, Any] = {
        "folder": Path("x"),
        "tail": f"{request.prompt_label}__{request.prompt_strategy}__{stamp}.json",
        "has_conversation": True,
        "has_evaluation": bool(outcome),
    }
    return StoredSample(request=request, timestamp=stamp, outcome=outcome, **facts | changes)


def planned(found: list[Combination], samples: list[StoredSample], count: int, rounds: int = 0) -> RunPlan:
    return plan_run(found, samples, RunTarget(samples=count, rounds=rounds))


def numbers(plan: RunPlan) -> list[tuple[int, int]]:
    return [(ask.sample, ask.round) for work in plan.works for ask in work.asks]


def test_with_nothing_stored_all_is_asked(definitions):
    plan = planned(combinations(definitions), [], 3)
    assert numbers(plan) == [(0, 0), (1, 0), (2, 0)]
    assert not plan.is_idle


def test_stored_samples_fill_their_own_numbers(definitions):
    (it,) = combinations(definitions)
    plan = planned([it], [stored(it.request(0)), stored(it.request(2), "pass", time=1)], 3)
    assert numbers(plan) == [(1, 0)]
    assert plan.works[0].done == 2


def test_samples_of_a_larger_run_and_doubled_ones_fill_the_holes(definitions):
    (it,) = combinations(definitions)
    samples = [stored(it.request(number), time=time) for time, number in enumerate((0, 0, 7))]
    assert planned([it], samples, 3).is_idle
    assert numbers(planned([it], samples, 5)) == [(3, 0), (4, 0)]


def test_with_a_seed_only_an_answer_with_that_seed_counts(definitions):
    (plain,) = combinations(definitions)
    (seeded,) = combinations(definitions, seed=10)
    samples = [stored(plain.request(0)), stored(replace(plain.request(5), seed=11), time=1)]
    assert numbers(planned([seeded], samples, 2)) == [(0, 0)]
    assert planned([plain], samples, 2).is_idle, "without a seed any answer will do"


def test_what_waits_for_a_verdict_is_judged_and_not_asked(definitions):
    (it,) = combinations(definitions)
    samples = [
        stored(it.request(0), ""),
        stored(it.request(1), "void", time=1),
        stored(it.request(2), "void", time=2, has_conversation=False),
    ]
    plan = planned([it], samples, 3)
    assert [pending.sample for pending in plan.works[0].unjudged] == [0, 1]
    assert numbers(plan) == [(2, 0)], "a void verdict without its answer is nothing"


def test_an_unjudged_answer_beyond_what_is_wanted_is_judged_too(definitions):
    (it,) = combinations(definitions)
    plan = planned([it], [stored(it.request(0), "pass"), stored(it.request(1), "", time=1)], 1)
    (pending,) = plan.works[0].unjudged
    assert not pending.is_wanted
    assert not plan.is_idle


def test_answers_to_other_questions_do_not_count(definitions):
    (it,) = combinations(definitions)
    mine = it.request(0)
    others = [
        replace(mine, model="baseline/reference"),
        replace(mine, category="other"),
        replace(mine, prompt_label="AsIs"),
        replace(mine, prompt_strategy="1CODEFIXER__CodeFixerTiny"),
        replace(mine, prompt_hash="0" * 64),
        replace(mine, version_prompt="2.0"),
        replace(mine, experiment="other"),
        replace(mine, parameters={"temperature": 0.1}),
    ]
    for number, other in enumerate(others):
        assert numbers(planned([it], [stored(other, time=number)], 1)) == [(0, 0)], other
    assert planned([it], [stored(replace(mine, device="elsewhere", run_id=3))], 1).is_idle


def test_an_answer_to_a_question_that_named_another_julia_counts(definitions):
    (it,) = combinations(definitions)
    asked = it.request(0, variables=it.prompt("1.5.3").variables)
    assert asked.asked_julia_version == "1.5"
    assert planned([it], [stored(asked)], 1).is_idle
    without = replace(asked, asked_julia_version="")
    assert planned([it], [stored(without)], 1).is_idle


def test_a_published_answer_counts_for_nothing(definitions):
    (it,) = combinations(definitions)
    published = replace(it.request(0), prompt_hash="", sample=None, version_pt="0.10")
    assert numbers(planned([it], [stored(published, "")], 1)) == [(0, 0)]


def test_files_that_cannot_be_read_are_listed_and_left_alone(definitions):
    (it,) = combinations(definitions)
    broken = stored(replace(it.request(0), prompt_label=""), "", problem="x: is not valid JSON")
    plan = planned([it], [broken], 1)
    assert plan.unreadable == ("x: is not valid JSON",)
    assert numbers(plan) == [(0, 0)]


def test_a_chain_goes_on_where_it_stopped(definitions):
    (it,) = combinations(definitions)
    first, second = stored(it.request(0), "fail"), stored(it.request(0, 1), "fail", time=1)
    assert numbers(planned([it], [first], 1, rounds=2)) == [(0, 1)]
    assert numbers(planned([it], [first, second], 1, rounds=2)) == [(0, 2)]
    assert planned([it], [first, second], 1, rounds=1).is_idle
    passed = stored(it.request(0, 1), "pass", time=1)
    assert planned([it], [first, passed], 1, rounds=2).is_idle, "what passes needs no repair"
    waiting = planned([it], [first, stored(it.request(0, 1), "", time=1)], 1, rounds=2)
    assert numbers(waiting) == []
    assert [pending.round for pending in waiting.works[0].unjudged] == [1]


def test_repairs_belong_to_the_sample_of_their_number(definitions):
    (it,) = combinations(definitions)
    samples = [stored(it.request(number), "fail", time=number) for number in (0, 1)]
    samples.append(stored(it.request(1, 1), "pass", time=2))
    assert numbers(planned([it], samples, 2, rounds=1)) == [(0, 1)]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.sampled_from(["pass", "fail", "", "void"])), max_size=12),
    st.integers(1, 6),
)
def test_what_is_there_and_what_is_asked_make_what_is_wanted(found, count):
    (it,) = combinations(None)
    samples = [stored(it.request(number), outcome, time=t) for t, (number, outcome) in enumerate(found)]
    (work,) = planned([it], samples, count).works
    waiting = [pending for pending in work.unjudged if pending.is_wanted]
    assert work.done + len(waiting) + len(work.asks) == count
    asked = {ask.sample for ask in work.asks}
    assert len(asked) == len(work.asks), "no number is asked for twice"
    assert len(work.unjudged) == sum(outcome in ("", "void") for _, outcome in found), "all are judged"
    assert not work.asks or len(found) < count, "with enough answers nobody is asked"


# What is wanted


def test_every_combination_is_made_once(definitions):
    found = combinations(
        definitions,
        model=["baseline/stub", "baseline/stub", "baseline/reference"],
        prompt=["AsIs", "InJulia"],
        case="*",
        temperature=[0.1, 0.2, 0.1],
    )
    assert len(found) == 2 * 2 * 2 * 2
    assert found[0].sent == {"temperature": 0.1}


def test_the_parameters_of_a_models_table_are_part_of_the_question(definitions):
    with HostileServer(says("x")) as server:
        configuration = priced(server, "mine", parameters={"temperature": 0.3, "top_k": 5})
        options = RunOptions.of(model="mine", prompt="AsIs", definitions=definitions, top_p=0.9)
        found = Benchmark(options, configuration=configuration).combinations
    assert found[0].sent == {"temperature": 0.3, "top_k": 5, "top_p": 0.9}
    assert found[0].parameters == Parameters(top_p=0.9)


def test_cases_are_chosen_by_name_or_by_category(definitions):
    def names(*patterns: str) -> list[str]:
        return [case.name for case in chosen_cases(Suite.below(definitions), patterns)]

    assert names() == ["double", "repeat"]
    assert names("d*") == ["double"]
    assert names("text/*", "double") == ["double", "repeat"]
    with pytest.raises(InputError, match="no test case fits 'tripel'; known: maths/double, text/repeat"):
        names("double", "tripel")


def test_the_problems_of_all_definitions_come_at_once(definitions):
    for name in ("maths/double", "text/repeat"):
        (definitions / name / "definition.toml").write_text("[code_generation]\n", encoding="utf-8")
    with pytest.raises(DefinitionError) as caught:
        chosen_cases(Suite.below(definitions), ())
    assert len({problem.file for problem in caught.value.problems}) == 2


def test_a_definition_that_cannot_be_used_is_left_out_unless_it_is_the_one_asked_for(definitions):
    (definitions / "maths/double/definition.toml").write_text("[code_generation]\n", encoding="utf-8")
    suite = Suite.below(definitions)
    assert [case.name for case in chosen_cases(suite, ())] == ["repeat"]
    assert {problem.file for problem in suite.notes().left_out} == {
        definitions / "maths/double/definition.toml"
    }
    with pytest.raises(DefinitionError, match="name: is missing"):
        chosen_cases(suite, ("repeat", "double"))
    untouched = Suite.below(definitions)
    assert [case.name for case in chosen_cases(untouched, ("text/*",))] == ["repeat"]
    assert untouched.notes().left_out == ()


@pytest.mark.parametrize(
    ("needs", "lacks"),
    [
        ({"imports": ("Dates", "NoSuchPackage.Inside")}, ("NoSuchPackage",)),
        ({"julia": "1.99"}, ("Julia 1.99",)),
        ({"imports": ("Dates", "Base.Threads"), "julia": "1.5"}, ()),
    ],
)
def test_a_test_case_that_the_julia_here_cannot_judge_is_not_planned(definitions, needs, lacks):
    path = definitions / "maths" / "double" / "definition.toml"
    save_definition(replace(load_definition(path), **needs), path)
    places = {"definitions": definitions, "save_dir": definitions.parent / "results", "prompt": "AsIs"}
    benchmark = Benchmark(RunOptions.of(model="baseline/reference", **places))
    assert benchmark.left_out.lacks == ({"maths/double": lacks} if lacks else {})
    assert len(benchmark.plan().works) == (1 if lacks else 2)
    everything = Benchmark(RunOptions.of(model="baseline/reference", ask_unjudgeable=True, **places))
    assert len(everything.plan().works) == 2


def test_a_run_says_which_definitions_it_left_out(definitions):
    (definitions / "maths/double/definition.toml").write_text("[code_generation]\n", encoding="utf-8")
    benchmark = Benchmark(RunOptions.of(model="baseline/stub", prompt="AsIs", definitions=definitions))
    assert {combination.test_case.name for combination in benchmark.combinations} == {"repeat"}
    assert "name: is missing" in "".join(benchmark.plan().left_out)


def test_options_that_make_no_sense_are_told_together():
    with pytest.raises(InputError) as caught:
        RunOptions.of(samples=0, temperature=[3], strategy="guess", budget=-1)
    told = str(caught.value)
    for what in ("samples: must be an integer from 1", "temperature:", "strategy:", "budget:"):
        assert what in told
    with pytest.raises(InputError, match="did you mean `temperature`"):
        RunOptions.of(model="m", temprature=1)
    with pytest.raises(InputError, match="temperature: must be a number"):
        RunOptions.of(model="m", temperature="warm")


def test_test_cases_can_be_left_out_by_name(definitions):
    kept = combinations(definitions, "baseline/stub", prompt="AsIs", case=None, not_case="text/*")
    assert {each.case_name for each in kept} == {"maths/double"}
    with pytest.raises(InputError, match="no test case fits 'dubble'; did you mean `maths/double`"):
        combinations(definitions, "baseline/stub", case=None, not_case="dubble")
    with pytest.raises(InputError, match="leave no test case"):
        combinations(definitions, "baseline/stub", case="double", not_case="double")


# What it is expected to take


def test_costs_are_expected_from_prompts_and_usual_answers(definitions):
    with HostileServer(says("x")) as server:
        options = RunOptions.of(
            model=["mine", "other"], prompt="AsIs", case="double", definitions=definitions
        )
        benchmark = Benchmark(
            replace(options, base_url=server.base_url), configuration=priced(server, "mine", usd=10)
        )
    plan = plan_run(benchmark.combinations, [], RunTarget(samples=4))
    expected = expect_model(plan, "mine")
    tokens = -(-len("Write a function `double`.") // 4)
    assert (expected.requests, expected.prompt_tokens, expected.completion_tokens) == (4, 4 * tokens, 2000)
    assert expected.cost == pytest.approx((4 * tokens + 2000) * 10e-6)
    assert expect_model(plan, "other").cost is None, "an unknown price is not 0"
    assert expected_cost(plan) == (pytest.approx(expected.cost), False)


def test_repair_rounds_are_expected_at_their_most(definitions):
    found = combinations(definitions, strategy="repair", max_tokens=100)
    (it,) = found
    plan = planned(found, [stored(it.request(0), "fail"), stored(it.request(1), "", time=1)], 3, rounds=2)
    sure = expect_model(plan, "baseline/stub")
    most = expect_model(plan, "baseline/stub", with_repairs=True)
    assert sure.requests == 2, "the first repair of sample 0, and sample 2"
    assert most.requests == 2 + 3 + 2, "both repairs of 0, all of 2, both repairs of 1 if it fails"
    assert most.prompt_tokens > 3 * sure.prompt_tokens, "a repair sends the whole conversation"
    assert sure.completion_tokens == 200
