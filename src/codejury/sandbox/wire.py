"""The one encoding on every channel to and from Julia: a list of byte strings (see julia/wire.jl).

list  = u32 count, then per item u32 length and the bytes        (little endian)
frame = nonce, u32 length of the list, the list
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

Item = str | bytes

NONCE_BYTES = 16
MOST_FRAME_BYTES = 16 * 2**20


def encode(items: Iterable[Item]) -> bytes:
    """`["a", b"bc"]` -> two items, each with its length in front."""
    raw = [item.encode("utf-8", "surrogatepass") if isinstance(item, str) else item for item in items]
    return struct.pack("<I", len(raw)) + b"".join(struct.pack("<I", len(item)) + item for item in raw)


def decode(data: bytes) -> list[str]:
    """The inverse of `encode`, as text; bytes that are not UTF-8 become U+FFFD. ValueError if malformed."""
    try:
        (count,) = struct.unpack_from("<I", data)
        items, at = [], 4
        for _ in range(count):
            (size,) = struct.unpack_from("<I", data, at)
            if at + 4 + size > len(data):
                raise ValueError("a list ends early")
            items.append(data[at + 4 : at + 4 + size].decode("utf-8", "replace"))
            at += 4 + size
    except struct.error as error:
        raise ValueError("a list ends early") from error
    if at != len(data):
        raise ValueError("a list is followed by something else")
    return items


class ForeignBytes(Exception):  # noqa: N818 - an event, caught inside this room
    """Something other than the judge wrote to the verdict channel."""


class FrameReader:
    """Cuts the verdict channel into frames. One byte that is not the judge's ends all trust in it."""

    def __init__(self, nonce: bytes) -> None:
        self._nonce = nonce
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[list[str]]:
        """Frames completed by `data`; ForeignBytes as soon as a byte cannot be the judge's."""
        self._buffer += data
        while self._buffer:
            known = min(len(self._buffer), NONCE_BYTES)
            if self._buffer[:known] != self._nonce[:known]:
                raise ForeignBytes
            head = NONCE_BYTES + 4
            if len(self._buffer) < head:
                return
            (size,) = struct.unpack_from("<I", self._buffer, NONCE_BYTES)
            if size > MOST_FRAME_BYTES:
                raise ForeignBytes
            if len(self._buffer) < head + size:
                return
            payload = bytes(self._buffer[head : head + size])
            del self._buffer[: head + size]
            try:
                yield decode(payload)
            except ValueError:
                raise ForeignBytes from None
