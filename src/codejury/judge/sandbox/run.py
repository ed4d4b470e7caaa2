"""One run of one candidate: what is asked for, what came back, and the time that all runs of an answer share.

Task   what the process is started with, and its blocks
Run    frames, output, and how it ended
Clock  what is left of the answer's time
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from ...records import BlockKind, Limits, TestCase
from .wire import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockOrder:
    """One example or unit test to be run."""

    number: int
    """In the run, from 1: examples, then unit tests."""
    kind: BlockKind
    index: int
    setup: str
    code: str
    teardown: str
    split: bool = False
    """Decided by the referee, if the test can be taken apart."""
    reveal: bool = False
    """Its process may learn what the test holds. Else that is put off while split unit tests follow."""

    @property
    def whole(self) -> list[Item]:
        """The order to judge it in the candidate's process."""
        place = (self.kind.value, str(self.index), str(self.number))
        return ["whole", *place, self.setup, self.code, self.teardown]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a candidate's process is started with, and what it is asked after its main code has run."""

    payload: Sequence[Item]
    """As `read_job` in julia/judge.jl reads it. It holds no example and no unit test."""
    blocks: tuple[BlockOrder, ...] = ()
    test_case: TestCase | None = None
    """For the referee; without one every block is judged in the candidate's process."""
    interpret: bool = False
    """In Julia's interpreter: a quick try, whose end is not always the verdict."""
    measures: bool = False
    """Nothing is judged: it tells how fast a candidate is (see `measuring`)."""


# ---- What came back.

SHELL_SIGNALS: Final = 128
"""What a shell adds to a signal's number to say it as an exit code."""
CRASHES: Final = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGABRT})


class Stop(StrEnum):
    """Why a run ended."""

    ITSELF = "itself"  # the process ended; whether it was done is in the frames
    TIME = "time"  # a block ran longer than it may
    TOTAL = "total"  # what was left of the answer's time is used up
    MEMORY = "memory"
    OUTPUT = "output"
    FOREIGN = "foreign"  # it wrote to the verdict channel


OnFrame = Callable[[int], None]
"""Hears how many frames have come, after each."""


def ignore_frames(frames: int) -> None:
    """An `OnFrame` for runs that are not followed."""


@dataclass(slots=True, kw_only=True)
class Run:
    """What came back from one run of one candidate."""

    frames: list[list[str]] = field(default_factory=list)
    output: bytearray = field(default_factory=bytearray)
    stop: Stop = Stop.ITSELF
    status: int = 0
    """As `os.waitpid` gives it."""
    waited_seconds: float = 0.0
    """How long its first thread stood in line for a processor, known where it was killed."""
    cpu_seconds: float = 0.0
    """What all of its threads have used."""
    seconds: float = 0.0
    """From the candidate's first statement to the end; from the beginning where that was never reached."""
    last_seconds: float = 0.0
    """How long the block that it ended in had run."""
    alone: bool = False
    """It had the machine to itself until it ended."""
    put_off: list[int] = field(default_factory=list)
    """Unit tests that wait for a repetition in which the process may learn what they hold."""
    lost: bool = False
    """It took the worker down with it, twice."""

    @property
    def starved_seconds(self) -> float:
        """How long it lacked a processor. That threads of its own kept the first one waiting is no excuse."""
        return min(self.waited_seconds, self.seconds - self.cpu_seconds)

    @property
    def done(self) -> bool:
        return bool(self.frames) and self.frames[-1][0] == "done"

    @property
    def executed(self) -> bool:
        """Whether the candidate's main code ran to its end."""
        return any(frame[:2] == ["main", "passed"] for frame in self.frames)

    @property
    def prepared(self) -> bool:
        """Whether the candidate's own time ran: its code is parsed in it as well."""
        return bool(self.frames)

    @property
    def ended_by_signal(self) -> int:
        """The signal that ended the process, 0 if none did."""
        if os.WIFSIGNALED(self.status):
            return os.WTERMSIG(self.status)
        # bubblewrap hands the end of what it runs on as a shell does.
        return max(0, os.waitstatus_to_exitcode(self.status) - SHELL_SIGNALS)

    @property
    def crashed(self) -> bool:
        """Whether it was ended by a signal that broken machine code or memory raises."""
        return self.stop is Stop.ITSELF and not self.lost and self.ended_by_signal in CRASHES

    @property
    def ending_text(self) -> str:
        """How the process ended, for a person."""
        if self.lost:
            return "the sandbox was lost twice while it ran"
        if number := self.ended_by_signal:
            return f"the process was ended by {_signal_name(number)}"
        return f"the process ended by itself with exit code {os.waitstatus_to_exitcode(self.status)}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # real-time signals have none
        return f"signal {number}"


LOST_TWICE: Final = Run(frames=[["begun"], ["candidates", "all", "", "1"]], stop=Stop.ITSELF, lost=True)
"""The run of a candidate that took two workers down."""


# ---- Time.

QUICK_SECONDS: Final = 0.4
"""For each block of a quick run: about what compiling a larger candidate takes."""
QUICK_SHARE: Final = 0.05
"""Of the time that is left, for the whole of a quick run: it must not cost what it is there to save."""
TOO_LITTLE: Final = 0.01
"""Seconds in which no run gets anywhere."""


@dataclass(slots=True)
class Clock:
    """What is left of an answer's time, and what it was spent on so far."""

    limits: Limits
    spent: float = 0.0
    hung_alone: bool = False
    """A block ran out of time with the machine to itself: later time-outs are no fault of the load."""

    @property
    def left(self) -> float:
        return max(0.0, self.limits.answer_seconds - self.spent)

    @property
    def is_over(self) -> bool:
        return self.left < TOO_LITTLE

    @property
    def limits_left(self) -> Limits:
        """For the next run."""
        return replace(self.limits, answer_seconds=self.left)

    @property
    def quick_limits(self) -> Limits:
        """For a run in the interpreter."""
        seconds = min(QUICK_SECONDS, self.limits.seconds)
        return replace(self.limits, seconds=seconds, answer_seconds=QUICK_SHARE * self.left)

    def charge(self, run: Run) -> None:
        self.spent += run.seconds
        self.hung_alone |= run.alone and run.stop is Stop.TIME
