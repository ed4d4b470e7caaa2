"""`codejury validate --watch`: the result again after each save, from a judge that stays warm."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..records import Packages
from .render import output_console
from .validate import show

if TYPE_CHECKING:
    from ..judge.judge import Judge
    from ..suite.validation_report import ValidationReport


POLL_SECONDS: Final = 0.1
SHARE_OF_TIME: Final = 10
"""Looking takes at most one tenth of the time, however many files there are."""
ENDINGS: Final = (".toml", ".jl")

Stamps = Mapping[Path, tuple[int, int]]
"""Size and time of each file."""


class WarmJudge:
    """The judge that lives from one save to the next; another one where other packages are asked for."""

    def __init__(self, make: Callable[[Packages], Judge]) -> None:
        self._make = make
        self._judge: Judge | None = None
        self._packages: Packages | None = None

    def start(self, runs: int, packages: Packages) -> AbstractContextManager[Judge]:
        """The judge, which the block does not end."""
        if self._judge is None or not self._has(packages):
            self.close()
            self._judge, self._packages = self._make(packages).__enter__(), packages
        return nullcontext(self._judge)

    def _has(self, packages: Packages) -> bool:
        has = self._packages or Packages()
        return has.environment == packages.environment and {*packages.names} <= {*has.names}

    def close(self) -> None:
        if self._judge:
            self._judge.close()
        self._judge = None


def watch(
    paths: Sequence[Path],
    judge: WarmJudge,
    *,
    run: bool,
    repeats: int,
    rounds: int | None = None,
    tell: Callable[[Sequence[ValidationReport]], None] = show,
) -> None:
    """Validate, and again what changed, until Ctrl-C, or for so many rounds."""
    try:
        seen, touched, done = stamps(paths), list(paths), 0
        while True:
            _look(touched, judge, run=run, repeats=repeats, tell=tell)
            done += 1
            if done == rounds:
                return
            seen, touched = _next_save(paths, seen)
    except KeyboardInterrupt:
        return
    finally:
        judge.close()


def _look(
    paths: Sequence[Path],
    judge: WarmJudge,
    *,
    run: bool,
    repeats: int,
    tell: Callable[[Sequence[ValidationReport]], None],
) -> None:
    """One look at the definitions, and how long it took."""
    from ..suite.validate import validate_all

    started = time.monotonic()
    reports = validate_all(paths, start_judge=judge.start, run=run, repeats=repeats)
    seconds = time.monotonic() - started
    console = output_console()
    console.rule(time.strftime("%H:%M:%S"), style="dim")
    tell(reports)
    console.print(f"{seconds:.1f} s. Waiting for the next save; Ctrl-C ends.", style="dim")


def _next_save(paths: Sequence[Path], seen: Stamps) -> tuple[Stamps, list[Path]]:
    """Wait until a file is new, different or gone; the stamps then, and the definitions it concerns."""
    pause = POLL_SECONDS
    while True:
        time.sleep(pause)
        started = time.monotonic()
        now = stamps(paths)
        if touched := definitions_touched(seen, now):
            return now, touched
        pause = max(POLL_SECONDS, SHARE_OF_TIME * (time.monotonic() - started))


def stamps(paths: Sequence[Path]) -> Stamps:
    """Of all definitions and solutions at or below the paths."""
    found = {}
    for path in paths:
        # A definition that is named by its file has its submissions beside it.
        for file in (path.parent if path.is_file() else path).rglob("*"):
            if file.suffix in ENDINGS:
                with suppress(OSError):  # it went away between two looks
                    status = file.stat()
                    found[file] = status.st_size, status.st_mtime_ns
    return found


def definitions_touched(before: Stamps, after: Stamps) -> list[Path]:
    """The definitions that a change of these files concerns: their own, or of a solution beside them."""
    from ..suite.toml_file import FILE_NAME

    changed = [file for file in {**before, **after} if before.get(file) != after.get(file)]
    above = (next((p for p in file.parents if (p / FILE_NAME).exists()), None) for file in changed)
    return sorted({folder / FILE_NAME for folder in above if folder})
