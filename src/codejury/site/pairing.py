"""Every pair of models against each other, for the page that compares two.

The same estimators as `codejury.analysis.compare`, for all pairs at once: one pair takes milliseconds, and 64
models make 2,016 of them. A test holds the two together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .tables import CONFIDENCE, SEED, matrix
from .wording import share

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_TIE: Final = 1e-9
MOST_MODELS: Final = 150
"""Above it the file of all pairs would be megabytes; the best models are kept."""


def pair_data(frame: pl.DataFrame, models: list[str], cases: list[str]) -> dict[str, Any]:
    """What the browser needs: the scores on each test case, and each pair's difference with its interval."""
    shown = models[:MOST_MODELS]
    scores = _table(frame, "score", shown, cases)
    return {
        "scores": [[_rounded(score) for score in row] for row in scores.tolist()],
        "pairs": _pairs(scores, _luck(frame, shown, cases)),
        "confidence": share(CONFIDENCE),
    }


def _table(frame: pl.DataFrame, value: str, models: list[str], cases: list[str]) -> Numbers:
    """A number of each model (row) on each test case (column); NaN where there is none."""
    import numpy as np

    rows = {row["model"]: row for row in matrix(frame, value).to_dicts()}
    return np.array([[rows[model].get(case) for case in cases] for model in models], dtype=np.float64)


def _luck(frame: pl.DataFrame, models: list[str], cases: list[str]) -> Numbers:
    """The variance of each pair's (row's) difference on each test case that comes from sampling alone."""
    import numpy as np

    from ..analysis.spread import repeated_questions

    repeated = repeated_questions(frame.filter(frame["score"].is_not_null()))
    known = repeated.rows_by_key("model", unique=True)
    squares, freedom = np.array([known.get(model, (0.0, 0)) for model in models], dtype=np.float64).T
    samples = _table(frame, "samples", models, cases)
    first, second = np.triu_indices(len(models), k=1)
    own, answers = squares[first] + squares[second], freedom[first] + freedom[second]
    variance = np.divide(own, answers, out=np.zeros(len(first)), where=answers > 0)
    with np.errstate(divide="ignore", invalid="ignore"):  # no answer but void ones: no score either
        luck: Numbers = variance[:, None] * (1 / samples[first] + 1 / samples[second])
    return luck


def _pairs(values: Numbers, luck: Numbers) -> dict[str, dict[str, Any]]:
    import numpy as np

    from ..analysis.intervals import bootstrap_errors, score_intervals

    first, second = np.triu_indices(len(values), k=1)
    # Sorted, as `compare` has them: what is drawn depends on the order.
    order = np.argsort(values[second] - values[first], axis=1)
    differences = np.take_along_axis(values[first] - values[second], order, axis=1)
    luck = np.take_along_axis(luck, order, axis=1)
    shared = np.isfinite(differences)
    units = shared.sum(axis=1)
    filled = np.where(shared, differences, 0.0)
    means = np.divide(filled.sum(axis=1), units, out=np.full(len(units), np.nan), where=units > 0)
    errors = bootstrap_errors(filled, shared.astype(np.float64), seed=SEED)
    low, high = score_intervals(means, errors, units, confidence=CONFIDENCE, bounds=(-100.0, 100.0))
    return {
        f"{first[at]}-{second[at]}": {
            "low": _rounded(float(low[at])),
            "high": _rounded(float(high[at])),
            **_pair(differences[at][shared[at]], luck[at][shared[at]]),
        }
        for at in range(len(first))
        if units[at] > 0
    }


def _pair(differences: Numbers, luck: Numbers) -> dict[str, Any]:
    """What needs no drawing, of one pair on its common test cases."""
    from ..analysis.comparing import cases_needed
    from ..analysis.signs import sign_flip_test

    difference, p_value, cases = float(differences.mean()), sign_flip_test(differences), len(differences)
    variance = max(float(differences.var(ddof=1)), float(luck.mean())) if cases > 1 else 0.0
    return {
        "difference": _rounded(difference),
        "p_value": round(p_value, 5),
        "wins_a": int((differences > _TIE).sum()),
        "wins_b": int((differences < -_TIE).sum()),
        "ties": int((abs(differences) <= _TIE).sum()),
        "cases_needed": cases_needed(difference, p_value, cases, variance),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None or value != value else round(value, 3)
