"""The referee's side of a test: a warm Julia that holds the tests and no line of any candidate.

prepare(case)   the candidate's part of each unit test that can be taken apart
begin(index)    one of them is run; whether its process may be told what the test holds
tell(frame)     what the candidate said
answer()        an order for it, where it waits for one; and one decision about each test
abort()         the candidate will say no more
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ...records import TestCase
from .watch import WorkerLost
from .wire import Item, encode

if TYPE_CHECKING:
    from .worker import Worker

DECIDES_WITHIN: Final = 30.0
"""Seconds for a decision and what is compiled for it; a value that takes longer is not the expected one."""
PREPARES_WITHIN: Final = 120.0
MOST_UNSENT_BYTES: Final = 65536
DECISIONS: Final = (b"verdict", b"unsplit", b"untold")
"""The end of a test."""
ANSWERS: Final = (b"go", b"stop", b"call", b"hole", b"turn", b"over", *DECISIONS)
"""What it may say about what a candidate said: an order for it (julia/asking.jl), or its decision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What the candidate's process is given of a unit test."""

    code: bytes | None
    """None if the test is not taken apart, and the process is given all of it."""
    reveals: bool
    """What is expected can be read from it."""


class RefereeLost(Exception):  # noqa: N818 - an event, caught inside this package
    """It died or hung over what it was sent. The next test has a new one."""


class Referee:
    """Keeps a warm referee and replaces it when it is lost. Not safe to share between threads."""

    def __init__(self, start: Callable[[], Worker]) -> None:
        self._start = start
        self._worker: Worker | None = start()
        self._case: TestCase | None = None
        self._parts: tuple[Part, ...] = ()
        self._due = 0
        """Decisions that are not read yet."""
        self._unsent: list[Sequence[Item]] = []
        """What it need not hear before it is asked for an answer: it wakes up once for all of that."""
        self._unsent_bytes = 0

    def prepare(self, case: TestCase) -> tuple[Part, ...]:
        """For each unit test the candidate's part."""
        if case != self._case:
            around = (case.unit_tests_setup, case.unit_tests_teardown)
            request: list[Item] = ["case", case.name, encode(case.imports), *around, *case.unit_tests]
            self._send_unsent()
            self._send([request], PREPARES_WITHIN)
            answer = self._read(PREPARES_WITHIN, b"case")
            tests = zip(answer[1::3], answer[2::3], answer[3::3], strict=True)
            self._parts = tuple(
                Part(code=None if reason else code, reveals=reveals == b"1")
                for reason, code, reveals in tests
            )
            self._case = case
        return self._parts

    def begin(self, index: int, number: int, *, may_tell: bool) -> None:
        """From now on it hears about this unit test.

        Where the candidate's methods would have to be told what is expected, and not `may_tell`: untold.
        """
        self._tell_later(["test", str(index), str(number), "1" if may_tell else "0"])
        self._due += 1

    def tell(self, frame: Sequence[Item]) -> None:
        """What the candidate said about a test that has begun."""
        self._require_begun()
        self._tell_later(frame)

    def answer(self) -> list[bytes]:
        """The order for a candidate that waits for one, or one of `DECISIONS`, which end a test."""
        self._require_begun()
        self._send_unsent()
        answer = self._read(DECIDES_WITHIN, *ANSWERS)
        self._due -= answer[0] in DECISIONS
        return answer

    def abort(self) -> None:
        """Leave a test that is not decided yet, because the candidate's process ended."""
        if self._due:
            self._tell_later(["abort"])
            self._send_unsent()
            # What it had decided or ordered before it heard of that comes first.
            while self._read(DECIDES_WITHIN, b"aborted", *ANSWERS)[0] != b"aborted":
                pass
            self._due = 0

    def close(self) -> None:
        """End its process; safe to call twice."""
        self._case, self._due = None, 0
        self._unsent, self._unsent_bytes = [], 0
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _tell_later(self, request: Sequence[Item]) -> None:
        self._unsent.append(request)
        self._unsent_bytes += sum(map(len, request))
        if self._unsent_bytes > MOST_UNSENT_BYTES:
            self._send_unsent()

    def _send_unsent(self) -> None:
        if self._unsent:
            requests, self._unsent, self._unsent_bytes = self._unsent, [], 0
            self._send(requests, DECIDES_WITHIN)

    def _send(self, requests: Sequence[Sequence[Item]], seconds: float) -> None:
        if self._worker is None:
            self._worker = self._start()
        try:
            self._worker.tell(requests, seconds)
        except WorkerLost as error:
            raise self._lost() from error

    def _read(self, seconds: float, *expected: bytes) -> list[bytes]:
        """One answer. Another kind of answer than expected would shift all that follow."""
        if self._worker is None:
            raise self._lost()
        try:
            answer = self._worker.hear(seconds)
        except WorkerLost as error:
            raise self._lost() from error
        if answer[0] not in expected:
            raise self._lost()
        return answer

    def _require_begun(self) -> None:
        if not self._due:
            raise RefereeLost  # the one that it began with

    def _lost(self) -> RefereeLost:
        self.close()
        return RefereeLost()
