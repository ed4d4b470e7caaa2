"""What runs wanted of a results folder: so that a reader can tell a deliberate subset from missing samples.

<root>/wanted.json holds one entry for each model, prompt, strategy, parameters and experiment, with the
samples that were wanted of each test case. A run adds what it wants before it asks; nothing is taken away.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from .. import files
from ..errors import InputError, WriteError
from .samples import Request
from .schema import SCHEMA

NAME: Final = "wanted.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One question to one model, on so many test cases."""

    model: str
    prompt_label: str
    prompt_strategy: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    experiment: str = ""
    samples: Mapping[str, int] = field(default_factory=dict)
    """By category/name."""

    @property
    def key(self) -> str:
        """All but the samples."""
        return json.dumps([*self.combination, self.experiment])

    @property
    def combination(self) -> tuple[str, str, str, str]:
        """Model, prompt, strategy and parameters, as text."""
        parameters = json.dumps(self.parameters, sort_keys=True, default=str)
        return self.model, self.prompt_label, self.prompt_strategy, parameters


def wanted_of(requests: Iterable[tuple[Request, int]]) -> list[Wanted]:
    """Requests, and how many samples of each, as entries."""
    return list(
        _merged(
            Wanted(
                model=request.model,
                prompt_label=request.prompt_label,
                prompt_strategy=request.prompt_strategy,
                parameters=request.parameters,
                experiment=request.experiment,
                samples={f"{request.category}/{request.name}": samples},
            )
            for request, samples in requests
        )
    )


def record_wanted(root: Path, wanted: Iterable[Wanted]) -> None:
    """Add to what is recorded. WriteError if that cannot be written."""
    path = root / NAME
    try:
        files.make_folders(root)
        with files.alone_in(root):  # two runs of different models must not write over each other's entries
            before = read_wanted(root) if path.exists() else []
            after = list(_merged([*before, *wanted]))
            if after != before:
                _write(path, after)
    except OSError as error:
        raise WriteError(f"{path}: cannot be written: {error.strerror or error}") from None


def read_wanted(root: Path) -> list[Wanted]:
    """What is recorded in a folder, or one level below it; InputError if it cannot be understood."""
    return list(_merged(entry for path in _files(root) for entry in _entries(path)))


def _files(root: Path) -> Iterator[Path]:
    return (path for path in (root / NAME, *sorted(root.glob(f"*/{NAME}"))) if path.is_file())


def _entries(path: Path) -> Iterator[Wanted]:
    try:
        document = json.loads(path.read_bytes())
        for entry in document["wanted"]:
            wanted = Wanted(**entry)
            if not all(type(count) is int and count > 0 for count in wanted.samples.values()):
                raise ValueError("samples must be whole numbers above 0")
            yield wanted
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{path}: cannot be read: {error}; remove it, and a run writes it anew") from None


def _merged(entries: Iterable[Wanted]) -> Iterator[Wanted]:
    """One entry for each key, with the most that was ever wanted of each test case."""
    merged: dict[str, Wanted] = {}
    for entry in entries:
        known = merged.get(entry.key, entry).samples
        most = {case: max(count, known.get(case, 0)) for case, count in entry.samples.items()}
        values = {**asdict(entry), "samples": dict(sorted({**known, **most}.items()))}
        merged[entry.key] = Wanted(**values)
    return iter(sorted(merged.values(), key=lambda entry: entry.key))


def _write(path: Path, wanted: list[Wanted]) -> None:
    document = {"codejury_schema": SCHEMA, "wanted": [asdict(entry) for entry in wanted]}
    data = json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "replace")
    files.replace(path, data)
