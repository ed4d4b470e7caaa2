"""Files -> rows. Broken ones are named with the reason, and never spoil their neighbours.

The quick decoder never calls a file broken: what it refuses, and what contradicts itself, gets a second
look by the store, whose word counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from ..errors import InputError
from ..store import read_evaluation
from ..store.encoding import to_bytes
from .contents import Content, contents_of
from .rows import RawRows, contradicts_itself
from .stored import REFUSED, StoredEvaluation, decode
from .walking import UNKNOWN, Mark


class Reader:
    """Reads evaluations below one root: raw rows, and the reasons why files have none."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._rows = RawRows(root)
        self._again: list[str] = []
        self.marks: dict[str, Mark] = {}
        """Of each file, as they were before it was read."""
        self.reasons: dict[str, str] = {}
        """Why a file is broken. One that was removed meanwhile has neither a row nor a reason."""

    def read(self, files: Sequence[str]) -> pl.DataFrame:
        """Return the raw rows of these files in their order, then of those that needed a second look."""
        frames = [self._decode(batch, contents) for batch, contents in contents_of(self._root, files)]
        frame = self._agreeing(pl.concat([self._rows.frame([], []), *frames]))
        return pl.concat([frame, self._second_looks()]) if self._again else frame

    def _decode(self, files: Sequence[str], contents: Sequence[Content]) -> pl.DataFrame:
        """One batch as a frame, without the files that are to be looked at again."""
        self.marks.update(zip(files, [mark for mark, _ in contents], strict=True))
        try:
            decoded = dict(zip(files, [decode(data) for _, data in contents], strict=True))
        except REFUSED:
            decoded = self._decode_singly(files, contents)
        return self._rows.frame(list(decoded), list(decoded.values()))

    def _decode_singly(
        self, files: Sequence[str], contents: Sequence[Content]
    ) -> dict[str, StoredEvaluation]:
        decoded = {}
        for file, (_, data) in zip(files, contents, strict=True):
            try:
                decoded[file] = decode(data)
            except REFUSED:
                self._again.append(file)
        return decoded

    def _agreeing(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows that do not contradict themselves; the others are to be looked at again."""
        odd = frame.select(odd=contradicts_itself())["odd"]
        if not odd.any():
            return frame
        self._again += frame.filter(odd)["file"].to_list()
        return frame.filter(~odd)

    def _second_looks(self) -> pl.DataFrame:
        found = {file: evaluation for file in self._again if (evaluation := self._look_again(file))}
        frame = self._rows.frame(list(found), list(found.values()))
        odd = frame.select(odd=contradicts_itself())["odd"]
        self.reasons |= dict.fromkeys(frame.filter(odd)["file"], "contradicts itself")
        return frame.filter(~odd)

    def _look_again(self, file: str) -> StoredEvaluation | None:
        """The store says what is wrong with a file, or that it is only spelt unusually."""
        path = Path(self._root, file)
        try:
            return decode(to_bytes(read_evaluation(path)))
        except InputError as exc:
            if isinstance(exc.__cause__, FileNotFoundError):
                return None
            if isinstance(exc.__cause__, OSError):  # that may pass, and leave no mark
                self.marks[file] = UNKNOWN
            self.reasons[file] = str(exc).removeprefix(f"{path}: ")
        except REFUSED as exc:
            self.reasons[file] = f"holds a value that cannot be used: {exc}"
        return None
