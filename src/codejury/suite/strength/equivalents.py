"""Mutants that no test can kill, since they do the same: listed in a file beside the definition.

    [[equivalent]]
    mutant = "3fa9c1d2"
    reason = "the loop ends by itself one step later"

Instead of its id a mutant can be named by what changes, `before` and `after`, as the report shows them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ...errors import DefinitionError, Problem
from .mutants import Mutant

FILE: Final = "equivalent_mutants.toml"
_FIELDS: Final = {"mutant", "before", "after", "reason"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalent:
    """One entry of the file."""

    mutant: str = ""
    before: str | None = None
    after: str | None = None
    reason: str

    def matches(self, mutant: Mutant) -> bool:
        if self.mutant:
            return mutant.id == self.mutant
        return (_words(self.before), _words(self.after)) == (
            _words("\n".join(mutant.before)),
            _words("\n".join(mutant.after)),
        )

    def __str__(self) -> str:
        return self.mutant or f"{(self.before or '').strip()!r} -> {(self.after or '').strip()!r}"


def read_equivalents(definition: Path | None) -> list[Equivalent]:
    """The entries beside a definition; DefinitionError with all that is wrong with them."""
    file = definition.with_name(FILE) if definition else None
    if file is None or not file.exists():
        return []
    entries = _entries(file)
    if problems := [
        problem for number, entry in enumerate(entries) for problem in _faults(file, number, entry)
    ]:
        raise DefinitionError(problems)
    return [Equivalent(**entry) for entry in entries]


def match(entries: Sequence[Equivalent], mutants: Sequence[Mutant]) -> tuple[dict[str, str], list[str]]:
    """The reason for each mutant that is marked, by id, and the entries that match none."""
    marked: dict[str, str] = {}
    stale = []
    for entry in entries:
        found = [mutant.id for mutant in mutants if entry.matches(mutant)]
        marked.update(dict.fromkeys(found, entry.reason))
        if not found:
            stale.append(str(entry))
    return marked, stale


def stanza(mutant: Mutant) -> str:
    """The entry for a mutant, as one would write it; the reason is left to the author."""
    return f'[[equivalent]]\nmutant = "{mutant.id}"\nreason = ""'


def _entries(file: Path) -> list[dict[str, Any]]:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise DefinitionError([_problem(file, "file", f"cannot be read: {exc}", "fix the TOML")]) from None
    entries = document.pop("equivalent", [])
    if document or not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        what = f"holds {', '.join(document) or 'something'} where only [[equivalent]] entries belong"
        raise DefinitionError([_problem(file, "file", what, "write each entry under [[equivalent]]")])
    return entries


def _faults(file: Path, number: int, entry: Mapping[str, Any]) -> Iterator[Problem]:
    where = f"equivalent[{number}]"
    if unknown := sorted(entry.keys() - _FIELDS):
        yield _problem(
            file, where, f"has unknown fields: {', '.join(unknown)}", f"use {', '.join(sorted(_FIELDS))}"
        )
    if not all(isinstance(value, str) for value in entry.values()):
        yield _problem(file, where, "has a field that is no text", "put it in quotes")
    elif not entry.get("reason", "").strip():
        yield _problem(file, where, "has no reason", "say why no test can tell the mutant from the solution")
    if not entry.get("mutant") and not ("before" in entry and "after" in entry):
        yield _problem(
            file, where, "names no mutant", "give its id as `mutant`, or both `before` and `after`"
        )


def _problem(file: Path, field: str, what: str, repair: str) -> Problem:
    return Problem(file=file, field=field, what=what, repair=repair)


def _words(text: str | None) -> list[str]:
    return (text or "").split()
