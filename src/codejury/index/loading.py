"""Every evaluation below a folder as one frame; only files that changed since the last time are read.

walking: which files there are, with their marks  ->  shelf: what is known of them  ->  reading: the others
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from ..errors import InputError
from .columns import SCHEMA
from .parameters import with_parameters
from .reading import Reader
from .rows import complete
from .shelf import Shelf
from .walking import MARKS, Listing, list_evaluations, marks_frame

_HISTORY: Final = ("device", "test_case", "model", "prompt", "strategy")
# What tells one answer from all others, whatever its file is called and wherever it lies. Time and tokens are
# part of it: the predecessor has answers that share all the rest.
_ANSWER: Final = (
    "model", "test_case", "prompt", "strategy", "experiment", "device", "timestamp", "sample", "parameters",
    "elapsed", "prompt_tokens", "completion_tokens",
)  # fmt: skip
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

    Files that cannot be used are left out; `codejury.index.load_results` names them.
    """
    return load_results(root, max_history=max_history, cache=cache).frame


def load_results(root: Path | str, *, max_history: int | None = None, cache: bool = True) -> Results:
    """Return every evaluation below a folder, and which files could not be used.

    `max_history` keeps only the latest of each device, test case, model, prompt and strategy. Without
    `cache` every file is read and the index is neither used nor written.
    """
    top = _folder(root)
    if max_history is not None and max_history < 1:
        raise InputError(f"max_history is {max_history}; it must be at least 1, or left out for all")
    kept, listing = _kept_rows(str(top), cache=cache)
    frame = kept.filter(pl.col("reason").is_null()).select(SCHEMA.keys())
    found = len(frame)
    frame = frame.unique(_ANSWER, keep="first", maintain_order=True)
    copies = found - len(frame)
    if max_history is not None:
        frame = latest(frame, max_history)
    broken = [*listing.unusable, *kept.filter(pl.col("reason").is_not_null()).select("file", "reason").rows()]
    return Results(
        frame=with_parameters(frame),
        broken=tuple(BrokenFile(path=top / file, reason=reason) for file, reason in sorted(broken)),
        files=len(kept) + len(listing.unusable),
        unjudged=listing.unjudged,
        copies=copies,
    )


def _folder(root: Path | str) -> Path:
    with suppress(OSError, RuntimeError):  # a folder one may not look into, or links in a circle
        if (top := Path(root).resolve()).is_dir():
            return top
    raise InputError(f"{root}: not a folder; give one with stored evaluations, such as code_generation")


def latest(frame: pl.DataFrame, count: int) -> pl.DataFrame:
    """The last rows by timestamp of each device, test case, model, prompt and strategy; ties by the file."""
    age = pl.struct("timestamp", "file").rank("ordinal", descending=True).over(_HISTORY)
    return frame.filter(age <= count)


def _kept_rows(root: str, *, cache: bool) -> tuple[pl.DataFrame, Listing]:
    """All rows of the index, brought up to date."""
    started = time.time_ns()
    shelf = Shelf(root, _KEPT) if cache else None
    if shelf is None or not shelf.exists():
        listing = list_evaluations(root, marks=False)
        rows = _read(root, pl.Series(listing.files, dtype=pl.String).sort())
    else:
        known, listing, marks = _known_and_found(root, shelf)
        if known is not None and known.select(MARKS.keys()).equals(marks):
            return known, listing
        rows = _refreshed(root, known, marks)
    if shelf is not None:
        settled = pl.col("ctime_ns") < started - _SETTLED_NS
        shelf.save(rows.with_columns(size=pl.when(settled).then("size").otherwise(_UNSETTLED)))
    return rows, listing


def _known_and_found(root: str, shelf: Shelf) -> tuple[pl.DataFrame | None, Listing, pl.DataFrame]:
    """What the index says, and what is there; the one is read while the other is listed."""
    with ThreadPoolExecutor(1) as thread:
        loading = thread.submit(shelf.load)
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
