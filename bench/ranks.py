"""Measure what rank intervals promise and what they resolve, by simulation.

    python bench/ranks.py [--boards N]

held       boards on which all rank intervals hold the true ranks (promised: 95 %)
width      how many ranks an interval spans, on average
best       models that could be the best
pairs      pairs of models whose order is sure
steps      the same three by the tests that tiers rested on before: sign flips, the largest t of all pairs,
           stepping down (Westfall and Young 1993)

Scores are those of five answers to test cases that differ in difficulty, of models from poor to perfect;
"alike" are models that are equally good in different ways, where every claim is wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from codejury.results.statistics.ranks import moves, rank_intervals, sure_difference

Ranks = tuple[np.ndarray, np.ndarray]
ROUNDS = 2000


def by_margin(scores: np.ndarray) -> Ranks:
    return rank_intervals(scores.mean(axis=1), sure_difference(moves(scores, seed=0, rounds=ROUNDS)))


def by_steps(scores: np.ndarray) -> Ranks:
    """Ranks from the tests before: each pair has a margin of its own."""
    models, cases = scores.shape
    first, second = np.triu_indices(models, 1)
    differences = scores[first] - scores[second]
    lengths = np.maximum(np.sqrt((differences**2).sum(axis=1, keepdims=True)), 1e-12)
    scaled = (differences / lengths).astype(np.float32)
    observed = np.abs(scaled.sum(axis=1))
    order = np.argsort(observed, kind="stable")
    signs = 2.0 * np.random.default_rng([0, cases]).integers(0, 2, size=(ROUNDS, cases)) - 1
    reached = np.zeros(len(order))
    for part in np.array_split(signs.astype(np.float32), 20):
        largest = np.maximum.accumulate(np.abs(part @ scaled[order].T), axis=1)
        reached += (largest >= observed[order] - 1e-5).sum(axis=0)
    p_values = np.empty(len(order))
    p_values[order] = np.maximum.accumulate(reached[::-1])[::-1] / ROUNDS
    better = np.zeros((models, models), dtype=bool)
    sure = p_values <= 0.05
    up = differences.sum(axis=1) > 0
    better[first[sure & up], second[sure & up]] = True
    better[second[sure & ~up], first[sure & ~up]] = True
    return 1 + better.sum(axis=0), models - better.sum(axis=1)


def graded(rng: np.random.Generator, skills: np.ndarray, cases: int) -> np.ndarray:
    logit = skills[:, None] - rng.normal(0, 1.5, cases) + rng.normal(0, 1, (len(skills), cases))
    return 20.0 * rng.binomial(5, 1 / (1 + np.exp(-logit)))


def alike(rng: np.random.Generator, skills: np.ndarray, cases: int) -> np.ndarray:
    laws = (
        lambda: 75 + rng.normal(0, 3, cases),
        lambda: 100.0 * (rng.random(cases) < 0.75),
        lambda: 100 * rng.beta(3, 1, cases),
        lambda: np.where(rng.random(cases) < 0.9, 80.0, 30.0),
    )
    return np.array([laws[number % 4]() for number in range(len(skills))])


BOARDS: dict[str, tuple[Callable[..., np.ndarray], np.ndarray, int]] = {
    "8 models, 14 cases": (graded, np.linspace(-1, 3, 8), 14),
    "33 models, 14 cases": (graded, np.linspace(-2, 2.5, 33), 14),
    "33 models, 130 cases": (graded, np.linspace(-1, 4.5, 33), 130),
    "pairs of equals, 60 cases": (graded, np.repeat(np.linspace(-1, 3, 10), 2), 60),
    "20 equals, 60 cases": (graded, np.full(20, 1.0), 60),
    "8 alike, 14 cases": (alike, np.zeros(8), 14),
    "8 alike, 30 cases": (alike, np.zeros(8), 30),
}


def measure(
    draw: Callable[..., np.ndarray], skills: np.ndarray, cases: int, boards: int
) -> dict[str, np.ndarray]:
    """Held, width, best and pairs of both ways, as means over the same boards."""
    best = 1 + (skills[None, :] > skills[:, None]).sum(axis=1)
    worst = len(skills) - (skills[None, :] < skills[:, None]).sum(axis=1)
    found: dict[str, list[tuple[float, ...]]] = {"margin": [], "steps": []}
    rng = np.random.default_rng(1)
    for _ in range(boards):
        scores = draw(rng, skills, cases)
        for name, ranks in (("margin", by_margin), ("steps", by_steps)):
            low, high = ranks(scores)
            held = bool((low <= best).all() and (high >= worst).all())
            found[name].append((held, (high - low + 1).mean(), (low == 1).sum(), (low - 1).sum()))
    return {name: np.mean(rows, axis=0) for name, rows in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--boards", type=int, default=100)
    boards = parser.parse_args().boards
    print(f"{'':28} {'':7} {'held':>7} {'width':>6} {'best':>6} {'pairs':>6}")
    for title, (draw, skills, cases) in BOARDS.items():
        for name, (held, width, best, pairs) in measure(draw, skills, cases, boards).items():
            print(f"{title:28} {name:7} {held:7.1%} {width:6.1f} {best:6.1f} {pairs:6.1f}")
            title = ""


if __name__ == "__main__":
    main()
