"""Codejury: a jury for the Julia code that language models write."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .analysis import compare, leaderboard
    from .benchmark import run_benchmark
    from .definitions import find_definitions, load_definition, save_definition
    from .index import load_evaluations
    from .judge import evaluate
    from .score import score_evaluation
    from .validation import validate_definition

__version__ = "0.1.0"

__all__ = [
    "compare",
    "evaluate",
    "find_definitions",
    "leaderboard",
    "load_definition",
    "load_evaluations",
    "run_benchmark",
    "save_definition",
    "score_evaluation",
    "validate_definition",
]

# Where each public name lives. Loaded on first use: `codejury --help` needs none of them.
_HOMES = {
    "compare": "analysis",
    "evaluate": "judge",
    "find_definitions": "definitions",
    "leaderboard": "analysis",
    "load_definition": "definitions",
    "load_evaluations": "index",
    "run_benchmark": "benchmark",
    "save_definition": "definitions",
    "score_evaluation": "score",
    "validate_definition": "validation",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
