"""What changed since the last build: by the names, sizes and times of files, before any of them is read.

stamps          of all stored answers and definitions below folders
fingerprint     of folders, from those stamps
program_mark    of Codejury itself: another program makes other pages of the same answers
content_mark    of what a page is made from
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

_PACKAGE: Final = Path(__file__).parents[2]
_DRAWING: Final = ("altair", "vl-convert-python")
_SOURCES: Final = (".py", ".html", ".xml", ".js", ".css", ".svg")
_STORED: Final = (".json", "definition.toml")


Stamps = Mapping[str, tuple[int, int, int]]
"""By path: the size of a file, and both of its times."""


def stamps(folders: Sequence[Path], endings: tuple[str, ...] = _STORED) -> Stamps:
    """Of all stored answers and definitions."""
    found: dict[str, tuple[int, int, int]] = {}
    waiting = [str(folder) for folder in folders]
    while waiting:  # no recursion: handing up tens of thousands of files takes as long as finding them
        _look_into(waiting.pop(), endings, found, waiting)
    return found


def fingerprint(folders: Sequence[Path], endings: tuple[str, ...] = _STORED) -> str:
    """Of the names, sizes and times of all stored answers and definitions."""
    return fingerprint_of(stamps(folders, endings))


def fingerprint_of(found: Stamps) -> str:
    lines = (f"{path}\0{stamp}\n" for path, stamp in sorted(found.items()))
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _look_into(
    folder: str, endings: tuple[str, ...], found: dict[str, tuple[int, int, int]], waiting: list[str]
) -> None:
    """With both times: nobody can set back `ctime`, so a file restored with an old date is seen too."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            waiting.append(entry.path)
        elif entry.name.endswith(endings):
            try:
                status = entry.stat()
            except OSError:
                continue  # it went away between two looks
            found[entry.path] = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@cache
def program_mark() -> str:
    """Of the files of this program, and of what draws its pictures."""
    drawing = [_version(name) for name in _DRAWING]
    return hashlib.sha256(f"{fingerprint([_PACKAGE], _SOURCES)}{drawing}".encode()).hexdigest()[:32]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def content_mark(*parts: Any) -> str:
    """Of plain values. Equal ones may get another mark now and then, different ones never the same."""
    return hashlib.sha256(pickle.dumps((program_mark(), parts), protocol=5)).hexdigest()[:32]
