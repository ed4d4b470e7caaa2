"""From an answer to a verdict: extract, run, score. Holds the sandboxes and shares them out.

answer -> extract.find_snippets -> Job -> a free sandbox -> Execution -> score.assess -> Evaluation
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from queue import SimpleQueue
from types import TracebackType
from typing import Final, Protocol, Self, TypeVar, runtime_checkable

from ..errors import InputError, SandboxError
from ..records import Evaluation, Execution, Job, Limits, Packages, Snippet, TestCase
from .extract.snippets import find_snippets
from .sandbox.factory import SandboxFactory
from .sandbox.protocol import Sandbox
from .score import assess, void

MOST_CHARACTERS: Final = 1_000_000
"""Of an answer; what comes after is not read."""
_WINDOW_PER_WORKER: Final = 32
"""Items that are read ahead of the verdicts, so that no worker waits for the next one."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@runtime_checkable
class Closes(Protocol):
    """A factory that shares something among its sandboxes, and gives it back at the end."""

    def cancel(self) -> None:
        """Give up sandboxes that are still starting."""

    def close(self) -> None: ...


class Judge:
    """A jury of `workers` sandboxes. A context manager; safe to use from many threads.

    with Judge(workers=2) as judge:
        evaluation = judge.evaluate(answer, test_case)

    The sandboxes warm up in the background as soon as the block is entered.
    """

    def __init__(
        self,
        *,
        workers: int = 1,
        limits: Limits | None = None,
        allow_unsafe: bool = False,
        packages: Packages | None = None,
        sandbox_factory: Callable[[], Sandbox] | None = None,
    ) -> None:
        """`packages` are what the test cases need; candidates see all of their environment."""
        self._limits = limits or Limits()
        self._workers = workers
        self._factory = sandbox_factory or SandboxFactory(allow_unsafe=allow_unsafe, packages=packages)
        self._free: SimpleQueue[Future[Sandbox]] = SimpleQueue()
        self._starting: list[Future[Sandbox]] = []
        self._first: Future[Sandbox] = Future()
        self._starter: ThreadPoolExecutor | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._under_way: dict[object, tuple[str, float]] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._warm_up()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def level(self) -> str:
        """The isolation that candidates run under."""
        return self._any_sandbox().level

    @property
    def julia_version(self) -> str:
        return self._any_sandbox().julia_version

    @property
    def note(self) -> str:
        """What a person should know about how candidates are run, such as that they are not forked."""
        self._any_sandbox()
        return str(getattr(self._factory, "note", ""))

    @property
    def is_starting(self) -> bool:
        """It was asked to start, and no sandbox is ready yet."""
        return bool(self._starting) and not self._first.done()

    @property
    def under_way(self) -> list[tuple[str, float]]:
        """The test cases whose answers run at the moment, and since how many seconds."""
        now = time.monotonic()
        return [(name, now - began) for name, began in list(self._under_way.values())]

    def evaluate(self, answer: str, test_case: TestCase) -> Evaluation:
        """Judge one answer in markdown. Void where the sandbox broke, never an exception for that."""
        evaluation = self._assess(find_snippets(answer[:MOST_CHARACTERS]), test_case)
        if len(answer) <= MOST_CHARACTERS or evaluation.execution is None:
            return evaluation
        note = f"only the first {MOST_CHARACTERS} of the answer's {len(answer)} characters were read"
        execution = replace(evaluation.execution, notes=(*evaluation.execution.notes, note))
        return replace(evaluation, execution=execution)

    def map(self, answers: Iterable[tuple[str, TestCase]]) -> Generator[Evaluation]:
        """Judge many answers on all workers; verdicts come in the order of the answers, as they are ready.

        for evaluation in judge.map((answer, test_case) for answer in answers): ...
        """
        with closing(self.each(answers, lambda one: self.evaluate(*one))) as judged:
            for _, evaluation in judged:
                yield evaluation

    def each(self, items: Iterable[Item], work: Callable[[Item], Result]) -> Generator[tuple[Item, Result]]:
        """Do some work with this judge for each of many items, and yield each with its result, in order.

        Close it before the judge, or what waits for the judge would start it again.
        """
        return self.started(items, lambda item: self.submit(work, item))

    def started(
        self, items: Iterable[Item], start: Callable[[Item], Future[Result]]
    ) -> Generator[tuple[Item, Result]]:
        """As `each`, where `start` decides what is submitted: an item may share the work of another one."""
        return in_order(items, start, window=self._workers * _WINDOW_PER_WORKER)

    def submit(self, work: Callable[[Item], Result], item: Item) -> Future[Result]:
        """Do some work in one of as many threads as there are workers."""
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="codejury-judge")
            return self._pool.submit(work, item)

    def evaluate_snippets(self, snippets: Sequence[Snippet], test_case: TestCase) -> Evaluation:
        """As `evaluate`, for an answer that was taken apart already."""
        return self._assess(tuple(snippets), test_case)

    def execute_code(
        self, code: str, test_case: TestCase, seconds: float | None = None, *, measure: bool = False
    ) -> Execution:
        """Run bare Julia code against a test case: facts, no points. `seconds` are for this run alone.

        Its speed is only measured where `measure` asks for it.
        """
        limits = self._limits if seconds is None else replace(self._limits, seconds=seconds)
        snippets = (Snippet(code=code, language="julia"),)
        return self._execute(snippets, test_case, limits, measure=measure)

    def close(self) -> None:
        """End all sandboxes. Safe to call twice."""
        with self._lock:
            starting, self._starting = self._starting, []
            starter, self._starter = self._starter, None
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)  # what is under way ends with its sandbox
        if isinstance(self._factory, Closes):
            self._factory.cancel()
        if starter is not None:
            starter.shutdown(wait=True)
        for sandbox in starting:
            if sandbox.exception() is None:
                sandbox.result().close()
        if isinstance(self._factory, Closes):
            self._factory.close()

    def _assess(self, snippets: tuple[Snippet, ...], test_case: TestCase) -> Evaluation:
        self._any_sandbox()  # a judge that cannot start is an error, not a void verdict
        try:
            return assess(self._execute(snippets, test_case, self._limits, measure=True), test_case)
        except SandboxError as error:
            return void(test_case, f"the sandbox failed: {error}")
        except InputError:
            raise
        except Exception as error:  # noqa: BLE001 - one answer must not end the judging of all
            return void(test_case, f"the judge failed: {type(error).__name__}: {error}")

    def _execute(
        self, snippets: tuple[Snippet, ...], test_case: TestCase, limits: Limits, *, measure: bool
    ) -> Execution:
        job = Job(test_case=test_case, snippets=snippets, limits=limits, measure=measure)
        with self._borrowed() as sandbox, self._noted(test_case.name):
            execution = sandbox.execute(job)
        if not isinstance(execution, Execution):  # a plug-in's
            returned = type(execution).__name__
            raise SandboxError(f"{type(sandbox).__name__} returned {returned}, not an Execution")
        # A sandbox of another package may know of none.
        return replace(execution, packages=dict(getattr(sandbox, "packages", {})))

    @contextmanager
    def _borrowed(self) -> Iterator[Sandbox]:
        self._warm_up()
        waiting = self._free.get()
        try:
            yield waiting.result()
        finally:
            self._free.put(waiting)

    @contextmanager
    def _noted(self, name: str) -> Iterator[None]:
        key = object()
        self._under_way[key] = name, time.monotonic()
        try:
            yield
        finally:
            del self._under_way[key]

    def _any_sandbox(self) -> Sandbox:
        self._warm_up()
        return self._first.result()

    def _warm_up(self) -> None:
        with self._lock:
            if self._starting:
                return
            self._starter = ThreadPoolExecutor(self._workers, thread_name_prefix="codejury-warm-up")
            self._first = Future()
            self._starting = [self._starter.submit(self._factory) for _ in range(self._workers)]
            for sandbox in self._starting:
                sandbox.add_done_callback(self._started)

    def _started(self, sandbox: Future[Sandbox]) -> None:
        self._free.put(sandbox)
        with contextlib.suppress(InvalidStateError):  # another one was first
            if error := sandbox.exception():
                self._first.set_exception(error)
            else:
                self._first.set_result(sandbox.result())


def in_order(
    items: Iterable[Item], start: Callable[[Item], Future[Result]], *, window: int
) -> Generator[tuple[Item, Result]]:
    """Start each item and yield it with its result; reads at most `window` items ahead.

    However the caller leaves, work that has not begun is cancelled.
    """
    waiting: deque[tuple[Item, Future[Result]]] = deque()
    try:
        for item in items:
            waiting.append((item, start(item)))
            while waiting and (len(waiting) >= window or waiting[0][1].done()):
                done, future = waiting.popleft()
                yield done, future.result()
        while waiting:
            done, future = waiting.popleft()
            yield done, future.result()
    finally:
        for _, future in waiting:
            future.cancel()
