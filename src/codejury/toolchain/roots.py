"""What of this machine a Julia reads when it runs: all that a sandbox has to show it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from ..errors import ToolchainError
from .facts import Facts

# Where packages lie in a depot. Beside them a depot has logs, registries and access tokens.
_PACKAGE_FOLDERS = ("packages", "artifacts", "compiled", "environments")
_MOST_HOPS = 40  # as many as Linux follows
LOADER_CACHE: Final = Path("/etc/ld.so.cache")
"""Where the loader looks up a library that is opened by its bare name."""
_LIBRARY = re.compile(r"^\s+(?:\S+ => )?(/.+?) \(0x[0-9a-f]+\)$", re.MULTILINE)


def julia_roots(facts: Facts) -> list[Path]:
    """Its own folders, and every library it loads, the loader included.

    Libraries come from two lists: what its files are linked with, as `ldd` says, and what it has opened by
    name, as it says itself. Neither is complete: `ldd` sees no `dlopen`, and Julia names what it found today.
    """
    folders = facts.paths("folder")
    private = {path for folder in folders for path in folder.glob("*.so*")}
    linked = _libraries([facts.executable, facts.image, *sorted(private)], facts.variables)
    own = [facts.executable, facts.image.parent, *folders, *_used(facts, linked)]
    libraries = _by_all_names({*linked, *facts.paths("library")})
    inside = {*private, *libraries, *_entries(facts.paths("stdlib"))}
    system = [LOADER_CACHE, *libraries, *_targets(inside, own)]
    return topmost(path for path in (*own, *system) if path.exists())


def _by_all_names(libraries: set[Path]) -> set[Path]:
    """The same, and the links beside them that lead to them.

    Julia opens `libcholmod` after `libcholmod.so.5`; the loader sees that it has the file already, and no
    list tells of the second name.
    """
    real = {os.path.realpath(path) for path in libraries}
    beside = _entries({path.parent for path in libraries})
    links = (path for path in beside if ".so" in path.name and path.is_symlink())
    return libraries | {path for path in links if os.path.realpath(path) in real}


def _entries(folders: Iterable[Path]) -> Iterator[Path]:
    readable = (folder for folder in folders if folder.is_dir() and os.access(folder, os.R_OK))
    return (path for folder in readable for path in folder.iterdir())


def _targets(paths: Iterable[Path], folders: Sequence[Path]) -> Iterator[Path]:
    """Where links lead that lie in a folder which is shown whole: shown, they are links still.

    A distribution's Julia links from its private folder to libraries of the system; one that runs where it
    was built links from the folder of its standard libraries to their sources.
    """
    for path in paths:
        if path.is_symlink() and any(path.is_relative_to(folder) for folder in folders):
            yield from _hops(path)


def _hops(link: Path) -> Iterator[Path]:
    for _ in range(_MOST_HOPS):
        if not link.is_symlink():
            return
        link = link.parent / link.readlink()
        yield link


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
