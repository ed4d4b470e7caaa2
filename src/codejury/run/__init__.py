"""A benchmark: ask models, judge their answers, store both. Knows the order; emits events; never prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from ..options import RunOptions as RunOptions
    from .benchmark import Benchmark as Benchmark
    from .benchmark import run_benchmark as run_benchmark
    from .benchmark import stream_benchmark as stream_benchmark
    from .cost import expected_cost as expected_cost
    from .events import Answered as Answered
    from .events import Asked as Asked
    from .events import BeganJudging as BeganJudging
    from .events import BudgetReached as BudgetReached
    from .events import Event as Event
    from .events import Finished as Finished
    from .events import Judged as Judged
    from .events import JudgeReady as JudgeReady
    from .events import LimitReached as LimitReached
    from .events import ModelFailed as ModelFailed
    from .events import NodeRefused as NodeRefused
    from .events import Noted as Noted
    from .events import Planned as Planned
    from .events import RequestFailed as RequestFailed
    from .events import Retried as Retried
    from .events import Stopping as Stopping
    from .events import Voided as Voided

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        ".options": ("RunOptions",),
        "benchmark": ("Benchmark", "run_benchmark", "stream_benchmark"),
        "cost": ("expected_cost",),
        "events": (
            "Answered",
            "Asked",
            "BeganJudging",
            "BudgetReached",
            "Event",
            "Finished",
            "JudgeReady",
            "Judged",
            "LimitReached",
            "ModelFailed",
            "NodeRefused",
            "Noted",
            "Planned",
            "RequestFailed",
            "Retried",
            "Stopping",
            "Voided",
        ),
    },
)
