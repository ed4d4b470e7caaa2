"""Which definition a `task_id` means: the test case's name, or category/name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Final

from ..definitions import load_definition
from ..errors import InputError
from ..records import TestCase

_MOST_NAMES: Final = 10
"""How many names a message lists where nothing like the one asked for is known."""


class Tasks:
    """The test cases one can ask for. Their files are read when first asked for, each once."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._files: dict[str, list[Path]] = {}
        for file in files:
            folder = file.absolute().parent
            for task_id in (folder.name, f"{folder.parent.name}/{folder.name}"):
                self._files.setdefault(task_id, []).append(file)
        self._loaded: dict[Path, TestCase] = {}
        self._suggestion = lru_cache(maxsize=1000)(self._similar_names)  # slow, and wrong names come in rows

    def find(self, task_id: str) -> TestCase:
        """Return the test case; InputError where there is none of that name, or more than one.

        Raises DefinitionError if its file is not a valid definition.
        """
        files = self._files.get(task_id, [])
        if not files:
            raise InputError(f"unknown task {task_id!r}; {self._suggestion(task_id)}")
        if len(files) > 1:
            raise InputError(f"{task_id!r} names {len(files)} test cases; {self._distinction(files)}")
        (file,) = files
        if file not in self._loaded:
            self._loaded[file] = load_definition(file)
        return self._loaded[file]

    @property
    def packages(self) -> tuple[str, ...]:
        """The Julia packages of all test cases found so far."""
        return tuple(sorted({name for case in self._loaded.values() for name in case.imports}))

    def _similar_names(self, task_id: str) -> str:
        if similar := get_close_matches(task_id, self._files, n=3):
            return f"did you mean {' or '.join(similar)}?"
        names = sorted(name for name in self._files if "/" not in name)
        more = ", ..." if len(names) > _MOST_NAMES else ""
        return f"there are: {', '.join(names[:_MOST_NAMES])}{more}"

    def _distinction(self, files: list[Path]) -> str:
        full = [f"{file.absolute().parent.parent.name}/{file.absolute().parent.name}" for file in files]
        if len(set(full)) == len(full):
            return f"say which: {' or '.join(full)}"
        return f"give fewer definitions: {', '.join(map(str, files))}"
