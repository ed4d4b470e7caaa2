"""The evaluation files below a folder, and the marks by which a change of one is seen.

A file is taken for unchanged while its path, size and both times are: `mtime`, when its content was
written, and `ctime`, which nobody can set back, so that a file restored with an old date is seen too.
"""

from __future__ import annotations

import os
import resource
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import polars as pl

PREFIX: Final = "evaluation__"
BESIDE: Final = "julia-"
"""How the verdict of another Julia begins, which is kept beside the present one."""
ENDING: Final = ".json"
_CONVERSATION: Final = "conversation__"

MARKS: Final[dict[str, pl.DataType]] = {
    "file": pl.String(), "mtime_ns": pl.Int64(), "ctime_ns": pl.Int64(), "size": pl.Int64(),
}  # fmt: skip
"""Path relative to the root, with forward slashes; times in nanoseconds; bytes."""

Mark = tuple[int, int, int]
UNKNOWN: Final[Mark] = (0, 0, -1)
"""Equal to no file's."""


def mark_of(status: os.stat_result) -> Mark:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size


def marks_frame(files: Sequence[str], marks: Sequence[Mark]) -> pl.DataFrame:
    """One row for each file, in their order."""
    numbers = ([mark[place] for mark in marks] for place in range(len(UNKNOWN)))
    typed = zip(MARKS.items(), (files, *numbers), strict=True)
    return pl.DataFrame([pl.Series(name, values, dtype) for (name, dtype), values in typed])


@dataclass(slots=True)
class Listing:
    """What was found, before any file is read."""

    files: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    """Of each file, if they were asked for."""
    unusable: list[tuple[str, str]] = field(default_factory=list)
    """Paths that could not be listed or are no files, with the reason."""
    unjudged: int = 0
    """Conversations without an evaluation."""


_Entries = Sequence[os.DirEntry[str]]
_Note = Callable[[_Entries, str, Listing], None]


def list_evaluations(root: str, *, marks: bool) -> Listing:
    """Find every evaluation below a folder. Hidden folders and links to folders are not entered."""
    listing = Listing()
    note = _note_marks if marks else _note_files
    below = [""]
    while below:
        prefix = below.pop()
        try:
            below += _list_folder(root, prefix, listing, note)
        except FileNotFoundError:  # removed meanwhile
            continue
        except OSError as exc:
            listing.unusable.append((prefix, f"cannot be listed: {exc.strerror}"))
    return listing


def _list_folder(root: str, prefix: str, listing: Listing, note: _Note) -> list[str]:
    """Note the evaluations of one folder; return the folders below it, each ending in a slash."""
    below: list[str] = []
    found: list[os.DirEntry[str]] = []
    conversations: list[str] = []
    # Names relative to an open folder save the kernel the long way to each file.
    folder = os.open(f"{root}/{prefix}", os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if entry.is_dir(follow_symlinks=False):  # a model may be called evaluation__x.json
                    if not name.startswith("."):
                        below.append(f"{prefix}{name}/")
                elif name.startswith((PREFIX, BESIDE)) and name.endswith(ENDING):
                    found.append(entry)
                elif name.startswith(_CONVERSATION) and name.endswith(ENDING):
                    conversations.append(name[len(_CONVERSATION) :])
        note(found, prefix, listing)
    finally:
        os.close(folder)
    tails = [entry.name.removeprefix(PREFIX) for entry in found]
    listing.unjudged += len(set(conversations).difference(tails))
    return below


def _note_files(found: _Entries, prefix: str, listing: Listing) -> None:
    listing.files += [prefix + entry.name for entry in _usable(found, prefix, listing)]


def _note_marks(found: _Entries, prefix: str, listing: Listing) -> None:
    usable = _usable(found, prefix, listing)
    try:
        listing.marks += [mark_of(entry.stat()) for entry in usable]
        listing.files += [prefix + entry.name for entry in usable]
    except OSError:  # one of them was removed meanwhile, or cannot be reached: each by itself
        del listing.marks[len(listing.files) :]
        for entry in usable:
            try:
                listing.marks.append(mark_of(entry.stat()))
                listing.files.append(prefix + entry.name)
            except FileNotFoundError:
                continue
            except OSError as exc:
                listing.unusable.append((prefix + entry.name, f"cannot be read: {exc.strerror}"))


def _usable(found: _Entries, prefix: str, listing: Listing) -> _Entries:
    """The entries that are files with a proper name; the others are noted as unusable."""
    with suppress(OSError, UnicodeEncodeError):
        "".join([prefix, *[entry.name for entry in found]]).encode()
        if all(map(os.DirEntry.is_file, found)):
            return found
    reasons = [_oddity(entry, prefix) for entry in found]
    listing.unusable += [(prefix + e.name, why) for e, why in zip(found, reasons, strict=True) if why]
    return [entry for entry, why in zip(found, reasons, strict=True) if not why]


def _oddity(entry: os.DirEntry[str], prefix: str) -> str:
    """Why an entry cannot be an evaluation in spite of its name, or ""."""
    try:
        (prefix + entry.name).encode()
        usable = entry.is_file()
    except UnicodeEncodeError:
        return "its path is not valid UTF-8; rename it"
    except OSError as exc:
        return f"cannot be read: {exc.strerror}"
    return "" if usable else "is not a file, or a link that leads nowhere; remove it"


# ---- The bytes of many small files, each with the marks it had before it was read.
# What matters for files that are in memory is the number of system calls and their length: a folder is
# opened once, a file by its short name, and one call reads it. Threads would only get in each other's way.
# Where the disk has to be waited for, threads read ahead, and wait together.

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
