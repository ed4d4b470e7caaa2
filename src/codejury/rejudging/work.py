"""The judge's workers, kept busy: results come back in the order of the questions.

Only a window of questions is under way at a time, so memory does not grow with their number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, Protocol, TypeVar

from ..records import Evaluation, TestCase

_WINDOW_PER_WORKER: Final = 8

Question = TypeVar("Question")
Reply = TypeVar("Reply")


class Evaluates(Protocol):
    """The part of a Judge that is needed here; called from several threads at once."""

    def evaluate(self, answer: str, test_case: TestCase) -> Evaluation: ...


def in_order(
    questions: Iterable[Question], answer: Callable[[Question], Reply], *, workers: int
) -> Generator[tuple[Question, Reply]]:
    """Yield each question with its reply, found by `workers` threads.

    However the caller leaves, what nobody has begun with is forgotten; what is under way ends with the judge.
    """
    pool = ThreadPoolExecutor(workers, thread_name_prefix="codejury-rejudge")
    waiting: deque[tuple[Question, Future[Reply]]] = deque()
    try:
        for question in questions:
            waiting.append((question, pool.submit(answer, question)))
            while waiting and (len(waiting) >= workers * _WINDOW_PER_WORKER or waiting[0][1].done()):
                done, reply = waiting.popleft()
                yield done, reply.result()
        while waiting:
            done, reply = waiting.popleft()
            yield done, reply.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
