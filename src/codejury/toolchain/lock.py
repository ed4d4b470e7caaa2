"""One installation at a time, across processes."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path, *, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock file `path`; call `on_wait` once if another process holds it.

    The kernel frees the lock when its holder dies, so there is no stale lock to clear away.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
