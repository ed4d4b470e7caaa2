"""How far a long command is, and what it waits for: a bar in a terminal, elsewhere a line every ten seconds.

progress              for commands that count something up; the bar and the lines
every_ten_seconds     the clock of the lines
being_judged          what is waited for, in words
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Final, Protocol

from .render import can_redraw, error_console, safe_text

if TYPE_CHECKING:
    from rich.console import Console


SECONDS_BETWEEN_LINES: Final = 10.0
MOST_NAMES: Final = 3
WORTH_TELLING: Final = 2.0
"""Seconds from which on a bar names what it waits for: most answers come and go too quickly to be read."""


class Works(Protocol):
    """The part of a Judge that says what it is doing."""

    @property
    def is_starting(self) -> bool: ...

    @property
    def under_way(self) -> Sequence[tuple[str, float]]:
        """Test cases, and since how many seconds each is judged."""


class Status:
    """How far a command is. Told by the command, read by the display at any time."""

    def __init__(self, what: str, total: int | None) -> None:
        self.what = what
        self.done = 0
        self.total = total
        self.judge: Works | None = None
        """Whom it waits for, once that is known."""
        self.on_change: Callable[[], None] = lambda: None

    def update(self, done: int, total: int | None, what: str | None = None) -> None:
        self.done, self.total = done, total
        self.what = self.what if what is None else what
        self.on_change()

    @property
    def line(self) -> str:
        """`12 of 140 judged again, 2 being judged: wrap_words (34 s), clamp_to (0 s)`."""
        done = self.what if self.total is None else f"{self.done} of {self.total} {self.what}"
        return ", ".join(part for part in (done, self.waits_for()) if part)

    def waits_for(self, *, at_least: float = 0.0) -> str:
        if self.judge is None:
            return ""
        return "starting Julia" if self.judge.is_starting else being_judged(self.judge.under_way, at_least)


def being_judged(under_way: Sequence[tuple[str, float]], at_least: float = 0.0) -> str:
    """`2 being judged: wrap_words (34 s), clamp_to (0 s)`, the longest first; "" if there is nothing."""
    longest = sorted((one for one in under_way if one[1] >= at_least), key=lambda one: -one[1])
    if not longest:
        return ""
    named = [f"{safe_text(name, one_line=True)} ({seconds:.0f} s)" for name, seconds in longest[:MOST_NAMES]]
    return f"{len(longest)} being judged: {', '.join(named)}{' ...' * (len(longest) > MOST_NAMES)}"


@contextmanager
def every_ten_seconds(say: Callable[[], None]) -> Iterator[None]:
    """Call `say` every ten seconds, in a thread of its own: whether or not anything happens meanwhile."""
    over = threading.Event()

    def speak() -> None:
        while not over.wait(SECONDS_BETWEEN_LINES):
            say()

    speaker = threading.Thread(target=speak, name="codejury-progress", daemon=True)
    speaker.start()
    try:
        yield
    finally:
        over.set()
        speaker.join()


@contextmanager
def progress(what: str, total: int | None, *, quiet: bool = False) -> Iterator[Status]:
    """Show on stderr how far it is. Lines printed meanwhile appear above the bar."""
    console, status = error_console(), Status(what, total)
    if quiet:
        shown: AbstractContextManager[None] = nullcontext()
    elif can_redraw(console):
        shown = _bar(console, status)
    else:
        shown = every_ten_seconds(lambda: console.print(status.line))
    with shown:
        yield status


@contextmanager
def _bar(console: Console, status: Status) -> Iterator[None]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column
    from rich.text import Text

    class Told(ProgressColumn):
        """Made anew for every refresh: the seconds go on although nothing happens."""

        def render(self, task: Task) -> Text:
            waits_for = status.waits_for(at_least=WORTH_TELLING)
            return Text(", ".join(part for part in (status.what, waits_for) if part))

    with Progress(
        BarColumn(),
        MofNCompleteColumn(),
        Told(table_column=Column(no_wrap=True)),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        # Where stdout is a file or a pipe, what is printed there must not end up above the bar.
        redirect_stdout=sys.stdout.isatty(),
    ) as bar:
        task = bar.add_task("", total=status.total)
        status.on_change = lambda: bar.update(task, completed=status.done, total=status.total)
        yield
