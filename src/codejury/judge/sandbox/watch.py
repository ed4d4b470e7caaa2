"""Following one run: its frames and its output are collected, and its limits kept.

Knows clocks, pipes and /proc. What the frames mean is `execution`'s business.
"""

from __future__ import annotations

import os
import select
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ...errors import SandboxError
from ...records import Limits
from .run import OnFrame, Run, Stop, ignore_frames
from .wire import ForeignBytes, FrameReader, Item, as_text, encode

if TYPE_CHECKING:
    from .examiner import Examiner
    from .worker import Worker


KILL_SECONDS: Final = 3.0
"""A server that does not confirm a kill by then is itself killed and replaced."""
PREPARING_SECONDS: Final = 30.0
"""Until a candidate's own time begins: its process is locked down, and loads what the test case imports."""
EXCUSED_SECONDS: Final = 120.0
"""What decisions and the start of a referee may take in a run before they count as the candidate's time."""


class WorkerLost(Exception):  # noqa: N818 - an event, caught inside this package
    """The Julia process is gone or does not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipes:
    """Our ends of the pipes to a candidate's process."""

    verdicts: int
    output: int
    orders: int


class Orders:
    """What is said to a candidate's process, sent as its pipe takes it."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._unsent = bytearray()

    @property
    def waiting(self) -> bool:
        """Whether there is something that the pipe did not take yet."""
        return bool(self._unsent)

    def send(self, order: Sequence[Item]) -> None:
        data = encode(order)
        self._unsent += struct.pack("<I", len(data)) + data
        self.send_more()

    def send_more(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: os.write(self.fd, self._unsent[:65536])]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._unsent.clear()  # its process has closed it, and will end for want of orders


class Watch:
    """Follows one run: collects frames and output, and stops it at a limit."""

    tick_seconds = float("inf")
    """The longest time between two calls of `_look`."""
    kill_seconds = KILL_SECONDS
    """The longest time between the order to kill and the end."""

    def __init__(
        self,
        worker: Worker,
        frames: FrameReader,
        pipes: Pipes,
        orders: Orders,
        examiner: Examiner,
        limits: Limits,
        on_frame: OnFrame = ignore_frames,
    ) -> None:
        self._worker = worker
        self._frames = frames
        self._verdicts, self._output = pipes.verdicts, pipes.output
        self._orders = orders
        self._examiner = examiner
        self._orders_watched = False
        self._poll = select.poll()
        self._limits = limits
        self._on_frame = on_frame
        self._run = Run()
        self._deadline = 0.0
        self._began = self._last_frame = time.monotonic()
        self._total_deadline = float("inf")
        self._excused_left = EXCUSED_SECONDS
        self._ended: float | None = None
        self._stopped = False
        self._over = False

    def watch(self) -> Run:
        for fd in (self._verdicts, self._output, self._end_fd):
            self._poll.register(fd, select.POLLIN)
        self._allow(PREPARING_SECONDS)
        while not self._over:
            for fd, _ in self._poll.poll(self._milliseconds_to_wait()):
                if fd == self._end_fd:
                    self._take_end()
                elif fd == self._orders.fd:
                    self._orders.send_more()
                elif not (data := _read(fd)):
                    self._poll.unregister(fd)
                elif fd == self._output:
                    self._take_output(data)
                else:
                    self._take_frames(data)
            self._watch_orders()
            if not self._over:
                self._look()
        self._end_clock()
        self._drain()
        self._run.put_off = self._examiner.put_off
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
        self._stop(Stop.TOTAL if time.monotonic() >= self._total_deadline else Stop.TIME)

    # What is the same.

    def _milliseconds_to_wait(self) -> float:
        return 1000 * max(0.0, min(self._deadline - time.monotonic(), self.tick_seconds))

    def _allow(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds

    def _set_clock(self) -> None:
        """Each block has its own time, all of them have a total; our own code's time counts for neither."""
        self._last_frame = time.monotonic()
        if not self._run.prepared:
            self._allow(PREPARING_SECONDS)
            return
        if self._total_deadline == float("inf"):
            self._began = self._last_frame
            self._total_deadline = self._began + self._limits.answer_seconds
        self._deadline = min(self._last_frame + self._limits.seconds, self._total_deadline)

    def _end_clock(self) -> None:
        """Where it is stopped, before it is killed: how long that takes is our business."""
        if self._ended is None:
            self._ended = time.monotonic()
            self._run.seconds = self._ended - self._began
            self._run.last_seconds = self._ended - self._last_frame

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
                self._take_frame(frame)
        except ForeignBytes:
            self._stop(Stop.FOREIGN)

    def _take_frame(self, frame: list[bytes]) -> None:
        came = time.monotonic()
        fact = self._examiner.take(frame)
        # While the referee decides, no clock of the candidate's runs, unless its values make that take long.
        decided = min(time.monotonic() - came, self._excused_left)
        self._excused_left -= decided
        self._deadline += decided
        self._total_deadline += decided
        if fact is None:
            self._last_frame += decided
            return
        seconds = came - self._last_frame
        self._run.frames.append(as_text(f"{seconds:.6f}" if item == "" else item for item in fact))
        self._set_clock()
        self._on_frame(len(self._run.frames))

    def _watch_orders(self) -> None:
        """Be told when the pipe takes more, as long as there is more."""
        if self._orders.waiting != self._orders_watched:
            self._orders_watched = self._orders.waiting
            if self._orders_watched:
                self._poll.register(self._orders.fd, select.POLLOUT)
            else:
                self._poll.unregister(self._orders.fd)

    def _stop(self, reason: Stop) -> None:
        if not self._stopped:
            self._stopped = True
            self._run.stop = reason
            self._end_clock()
            self._allow(self.kill_seconds)
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


class WatchAlone(Watch):
    """The same for a process of its own: we kill, measure and reap it ourselves."""

    tick_seconds = 0.05
    kill_seconds = 30.0  # our own SIGKILL cannot be refused, only delayed where processors are busy

    def __init__(
        self,
        worker: Worker,
        frames: FrameReader,
        pipes: Pipes,
        orders: Orders,
        examiner: Examiner,
        limits: Limits,
        on_frame: OnFrame = ignore_frames,
    ) -> None:
        super().__init__(worker, frames, pipes, orders, examiner, limits, on_frame)
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
        self._run.cpu_seconds = cpu_seconds(julia)
        self._worker.kill()

    def _look(self) -> None:
        most_kb = self._worker.baseline_kb + 1024 * self._limits.memory_mb
        if not self._stopped and largest_process(self._worker.pid)[0] > most_kb:
            self._stop(Stop.MEMORY)
        super()._look()


def largest_process(pid: int) -> tuple[int, int]:
    """The memory in KB and the id of the largest process below `pid`, itself included."""
    try:
        own = held_kb(pid)
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0, pid  # it ended while we looked
    return max([(own, pid), *(largest_process(int(child)) for child in children)])


def held_kb(pid: int) -> int:
    """As in julia/posix.jl: resident memory, and shared memory that is not resident and still held."""
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "kB" in line
    )
    resident, seen = (int(status.get(name, "0").split()[0]) for name in ("VmRSS", "RssShmem"))
    maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
    ranges = [line.split(maxsplit=1)[0].split("-") for line in maps if "s " in line and "/dev/zero" in line]
    shared = sum(int(high, 16) - int(low, 16) for low, high in ranges) // 1024
    return resident + max(0, shared - seen)


def cpu_seconds(pid: int) -> float:
    """The processor time that all threads of a process have used; 0 where it is gone."""
    try:
        # Behind the name, which may hold anything: the times are the 14th and 15th field of all.
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0.0
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


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
