"""Where the socket of a warm judge lies, and the fingerprint that it is named after.

<runtime folder>/codejury-<user>/   the user's own, closed to others
├── <fingerprint>.socket
└── <fingerprint>.lock              held by the server as long as it lives; says which process that is

The fingerprint is made of all that decides verdicts, so a judge that could decide otherwise is not found:
not one of older code, of another Julia, of less isolation, of other packages, of other limits of the shell.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import resource
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...records import Packages
from ...settings import Settings
from ..sandbox.factory import Decision

_CODE: Final = Path(__file__).parents[2]
_SUFFIXES: Final = (".py", ".jl")
_NAMESPACES: Final = ("cgroup", "ipc", "mnt", "net", "pid", "user")
_SOCKET: Final = ".socket"


@dataclass(frozen=True, slots=True)
class ServerFiles:
    """The files of one server."""

    folder: Path
    fingerprint: str

    @property
    def socket(self) -> Path:
        return self.folder / f"{self.fingerprint}{_SOCKET}"

    @property
    def lock(self) -> Path:
        return self.folder / f"{self.fingerprint}.lock"

    def remove(self) -> None:
        """By who holds the lock: the server is gone, or about to go."""
        self.socket.unlink(missing_ok=True)
        self.lock.unlink(missing_ok=True)

    @contextmanager
    def address(self) -> Iterator[str]:
        """The socket's path, short enough for the kernel however deep the folder lies."""
        descriptor = os.open(self.folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            yield f"/proc/self/fd/{descriptor}/{self.socket.name}"
        finally:
            os.close(descriptor)


def own_folder(settings: Settings) -> Path:
    """The folder for sockets, made where it is missing. OSError if there is none that is ours alone."""
    above = settings.runtime
    # It can be that of whoever called sudo.
    if above is None or not above.is_dir() or above.stat().st_uid != os.geteuid():
        above = settings.cache
        above.mkdir(parents=True, exist_ok=True)
    folder = above / f"codejury-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
        raise PermissionError(f"{folder} is not closed to others")
    return folder


@contextmanager
def held(place: ServerFiles) -> Iterator[int | None]:
    """The lock of a server that is to be started, or that is no more; None while another process has it."""
    descriptor = os.open(place.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            ours = os.fstat(descriptor).st_ino == place.lock.stat().st_ino  # nobody removed it meanwhile
        except (BlockingIOError, FileNotFoundError):
            ours = False
        yield descriptor if ours else None
    finally:
        os.close(descriptor)


def all_places(folder: Path) -> list[ServerFiles]:
    """Those of all servers, alive or not, the one that started last at the end."""
    began = {}
    for path in folder.glob(f"*{_SOCKET}"):
        with suppress(FileNotFoundError):  # it has just ended
            began[path] = path.stat().st_mtime
    return [
        ServerFiles(folder, path.name.removesuffix(_SOCKET)) for path in sorted(began, key=began.__getitem__)
    ]


def fingerprint(decision: Decision, packages: Packages, settings: Settings) -> str:
    """A name for all that decides verdicts."""
    told = hashlib.sha256()
    for file in _source_files():
        content = file.read_bytes()
        told.update(f"{file} {len(content)}\n".encode())
        told.update(content)
    for fact in _facts(decision, packages, settings):
        told.update(f"{fact}\n".encode(errors="surrogateescape"))
    return told.hexdigest()[:32]


def _source_files() -> Iterable[Path]:
    return sorted(file for file in _CODE.rglob("*") if file.suffix in _SUFFIXES)


def _facts(decision: Decision, packages: Packages, settings: Settings) -> Iterator[object]:
    yield sys.version, sys.executable
    yield decision
    for program in (decision.julia.executable, decision.julia.launcher, decision.bubblewrap):
        yield _stamp(program)
    yield packages
    yield settings.cache, settings.sandbox, sorted(settings.julia_environment.items())
    # What a process inherits, and a sandbox inside it.
    yield os.getuid(), os.geteuid(), os.getegid(), sorted(os.getgroups())
    yield [Path("/proc/self/ns", name).stat().st_ino for name in _NAMESPACES]
    yield sorted(os.sched_getaffinity(0)), os.getpriority(os.PRIO_PROCESS, 0)
    limits = (name for name in dir(resource) if name.startswith("RLIMIT_"))
    yield [(name, resource.getrlimit(getattr(resource, name))) for name in sorted(limits)]


def _stamp(path: Path | None) -> tuple[int, ...]:
    """Changes with the file."""
    if path is None:
        return ()
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns
