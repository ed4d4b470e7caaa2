"""One Julia process of ours and the conversation with it: start, run a job, kill, end.

Knows processes, pipes and clocks. What the frames mean is `trial`'s business.
"""

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
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO, Final

from ..errors import SandboxError
from ..records import Limits
from .wire import KEY_BYTES, ForeignBytes, FrameReader, Item, decode, encode

START_SECONDS: Final = 120.0
"""A cold machine loads and compiles for a while; this only ends a start that hangs."""
START_TICK_SECONDS: Final = 0.2
KILL_SECONDS: Final = 3.0
"""A server that does not confirm a kill by then is itself killed and replaced."""
PREPARING_SECONDS: Final = 30.0
"""Until a candidate's code runs: the judge parses it, and loads what the test case imports."""
PREPARING: Final = frozenset({"candidates", "extraction"})
"""The frames after which no code of the candidate's runs yet."""


class Stop(StrEnum):
    """Why a run ended."""

    ITSELF = "itself"  # the process ended; whether it was done is in the frames
    TIME = "time"
    MEMORY = "memory"
    OUTPUT = "output"
    FOREIGN = "foreign"  # it wrote to the verdict channel


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How to start a Julia process of ours, sandbox included."""

    command: Sequence[str]
    environment: Mapping[str, str]
    descriptors: tuple[int, ...] = ()
    """Of ours that it inherits, under their numbers; negative ones are none."""


@dataclass(slots=True, kw_only=True)
class Run:
    """What came back from one run of one candidate."""

    frames: list[list[str]] = field(default_factory=list)
    output: bytearray = field(default_factory=bytearray)
    stop: Stop = Stop.ITSELF
    status: int = 0
    """As `os.waitpid` gives it."""
    waited_seconds: float = 0.0
    """How long it stood in line for a processor, known where it was killed."""
    cpu_seconds: float = 0.0
    lost: bool = False
    """It took the worker down with it, twice."""

    @property
    def done(self) -> bool:
        return bool(self.frames) and self.frames[-1][0] == "done"

    @property
    def prepared(self) -> bool:
        """Whether the candidate's own code was reached, so that its own time ran."""
        return bool(self.frames) and self.frames[-1][0] not in PREPARING

    @property
    def ending_text(self) -> str:
        """How the process ended, for a person."""
        if self.lost:
            return "the sandbox was lost twice while it ran"
        if os.WIFSIGNALED(self.status):
            return f"the process was ended by {signal.Signals(os.WTERMSIG(self.status)).name}"
        return f"the process ended by itself with exit code {os.waitstatus_to_exitcode(self.status)}"


class WorkerLost(Exception):  # noqa: N818 - an event, caught inside this room
    """The Julia process is gone or does not answer."""


LOST_TWICE: Final = Run(frames=[["candidates", "all", "", "1"]], stop=Stop.ITSELF, lost=True)
"""The run of a candidate that took two workers down."""


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

    def run(self, payload: Sequence[Item], limits: Limits) -> Run:
        """Run one job. WorkerLost if the process died or hung meanwhile."""
        key = secrets.token_bytes(KEY_BYTES)
        with contextlib.ExitStack() as stack:
            verdicts, output = _send_job(self._control, key, payload, limits, stack)
            return _Watch(self, FrameReader(key), verdicts, output, limits).watch()

    def run_alone(self, payload: Sequence[Item], limits: Limits) -> Run:
        """Run one job in the worker's own process, which ends with it; nobody inside can kill it for us."""
        key = secrets.token_bytes(KEY_BYTES)
        with contextlib.ExitStack() as stack:
            verdicts, output = _send_job(self._control, key, payload, limits, stack)
            return _WatchAlone(self, FrameReader(key), verdicts, output, limits).watch()

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
        (size,) = struct.unpack("<I", self._receive_exactly(4))
        return decode(self._receive_exactly(size))

    def _receive_exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            try:
                chunk = self._control.recv(size - len(data))
            except OSError as error:
                raise WorkerLost from error
            if not chunk:
                raise WorkerLost
            data += chunk
        return data

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
) -> tuple[int, int]:
    """Hand over a job and the writing ends of two new pipes; their reading ends, closed by `stack`."""
    job = os.memfd_create("codejury-job")
    theirs = [job]
    try:
        os.write(job, encode([key, *payload]))
        os.lseek(job, 0, os.SEEK_SET)
        readers = []
        for _ in range(2):
            reader, writer = os.pipe2(os.O_CLOEXEC)
            stack.callback(os.close, reader)
            os.set_blocking(reader, False)
            readers.append(reader)
            theirs.append(writer)
        socket.send_fds(control, [b"G" + struct.pack("<I", limits.memory_mb)], theirs)
    except OSError as error:
        raise WorkerLost from error
    finally:
        for fd in theirs:
            os.close(fd)
    return readers[0], readers[1]


class _Watch:
    """Follows one run: collects frames and output, and stops it at a limit."""

    tick_seconds = float("inf")
    """How often `_look` is called while nothing happens."""

    def __init__(
        self, worker: Worker, frames: FrameReader, verdicts: int, output: int, limits: Limits
    ) -> None:
        self._worker = worker
        self._frames = frames
        self._verdicts = verdicts
        self._output = output
        self._limits = limits
        self._run = Run()
        self._deadline = 0.0
        self._stopped = False
        self._over = False

    def watch(self) -> Run:
        poll = select.poll()
        for fd in (self._verdicts, self._output, self._end_fd):
            poll.register(fd, select.POLLIN)
        self._allow(PREPARING_SECONDS)
        while not self._over:
            ready = poll.poll(self._milliseconds_to_wait())
            for fd, _ in ready:
                if fd == self._end_fd:
                    self._take_end()
                elif not (data := _read(fd)):
                    poll.unregister(fd)
                elif fd == self._output:
                    self._take_output(data)
                else:
                    self._take_frames(data)
            if not ready:
                self._look()
        self._drain()
        return self._run

    # What differs between a server's child and a process of its own.

    @property
    def _end_fd(self) -> int:
        """Readable once the run is over."""
        return self._worker.control_fd

    def _take_end(self) -> None:
        ended = self._worker.receive_ended()
        if ended[0] == "unborn":
            raise SandboxError(f"the sandbox could not start a process: {os.strerror(int(ended[1]))}")
        _, status, _, cpu_ms, waited_ms, reason = ended
        self._run.status = int(status)
        self._run.cpu_seconds = int(cpu_ms) / 1000
        self._run.waited_seconds = int(waited_ms) / 1000
        if reason == "memory" and not self._stopped:
            self._run.stop = Stop.MEMORY
        self._over = True

    def _kill(self) -> None:
        self._worker.order_kill()

    def _look(self) -> None:
        if time.monotonic() < self._deadline:
            return
        if self._stopped:
            raise WorkerLost  # it was told to kill, and did not
        self._stop(Stop.TIME)

    # What is the same.

    def _milliseconds_to_wait(self) -> float:
        return 1000 * max(0.0, min(self._deadline - time.monotonic(), self.tick_seconds))

    def _allow(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds

    def _take_output(self, data: bytes) -> None:
        room = self._limits.output_bytes - len(self._run.output)
        self._run.output += data[:room]
        if len(data) > room:
            self._stop(Stop.OUTPUT)

    def _take_frames(self, data: bytes) -> None:
        if self._stopped:
            return  # what arrives after a limit was hit came too late
        try:
            for frame in self._frames.feed(data):
                if self._run.done:
                    raise ForeignBytes
                self._run.frames.append(frame)
                # Each block has its own time, and what is ours is nobody's.
                self._allow(self._limits.seconds if self._run.prepared else PREPARING_SECONDS)
        except ForeignBytes:
            self._stop(Stop.FOREIGN)

    def _stop(self, reason: Stop) -> None:
        if not self._stopped:
            self._stopped = True
            self._run.stop = reason
            self._allow(KILL_SECONDS)
            if not self._over:
                self._kill()

    def _drain(self) -> None:
        """Every writer is gone: what is in the pipes is all there is."""
        while data := _read(self._verdicts):
            self._take_frames(data)
        if not self._frames.is_between_frames and not self._stopped and self._run.stop is Stop.ITSELF:
            self._stop(Stop.FOREIGN)  # half a frame, from a process that was not killed
        while not self._stopped and (data := _read(self._output)):
            self._take_output(data)


class _WatchAlone(_Watch):
    """The same for a process of its own: it is ours to kill, to measure and to bury."""

    tick_seconds = 0.05

    def __init__(
        self, worker: Worker, frames: FrameReader, verdicts: int, output: int, limits: Limits
    ) -> None:
        super().__init__(worker, frames, verdicts, output, limits)
        self._pidfd = os.pidfd_open(worker.pid)

    def watch(self) -> Run:
        try:
            return super().watch()
        finally:
            os.close(self._pidfd)

    @property
    def _end_fd(self) -> int:
        return self._pidfd

    def _take_end(self) -> None:
        self._run.status = self._worker.wait() << 8
        self._over = True

    def _kill(self) -> None:
        _, julia = largest_process(self._worker.pid)
        self._run.waited_seconds = waited_seconds(julia)
        self._worker.kill()

    def _look(self) -> None:
        most_kb = self._worker.baseline_kb + 1024 * self._limits.memory_mb
        if not self._stopped and largest_process(self._worker.pid)[0] > most_kb:
            self._stop(Stop.MEMORY)
        super()._look()


def largest_process(pid: int) -> tuple[int, int]:
    """The resident memory in KB and the id of the largest process below `pid`, itself included."""
    try:
        own = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0, pid  # it ended while we looked
    return max([(own, pid), *(largest_process(int(child)) for child in children)])


def waited_seconds(pid: int) -> float:
    """How long a process stood in line for a processor so far; 0 where the kernel does not count it."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, 65536)
    except BlockingIOError:
        return b""
