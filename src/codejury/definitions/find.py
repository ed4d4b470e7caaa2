"""Which definitions there are: below folders, and in the suite that comes with Codejury."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError
from .files import FILE_NAME


def find_definitions(*roots: str | Path) -> list[Path]:
    """The definitions at or below each root, sorted within it, each once; the bundled suite without roots.

    Raises InputError for a root that does not exist or holds none: an empty exam passes everybody.
    """
    found: dict[Path, Path] = {}
    for root in map(Path, roots or (bundled_suite(),)):
        for file in _at_or_below(root):
            found.setdefault(file.resolve(), file)
    return list(found.values())


def _at_or_below(root: Path) -> list[Path]:
    if root.is_file():
        return [root]
    if not root.is_dir():
        raise InputError(f"{root}: there is no such file or folder")
    files = sorted(_walk(root))
    if not files:
        raise InputError(f"{root}: no {FILE_NAME} in this folder or below it")
    return files


def _walk(root: Path) -> Iterator[Path]:
    for folder, subfolders, files in os.walk(root):
        if FILE_NAME in files:
            yield Path(folder, FILE_NAME)
            subfolders.clear()  # below it are the stored answers of models, thousands of files
        subfolders[:] = [name for name in subfolders if not name.startswith(".")]


def bundled_suite() -> Path:
    """The folder `code_generation` that comes with Codejury: in the package, or beside `src`."""
    package = Path(__file__).parents[1]
    for home in (package, package.parents[1]):
        if (suite := home / "code_generation").is_dir():
            return suite
    raise InputError(f"{package}: the bundled test cases are missing; install codejury again")
