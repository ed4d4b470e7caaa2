"""A benchmark as a program uses it.

Benchmark          plan, run, results; for those who want to look before they pay
run_benchmark      all of it in one call
stream_benchmark   likewise, as an iterator of events
"""

from __future__ import annotations

import asyncio
import os
import queue
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .. import store as stored
from ..definitions import Notes, Suite
from ..engines import LOCAL, judges_at_once, open_judge
from ..errors import InputError
from ..models import Session
from ..records import Evaluation, Limits, TestCase
from ..settings import load_settings
from ..store import EvaluationDict, file_again, record_wanted, remove_leftovers, sample_folder
from .combinations import Combination, combine, packages
from .contestants import Contestant, find_contestants
from .engine import PATIENCE, Engine, Stop
from .events import Event, NodeRefused, OnEvent
from .locks import alone
from .options import RunOptions
from .packages import LeftOut, judgeable
from .places import check_folders, fit_connections
from .plan import RunPlan, Wanted, plan_run, stored_samples
from .repair import Evaluates
from .standings import Standing, standings, stored_evaluations
from .tally import Tally

if TYPE_CHECKING:
    from ..configuration import Configuration


SIGTERM_PATIENCE: Final = 10.0
"""Seconds for the requests under way: whoever sends SIGTERM often sends SIGKILL soon after."""


class Benchmark:
    """One benchmark: what is wanted. Making it loads and checks everything, and asks nobody."""

    def __init__(
        self,
        options: RunOptions,
        *,
        configuration: Configuration | None = None,
        judge: Evaluates | None = None,
    ) -> None:
        """`judge` is the one that will be given to `run`; without, the Julia of this machine will judge."""
        self.options = options
        self._session = Session(
            configuration, base_url=options.base_url, max_connections=options.max_connections
        )
        self.contestants: list[Contestant] = find_contestants(options.model, self._session)
        suite = Suite.below(*([options.definitions] if options.definitions else []))
        self.combinations: list[Combination] = combine(options, self.contestants, suite)
        self.definition_notes: Notes = suite.notes()
        self.left_out = LeftOut()
        if judge is None and options.engine == LOCAL and not options.ask_unjudgeable:
            self.combinations, self.left_out = judgeable(self.combinations)
        self._is_used = False
        check_save_dir(options.save_dir)
        self._folders()

    def _folders(self) -> list[Path]:
        """Where answers go; InputError if a name in one cannot be part of a path."""
        return [sample_folder(self.options.save_dir, c.request(0)) for c in self.combinations]

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other runs from asking the same models for the same folder meanwhile.

        First, answers that an earlier run could not put in their place are put there, and hidden files of
        writers that were killed are removed.
        """
        names = {contestant.name for contestant in self.contestants}
        with alone(self.options.save_dir, names):
            remove_leftovers(self.options.save_dir)
            file_again(self.options.save_dir, load_settings().cache, names)
            yield

    def plan(self) -> RunPlan:
        """What is missing on the disk, now."""
        options = self.options
        wanted = Wanted(samples=options.samples, rounds=options.repair_rounds, limit=options.limit)
        stored = stored_samples(options.save_dir, self.combinations)
        left_out = tuple(str(problem) for problem in self.definition_notes.left_out)
        return replace(plan_run(self.combinations, stored, wanted), left_out=left_out)

    @property
    def notes(self) -> list[str]:
        """What a person should know about the plan."""
        return [self.left_out.note(self.options.samples)] if self.left_out.lacks else []

    def check(self, plan: RunPlan) -> None:
        """InputError where a run would be pointless, or could not keep its promises."""
        if not self.combinations:
            raise InputError(f"nothing here can be judged: {self.notes[0]}")
        if not plan.is_idle:
            check_folders(self.options.save_dir, self._folders())
        problems = [contestant.problem for contestant in self.contestants]
        if all(problems) and not any(work.unjudged for work in plan.works):
            raise InputError("\n".join(problems))
        if self.options.budget is not None:
            self._check_prices(plan)

    def _check_prices(self, plan: RunPlan) -> None:
        asked = {name for name, requests in plan.allowed.items() if requests}
        unknown = [c.name for c in self.contestants if c.name in asked and c.price(1, 1) is None]
        if unknown:
            raise InputError(
                f"budget: the price of {', '.join(unknown)} is unknown, so no budget can be kept; "
                'add price = { input = ..., output = ... } under [models."NAME"] in codejury.toml'
            )

    def run(
        self,
        plan: RunPlan,
        *,
        on_event: OnEvent = lambda event: None,
        judge: Evaluates | None = None,
        stop: Stop | None = None,
        signals: Sequence[signal.Signals] = (signal.SIGINT,),
    ) -> Tally:
        """Carry out the plan, once. Call it within `alone`.

        `stop()`, from any thread, ends it cleanly: nothing more is sent, and the requests under way are
        waited for; called twice, it ends at once. So do the signals, and afterwards KeyboardInterrupt is
        raised.
        """
        if self._is_used:
            raise RuntimeError("a Benchmark runs once: its connections are closed; make another one")
        self._is_used = True
        if not plan.is_idle:
            record_wanted(self.options.save_dir, self._wanted())
        stop, workers = stop or Stop(), self._workers(plan)
        notes = [*self.notes, *([] if plan.is_idle else fit_connections(self._session, workers))]
        with self._jury(plan, judge, workers, on_event) as jury, stopping_on(signals, stop) as signalled:
            engine = Engine(
                plan,
                jury,
                session=self._session,
                save_dir=self.options.save_dir,
                cache=load_settings().cache,
                workers=workers,
                budget=self.options.budget,
                on_event=on_event,
                run_id=time.time_ns() // 1_000_000,
                stop=stop,
                notes=notes,
            )
            run_in_loop(engine)
        if signalled:
            raise KeyboardInterrupt
        return engine.tally

    def _wanted(self) -> list[stored.Wanted]:
        """First tries alone: whether a repair is due depends on the verdict."""
        return stored.wanted_of((c.request(0), self.options.samples) for c in self.combinations)

    def _workers(self, plan: RunPlan) -> int:
        """No more than there can be answers to judge."""
        answers = sum(plan.allowed.values()) + sum(len(work.unjudged) for work in plan.works)
        return judges_at_once(self.options.engine, self.options.workers, answers)

    def _jury(
        self, plan: RunPlan, judge: Evaluates | None, workers: int, on_event: OnEvent
    ) -> AbstractContextManager[Evaluates]:
        """The judge that was given, or one of our own."""
        if judge is not None:
            return nullcontext(judge)
        if plan.is_idle:
            return nullcontext(NobodyToJudge())
        return open_judge(
            self.options.engine,
            workers=workers,
            limits=Limits(seconds=self.options.timeout, answer_seconds=self.options.answer_timeout),
            allow_unsafe=self.options.allow_unsafe,
            packages=tuple(packages(self.combinations)),
            ray_address=self.options.ray_address,
            on_note=lambda note: on_event(NodeRefused(what=note)),
        )

    def standings(self) -> list[Standing]:
        return list(standings(self.plan()))

    def evaluations(self) -> Iterator[EvaluationDict]:
        """All that is judged, whichever run judged it."""
        return stored_evaluations(self.plan())


def run_benchmark(
    model: str | Sequence[str],
    *,
    on_event: OnEvent = lambda event: None,
    judge: Evaluates | None = None,
    configuration: Configuration | None = None,
    **options: Any,
) -> list[EvaluationDict]:
    """Ask models, judge their answers, and return all evaluations: those of earlier runs, then the new ones.

    `options` are the fields of `RunOptions`, named as the flags of `codejury run`. Samples that failed are
    missing from the list; the same call asks for them again.
    """
    benchmark = Benchmark(RunOptions.of(model=model, **options), configuration=configuration, judge=judge)
    with benchmark.alone():
        plan = benchmark.plan()
        benchmark.check(plan)
        benchmark.run(plan, on_event=on_event, judge=judge)
    return list(benchmark.evaluations())


def stream_benchmark(
    model: str | Sequence[str],
    *,
    judge: Evaluates | None = None,
    configuration: Configuration | None = None,
    **options: Any,
) -> Iterator[Event]:
    """As `run_benchmark`, event by event. Leaving the loop early stops the run, as Ctrl-C does."""
    benchmark = Benchmark(RunOptions.of(model=model, **options), configuration=configuration, judge=judge)
    events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
    stop = Stop()

    def work() -> None:
        try:
            with benchmark.alone():
                plan = benchmark.plan()
                benchmark.check(plan)
                benchmark.run(plan, on_event=events.put, judge=judge, stop=stop, signals=())
        finally:
            events.put(None)

    with ThreadPoolExecutor(1, thread_name_prefix="codejury-run") as pool:
        running = pool.submit(work)
        try:
            while (event := events.get()) is not None:
                yield event
        finally:
            stop()  # no effect on a run that is over
        running.result()


class NobodyToJudge:
    """The judge of a run that has nothing to judge: no Julia is started for it."""

    def evaluate(self, answer: str, test_case: TestCase) -> Evaluation:
        raise AssertionError("the plan said there is nothing to judge")


@contextmanager
def stopping_on(signals: Sequence[signal.Signals], stop: Stop) -> Iterator[list[int]]:
    """Turn signals into calls of `stop`; gives those that came. Only the main thread gets any."""
    came: list[int] = []

    def handle(number: int, frame: object) -> None:
        came.append(number)
        stop(SIGTERM_PATIENCE if number == signal.SIGTERM else PATIENCE)

    if threading.current_thread() is not threading.main_thread():
        yield came
        return
    before = {number: signal.signal(number, handle) for number in signals}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_in_loop(engine: Engine) -> None:
    """In a loop of its own; in a thread of its own where this one has a loop already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(engine.run())
        return
    with ThreadPoolExecutor(1, thread_name_prefix="codejury-run") as pool:
        pool.submit(asyncio.run, engine.run()).result()


def check_save_dir(save_dir: Path) -> None:
    """Results must not go into an installed package: the next update would remove them."""
    package = Path(__file__).resolve().parents[1]
    try:
        place = save_dir.resolve()
    except (OSError, RuntimeError):  # which Python raises for a link depends on its version
        raise InputError(f"{save_dir}: is a link that leads to itself; choose a folder") from None
    if place.is_relative_to(package):
        raise InputError(f"{save_dir}: is inside the installed package; choose a folder of your own")
    if os.path.lexists(place) and not place.is_dir():
        raise InputError(f"{save_dir}: is a file; choose a folder")
