"""One Julia process of ours and the conversation with it: start, run a job, kill, end."""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Final

from ...errors import SandboxError
from ...records import Limits
from .examiner import Examiner
from .run import OnFrame, Run, Task, ignore_frames
from .watch import KILL_SECONDS, Orders, Pipes, Watch, WatchAlone, WorkerLost
from .wire import KEY_BYTES, FrameReader, Item, as_text, decode, encode

if TYPE_CHECKING:
    from .referee import Referee

START_SECONDS: Final = 120.0
"""A cold machine loads and compiles for a while; this only ends a start that hangs."""
START_TICK_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How to start a Julia process of ours, sandbox included."""

    command: Sequence[str]
    environment: Mapping[str, str]
    descriptors: tuple[int, ...] = ()
    """Of ours that it inherits, under their numbers; negative ones are none."""


class Worker:
    """A running Julia process of ours. Not safe to share between threads."""

    def __init__(
        self,
        launch: Launch,
        settings: Sequence[Item],
        *,
        mode: str,
        cancelled: threading.Event | None = None,
    ) -> None:
        """Start, and wait until it is ready. SandboxError if that fails, or `cancelled` is set first."""
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._control, theirs = socket.socketpair()
        self._heard = bytearray()
        with theirs:
            self._process = _start(launch, mode, theirs, self._log)
        try:
            self._send(struct.pack("<I", len(payload := encode(settings))) + payload)
            self._await_reply(cancelled or threading.Event())
            ready = self._receive()
        except (OSError, WorkerLost) as error:
            self.kill()
            reason = self._last_words()
            self.close()
            raise SandboxError(f"Julia did not start in the sandbox: {reason}") from error
        self.julia_version, self.baseline_kb, self.can_fork = ready[1], int(ready[2]), ready[3] == "1"

    def run(
        self, task: Task, limits: Limits, on_frame: OnFrame = ignore_frames, referee: Referee | None = None
    ) -> Run:
        """Run one task. WorkerLost if the process died or hung meanwhile."""
        return self._run(Watch, task, limits, on_frame, referee)

    def run_alone(
        self, task: Task, limits: Limits, on_frame: OnFrame = ignore_frames, referee: Referee | None = None
    ) -> Run:
        """Run one task in the worker's own process, which ends with it; nobody inside can kill it for us."""
        return self._run(WatchAlone, task, limits, on_frame, referee)

    def _run(
        self, watch: type[Watch], task: Task, limits: Limits, on_frame: OnFrame, referee: Referee | None
    ) -> Run:
        key = secrets.token_bytes(KEY_BYTES)
        with contextlib.ExitStack() as stack:
            pipes = _send_job(self._control, key, task.payload, limits, stack)
            orders = Orders(pipes.orders)
            examiner = Examiner(task, referee, orders.send)
            stack.callback(examiner.close)
            return watch(self, FrameReader(key), pipes, orders, examiner, limits, on_frame).watch()

    def tell(self, requests: Iterable[Sequence[Item]], seconds: float) -> None:
        """Say something to a referee. WorkerLost if it does not listen."""
        self._control.settimeout(seconds)
        lists = [encode(request) for request in requests]
        self._send(b"".join(struct.pack("<I", len(payload)) + payload for payload in lists))

    def hear(self, seconds: float) -> list[bytes]:
        """What a referee says. WorkerLost if that is nothing in time."""
        self._control.settimeout(seconds)
        while not (ends := self._message_ends()):
            self._heard += self._receive_some(65536)
        message = bytes(self._heard[4:ends])
        del self._heard[:ends]
        return decode(message)

    def _message_ends(self) -> int:
        """Where the first message ends in what was heard; 0 if it has not come whole."""
        if len(self._heard) < 4:
            return 0
        ends: int = 4 + struct.unpack_from("<I", self._heard)[0]
        return ends if ends <= len(self._heard) else 0

    def compact(self, *, rehearse_toolbox: bool = False) -> None:
        """Make the server cheaper to fork, and its children quicker. WorkerLost if it dies of it."""
        self._send(b"T" if rehearse_toolbox else b"C")
        self._await_reply(threading.Event())
        self._receive()

    def order_kill(self) -> None:
        """Ask the server to end its running child."""
        self._send(b"K")

    @property
    def control_fd(self) -> int:
        return self._control.fileno()

    @property
    def pid(self) -> int:
        return self._process.pid

    def receive_ended(self) -> list[str]:
        return self._receive()

    def close(self) -> None:
        """End the process and all below it. Safe to call twice."""
        self._control.close()
        self.kill()
        self.wait()
        self._log.close()

    def kill(self) -> None:
        """End the process at once; what runs inside its namespaces ends with it."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Its exit code, as a shell would give it."""
        code = self._process.wait()
        return code if code >= 0 else 128 - code

    def _await_reply(self, cancelled: threading.Event) -> None:
        """Wait for work that is ours, and so may take its time."""
        self._control.settimeout(KILL_SECONDS)
        deadline = time.monotonic() + START_SECONDS
        try:
            while not select.select([self._control], [], [], START_TICK_SECONDS)[0]:
                if cancelled.is_set() or time.monotonic() > deadline:
                    raise WorkerLost
        except ValueError as error:  # closed meanwhile, by another thread
            raise WorkerLost from error

    def _send(self, data: bytes) -> None:
        try:
            self._control.sendall(data)
        except OSError as error:
            raise WorkerLost from error

    def _receive(self) -> list[str]:
        return as_text(self._receive_raw())

    def _receive_raw(self) -> list[bytes]:
        (size,) = struct.unpack("<I", self._receive_exactly(4))
        return decode(self._receive_exactly(size))

    def _receive_exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            data += self._receive_some(size - len(data))
        return data

    def _receive_some(self, most: int) -> bytes:
        try:
            chunk = self._control.recv(most)
        except OSError as error:
            raise WorkerLost from error
        if not chunk:
            raise WorkerLost
        return chunk

    def _last_words(self) -> str:
        self.wait()
        self._log.seek(0)
        text = self._log.read(1_000_000).decode("utf-8", "replace").strip()
        return text[-2000:] or f"exit code {self._process.returncode}, and it said nothing"


# The kernel ties a child's "die with your parent" to the thread that started it, so all are started
# by one thread that lives as long as this process.
_STARTER: Final = ThreadPoolExecutor(max_workers=1, thread_name_prefix="codejury-starter")


def _start(launch: Launch, mode: str, theirs: socket.socket, log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start Julia with our socket and nothing else of ours."""
    return _STARTER.submit(
        subprocess.Popen,
        [*launch.command, mode, str(theirs.fileno())],
        stdin=subprocess.DEVNULL,
        stdout=log,  # a file, and not stdin's: Julia's own copies of the three are told apart by name
        stderr=log,
        env=dict(launch.environment),
        pass_fds=(theirs.fileno(), *(fd for fd in launch.descriptors if fd >= 0)),
        start_new_session=True,
    ).result()


def _send_job(
    control: socket.socket, key: bytes, payload: Sequence[Item], limits: Limits, stack: contextlib.ExitStack
) -> Pipes:
    """Hand over a job and three new pipes; our ends of them, closed by `stack`."""
    job = os.memfd_create("codejury-job")
    theirs = [job]
    try:
        with os.fdopen(os.dup(job), "wb") as file:
            file.write(encode([key, *payload]))
        os.lseek(job, 0, os.SEEK_SET)
        readers = []
        for _ in range(2):
            reader, writer = os.pipe2(os.O_CLOEXEC)
            stack.callback(os.close, reader)
            os.set_blocking(reader, False)
            readers.append(reader)
            theirs.append(writer)
        reader, orders = os.pipe2(os.O_CLOEXEC)
        stack.callback(os.close, orders)
        os.set_blocking(orders, False)
        theirs.append(reader)
        socket.send_fds(control, [b"G" + struct.pack("<I", limits.memory_mb)], theirs)
    except OSError as error:
        raise WorkerLost from error
    finally:
        for fd in theirs:
            os.close(fd)
    return Pipes(verdicts=readers[0], output=readers[1], orders=orders)
