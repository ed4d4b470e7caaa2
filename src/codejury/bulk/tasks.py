"""Which definition a `task_id` means: the test case's name, or category/name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Final

from ..definitions import Notes, Suite
from ..errors import DefinitionError, InputError
from ..records import TestCase

_MOST_NAMES: Final = 10
"""How many names a message lists where nothing like the one asked for is known."""


class Tasks:
    """The test cases one can ask for. Their files are read when first asked for, each once."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._suite = Suite(files)
        self._suggestion = lru_cache(maxsize=1000)(self._similar_names)  # slow, and wrong names come in rows

    def find(self, task_id: str) -> TestCase:
        """Return the test case; InputError where there is none of that name, or more than one.

        Raises DefinitionError if its file cannot be used.
        """
        files = self._suite.find(task_id)
        if not files:
            raise InputError(f"unknown task {task_id!r}; {self._suggestion(task_id)}")
        if len(files) > 1:
            raise InputError(f"{task_id!r} names {len(files)} test cases; {self._distinction(files)}")
        return self._suite.load(files[0])

    def look_up(self, task_id: str) -> TestCase | DefinitionError:
        """As `find`, but what is wrong with a file that cannot be used is a value, and no exception."""
        try:
            return self.find(task_id)
        except DefinitionError as exc:
            return exc

    @property
    def packages(self) -> tuple[str, ...]:
        """The Julia packages of all test cases found so far."""
        return self._suite.packages

    def notes(self) -> Notes:
        """What is to be said about the definitions of all test cases asked for so far."""
        return self._suite.notes()

    def _similar_names(self, task_id: str) -> str:
        if similar := get_close_matches(task_id, self._suite.keys, n=3):
            return f"did you mean {' or '.join(similar)}?"
        names = sorted(name for name in self._suite.keys if "/" not in name)
        more = ", ..." if len(names) > _MOST_NAMES else ""
        return f"there are: {', '.join(names[:_MOST_NAMES])}{more}"

    def _distinction(self, files: list[Path]) -> str:
        full = [f"{file.absolute().parent.parent.name}/{file.absolute().parent.name}" for file in files]
        if len(set(full)) == len(full):
            return f"say which: {' or '.join(full)}"
        return f"give fewer definitions: {', '.join(map(str, files))}"
