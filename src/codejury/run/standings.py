"""Where every model stands, by the index of what is stored: earlier runs count as much as this one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from ..records import Outcome
from ..store.read import evaluation_json, read_evaluation
from .plan import JudgedSample, RunPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One model after so many rounds of repair."""

    model: str
    round: int
    wanted: int
    judged: int
    passed: int
    """Strictly: all unit tests."""
    void: int
    mean_score: float | None
    """As on the board: over test cases, in which every prompt counts alike. None: nothing is judged."""
    strict_rate: float | None
    """The share that passes all unit tests, weighed in the same way."""
    cost: float
    """Of all answers up to this round, in USD, as far as it is known."""
    unknown_costs: int

    @property
    def missing(self) -> int:
        """Not answered. An answer that could not be judged is there, and is void."""
        return self.wanted - self.judged - self.void


Measures = Mapping[Path, tuple[float | None, float | None]]
"""Score and cost by evaluation file."""


def standings(plan: RunPlan, save_dir: Path) -> Iterator[Standing]:
    """Each model after the first try, and after every round of repair that was asked for."""
    measures = _measures(save_dir) if any(work.chains for work in plan.works) else {}
    for model in plan.models:
        for number in range(plan.rounds + 1):
            yield _standing(plan, model, number, measures)


def _measures(save_dir: Path) -> Measures:
    from ..results.index.load import load_rows  # polars takes a while to load

    rows = load_rows(save_dir).select("file", "score", "cost").iter_rows()
    return {save_dir / file: (score, cost) for file, score, cost in rows}


def _measured(file: Path, measures: Measures) -> tuple[float | None, float | None]:
    if file in measures:
        return measures[file]
    stored = read_evaluation(file)  # the index does not enter folders that are links
    return stored.evaluation.score, stored.completion.cost


class Weighed:
    """A mean over test cases of the mean over their prompts, however many samples each has."""

    def __init__(self) -> None:
        self.total = 0.0
        self._values: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))

    def add(self, question: tuple[str, str], value: float) -> None:
        test_case, prompt = question
        self.total += value
        self._values[test_case][prompt].append(value)

    @property
    def mean(self) -> float | None:
        cases = [fmean(fmean(samples) for samples in prompts.values()) for prompts in self._values.values()]
        return fmean(cases) if cases else None


def _standing(plan: RunPlan, model: str, round_number: int, measures: Measures) -> Standing:
    works = plan.of_model(model)
    judged = unknown = 0
    cost = 0.0
    points, passed = Weighed(), Weighed()
    for work, links in ((one, links) for one in works for links in one.chains):
        chain = links[: round_number + 1]
        scores, costs = zip(*(_measured(link.evaluation, measures) for link in chain), strict=True)
        question = (work.combination.test_case.name, work.combination.template.label)
        judged += 1
        passed.add(question, float(chain[-1].outcome == Outcome.PASS))
        points.add(question, scores[-1] or 0.0)
        cost += sum(each or 0.0 for each in costs)
        unknown += sum(each is None for each in costs)
    return Standing(
        model=model,
        round=round_number,
        wanted=sum(work.wanted for work in works),
        judged=judged,
        passed=round(passed.total),
        void=sum(
            pending.is_wanted and pending.round <= round_number for w in works for pending in w.unjudged
        ),
        mean_score=points.mean,
        strict_rate=passed.mean,
        cost=cost,
        unknown_costs=unknown,
    )


def stored_links(plan: RunPlan) -> Iterator[JudgedSample]:
    """Every judged answer of the plan, combination by combination, sample by sample."""
    return (link for work in plan.works for chain in work.chains for link in chain)


def stored_evaluations(plan: RunPlan) -> Iterator[dict[str, Any]]:
    """The evaluation files of a plan, as `docs/files.md` describes them."""
    return (evaluation_json(link.evaluation) for link in stored_links(plan))
