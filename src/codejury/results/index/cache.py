"""The index on disk: what the files of one root said when they were last read, as Parquet.

<cache>/index/<hash of the root>.<hash of the content>.parquet

It only saves time. The name vouches for the content, for the root and for the Codejury that wrote it: a
file that is damaged, foreign, or of another version does not answer to its name and is not used. It is
replaced as a whole; two processes at once leave one index or the other.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import polars as pl

from ... import __version__
from ...files import overwrite
from ...settings import load_settings

# The number of the index' layout: anything that changes a stored row for the same file gets a new one.
_LAYOUT: Final = 3


class IndexCache:
    """Where the index of one root is kept."""

    def __init__(self, root: str, schema: Mapping[str, pl.DataType], folder: Path | None = None) -> None:
        self._root = root
        self._schema = dict(schema)
        self._folder = load_settings().cache / "index" if folder is None else folder
        self._stem = hashlib.blake2b(os.fsencode(root), digest_size=16).hexdigest()

    def exists(self) -> bool:
        """Whether there is something to load; it may still be of no use."""
        return bool(self._kept())

    def load(self) -> pl.DataFrame | None:
        """Return what was kept, or None if there is nothing that can be trusted."""
        for path in self._kept():
            with suppress(OSError, pl.exceptions.PolarsError):
                data = path.read_bytes()
                if path.name == self._name(data):
                    frame = pl.read_parquet(io.BytesIO(data))
                    return frame if dict(frame.schema) == self._schema else None
        return None

    def save(self, frame: pl.DataFrame) -> bool:
        """Keep a frame instead of what was kept; False if the cache cannot be written."""
        buffer = io.BytesIO()
        frame.write_parquet(buffer, compression="zstd", compression_level=1, statistics=False)
        data = buffer.getvalue()
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            name = self._name(data)
            outdated = [path for path in self._kept() if path.name != name]
            overwrite(self._folder / name, data, mode=0o600)
            for path in outdated:
                path.unlink(missing_ok=True)
        except OSError:
            return False
        return True

    def _kept(self) -> list[Path]:
        """Files that claim to be an index of this root; more than one while another process saves."""
        with suppress(OSError):
            return sorted(self._folder.glob(f"{self._stem}.*.parquet"))
        return []

    def _name(self, data: bytes) -> str:
        digest = hashlib.blake2b(data, digest_size=16, key=f"{_LAYOUT} {__version__}".encode())
        digest.update(os.fsencode(self._root))
        return f"{self._stem}.{digest.hexdigest()}.parquet"
