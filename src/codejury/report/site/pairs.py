"""Every pair of models against each other, for the page that compares two.

The same estimators as `codejury.compare`, for all pairs at once: one pair takes milliseconds, and 64
models make 2,016 of them. A test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from .content import known_margin
from .formatting import share
from .tables import CONFIDENCE, matrix

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from ...records import Metric
    from ...results.statistics.tables import Board

    Numbers = NDArray[np.float64]


_TIE: Final = 1e-9
_OF_NO_PAIR: Final = ("file", "elapsed", "cost", "prompt_tokens", "completion_tokens")
MOST_MODELS: Final = 150
"""Above it the file of all pairs would be megabytes; the best models are kept."""


def pair_data(board: Board, models: list[str], cases: list[str]) -> dict[str, Any]:
    """What the browser needs: the scores on each test case, and each pair's difference with its interval."""
    shown = models[:MOST_MODELS]
    rows = {row["model"]: row for row in matrix(board.answers, board.metric.value).to_dicts()}
    return {
        "scores": [[_rounded(rows.get(model, {}).get(case)) for case in cases] for model in shown],
        "pairs": _pairs(_questions(board.answers, shown, cases, board.metric)),
        "confidence": share(CONFIDENCE),
        "margin": known_margin(board.margin),
        "ranked": board.ranked.height,
    }


def pair_mark(board: Board) -> str:
    """Of all that pairs are made from: thousands of them take a second, and most builds leave them alone."""
    answers = board.answers.drop(*_OF_NO_PAIR, strict=False).hash_rows().sort()  # in whatever order they are
    facts = repr((board.metric.value, board.margin, board.ranked.height))
    return sha256(facts.encode() + answers.to_numpy().tobytes()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Questions:
    """Of each model on each test case under each prompt, as three axes."""

    scores: Numbers
    """NaN where there is none."""
    samples: Numbers
    squares: Numbers
    """Of the deviations among answers to the same question."""
    freedom: Numbers


def _questions(frame: pl.DataFrame, models: list[str], cases: list[str], metric: Metric) -> _Questions:
    import numpy as np
    import polars as pl

    from ...results.statistics.cells import judged
    from ...results.statistics.power import repeated_questions

    scored = judged(frame.filter(pl.col("model").is_in(models)))
    keys = ["model", "test_case", "prompt"]
    means = scored.group_by(keys).agg(pl.col(metric.value).mean(), pl.len().alias("samples"))
    spread = repeated_questions(scored, metric, keys)
    prompts = sorted(scored["prompt"].unique().to_list())
    places = [{name: at for at, name in enumerate(names)} for names in (models, cases, prompts)]

    def axes(table: pl.DataFrame, value: str, empty: float) -> Numbers:
        filled = np.full((len(models), len(cases), len(prompts)), empty)
        where = [[place[name] for name in table[key]] for place, key in zip(places, keys, strict=True)]
        filled[tuple(where)] = table[value].to_numpy()
        return filled

    return _Questions(
        scores=axes(means, metric.value, np.nan),
        samples=axes(means, "samples", 0.0),
        squares=axes(spread, "squares", 0.0),
        freedom=axes(spread, "freedom", 0.0),
    )


def _pairs(questions: _Questions) -> dict[str, dict[str, Any]]:
    """All pairs on the questions that both answered; one model against all behind it at a time."""
    return {
        f"{first}-{second}": pair
        for first in range(len(questions.scores))
        for second, pair in _against_others(questions, first)
    }


def _against_others(questions: _Questions, first: int) -> list[tuple[int, dict[str, Any]]]:
    import numpy as np

    from ...results.statistics.intervals import difference_intervals

    def both(values: Numbers) -> tuple[Numbers, Numbers]:
        """The sums over the common questions of each test case: of the first model, and of the others."""
        others = np.where(common, values[first + 1 :], 0.0)
        return np.where(common, values[first], 0.0).sum(axis=2), others.sum(axis=2)

    common = np.isfinite(questions.scores[first]) & np.isfinite(questions.scores[first + 1 :])
    with np.errstate(divide="ignore", invalid="ignore"):
        differences = np.subtract(*both(questions.scores)) / common.sum(axis=2)
        squares, freedom = (
            np.add(*both(values)).sum(axis=1) for values in (questions.squares, questions.freedom)
        )
        variance = np.divide(squares, freedom, out=np.zeros(len(squares)), where=freedom > 0)
        own, others = both(questions.samples)
        luck = variance[:, None] * (1 / own + 1 / others)
    low, high = difference_intervals(differences, confidence=CONFIDENCE)
    found = []
    for at in range(len(differences)):
        shared = np.isfinite(differences[at])
        if shared.any():
            ends = (float(low[at]), float(high[at]))
            found.append((first + 1 + at, _pair(differences[at][shared], luck[at][shared], ends)))
    return found


def _pair(differences: Numbers, luck: Numbers, ends: tuple[float, float]) -> dict[str, Any]:
    from ...results.statistics.compare import cases_needed
    from ...results.statistics.ranks import sign_flip_test

    difference, p_value, cases = float(differences.mean()), sign_flip_test(differences), len(differences)
    variance = max(float(differences.var(ddof=1)), float(luck.mean())) if cases > 1 else 0.0
    return {
        "low": _rounded(ends[0]),
        "high": _rounded(ends[1]),
        "difference": _rounded(difference),
        "p_value": round(p_value, 5),
        "wins_a": int((differences > _TIE).sum()),
        "wins_b": int((differences < -_TIE).sum()),
        "ties": int((abs(differences) <= _TIE).sum()),
        "cases_needed": cases_needed(difference, p_value, cases, variance),
        "cases_fewest": cases_needed(ends[difference > 0], p_value, cases, variance),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None or value != value else round(value, 3)
