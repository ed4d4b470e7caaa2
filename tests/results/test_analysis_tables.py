"""Tables from small frames whose numbers can be checked by hand."""

from __future__ import annotations

from functools import partial
from statistics import stdev
from typing import Any

import numpy as np
import polars as pl
import pytest

from codejury.errors import InputError
from codejury.records import Metric, TestCase
from codejury.results.index.rows import SCHEMA as INDEX_SCHEMA
from codejury.results.statistics import compare as comparing
from codejury.results.statistics import power as planning
from codejury.results.statistics import tables
from codejury.results.statistics.cells import SAMPLE, unit_of
from codejury.results.statistics.missed import audited_tests, missed_tests, strong_models
from codejury.results.statistics.mixtures import mixtures
from codejury.results.statistics.power import TYPICAL, Spread, power
from codejury.results.statistics.published import published_table
from codejury.results.statistics.repairs import after_repairs
from codejury.results.statistics.select import select, with_cases
from codejury.results.statistics.tables import COLUMNS, parts_of
from frames import SCHEMA, board, by_case, evaluation, frame_of

# Scores take many values, so that numbers can be told apart: most of what is said here is said of them. What
# is special about the share of answers that solve stands at the end.
leaderboard = partial(tables.leaderboard, metric=Metric.SCORE)
board_of = partial(tables.board, metric=Metric.SCORE)
pairs = partial(tables.pairs, metric=Metric.SCORE)
compare = partial(comparing.compare, metric=Metric.SCORE)
spread_of = partial(planning.spread_of, metric=Metric.SCORE)

STRONG = [80, 90, 100, 70, 95, 85, 100, 75, 90, 80]
WEAK = [20, 30, 45, 10, 35, 15, 40, 25, 30, 5]


def row_of(table: pl.DataFrame, **names: str) -> dict[str, object]:
    (row,) = table.filter(**names).to_dicts()
    return row


def test_these_frames_have_the_columns_of_the_index():
    assert list(SCHEMA.items()) == list(INDEX_SCHEMA.items())


# The leaderboard


def test_every_number_of_a_row_is_the_one_worked_out_by_hand():
    table = leaderboard(
        frame_of(
            [
                evaluation("m", "a", 100, elapsed=1.0, cost=0.01, prompt_tokens=10, completion_tokens=5),
                evaluation("m", "a", 50, elapsed=2.0, cost=0.03, prompt_tokens=20, completion_tokens=7),
                evaluation("m", "b", 0, elapsed=6.0, cost=0.05, prompt_tokens=60, completion_tokens=0),
                evaluation("m", "b", None, elapsed=9.0),
            ]
        )
    )
    row = row_of(table, model="m")
    assert row["score"] == pytest.approx((75 + 0) / 2)
    assert row["std"] == pytest.approx(stdev([100, 50, 0]))
    assert row["median"] == 50
    assert row["solved"] == pytest.approx(100 * (1 / 2 + 0) / 2)
    assert (row["samples"], row["void"], row["zero"], row["full"]) == (3, 1, 1, 1)
    assert (row["elapsed"], row["elapsed_median"]) == (3.0, 2.0)
    assert (row["prompt_tokens"], row["completion_tokens"]) == (30.0, 4.0)
    assert row["cost"] == pytest.approx(0.03)
    assert (row["rank_low"], row["lacks"]) == (None, "1 of 4 samples (1 void)")
    assert table.columns == ["model", *COLUMNS]


def test_the_best_comes_first_and_ties_stand_by_name():
    table = leaderboard(by_case(b=[50, 60], a=[50, 60], c=[90, 90]))
    assert table["model"].to_list() == ["c", "a", "b"]


def test_a_model_with_nothing_but_void_answers_is_listed_last_and_without_a_score():
    table = leaderboard(by_case(m=[0, 10, 20], v=[None, None, None]))
    row = row_of(table, model="v")
    assert table["model"].to_list() == ["m", "v"]
    assert (row["score"], row["low"], row["rank_low"], row["solved"], row["cost"]) == (None,) * 5
    assert (row["samples"], row["void"]) == (0, 3)


def test_a_table_of_void_answers_alone_has_no_scores():
    assert leaderboard(by_case(v=[None, None]))["score"].to_list() == [None]


def test_an_unknown_cost_is_null_and_not_nothing():
    assert leaderboard(by_case(m=[1, 2]))["cost"].to_list() == [None]


def ranks_of(table: pl.DataFrame) -> dict[str, tuple[int | None, int | None]]:
    """The rank intervals by model."""
    return {row["model"]: (row["rank_low"], row["rank_high"]) for row in table.to_dicts()}


def test_ranks_of_clearly_different_models_are_sure_and_those_of_equal_ones_are_shared():
    table = leaderboard(by_case(strong=STRONG, same=[*STRONG[1:], STRONG[0]], weak=WEAK))
    assert ranks_of(table) == {"strong": (1, 2), "same": (1, 2), "weak": (3, 3)}


def test_scores_farther_apart_than_the_margin_are_those_whose_order_is_sure():
    result = board_of(by_case(strong=STRONG, middle=[50] * 10, weak=WEAK))
    assert result.margin is not None
    assert 5 < result.margin < 36.5
    assert ranks_of(result.table) == {"strong": (1, 1), "middle": (2, 2), "weak": (3, 3)}
    assert (result.unit, result.units) == ("test_case", 10)


def test_five_test_cases_separate_nobody():
    assert ranks_of(leaderboard(by_case(strong=STRONG[:5], weak=WEAK[:5]))) == {
        "strong": (1, 2), "weak": (1, 2),
    }  # fmt: skip


def test_a_table_by_two_columns_has_no_ranks():
    assert leaderboard(by_case(a=STRONG, b=WEAK), ("model", "prompt"))["rank_low"].to_list() == [None, None]


def test_the_interval_holds_the_score_and_repeats_with_the_seed():
    frame = by_case(strong=STRONG, weak=WEAK)
    first, again, other = leaderboard(frame), leaderboard(frame), leaderboard(frame, seed=1)
    assert first.equals(again)
    assert not first.equals(other)
    assert (first["low"] < first["score"]).all()
    assert (first["score"] < first["high"]).all()


def test_ninety_percent_are_narrower_than_ninety_five():
    frame = by_case(m=STRONG)
    wide, narrow = leaderboard(frame), leaderboard(frame, confidence=0.9)
    assert wide["low"][0] < narrow["low"][0] < narrow["high"][0] < wide["high"][0]


def test_the_unit_is_the_test_case_however_many_samples_it_has():
    once = board({"m": {f"c{n}": [score] for n, score in enumerate(STRONG)}})
    often = board({"m": {f"c{n}": [score] * 9 for n, score in enumerate(STRONG)}})
    assert leaderboard(often)["low"][0] == pytest.approx(leaderboard(once)["low"][0])


def test_one_test_case_leaves_the_model_or_the_sample_as_the_unit():
    both = by_case(a=[1, 2], b=[3, 4])
    assert unit_of(both, ("model",)) == "test_case"
    assert unit_of(both, ("category",)) == "test_case"
    assert unit_of(both, ("test_case",)) == "model"
    assert unit_of(both, ("model", "test_case")) == SAMPLE
    assert unit_of(board({"a": {"c": [1, 2]}, "b": {"c": [3]}}), ("model",)) == SAMPLE


def test_single_samples_as_units_give_an_interval_but_no_ranks():
    table = leaderboard(board({"a": {"c": [10, 30, 20]}, "b": {"c": [90]}}))
    assert row_of(table, model="a")["low"] is not None
    assert row_of(table, model="b")["low"] is None
    assert table["rank_low"].to_list() == [None, None]


def test_groups_that_share_no_test_case_have_no_ranks():
    rows = [
        evaluation("m", f"{category}{n}", score, category=category)
        for category, scores in (("x", STRONG), ("y", WEAK))
        for n, score in enumerate(scores)
    ]
    assert leaderboard(frame_of(rows), "category")["rank_high"].to_list() == [None, None]


def test_grouping_by_a_parameter_needs_no_prefix_and_keeps_those_without():
    rows = [
        *(evaluation("m", f"c{n}", 50, **{"parameter.temperature": 0.2}) for n in range(3)),
        *(evaluation("m", f"c{n}", 40) for n in range(3)),
    ]
    table = leaderboard(frame_of(rows), "temperature")
    assert table["parameter.temperature"].to_list() == [0.2, None]
    assert table["samples"].to_list() == [3, 3]


@pytest.mark.parametrize("name", ["nonsense", "score", "cost", "unit_test_endings"])
def test_what_cannot_be_grouped_by_is_refused_with_what_can(name):
    with pytest.raises(InputError, match=f"cannot group by '{name}'.*model, .*test_case"):
        leaderboard(by_case(m=[1]), name)


# Who may be ranked


EASY = {f"easy{number}": 95 for number in range(10)}
HARD = {f"hard{number}": 25 for number in range(4)}


def answers(
    model: str, scores: dict[str, float], *, less: float = 0, times: int = 1, prompts: str = "PQ", **more: Any
):
    return [
        evaluation(model, case, None if more.get("void") else score - less, prompt=prompt)
        for case, score in scores.items()
        for prompt in prompts
        for _ in range(times)
    ]


HONEST = [*answers("honest", EASY), *answers("honest", HARD)]
UNFAIR = {
    "ten answers to each easy case and one to each hard one": [
        *answers("unfair", EASY, less=5, times=10), *answers("unfair", HARD, less=5),
    ],
    "hard cases under one prompt only": [
        *answers("unfair", EASY, less=5), *answers("unfair", HARD, less=5, prompts="P"),
    ],
    "hard answers void": [*answers("unfair", EASY, less=5), *answers("unfair", HARD, void=True)],
    "easy cases only": answers("unfair", EASY, less=5),
}  # fmt: skip
REASONS = {
    "ten answers to each easy case and one to each hard one": "72 of 280 samples",
    "hard cases under one prompt only": "Q on 4 test cases",
    "hard answers void": "4 of 14 test cases; 8 samples void",
    "easy cases only": "4 of 14 test cases",
}


@pytest.mark.parametrize("how", UNFAIR)
def test_a_model_that_lacks_hard_answers_does_not_stand_above_one_that_always_beats_it(how):
    result = board_of(frame_of([*HONEST, *UNFAIR[how]]))
    table = result.table
    assert table["model"].to_list() == ["honest", "unfair"]
    assert row_of(table, model="honest")["score"] == pytest.approx((10 * 95 + 4 * 25) / 14)
    assert row_of(table, model="unfair")["lacks"] == REASONS[how]
    assert ranks_of(table) == {"honest": (1, 1), "unfair": (None, None)}
    assert f"Not ranked, for want of answers: unfair ({REASONS[how]})." in " ".join(result.notes)


@pytest.mark.parametrize("how", UNFAIR)
def test_on_what_both_have_the_better_model_is_first(how):
    result = board_of(frame_of([*HONEST, *UNFAIR[how]]), common=True)
    assert result.table["model"].to_list() == ["honest", "unfair"]
    assert result.table["lacks"].to_list() == [None, None]
    first, second = result.table["score"]
    assert first - second == pytest.approx(5)


def test_a_question_counts_once_however_often_it_was_answered():
    scores = {"a": [100] * 9 + [0], "b": [0]}
    assert leaderboard(board({"m": scores}))["score"].to_list() == [45.0]
    assert leaderboard(board({"m": scores}))["solved"].to_list() == [45.0]
    rows = [evaluation("m", "a", 100), *(evaluation("m", "a", 0, prompt="P") for _ in range(9))]
    assert leaderboard(frame_of(rows))["score"].to_list() == [50.0]


def test_one_void_sample_in_twenty_is_forgiven():
    cases = {f"c{number}": [50.0] * 5 for number in range(8)}
    few = board({"m": cases | {"c0": [50, 50, 50, None, None]}})
    many = board({"m": cases | {"c0": [50, 50, None, None, None]}})
    assert leaderboard(few)["lacks"].to_list() == [None]
    assert leaderboard(many)["lacks"].to_list() == ["3 of 40 samples (3 void)"]


def test_fewer_answers_to_everything_is_less_sure_and_nothing_lacks():
    often = {f"c{number}": [50.0] * 9 for number in range(8)}
    once = {f"c{number}": [60.0] for number in range(8)}
    assert leaderboard(board({"often": often, "once": once}))["lacks"].to_list() == [None, None]


def test_what_only_few_models_answered_counts_for_nobody_and_is_said():
    rows = [evaluation(model, case, 50) for model in "abc" for case in "xy"]
    rows += [evaluation("a", case, 100, prompt="Rare") for case in "xy"]
    result = board_of(frame_of(rows))
    assert result.table["score"].to_list() == [50, 50, 50]
    assert result.table["samples"].to_list() == [2, 2, 2]
    assert result.notes == ("Only what half of the models answered counts: 2 questions of 4: prompt Rare.",)


def test_test_cases_that_are_void_for_everybody_are_counted_and_the_reason_is_said():
    old = "needs Julia 1.9, and this is 1.5.3"
    rows = [evaluation(model, "a", 50) for model in ("m", "n")]
    rows += [evaluation(model, "new", None, void_reason=old) for model in ("m", "n")]
    (note,) = board_of(frame_of(rows)).notes
    assert note == f"1 test case counts for nobody, since all its answers are void: new ({old})."
    rows += [evaluation("m", "lost", None, void_reason=why) for why in ("y", "x", "x")]
    (note,) = board_of(frame_of(rows)).notes
    assert note.startswith("2 test cases count for nobody, since all their answers are void: lost (x), new (")
    judged_once = [*rows, evaluation("m", "new", 10), evaluation("n", "new", 20)]
    assert "new" not in board_of(frame_of(judged_once)).notes[0]


def test_nothing_in_common_is_an_error_that_says_what_to_do():
    with pytest.raises(InputError, match="no test case and prompt has an answer of all 2 models"):
        leaderboard(frame_of([evaluation("a", "x", 1), evaluation("b", "y", 1)]), common=True)


def test_a_model_without_any_answer_that_counts_is_listed():
    rows = [evaluation(model, case, 50) for model in "ab" for case in "xy"]
    rows.append(evaluation("c", "z", 100))
    table = leaderboard(frame_of(rows))
    assert row_of(table, model="c")["lacks"] == "every answer that counts"
    assert row_of(table, model="c")["score"] is None


# Rounds of repair


def repaired() -> pl.DataFrame:
    """Two samples of a case: one passes at once, one after two rounds; and a void repair of another case."""
    return frame_of(
        [
            evaluation("m", "x", 100, sample=0, cost=1.0),
            evaluation("m", "x", 20, sample=1, cost=1.0),
            evaluation("m", "x", 60, sample=1, round=1, strategy="1CODEFIXER__T", cost=2.0),
            evaluation("m", "x", 100, sample=1, round=2, strategy="2CODEFIXER__T", cost=4.0),
            evaluation("m", "y", 40, sample=0, cost=1.0),
            evaluation("m", "y", None, sample=0, round=1, strategy="1CODEFIXER__T", cost=2.0),
        ]
    )


def test_rounds_of_repair_are_not_averaged_with_first_tries():
    result = board_of(repaired())
    assert result.table["score"].to_list() == [(60 + 40) / 2]
    assert result.table["samples"].to_list() == [3]
    assert result.notes[0].startswith("First tries only: 3 answers of repair rounds are left out")
    assert tables.pivot(repaired(), "model", "test_case", "score").row(0) == ("m", 60.0, 40.0)
    assert leaderboard(repaired(), "strategy")["score"].to_list() == [100, 60, 60]


@pytest.mark.parametrize(("rounds", "of_x", "cost"), [(1, 80, (1 + 3 + 1) / 3), (2, 100, (1 + 7 + 1) / 3)])
def test_after_repairs_every_sample_is_its_last_judged_answer(rounds, of_x, cost):
    (row,) = leaderboard(after_repairs(repaired(), rounds)).to_dicts()
    assert row["score"] == (of_x + 40) / 2
    assert (row["samples"], row["void"]) == (3, 0)
    assert row["cost"] == pytest.approx(cost)


def test_without_rounds_of_repair_there_is_no_table_after_them():
    with pytest.raises(InputError, match="no result is a round of repair"):
        after_repairs(by_case(m=[1, 2]), 1)


# pass@k


def test_pass_at_k_is_taken_for_each_question_and_then_averaged():
    frame = board({"m": {"a": [100, 0, 0, 0], "b": [100, 100, 0, 0]}})
    row = row_of(leaderboard(frame, passes=(1, 2)), model="m")
    assert row["pass@1"] == pytest.approx((1 / 4 + 2 / 4) / 2)
    assert row["pass@2"] == pytest.approx(((1 - 3 / 6) + (1 - 1 / 6)) / 2)


def test_pass_at_k_is_null_if_one_question_was_answered_too_seldom():
    frame = board({"m": {"a": [100, 0], "b": [100]}, "n": {"a": [100, 0], "b": [0, 0]}})
    table = leaderboard(frame, passes=(2,))
    assert row_of(table, model="m")["pass@2"] is None
    assert row_of(table, model="n")["pass@2"] == pytest.approx(0.5)


def test_pass_at_k_does_not_count_different_prompts_as_one_question():
    rows = [evaluation("m", "a", score, prompt=prompt) for prompt, score in (("P", 100), ("Q", 0))]
    assert leaderboard(frame_of(rows), passes=(2,))["pass@2"].to_list() == [None]


# Pivots and pairs


def two_prompts() -> pl.DataFrame:
    rows = [
        evaluation(model, case, score, prompt=prompt)
        for model, prompt, score in (("m", "Q", 20), ("m", "P", 80), ("n", "P", 90))
        for case in "ab"
    ]
    return frame_of(rows)


def test_a_pivot_has_the_best_row_first_and_nulls_where_nothing_was_asked():
    assert tables.pivot(two_prompts(), "model", "prompt", "score").to_dicts() == [
        {"model": "n", "P": 90.0, "Q": None},
        {"model": "m", "P": 80.0, "Q": 20.0},
    ]


def test_a_pivot_can_show_another_number_but_not_any():
    assert tables.pivot(two_prompts(), "model", "prompt", "samples")["P"].to_list() == [2, 2]
    with pytest.raises(InputError, match=r"cannot show 'rank_low'.*solved, score"):
        tables.pivot(two_prompts(), "model", "prompt", "rank_low")
    with pytest.raises(InputError, match="twice"):
        tables.pivot(two_prompts(), "model", "model")


def test_the_columns_of_a_pivot_stand_in_order_and_an_empty_name_is_shown():
    rows = [evaluation("m", "a", 1, **{"parameter.temperature": t}) for t in (10.0, 2.0)]
    rows.append(evaluation("m", "a", 1))
    assert tables.pivot(frame_of(rows), "model", "temperature").columns == ["model", "2.0", "10.0", "(none)"]
    assert tables.pivot(frame_of(rows), "model", "experiment").columns == ["model", "(none)"]


def test_pairs_are_all_there_with_both_p_values():
    table = pairs(by_case(strong=STRONG, middle=[50] * 10, weak=WEAK))
    assert table.select("a", "b").rows() == [("strong", "middle"), ("strong", "weak"), ("middle", "weak")]
    assert table["difference"][1] == pytest.approx(np.mean(STRONG) - np.mean(WEAK))
    assert (table["p_joint"] <= 0.05).all()
    assert table["p_value"][1] == 2 / 2**10


def test_pairs_are_of_ranked_models_alone():
    table = pairs(by_case(a=STRONG, b=WEAK, c=[*STRONG[:9], None]))
    assert table.select("a", "b", "units").rows() == [("a", "b", 10)]


def test_groups_without_common_units_cannot_be_paired():
    with pytest.raises(InputError, match="cannot be paired"):
        pairs(board({"a": {"c": [1, 2]}, "b": {"c": [3]}}))


# Comparisons


def test_a_comparison_tells_the_difference_and_who_wins_where():
    result = compare(by_case(a=[90, 50, 30, 10], b=[80, 50, 40, 30]), "a", "b")
    assert result.difference == pytest.approx(-5)
    assert (result.value_a, result.value_b) == (45, 50)
    assert (result.wins_a, result.wins_b, result.ties) == (1, 2, 1)
    assert result.per_case["test_case"].to_list() == ["case00", "case01", "case02", "case03"]
    assert result.per_case.columns == ["test_case", "a", "b", "difference"]
    assert result.low < -5 < result.high
    assert not result.separated
    assert any("it takes 6" in note for note in result.notes)


def test_a_comparison_turned_round_is_its_mirror_image():
    frame = by_case(a=STRONG, b=WEAK)
    one, other = compare(frame, "a", "b"), compare(frame, "b", "a")
    assert one.difference == -other.difference
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), rel=0.02)
    assert one.p_value == other.p_value == 2 / 2**10


def test_a_comparison_says_how_sure_the_order_is_among_all_pairs_as_the_table_of_pairs_does():
    frame = by_case(a=STRONG, b=WEAK, c=[value - 1 for value in STRONG])
    told = {frozenset((row["a"], row["b"])): row["p_joint"] for row in pairs(frame, "model").to_dicts()}
    for one, other in (("a", "b"), ("b", "a"), ("a", "c")):
        assert compare(frame, one, other).p_joint == told[frozenset((one, other))]


def test_separated_models_need_nothing_more():
    result = compare(by_case(a=STRONG, b=WEAK), "a", "b")
    assert result.separated
    assert (result.cases_needed, result.samples_needed) == (10, 1)


def test_more_samples_would_separate_models_whose_noise_is_sampling():
    rng = np.random.default_rng(0)
    frame = board(
        {name: {f"c{n}": rng.normal(mean, 30, 4).clip(0, 100) for n in range(12)}
         for name, mean in (("a", 52), ("b", 45))}
    )  # fmt: skip
    result = compare(frame, "a", "b")
    assert not result.separated
    assert result.samples_needed is not None
    assert result.samples_needed > 4
    assert result.cases_needed is not None
    assert result.cases_needed > 12


def test_no_number_of_samples_separates_models_that_test_cases_disagree_about():
    frame = board(
        {"a": {f"c{n}": [90 - 8 * n] * 3 for n in range(10)}, "b": {f"c{n}": [9 * n] * 3 for n in range(10)}}
    )
    result = compare(frame, "a", "b")
    assert result.samples_needed is None
    assert result.within == 0
    assert result.cases_needed is not None


def test_single_answers_leave_it_unknown_whether_more_would_help():
    result = compare(by_case(a=STRONG, b=[score - 1 for score in [*STRONG[1:], STRONG[0]]]), "a", "b")
    assert result.within is None
    assert result.samples_needed is None


def test_equal_models_are_separated_by_nothing():
    result = compare(by_case(a=STRONG, b=STRONG), "a", "b")
    assert (result.difference, result.p_value, result.ties) == (0, 1, 10)
    assert (result.cases_needed, result.samples_needed) == (None, None)


def test_one_common_test_case_has_no_interval():
    result = compare(by_case(a=[50], b=[40]), "a", "b")
    assert (result.low, result.high, result.p_value) == (None, None, 1.0)


def test_a_comparison_says_what_it_leaves_out():
    frame = by_case(a=[50, 60, 70], b=[40, 50])
    notes = " ".join(compare(frame, "a", "b").notes)
    assert "b is not ranked on the board: it lacks 1 of 3 test cases." in notes
    assert "Only what all models answered counts: 2 questions of 3: test case case02." in notes


def test_comparing_with_an_unknown_a_void_or_an_unrelated_model_is_an_error():
    frame = frame_of([evaluation("abc", "x", 1), evaluation("v", "x", None), evaluation("far", "y", 1)])
    with pytest.raises(InputError, match="'abd'; did you mean `abc`"):
        compare(frame, "abd", "abc")
    with pytest.raises(InputError, match="with itself"):
        compare(frame, "abc", "abc")
    with pytest.raises(InputError, match="all results of v are void"):
        compare(frame, "abc", "v")
    with pytest.raises(InputError, match="no test case in common"):
        compare(frame, "abc", "far")
    asked = frame_of([evaluation("a", "x", 1), evaluation("b", "x", 1, prompt="Other")])
    with pytest.raises(InputError, match="never asked with the same prompt"):
        compare(asked, "a", "b")


# Power


def test_power_is_a_table_over_test_cases_and_samples():
    table = power([5, 14, 60], [1, 5], spread=Spread(between=15, within=25))
    assert table.columns == ["cases", "samples", "difference"]
    assert table["difference"].to_list()[:2] == [None, None]
    known = table.drop_nulls()
    assert known["difference"].is_sorted(descending=True)


@pytest.mark.parametrize("plan", [([0], [1]), ([], [1]), ([10], [0])])
def test_a_plan_without_cases_or_samples_is_refused(plan):
    with pytest.raises(InputError, match="at least one"):
        power(*plan)


def test_the_spread_of_simulated_results_is_found_again():
    rng = np.random.default_rng(4)
    scores = {}
    for name in ("a", "b", "c"):
        skill = rng.normal(50, 20 / np.sqrt(2), 400)  # two of them differ with a spread of 20
        scores[name] = {f"c{n}": rng.normal(mean, 10, 3) for n, mean in enumerate(skill)}
    found = spread_of(board(scores))
    assert found.between == pytest.approx(20, rel=0.1)
    assert found.within == pytest.approx(10, rel=0.05)
    assert found.source == "3 models on 400 test cases"


def test_where_no_question_was_answered_twice_the_usual_luck_is_assumed_and_said():
    found = spread_of(by_case(a=STRONG, b=WEAK))
    assert found.within == TYPICAL.within
    assert "assumed" in found.source


def test_a_spread_needs_two_models_and_three_test_cases():
    with pytest.raises(InputError, match="two models on three test cases"):
        spread_of(by_case(a=STRONG))
    lonely = frame_of([evaluation("a", c, 1) for c in "uvw"] + [evaluation("b", c, 1) for c in "xyz"])
    with pytest.raises(InputError, match="no two models share three"):
        spread_of(lonely)


# What is mixed


def test_alike_results_mix_nothing():
    assert mixtures(by_case(a=[1, 2], b=[3, 4])) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"julia_version": "1.5.3"}, "Mixes versions of Julia: 1.10.4 (2), 1.5.3 (1)."),
        (
            {"packages": "CSV 0.10.1, DataFrames 1.1.0"},
            "Mixes versions of Julia packages: DataFrames 1.6.1 (2), 1.1.0 (1).",
        ),
        ({"rules_version": 2}, "Mixes verdicts by different judging rules: version 1 (2), version 2 (1)."),
        (
            {"rules_version": None, "julia_version": None},
            "Mixes verdicts by different judging rules: version 1 (2), the predecessor (1).",
        ),
        ({"strategy": "1CODEFIXER__Tiny"}, "Mixes strategies: 1SHOT (2), 1CODEFIXER__Tiny (1)."),
        ({"experiment": "scan"}, "Mixes experiments: (none) (2), scan (1)."),
        ({"definition_hash": "e"}, "1 test case was judged with several versions of the definition: a."),
        ({"prompt_hash": "q"}, "1 prompt was asked in several wordings: InJulia."),
        ({"parameters": '{"temperature":1}'}, "1 model was asked with several sets of parameters: m."),
    ],
)
def test_what_is_mixed_is_said(change, said):
    rows = [evaluation("m", "a", 1), evaluation("m", "a", 2), evaluation("m", "a", 3, **change)]
    assert mixtures(frame_of(rows)) == [said]


def test_what_is_grouped_by_is_not_mixed():
    rows = [evaluation("m", "a", 1), evaluation("m", "a", 3, strategy="other", experiment="scan")]
    assert mixtures(frame_of(rows), ("strategy", "experiment")) == []
    rows = [evaluation("m", "a", 1), evaluation("m", "a", 3, rules_version=2)]
    assert mixtures(frame_of(rows), ("rules_version",)) == []


def test_notes_on_models_name_the_best_first():
    rows = [
        evaluation(model, case, score, parameters=f'{{"seed":{seed}}}')
        for model, score in (("a", 10), ("z", 90))
        for case in "xy"
        for seed in (1, 2)
    ]
    said = "2 models were asked with several sets of parameters: z, a."
    assert said in board_of(frame_of(rows)).notes


def test_void_answers_mix_nothing():
    rows = [evaluation("m", "a", 1), evaluation("m", "a", None, julia_version="1.5.3")]
    assert mixtures(frame_of(rows)) == []


# Which ones count


def several() -> pl.DataFrame:
    return frame_of(
        [
            evaluation("openai/x", "add", 1, timestamp="20240430_235959__001", experiment="scan"),
            evaluation("openai/y", "add", 2, timestamp="20240501_000000__001", prompt="AsIs"),
            evaluation("local", "sub", 3, timestamp="20240501_123000__001", category="text"),
        ]
    )


@pytest.mark.parametrize(
    ("filters", "scores"),
    [
        ({"models": ["openai/*"]}, [1, 2]),
        ({"models": ["local", "openai/x"]}, [1, 3]),
        ({"prompts": ["AsIs"]}, [2]),
        ({"cases": ["maths/*"]}, [1, 2]),
        ({"cases": ["sub"]}, [3]),
        ({"experiments": ["scan"]}, [1]),
        ({"experiments": [""]}, [2, 3]),
        ({"since": "2024-05-01"}, [2, 3]),
        ({"since": "2024-05-01 12:30"}, [3]),
        ({"since": "20240501_123000"}, [3]),
        ({"where": "score > 1 AND model LIKE 'openai/%'"}, [2]),
        ({"models": ["openai/*"], "where": "score < 2"}, [1]),
    ],
)
def test_a_filter_keeps_what_fits(filters, scores):
    assert select(several(), **filters)["score"].to_list() == scores


def test_a_condition_on_a_parameter_quotes_its_name():
    rows = [evaluation("m", "a", t, **{"parameter.temperature": t}) for t in (0.0, 1.0)]
    assert select(frame_of(rows), where='"parameter.temperature" > 0.5')["score"].to_list() == [1.0]


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"models": ["openai/z"]}, "no model fits 'openai/z'; "),
        ({"prompts": ["x"]}, "no prompt fits 'x'; known: AsIs, InJulia"),
        ({"cases": ["nope/*"]}, "no test case fits 'nope/\\*'"),
        ({"since": "yesterday"}, "no date"),
        ({"since": "2024-13-01"}, "no date"),
        ({"where": "scor > 1"}, '"scor".*columns are: model, .*, score, '),
        ({"where": "score >"}, "columns are: model"),
        ({"where": "score"}, "Boolean.*columns are"),
        ({"where": "nofunction(score)"}, "columns are"),
    ],
)
def test_a_filter_that_fits_nothing_says_what_there_is(filters, said):
    with pytest.raises(InputError, match=said):
        select(several(), **filters)


# The predecessor's tables


def test_the_published_table_is_the_one_worked_out_by_hand():
    rows = [
        evaluation("m", "a", 100, elapsed=1.25, cost=0.0005, prompt="InJulia"),
        evaluation("m", "a", 62.5, elapsed=2.0, cost=0.0005, prompt="JuliaExpertAsk"),
        evaluation("m", "b", 0, elapsed=3.5, cost=0.0005, prompt="JuliaRecapTask"),
        evaluation("m", "b", 25, elapsed=9.0, cost=0.00015, prompt="JuliaRecapCoTTask"),
        evaluation("m", "b", 100, elapsed=99.0, cost=1.0, prompt="AsIs"),
    ]
    # The last one is under a prompt that does not count. Mean 187.5 / 4 = 46.875; median 43.75, and 43.8 by
    # rounding half to even of 437.5; the squares of the deviations from the mean:
    # 53.125^2 + 15.625^2 + 46.875^2 + 21.875^2 = 5742.1875, / 3 = 1914.0625, root 43.75: 43.8. Elapsed
    # 15.75 / 4 = 3.9375, median 2.75: 2.8 (27.5 to the even 28). Cents: 0.04125 to two digits.
    assert published_table(frame_of(rows)).to_dicts() == [
        {
            "model": "m",
            "Elapsed": 3.9,
            "Elapsed Median": 2.8,
            "Score": 46.9,
            "Score Median": 43.8,
            "Score Std Deviation": 43.8,
            "Count Zero Score": 1,
            "Count Full Score": 1,
            "Cost Cents": 0.04,
        }
    ]


def test_the_published_table_rounds_half_to_even():
    rows = [evaluation("m", "a", 50, elapsed=seconds) for seconds in (0.25, 0.25)]
    assert published_table(frame_of(rows))["Elapsed"].to_list() == [0.2]


def test_costs_are_left_out_of_the_published_table_where_nothing_was_paid():
    assert "Cost Cents" not in published_table(by_case(m=[1, 2])).columns


def test_a_model_that_is_often_cut_short_is_warned_about() -> None:
    cases = [f"case{number}" for number in range(50)]
    rows = [evaluation("steady", case, 100, finish_reason="stop") for case in cases]
    rows += [
        evaluation("cut", case, 0, finish_reason="max_tokens" if n < 2 else "stop")
        for n, case in enumerate(cases)
    ]
    rows += [
        evaluation("once", case, 0, finish_reason="length" if not n else "stop")
        for n, case in enumerate(cases)
    ]
    rows += [evaluation("untold", case, 50, finish_reason=None) for case in cases]
    whole = board_of(frame_of(rows))
    shares = dict(whole.table.select("model", "cut_short").iter_rows())
    assert shares == {"steady": 0.0, "cut": 0.04, "once": 0.02, "untold": None}
    [note] = [note for note in whole.notes if note.startswith("Cut short")]
    assert "cut (4 %)" in note
    assert "once" not in note


def test_the_share_of_empty_answers_is_told_where_it_is_known() -> None:
    rows = [evaluation("silent", f"case{n}", 0, extraction="empty" if n < 3 else "all") for n in range(4)]
    rows += [evaluation("talks", f"case{n}", 0, extraction="none") for n in range(4)]
    rows += [evaluation("published", f"case{n}", 0, extraction=None) for n in range(4)]
    shares = dict(board_of(frame_of(rows)).table.select("model", "empty").iter_rows())
    assert shares == {"silent": 0.75, "talks": 0.0, "published": None}


# The share of answers that solve


def solving(**solved: str) -> pl.DataFrame:
    """One model a keyword, a letter for each sample of each test case: `solving(m="++ +- --")`."""
    return frame_of(
        evaluation(model, f"case{number:02}", 100 if letter == "+" else 80, unit_tests_passed=1)
        for model, cases in solved.items()
        for number, samples in enumerate(cases.split())
        for letter in samples
    )


def test_solved_is_the_mean_over_test_cases_of_the_share_that_pass_all_tests():
    row = row_of(tables.leaderboard(solving(m="++++ +- -")), model="m")
    assert row["solved"] == pytest.approx((100 + 50 + 0) / 3)
    assert row["score"] == pytest.approx((100 + 90 + 80) / 3)


def test_the_board_ranks_by_solved_and_by_score_if_that_is_asked_for():
    frame = by_case(whole=[100, 100, 0, 0], parts=[90, 90, 90, 90])
    assert tables.leaderboard(frame)["model"].to_list() == ["whole", "parts"]
    assert leaderboard(frame)["model"].to_list() == ["parts", "whole"]


def test_models_that_solve_as_much_are_ordered_by_score():
    frame = by_case(a=[100, 10], b=[100, 60])
    assert tables.leaderboard(frame)["model"].to_list() == ["b", "a"]


def test_interval_ranks_and_margin_are_of_the_metric():
    frame = solving(strong="+ + + + + + + + + -", weak="- - - - - - - - - +")
    by_solved, by_score = tables.board(frame), board_of(frame)
    (strong, weak), (scored, _) = by_solved.table.to_dicts(), by_score.table.to_dicts()
    assert strong["low"] < strong["solved"] == 90 < strong["high"]
    assert scored["low"] < scored["score"] == 98 < scored["high"]
    assert (strong["rank_low"], strong["rank_high"], weak["rank_low"]) == (1, 1, 2)
    assert by_solved.margin is not None
    assert by_score.margin is not None
    assert by_solved.margin > by_score.margin


def test_single_samples_as_units_take_the_spread_of_the_metric():
    frame = solving(m="++--")
    solved, scored = tables.leaderboard(frame).row(0, named=True), leaderboard(frame).row(0, named=True)
    assert solved["high"] - solved["low"] > scored["high"] - scored["low"]


def test_two_models_are_compared_by_what_they_solve():
    frame = solving(a="+ + + -", b="+ - - -")
    result = comparing.compare(frame, "a", "b")
    assert (result.value_a, result.value_b, result.difference) == (75, 25, 50)
    assert compare(frame, "a", "b").difference == pytest.approx(10)


def test_pairs_and_spreads_are_of_the_metric():
    frame = solving(a="++ ++ ++ ++ ++ +-", b="-- -- -- -- -- +-")
    assert tables.pairs(frame)["difference"].to_list() == [pytest.approx(500 / 6)]
    assert pairs(frame)["difference"].to_list() == [pytest.approx(100 / 6)]
    assert planning.spread_of(frame).within == pytest.approx(5 * spread_of(frame).within)


def test_without_repeated_answers_the_largest_luck_is_assumed_for_solved():
    spread = planning.spread_of(solving(a="+ + -", b="- + -"))
    assert spread.within == 50
    assert "50 is assumed" in spread.source


def test_pass_at_k_and_pass_hat_k_stand_side_by_side():
    row = row_of(tables.leaderboard(solving(m="++- ---"), passes=(1, 2)), model="m")
    assert row["pass@1"] == pytest.approx(row["pass^1"]) == pytest.approx((2 / 3 + 0) / 2)
    assert row["pass@2"] == pytest.approx((1 + 0) / 2)
    assert row["pass^2"] == pytest.approx((1 / 3 + 0) / 2)


def test_what_a_solved_task_costs_is_what_all_answers_cost():
    frame = solving(m="+--- +---", never="- -").with_columns(cost=pl.lit(0.01), elapsed=pl.lit(3.0))
    table = tables.leaderboard(frame)
    row = row_of(table, model="m")
    assert row["cost_per_solved"] == pytest.approx(0.04)
    assert row["elapsed_per_solved"] == pytest.approx(12)
    never = row_of(table, model="never")
    assert (never["cost_per_solved"], never["elapsed_per_solved"]) == (None, None)


def test_answers_that_run_and_fail_one_or_two_tests_are_near():
    counts = [(10, 10, True), (9, 10, True), (8, 10, True), (7, 10, True), (8, 10, False)]
    frame = frame_of(
        evaluation(
            "m", "a", 100 if passed == count else 50, unit_tests_passed=passed, unit_tests_count=count,
            executed=executed,
        )
        for passed, count, executed in counts
    )  # fmt: skip
    assert tables.leaderboard(frame)["near"].to_list() == [pytest.approx(100 * 2 / 5)]


CASES = {
    name: TestCase(
        name=name, contributor="", criteria=(), prompt="", version="", examples=(), unit_tests=(), imports=(),
        reference_solution="", level=level, kind=kind,
    )
    for name, level, kind in (
        ("case00", "basic", "write"), ("case01", "hard", "fix"), ("case02", "hard", "write")
    )
}  # fmt: skip


def test_lift_is_what_is_earned_above_a_stub_and_never_below_nothing():
    frame = by_case(m=[100, 70, 20])
    told = with_cases(frame, CASES, {"case00": 60.0, "case01": 40.0, "case02": 50.0})
    lift = (100 * (100 - 60) / 40 + 100 * (70 - 40) / 60 + 0) / 3
    assert tables.leaderboard(told)["lift"].to_list() == [pytest.approx(lift)]
    assert tables.leaderboard(with_cases(frame, CASES, {}))["lift"].to_list() == [None]
    assert tables.leaderboard(frame)["lift"].to_list() == [None]
    assert dict(tables.leaderboard(told, "test_case").select("test_case", "lift").iter_rows()) == {
        "case00": 100, "case01": pytest.approx(50), "case02": 0
    }  # fmt: skip


def test_levels_and_kinds_are_columns_to_choose_and_to_group_by():
    told = with_cases(by_case(a=[100, 0, 100, 100], b=[100, 100, 100, 0]), CASES, {})
    assert told["level"].to_list()[:4] == ["basic", "hard", "hard", ""]
    assert select(told, levels=["hard"])["test_case"].unique().sort().to_list() == ["case01", "case02"]
    assert select(told, kinds=["fix"])["test_case"].unique().to_list() == ["case01"]
    by_level = tables.leaderboard(told, ("model", "level"))
    assert row_of(by_level, model="a", level="hard")["solved"] == 50
    with pytest.raises(InputError, match="no level fits 'impossible'; known: basic, hard"):
        select(told, levels=["impossible"])
    with pytest.raises(InputError, match="the definitions are not at hand"):
        select(by_case(a=[1]), levels=["hard"])


def test_the_parts_of_a_board_are_its_rows_by_level_with_the_number_of_test_cases():
    told = with_cases(by_case(a=[100, 0, 100, 100], b=[100, 100, 100, 0]), CASES, {})
    parts = parts_of(tables.board(told), "level")
    assert parts is not None
    assert parts.columns == ["model", "basic (1)", "hard (2)"]
    assert {row[0]: row[1:] for row in parts.iter_rows()} == {"a": (100, 50), "b": (100, 100)}
    assert parts_of(tables.board(select(told, levels=["hard"])), "level") is None
    assert parts_of(tables.board(by_case(a=[100, 0], b=[0, 0])), "level") is None


# Unit tests that strong models miss


def rates_of(*rows: tuple[str, str, list[float]]) -> pl.DataFrame:
    """Model, test case, and the share of its answers that pass each of the unit tests."""
    return pl.DataFrame(
        [(case, model, at, share) for model, case, shares in rows for at, share in enumerate(shares)],
        schema={"test_case": pl.String, "model": pl.String, "index": pl.Int64, "share": pl.Float64},
        orient="row",
    )


def test_a_unit_test_that_strong_models_miss_alone_is_marked_for_audit():
    strong = ["a", "b", "c"]
    odd = [(model, "odd", [1.0, 0.9, 0.0]) for model in strong]
    hard = [(model, "hard", [0.2, 0.1, 0.0]) for model in strong]
    fair = [("a", "fair", [1.0, 0.0]), ("b", "fair", [1.0, 0.0]), ("c", "fair", [1.0, 1.0])]
    weak = [("d", "fair", [0.0, 0.0]), ("d", "weak", [1.0, 0.0])]
    seldom = [("a", "seldom", [1.0, 0.0]), ("b", "seldom", [1.0, 0.0])]
    found = missed_tests(rates_of(*odd, *hard, *fair, *weak, *seldom), strong)
    assert found.to_dicts() == [{"test_case": "odd", "index": 2, "share": 0.0}]
    assert missed_tests(rates_of(("a", "one", [0.0])), strong).is_empty()


def test_tests_to_audit_are_found_from_the_answers_of_a_board_alone():
    rows = [
        evaluation(model, "odd", 90, definition_hash="old" if model == "d" else "new",
                   unit_test_endings=["passed", "passed", "failed"])
        for model in "abcdef"
    ]  # fmt: skip
    found = audited_tests(tables.board(frame_of(rows)))
    assert found.select("test_case", "index").rows() == [("odd", 2)]


def test_strong_models_are_the_better_half_if_they_are_three_or_more():
    five = by_case(**{name: [100 if place > number else 0 for place in range(6)]
                      for number, name in enumerate("abcde")})  # fmt: skip
    assert strong_models(tables.board(five).ranked) == ["a", "b", "c"]
    assert strong_models(tables.board(by_case(a=[100], b=[0], c=[0], d=[0])).ranked) == []


# Speed


def test_the_speed_of_a_model_is_the_geometric_mean_over_the_cases_it_solved():
    measured = {"speed_noisy": False, "allocates_more": True, "inferred": True}
    frame = frame_of([
        evaluation("m", "a", 100, speed=4.0, **measured),
        evaluation("m", "a", 100, speed=1.0, **measured | {"allocates_more": False}),
        evaluation("m", "b", 100, speed=0.5, **measured | {"speed_noisy": True}),
        evaluation("m", "c", 100),
        evaluation("m", "d", 40),
        *(evaluation("n", case, 0) for case in "aabcd"),
    ])  # fmt: skip
    whole = tables.board(frame)
    m, n = (row_of(whole.table, model=name) for name in "mn")
    assert m["speed"] == pytest.approx((2.0 * 0.5) ** 0.5)
    assert (m["speed_cases"], n["speed"], n["speed_cases"], n["allocates_more"]) == (2, None, 0, None)
    assert (m["speed_noisy"], m["allocates_more"], m["inferred"]) == pytest.approx((1 / 3, 2 / 3, 1.0))
    (note,) = [note for note in whole.notes if note.startswith("Speed")]
    assert "m (2)" in note
    assert "unsure" not in note
    assert dict(tables.leaderboard(frame, "test_case").select("test_case", "speed").iter_rows())["a"] == 2.0


def test_a_mean_of_noisy_speeds_is_called_unsure():
    frame = frame_of([evaluation("m", case, 100, speed=2.0, speed_noisy=True) for case in "ab"])
    (note,) = [note for note in tables.board(frame).notes if note.startswith("Speed")]
    assert note.endswith("unsure, for most of it is noisy: m.")


def test_a_board_without_speeds_does_not_speak_of_them():
    whole = tables.board(by_case(m=[100, 50]))
    assert not [note for note in whole.notes if "peed" in note]
    assert whole.table["speed"].to_list() == [None]


def test_the_same_answers_make_the_same_numbers_to_the_last_digit() -> None:
    many = {
        f"m{model:02}": {
            f"c{case:02}": [(7 * model + 3 * case + n) ** 0.5 for n in range(5)] for case in range(40)
        }
        for model in range(60)
    }
    frame = board(many)
    first = leaderboard(frame)
    assert all(leaderboard(frame).equals(first) for _ in range(5))


def test_means_that_are_equal_but_for_their_last_digit_are_in_order_of_name() -> None:
    frame = by_case(b=[10.1, 20.2, 30.3, 70.7], a=[70.7, 10.1, 30.3, 20.2], c=[30.3, 20.2, 70.7, 10.1])
    assert leaderboard(frame)["model"].to_list() == ["a", "b", "c"]
