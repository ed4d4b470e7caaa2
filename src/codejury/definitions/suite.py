"""Several definitions at once: one that cannot be used never stops the others.

Suite   reads each file once, when it is first asked for, and finds test cases by name
Notes   what a command has to say about the definitions it asked for: those left out, and the warnings
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import DefinitionError, Problem
from ..records import TestCase
from .files import absolute
from .find import find_definitions
from .load import Reading, read_definition


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """What is to be said about definitions."""

    left_out: tuple[Problem, ...] = ()
    """All problems of the definitions that cannot be used; () if all can."""
    warnings: tuple[Problem, ...] = ()
    """Of those that are used."""

    @property
    def files_left_out(self) -> int:
        return len({problem.file for problem in self.left_out})

    @property
    def files_with_warnings(self) -> int:
        return len({problem.file for problem in self.warnings})

    @property
    def place(self) -> Path | None:
        """The folder that holds all definitions with warnings: what to validate in order to see them."""
        folders = {absolute(problem.file).parent for problem in self.warnings if problem.file}
        return Path(os.path.commonpath(folders)) if folders else None


class Suite:
    """Some definitions, found by their names; each file is read once, when it is first needed."""

    def __init__(self, files: Iterable[Path]) -> None:
        self.files = tuple(files)
        self._readings: dict[Path, Reading] = {}
        self._asked: dict[Path, None] = {}
        self._by_folder = _by_key((file, absolute(file).parent.name) for file in self.files)
        self._by_other_name: dict[str, list[Path]] | None = None

    @classmethod
    def below(cls, *roots: str | Path) -> Suite:
        """All definitions at or below the roots; those of the bundled suite without roots."""
        return cls(find_definitions(*roots))

    @property
    def keys(self) -> list[str]:
        """What the test cases can be asked for by, as their folders say: each `name` and `category/name`."""
        return list(self._by_folder)

    def find(self, key: str) -> list[Path]:
        """The files that a test case's `name`, or `category/name`, may mean; [] if there is none.

        As a rule the folder has that name. Where the name in the file is another, that one counts first:
        answers are stored under it.
        """
        in_folder = self._by_folder.get(key, [])
        fitting = [file for file in in_folder if self._other_name(file) is None]
        return fitting or self._under_other_names().get(key) or in_folder

    def key_of(self, file: Path) -> str:
        """`category/name` of one of the files; by its folder if it cannot be used."""
        folder = absolute(file).parent
        return f"{folder.parent.name}/{self._other_name(file) or folder.name}"

    def load(self, file: Path) -> TestCase:
        """The test case of one of the files. Raises DefinitionError if it cannot be used."""
        self._asked[file] = None
        reading = self._read(file)
        if reading.test_case is None:
            raise DefinitionError(reading.problems)
        return reading.test_case

    def usable(self, files: Sequence[Path] | None = None) -> list[TestCase]:
        """The test cases of these files, or of all, without those that cannot be used.

        Raises DefinitionError, with the problems of all of them, if none can be.
        """
        wanted = self.files if files is None else files
        self._asked.update(dict.fromkeys(wanted))
        cases = [case for file in wanted if (case := self._read(file).test_case)]
        if wanted and not cases:
            raise DefinitionError([problem for file in wanted for problem in self._read(file).problems])
        return cases

    @property
    def packages(self) -> tuple[str, ...]:
        """The Julia packages of the test cases that were asked for."""
        cases = [case for file in self._asked if (case := self._read(file).test_case)]
        return tuple(sorted({name for case in cases for name in case.imports}))

    def notes(self) -> Notes:
        """What is to be said about the definitions that were asked for."""
        left_out: list[Problem] = []
        warnings: list[Problem] = []
        for file in self._asked:
            reading = self._read(file)
            (left_out if reading.test_case is None else warnings).extend(reading.problems)
        return Notes(left_out=tuple(left_out), warnings=tuple(warnings))

    def _read(self, file: Path) -> Reading:
        if file not in self._readings:
            self._readings[file] = read_definition(file)
        return self._readings[file]

    def _other_name(self, file: Path) -> str | None:
        """The name in the file if it is not the folder's; None if it is, or if the file cannot be used."""
        case = self._read(file).test_case
        same = case is None or _plain(case.name) == _plain(absolute(file).parent.name)
        return None if same or case is None else case.name

    def _under_other_names(self) -> dict[str, list[Path]]:
        if self._by_other_name is None:
            named = ((file, self._other_name(file)) for file in self.files)
            self._by_other_name = _by_key((file, name) for file, name in named if name is not None)
        return self._by_other_name


def _by_key(named: Iterable[tuple[Path, str]]) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for file, name in named:
        for key in (name, f"{absolute(file).parent.parent.name}/{name}"):
            found.setdefault(key, []).append(file)
    return found


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name)  # some file systems store ö as two characters
