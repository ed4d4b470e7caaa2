"""Every pair of models against each other, for the page that compares two.

The same estimators as `codejury.analysis.compare`, for all pairs at once: one pair takes milliseconds, and 64
models make 2,016 of them. A test holds the two together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .tables import CONFIDENCE, SEED, matrix
from .wording import share

if TYPE_CHECKING:
    import polars as pl

_TIE: Final = 1e-9
MOST_MODELS: Final = 150
"""Above it the file of all pairs would be megabytes; the best models are kept."""


def pair_data(frame: pl.DataFrame, models: list[str], cases: list[str]) -> dict[str, Any]:
    """What the browser needs: the scores on each test case, and each pair's difference with its interval."""
    table = matrix(frame).to_dicts()
    scores = {row["model"]: [row.get(case) for case in cases] for row in table}
    shown = models[:MOST_MODELS]
    return {
        "scores": [[_rounded(score) for score in scores[model]] for model in shown],
        "pairs": _pairs([scores[model] for model in shown]),
        "confidence": share(CONFIDENCE),
    }


def _pairs(scores: list[list[float | None]]) -> dict[str, dict[str, Any]]:
    import numpy as np

    from ..analysis.intervals import bootstrap_errors, score_intervals
    from ..analysis.signs import sign_flip_test

    values = np.array(scores, dtype=np.float64)
    first, second = np.triu_indices(len(values), k=1)
    # Sorted, as `compare` has them: what is drawn depends on the order.
    differences = -np.sort(values[second] - values[first], axis=1)
    shared = np.isfinite(differences)
    units = shared.sum(axis=1)
    filled = np.where(shared, differences, 0.0)
    means = np.divide(filled.sum(axis=1), units, out=np.full(len(units), np.nan), where=units > 0)
    errors = bootstrap_errors(filled, shared.astype(np.float64), seed=SEED)
    low, high = score_intervals(means, errors, units, confidence=CONFIDENCE, bounds=(-100.0, 100.0))
    return {
        f"{first[at]}-{second[at]}": {
            "difference": _rounded(float(means[at])),
            "low": _rounded(float(low[at])),
            "high": _rounded(float(high[at])),
            "p_value": round(sign_flip_test(differences[at][shared[at]]), 5),
            "wins_a": int((filled[at] > _TIE).sum()),
            "wins_b": int((filled[at] < -_TIE).sum()),
            "ties": int((np.abs(differences[at][shared[at]]) <= _TIE).sum()),
        }
        for at in range(len(first))
        if units[at] > 0
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None or value != value else round(value, 3)
