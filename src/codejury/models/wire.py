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
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies

import httpx2

from .. import __version__
from .keys import Secret
from .patience import Patience
from .replies import Failure, Kind

# At DEBUG it logs the headers of replies, and a server may repeat the key in one.
logging.getLogger("httpcore2").setLevel(logging.WARNING)

ERROR_BYTES: Final = 64_000  # enough of a refusal to quote its message
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


class Wire:
    """One address of one server."""

    def __init__(self, base_url: str, secret: Secret | None, patience: Patience) -> None:
        self.is_near = is_loopback(base_url)
        self._url = base_url.rstrip("/") + "/chat/completions"
        self._auth = _Bearer(secret)
        self._patience = patience
        silence, connect = patience.silence_seconds, patience.connect_seconds
        self._timeout = httpx2.Timeout(silence, connect=connect, pool=None)

    async def post(self, clients: Clients, body: bytes) -> Reply | Failure:
        """Send, and read the reply."""
        patience = self._patience
        try:
            async with asyncio.timeout(patience.seconds):
                with clients.borrowed() as client:
                    return await self._exchange(client, body, f"{OWN_IDS}{secrets.token_hex(16)}")
        except TimeoutError:
            return Failure(kind=Kind.OVERLOAD, what=f"no complete answer within {patience.seconds:g} s")
        except (httpx2.ReadTimeout, httpx2.WriteTimeout):
            return Failure(kind=Kind.OVERLOAD, what=f"silent for {patience.silence_seconds:g} s")
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            what = f"cannot connect to {self._url}: {error or 'time-out'}"
            return Failure(
                kind=Kind.RETRY, what=what, repair="is the server running?" if self.is_near else ""
            )
        except httpx2.HTTPError as error:
            return Failure(kind=Kind.RETRY, what=f"the connection broke: {error or type(error).__name__}")

    async def _exchange(self, client: httpx2.AsyncClient, body: bytes, request_id: str) -> Reply | Failure:
        sent = {**HEADERS, REQUEST_ID: request_id}
        async with client.stream(
            "POST", self._url, content=body, headers=sent, auth=self._auth, timeout=self._timeout
        ) as response:
            if is_for_another(response.headers.get(REQUEST_ID, ""), request_id):
                return Failure(kind=Kind.RETRY, what="the server sent the reply to another request")
            most = self._patience.answer_bytes if response.is_success else ERROR_BYTES
            content = await _read(response, most + 1)
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Reply(
                status=response.status_code, headers=headers, body=content[:most], is_cut=len(content) > most
            )


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


class _Bearer(httpx2.Auth):
    """Puts the key into the request at the last moment, so that no frame of ours holds it."""

    def __init__(self, secret: Secret | None) -> None:
        self._secret = secret

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        if self._secret is not None:
            request.headers["Authorization"] = f"Bearer {self._secret.reveal()}"
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
