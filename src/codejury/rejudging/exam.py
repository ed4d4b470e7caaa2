"""Which test case a stored answer belongs to, and which answers somebody asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from ..definitions import bundled_suite, find_definitions, load_definition
from ..errors import DefinitionError, InputError
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
        self._files: dict[str, list[Path]] = {}
        self._read: dict[Path, TestCase | DefinitionError] = {}
        self.names: tuple[tuple[str, str], ...] = ()
        """Category and name of every test case, as their folders say."""
        for file in files:
            folder = file.absolute().parent
            self.names += ((folder.parent.name, folder.name),)
            for key in (folder.name, f"{folder.parent.name}/{folder.name}"):
                self._files.setdefault(key, []).append(file)

    def find(self, request: Request) -> TestCase:
        """Return the test case of a request; InputError where there is none, or no telling which."""
        full = f"{request.category}/{request.name}"
        files = self._files.get(full) or self._files.get(request.name) or []
        if not files:
            raise InputError(f"there is no definition of {full}; name the folder that has it: --definitions")
        if len(files) > 1:
            raise InputError(f"{full} can be any of {', '.join(map(str, files))}; give fewer definitions")
        return self._load(files[0])

    @property
    def packages(self) -> tuple[str, ...]:
        """The Julia packages of all test cases found so far."""
        cases = [case for case in self._read.values() if isinstance(case, TestCase)]
        return tuple(sorted({name for case in cases for name in case.imports}))

    def _load(self, file: Path) -> TestCase:
        if file not in self._read:
            try:
                self._read[file] = load_definition(file)
            except DefinitionError as exc:
                self._read[file] = exc
        found = self._read[file]
        if isinstance(found, DefinitionError):
            raise found
        return found


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
