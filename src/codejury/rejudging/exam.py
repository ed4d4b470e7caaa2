"""Which test case a stored answer belongs to, and which answers somebody asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from ..definitions import Notes, Suite, bundled_suite, find_definitions
from ..errors import InputError
from ..records import TestCase
from ..store import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Answers by model and by test case; all of them where no pattern is given."""

    models: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    """Patterns for `name`, or for `category/name`."""

    def includes(self, request: Request) -> bool:
        return self.includes_model(request.model) and self.includes_case(request.category, request.name)

    def includes_model(self, model: str) -> bool:
        return not self.models or any(fnmatchcase(model, pattern) for pattern in self.models)

    def includes_case(self, category: str, name: str) -> bool:
        names = (name, f"{category}/{name}")
        return not self.cases or any(fnmatchcase(each, pattern) for pattern in self.cases for each in names)


EVERYONE: Final = Wanted()


class Exam:
    """The test cases that answers are judged by. Their files are read when first asked for, each once."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._suite = Suite(files)

    def names(self, wanted: Wanted = EVERYONE) -> list[tuple[str, str]]:
        """Category and name of every test case that is wanted, without those that cannot be used."""
        suite = self._suite
        keys = {file: suite.key_of(file).rpartition("/") for file in suite.files}
        files = [file for file, (category, _, name) in keys.items() if wanted.includes_case(category, name)]
        return [(case.category, case.name) for case in suite.usable(files)]

    def find(self, request: Request) -> TestCase:
        """Return the test case of a request; InputError where there is none, or no telling which."""
        full = f"{request.category}/{request.name}"
        files = self._suite.find(full) or self._suite.find(request.name)
        if not files:
            raise InputError(f"there is no definition of {full}; name the folder that has it: --definitions")
        if len(files) > 1:
            raise InputError(f"{full} can be any of {', '.join(map(str, files))}; give fewer definitions")
        return self._suite.load(files[0])

    @property
    def packages(self) -> tuple[str, ...]:
        """The Julia packages of all test cases found so far."""
        return self._suite.packages

    def notes(self) -> Notes:
        """What is to be said about the definitions of all test cases found so far."""
        return self._suite.notes()


def exam_for(root: Path, definitions: Path | None = None) -> Exam:
    """The exam of a tree: the definitions named, else those in the tree itself, else the bundled suite."""
    if definitions is not None:
        return Exam(find_definitions(definitions))
    if not root.is_dir():
        raise InputError(f"{root}: not a folder; give one with stored answers")
    try:
        return Exam(find_definitions(root))
    except InputError:  # it holds none
        return Exam(find_definitions(bundled_suite()))
