"""The bytes of many small files, each with the marks it had before it was read.

What matters for files that are in memory is the number of system calls and their length: a folder is
opened once, a file by its short name, and one call reads it. Threads would only get in each other's way.
Where the disk has to be waited for, threads read ahead, and wait together.
"""

from __future__ import annotations

import os
import resource
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import Final

from .walking import UNKNOWN, Mark, mark_of

_BATCH: Final = 2000
_FIRST: Final = 200  # few, to learn soon whether the disk has to be waited for
_THREADS: Final = 8
_WHO: Final = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)  # not every system counts threads
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY
_FILE: Final = os.O_RDONLY | os.O_NONBLOCK  # should it have become a pipe meanwhile, nobody waits for it

Content = tuple[Mark, bytes]
_UNREAD: Final[Content] = (UNKNOWN, b"")
"""Of a file that could not be read."""
Batch = tuple[Sequence[str], list[Content]]
"""Files, and the contents of each."""


def contents_of(root: str, files: Sequence[str]) -> Iterator[Batch]:
    """Batches of files with their contents, in order. Sorted paths are quicker: folders stay together."""
    starts = [0, *range(_FIRST, len(files), _BATCH), len(files)]
    batches = [files[start:end] for start, end in pairwise(starts)]
    while batches:
        batch = batches.pop(0)
        before = _waits()
        contents = _read_batch(root, batch)
        waited = _waits() - before
        yield batch, contents
        if waited > len(batch) / 10:
            break
    yield from read_ahead(root, batches)


def _waits() -> int:
    """How often this thread had to wait for something."""
    return resource.getrusage(_WHO).ru_nvcsw


def read_ahead(root: str, batches: Sequence[Sequence[str]]) -> Iterator[Batch]:
    """Each batch with its contents, in order; a few are read ahead, not all, or memory would fill."""
    waiting: deque[Future[list[Content]]] = deque()
    with ThreadPoolExecutor(_THREADS) as threads:
        for number, batch in enumerate(batches):
            ahead = batches[number + len(waiting) : number + 2 * _THREADS]
            waiting += [threads.submit(_read_batch, root, later) for later in ahead]
            yield batch, waiting.popleft().result()


def _read_batch(root: str, files: Sequence[str]) -> list[Content]:
    contents: list[Content] = []
    place: str | None = None
    folder = -1
    try:
        for file in files:
            above, _, name = file.rpartition("/")
            if above != place:
                _close(folder)
                folder, place = _open_folder(f"{root}/{above}"), above
            contents.append(_read_file(name, folder))
    finally:
        _close(folder)
    return contents


def _open_folder(path: str) -> int:
    try:
        return os.open(path, _FOLDER)
    except OSError:
        return -1


def _close(descriptor: int) -> None:
    if descriptor >= 0:
        os.close(descriptor)


def _read_file(name: str, folder: int) -> Content:
    try:
        descriptor = os.open(name, _FILE, dir_fd=folder)
    except OSError:
        return _UNREAD
    try:
        mark = mark_of(os.fstat(descriptor))
        data = os.read(descriptor, mark[2] + 1)
        return mark, data if len(data) == mark[2] else data + _rest(descriptor)
    except OSError:
        return _UNREAD
    finally:
        os.close(descriptor)


def _rest(descriptor: int) -> bytes:
    """What is left of a file that changed while it was read."""
    parts = []
    while part := os.read(descriptor, 1 << 20):
        parts.append(part)
    return b"".join(parts)
