"""What a command and a warm judge say to each other: one request, one reply, each a length and MessagePack.

Plain data, and no pickles: who reads a message runs nothing that is in it.
"""

from __future__ import annotations

import os
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from ...records import Execution, Job

MOST_BYTES: Final = 256 << 20
"""Of a message: more would be a mistake of ours."""
_CREDENTIALS: Final = struct.Struct("3i")
"""Of a peer: its process, its user, its group."""

Message = TypeVar("Message")


class RequestKind(StrEnum):
    """What a command wants of a server."""

    FACTS = "facts"
    EXECUTE = "execute"
    STATUS = "status"
    STOP = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRequest:
    ask: RequestKind
    job: Job | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """About every sandbox of a server."""

    level: str
    julia_version: str
    packages: dict[str, str]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStatus:
    """How a server is doing."""

    pid: int
    up_seconds: float
    idle_seconds: float
    minutes: float
    """It ends after so many without a command."""
    busy: bool
    """A command is connected, beside the one that asks."""
    sandboxes: int
    judged: int
    """Candidates since it started."""
    facts: Facts | None = None
    """None while the first sandbox starts."""
    names: tuple[str, ...] = ()
    """What its test cases import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerReply:
    """One of these, or `error`."""

    facts: Facts | None = None
    execution: Execution | None = None
    status: ServerStatus | None = None
    error: str = ""


class ServerLine:
    """One end of a connection between a command and a server, both of the same user."""

    def __init__(self, end: socket.socket) -> None:
        """PermissionError if another user is at the other end."""
        _, user, _ = _CREDENTIALS.unpack(
            end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        )
        if user != os.geteuid():
            end.close()
            raise PermissionError(f"user {user} is at the other end")
        self._socket = end
        self._bytes = Connection(os.dup(end.fileno()))

    def send(self, message: ServerRequest | ServerReply) -> None:
        """OSError if the other end is closed."""
        self._bytes.send_bytes(msgspec.msgpack.encode(message, enc_hook=_written))

    def receive(self, kind: type[Message], seconds: float | None = None) -> Message:
        """The next message. OSError or EOFError if none comes, ValueError if it makes no sense."""
        if not self._bytes.poll(seconds):
            raise TimeoutError("no reply")
        return msgspec.msgpack.decode(self._bytes.recv_bytes(MOST_BYTES), type=kind, dec_hook=_read)

    def is_open(self) -> bool:
        """Whether the other end is there still. Asked while it waits for us, and so says nothing."""
        try:
            return self._socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def hang_up(self) -> None:
        """Wakes a thread that waits at either end. Safe to call twice."""
        with suppress(OSError):  # the other end was first
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Only once no thread uses it any more."""
        self._bytes.close()
        self._socket.close()


def _written(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    raise NotImplementedError(type(value))


def _read(kind: type, value: Any) -> Any:
    if issubclass(kind, Path):
        return kind(value)
    raise NotImplementedError(kind)
