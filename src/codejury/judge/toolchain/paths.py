"""What lies where in the cache folder.

<cache>/
├── julia/<version>-<source>/julia     a complete installation; the name appears when it is complete
├── bubblewrap/<version>-<source>/bwrap
├── judge/<version>-<hash>/            the judge's Julia code, compiled in advance
├── packages/<version>-<hash>/         a suite's Julia packages, see environment.py
├── chosen-julia                       the path given to `codejury setup --julia`
├── index/                             what stored evaluations say, one file for each folder of results
├── chromium/                          a browser for the site's tests
├── notes/                             what was learned by running a Julia once
├── staging/                           unfinished installations; removed by the next one
└── install.lock
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...files import overwrite, take_lock


@dataclass(frozen=True, slots=True)
class Cache:
    """The cache folder and the names in it."""

    root: Path

    @property
    def julia(self) -> Path:
        return self.root / "julia"

    @property
    def bubblewrap(self) -> Path:
        return self.root / "bubblewrap"

    @property
    def judge(self) -> Path:
        return self.root / "judge"

    @property
    def packages(self) -> Path:
        return self.root / "packages"

    @property
    def chosen_julia(self) -> Path:
        return self.root / "chosen-julia"

    @property
    def notes(self) -> Path:
        return self.root / "notes"

    @property
    def staging(self) -> Path:
        return self.root / "staging"

    @property
    def lock(self) -> Path:
        return self.root / "install.lock"


def make_folder(folder: Path) -> Path:
    """Create a folder that other users can read, whatever the umask; parents too."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
    return folder


def write_atomically(path: Path, text: str) -> None:
    """A file that other users can read: candidates may run as one of them."""
    overwrite(path, text.encode(), mode=0o644)


def remove_tree(folder: Path) -> None:
    """Remove a folder if it is there."""
    shutil.rmtree(folder, ignore_errors=True)


def hold(folder: Path) -> int:
    """Keep an installation from being replaced, until the descriptor is closed or the process ends."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    with suppress(OSError):  # a file system without locks
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


def is_held(folder: Path) -> bool:
    """Whether somebody, in any process, holds an installation."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return not take_lock(descriptor)
    finally:
        os.close(descriptor)


def closed_to_others(path: Path) -> bool:
    """Whether other users cannot read this file, or enter this folder. What lies above it does not count."""
    mode = path.stat().st_mode
    needed = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
    return mode & needed != needed
