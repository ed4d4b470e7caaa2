"""One line of the input: what it asks for, and its text as it will stand in the output.

{"task_id": "fib", "completion": "f(x) = 1", "seed": 7}
-> {"task_id": "fib", "completion": "f(x) = 1", "seed": 7, "name": "fib", "parsed": true, ...}

The text is copied, not written anew: numbers stay as they were spelt, keys stay in order.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from ...errors import DefinitionError, InputError, suggestion
from ...judge.extract.snippets import bare_code, find_snippets
from ...judge.score import VERDICT_FIELDS
from ...records import Packages, Snippet, TestCase
from ...suite.suite import Suite, SuiteNotes

_MOST_FAULTS: Final = 20
"""Faults that are told in full; the others are counted."""
_MOST_SHOWN: Final = 60
"""Characters of a wrong value that a message quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLine:
    """One answer to judge."""

    number: int
    """Its line in the file, from 1; blank lines count."""
    task_id: str
    completion: str | None
    """An answer in markdown, or bare code."""
    solution: str | None
    """Bare code. Taken first where a line has both: somebody has taken it out of the completion."""
    text: str
    """The line's JSON object, as it was written."""
    replaced: tuple[str, ...] = ()
    """Fields that have the name of a verdict's field: the verdict takes their place."""

    @property
    def snippets(self) -> tuple[Snippet, ...]:
        return bare_code(self.solution) if self.solution is not None else find_snippets(self.completion or "")

    @property
    def head(self) -> str:
        """The beginning of the line of the output: the object, still open, without what is replaced."""
        text = without_fields(self.text, self.replaced) if self.replaced else self.text
        return text.removesuffix("}").rstrip()


def read_answers(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of each line that is not blank."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line := (line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line).strip():
                    yield number, line
    except OSError as exc:
        raise InputError(f"{path}: cannot be read: {exc.strerror}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedLines:
    """A file of answers, every line of which was looked at."""

    path: Path
    good: int
    """Lines that can be used."""
    unusable: int
    """Lines whose definition cannot be used; they are not to blame."""
    bad: frozenset[int] = frozenset()
    """The numbers of lines that are skipped."""
    faults: tuple[str, ...] = ()
    """What is wrong with the first of them."""

    @property
    def told(self) -> list[str]:
        """A line for each fault, and one for those that are not told."""
        rest = len(self.bad) - len(self.faults)
        return [*(f"  {fault}" for fault in self.faults), *([f"  ... and {rest} more"] if rest else [])]

    def answers(self) -> Iterator[AnswerLine]:
        """Yield the answers that are not skipped; InputError if the file is no longer what it was."""
        for number, line in read_answers(self.path):
            if number in self.bad:
                continue
            try:
                yield parse_answer(number, line)
            except InputError as exc:
                raise InputError(
                    f"{self.path}: line {number}: was changed since it was checked: {exc}"
                ) from None


def check_lines(
    path: Path, check: Callable[[AnswerLine], None], *, verb: str, skip_bad: bool = False
) -> CheckedLines:
    """Look at every line. `check` raises InputError for a bad one, DefinitionError where its definition is.

    InputError with all faults, unless bad lines are to be skipped and there are others.
    """
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is not a file; answers are read twice: write - to read them from stdin")
    good = unusable = 0
    bad: list[int] = []
    faults: list[str] = []
    for number, line in read_answers(path):
        try:
            check(parse_answer(number, line))
            good += 1
        except DefinitionError:
            unusable += 1
        except InputError as exc:
            bad.append(number)
            faults += [f"line {number}: {exc}"] * (len(bad) <= _MOST_FAULTS)
    checked = CheckedLines(path=path, good=good, unusable=unusable, bad=frozenset(bad), faults=tuple(faults))
    if bad and not (skip_bad and good):
        lines = "1 line" if len(bad) == 1 else f"{len(bad)} lines"
        advice = "" if skip_bad else "; --skip-bad goes on without"
        raise InputError(
            "\n".join([f"{path}: {lines} cannot be {verb}, so nothing was{advice}", *checked.told])
        )
    return checked


def parse_answer(number: int, line: bytes) -> AnswerLine:
    """Return the line as a record; InputError says what is wrong with it."""
    text = _decoded(line)
    fields = _object(text)
    return AnswerLine(
        number=number,
        task_id=_task_id(fields),
        completion=_string_or_none(fields, "completion"),
        solution=_string_or_none(fields, "solution"),
        text=text,
        replaced=tuple(name for name in VERDICT_FIELDS if name in fields),
    )


def _decoded(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as exc:
        raise InputError(f"not UTF-8: byte 0x{line[exc.start]:02x} at column {exc.start + 1}") from None


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_int=_number)
    except json.JSONDecodeError as exc:
        raise InputError(f"not JSON: {exc.msg} at column {exc.colno}") from None
    except RecursionError:
        raise InputError("not usable: nested too deeply") from None
    if not isinstance(value, dict):
        raise InputError(f"not a JSON object: {_shown(value)}")
    return value


def _number(digits: str) -> float:
    """A whole number, roughly: int() refuses very long ones, and numbers are copied as text anyway."""
    return int(digits) if len(digits) < 20 else float(digits)


def _task_id(fields: dict[str, Any]) -> str:
    task_id = _string_or_none(fields, "task_id")
    if task_id is None:
        raise InputError("`task_id` is missing")
    if fields.get("completion") is None and fields.get("solution") is None:
        raise InputError("neither `completion` nor `solution` is there")
    return task_id


def _string_or_none(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"`{name}` is not a string: {_shown(value)}")
    return value


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def without_fields(text: str, names: Collection[str]) -> str:
    """Return a JSON object's text without some of its fields; the others stay as they were spelt.

    '{"a": 1.0, "b": 2}', ["b"] -> '{"a": 1.0}'
    """
    decoder = json.JSONDecoder(parse_int=_number)
    kept = []
    at = _skip(text, 1)
    while text[at] != "}":
        name, end = decoder.raw_decode(text, at)
        _, end = decoder.raw_decode(text, _skip(text, end, ":"))
        if name not in names:
            kept.append(text[at:end])
        at = _skip(text, end, ",")
    return f"{{{', '.join(kept)}}}"


def _skip(text: str, at: int, separator: str = "") -> int:
    while text[at] in f" \t\r\n{separator}":
        at += 1
    return at


# ---- Which definition a `task_id` means: the test case's name, or category/name.


class Tasks:
    """The test cases one can ask for. Their files are read when first asked for, each once."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._suite = Suite(files)
        # Slow, and wrong names come in rows.
        self._suggestion = lru_cache(maxsize=1000)(lambda name: suggestion(name, self._names()))

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
    def packages(self) -> Packages:
        """The Julia packages of all test cases found so far."""
        return self._suite.packages

    def notes(self) -> SuiteNotes:
        """What is to be said about the definitions of all test cases asked for so far."""
        return self._suite.notes()

    def _names(self) -> list[str]:
        return sorted(self._suite.key_of(file) for file in self._suite.files)

    def _distinction(self, files: list[Path]) -> str:
        full = [f"{file.absolute().parent.parent.name}/{file.absolute().parent.name}" for file in files]
        if len(set(full)) == len(full):
            return f"say which: {' or '.join(full)}"
        return f"give fewer definitions: {', '.join(map(str, files))}"
