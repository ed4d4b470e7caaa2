"""Chat servers on loopback that behave badly on purpose: real sockets, real bytes.

    with HostileServer(status(500), says("hello")) as server:
        ...  # the first request gets a 500, every later one gets "hello"

An act answers one request. The script's last act answers all further requests.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sent."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Act = Callable[[asyncio.StreamWriter, Request], Awaitable[None]]


class HostileServer:
    """Runs its own event loop in a thread; everything it saw can be asked afterwards."""

    def __init__(self, *script: Act) -> None:
        self.script = script
        self.requests: list[Request] = []
        self.at_once = 0
        self.most_at_once = 0
        self.hung_up = 0
        """Requests whose client went away before the act was over."""
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.port = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        pending = asyncio.all_tasks(self._loop)
        for task in pending:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, backlog=512)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not writer.is_closing() and (request := await _read_request(reader)):
                await self._perform(request, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _perform(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        act = self.script[min(len(self.requests), len(self.script) - 1)]
        self.requests.append(request)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        acting = asyncio.ensure_future(act(writer, request))
        gone = asyncio.ensure_future(_end_of(reader))
        try:
            await asyncio.wait((acting, gone), return_when=asyncio.FIRST_COMPLETED)
            if not acting.done():
                self.hung_up += 1
                writer.close()
            elif acting.exception() is not None:
                self.hung_up += isinstance(acting.exception(), ConnectionError)
                writer.close()
        finally:
            self.at_once -= 1
            acting.cancel()
            gone.cancel()
            await asyncio.gather(acting, gone, return_exceptions=True)


async def _end_of(reader: asyncio.StreamReader) -> None:
    """Until the client has gone. Looks and does not read: the next request may be on its way."""
    while not reader.at_eof():
        await asyncio.sleep(0.02)


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(path=first.split()[1], headers=headers, body=json.loads(body or b"{}"))


# Acts


def completion(
    text: str | None, *, usage: Any = None, finish_reason: str | None = "stop", **message: Any
) -> Any:
    """The document a well-behaved server sends."""
    usage = {"prompt_tokens": 10, "completion_tokens": 5} if usage is None else usage
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": text, **message},
    }
    return {"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage}


def says(text: str | None, *, after: float = 0.0, **details: Any) -> Act:
    """A good answer, after some seconds."""

    async def act(writer: asyncio.StreamWriter, request: Request) -> None:
        await asyncio.sleep(after)
        await _send(writer, 200, json.dumps(completion(text, **details)).encode())

    return act


def says_when(go_on: threading.Event, text: str) -> Act:
    """A good answer, once somebody allows it."""

    async def act(writer: asyncio.StreamWriter, request: Request) -> None:
        while not go_on.is_set():
            await asyncio.sleep(0.02)
        await says(text)(writer, request)

    return act


def status(code: int, body: Any = None, headers: dict[str, str] | None = None) -> Act:
    """A status with a JSON body."""

    async def act(writer: asyncio.StreamWriter, request: Request) -> None:
        content = json.dumps({"error": {"message": f"code {code}"}} if body is None else body)
        await _send(writer, code, content.encode(), headers)

    return act


def sends(body: bytes, content_type: str = JSON) -> Act:
    """Status 200 with any bytes at all."""

    async def act(writer: asyncio.StreamWriter, request: Request) -> None:
        await _send(writer, 200, body, {"Content-Type": content_type})

    return act


def hangs_up() -> Act:
    """Closes the connection without a word."""

    async def act(writer: asyncio.StreamWriter, request: Request) -> None:
        writer.close()

    return act


def breaks_off() -> Act:
    """Promises a long body, sends a part, and closes."""

    async def act(writer: asyncio.StreamWriter, request: Request) -> None:
        writer.write(
            b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"choices": ['
        )
        await writer.drain()
        writer.close()

    return act


def stays_silent(seconds: float = 60.0) -> Act:
    """Accepts the request and says nothing."""

    async def act(writer: asyncio.StreamWriter, request: Request) -> None:
        await asyncio.sleep(seconds)

    return act


def trickles(pause: float) -> Act:
    """One byte at a time, for ever: never silent, never done."""

    async def act(writer: asyncio.StreamWriter, request: Request) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(pause)

    return act


class Floods:
    """An answer that never ends, as fast as it is taken. Counts what it got rid of."""

    def __init__(self, most: int) -> None:
        self.sent = 0
        self._most = most

    async def __call__(self, writer: asyncio.StreamWriter, request: Request) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        writer.write(b'{"choices": [{"message": {"content": "')
        while self.sent < self._most:
            writer.write(b"x" * 65536)
            await writer.drain()
            self.sent += 65536
        writer.close()


def bears(most: int, text: str = "ok", seconds: float = 0.02) -> Callable[[HostileServer], Act]:
    """Answers at most so many at once, and 429 to the others. Needs to know its server."""

    def bound(server: HostileServer) -> Act:
        async def act(writer: asyncio.StreamWriter, request: Request) -> None:
            if server.at_once > most:
                await status(429)(writer, request)
            else:
                await says(text, after=seconds)(writer, request)

        return act

    return bound


async def _send(
    writer: asyncio.StreamWriter, code: int, body: bytes, headers: dict[str, str] | None = None
) -> None:
    lines = {"Content-Type": JSON, "Content-Length": str(len(body)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    writer.write(f"HTTP/1.1 {code} X\r\n{head}\r\n".encode("latin-1") + body)
    await writer.drain()
