"""Everything a site is made from, loaded once: the evaluations, the test cases, and where each answer is.

load_world    files -> World
World.groups  the answers of one model to one test case, in the order a reader goes through them
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import DefinitionError, InputError
from ...program import command
from ...records import TestCase
from ...suite.stubs import stub_scores
from ...suite.suite import Suite, SuiteNotes, definitions_of_results
from .pages import slug
from .shards import AnswerEntry, Group

if TYPE_CHECKING:
    import polars as pl

    from ...results.index.load import BrokenFile


_ENTRY_COLUMNS = (
    "test_case",
    "category",
    "model",
    "prompt",
    "strategy",
    "timestamp",
    "outcome",
    "score",
    "file",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What the site tells of."""

    root: Path
    frame: pl.DataFrame
    broken: tuple[BrokenFile, ...]
    files: int
    """Evaluations that were found, broken ones included."""
    copies: int
    """Evaluations that are copies of others, and left out."""
    definitions: Mapping[str, TestCase]
    """Those of the test cases that occur, by name; one may be missing."""
    unusable: tuple[str, ...]
    """Definitions that cannot be used, and why."""
    notes: SuiteNotes
    """What is to be said about the definitions."""


def load_world(root: Path, definitions: Path | None = None, *, max_history: int | None = None) -> World:
    """Load what lies below a folder. InputError if there are no evaluations: an empty site helps nobody."""
    from ...results.index.load import load_results
    from ...results.statistics.select import with_cases

    results = load_results(root, max_history=max_history)
    if results.frame.is_empty():
        broken = f" ({len(results.broken)} could not be read)" if results.broken else ""
        raise InputError(f"{root}: no evaluations here or below{broken}; `{command('run')}` makes some")
    names = set(results.frame["test_case"].unique().to_list())
    suite = Suite(definitions_of_results(root, definitions))
    cases, unusable = _load_definitions(suite, names)
    frame = with_cases(results.frame, cases, stub_scores(cases.values()))
    return World(
        root=root, frame=frame, broken=results.broken, files=results.files, copies=results.copies,
        definitions=cases, unusable=unusable, notes=suite.notes(),
    )  # fmt: skip


def _load_definitions(suite: Suite, names: set[str]) -> tuple[dict[str, TestCase], tuple[str, ...]]:
    """The first usable definition for each name, and what is wrong with the others."""
    found: dict[str, TestCase] = {}
    unusable = []
    for name in sorted(names):
        for file in suite.find(name):
            try:
                found.setdefault(name, suite.load(file))
            except DefinitionError as error:
                unusable.append(str(error))
    return found, tuple(unusable)


def make_groups(world: World) -> list[Group]:
    """The answers of each model to each test case, both by name.

    Not by rank: each names the groups beside it, and a model that climbs would change those of others.
    """
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    ordered = world.frame.select(_ENTRY_COLUMNS).sort("test_case", "prompt", "strategy", "timestamp", "file")
    for row in ordered.iter_rows(named=True):
        rows.setdefault((row["test_case"], row["model"]), []).append(row)
    pairs = sorted(rows)
    keys = [group_key(*pair) for pair in pairs]
    around = zip(pairs, keys, ["", *keys[:-1]], [*keys[1:], ""], strict=True)
    return [_group(world, rows[pair], key, before, after) for pair, key, before, after in around]


def group_key(test_case: str, model: str) -> str:
    return f"{slug(test_case)}/{slug(model)}"


def _group(world: World, rows: list[dict[str, Any]], key: str, before: str, after: str) -> Group:
    first = rows[0]
    case = world.definitions.get(first["test_case"])
    return Group(
        key=key,
        test_case=first["test_case"],
        category=first["category"],
        model=first["model"],
        entries=_entries(rows),
        before=before,
        after=after,
        examples=case.examples if case else (),
        unit_tests=case.unit_tests if case else (),
    )


def _entries(rows: list[dict[str, Any]]) -> tuple[AnswerEntry, ...]:
    """Each with an id of its own: the predecessor has answers that share all of their name."""
    entries: list[AnswerEntry] = []
    taken: set[str] = set()
    for row in rows:
        name = identity = f"{row['prompt']}__{row['strategy']}__{row['timestamp']}"
        number = 2
        while identity in taken:
            identity, number = f"{name}~{number}", number + 1
        taken.add(identity)
        facts = {key: row[key] for key in ("file", "prompt", "strategy", "outcome", "score")}
        entries.append(AnswerEntry(id=identity, **facts))
    return tuple(entries)
