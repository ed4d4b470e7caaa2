"""Each estimator against a known answer, worked by hand or published."""

from __future__ import annotations

from itertools import product
from math import comb, inf, sqrt
from statistics import NormalDist

import numpy as np
import pytest

from codejury.results.statistics.intervals import (
    bootstrap_errors,
    difference_intervals,
    normal_quantile,
    plain_errors,
    score_interval,
    score_intervals,
    t_probability,
    t_quantile,
    unseen_move,
)
from codejury.results.statistics.power import (
    LEAST_CASES,
    cases_to_resolve,
    passes_at_k,
    reach,
    samples_to_resolve,
    smallest_difference,
)
from codejury.results.statistics.ranks import (
    EXACT_CASES,
    breaks,
    chance_of,
    moves,
    rank_intervals,
    sign_flip_test,
    sure_difference,
)

# Quantiles


@pytest.mark.parametrize(
    ("probability", "degrees", "known"),
    [
        # NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.2
        (0.975, 1, 12.706),
        (0.975, 2, 4.303),
        (0.975, 13, 2.160),
        (0.995, 5, 4.032),
        (0.90, 30, 1.310),
        (0.975, 100, 1.984),
        (0.975, inf, 1.960),
    ],
)
def test_t_quantiles_are_those_of_the_printed_table(probability, degrees, known):
    assert t_quantile(probability, degrees) == pytest.approx(known, abs=5e-4)
    assert t_quantile(1 - probability, degrees) == -t_quantile(probability, degrees)


@pytest.mark.parametrize("degrees", [150, 199, 200, 201, 1000, 1e6])
def test_a_quantile_is_where_the_probability_says_also_with_many_degrees(degrees):
    for probability in (0.6, 0.9, 0.975, 0.9995):
        assert t_probability(t_quantile(probability, degrees), degrees) == pytest.approx(
            probability, abs=1e-9
        )


def test_the_t_distribution_with_one_degree_is_cauchys():
    for value in (-3.0, -0.5, 0.0, 1.0, 40.0):
        assert t_probability(value, 1) == pytest.approx(0.5 + np.arctan(value) / np.pi, abs=1e-12)


def test_the_normal_quantile_is_the_familiar_one():
    assert normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)


# Intervals


def test_the_bootstrap_finds_the_textbook_error_of_a_mean():
    scores = np.array([[10.0, 20.0, 40.0, 50.0, 90.0, 100.0]])
    error = bootstrap_errors(scores, np.ones((1, 6)), seed=0)[0]
    assert error == pytest.approx(scores.std(ddof=1) / sqrt(6), rel=0.02)


def test_a_test_case_with_many_alike_samples_counts_once():
    few = bootstrap_errors(np.array([[10.0, 50.0, 90.0]]), np.ones((1, 3)), seed=0)
    many = bootstrap_errors(np.array([[1000.0, 5000.0, 9000.0]]), np.full((1, 3), 100.0), seed=0)
    assert many == pytest.approx(few)


def test_a_group_has_the_same_error_whoever_stands_beside_it():
    sums, counts = np.array([[10.0, 20.0, 90.0, 0.0], [1.0, 2.0, 3.0, 4.0]]), np.ones((2, 4))
    counts[0, 3] = 0
    both = bootstrap_errors(sums, counts, seed=3)
    alone = bootstrap_errors(sums[:1, :3], counts[:1, :3], seed=3)
    assert both[0] == alone[0]


def test_the_same_seed_draws_the_same_and_another_one_does_not():
    sums, counts = np.array([[10.0, 20.0, 90.0]]), np.ones((1, 3))
    assert bootstrap_errors(sums, counts, seed=1) == bootstrap_errors(sums, counts, seed=1)
    assert bootstrap_errors(sums, counts, seed=1) != bootstrap_errors(sums, counts, seed=2)


def test_one_unit_has_no_interval_and_two_have_a_wide_one():
    sums, counts = np.array([[50.0, 0.0], [40.0, 60.0]]), np.array([[1.0, 0.0], [1.0, 1.0]])
    errors = bootstrap_errors(sums, counts, seed=0)
    low, high = score_intervals(np.array([50.0, 50.0]), errors, np.array([1, 2]))
    assert np.isnan(low[0])
    assert np.isnan(high[0])
    assert low[1] < 1
    assert high[1] > 99


def test_far_from_the_ends_the_interval_is_students():
    low, high = score_interval(50.0, 1.0, 14)
    assert (low, high) == pytest.approx((50 - 2.160, 50 + 2.160), abs=0.01)


def test_near_an_end_the_interval_stays_inside_and_leans_away_from_it():
    low, high = score_interval(97.0, 2.0, 14)
    assert high < 100
    assert 97 - low > high - 97


def test_where_all_test_cases_agree_the_rule_of_three_applies():
    # Hanley and Lippman-Hand (1983): no event in n trials; the upper bound solves (1 - p)^n = 0.025.
    low, high = score_interval(100.0, 0.0, 60)
    assert (low, high) == pytest.approx((100 * 0.025 ** (1 / 60), 100))
    assert score_interval(0.0, 0.0, 60) == pytest.approx((0, 100 - low))
    assert score_interval(50.0, 0.0, 14)[0] < 50 < score_interval(50.0, 0.0, 14)[1]


def test_single_samples_have_the_error_that_the_bootstrap_tends_to():
    assert plain_errors(np.array([6.0, 6.0]), np.array([9, 1]))[0] == 2.0
    assert np.isnan(plain_errors(np.array([6.0, 6.0]), np.array([9, 1]))[1])


# pass@k


def test_pass_at_k_is_the_share_of_draws_with_a_passing_answer():
    # Chen et al. (2021), "Evaluating Large Language Models Trained on Code", equation 1.
    for samples, passed, k in product(range(1, 9), range(9), range(1, 9)):
        if passed <= samples and k <= samples:
            expected = 1 - comb(samples - passed, k) / comb(samples, k)
            found = passes_at_k(np.array([samples]), np.array([passed]), k)
            assert found == pytest.approx([expected])


def test_pass_at_k_of_fewer_than_k_answers_is_unknown():
    assert np.isnan(passes_at_k(np.array([2, 5]), np.array([1, 5]), 5)).tolist() == [True, False]


def test_pass_at_k_of_many_answers_does_not_overflow():
    assert passes_at_k(np.array([10_000]), np.array([5_000]), 100) == pytest.approx([1.0])


# Sign flips

# Darwin's maize: height of crossed less self-fertilised plants, in eighths of an inch.
DARWIN = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48], dtype=float)


def test_darwins_maize_has_fishers_p_value():
    # Fisher, The Design of Experiments (1935), section 21: 863 of 2^15 patterns reach a sum of 314 on one
    # side, those that equal it included: 1,726 of 32,768 on both.
    assert sign_flip_test(DARWIN) == 1726 / 32768


def test_a_test_of_few_differences_is_counted_by_hand():
    # +3 +2 -1 = 4; of the eight patterns 6, 4, -4 and -6 are as large.
    assert sign_flip_test(np.array([3.0, 2.0, -1.0])) == 4 / 8


def test_differences_of_zero_have_no_say():
    assert sign_flip_test(np.array([3.0, 0.0, 2.0, 0.0, -1.0])) == 4 / 8
    assert sign_flip_test(np.zeros(14)) == 1.0


def test_winning_all_cases_has_the_smallest_p_value_there_is():
    assert sign_flip_test(np.arange(1.0, 15.0)) == 2 / 2**14


def test_equal_models_have_a_p_value_of_one():
    assert sign_flip_test(np.array([5.0, -5.0, 1.0, -1.0])) == 1.0


def test_beyond_twenty_cases_the_p_value_goes_on_where_counting_ended():
    generator = np.random.default_rng(5)
    for shift in (0.2, 0.5, 0.9):
        differences = generator.normal(shift, 1.0, EXACT_CASES)
        counted = sign_flip_test(differences)
        # Two differences too small to matter make it 22: their distribution is found on a grid.
        on_grid = sign_flip_test(np.append(differences, [1e-7, -1e-7]))
        assert on_grid == pytest.approx(counted, rel=0.02)


def test_many_cases_agree_with_the_normal_distribution():
    differences = np.tile([3.0, -2.0, 1.0, 0.5, -1.5], 40)
    # The sums lie one apart, so half a step belongs to each.
    z = (differences.sum() - 0.5) / np.sqrt((differences**2).sum())
    assert sign_flip_test(differences) == pytest.approx(2 * (1 - NormalDist().cdf(z)), rel=0.03)


# Many tests


# Ranks


def margin_of(scores: np.ndarray, seed: int = 0) -> float:
    return sure_difference(moves(scores, seed=seed))


def test_a_rank_interval_counts_who_is_surely_better_and_worse():
    low, high = rank_intervals(np.array([90.0, 80.0, 40.0]), 20.0)
    assert (low.tolist(), high.tolist()) == ([1, 1, 3], [2, 2, 3])
    low, high = rank_intervals(np.array([40.0, 60.0, 50.0]), 10.0)  # as far apart as the margin is not sure
    assert (low.tolist(), high.tolist()) == ([2, 1, 1], [3, 2, 3])


def test_equal_scores_share_their_ranks():
    low, high = rank_intervals(np.array([50.0, 50.0 + 1e-13, 10.0]), 0.0)
    assert (low.tolist(), high.tolist()) == ([1, 1, 3], [2, 2, 3])


def test_a_line_stands_only_where_all_above_is_better_than_all_below():
    assert breaks([1, 1, 3, 3], [2, 2, 4, 4]) == [2]
    assert breaks([1, 1, 2], [2, 3, 3]) == []
    assert breaks([1, 2, 3], [1, 2, 3]) == [1, 2]
    assert breaks([], []) == []


def test_fewer_than_six_test_cases_make_nothing_sure():
    scores = np.array([[90.0] * 5, [10.0] * 5])
    assert margin_of(scores) == inf
    assert margin_of(np.hstack([scores, scores])) < 80


@pytest.mark.parametrize("units", [6, 30])
def test_the_margin_of_two_models_is_students_and_a_little_that_nobody_has_seen(units):
    """Its tails are those of Student's t at 99.5 %, as far as few test cases can tell."""
    scores = np.random.default_rng(0).normal(50, 20, size=(2, units))
    error = np.std(scores[0] - scores[1], ddof=1) / np.sqrt(units)
    tails = t_quantile(0.995, units - 1) / normal_quantile(0.995)
    expected = np.hypot(normal_quantile(0.975) * error * tails, unseen_move(units))
    assert margin_of(scores) == pytest.approx(expected, rel=0.03)


def test_the_corrected_p_value_and_the_margin_say_the_same():
    scores = np.random.default_rng(1).normal(50, 20, size=(8, 14))
    moved = moves(scores, seed=0)
    margin = sure_difference(moved)
    assert chance_of(margin + 0.1, moved) < 0.05 < chance_of(margin - 0.1, moved) < 0.06
    assert chance_of(1e9, moved) > 0


def test_doing_better_never_costs_a_place():
    """Raise one model on one test case: neither end of its rank interval may get worse."""
    generator = np.random.default_rng(2)
    for _ in range(60):
        scores = generator.beta(1.2, 0.6, size=(6, 10)) * 60 + np.linspace(0, 30, 6)[:, None]
        model, case = generator.integers(6), generator.integers(10)
        better = scores.copy()
        better[model, case] += generator.uniform(0, 100 - scores[model, case])
        before = rank_intervals(scores.mean(axis=1), margin_of(scores))
        after = rank_intervals(better.mean(axis=1), margin_of(better))
        assert after[0][model] <= before[0][model]
        assert after[1][model] <= before[1][model]


def test_a_better_score_never_has_a_worse_interval():
    generator = np.random.default_rng(4)
    scores = generator.beta(1.2, 0.6, size=(12, 14)) * 100
    low, high = rank_intervals(scores.mean(axis=1), margin_of(scores))
    order = np.argsort(-scores.mean(axis=1))
    assert (np.diff(low[order]) >= 0).all()
    assert (np.diff(high[order]) >= 0).all()


# The interval of a difference


def test_the_interval_of_a_difference_counts_a_little_that_nobody_has_seen():
    (low,), (high,) = difference_intervals(np.array([[10.0] * 9]))
    # Squares: 0.1 * (90^2 + 110^2) = 2020, over 9.2 twice, times 9 / 8; t with 8 degrees is 2.306.
    assert high - 10 == pytest.approx(2.306 * sqrt(2020 / 9.2 / 9.2 * 9 / 8), rel=1e-3)
    assert low == pytest.approx(20 - high)


def test_differences_that_a_pair_has_not_are_no_zeros():
    some = np.array([[5.0, np.nan, 15.0, -3.0, np.nan, 8.0]])
    none = some[:, np.isfinite(some[0])]
    assert np.allclose(difference_intervals(some), difference_intervals(none))
    assert np.isnan(difference_intervals(np.array([[np.nan, 3.0]]))).all()


# Needed numbers


def test_the_resolvable_difference_follows_the_textbook_formula():
    # Cohen (1988), table 2.4.1 asks for 33 pairs at d = 0.5, two-sided 5 %, power 0.80 (34 with t exactly).
    assert cases_to_resolve(0.5, 1.0) in (33, 34)
    assert smallest_difference(34, 1.0) == pytest.approx(0.5, abs=0.01)


def test_four_times_the_cases_resolve_half_the_difference():
    assert smallest_difference(4000, 9.0) == pytest.approx(smallest_difference(1000, 9.0) / 2, rel=1e-3)


def test_five_cases_resolve_nothing():
    assert smallest_difference(LEAST_CASES - 1, 1e-6) is None
    assert cases_to_resolve(50.0, 1e-6) == LEAST_CASES
    assert samples_to_resolve(50.0, LEAST_CASES - 1, 0.0, 1.0, 1) is None


def test_a_difference_of_nothing_is_never_resolved():
    assert cases_to_resolve(0.0, 1.0) is None


def test_more_samples_help_only_as_far_as_sampling_is_the_cause():
    # With 16 cases, a difference of 10 and reach r, the variance may be 16 * 100 / r^2.
    room = 16 * 100 / reach(16) ** 2
    assert samples_to_resolve(10.0, 16, between=0.0, within=2 * room, samples=5) == 10
    assert samples_to_resolve(10.0, 16, between=room + 1, within=1.0, samples=5) is None
