"""Folders of the host that candidates write to: made, emptied, and removed, also after a killed process."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Final

PREFIX: Final = "codejury-scratch-"
INNER: Final = "scratch"
NEWBORN_SECONDS: Final = 60.0
"""Younger folders are let be: their owner may be about to lock them."""


class HostScratch:
    """A folder for candidates, locked by its owner: one without a lock was left by a killed process."""

    def __init__(self) -> None:
        sweep_up()
        self._outer = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock = _lock(self._outer)
        # Whoever runs the candidate can write to the inner one; nobody else can list what lies around it.
        self._outer.chmod(0o711)
        self.folder = self._outer / INNER
        self.folder.mkdir()
        self.folder.chmod(0o777)

    def close(self) -> None:
        """Remove it with all that is in it."""
        _remove(self._outer)
        os.close(self._lock)


def sweep_up() -> None:
    """Remove the folders of processes of ours that were killed before they could do it themselves."""
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            if not _looks_left(left):
                continue
            lock = _lock(left)
        except OSError:
            continue  # no folder, gone meanwhile, or its owner lives
        _remove(left)
        os.close(lock)


def _looks_left(folder: Path) -> bool:
    """Whether it is ours by its owner and by what is in it: a folder of the user's may bear any name."""
    facts = folder.lstat()
    is_old = facts.st_mtime < time.time() - NEWBORN_SECONDS
    holds = {inner.name for inner in folder.iterdir()}
    return facts.st_uid == os.geteuid() and is_old and holds <= {INNER}


def empty_folder(folder: Path) -> None:
    """Remove all that is in it, also what was made unreadable; never follows a link out of it."""
    for left in folder.iterdir():
        if left.is_dir() and not left.is_symlink():
            for inner in (left, *left.rglob("*")):
                if inner.is_dir() and not inner.is_symlink():
                    inner.chmod(0o700)
            shutil.rmtree(left)
        else:
            left.unlink()


def _lock(folder: Path) -> int:
    """A descriptor that holds the folder's lock until it is closed, as it is when its process ends."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _remove(folder: Path) -> None:
    try:
        empty_folder(folder)
        folder.rmdir()
    except OSError:
        pass  # what cannot be removed is no reason to stop
