"""The folder of a site: files appear whole, unchanged ones stay, and those of an earlier build go.

A manifest lists what a build wrote. A folder with files and no manifest is somebody's own: refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from ..errors import InputError

MANIFEST: Final = ".codejury-site.json"
# 1  first version
MANIFEST_SCHEMA: Final = 1


class Output:
    """Where a site is written. `finish` removes what this build did not write or keep."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.written: dict[str, int] = {}
        """The size of each file of this build by its name."""
        self.changed = 0
        self._before = _manifest(folder)

    def claim(self) -> None:
        """Mark the folder as a site's before the first page: a build that is stopped can be done again."""
        if not self._before:
            self.write(MANIFEST, json.dumps({"schema": MANIFEST_SCHEMA, "files": [], "shards": {}}))
            self.written, self.changed = {}, 0

    @property
    def shards_before(self) -> Mapping[str, Any]:
        """What the last build noted about its shards."""
        shards = self._before.get("shards", {})
        return shards if isinstance(shards, dict) else {}

    def write(self, name: str, data: str | bytes) -> bool:
        """Write a file unless it is there with the same content; whether it was written."""
        content = data.encode() if isinstance(data, str) else data
        path = self.folder / name
        self.written[name] = len(content)
        if _holds(path, content):
            return False
        self.changed += 1
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            beside.write_bytes(content)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
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

    def finish(self, shards: Mapping[str, Any]) -> None:
        """Write the manifest, and remove files of earlier builds that are no more part of the site."""
        for name in self._before.get("files", []):
            if isinstance(name, str) and name not in self.written:
                self._remove(name)
        manifest = {"schema": MANIFEST_SCHEMA, "files": sorted(self.written), "shards": shards}
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
