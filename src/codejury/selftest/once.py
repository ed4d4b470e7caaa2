"""The shortest proof that judging works: one worker, one verdict."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ..errors import SandboxError
from ..judge.sandbox.factory import SandboxFactory
from ..judge.score import assess
from ..records import Execution, Job, Outcome, Snippet
from ..settings import Settings
from .attack_runner import CASE


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstVerdict:
    """How long it took until a right answer was judged right."""

    start_seconds: float
    """Until the worker was ready."""
    judge_seconds: float
    note: str
    """Why the worker is not forked, where it is not."""


def judge_once(settings: Settings) -> FirstVerdict:
    """Start a worker as judging would, and judge a right answer. SandboxError if that fails.

    Nothing is run on a machine without isolation: that is a SandboxError too.
    """
    factory = SandboxFactory(settings=settings)
    started = time.monotonic()
    try:
        sandbox = factory()
        ready = time.monotonic()
        try:
            snippet = Snippet(code=CASE.reference_solution, language="julia")
            execution = sandbox.execute(Job(test_case=CASE, snippets=(snippet,)))
            judged = time.monotonic()
        finally:
            sandbox.close()
    finally:
        factory.close()
    if assess(execution, CASE).outcome is not Outcome.PASS:
        raise SandboxError(f"a right answer was not judged right: {_first_fault(execution)}")
    return FirstVerdict(start_seconds=ready - started, judge_seconds=judged - ready, note=factory.note)


def _first_fault(execution: Execution) -> str:
    for block in execution.blocks:
        if not block.passed:
            return f"{block.kind} {block.ending}: {block.error_type} {block.message}".rstrip(" :")
    return "; ".join(execution.tampering)
