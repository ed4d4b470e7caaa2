"""Keeps the judge's workers busy, and hands the verdicts back in the order of the answers.

The caller's thread does all the book-keeping, so there is no lock here; the workers only judge. A window
bounds how far the workers run ahead of the answer that is waited for, and with it the memory.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ..errors import DefinitionError
from ..records import Evaluation, Outcome, Snippet, TestCase
from ..score import definition_hash, evaluation_to_dict, void_without_case
from .answers import AnswerLine

_WINDOW_PER_WORKER: Final = 32
_REMEMBERED_CHARACTERS: Final = 32_000_000
_SUMMARY: Final = ("outcome", "score", "julia_version")


class Evaluates(Protocol):
    """The part of a Judge that bulk judging needs; called from several threads at once."""

    def evaluate_snippets(self, snippets: Sequence[Snippet], test_case: TestCase) -> Evaluation: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An answer to judge, or one whose line in the output stays as it is."""

    answer: AnswerLine
    test_case: TestCase | DefinitionError
    """An error where the definition cannot be used: the verdict is void."""
    settled_line: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A verdict as it goes into the output, and the part of it that is counted."""

    text: str
    summary: Mapping[str, Any]

    @property
    def void(self) -> bool:
        return bool(self.summary["outcome"] == Outcome.VOID)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question in the window: under way, or known already."""

    question: Question
    known: Verdict | None = None
    future: Future[Verdict] | None = None
    key: str = ""

    @property
    def answered(self) -> bool:
        return self.future is None or self.future.done()


class Verdicts:
    """Asks the judge. Equal code for the same test case is judged once, unless its verdict was void."""

    def __init__(self, judge: Evaluates, workers: int) -> None:
        self._judge = judge
        self._window = workers * _WINDOW_PER_WORKER
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="codejury-bulk")
        self._under_way: dict[str, Future[Verdict]] = {}
        self._remembered = Remembered(_REMEMBERED_CHARACTERS)

    def in_order(self, questions: Iterable[Question]) -> Iterator[tuple[Question, Verdict | None]]:
        """Yield each question with its verdict, None for one that is settled."""
        waiting: deque[_Asked] = deque()
        for question in questions:
            waiting.append(_Asked(question) if question.settled_line else self._ask(question))
            while waiting and (len(waiting) >= self._window or waiting[0].answered):
                yield self._collect(waiting.popleft())
        while waiting:
            yield self._collect(waiting.popleft())

    def close(self) -> None:
        """Forget what nobody has begun with. What is under way ends when the judge is closed."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _ask(self, question: Question) -> _Asked:
        case = question.test_case
        if isinstance(case, DefinitionError):
            return _Asked(question, known=_unjudgeable(question.answer.task_id, case))
        snippets = question.answer.snippets
        key = _key(snippets, case)
        if known := self._remembered.get(key):
            return _Asked(question, known=known)
        shared = self._under_way.get(key)
        if shared is None or (shared.done() and shared.result().void):
            shared = self._pool.submit(self._evaluate, snippets, case)
            self._under_way[key] = shared
        return _Asked(question, future=shared, key=key)

    def _evaluate(self, snippets: tuple[Snippet, ...], test_case: TestCase) -> Verdict:
        return _verdict(self._judge.evaluate_snippets(snippets, test_case))

    def _collect(self, asked: _Asked) -> tuple[Question, Verdict | None]:
        if asked.future is None:
            return asked.question, asked.known
        verdict = asked.future.result()
        if self._under_way.get(asked.key) is asked.future:
            del self._under_way[asked.key]
        if not verdict.void:
            self._remembered.add(asked.key, verdict)
        return asked.question, verdict


def _verdict(evaluation: Evaluation) -> Verdict:
    verdict = evaluation_to_dict(evaluation)
    return Verdict(text=json.dumps(verdict), summary={name: verdict[name] for name in _SUMMARY})


def _unjudgeable(task_id: str, problem: DefinitionError) -> Verdict:
    """The verdict on an answer whose definition cannot be used: void, and tried again by the next run."""
    name = task_id.rpartition("/")[2]
    return _verdict(void_without_case(name, f"its definition cannot be used: {problem}"))


def _key(snippets: tuple[Snippet, ...], test_case: TestCase) -> str:
    """What a verdict depends on: the code and the definition, not the prose around the code."""
    return hashlib.sha256(repr((definition_hash(test_case), snippets)).encode()).hexdigest()


class Remembered:
    """The verdicts used last, as many as fit."""

    def __init__(self, most_characters: int) -> None:
        self._room = most_characters
        self._verdicts: OrderedDict[str, Verdict] = OrderedDict()

    def get(self, key: str) -> Verdict | None:
        if key in self._verdicts:
            self._verdicts.move_to_end(key)
        return self._verdicts.get(key)

    def add(self, key: str, verdict: Verdict) -> None:
        if key in self._verdicts:
            return
        self._verdicts[key] = verdict
        self._room -= len(verdict.text)
        while self._room < 0:
            _, oldest = self._verdicts.popitem(last=False)
            self._room += len(oldest.text)
