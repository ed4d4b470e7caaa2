"""What an answer gets that defines the name and returns nothing: the floor of each test case.

The scores are kept with the suite, one entry a test case by `category/name`, each with the hash of the
definition it was measured on: a definition that was changed has no floor until it is measured again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..errors import InputError
from ..judge.score import definition_hash
from ..program import command
from ..records import TestCase
from .toml_file import write_atomically

if TYPE_CHECKING:
    from ..judge.judge import Judge

FILE: Final = "stub_scores.json"

_FIELDS: Final = {"definition_hash", "score"}


def measure_stubs(cases: Iterable[TestCase], judge: Judge) -> dict[str, dict[str, Any]]:
    """The entry of each test case, without those that cannot be judged here."""
    from ..models.baselines import stub_answer  # a site reads the scores, and measures nothing

    verdicts = judge.each(cases, lambda case: judge.evaluate(stub_answer(case), case))
    return {
        f"{case.category}/{case.name}": {"definition_hash": verdict.definition_hash, "score": verdict.score}
        for case, verdict in verdicts
        if verdict.score is not None
    }


def save_stubs(entries: Mapping[str, Mapping[str, Any]], root: Path) -> Path:
    """Write the entries to the suite's file, in place of what it says about the same test cases."""
    file = root / FILE
    kept = {**_read(file), **entries}
    write_atomically(file, json.dumps(dict(sorted(kept.items())), indent=1, ensure_ascii=False) + "\n")
    return file


def stub_scores(cases: Iterable[TestCase]) -> dict[str, float]:
    """By the name of each test case whose floor is known, from the files of the suites they are in."""
    files: dict[Path, dict[str, dict[str, Any]]] = {}
    found: dict[str, float] = {}
    for case in cases:
        if case.path is None:
            continue
        file = case.path.parents[2] / FILE
        if file not in files:
            files[file] = _read(file)
        entry = files[file].get(f"{case.category}/{case.name}")
        if entry and entry["definition_hash"] == definition_hash(case):
            found[case.name] = float(entry["score"])
    return found


def _read(file: Path) -> dict[str, dict[str, Any]]:
    """The entries of a file; none where there is no file."""
    try:
        entries: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        if all(entry.keys() >= _FIELDS for entry in entries.values()):
            return entries
        reason = f"an entry lacks {' or '.join(sorted(_FIELDS))}"
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError) as exc:
        reason = str(exc)
    raise InputError(
        f"{file}: is no file of stub scores: {reason}; write it with `{command('suite', '--stubs')}`"
    )
