"""Every evaluation below a folder as one frame; only files that changed since the last time are read.

scan: which files there are, with their marks  ->  cache: what is known of them  ->  Reader: the others
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import polars as pl

from ...errors import InputError
from ...store.read import evaluation_file
from ...store.schema import REFUSED
from .cache import IndexCache
from .rows import SCHEMA, RawRows, complete, decode, with_parameters
from .scan import (
    BESIDE,
    MARKS,
    UNKNOWN,
    Content,
    Listing,
    Mark,
    contents_of,
    list_evaluations,
    marks_frame,
)

_HISTORY: Final = ("device", "test_case", "model", "prompt", "strategy")
# What tells one answer from all others, whatever its file is called and wherever it lies. Time and tokens are
# part of it: the predecessor has answers that share all the rest.
_ANSWER: Final = (
    "model", "test_case", "prompt", "strategy", "experiment", "device", "timestamp", "sample", "parameters",
    "elapsed", "prompt_tokens", "completion_tokens",
)  # fmt: skip
_BESIDE: Final = rf"(?:^|/){BESIDE}([^/]+?)__[^/]*$"
"""The path of a verdict by another Julia, with its version."""
_KEPT: Final[dict[str, pl.DataType]] = {**MARKS, "reason": pl.String(), **SCHEMA}
"""A row of the index: the file's marks, why it is broken (or null), and its row."""

# A file written twice within one tick of the file system's clock can bear the same marks with another
# content. So a file that changed this recently is read again the next time. The coarsest clock in use
# (FAT) ticks every 2 seconds.
_SETTLED_NS: Final = 2_500_000_000
_UNSETTLED: Final = -1
"""As a size: equal to no file's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenFile:
    """An evaluation that could not be used, and why."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{os.fsencode(self.path).decode(errors='replace')}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What a tree of stored answers holds."""

    frame: pl.DataFrame
    """One row for each evaluation, in the order of the files."""
    broken: tuple[BrokenFile, ...]
    """Evaluations that could not be used, in the order of the paths."""
    files: int
    """Evaluations found, broken ones included."""
    unjudged: int
    """Conversations that have no evaluation."""
    copies: int = 0
    """Evaluations of an answer that is there already, in another folder: they are no rows."""


def load_evaluations(root: Path | str, *, max_history: int | None = None, cache: bool = True) -> pl.DataFrame:
    """Return every evaluation below a folder as a polars frame, one row for each.

    Files that cannot be used are left out; `load_results` names them.
    """
    return load_results(root, max_history=max_history, cache=cache).frame


def load_results(
    root: Path | str, *, max_history: int | None = None, cache: bool = True, every_julia: bool = False
) -> Results:
    """Return every evaluation below a folder, and which files could not be used.

    `max_history` keeps only the latest of each device, test case, model, prompt and strategy. Without
    `cache` every file is read and the index is neither used nor written. With `every_julia` an answer has a
    row for each Julia that judged it: the present verdict, and those kept beside it.
    """
    top = _folder(root)
    if max_history is not None and max_history < 1:
        raise InputError(f"max_history is {max_history}; it must be at least 1, or left out for all")
    kept, listing = _kept_rows(str(top), cache=cache)
    kept, within = _of_julias(kept) if every_julia else (kept.filter(~_is_beside()), ())
    frame = _usable(kept)
    found = len(frame)
    frame = frame.unique((*_ANSWER, *within), keep="first", maintain_order=True)
    copies = found - len(frame)
    if max_history is not None:
        frame = latest(frame, max_history, within)
    broken = [*listing.unusable, *kept.filter(pl.col("reason").is_not_null()).select("file", "reason").rows()]
    return Results(
        frame=with_parameters(frame),
        broken=tuple(BrokenFile(path=top / file, reason=reason) for file, reason in sorted(broken)),
        files=len(kept) + len(listing.unusable),
        unjudged=listing.unjudged,
        copies=copies,
    )


def load_rows(root: Path | str) -> pl.DataFrame:
    """Return a row for every evaluation file below a folder that can be used, copies included."""
    return _usable(_kept_rows(str(_folder(root)), cache=True)[0].filter(~_is_beside()))


def _usable(kept: pl.DataFrame) -> pl.DataFrame:
    return kept.filter(pl.col("reason").is_null()).select(SCHEMA.keys())


def _folder(root: Path | str) -> Path:
    with suppress(OSError, RuntimeError):  # a folder one may not look into, or links in a circle
        if (top := Path(root).resolve()).is_dir():
            return top
    raise InputError(f"{root}: not a folder; give one with stored evaluations, such as code_generation")


def _is_beside() -> pl.Expr:
    return pl.col("file").str.contains(_BESIDE)


def _of_julias(kept: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """All rows, each with its Julia, and what tells them apart.

    A void verdict names no Julia where nothing ran; its file does. Rows are in the order of their files, so
    the present verdict, `evaluation__...`, comes before those beside it.
    """
    named = pl.coalesce("julia_version", pl.col("file").str.extract(_BESIDE))
    return kept.with_columns(julia_version=named), ("julia_version",)


def latest(frame: pl.DataFrame, count: int, within: Sequence[str] = ()) -> pl.DataFrame:
    """The last rows by timestamp of each device, test case, model, prompt and strategy; ties by the file."""
    age = pl.struct("timestamp", "file").rank("ordinal", descending=True).over((*_HISTORY, *within))
    return frame.filter(age <= count)


def _kept_rows(root: str, *, cache: bool) -> tuple[pl.DataFrame, Listing]:
    """All rows of the index, brought up to date."""
    started = time.time_ns()
    index_cache = IndexCache(root, _KEPT) if cache else None
    if index_cache is None or not index_cache.exists():
        listing = list_evaluations(root, marks=False)
        rows = _read(root, pl.Series(listing.files, dtype=pl.String).sort())
    else:
        known, listing, marks = _known_and_found(root, index_cache)
        if known is not None and known.select(MARKS.keys()).equals(marks):
            return known, listing
        rows = _refreshed(root, known, marks)
    if index_cache is not None:
        settled = pl.col("ctime_ns") < started - _SETTLED_NS
        index_cache.save(rows.with_columns(size=pl.when(settled).then("size").otherwise(_UNSETTLED)))
    return rows, listing


def _known_and_found(root: str, index_cache: IndexCache) -> tuple[pl.DataFrame | None, Listing, pl.DataFrame]:
    """What the index says, and what is there; the one is read while the other is listed."""
    with ThreadPoolExecutor(1) as thread:
        loading = thread.submit(index_cache.load)
        listing = list_evaluations(root, marks=True)
        marks = marks_frame(listing.files, listing.marks).sort("file")
        return loading.result(), listing, marks


def _refreshed(root: str, known: pl.DataFrame | None, marks: pl.DataFrame) -> pl.DataFrame:
    """The rows known already and those of files that are new or changed."""
    if known is None:
        return _read(root, marks["file"])
    still = known.join(marks, on=list(MARKS), how="semi")
    changed = marks.join(still, on="file", how="anti")["file"]
    return pl.concat([still, _read(root, changed.sort())]).sort("file")


def _read(root: str, files: pl.Series) -> pl.DataFrame:
    """Read sorted files; rows of the index, marked by what the files were like before they were read."""
    reader = Reader(root)
    rows = complete(reader.read(files.to_list()))
    marks = marks_frame(list(reader.marks), list(reader.marks.values()))
    if rows["file"].equals(marks["file"]):  # as usual: none broken, none removed meanwhile
        kept = marks.hstack(rows.drop("file")).with_columns(reason=pl.lit(None, pl.String))
    else:
        reasons = {"file": list(reader.reasons), "reason": list(reader.reasons.values())}
        broken = pl.DataFrame(reasons, {"file": pl.String, "reason": pl.String})
        found = pl.concat([rows, broken], how="diagonal")
        kept = marks.join(found, on="file", how="inner").sort("file")
    return kept.select(_KEPT.keys())


# ---- Files -> rows. Broken ones are named with the reason, and never keep others from being read.


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
        frame = pl.concat([self._rows.frame([], []), *frames])
        return pl.concat([frame, self._second_looks()]) if self._again else frame

    def _decode(self, files: Sequence[str], contents: Sequence[Content]) -> pl.DataFrame:
        """One batch as a frame, without the files that are to be looked at again."""
        self.marks.update(zip(files, [mark for mark, _ in contents], strict=True))
        try:
            decoded = dict(zip(files, [decode(data) for _, data in contents], strict=True))
        except REFUSED:
            decoded = self._decode_singly(files, contents)
        return self._rows.frame(list(decoded), list(decoded.values()))

    def _decode_singly(self, files: Sequence[str], contents: Sequence[Content]) -> dict[str, msgspec.Struct]:
        decoded = {}
        for file, (_, data) in zip(files, contents, strict=True):
            try:
                decoded[file] = decode(data)
            except REFUSED:
                self._again.append(file)
        return decoded

    def _second_looks(self) -> pl.DataFrame:
        found = {file: evaluation for file in self._again if (evaluation := self._look_again(file))}
        return self._rows.frame(list(found), list(found.values()))

    def _look_again(self, file: str) -> msgspec.Struct | None:
        """The store says what is wrong with a file, or that it is only spelt unusually."""
        path = Path(self._root, file)
        try:
            found: msgspec.Struct = evaluation_file(path)
            return found
        except InputError as exc:
            if isinstance(exc.__cause__, FileNotFoundError):
                return None
            if isinstance(exc.__cause__, OSError):  # that may pass, and leave no mark
                self.marks[file] = UNKNOWN
            self.reasons[file] = str(exc).removeprefix(f"{path}: ")
        return None
