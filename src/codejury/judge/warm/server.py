"""The process that keeps sandboxes warm: `python -m codejury.judge.warm.server`, started by `client.py`.

accept -> one thread for each command -> a free sandbox, or a new one -> the reply

It ends when it has been idle for some minutes, when it is told to, and when its socket is gone.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from ...errors import CodejuryError
from ...records import Execution, Job, Packages
from ...settings import Settings
from ..sandbox.factory import SandboxFactory
from ..sandbox.protocol import Sandbox
from .messages import Facts, RequestKind, ServerLine, ServerReply, ServerRequest, ServerStatus
from .place import ServerFiles, fingerprint

TICK: Final = 0.25
"""Seconds between two looks whether the command that waits is still there, or whether it is time to end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """What the process is started with, on its stdin."""

    folder: Path
    fingerprint: str
    listener: int
    """The descriptor of its socket."""
    lock: int
    """The descriptor of its lock, which the kernel frees when the process ends."""
    settings: Settings
    packages: Packages
    allow_unsafe: bool


class Sandboxes:
    """Warm ones, lent for one candidate each. Safe to use from many threads."""

    def __init__(self, factory: SandboxFactory, most: int) -> None:
        self._factory = factory
        self._most = most
        self._free: list[Sandbox] = []
        self._all: list[Sandbox] = []
        self._starting = 0
        self._changed = threading.Condition()
        self.facts: Facts | None = None

    def __len__(self) -> int:
        return len(self._all)

    @contextmanager
    def lent(self) -> Iterator[Sandbox]:
        """A sandbox that is given back unless the block fails: what it is doing is unknown then."""
        sandbox = self._take()
        try:
            yield sandbox
        except BaseException:
            self._drop(sandbox)
            raise
        with self._changed:
            self._free.append(sandbox)
            self._changed.notify()

    def close(self) -> None:
        self._factory.cancel()
        for sandbox in list(self._all):
            sandbox.close()
        self._factory.close()

    def _take(self) -> Sandbox:
        with self._changed:
            while not self._free and len(self._all) + self._starting >= self._most:
                self._changed.wait()
            if self._free:
                return self._free.pop()
            self._starting += 1
        try:
            sandbox = self._factory()
        finally:
            with self._changed:
                self._starting -= 1
                self._changed.notify()
        with self._changed:
            self._all.append(sandbox)
        self.facts = Facts(
            level=sandbox.level,
            julia_version=sandbox.julia_version,
            packages=dict(getattr(sandbox, "packages", {})),
            note=self._factory.note,
        )
        return sandbox

    def _drop(self, sandbox: Sandbox) -> None:
        with self._changed:
            self._all.remove(sandbox)
            self._changed.notify()
        sandbox.close()


class Server:
    """Serves commands until it is idle for too long, or told to stop."""

    def __init__(self, listener: socket.socket, sandboxes: Sandboxes, config: ServerConfig) -> None:
        self._listener = listener
        self._sandboxes = sandboxes
        self._config = config
        self._place = ServerFiles(config.folder, config.fingerprint)
        self._began = self._used = time.monotonic()
        self._commands = 0
        self._judged = 0
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._runners = ThreadPoolExecutor(thread_name_prefix="codejury-run")

    def serve(self) -> None:
        self._listener.settimeout(TICK)
        while not self._over.is_set() and not self._is_superfluous():
            with suppress(TimeoutError):
                end, _ = self._listener.accept()
                threading.Thread(target=self._attend, args=[end], daemon=True).start()

    def stop(self) -> None:
        self._over.set()

    def _is_superfluous(self) -> bool:
        with self._lock:
            idle = 0.0 if self._commands else time.monotonic() - self._used
        return idle > 60 * self._config.settings.warm_minutes or not self._place.socket.exists()

    def _attend(self, end: socket.socket) -> None:
        """Answer one command, whatever it asks, until it hangs up."""
        with suppress(OSError, EOFError, ValueError), ExitStack() as stack:
            line = ServerLine(end)
            stack.callback(line.close)
            request = line.receive(ServerRequest)
            if request.ask in (RequestKind.STATUS, RequestKind.STOP):  # somebody who looks is no command
                line.send(ServerReply(status=self._status()))
                if request.ask is RequestKind.STOP:
                    self.stop()
                return
            stack.enter_context(self._counted())
            while True:
                line.send(self._reply(request, line))
                request = line.receive(ServerRequest)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            self._commands += 1
        try:
            yield
        finally:
            with self._lock:
                self._commands -= 1
                self._used = time.monotonic()

    def _reply(self, request: ServerRequest, line: ServerLine) -> ServerReply:
        """An error is no verdict: the command asks a judge of its own then."""
        try:
            if request.job is None:
                return ServerReply(facts=self._facts())
            return ServerReply(execution=self._execute(request.job, line))
        except CodejuryError as error:
            return ServerReply(error=str(error) or type(error).__name__)

    def _facts(self) -> Facts:
        if self._sandboxes.facts is None:
            with self._sandboxes.lent():
                pass
        assert self._sandboxes.facts is not None
        return self._sandboxes.facts

    def _execute(self, job: Job, line: ServerLine) -> Execution:
        """Run a candidate for as long as somebody waits for it. EOFError if nobody does any more."""
        with self._sandboxes.lent() as sandbox:
            running = self._runners.submit(sandbox.execute, job)
            while True:
                with suppress(TimeoutError):
                    execution = running.result(TICK)
                    break
                if not line.is_open():
                    raise EOFError
        with self._lock:
            self._judged += 1
        return execution

    def _status(self) -> ServerStatus:
        now = time.monotonic()
        with self._lock:
            return ServerStatus(
                pid=os.getpid(),
                up_seconds=now - self._began,
                idle_seconds=0.0 if self._commands else now - self._used,
                minutes=self._config.settings.warm_minutes,
                busy=self._commands > 0,
                sandboxes=len(self._sandboxes),
                judged=self._judged,
                facts=self._sandboxes.facts,
                names=self._config.packages.names,
            )


def main() -> None:
    """Serve as the configuration on stdin says, unless what it was made for has changed meanwhile."""
    config = msgspec.json.decode(
        sys.stdin.buffer.read(), type=ServerConfig, dec_hook=lambda kind, value: kind(value)
    )
    place = ServerFiles(config.folder, config.fingerprint)
    factory = SandboxFactory(
        allow_unsafe=config.allow_unsafe, packages=config.packages, settings=config.settings
    )
    if fingerprint(factory.decision, config.packages, config.settings) != config.fingerprint:
        factory.close()
        place.remove()
        return
    for descriptor in (config.listener, config.lock):
        os.set_inheritable(descriptor, False)
    with socket.socket(fileno=config.listener) as listener:
        sandboxes = Sandboxes(factory, most=len(os.sched_getaffinity(0)))
        server = Server(listener, sandboxes, config)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: server.stop())
        try:
            server.serve()
        finally:
            place.socket.unlink(missing_ok=True)  # no command can connect any more, and then all ends
            sandboxes.close()
            place.remove()
    os._exit(0)  # threads of commands that are still connected wait for nothing


if __name__ == "__main__":
    main()
