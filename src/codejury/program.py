"""How Codejury was started: messages name commands that can be typed where they are read.

codejury setup                 it is found in PATH
.venv/bin/codejury setup       it is not: by its path
uvx codejury setup             its path is gone tomorrow, so by what made it
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

NAME: Final = "codejury"

_PASSING: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("uv", "archive-v0"): ("uvx", NAME),
    ("pipx", ".cache"): ("pipx", "run", NAME),
    (".cache", "pipx"): ("pipx", "run", NAME),
}
"""Folders, one below the other, in which a tool keeps environments that it removes by itself."""

_words: list[str] = [NAME]


def command(*words: str) -> str:
    """A command line of Codejury, quoted for a shell: `codejury validate 'my cases'`."""
    return shlex.join([*_words, *words])


def started_as(program: str, search_path: str) -> None:
    """Remember the name that the shell started this process by."""
    _words[:] = start_words(program, search_path)


def start_words(program: str, search_path: str) -> list[str]:
    """What to type to start the same program again."""
    path = Path(program)
    if path.name == "__main__.py":
        return ["python", "-m", NAME]
    for folders, words in _PASSING.items():
        if folders in zip(path.parts, path.parts[1:], strict=False):
            return list(words)
    if not path.is_file():  # a program of somebody else's, in which this is a part
        return [NAME]
    found = shutil.which(path.name, path=search_path)
    if found and Path(found).samefile(path):
        return [path.name]
    here = Path.cwd()
    return [str(path.relative_to(here) if path.is_relative_to(here) else path)]
