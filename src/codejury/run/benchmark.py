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
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..errors import InputError
from ..files import remove_leftovers
from ..judge.backends import LOCAL, judges_at_once, open_judge
from ..models.batches.journal import Journal
from ..models.session import Session
from ..options import RunOptions
from ..records import Evaluation, TestCase
from ..settings import load_settings
from ..store.wanted import Wanted, record_wanted, wanted_of
from ..store.write import file_again, sample_folder
from ..suite.suite import Suite, SuiteNotes
from .combinations import Combination, combine, packages
from .events import Event, NodeRefused, OnEvent
from .loop import PATIENCE, Engine, StopRequest
from .plan import RunPlan, RunTarget, plan_run, stored_samples, usual_lengths
from .preflight import LeftOut, alone, check_folders, fit_connections, judgeable
from .repair import Evaluates
from .resolved_models import ResolvedModel, parameter_notes, resolve_models
from .standings import Standing, standings, stored_evaluations
from .tally import RunTally

if TYPE_CHECKING:
    from ..configuration import Configuration


SIGTERM_PATIENCE: Final = 10.0
"""Seconds for the requests under way: SIGTERM is often followed by SIGKILL soon after."""


class Benchmark:
    """One benchmark: what is wanted. Making it loads and checks everything, and sends no request."""

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
            configuration,
            base_url=options.base_url,
            max_connections=options.max_connections,
            batch_folder=options.save_dir if options.batch else None,
        )
        self.resolved_models: list[ResolvedModel] = resolve_models(options.model, self._session)
        suite = Suite.below(*([options.definitions] if options.definitions else []))
        self.combinations: list[Combination] = combine(options, self.resolved_models, suite)
        self.definition_notes: SuiteNotes = suite.notes()
        self.left_out = LeftOut()
        if judge is None and options.engine == LOCAL and not options.ask_unjudgeable:
            self.combinations, self.left_out = judgeable(self.combinations, options.environment)
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
        names = {resolved_model.name for resolved_model in self.resolved_models}
        with alone(self.options.save_dir, names):
            remove_leftovers(self.options.save_dir)
            file_again(self.options.save_dir, load_settings().cache, names)
            yield

    def plan(self) -> RunPlan:
        """What is missing on the disk, now."""
        options = self.options
        wanted = RunTarget(samples=options.samples, rounds=options.repair_rounds, limit=options.limit)
        stored = list(stored_samples(options.save_dir, self.combinations))
        left_out = tuple(str(problem) for problem in self.definition_notes.left_out)
        plan = plan_run(self.combinations, stored, wanted)
        return replace(plan, left_out=left_out, lengths=usual_lengths(stored))

    @property
    def notes(self) -> list[str]:
        """What a person should know about the plan."""
        lacking = [self.left_out.note(self.options.samples)] if self.left_out.lacks else []
        return [*lacking, *parameter_notes(self.resolved_models, self.options), *self._waiting_batches()]

    @property
    def environment(self) -> Path | None:
        """The folder of the Julia environment that the packages of the test cases come from."""
        return packages(self.combinations, self.options.environment).environment

    def _waiting_batches(self) -> Iterator[str]:
        """What a run that does not collect batches would pay for once more."""
        if self.options.batch:
            return
        for resolved_model in self.resolved_models:
            jobs = Journal(self.options.save_dir).jobs(resolved_model.name)
            if count := sum(len(job.open_requests) for job in jobs if not job.ended):
                yield (
                    f"{resolved_model.name}: {count} requests wait in batches, and would be paid for once "
                    "more; --batch collects them"
                )

    def check(self, plan: RunPlan) -> None:
        """InputError where a run would be pointless, or could not keep its promises."""
        if not self.combinations:
            raise InputError(f"nothing here can be judged: {self.left_out.note(self.options.samples)}")
        if not plan.is_idle:
            check_folders(self.options.save_dir, self._folders())
        problems = [resolved_model.problem for resolved_model in self.resolved_models]
        if all(problems) and not any(work.unjudged for work in plan.works):
            raise InputError("\n".join(problems))
        if self.options.budget is not None:
            self._check_prices(plan)

    def _check_prices(self, plan: RunPlan) -> None:
        asked = {name for name, requests in plan.allowed.items() if requests}
        unknown = [c.name for c in self.resolved_models if c.name in asked and c.price(1, 1) is None]
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
        stop: StopRequest | None = None,
        signals: Sequence[signal.Signals] = (signal.SIGINT,),
    ) -> RunTally:
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
        stop, workers = stop or StopRequest(), self._workers(plan)
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

    def _wanted(self) -> list[Wanted]:
        """First tries alone: whether a repair is due depends on the verdict."""
        return wanted_of((c.request(0), self.options.samples) for c in self.combinations)

    def _workers(self, plan: RunPlan) -> int:
        """No more than there can be answers to judge."""
        answers = sum(plan.allowed.values()) + sum(len(work.unjudged) for work in plan.works)
        return judges_at_once(self.options, answers)

    def _jury(
        self, plan: RunPlan, judge: Evaluates | None, workers: int, on_event: OnEvent
    ) -> AbstractContextManager[Evaluates]:
        """The judge that was given, or one of our own."""
        if judge is not None:
            return nullcontext(judge)
        if plan.is_idle:
            return nullcontext(NobodyToJudge())
        return open_judge(
            self.options,
            answers=workers,
            packages=packages(self.combinations, self.options.environment),
            on_note=lambda note: on_event(NodeRefused(what=note)),
        )

    def standings(self) -> list[Standing]:
        return list(standings(self.plan(), self.options.save_dir))

    def evaluations(self) -> Iterator[dict[str, Any]]:
        """All that is judged, whichever run judged it."""
        return stored_evaluations(self.plan())


def run_benchmark(
    model: str | Sequence[str],
    *,
    on_event: OnEvent = lambda event: None,
    judge: Evaluates | None = None,
    configuration: Configuration | None = None,
    **options: Any,
) -> list[dict[str, Any]]:
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
    patience: float = PATIENCE,
    **options: Any,
) -> Iterator[Event]:
    """As `run_benchmark`, event by event.

    Leaving the loop early stops the run as Ctrl-C does: it takes up to `patience` seconds, in which the
    requests under way may end, since they are paid for. With 0 they are given up.
    """
    benchmark = Benchmark(RunOptions.of(model=model, **options), configuration=configuration, judge=judge)
    events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
    stop = StopRequest()

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
            stop(patience)  # no effect on a run that is over
            try:
                wait([running])
            except KeyboardInterrupt:  # a second one: at once
                stop()
                raise
        running.result()


class NobodyToJudge:
    """The judge of a run that has nothing to judge: no Julia is started for it."""

    def evaluate(self, answer: str, test_case: TestCase) -> Evaluation:
        raise AssertionError("the plan said there is nothing to judge")


@contextmanager
def stopping_on(signals: Sequence[signal.Signals], stop: StopRequest) -> Iterator[list[int]]:
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
