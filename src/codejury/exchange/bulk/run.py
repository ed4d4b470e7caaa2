"""Carries out a plan: first judges again, in their places, the lines that are not settled; then appends."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import BinaryIO, Final

from ...errors import DefinitionError
from ...judge.judge import Judge
from ...judge.score import (
    decided_by_referee,
    definition_hash,
    evaluation_to_dict,
    of_referee_only,
    void_without_case,
)
from ...records import Evaluation, Outcome, TestCase
from .answers import AnswerLine
from .output import VerdictFile, VerdictStream
from .plan import BulkPlan, BulkTally, VerdictSummary, read_results, result_line

# ---- Keeps the judge's workers busy, and hands the verdicts back in the order of the answers.

_REMEMBERED_CHARACTERS: Final = 32_000_000


@dataclass(frozen=True, kw_only=True)
class BulkAnswer:
    """An answer to judge, or one whose line in the output stays as it is."""

    answer: AnswerLine
    test_case: TestCase | DefinitionError
    """An error where the definition cannot be used: the verdict is void."""
    settled_line: bytes | None = None

    @cached_property
    def key(self) -> str:
        """What a verdict depends on: the code and the definition, not the prose around the code."""
        assert isinstance(self.test_case, TestCase)
        return hashlib.sha256(
            repr((definition_hash(self.test_case), self.answer.snippets)).encode()
        ).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A verdict as it goes into the output, and the part of it that is counted."""

    text: str
    summary: VerdictSummary

    @property
    def void(self) -> bool:
        return self.summary.outcome == Outcome.VOID


class Verdicts:
    """Asks the judge. Equal code for the same test case is judged once, unless its verdict was void."""

    def __init__(self, judge: Judge, *, only_split: bool = False) -> None:
        self._judge = judge
        self._only_split = only_split
        self._split: dict[str, frozenset[int]] = {}
        """By definition, the unit tests that the referee decides for its reference solution."""
        self._under_way: dict[str, Future[Verdict | None]] = {}
        self._remembered = Remembered(_REMEMBERED_CHARACTERS)

    def in_order(self, questions: Iterable[BulkAnswer]) -> Generator[tuple[BulkAnswer, Verdict | None]]:
        """Yield each question with its verdict, None for one that is settled."""
        with closing(self._judge.started(questions, self._start)) as judged:
            for question, verdict in judged:
                self._remember(question, verdict)
                yield question, verdict

    def _start(self, question: BulkAnswer) -> Future[Verdict | None]:
        case = question.test_case
        if question.settled_line:
            return _known(None)
        if isinstance(case, DefinitionError):
            return _known(_unjudgeable(question.answer.task_id, case))
        if known := self._remembered.get(question.key):
            return _known(known)
        shared = self._under_way.get(question.key)
        if shared is None or _is_void(shared):
            shared = self._under_way[question.key] = self._judge.submit(self._evaluate, question)
        return shared

    def _evaluate(self, question: BulkAnswer) -> Verdict | None:
        case = question.test_case
        assert isinstance(case, TestCase)
        evaluation = self._judge.evaluate_snippets(question.answer.snippets, case)
        if self._only_split:
            evaluation = of_referee_only(evaluation, case, self._split_tests(case))
        return _verdict(evaluation)

    def _split_tests(self, case: TestCase) -> frozenset[int]:
        key = definition_hash(case)
        if key not in self._split:  # by two threads at once at most twice
            self._split[key] = decided_by_referee(self._judge.execute_code(case.reference_solution, case))
        return self._split[key]

    def _remember(self, question: BulkAnswer, verdict: Verdict | None) -> None:
        if verdict is None or isinstance(question.test_case, DefinitionError):
            return
        if self._under_way.pop(question.key, None) and not verdict.void:
            self._remembered.add(question.key, verdict)


def _known(verdict: Verdict | None) -> Future[Verdict | None]:
    future: Future[Verdict | None] = Future()
    future.set_result(verdict)
    return future


def _is_void(future: Future[Verdict | None]) -> bool:
    """Whether it has ended without a verdict that others could share."""
    if not future.done():
        return False
    verdict = future.result()
    return verdict is not None and verdict.void


def _verdict(evaluation: Evaluation) -> Verdict:
    verdict = evaluation_to_dict(evaluation)
    return Verdict(text=json.dumps(verdict), summary=VerdictSummary.of(verdict))


def _unjudgeable(task_id: str, problem: DefinitionError) -> Verdict:
    """The verdict on an answer whose definition cannot be used: void, and tried again by the next run."""
    name = task_id.rpartition("/")[2]
    return _verdict(void_without_case(name, f"its definition cannot be used: {problem}"))


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


# ---- The run itself.

OnProgress = Callable[[BulkTally], None]


def run(
    plan: BulkPlan,
    judge: Judge,
    *,
    only_split: bool = False,
    stream: BinaryIO | None = None,
    on_progress: OnProgress = lambda _: None,
) -> BulkTally:
    """Judge what is left to judge and return the tally of the whole output.

    `only_split` counts the unit tests that a referee decides from values, and no others.
    `stream` takes the lines where the plan has no file for them.

    `on_progress` hears the tally after each verdict. However this ends, by KeyboardInterrupt or an error too,
    the verdicts it heard of are in the output, and a new plan goes on from there.
    """
    tally = plan.settled
    verdicts = Verdicts(judge, only_split=only_split)
    with _output(plan, stream) as output:

        def write(questions: Iterable[BulkAnswer]) -> None:
            nonlocal tally
            with closing(verdicts.in_order(questions)) as judged:
                for question, verdict in judged:
                    if verdict is None:
                        output.append(question.settled_line or b"")
                        continue
                    output.append(result_line(question.answer, verdict.text))
                    tally = tally.plus(verdict.summary)
                    on_progress(tally)

        if isinstance(output, VerdictFile) and plan.unsettled:
            with output.rewriting():
                write(_written(plan))
        write(_unwritten(plan))
    return tally


def _output(plan: BulkPlan, stream: BinaryIO | None) -> VerdictFile | VerdictStream:
    if plan.output is not None:
        return VerdictFile(plan, plan.output)
    if stream is None:
        raise ValueError("a plan without a file needs a stream")
    return VerdictStream(stream)


def _written(plan: BulkPlan) -> Iterator[BulkAnswer]:
    for result in read_results(plan.lines, plan.output, plan.tasks) if plan.output else ():
        line = result.line if result.settled else None
        yield BulkAnswer(answer=result.answer, test_case=result.test_case, settled_line=line)


def _unwritten(plan: BulkPlan) -> Iterator[BulkAnswer]:
    for answer in islice(plan.lines.answers(), plan.written, None):
        yield BulkAnswer(answer=answer, test_case=plan.tasks.look_up(answer.task_id))
