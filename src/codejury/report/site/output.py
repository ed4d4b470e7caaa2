"""The folder of a site: files appear whole, unchanged ones stay, and those of an earlier build go.

A manifest lists what a build wrote. A folder with files and no manifest is somebody's own: refused.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from ...errors import InputError, WriteError
from ...files import overwrite

MANIFEST: Final = ".codejury-site.json"
# 1  first version
# 2  size and time of each file, marks of pages, and what the build was made from
MANIFEST_SCHEMA: Final = 2


class SiteFolder:
    """Where a site is written. `finish` removes what this build did not write or keep."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.written: dict[str, int] = {}
        """The size of each file of this build by its name."""
        self.changed = 0
        self._before = _manifest(folder)
        self._marks: dict[str, str] = {}

    def claim(self) -> None:
        """Mark the folder as a site's before the first page: a build that is stopped can be done again."""
        if not self._before:
            self.write(MANIFEST, json.dumps({"schema": MANIFEST_SCHEMA}))
            self.written, self.changed = {}, 0

    @property
    def shards_before(self) -> Mapping[str, Any]:
        """What the last build noted about its shards."""
        return self._noted("shards")

    def _noted(self, name: str) -> Mapping[str, Any]:
        """A table of the last build's manifest, which is a file that anybody can change."""
        found = self._before.get(name, {})
        return found if isinstance(found, dict) else {}

    def unchanged_since(self, mark: str) -> Mapping[str, Any] | None:
        """What the last build noted about itself, if it had this mark and all files are as it left them."""
        made = self._noted("made")
        files = self._noted("files")
        if not mark or made.get("mark") != mark or not files:
            return None
        return made if all(self._as_left(name) for name in files) else None

    def _as_left(self, name: str) -> bool:
        return _stamp(self.folder / name) == self._noted("files").get(name)

    def write_page(self, name: str, mark: str, make: Callable[[], str]) -> None:
        """Make and write a page, unless the last build made it of the same: what is alike has one mark."""
        self._marks[name] = mark
        if self._noted("pages").get(name) == mark and self._as_left(name) and self.keep(name):
            return
        self.write(name, make())

    def write(self, name: str, data: str | bytes) -> bool:
        """Write a file unless it is there with the same content; whether it was written."""
        # A page may name a file whose name is not UTF-8; it is shown as in a terminal: caf\udce9.
        content = data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data
        path = self.folder / name
        self.written[name] = len(content)
        if _holds(path, content):
            return False
        self.changed += 1
        path.parent.mkdir(parents=True, exist_ok=True)
        overwrite(path, content)
        return True

    def read(self, name: str) -> str:
        """A file of this build or the last, or ""."""
        try:
            return (self.folder / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return ""

    def keep(self, name: str) -> bool:
        """Take over a file of the last build as it is; False if it is gone."""
        try:
            self.written[name] = (self.folder / name).stat().st_size
        except OSError:
            return False
        return True

    def note(self, name: str, size: int) -> None:
        """Tell of a file that another process wrote."""
        self.written[name] = size
        self.changed += 1

    def finish(self, shards: Mapping[str, Any], made: Mapping[str, Any] | None = None) -> None:
        """Write the manifest, and remove files of earlier builds that are no more part of the site.

        `made` is what the next build wants to know about this one.
        """
        for name in self._noted("files"):
            if name not in self.written:
                self._remove(name)
        manifest = {
            "schema": MANIFEST_SCHEMA,
            "files": {name: _stamp(self.folder / name) for name in sorted(self.written)},
            "pages": self._marks,
            "shards": shards,
            "made": made or {},
        }
        files = dict(self.written)
        self.write(MANIFEST, json.dumps(manifest))
        self.written = files

    def _remove(self, name: str) -> None:
        """Only what lies below the folder: a manifest is a file, and files can be forged."""
        path = self.folder / name
        if not path.resolve().is_relative_to(self.folder.resolve()):
            return
        with suppress(OSError):
            path.unlink()
            path.parent.rmdir()  # succeeds when it was the last one


def _stamp(path: Path) -> list[int] | None:
    """Size and time of a file; None if it is not there."""
    try:
        status = path.stat()
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns]


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False


def _manifest(folder: Path) -> dict[str, Any]:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; name another folder for the site with --output")
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        if folder.is_dir() and any(folder.iterdir()):
            raise InputError(
                f"{folder}: holds files that are not of a site built by codejury; "
                "name a new or empty folder with --output"
            ) from None
        return {}
    except (OSError, ValueError):
        return {}
    known = isinstance(manifest, dict) and manifest.get("schema") == MANIFEST_SCHEMA
    return manifest if known else {}


# ---- A build that fails leaves the old site whole: pages are written beside it, and swapped in at the end


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
