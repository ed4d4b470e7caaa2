"""Files that appear whole or not at all, and are on the disk when the call returns; and locks.

create     a new name; FileExistsError if it is taken, so two writers never share one
replace    a name that exists; readers see the old file or the new one
overwrite  any name, whole as well, for what can be made again: it does not wait for the disk

`create` takes the best of three ways the file system offers:
  unnamed   a file without a name (O_TMPFILE), given its name when complete: nothing to clean up
  linked    a hidden file beside, hard-linked to its name
  reserved  for file systems without links: the name is held by a hidden marker during the rename
A process killed half-way in the last two, in `replace` or in `overwrite`, leaves a hidden file, which no
reader looks at and `remove_leftovers` removes.

Locks are the kernel's, on the folder or file that is shared: it frees them when their holder dies. The
library filelock was tried: it needs a file of its own for each lock, which would stay in every folder of
results, and takes 29 ms to load (fcntl: 0.2 ms).
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

PREFIX: Final = ".codejury-"
_OLD_SECONDS: Final = 3600.0

_NO_WAY = frozenset({
    errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL, errno.EISDIR, errno.EPERM, errno.EACCES,
    errno.EMLINK, errno.EXDEV, errno.ENOENT,  # ENOENT: no /proc to link from
})  # fmt: skip


class UnsupportedError(Exception):
    """The file system or the kernel cannot do it this way."""


def create(path: Path, data: bytes) -> None:
    """Make a new file; FileExistsError if the name is taken."""
    make_folders(path.parent)
    for way in (create_unnamed, create_linked):
        try:
            return way(path, data)
        except UnsupportedError:
            continue
    return create_reserved(path, data)


def replace(path: Path, data: bytes) -> None:
    """Put a new file in the place of an old one."""
    with _written_beside(path, data) as temporary:
        temporary.replace(path)
        sync_folder(path.parent)


def overwrite(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Write a file that is there or not, with these permissions if any are given."""
    temporary = path.with_name(f"{PREFIX}{secrets.token_hex(8)}")
    try:
        temporary.write_bytes(data)
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def create_unnamed(path: Path, data: bytes) -> None:
    """A file without a name until it is complete."""
    if not hasattr(os, "O_TMPFILE"):
        raise UnsupportedError("O_TMPFILE")
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with _unsupported_if_refused():
            file = os.open(".", os.O_TMPFILE | os.O_WRONLY, 0o666, dir_fd=folder)
        try:
            _write(file, data)
            with _unsupported_if_refused():
                # A folder's descriptor makes Python call linkat, which alone follows the link in /proc.
                os.link(f"/proc/self/fd/{file}", path.name, dst_dir_fd=folder, follow_symlinks=True)
        finally:
            os.close(file)
        try:
            _sync_names(folder)
        except OSError:
            with suppress(OSError):  # an error means that there is no such file: the caller tries elsewhere
                os.unlink(path.name, dir_fd=folder)
            raise
    finally:
        os.close(folder)


def create_linked(path: Path, data: bytes) -> None:
    """A hidden file beside, linked to its name when complete."""
    with _written_beside(path, data) as temporary:
        with _unsupported_if_refused():
            os.link(temporary, path)
        sync_folder(path.parent)


def create_reserved(path: Path, data: bytes) -> None:
    """A hidden marker holds the name while the file is renamed into place."""
    marker = path.with_name(f"{PREFIX}{path.name}.reserved")
    with _written_beside(path, data) as temporary:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        try:
            if path.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
            temporary.replace(path)
        finally:
            marker.unlink()
        sync_folder(path.parent)


def make_folders(folder: Path) -> None:
    """Make a folder and those above it, each on the disk before the next."""
    if folder.is_dir():
        return
    make_folders(folder.parent)
    with suppress(FileExistsError):  # another writer was faster
        folder.mkdir()
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        _sync_names(descriptor)
    finally:
        os.close(descriptor)


def _sync_names(folder: int) -> None:
    try:
        os.fsync(folder)
    except OSError as exc:
        if exc.errno != errno.EINVAL:  # some network file systems cannot, and need not
            raise


def remove_leftovers(root: Path, *, older_than: float = _OLD_SECONDS) -> int:
    """Remove hidden files of writers that were killed; young ones may belong to a living writer."""
    before = time.time() - older_than
    removed = 0
    for path in root.rglob(f"{PREFIX}*"):
        with suppress(FileNotFoundError):
            if path.lstat().st_mtime < before:
                path.unlink()
                removed += 1
    return removed


def take_lock(descriptor: int, *, wait: bool = False) -> bool:
    """Lock an open file or folder until it is closed; False if another has it, and this is not to wait.

    On a file system without locks everybody gets it.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """One writer in a folder at a time, whatever process it is in: the others wait."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        take_lock(descriptor, wait=True)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def locked(path: Path, *, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold a lock file; call `on_wait` once if another process holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        if not take_lock(descriptor):
            on_wait()
            take_lock(descriptor, wait=True)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _written_beside(path: Path, data: bytes) -> Iterator[Path]:
    """A complete hidden file in the same folder, gone afterwards unless it was moved."""
    temporary = path.with_name(f"{PREFIX}{secrets.token_hex(8)}")
    file = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    try:
        try:
            _write(file, data)
        finally:
            os.close(file)
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _write(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
    os.fsync(file)


@contextmanager
def _unsupported_if_refused() -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        if exc.errno in _NO_WAY:
            raise UnsupportedError(str(exc)) from exc
        raise
