"""Two models against each other, test case by test case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
import polars as pl

from ..errors import InputError
from .intervals import Numbers, bootstrap_errors, score_interval
from .signs import sign_flip_test
from .spread import LEAST_CASES, cases_to_resolve, samples_to_resolve, sampling_variance
from .tiers import SIGNIFICANT

_TIE = 1e-9
_DIFFERENCES = (-100.0, 100.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How `a` does against `b` on the test cases that both answered, each counted once."""

    a: str
    b: str
    score_a: float
    score_b: float
    difference: float
    """score_a - score_b."""
    low: float | None
    high: float | None
    p_value: float
    """Of the exact sign-flip test, for this one pair."""
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
    samples_needed: int | None
    """Answers per test case and model that would; None if no number of them can."""
    notes: tuple[str, ...]

    @property
    def separated(self) -> bool:
        return self.p_value <= SIGNIFICANT


def compare(frame: pl.DataFrame, a: str, b: str, *, seed: int = 0, confidence: float = 0.95) -> Comparison:
    """Compare two models. The difference is the mean over test cases, with a bootstrap interval."""
    if a == b:
        raise InputError(f"{a} is compared with itself; name two models")
    scored = frame.filter(pl.col("score").is_not_null() & pl.col("model").is_in([a, b]))
    for name in (a, b):
        _require(name, frame, scored)
    per_case = _per_case(scored, a, b)
    if not per_case.height:
        raise InputError(f"{a} and {b} have no test case in common")
    differences = per_case["difference"].to_numpy()
    interval = _interval(differences, seed, confidence)
    p_value = sign_flip_test(differences)
    difference = float(differences.mean())
    between, within = _parts(per_case, sampling_variance(scored))
    samples = float(np.mean([per_case["_samples_a"].mean(), per_case["_samples_b"].mean()]))
    found = (difference, p_value, per_case.height)
    return Comparison(
        a=a,
        b=b,
        score_a=float(per_case["a"].to_numpy().mean()),
        score_b=float(per_case["b"].to_numpy().mean()),
        difference=difference,
        low=interval[0],
        high=interval[1],
        p_value=p_value,
        cases=per_case.height,
        samples=samples,
        per_case=per_case.select("test_case", "a", "b", "difference"),
        wins_a=int((differences > _TIE).sum()),
        wins_b=int((differences < -_TIE).sum()),
        ties=int((np.abs(differences) <= _TIE).sum()),
        between=between,
        within=within,
        cases_needed=cases_needed(*found, between + (within or 0.0)),
        samples_needed=_samples_needed(*found, between, within, samples),
        notes=tuple(_notes(scored, a, b, per_case.height)),
    )


def _require(name: str, frame: pl.DataFrame, scored: pl.DataFrame) -> None:
    if name in scored["model"]:
        return
    names = frame["model"].unique().sort().to_list()
    if name in names:
        raise InputError(f"all results of {name} are void; there is nothing to compare")
    similar = get_close_matches(name, names, n=3) or names[:8]
    raise InputError(f"there are no results of a model {name!r}; there are results of: {', '.join(similar)}")


def _per_case(scored: pl.DataFrame, a: str, b: str) -> pl.DataFrame:
    """The test cases of both, with their means and numbers of samples."""

    def of(model: str, side: str) -> pl.DataFrame:
        own = scored.filter(pl.col("model") == model)
        return own.group_by("test_case").agg(
            pl.col("score").mean().alias(side), pl.len().alias(f"_samples_{side}")
        )

    joined = of(a, "a").join(of(b, "b"), on="test_case")
    return joined.with_columns(difference=pl.col("a") - pl.col("b")).sort(
        ["difference", "test_case"], descending=[True, False]
    )


def _interval(differences: Numbers, seed: int, confidence: float) -> tuple[float | None, float | None]:
    if len(differences) < 2:
        return None, None
    error = bootstrap_errors(differences[None, :], np.ones((1, len(differences))), seed=seed)[0]
    return score_interval(
        float(differences.mean()), float(error), len(differences), confidence=confidence, bounds=_DIFFERENCES
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


def _notes(scored: pl.DataFrame, a: str, b: str, common: int) -> Iterator[str]:
    of_a, of_b = (scored.filter(pl.col("model") == name) for name in (a, b))
    for name, own in ((a, of_a), (b, of_b)):
        if left_out := own["test_case"].n_unique() - common:
            yield f"{left_out} test cases that only {name} answered are left out."
    prompts = set(of_a["prompt"].unique()) ^ set(of_b["prompt"].unique())
    if prompts:
        yield f"Only one of the two was asked with: {', '.join(sorted(prompts))}; --prompts leaves them out."
    if common < LEAST_CASES:
        yield f"Fewer than {LEAST_CASES} common test cases can separate nobody."
