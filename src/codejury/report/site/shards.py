"""The answers behind the numbers, in compressed pieces that a browser reads one at a time.

answers/<test case>/<model>.<part>.js     Codejury.deliver("<name>", "<base64 of gzip of JSON>");

A page on a disk may not fetch a file, but may load a script: so a shard is one, and nothing in it but
letters of base64 came from a model. Most models need one part per test case; what would be larger than
LIMIT is split, and an answer that is larger by itself is shortened, and says so.

This module runs in processes of its own: it imports little.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from ...files import overwrite
from .answers import Answer, read_answer
from .changes import Stamps

LIMIT: Final = 100_000
"""Bytes of a shard on the wire, as it is on the disk."""
LEVEL: Final = 6
"""Of gzip: 9 takes twice the time for 1 % less."""
_FORMAT: Final = 2
_MOST_LISTED: Final = 400
_RESERVE: Final = 20_000
"""Bytes kept free for the list of answers and the code of the tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEntry:
    """One answer of a group: its address in the site, its file, and what the board counts it as."""

    id: str
    file: str
    prompt: str
    strategy: str
    outcome: str
    score: float | None


_facts_of: Final = attrgetter(*(each.name for each in fields(AnswerEntry)))
"""All fields, as `astuple` gives them in ten times the time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """All answers of one model to one test case."""

    key: str
    """`<test case>/<model>`, as in addresses."""
    test_case: str
    category: str
    model: str
    entries: tuple[AnswerEntry, ...]
    before: str
    """The group a reader comes to going back, or ""."""
    after: str
    examples: tuple[str, ...] = ()
    unit_tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What became of a group."""

    key: str
    signature: str
    parts: tuple[int, ...]
    """How many answers each part holds, in order."""
    sizes: tuple[int, ...]
    kinds: tuple[str, ...]
    """What failed in each answer, "" for nothing."""


def shard_name(key: str, part: int) -> str:
    return f"answers/{key}.{part}"


def signature(root: Path, group: Group, stamps: Stamps) -> str:
    """Changes when a file of the group does, or anything else that stands in its shards."""
    facts: list[Any] = [_FORMAT, LIMIT, group.key, group.test_case, group.category, group.model]
    facts += [group.before, group.after, _codes_mark(group.examples, group.unit_tests)]
    facts += [_facts_of(entry) for entry in group.entries]
    above = os.path.join(root, "")  # noqa: PTH118 - as the paths of the stamps begin, for "/" too
    facts += [
        stamps.get(above + name)
        for entry in group.entries
        for name in (entry.file, conversation_file(entry.file))
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]


@lru_cache(maxsize=64)  # the groups of a test case share its code, and come one after the other
def _codes_mark(*codes: tuple[str, ...]) -> str:
    return hashlib.sha256(json.dumps(codes).encode()).hexdigest()


def conversation_file(evaluation: str) -> str:
    folder, slash, name = evaluation.rpartition("/")
    return f"{folder}{slash}conversation__{name.removeprefix('evaluation__')}"


def write_groups(root: Path, folder: Path, groups: Sequence[tuple[Group, str]]) -> list[Written]:
    """Write the shards of some groups, each given with its signature."""
    return [write_group(root, folder, group, mark) for group, mark in groups]


def write_group(root: Path, folder: Path, group: Group, mark: str) -> Written:
    """Write the shards of one group."""
    read = [_read(root, group, entry) for entry in group.entries]
    shards = _shards(group, [answer for answer, _ in read])
    for number, (_, data) in enumerate(shards, start=1):
        _write(folder / f"{shard_name(group.key, number)}.js", data)
    return Written(
        key=group.key,
        signature=mark,
        parts=tuple(count for count, _ in shards),
        sizes=tuple(len(data) for _, data in shards),
        kinds=tuple(kind for _, kind in read),
    )


def _shards(group: Group, answers: list[Answer]) -> list[tuple[int, bytes]]:
    """How many answers each shard holds, and its content. Nearly always all fit into one."""
    whole = _shard(shard_name(group.key, 1), _document(group, (len(answers),), 1, answers))
    if len(whole) <= LIMIT:
        return [(len(answers), whole)]
    parts = list(_split(answers))
    counts = tuple(len(part) for part in parts)
    return [
        (len(part), _shard(shard_name(group.key, number), _document(group, counts, number, part)))
        for number, part in enumerate(parts, start=1)
    ]


def _read(root: Path, group: Group, entry: AnswerEntry) -> tuple[Answer, str]:
    answer, kind = read_answer(f"{root}/{entry.file}", f"{root}/{conversation_file(entry.file)}")
    facts = {"id": entry.id, "file": entry.file, "score": entry.score, "outcome": entry.outcome}
    return {**facts, **answer}, kind


def _split(answers: list[Answer]) -> Iterator[list[Answer]]:
    """As few runs of answers as fit into a shard each."""
    fits = len(_packed(answers)) <= LIMIT - _RESERVE
    if fits:
        yield answers
    elif len(answers) == 1:
        yield [_shortened(answers[0])]
    else:
        middle = len(answers) // 2
        yield from _split(answers[:middle])
        yield from _split(answers[middle:])


def _shortened(answer: Answer) -> Answer:
    """An answer no shard can hold, cut until one can: texts first to 16,000 characters each, then less."""
    for keep in (16_000, 4_000, 1_000, 250):
        short: Answer = {**_cut(answer, keep), "shortened": True}
        if len(_packed([short])) <= LIMIT - _RESERVE:
            return short
    bare = ("id", "file", "score", "outcome", "prompt", "strategy", "time", "tests", "examples")
    return {**{key: answer[key] for key in bare if key in answer}, "shortened": True}


def _cut(value: Any, keep: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= keep else f"{value[:keep]}…"
    if isinstance(value, list):
        return [_cut(item, keep) for item in value[:keep]]
    if isinstance(value, dict):
        return {name: _cut(item, keep) for name, item in value.items()}
    return value


def _document(group: Group, counts: tuple[int, ...], part: int, answers: list[Answer]) -> dict[str, Any]:
    return {
        "test_case": group.test_case, "category": group.category, "model": group.model, "key": group.key,
        "part": part, "parts": len(counts), "first": sum(counts[: part - 1]), "total": sum(counts),
        "before": group.before, "after": group.after, "list": _list(group, counts),
        "tests": _texts(group.unit_tests), "examples": _texts(group.examples), "answers": answers,
    }  # fmt: skip


def _texts(codes: Sequence[str], most: int = 24_000) -> list[str]:
    """The codes of the tests; too long ones are on the test case's page only."""
    return list(codes) if sum(map(len, codes)) <= most else []


def _list(group: Group, counts: tuple[int, ...]) -> list[list[Any]]:
    """Every answer of the group with the part it is in; nothing where they are too many to list."""
    if len(group.entries) > _MOST_LISTED:
        return []
    numbers = [number for number, count in enumerate(counts, start=1) for _ in range(count)]
    return [
        [entry.id, number, entry.prompt, entry.strategy, entry.outcome, entry.score]
        for entry, number in zip(group.entries, numbers, strict=True)
    ]


def _packed(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # A fixed time: the same answers make the same bytes.
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), LEVEL, mtime=0))


def _shard(name: str, document: dict[str, Any]) -> bytes:
    return b'Codejury.deliver("%s","%s");\n' % (name.encode("ascii"), _packed(document))


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    overwrite(path, data)
