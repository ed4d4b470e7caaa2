"""Bytes to a server and back, within bounds: the only file that knows the HTTP library.

Every way an exchange can break becomes a Failure, a value: no exception of the HTTP library, with
its request and its headers, ever becomes part of ours.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
import ssl
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies

import httpx2

from .. import __version__
from .keys import Secret
from .limits import RequestPolicy
from .replies import FailureKind, RequestFailure
from .streams import StreamReader

# At DEBUG it logs the headers of replies, and a server may repeat the key in one.
logging.getLogger("httpcore2").setLevel(logging.WARNING)

ERROR_BYTES: Final = 64_000  # enough of a refusal to quote its message
EVENT_STREAM: Final = "text/event-stream"
EVENTS_AROUND_TEXT: Final = 50  # bytes of events for one of text: a word comes in hundreds of bytes of JSON
HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "Accept-Encoding": "identity",  # answers are small, and a compressed one can be a bomb
    "User-Agent": f"codejury/{__version__}",
    # One reply a connection: where a server sends a reply twice, or stray bytes after one, whoever asks next
    # on that connection gets them for an answer. A new connection costs a moment; an answer takes seconds.
    "Connection": "close",
}

REQUEST_ID: Final = "X-Request-Id"
OWN_IDS: Final = "codejury-"

# A request is silent for minutes while the model thinks, and middleboxes forget silent connections.
KEEP_ALIVE: Final = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, option), value)
        for option, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 60), ("TCP_KEEPCNT", 5))
        if hasattr(socket, option)
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_cut: bool
    """There was more than we were willing to read."""
    is_streamed: bool = False
    """It came in pieces, which are in the StreamReader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a request goes, and how it shows its key there."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    key_header: str = "Authorization"
    key_prefix: str = "Bearer "
    secret: Secret | None = None

    def at(self, url: str) -> Endpoint:
        """Another address of the same server."""
        return replace(self, url=url)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A request."""

    content: bytes
    most: int
    """Bytes of the reply that are read."""
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)


class Wire:
    """One address of one server."""

    def __init__(self, endpoint: Endpoint, policy: RequestPolicy) -> None:
        self.is_near = is_loopback(endpoint.url)
        self._url = endpoint.url
        self._headers = endpoint.headers
        self._auth = _Key(endpoint)
        self._policy = policy
        silence, connect = policy.silence_seconds, policy.connect_seconds
        self._timeout = httpx2.Timeout(silence, connect=connect, pool=None)

    async def post(
        self, clients: Clients, body: bytes, stream: StreamReader | None = None
    ) -> Reply | RequestFailure:
        """Send, and read the reply: with `stream`, into that, if it comes in pieces."""
        return await self._sent(clients, Outgoing(content=body, most=self._policy.answer_bytes), stream)

    async def send(
        self, clients: Clients, method: str, content: bytes, *, content_type: str, most: int
    ) -> Reply | RequestFailure:
        """Any request; up to `most` bytes of the reply are read."""
        headers = {"Content-Type": content_type}
        return await self._sent(clients, Outgoing(method=method, content=content, headers=headers, most=most))

    async def _sent(
        self, clients: Clients, outgoing: Outgoing, stream: StreamReader | None = None
    ) -> Reply | RequestFailure:
        seconds = self._policy.seconds_for(streams=stream is not None)
        try:
            async with asyncio.timeout(seconds):
                with clients.borrowed() as client:
                    request_id = f"{OWN_IDS}{secrets.token_hex(16)}"
                    return await self._exchange(client, outgoing, request_id, stream)
        except TimeoutError:
            failure = RequestFailure(
                kind=FailureKind.OVERLOAD, what=f"no complete answer within {seconds:g} s"
            )
        except (httpx2.ReadTimeout, httpx2.WriteTimeout):
            silence = self._policy.silence_seconds
            failure = RequestFailure(kind=FailureKind.OVERLOAD, what=f"silent for {silence:g} s")
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            what = f"cannot connect to {self._url}: {error or 'time-out'}"
            repair = "is the server running?" if self.is_near else ""
            return RequestFailure(kind=FailureKind.RETRY, what=what, repair=repair)
        except httpx2.HTTPError as error:
            failure = RequestFailure(
                kind=FailureKind.RETRY, what=f"the connection broke: {error or type(error).__name__}"
            )
        return _broken_off(failure, stream)

    async def _exchange(
        self, client: httpx2.AsyncClient, outgoing: Outgoing, request_id: str, stream: StreamReader | None
    ) -> Reply | RequestFailure:
        sent = {**HEADERS, **self._headers, **outgoing.headers, REQUEST_ID: request_id}
        if stream is not None:
            sent["Accept"] = f"{EVENT_STREAM}, application/json"
        async with client.stream(
            outgoing.method,
            self._url,
            content=outgoing.content,
            headers=sent,
            auth=self._auth,
            timeout=self._timeout,
        ) as response:
            if is_for_another(response.headers.get(REQUEST_ID, ""), request_id):
                return RequestFailure(
                    kind=FailureKind.RETRY, what="the server sent the reply to another request"
                )
            headers = {name.lower(): value for name, value in response.headers.items()}
            if stream is not None and response.is_success and _comes_in_pieces(headers):
                return await self._followed(response, headers, stream)
            most = outgoing.most if response.is_success else ERROR_BYTES
            content = await _read(response, most + 1)
            return Reply(
                status=response.status_code, headers=headers, body=content[:most], is_cut=len(content) > most
            )

    async def _followed(
        self, response: httpx2.Response, headers: Mapping[str, str], stream: StreamReader
    ) -> Reply:
        """Read events until one says that it was the last, or the server closes the connection."""
        most, count, is_cut = self._policy.answer_bytes * EVENTS_AROUND_TEXT, 0, False
        async for chunk in response.aiter_bytes():
            stream.feed(chunk)
            count += len(chunk)
            is_cut = count > most or stream.is_too_long
            if is_cut or stream.is_over:
                break
        else:
            stream.end()
        return Reply(status=response.status_code, headers=headers, body=b"", is_cut=is_cut, is_streamed=True)


def _broken_off(failure: RequestFailure, stream: StreamReader | None) -> Reply | RequestFailure:
    """A failure with what had arrived until then; an answer that was complete is no failure."""
    if stream is None:
        return failure
    if not isinstance(stream.document(), RequestFailure):
        return Reply(status=200, headers={}, body=b"", is_cut=False, is_streamed=True)
    return replace(failure, what=f"{failure.what}{stream.so_far()}")


def _comes_in_pieces(headers: Mapping[str, str]) -> bool:
    return headers.get("content-type", "").partition(";")[0].strip().lower() == EVENT_STREAM


async def _read(response: httpx2.Response, most: int) -> bytes:
    """The first `most` bytes of the body."""
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) >= most:
            break
    return bytes(body[:most])


def is_for_another(echoed: str, request_id: str) -> bool:
    """Whether a reply names another request of ours. A name of the server's own says nothing.

    codejury-0123... != codejury-4567... -> True          req_8f2a -> False          "" -> False
    """
    is_ours = echoed.startswith(OWN_IDS) and len(echoed) == len(request_id)
    return is_ours and echoed != request_id


class _Key(httpx2.Auth):
    """Puts the key into the request at the last moment, so that no frame of ours holds it."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._secret = endpoint.secret
        self._header = endpoint.key_header
        self._prefix = endpoint.key_prefix

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        if self._secret is not None:
            request.headers[self._header] = f"{self._prefix}{self._secret.reveal()}"
        yield request


class Clients:
    """Clients for all servers that are near, or for all that are not; each request borrows one.

    One client has one connection at a time: the library's own pool looks at every connection for every
    request, which at 64 of them costs more than all the rest of a request. The limiter counts requests,
    nothing else does.
    """

    def __init__(self, *, near: bool) -> None:
        self._near = near
        self._all: list[httpx2.AsyncClient] = []
        self._free: list[httpx2.AsyncClient] = []

    @contextmanager
    def borrowed(self) -> Iterator[httpx2.AsyncClient]:
        client = self._free.pop() if self._free else self._new()
        try:
            yield client
        finally:
            self._free.append(client)

    async def aclose(self) -> None:
        for client in self._all:
            await client.aclose()

    def _new(self) -> httpx2.AsyncClient:
        self._all.append(client := _new_client(self._certificates, near=self._near))
        return client

    @cached_property
    def _certificates(self) -> ssl.SSLContext:  # reading them takes longer than an exchange
        return httpx2.create_ssl_context()


def _new_client(certificates: ssl.SSLContext, *, near: bool) -> httpx2.AsyncClient:
    """Redirects are not followed: a key goes to the address the user named and to no other."""
    if near:  # a proxy cannot reach this machine's loopback
        transport = httpx2.AsyncHTTPTransport(verify=certificates, trust_env=False)
    elif not getproxies():
        transport = httpx2.AsyncHTTPTransport(verify=certificates, socket_options=KEEP_ALIVE)
    else:
        transport = None  # the library's own goes through the proxies of the environment
    return httpx2.AsyncClient(transport=transport, verify=certificates)


def is_loopback(url: str) -> bool:
    """Whether an address is this machine's own."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
