"""What of this machine a Julia reads when it runs: all that a sandbox has to show it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..errors import ToolchainError
from .facts import Facts

# Where packages lie in a depot. Beside them a depot has logs, registries and access tokens.
_PACKAGE_FOLDERS = ("packages", "artifacts", "compiled", "environments")
_LIBRARY = re.compile(r"^\s+(?:\S+ => )?(/.+?) \(0x[0-9a-f]+\)$", re.MULTILINE)


def julia_roots(facts: Facts) -> list[Path]:
    """Its own folders, and every library it loads, the loader included."""
    folders = facts.paths("folder")
    private = {path for folder in folders for path in folder.glob("*.so*")}
    libraries = _libraries([facts.executable, facts.image, *sorted(private)], facts.variables)
    # A distribution's Julia links from its private folder to libraries of the system.
    linked = {path.parent / path.readlink() for path in private if path.is_symlink()}
    own = [facts.executable, facts.image.parent, *folders, *_used(facts, libraries)]
    system = [Path("/etc/ld.so.cache"), *libraries, *linked]
    return topmost(path for path in (*own, *system) if path.exists())


def package_roots(facts: Facts, depots: Sequence[Path]) -> Iterator[Path]:
    """Folders of the user's packages, and the files that name the environment in use."""
    yield from (depot / name for depot in depots for name in _PACKAGE_FOLDERS if (depot / name).is_dir())
    named = [*facts.paths("developed"), *facts.paths("environment")]
    yield from (path for path in named if path.exists())


def topmost(paths: Iterable[Path]) -> list[Path]:
    """Each path once, without those below another: {/a, /a/b, /c} -> [/a, /c]."""
    kept: list[Path] = []
    for path in sorted({Path(os.path.normpath(path)) for path in paths}):
        if not any(path.is_relative_to(other) for other in kept):
            kept.append(path)
    return kept


def _used(facts: Facts, libraries: Iterable[Path]) -> set[Path]:
    """The folders of LD_LIBRARY_PATH that something is loaded from."""
    searched = [Path(entry) for entry in facts.variables.get("LD_LIBRARY_PATH", "").split(":") if entry]
    parents = {library.parent for library in libraries}
    return {folder for folder in searched if folder in parents}


def _libraries(files: Sequence[Path], environment: Mapping[str, str]) -> set[Path]:
    """Every library that `files` load, as the loader itself resolves them."""
    try:
        listed = subprocess.run(
            ["ldd", *map(str, files)],
            env={**os.environ, **environment, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,  # it also fails for a file that loads nothing
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(f"ldd, which lists the libraries of Julia, cannot be run: {error}") from None
    return {Path(found) for found in _LIBRARY.findall(listed.stdout.decode(errors="replace"))}
