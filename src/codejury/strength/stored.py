"""The strengths of a suite, kept in a file: one entry a test case, by `category/name`.

An entry knows the definition it was measured on, so that one can see when it is out of date.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from ..definitions import load_definition
from ..errors import InputError
from ..records import TestCase
from .report import Fate, StrengthReport

FILE: Final = "strength.json"


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
    values = [getattr(test_case, field.name) for field in fields(test_case) if field.compare]
    return sha256(json.dumps(values).encode()).hexdigest()[:16]


def load(file: Path) -> dict[str, StoredStrength]:
    """The entries of a file, none where there is no file; InputError if it cannot be understood."""
    try:
        entries: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return {name: StoredStrength(**entry) for name, entry in entries.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as exc:
        raise InputError(
            f"{file}: is no file of strengths: {exc}; write it with `codejury validate --strength --save`"
        ) from None


def save(reports: Sequence[StrengthReport], file: Path) -> None:
    """Add the reports to a file, in place of what it says about the same test cases."""
    measured = {
        f"{report.category}/{report.name}": _kept(report, report.path)
        for report in reports
        if report.path and not report.unchecked_because
    }
    try:
        with _alone_in(file.parent):
            entries = load(file) | measured
            document = {name: asdict(entries[name]) for name in sorted(entries)}
            _write(file, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    except OSError as exc:
        raise InputError(f"{file}: cannot be written: {exc.strerror}; name another file") from None


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait for others that add to the same file: each reads what the one before it has written."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _write(file: Path, text: str) -> None:
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)


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
