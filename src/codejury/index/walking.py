"""The evaluation files below a folder, and the marks by which a change of one is seen.

A file is taken for unchanged while its path, size and both times are: `mtime`, when its content was
written, and `ctime`, which nobody can set back, so that a file restored with an old date is seen too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import polars as pl

PREFIX: Final = "evaluation__"
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
                elif name.startswith(PREFIX) and name.endswith(ENDING):
                    found.append(entry)
                elif name.startswith(_CONVERSATION) and name.endswith(ENDING):
                    conversations.append(name[len(_CONVERSATION) :])
        note(found, prefix, listing)
    finally:
        os.close(folder)
    tails = [entry.name[len(PREFIX) :] for entry in found]
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
