"""How fast a candidate is, after its verdict: one more process, which holds the reference solution as well.

The process runs Julia's optimizer, which those that judge do not. It takes times and bytes, see
julia/measuring.jl; what they mean is worked out here. Whatever goes wrong is a reason why nothing was
measured, never a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import Final

from ...errors import SandboxError
from ...records import NOISY_ABOVE, Execution, Job, Limits, Measurement, Performance
from .run import Run, Stop, Task
from .wire import encode

SECONDS: Final = 10.0
"""For the candidate's main code, and for all rounds of each statement."""
TOTAL_SECONDS: Final = 30.0
MOST_ROUNDS: Final = 100
_PARTS: Final = 3
"""Of the rounds: how far their speeds are apart tells how sure the speed of all is."""
_MOST_NS: Final = 10**12

RunsOnce = Callable[[Task, Limits], Run]


def with_performance(execution: Execution, job: Job, run: RunsOnce) -> Execution:
    """The execution with what was measured, if that is wanted and the candidate passed all unit tests."""
    case = job.test_case
    passed = execution.executed and execution.unit_tests_passed == len(case.unit_tests)
    if not (job.measure and case.performance and passed) or execution.tampering:
        return execution
    limits = replace(job.limits, seconds=SECONDS, answer_seconds=TOTAL_SECONDS)
    try:
        performance = _performance(run(_task(job, execution.extraction.code), limits), job)
    except SandboxError as error:
        performance = Performance(not_measured=f"the sandbox failed: {error}")
    return replace(execution, performance=performance)


def _task(job: Job, code: str) -> Task:
    """As `read_job` in julia/judge.jl reads it; attempt 0 is to measure."""
    case = job.test_case
    statements = [part for one in case.performance for part in (one.setup, one.statement)]
    snippets = encode(["julia", code, "julia", case.reference_solution])
    return Task(
        payload=["0", "0", case.name, encode(case.imports), snippets, case.given, *statements], measures=True
    )


def _performance(run: Run, job: Job) -> Performance:
    """All statements, or why there is none: half a measurement would be another one than those of others."""
    frames = [frame for frame in run.frames if frame[0] == "measured"]
    for kind, *fields in run.frames:
        if kind == "unmeasured":
            return _unmeasured(*fields)
        if kind == "missing":
            return Performance(not_measured=f"packages are not installed: {', '.join(fields)}")
    if not run.done:
        return Performance(not_measured=_ending(run, job), failed=len(frames) + 1 if run.prepared else 0)
    if changed := run.frames[-1][1:]:
        return Performance(not_measured=f"the code {changed[0]}")
    if len(frames) != len(job.test_case.performance):
        return Performance(not_measured=_FOREIGN)
    try:
        statements = tuple(
            _measurement(one.statement, *frame[1:])
            for one, frame in zip(job.test_case.performance, frames, strict=True)
        )
    except (TypeError, ValueError):  # signed, and yet nothing that the judge writes
        return Performance(not_measured=_FOREIGN)
    return Performance(
        speed=median(one.speed for one in statements),
        noisy=any(one.spread > NOISY_ABOVE for one in statements),
        statements=statements,
    )


_FOREIGN: Final = "the process wrote to the judge's own channel"


def _unmeasured(fault: str = "", number: str = "", why: str = "", *_: str) -> Performance:
    if not number.isdecimal() or len(number) > 3:
        return Performance(not_measured=_FOREIGN)
    whose = "the reference solution: " if fault == "definition" else ""
    return Performance(not_measured=f"{whose}{why}", failed=int(number))


def _ending(run: Run, job: Job) -> str:
    return {
        Stop.ITSELF: run.ending_text,
        Stop.TIME: f"still running after {SECONDS:g} s",
        Stop.TOTAL: f"still running after {TOTAL_SECONDS:g} s",
        Stop.MEMORY: f"used more than {job.limits.memory_mb} MB",
        Stop.OUTPUT: f"printed more than {job.limits.output_bytes} bytes",
        Stop.FOREIGN: _FOREIGN,
    }[run.stop]


def _measurement(
    statement: str, theirs: str, ours: str, allocated: str, reference_allocated: str, inferred: str
) -> Measurement:
    reference, candidate = _times(theirs), _times(ours)
    if len(reference) != len(candidate) or inferred not in _INFERRED:
        raise ValueError
    parts = [speed_of(reference[at::_PARTS], candidate[at::_PARTS]) for at in range(_PARTS)]
    return Measurement(
        statement=statement,
        speed=speed_of(reference, candidate),
        spread=max(parts) / min(parts) - 1,
        seconds=min(candidate) / 1e9,
        allocated=_bytes(allocated),
        reference_allocated=_bytes(reference_allocated),
        inferred=_INFERRED[inferred],
    )


_INFERRED: Final = {"1": True, "0": False, "": None}


def speed_of(reference: Sequence[int], candidate: Sequence[int]) -> float:
    """The median over rounds of the one's time by the other's: each pair ran at the same moment."""
    return median(theirs / ours for theirs, ours in zip(reference, candidate, strict=True))


def _times(text: str) -> list[int]:
    times = [int(part) for part in text.split(",")]
    if not _PARTS <= len(times) <= MOST_ROUNDS or not all(0 < time < _MOST_NS for time in times):
        raise ValueError
    return times


def _bytes(text: str) -> int:
    number = max(0, int(text))
    if number > _MOST_NS:
        raise ValueError
    return number
