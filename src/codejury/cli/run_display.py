"""What `codejury run` shows while it runs: a live table, plain lines, or events as JSON.

Each is a context manager and is called with every event. They read the tally; they never print what a
model or a server said without making it harmless.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Final

from .progress import WORTH_TELLING, being_judged, every_ten_seconds
from .render import can_redraw, error_console, many, number, safe_text
from .run_tables import UNKNOWN, FittedTable, dollars, narrow_table, spent

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.progress import Progress

    from ..run.events import Batched, Event, OnEvent
    from ..run.loop import StopRequest
    from ..run.tally import ModelTally, RunTally


NOTED_FAILURES: Final = 5
"""Different failures that are told in full; a night can bring thousands."""


def display_for(stop: StopRequest, *, as_json: bool) -> AbstractContextManager[OnEvent]:
    console = error_console()
    if as_json:
        return json_lines()
    return live(console, stop) if can_redraw(console) else plain_lines(console)


@contextmanager
def json_lines() -> Iterator[OnEvent]:
    """One object a line, on stdout, as it happens."""
    from ..run.events import event_to_dict

    def show(event: Event) -> None:
        stamp = datetime.now().astimezone().isoformat(timespec="milliseconds")
        sys.stdout.write(json.dumps({"time": stamp, **event_to_dict(event)}) + "\n")
        sys.stdout.flush()

    yield show


class RunNotes:
    """Tells what a person should know at once: each kind of failure once, not a thousand times."""

    def __init__(self, say: Callable[[str], None], *, counts_down: bool = False) -> None:
        """`counts_down`: the display itself shows how long a stopped run still waits."""
        self._say = say
        self._counts_down = counts_down
        self._told: set[str] = set()

    def add(self, event: Event) -> None:
        from ..records import CUT_SHORT
        from ..run.events import (
            Answered,
            Batched,
            BudgetReached,
            LimitReached,
            ModelFailed,
            NodeRefused,
            Noted,
            Planned,
            RequestFailed,
            Stopping,
            Voided,
        )

        match event:
            case Planned(unreadable=unreadable):
                for problem in unreadable:
                    self._once(f"not counted: {problem}")
            case ModelFailed(what=what, unasked=unasked):
                self._once(f"failed, {many(unasked, 'request', 'is', 'are')} not made: {what}", always=True)
            case NodeRefused(what=what) | Noted(what=what):
                self._once(what, always=True)
            case Answered(which=which, finish_reason=reason) if reason in CUT_SHORT:
                self._once(cut_short_line(which.model, event.most_tokens), always=True)
            case Batched():
                self._once(batch_line(event), always=True)
            case RequestFailed(what=what):
                self._once(f"no answer: {what}")
            case Voided(reason=reason):
                self._once(f"void: {reason}")
            case BudgetReached(budget=budget):
                self._once(f"the budget of {dollars(budget)} is reached: nothing more is asked", always=True)
            case Stopping(under_way=under_way, seconds=seconds) if under_way and not self._counts_down:
                self._once(waiting_line(under_way, seconds), always=True)
            case LimitReached(limit=limit):
                self._once(
                    f"the limit of {many(limit, 'request')} is reached: nothing more is asked", always=True
                )

    def _once(self, text: str, *, always: bool = False) -> None:
        if text in self._told or (len(self._told) >= NOTED_FAILURES and not always):
            return
        self._told.add(text)
        self._say(safe_text(text))


def cut_short_line(model: str, most: int | None) -> str:
    """What was cut, and the flag that fixes it."""
    limit = f"the limit of {most:,} tokens" if most else "the model's own limit of tokens"
    remedy = f"--max-tokens {2 * most}" if most else "a lower --effort"
    return f"{model}: an answer was cut short at {limit}; {remedy} may help"


def batch_line(batch: Batched) -> str:
    """`mine: batch b_1 is in_progress, 3 of 10 requests answered`."""
    done = "" if batch.done is None else f", {batch.done} of {many(batch.requests, 'request')} answered"
    return f"{batch.model}: batch {batch.id} is {batch.state}{done}"


def waiting_line(under_way: int, seconds: float) -> str:
    """`Stopping: 12 requests under way may be paid for, and may take 47 s to end.` and what Ctrl-C does."""
    requests = f"{under_way} request{'s' * (under_way != 1)}"
    return (
        f"Stopping: {requests} under way may be paid for, and may take {seconds:.0f} s to end. "
        "Ctrl-C again gives them up."
    )


class ProgressEstimate:
    """How long it has taken, and how long it may still take."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self._done_before: int | None = None

    def left(self, tally: RunTally) -> str:
        done, left = tally.total("done"), tally.total("left")
        if self._done_before is None:
            self._done_before = done
        made = done - self._done_before
        if not made or not left or tally.budget_is_reached or tally.limit_is_reached:
            return ""
        seconds = (time.monotonic() - self.began) / made * left
        return f"about {duration(seconds)} left"


def duration(seconds: float) -> str:
    """45 s, 12 min, 3 h 20 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


@contextmanager
def plain_lines(console: Console) -> Iterator[OnEvent]:
    """A line every ten seconds, whether or not something happened, and one at the end."""
    from ..run.events import Finished, Planned
    from ..run.tally import RunTally

    tally, clock = RunTally(), ProgressEstimate()
    notes = RunNotes(lambda text: console.print(text, style="yellow"))

    def show(event: Event) -> None:
        tally.add(event)
        notes.add(event)
        if isinstance(event, Planned):
            console.print(plan_line(tally))
        if isinstance(event, Finished):
            console.print(status_line(tally, clock))

    with every_ten_seconds(lambda: console.print(status_line(tally, clock))):
        yield show


def plan_line(tally: RunTally) -> str:
    """`3 models: 120 of 300 samples are there, 7 answers wait for a verdict, 173 requests to make`."""
    return (
        f"{many(len(tally.models), 'model')}: {tally.total('done')} of "
        f"{many(tally.total('wanted'), 'sample', 'is', 'are')} there, "
        f"{many(tally.total('unjudged'), 'answer', 'waits', 'wait')} for a verdict, "
        f"{many(tally.total('to_ask'), 'request')} to make"
    )


def status_line(tally: RunTally, clock: ProgressEstimate) -> str:
    """`45 of 300 samples, 3 waiting for the model, 2 to judge, score 71.2, 0.01 USD, 1 being judged: ...`."""
    under_way = tally.being_judged
    counts = (
        (tally.total("under_way"), "waiting for the model"),
        (tally.total("unjudged") - len(under_way), "to judge"),
        (tally.total("void"), "void"),
        (tally.total("failed"), "failed"),
        (tally.total("retried"), "retried"),
        (tally.total("cut_short"), "cut short"),
    )
    parts = [f"{tally.total('done')} of {many(tally.total('wanted'), 'sample')}"]
    parts += [f"{count} {what}" for count, what in counts if count > 0]
    if judged := tally.total("judged"):
        parts.append(f"score {number(sum(m.points for m in tally.models.values()) / judged)}")
    cost = spent(tally.cost, tally.total("unknown_costs"))
    parts.append(f"cost {cost}" if cost == UNKNOWN else cost)
    parts += [clock.left(tally), waits_for(tally)]
    return ", ".join(part for part in parts if part)


def waits_for(tally: RunTally, *, at_least: float = 0.0) -> str:
    """What the judge is at; that it starts, if there is something for it to do."""
    if tally.is_over:
        return ""
    if tally.judge_is_ready:
        return being_judged(tally.being_judged, at_least)
    return "starting Julia" if tally.total("unjudged") else ""


@contextmanager
def live(console: Console, stop: StopRequest) -> Iterator[OnEvent]:
    """A bar and a table that change in place."""
    from rich.live import Live

    from ..run.tally import RunTally

    tally, clock = RunTally(), ProgressEstimate()
    bar = _bar(console)
    with Live(
        console=console,
        get_renderable=lambda: _screen(tally, clock, bar, stop),
        refresh_per_second=4,
        transient=True,
    ) as screen:
        notes = RunNotes(lambda text: screen.console.print(text, style="yellow"), counts_down=True)

        def show(event: Event) -> None:
            tally.add(event)
            notes.add(event)

        yield show


def _bar(console: Console) -> Progress:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(bar_width=40), MofNCompleteColumn(), TextColumn("{task.description}"))
    bar = Progress(*columns, TimeElapsedColumn(), console=console)
    bar.add_task("", total=None)
    return bar


def _screen(tally: RunTally, clock: ProgressEstimate, bar: Progress, stop: StopRequest) -> Group:
    from rich.console import Group
    from rich.text import Text

    bar.update(
        bar.task_ids[0],
        total=tally.total("wanted") or None,
        completed=tally.total("done"),
        description=", ".join(part for part in (_state(tally, stop), clock.left(tally)) if part),
    )
    parts = [bar.get_renderable(), models_table(tally)]
    if stop.count:
        under_way = tally.total("under_way")
        waits = waiting_line(under_way, stop.seconds_left)
        parts.append(Text(waits if under_way else "Stopping: what the judge has begun may end."))
    return Group(*parts)


def _state(tally: RunTally, stop: StopRequest) -> str:
    if stop.count:
        return "stopping"
    return waits_for(tally, at_least=WORTH_TELLING) if tally.judge_is_ready else "starting Julia"


def models_table(tally: RunTally) -> FittedTable:
    """A line for each model."""
    headings = (
        "samples",
        "under\nway",
        "to\njudge",
        "score",
        "void",
        "failed",
        "retried",
        "cost, of expected",
    )
    table = narrow_table("model", *headings, spare=("retried", "under\nway", "to\njudge", "void", "failed"))
    for name, model in list(tally.models.items()):
        style = "red" if model.problem else ""
        table.add_row(safe_text(name, one_line=True), *_cells(model), style=style)
    return table


def _cells(model: ModelTally) -> tuple[str, ...]:
    counts = (model.under_way, model.unjudged, model.void, model.failed, model.retried)
    under_way, unjudged, void, failed, retried = map(str, counts)
    score = "-" if model.mean_score is None else number(model.mean_score)
    cost = spent(model.cost, model.unknown_costs)
    expected = dollars(model.expected_cost)
    of_expected = cost if cost == expected else f"{cost.removesuffix(' USD')} of {expected}"
    return f"{model.done}/{model.wanted}", under_way, unjudged, score, void, failed, retried, of_expected
