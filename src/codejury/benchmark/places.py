"""Whether what will be paid for can be kept: folders and descriptors, looked at before anybody is asked."""

from __future__ import annotations

import os
import resource
import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from ..errors import InputError, WriteError
from ..models import Session
from ..store.atomic import PREFIX, create

TRIAL_BYTES: Final = 64_000
"""Room for one long answer: less is a full disk."""
OWN_DESCRIPTORS: Final = 64
"""For answers that are being written, locks, the terminal, the judge's notes."""
DESCRIPTORS_PER_WORKER: Final = 8
"""Of the judge: pipes to a sandbox, and files while one starts."""


def check_folders(save_dir: Path, folders: Iterable[Path]) -> None:
    """WriteError unless each of these folders is there, or can be made, and the disk has room."""
    problems = list(dict.fromkeys(filter(None, map(_problem, (save_dir, *folders)))))
    _problem.cache_clear()
    if problems:
        raise WriteError("\n".join(problems))
    trial = save_dir / f"{PREFIX}{secrets.token_hex(8)}"
    try:
        create(trial, bytes(TRIAL_BYTES))
    except OSError as error:
        raise WriteError(f"{save_dir}: cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            trial.unlink()


@cache  # thousands of folders have few above them
def _problem(folder: Path) -> str:
    """Why nothing can be written into a folder; "" if something can."""
    try:
        if folder.is_dir():
            can_write = os.access(folder, os.W_OK | os.X_OK)
            return "" if can_write else f"{folder}: cannot be written; change its rights, or choose another"
        if os.path.lexists(folder):
            return f"{folder}: is in the way: it must be a folder; move it"
    except OSError as error:
        return f"{folder}: cannot be used: {error.strerror or error}"
    return _problem(folder.parent)


def fit_connections(session: Session, workers: int) -> Iterator[str]:
    """Ask less at once where this process may not open enough files; yields a note that says so.

    InputError where there are too few for anything.
    """
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = most - _open_descriptors() - OWN_DESCRIPTORS - DESCRIPTORS_PER_WORKER * workers
    if free < 1:
        raise InputError(
            f"this process may open {most} files, and needs {most - free + 1} or more to ask and judge: "
            "raise the limit with `ulimit -n`, or lower --workers"
        )
    if session.keep_within(free):
        yield (
            f"this process may open {most} files, so at most {free} requests run at once; "
            "`ulimit -n` raises that"
        )


def _open_descriptors() -> int:
    try:
        return len(list(Path("/proc/self/fd").iterdir()))
    except OSError:  # no /proc
        return 32
