"""Where every model stands, read from the disk: what earlier runs found counts as much as this one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..records import Outcome
from ..store import EvaluationDict, read_evaluation
from .plan import Link, RunPlan


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
    """None where nothing is judged."""
    cost: float
    """Of all answers up to this round, in USD, as far as it is known."""
    unknown_costs: int

    @property
    def missing(self) -> int:
        return self.wanted - self.judged

    @property
    def strict_rate(self) -> float | None:
        return self.passed / self.judged if self.judged else None


def standings(plan: RunPlan) -> Iterator[Standing]:
    """Each model after the first try, and after every round of repair that was asked for."""
    for model in plan.models:
        for number in range(plan.rounds + 1):
            yield _standing(plan, model, number)


def _standing(plan: RunPlan, model: str, round_number: int) -> Standing:
    works = plan.of_model(model)
    judged = passed = unknown = 0
    points = cost = 0.0
    for chain in (chain[: round_number + 1] for work in works for chain in work.chains):
        evaluations = [read_evaluation(link.evaluation) for link in chain]
        judged += 1
        passed += chain[-1].outcome == Outcome.PASS
        points += evaluations[-1].get("score") or 0.0
        cost += sum(evaluation["cost"] or 0.0 for evaluation in evaluations)
        unknown += sum(evaluation["cost"] is None for evaluation in evaluations)
    return Standing(
        model=model,
        round=round_number,
        wanted=sum(work.wanted for work in works),
        judged=judged,
        passed=passed,
        void=sum(
            pending.is_wanted and pending.round <= round_number for w in works for pending in w.unjudged
        ),
        mean_score=points / judged if judged else None,
        cost=cost,
        unknown_costs=unknown,
    )


def stored_links(plan: RunPlan) -> Iterator[Link]:
    """Every judged answer of the plan, combination by combination, sample by sample."""
    return (link for work in plan.works for chain in work.chains for link in chain)


def stored_evaluations(plan: RunPlan) -> Iterator[EvaluationDict]:
    """The evaluation files of a plan, as `docs/files.md` describes them."""
    return (read_evaluation(link.evaluation) for link in stored_links(plan))
