"""The strengths of a suite, kept in a file: one entry a test case, by `category/name`.

An entry knows the definition it was measured on, so that one can see when it is out of date.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from ...errors import InputError
from ...files import alone_in, overwrite
from ...program import command
from ...records import TestCase
from ..load import load_definition
from .report import Fate, StrengthReport

FILE: Final = "strength.json"

_LABELS: Final = frozenset({"level", "kind", "julia", "performance"})
"""Fields that say something about a test case, and change nothing in its tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredStrength:
    """What is kept of a report."""

    fingerprint: str
    """Of the definition as it was, solution included."""
    strength: float | None
    killed: int
    survived: int
    equivalent: int
    tests: int
    passing_cheats: int
    flaky: int
    repeats: int


def fingerprint(test_case: TestCase) -> str:
    """The same for definitions that say the same."""
    names = [field.name for field in fields(test_case) if field.compare and field.name not in _LABELS]
    values = [getattr(test_case, name) for name in names if name != "given" or test_case.given]
    return sha256(json.dumps(values).encode()).hexdigest()[:16]


def load(file: Path) -> dict[str, StoredStrength]:
    """The entries of a file, none where there is no file; InputError if it cannot be understood."""
    try:
        entries: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return {name: StoredStrength(**entry) for name, entry in entries.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as exc:
        writes = command("validate", "--strength", "--save")
        raise InputError(f"{file}: is no file of strengths: {exc}; write it with `{writes}`") from None


def save(reports: Sequence[StrengthReport], file: Path) -> None:
    """Add the reports to a file, in place of what it says about the same test cases."""
    measured = {
        f"{report.category}/{report.name}": _kept(report, report.path)
        for report in reports
        if report.path and not (report.unchecked_because or report.faulty_entries)
    }
    try:
        with alone_in(file.parent):  # each adds to what the one before it has written
            entries = load(file) | measured
            document = {name: asdict(entries[name]) for name in sorted(entries)}
            overwrite(file, f"{json.dumps(document, indent=1, ensure_ascii=False)}\n".encode())
    except OSError as exc:
        raise InputError(f"{file}: cannot be written: {exc.strerror}; name another file") from None


def _kept(report: StrengthReport, path: Path) -> StoredStrength:
    return StoredStrength(
        fingerprint=fingerprint(load_definition(path)),
        strength=None if report.strength is None else round(report.strength, 1),
        killed=report.count(Fate.KILLED),
        survived=report.count(Fate.SURVIVED),
        equivalent=report.count(Fate.EQUIVALENT),
        tests=report.tests,
        passing_cheats=len(report.passing_cheats),
        flaky=len(report.flaky),
        repeats=report.repeats,
    )
