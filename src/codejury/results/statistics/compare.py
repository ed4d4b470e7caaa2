"""Two models against each other, test case by test case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from ...errors import InputError, suggestion
from ...records import Metric
from .cells import cells, judged, values
from .completeness import counted
from .intervals import difference_intervals
from .mixtures import number_of
from .power import LEAST_CASES, cases_to_resolve, samples_to_resolve, sampling_variance
from .ranks import SIGNIFICANT, chance_of, moves, sign_flip_test
from .tables import Board, board

_TIE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How `a` does against `b` on the questions that both answered, each test case counted once."""

    a: str
    b: str
    metric: Metric
    """What all numbers are of, from 0 to 100."""
    value_a: float
    value_b: float
    difference: float
    """value_a - value_b."""
    low: float | None
    high: float | None
    p_value: float
    """Of the exact sign-flip test, for this one pair."""
    p_joint: float | None
    """Corrected for all pairs of the board, as its ranks are; None if one of the two is not ranked."""
    ranked: int
    """How many models that board ranks."""
    cases: int
    samples: float
    """Answers of each model per test case, on average."""
    per_case: pl.DataFrame
    """`test_case`, `a`, `b`, `difference`; the best for a first."""
    wins_a: int
    wins_b: int
    ties: int
    between: float
    """Variance of the difference from one test case to the next that more samples cannot take away."""
    within: float | None
    """The part of the variance that is luck in sampling; None if no question was answered twice."""
    cases_needed: int | None
    """Test cases like these, in all, that separate them with 80 % power if this is the true difference."""
    cases_fewest: int | None
    """The same if the true difference is as large as its interval allows: such numbers are rough."""
    samples_needed: int | None
    """Answers per test case and model that would; None if no number of them can."""
    notes: tuple[str, ...]

    @property
    def separated(self) -> bool:
        return self.p_value <= SIGNIFICANT


def compare(
    frame: pl.DataFrame,
    a: str,
    b: str,
    *,
    metric: Metric = Metric.SOLVED,
    seed: int = 0,
    confidence: float = 0.95,
) -> Comparison:
    """Compare two models by the answers that count for the board of the whole frame.

    The difference is the mean over test cases; of two ranked models it is that of their numbers there.
    """
    if a == b:
        raise InputError(f"{a} is compared with itself; name two models")
    whole = board(frame, metric=metric, seed=seed)
    for name in (a, b):
        _require(name, frame)
    pair = counted(_of_pair(whole.answers, a, b), ("model",), common=True)
    scored = judged(pair.frame)
    per_case = _per_case(scored, a, b, metric)
    differences = per_case["difference"].to_numpy()
    low, high = (float(ends[0]) for ends in difference_intervals(differences[None, :], confidence=confidence))
    p_value = sign_flip_test(differences)
    difference = float(differences.mean())
    between, within = _parts(per_case, sampling_variance(scored, metric))
    samples = float(np.mean([per_case["_samples_a"].mean(), per_case["_samples_b"].mean()]))
    found = (difference, p_value, per_case.height)
    far = high if difference > 0 else low
    return Comparison(
        a=a,
        b=b,
        metric=metric,
        value_a=float(per_case["a"].to_numpy().mean()),
        value_b=float(per_case["b"].to_numpy().mean()),
        difference=difference,
        low=low if per_case.height > 1 else None,
        high=high if per_case.height > 1 else None,
        p_value=p_value,
        p_joint=_joint(whole, a, b, seed),
        ranked=whole.ranked.height,
        cases=per_case.height,
        samples=samples,
        per_case=per_case.select("test_case", "a", "b", "difference"),
        wins_a=int((differences > _TIE).sum()),
        wins_b=int((differences < -_TIE).sum()),
        ties=int((np.abs(differences) <= _TIE).sum()),
        between=between,
        within=within,
        cases_needed=cases_needed(*found, between + (within or 0.0)),
        cases_fewest=cases_needed(far, p_value, per_case.height, between + (within or 0.0)),
        samples_needed=_samples_needed(*found, between, within, samples),
        notes=(*_notes(whole, a, b, per_case.height), *pair.notes),
    )


def _of_pair(frame: pl.DataFrame, a: str, b: str) -> pl.DataFrame:
    own = frame.filter(pl.col("model").is_in([a, b]))
    known = own.filter(pl.col("score").is_not_null())
    cases, questions = (
        known.group_by(parts).agg(pl.col("model").n_unique() == 2)["model"].any()
        for parts in (["test_case"], ["test_case", "prompt"])
    )
    if not cases:
        raise InputError(f"{a} and {b} have no test case in common")
    if not questions:
        raise InputError(f"{a} and {b} were never asked with the same prompt, so there is nothing to compare")
    return own


def _joint(whole: Board, a: str, b: str, seed: int) -> float | None:
    """The p-value of a pair among all pairs of a board."""
    ranked = whole.ranked
    if whole.margin is None or not {a, b} <= {*ranked["model"]}:
        return None
    scored = judged(whole.answers).join(ranked, on="model", how="semi")
    matrix = cells(scored, ranked, ("model",), whole.unit, whole.metric)
    first, second = (ranked[whole.metric.value].filter(ranked["model"] == name).item() for name in (a, b))
    return chance_of(first - second, moves(matrix, seed=seed))


def _require(name: str, frame: pl.DataFrame) -> None:
    names = frame["model"].unique().sort().to_list()
    if frame.filter(pl.col("model") == name)["score"].count():
        return
    if name in names:
        raise InputError(f"all results of {name} are void; there is nothing to compare")
    raise InputError(f"there are no results of a model {name!r}; {suggestion(name, names)}")


def _per_case(scored: pl.DataFrame, a: str, b: str, metric: Metric) -> pl.DataFrame:
    """The test cases of both, with their means and numbers of samples."""

    def of(model: str, side: str) -> pl.DataFrame:
        own = scored.filter(pl.col("model") == model)
        samples = own.group_by("test_case").agg(pl.len().alias(f"_samples_{side}"))
        means = values(own, ("model",), "test_case").select("test_case", pl.col(metric.value).alias(side))
        return means.join(samples, on="test_case")

    joined = of(a, "a").join(of(b, "b"), on="test_case")
    return joined.with_columns(difference=pl.col("a") - pl.col("b")).sort(
        ["difference", "test_case"], descending=[True, False]
    )


def _parts(per_case: pl.DataFrame, sampling: float | None) -> tuple[float, float | None]:
    """The variance of the case differences, split."""
    differences = per_case["difference"].to_numpy()
    total = float(differences.var(ddof=1)) if len(differences) > 1 else 0.0
    if sampling is None:
        return total, None
    luck = float((sampling / per_case["_samples_a"] + sampling / per_case["_samples_b"]).to_numpy().mean())
    return max(total - luck, 0.0), luck


def cases_needed(difference: float, p_value: float, cases: int, variance: float) -> int | None:
    """How many test cases separate two models whose differences vary so: the present ones, if they do."""
    if p_value <= SIGNIFICANT:
        return cases
    if abs(difference) <= _TIE or cases < 2:
        return None
    more = cases_to_resolve(difference, variance)
    return more if more is None else max(more, cases + 1)  # the present ones have just failed to


def _samples_needed(
    difference: float, p_value: float, cases: int, between: float, within: float | None, samples: float
) -> int | None:
    """How many answers to each of the present test cases separate the two."""
    if p_value <= SIGNIFICANT:
        return round(samples)
    if abs(difference) <= _TIE or cases < 2 or within is None:
        return None
    more = samples_to_resolve(difference, cases, between, within, samples)
    return more if more is None else max(more, round(samples) + 1)


def _notes(whole: Board, a: str, b: str, common: int) -> Iterator[str]:
    lacks = dict(whole.table.select("model", "lacks").iter_rows())
    for name in (a, b):
        if lacks.get(name):
            yield f"{name} is not ranked on the board: it lacks {lacks[name]}."
    if common < LEAST_CASES:
        yield f"{number_of(common, 'common test case')} can separate nobody; it takes {LEAST_CASES}."
