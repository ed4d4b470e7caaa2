"""Bytes to a server and back, within bounds: the only file that knows the HTTP library.

Every way an exchange can break becomes a Failure, a value: no exception of the HTTP library, with
its request and its headers, ever becomes part of ours.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Generator, Mapping
from dataclasses import dataclass
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
}

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

    async def post(self, client: httpx2.AsyncClient, body: bytes) -> Reply | Failure:
        """Send, and read the reply."""
        patience = self._patience
        try:
            async with asyncio.timeout(patience.seconds):
                return await self._exchange(client, body)
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

    async def _exchange(self, client: httpx2.AsyncClient, body: bytes) -> Reply:
        async with client.stream(
            "POST", self._url, content=body, headers=HEADERS, auth=self._auth, timeout=self._timeout
        ) as response:
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


class _Bearer(httpx2.Auth):
    """Puts the key into the request at the last moment, so that no frame of ours holds it."""

    def __init__(self, secret: Secret | None) -> None:
        self._secret = secret

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        if self._secret is not None:
            request.headers["Authorization"] = f"Bearer {self._secret.reveal()}"
        yield request


def new_client(*, near: bool) -> httpx2.AsyncClient:
    """A pool of connections, without a bound of its own: the limiter counts requests.

    Redirects are not followed: a key goes to the address the user named and to no other.
    """
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    if near:  # a proxy cannot reach this machine's loopback
        transport = httpx2.AsyncHTTPTransport(limits=limits, trust_env=False)
    elif not getproxies():
        transport = httpx2.AsyncHTTPTransport(limits=limits, socket_options=KEEP_ALIVE)
    else:
        transport = None  # the library's own goes through the proxies of the environment
    return httpx2.AsyncClient(transport=transport, limits=limits)


def is_loopback(url: str) -> bool:
    """Whether an address is this machine's own."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
