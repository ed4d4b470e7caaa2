"""The state of a run, counted from its events: what a display shows, and how the run ended."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field

from ..records import CUT_SHORT
from .events import (
    Answered,
    Asked,
    BeganJudging,
    BudgetReached,
    Event,
    Finished,
    Judged,
    JudgeReady,
    LimitReached,
    ModelFailed,
    Planned,
    RequestFailed,
    Retried,
    SampleRef,
    Voided,
)


@dataclass(slots=True)
class ModelTally:
    """One model's part."""

    wanted: int = 0
    done: int = 0
    """Samples with nothing left to do, those of earlier runs included."""
    unjudged: int = 0
    """Answered and not judged, now."""
    to_ask: int = 0
    """Requests that are planned and not made."""
    under_way: int = 0
    answered: int = 0
    failed: int = 0
    retried: int = 0
    cut_short: int = 0
    """Answers that hit their limit of tokens."""
    judged: int = 0
    passed: int = 0
    void: int = 0
    points: float = 0.0
    cost: float = 0.0
    unknown_costs: int = 0
    expected_cost: float | None = None
    problem: str = ""

    @property
    def left(self) -> int:
        """Samples that this run may still finish."""
        return 0 if self.problem else max(0, self.wanted - self.done - self.failed - self.void)

    @property
    def mean_score(self) -> float | None:
        """Of this run's verdicts; None before the first."""
        return self.points / self.judged if self.judged else None


@dataclass(slots=True)
class RunTally:
    """The whole run."""

    models: dict[str, ModelTally] = field(default_factory=dict)
    judge_is_ready: bool = False
    budget_is_reached: bool = False
    limit_is_reached: bool = False
    waiting: Counter[str] = field(default_factory=Counter)
    """Void answers by the Julia package that they wait for."""
    unexplained: int = 0
    """Void answers that wait for none."""
    is_finished: bool = False
    """All of it was carried out."""
    is_over: bool = False
    judging: list[tuple[SampleRef, float]] = field(default_factory=list)
    """What the judge is at, and since when."""

    @property
    def being_judged(self) -> list[tuple[str, float]]:
        """The test cases whose answers the judge is at, and for how many seconds already."""
        now = time.monotonic()
        return [(which.test_case, now - began) for which, began in list(self.judging)]

    @property
    def all_is_well(self) -> bool:
        """Every sample that was wanted is there, also those beyond a limit or a budget."""
        failed = any(m.failed or m.void or m.problem for m in self.models.values())
        return self.is_finished and not failed and self.total("done") >= self.total("wanted")

    def total(self, name: str) -> int:
        return sum(getattr(model, name) for model in self.models.values())

    @property
    def cost(self) -> float:
        return sum(model.cost for model in self.models.values())

    def add(self, event: Event) -> None:
        """Count one event."""
        match event:
            case Planned():
                self._plan(event)
            case Asked() | Answered() | RequestFailed() | Judged() | Voided():
                _count(self.models[event.which.model], event)
                if isinstance(event, Judged | Voided):
                    self._forget(event.which)
                if isinstance(event, Voided):
                    self.waiting.update(event.missing_packages)
                    self.unexplained += not event.missing_packages
            case BeganJudging(which=which):
                self.judging.append((which, time.monotonic()))
            case Retried(model=name) if name in self.models:
                self.models[name].retried += 1
            case ModelFailed(model=name, what=what):
                self.models[name].problem = what
            case JudgeReady():
                self.judge_is_ready = True
            case BudgetReached():
                self.budget_is_reached = True
            case LimitReached():
                self.limit_is_reached = True
            case Finished():
                self.is_finished, self.is_over = not event.stopped, True

    def _forget(self, judged: SampleRef) -> None:
        at = next((at for at, (which, _) in enumerate(self.judging) if which == judged), None)
        if at is not None:
            del self.judging[at]

    def _plan(self, plan: Planned) -> None:
        # At one stroke: a display may be looking from another thread.
        self.models = {
            name: ModelTally(
                wanted=wanted,
                done=plan.done[name],
                unjudged=plan.unjudged[name],
                to_ask=plan.requests[name],
                expected_cost=plan.cost[name],
            )
            for name, wanted in plan.wanted.items()
        }


def _count(model: ModelTally, event: Asked | Answered | RequestFailed | Judged | Voided) -> None:
    match event:
        case Asked():
            model.under_way += 1
            model.to_ask = max(0, model.to_ask - 1)
        case Answered(cost=cost, finish_reason=reason):
            model.cut_short += reason in CUT_SHORT
            model.under_way -= 1
            model.answered += 1
            model.unjudged += 1
            model.cost += cost or 0.0
            model.unknown_costs += cost is None
        case RequestFailed():
            model.under_way -= 1
            model.failed += 1
        case Judged():
            model.unjudged -= 1
            model.judged += 1
            model.passed += event.outcome == "pass"
            model.points += event.score or 0.0
            model.done += event.is_last
        case Voided():
            model.unjudged -= 1
            model.void += 1
