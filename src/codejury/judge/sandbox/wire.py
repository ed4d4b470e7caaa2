"""The one encoding on every channel to and from Julia: a list of byte strings (see julia/wire.jl).

list  = u32 count, then per item u32 length and the bytes        (little endian)
frame = "cjry", u32 length of the list, the list, HMAC-SHA256 over the frame's number and the list
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Iterable, Iterator

Item = str | bytes

NUMBER = struct.Struct("<I")
KEY_BYTES = 32
FRAME_MARK = b"cjry"
TAG_BYTES = hashlib.sha256().digest_size
MOST_FRAME_BYTES = 16 * 2**20


def encode(items: Iterable[Item]) -> bytes:
    """`["a", b"bc"]` -> two items, each with its length in front."""
    parts: list[bytes] = []
    for item in items:
        raw = item.encode("utf-8", "surrogatepass") if isinstance(item, str) else item
        parts += (NUMBER.pack(len(raw)), raw)
    return NUMBER.pack(len(parts) // 2) + b"".join(parts)


def as_text(items: Iterable[Item]) -> list[str]:
    """Items as text; bytes that are not UTF-8 become U+FFFD."""
    return [item if isinstance(item, str) else item.decode("utf-8", "replace") for item in items]


def decode(data: bytes) -> list[bytes]:
    """The inverse of `encode`. ValueError if malformed."""
    unpack, items, at = NUMBER.unpack_from, [], 4
    try:
        (count,) = unpack(data)
        for _ in range(count):
            (size,) = unpack(data, at)
            at += 4 + size
            if at > len(data):
                raise ValueError("a list ends early")
            items.append(data[at - size : at])
    except struct.error as error:
        raise ValueError("a list ends early") from error
    if at != len(data):
        raise ValueError("a list is followed by something else")
    return items


class ForeignBytes(Exception):  # noqa: N818 - an event, caught inside this package
    """Something other than the judge wrote to the verdict channel."""


class FrameReader:
    """Cuts the verdict channel into frames. One byte that is not the judge's ends all trust in it."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._buffer = bytearray()
        self._frames = 0

    @property
    def is_between_frames(self) -> bool:
        return not self._buffer

    def feed(self, data: bytes) -> Iterator[list[bytes]]:
        """Frames completed by `data`; ForeignBytes as soon as something cannot be the judge's."""
        self._buffer += data
        while (frame := self._cut()) is not None:
            yield frame

    def _cut(self) -> list[bytes] | None:
        head = len(FRAME_MARK) + 4
        known = min(len(self._buffer), len(FRAME_MARK))
        if self._buffer[:known] != FRAME_MARK[:known]:
            raise ForeignBytes
        if len(self._buffer) < head:
            return None
        (size,) = NUMBER.unpack_from(self._buffer, len(FRAME_MARK))
        if size > MOST_FRAME_BYTES:
            raise ForeignBytes
        if len(self._buffer) < head + size + TAG_BYTES:
            return None
        payload = bytes(self._buffer[head : head + size])
        tag = bytes(self._buffer[head + size : head + size + TAG_BYTES])
        del self._buffer[: head + size + TAG_BYTES]
        self._check(payload, tag)
        try:
            frame = decode(payload)
        except ValueError:
            raise ForeignBytes from None
        if not frame:
            raise ForeignBytes
        return frame

    def _check(self, payload: bytes, tag: bytes) -> None:
        signed = NUMBER.pack(self._frames) + payload
        if not hmac.compare_digest(tag, hmac.digest(self._key, signed, "sha256")):
            raise ForeignBytes
        self._frames += 1
