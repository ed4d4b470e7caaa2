"""Packs the answers of all groups: on all processors, beside other work, and only what changed."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import quote

from .changes import Stamps
from .output import SiteFolder
from .shards import Group, Written, shard_name, signature, write_groups

_WORTH_PROCESSES: Final = 1500
"""Answers below which starting processes takes longer than the work."""
_PORTION: Final = 400
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.~-]*").fullmatch

Task = tuple[Group, str]
"""A group and its signature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """Where every answer is, and what failed in it."""

    addresses: Mapping[str, str]
    """By file: what comes after `answer.html#`."""
    kinds: Mapping[str, str]
    """By file: the kind of failure, or ""."""
    notes: Mapping[str, Any]
    """What the next build wants to know."""
    largest: int
    """Bytes of the largest shard."""


class Packing:
    """Starts when entered; `wait` gives the result. In between its processes work by themselves."""

    def __init__(self, root: Path, output: SiteFolder, groups: Sequence[Group], stamps: Stamps) -> None:
        self._root, self._output, self._groups, self._stamps = root, output, groups, stamps
        self._done: dict[str, Written] = {}
        self._fresh: list[Task] = []
        self._futures: list[Future[list[Written]]] = []
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        for group in self._groups:
            mark = signature(self._root, group, self._stamps)
            kept = _kept(self._output, group, mark)
            if kept:
                self._done[group.key] = kept
            else:
                self._fresh.append((group, mark))
        workers = len(os.sched_getaffinity(0))
        if workers > 1 and sum(len(group.entries) for group, _ in self._fresh) >= _WORTH_PROCESSES:
            self._start(workers)
        return self

    def _start(self, workers: int) -> None:
        # Not forked: this process has threads, of polars and numpy. What they make and drop holds no
        # circles, and looking for some would take a sixth of their time.
        self._pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=gc.disable)
        folder = self._output.folder
        self._futures = [
            self._pool.submit(write_groups, self._root, folder, portion) for portion in _portions(self._fresh)
        ]

    def __exit__(self, *_: object) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)

    def wait(self) -> Archive:
        """The result, when all is packed."""
        for written in self._written():
            self._done[written.key] = written
            for number, size in enumerate(written.sizes, start=1):
                self._output.note(f"{shard_name(written.key, number)}.js", size)
        return _archive(self._groups, self._done)

    def _written(self) -> Iterator[Written]:
        if self._pool is None:
            yield from write_groups(self._root, self._output.folder, self._fresh)
        for future in self._futures:
            yield from future.result()


def _archive(groups: Sequence[Group], done: Mapping[str, Written]) -> Archive:
    return Archive(
        addresses={file: address for group in groups for file, address in _addresses(group, done[group.key])},
        kinds={
            entry.file: kind
            for group in groups
            for entry, kind in zip(group.entries, done[group.key].kinds, strict=True)
        },
        notes={key: [one.signature, one.parts, one.sizes, one.kinds] for key, one in done.items()},
        largest=max((size for one in done.values() for size in one.sizes), default=0),
    )


def _kept(output: SiteFolder, group: Group, mark: str) -> Written | None:
    """The shards of the last build, if they are still right and still there."""
    match output.shards_before.get(group.key):
        case [str(before), list(parts), list(sizes), list(kinds)] if before == mark:
            files = [f"{shard_name(group.key, number)}.js" for number in range(1, len(parts) + 1)]
            if len(kinds) == len(group.entries) == sum(parts) and all(output.keep(file) for file in files):
                return Written(
                    key=group.key,
                    signature=mark,
                    parts=tuple(parts),
                    sizes=tuple(sizes),
                    kinds=tuple(kinds),
                )
    return None


def _portions(fresh: Sequence[Task]) -> Iterator[list[Task]]:
    portion: list[Task] = []
    answers = 0
    for group, mark in fresh:
        portion.append((group, mark))
        answers += len(group.entries)
        if answers >= _PORTION:
            yield portion
            portion, answers = [], 0
    if portion:
        yield portion


def _addresses(group: Group, written: Written) -> Iterator[tuple[str, str]]:
    parts = (number for number, count in enumerate(written.parts, start=1) for _ in range(count))
    for entry, part in zip(group.entries, parts, strict=True):
        # Nearly all are made of letters that need no quoting, which takes long to find out.
        identity = entry.id if _PLAIN(entry.id) else quote(entry.id, safe="")
        yield entry.file, f"{group.key}/{part}/{identity}"
