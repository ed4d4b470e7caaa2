"""A build that fails leaves the old site whole: pages are written beside it, and swapped in at the end."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import WriteError


@contextmanager
def built_beside(folder: Path) -> Iterator[Path]:
    """A folder with what is there now, to build on; it takes the place of the old one when all went well."""
    place = folder.resolve()
    if place.is_mount():  # it cannot be renamed
        with _errors_naming(folder):
            yield folder
        return
    beside = place.with_name(f".{place.name}.codejury-{os.getpid()}")
    with _errors_naming(folder):
        try:
            _copy(place, beside)
            yield beside
            _swap(place, beside)
        finally:
            shutil.rmtree(beside, ignore_errors=True)


def _copy(place: Path, beside: Path) -> None:
    """By links where the file system has them: files of a site are replaced, and never written into."""
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(beside, ignore_errors=True)
    if place.is_dir():
        shutil.copytree(place, beside, copy_function=_linked, symlinks=True)
    else:
        beside.mkdir()


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target)


def _swap(place: Path, beside: Path) -> None:
    old = place.with_name(f"{beside.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    with suppress(FileNotFoundError):
        place.rename(old)
    try:
        beside.rename(place)
    except OSError:
        old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _errors_naming(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise WriteError(
            f"{folder}: the site cannot be written: {error.strerror or error}{where}; "
            "what was there before is unchanged"
        ) from None
