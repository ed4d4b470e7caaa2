"""Sandboxes that a warm judge holds, for commands with few candidates: the next one need not start Julia.

connect -> a server of this fingerprint, else start one -> WarmSandbox
        -> where that fails in any way: a sandbox of our own, as without a server

A server that is lost in the middle of a candidate costs that candidate a second try, in a sandbox of our own.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec

from ...errors import SandboxError
from ...records import Execution, Job, Packages
from ...settings import Settings, bare_environment, load_settings
from ..sandbox.factory import SandboxFactory
from ..sandbox.protocol import Sandbox
from .messages import Facts, RequestKind, ServerLine, ServerReply, ServerRequest, ServerStatus
from .place import ServerFiles, all_places, fingerprint, held, own_folder
from .server import ServerConfig

HIDDEN_SOCKETS: Final = ("L3", "L2.5")
"""Where candidates have a file system of their own; elsewhere they could connect to the server's socket."""
MOST_SERVERS: Final = 3
"""Each holds some hundred megabytes. The oldest ones that are idle end when another starts."""
PATIENCE: Final = 5.0
"""Seconds for a server to say how it is, to end, or to make room for another of its kind."""
START_SECONDS: Final = 180.0
"""For Julia to start: this only ends a start that hangs."""
_LOST: Final = (OSError, EOFError, ValueError)
"""What a connection fails with: no server, no right to connect, a message that makes no sense."""

_started: Final[list[subprocess.Popen[bytes]]] = []
"""They live on; this process never waits for them."""


class WarmFactory:
    """Makes sandboxes of a warm judge, or of our own. Safe to call from threads."""

    def __init__(self, *, allow_unsafe: bool, packages: Packages, settings: Settings) -> None:
        # A server lives on: it gets neither the names of keys nor a proxy's password.
        self._settings = replace(settings, api_keys=(), download_environment={})
        self._packages = packages
        self._allow_unsafe = allow_unsafe
        self._own = SandboxFactory(allow_unsafe=allow_unsafe, packages=packages, settings=settings)
        self._lines: list[ServerLine] = []
        self._lock = threading.Lock()
        self._facts: Facts | None = None

    def __call__(self) -> Sandbox:
        if not self._settings.sandbox and self._own.decision.level in HIDDEN_SOCKETS:
            with suppress(*_LOST):
                return self._warm()
        return self._own()

    @property
    def note(self) -> str:
        """Why the fork server is not used, where it is not."""
        return self._own.note or (self._facts.note if self._facts else "")

    def cancel(self) -> None:
        """Give up sandboxes that are still starting."""
        self._own.cancel()
        for line in self._lines:
            line.hang_up()

    def close(self) -> None:
        self._own.close()
        for line in self._lines:
            line.close()
        self._lines.clear()

    def _warm(self) -> Sandbox:
        with self._lock:  # a server is started once, and not by each thread
            line = self._connect()
            self._lines.append(line)
        line.send(ServerRequest(ask=RequestKind.FACTS))
        facts = line.receive(ServerReply, START_SECONDS).facts
        if facts is None:
            raise ConnectionAbortedError("the server cannot judge")
        self._facts = facts
        return WarmSandbox(line, facts, self._own)

    def _connect(self) -> ServerLine:
        settings, packages = self._settings, self._packages
        place = ServerFiles(own_folder(settings), fingerprint(self._own.decision, packages, settings))
        deadline = time.monotonic() + PATIENCE
        while True:
            with suppress(FileNotFoundError, ConnectionRefusedError):
                return ServerLine(_dial(place))
            with held(place) as lock:
                if lock is not None:
                    _make_room(place)
                    return self._start(place, lock)
            if time.monotonic() > deadline:
                raise TimeoutError(f"{place.lock} is held, and no server answers")
            time.sleep(0.02)  # another command is starting it

    def _start(self, place: ServerFiles, lock: int) -> ServerLine:
        """A server whose socket is ours to connect to at once; it answers when it is ready."""
        place.socket.unlink(missing_ok=True)  # of one that was killed
        with socket.socket(socket.AF_UNIX) as listener:
            with place.address() as address:
                listener.bind(address)
            listener.listen()
            config = ServerConfig(
                folder=place.folder,
                fingerprint=place.fingerprint,
                listener=listener.fileno(),
                lock=lock,
                settings=self._settings,
                packages=self._packages,
                allow_unsafe=self._allow_unsafe,
            )
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", f"{__package__}.server"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=bare_environment(),
                start_new_session=True,
                pass_fds=(listener.fileno(), lock),
            )
        _started.append(process)
        assert process.stdin is not None
        with process.stdin as pipe:
            pipe.write(msgspec.json.encode(config, enc_hook=str))
        os.pwrite(lock, f"{process.pid}\n".encode(), 0)
        return ServerLine(_dial(place))


class WarmSandbox:
    """A sandbox that a server holds, and one of our own once that is lost. Not safe to share."""

    def __init__(self, line: ServerLine, facts: Facts, make_own: SandboxFactory) -> None:
        self._line = line
        self._make_own = make_own
        self._own: Sandbox | None = None
        self._closed = False
        self.level = facts.level
        self.julia_version = facts.julia_version
        self.packages = facts.packages

    def execute(self, job: Job) -> Execution:
        """Run one candidate; see `Sandbox.execute`."""
        if self._own is None:
            with suppress(*_LOST):
                self._line.send(ServerRequest(ask=RequestKind.EXECUTE, job=job))
                if execution := self._line.receive(ServerReply).execution:
                    return execution
            if self._closed:
                raise SandboxError("this sandbox is closed")
            self._own = self._make_own()
        return self._own.execute(job)

    def close(self) -> None:
        """The server's sandbox stays warm; safe to call twice."""
        self._closed = True
        self._line.hang_up()
        if self._own is not None:
            self._own.close()


# ---- All servers of this user, whatever they were started for.


def servers(settings: Settings | None = None) -> list[ServerStatus]:
    """Those that answer."""
    return [status for _, status in _answering(_places(settings))]


def stop_servers(settings: Settings | None = None) -> list[int]:
    """End all of them, and wait until they are gone; their process ids."""
    ended = []
    for place in _places(settings):
        pid = 0
        with suppress(*_LOST):
            pid = _ask(place, RequestKind.STOP).pid
        ended.append(_await_end(place) or pid)
    return [pid for pid in ended if pid]


def _places(settings: Settings | None) -> list[ServerFiles]:
    try:
        return all_places(own_folder(settings or load_settings()))
    except OSError:
        return []


def _answering(places: list[ServerFiles]) -> Iterator[tuple[ServerFiles, ServerStatus]]:
    for place in places:
        with suppress(*_LOST):
            yield place, _ask(place, RequestKind.STATUS)


def _make_room(ours: ServerFiles) -> None:
    """Clear away after servers that were killed, and end idle ones if there are too many."""
    others = [place for place in all_places(ours.folder) if place != ours]
    for place in others:
        with held(place) as lock:
            if lock is not None:
                place.remove()
    idle = [place for place, status in _answering(others) if not status.busy]
    for place in idle[: max(0, len(others) + 1 - MOST_SERVERS)]:
        with suppress(*_LOST):
            _ask(place, RequestKind.STOP)


def _ask(place: ServerFiles, ask: RequestKind) -> ServerStatus:
    with closing(ServerLine(_dial(place))) as line:
        line.send(ServerRequest(ask=ask))
        status = line.receive(ServerReply, PATIENCE).status
    if status is None:
        raise ValueError("no status")
    return status


def _dial(place: ServerFiles) -> socket.socket:
    end = socket.socket(socket.AF_UNIX)
    try:
        with place.address() as address:
            end.connect(address)
    except OSError:
        end.close()
        raise
    return end


def _await_end(place: ServerFiles) -> int:
    """The process that held the lock, once it does no more: killed if it takes its time. 0 if none did."""
    deadline, pid = time.monotonic() + PATIENCE, 0
    while True:
        with held(place) as lock:
            if lock is not None:
                place.remove()
                return pid
        pid = pid or _holder(place.lock)
        if pid and time.monotonic() > deadline:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def _holder(lock: Path) -> int:
    try:
        return int(lock.read_text())
    except (OSError, ValueError):  # about to be written, or removed
        return 0
