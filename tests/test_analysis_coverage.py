"""Simulations: an interval of 95 % holds the truth about as often, and a planned power is the real one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from codejury.analysis.intervals import bootstrap_errors, score_intervals
from codejury.analysis.signs import sign_flip_test
from codejury.analysis.spread import Spread, smallest_difference

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
