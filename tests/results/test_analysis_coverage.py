"""Simulations: an interval of 95 % holds the truth about as often, and a planned power is the real one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from codejury.results.statistics.intervals import bootstrap_errors, difference_intervals, score_intervals
from codejury.results.statistics.power import Spread, smallest_difference
from codejury.results.statistics.ranks import moves, rank_intervals, sign_flip_test, sure_difference

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def beta(mean: float, weight: float) -> Draw:
    return lambda rng, shape: 100 * rng.beta(mean * weight, (1 - mean) * weight, shape)


def lumpy(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Like real test cases: half of them solved, the rest at a few steps below."""
    return rng.choice([0, 25, 50, 62.5, 75, 87.5, 100], p=[0.02, 0.03, 0.15, 0.1, 0.1, 0.1, 0.5], size=shape)


def all_or_nothing(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return np.where(rng.random(shape) < 0.7, 100.0, 0.0)


def coverage(draw: Draw, cases: int, *, boards: int = 1500) -> float:
    """The share of simulated boards whose interval holds the true mean."""
    rng = np.random.default_rng(7)
    truth = draw(rng, (1_000_000,)).mean()
    scores = draw(rng, (boards, cases))
    errors = bootstrap_errors(scores, np.ones_like(scores), seed=0, rounds=2000)
    low, high = score_intervals(scores.mean(axis=1), errors, np.full(boards, cases))
    return float(((low <= truth) & (truth <= high)).mean())


@pytest.mark.parametrize("cases", [14, 60])
@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(beta(0.5, 2), id="spread evenly"),
        pytest.param(beta(0.8, 3), id="skewed, mean 80"),
        pytest.param(beta(0.3, 3), id="skewed, mean 30"),
        pytest.param(lumpy, id="lumpy"),
        pytest.param(all_or_nothing, id="all or nothing"),
    ],
)
def test_an_interval_of_95_percent_covers_about_as_much(draw: Draw, cases: int) -> None:
    assert 0.92 <= coverage(draw, cases) <= 0.99


def test_extreme_skew_is_the_hard_case_with_few_test_cases_and_fades_with_more() -> None:
    assert 0.80 <= coverage(beta(0.95, 2), 14) <= 0.92
    assert coverage(beta(0.95, 2), 60) >= 0.92


def test_three_test_cases_have_intervals_that_are_wide_enough() -> None:
    assert coverage(beta(0.5, 2), 3) >= 0.92


def test_intervals_that_take_samples_for_units_are_far_too_narrow() -> None:
    """The error that the unit of a test case is there to avoid: 14 test cases with 25 alike samples each."""
    rng = np.random.default_rng(8)
    skill = 100 * rng.beta(2, 1, size=(400, 14, 1))
    samples = np.clip(skill + rng.normal(0, 10, size=(400, 14, 25)), 0, 100)
    truth = 66.2
    flat = samples.reshape(400, -1)
    wrong = bootstrap_errors(flat, np.ones_like(flat), seed=0, rounds=200)
    right = bootstrap_errors(samples.sum(axis=2), np.full((400, 14), 25.0), seed=0, rounds=1000)

    def covered(errors: np.ndarray, units: int) -> float:
        low, high = score_intervals(flat.mean(axis=1), errors, np.full(400, units))
        return float(((low <= truth) & (truth <= high)).mean())

    assert covered(right, 14) > 0.9
    assert covered(wrong, 350) < 0.6
    assert np.median(right / wrong) > 2


# Differences of two models, one of them near 100


def rarely_and_often(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Five answers each to test cases of different difficulty: one model at 95, the other ten below."""
    difficulty = rng.normal(0, 1.5, shape)
    good, other = 5 - difficulty, 3 - difficulty + rng.normal(0, 1, shape)
    passed = [rng.binomial(5, 1 / (1 + np.exp(-skill))) for skill in (good, other)]
    return 20.0 * (passed[0] - passed[1])


def always_and_lumpy(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return 100 - lumpy(rng, shape)


def few_failures_and_lumpy(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return np.where(rng.random(shape) < 0.1, 100 * rng.random(shape), 100.0) - lumpy(rng, shape)


@pytest.mark.parametrize("cases", [14, 20, 30])
@pytest.mark.parametrize("draw", [rarely_and_often, always_and_lumpy, few_failures_and_lumpy])
def test_the_interval_of_a_difference_covers_95_percent_where_one_model_is_near_100(
    draw: Draw, cases: int
) -> None:
    rng = np.random.default_rng(11)
    truth = draw(rng, (1_000_000,)).mean()
    low, high = difference_intervals(draw(rng, (4000, cases)))
    assert 0.93 <= ((low <= truth) & (truth <= high)).mean() <= 0.975


# Ranks


def graded(rng: np.random.Generator, skills: np.ndarray, cases: int) -> np.ndarray:
    """Five answers of each model to test cases that differ in difficulty and suit one or the other."""
    logit = skills[:, None] - rng.normal(0, 1.5, cases) + rng.normal(0, 1, (len(skills), cases))
    return 20.0 * rng.binomial(5, 1 / (1 + np.exp(-logit)))


def equal_in_their_own_ways(rng: np.random.Generator, skills: np.ndarray, cases: int) -> np.ndarray:
    """All have a mean of 75: steady, all or nothing, spread, and seldom far below."""
    laws = (
        lambda: 75 + rng.normal(0, 3, cases),
        lambda: 100.0 * (rng.random(cases) < 0.75),
        lambda: 100 * rng.beta(3, 1, cases),
        lambda: 80 - 5 * rng.poisson(1, cases),
    )
    return np.array([laws[number % 4]() for number in range(len(skills))])


@pytest.mark.parametrize(
    ("draw", "skills", "cases"),
    [
        pytest.param(graded, np.linspace(-1, 2, 8), 14, id="all different"),
        pytest.param(graded, np.repeat([0.0, 1.0, 2.0], 4), 30, id="three groups of equals"),
        pytest.param(graded, np.full(6, 1.0), 14, id="all equal"),
        pytest.param(graded, np.full(12, 3.5), 30, id="all equal and near 100"),
        pytest.param(equal_in_their_own_ways, np.zeros(8), 14, id="equal in different ways"),
    ],
)
def test_all_rank_intervals_of_a_board_hold_together_in_95_of_100_boards(
    draw: Callable[..., np.ndarray], skills: np.ndarray, cases: int
) -> None:
    rng = np.random.default_rng(12)
    boards = 300
    best = 1 + (skills[None, :] > skills[:, None]).sum(axis=1)
    worst = len(skills) - (skills[None, :] < skills[:, None]).sum(axis=1)
    held = 0
    for _ in range(boards):
        scores = draw(rng, skills, cases)
        margin = sure_difference(moves(scores, seed=0, rounds=1000))
        low, high = rank_intervals(scores.mean(axis=1), margin)
        held += bool((low <= best).all() and (high >= worst).all())
    assert held >= 0.95 * boards


@pytest.mark.parametrize(("cases", "samples"), [(14, 3), (30, 1)])
def test_a_difference_that_can_be_resolved_is_found_in_80_percent_of_benchmarks(
    cases: int, samples: int
) -> None:
    spread = Spread(between=15.0, within=25.0)
    difference = smallest_difference(cases, spread.variance(samples))
    assert difference is not None
    rng = np.random.default_rng(9)
    boards = 600
    true = rng.normal(difference, spread.between, size=(boards, cases))
    luck = rng.normal(0, spread.within, size=(2, boards, cases, samples)).mean(axis=3)
    found = np.mean([sign_flip_test(row) <= 0.05 for row in true + luck[0] - luck[1]])
    assert 0.75 <= found <= 0.85
