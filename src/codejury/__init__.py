"""Codejury: a jury for the Julia code that language models write.

    from codejury import Judge, load_definition

    with Judge(workers=2) as judge:
        evaluation = judge.evaluate(answer, load_definition("definition.toml"))

Public is `__all__` of this package and of `prompts`, `models`, `store`, `run`, `results` and `report.plots`;
what is deeper may move. `docs/architecture.md` is the map.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lazy_names import lazy_names

if TYPE_CHECKING:
    from .configuration import load_configuration as load_configuration
    from .errors import CodejuryError as CodejuryError
    from .errors import InputError as InputError
    from .errors import ModelRefused as ModelRefused
    from .errors import ModelUnavailable as ModelUnavailable
    from .exchange import evaluate as evaluate
    from .judge.judge import Judge as Judge
    from .judge.score import score_evaluation as score_evaluation
    from .options import RunOptions as RunOptions
    from .records import Completion as Completion
    from .records import Evaluation as Evaluation
    from .records import Execution as Execution
    from .records import Limits as Limits
    from .records import Message as Message
    from .records import Outcome as Outcome
    from .records import Prompt as Prompt
    from .records import TestCase as TestCase
    from .report.site.build import build_site as build_site
    from .results.index.load import load_evaluations as load_evaluations
    from .results.statistics.compare import compare as compare
    from .results.statistics.tables import leaderboard as leaderboard
    from .run.benchmark import Benchmark as Benchmark
    from .run.benchmark import run_benchmark as run_benchmark
    from .run.benchmark import stream_benchmark as stream_benchmark
    from .suite.check import check_test_case as check_test_case
    from .suite.load import load_definition as load_definition
    from .suite.save import save_definition as save_definition
    from .suite.suite import Suite as Suite
    from .suite.suite import find_definitions as find_definitions
    from .suite.validate import validate_definition as validate_definition

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "configuration": ("load_configuration",),
        "errors": ("CodejuryError", "InputError", "ModelRefused", "ModelUnavailable"),
        "exchange": ("evaluate",),
        "judge.judge": ("Judge",),
        "judge.score": ("score_evaluation",),
        "options": ("RunOptions",),
        "records": (
            "Completion",
            "Evaluation",
            "Execution",
            "Limits",
            "Message",
            "Outcome",
            "Prompt",
            "TestCase",
        ),
        "report.site.build": ("build_site",),
        "results.index.load": ("load_evaluations",),
        "results.statistics.compare": ("compare",),
        "results.statistics.tables": ("leaderboard",),
        "run.benchmark": ("Benchmark", "run_benchmark", "stream_benchmark"),
        "suite.check": ("check_test_case",),
        "suite.load": ("load_definition",),
        "suite.save": ("save_definition",),
        "suite.suite": ("Suite", "find_definitions"),
        "suite.validate": ("validate_definition",),
    },
)
