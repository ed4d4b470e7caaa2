"""The submissions beside a definition: right and wrong solutions that show what its tests are worth.

submissions/accepted/*.jl        written differently from the reference: each has to pass everything
submissions/wrong_answer/*.jl    plausible but wrong: each has to fail at least one unit test

One that uses what came to Julia later says so in the comment at its top: `# Needs: Julia 1.9`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile
from pathlib import Path
from typing import Final

from ..errors import DefinitionError, Problem, Severity
from .toml_file import definition_file, read_text

FOLDER: Final = "submissions"
_NEEDS: Final = re.compile(r"#+\s*Needs:\s*Julia (?P<version>\d+(?:\.\d+)*)\.?\s*")


class SubmissionKind(StrEnum):
    """The values are the names of the folders."""

    ACCEPTED = "accepted"
    WRONG_ANSWER = "wrong_answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One solution that is kept beside a definition."""

    kind: SubmissionKind
    path: Path
    code: str

    @property
    def julia(self) -> str:
        """The least version it is written for, by the comment at its top; "" for any."""
        top = takewhile(lambda line: line.startswith("#"), self.code.splitlines())
        return next((found["version"] for line in top if (found := _NEEDS.fullmatch(line))), "")

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def field(self) -> str:
        """Where a problem report finds it: `submissions/accepted/NAME.jl`."""
        return _address(self.path, depth=2)


def read_submissions(path: str | Path) -> tuple[list[Submission], list[Problem]]:
    """The submissions beside a definition, right ones first, and what is wrong with their files."""
    folder = definition_file(path).parent / FOLDER
    items = list(_below(folder))
    found = [item for item in items if isinstance(item, Submission)]
    return found, [item for item in items if isinstance(item, Problem)]


def _below(folder: Path) -> Iterator[Submission | Problem]:
    kinds = {kind.value: kind for kind in SubmissionKind}
    for place in _listed(folder, depth=0):
        if isinstance(place, Problem):
            yield place
        elif place.name in kinds:
            yield from _of_kind(place, kinds[place.name])
        else:
            yield _problem(place, 1, "is not a folder of submissions", f"use {' or '.join(kinds)}")


def _of_kind(folder: Path, kind: SubmissionKind) -> Iterator[Submission | Problem]:
    for file in _listed(folder, depth=1):
        if isinstance(file, Problem):
            yield file
        elif file.suffix != ".jl" or file.is_dir():
            yield _problem(
                file, 2, "is not a submission", "keep one solution in each file NAME.jl, or remove it"
            )
        else:
            yield _read(file, kind)


def _read(file: Path, kind: SubmissionKind) -> Submission | Problem:
    try:
        code = read_text(file)
    except DefinitionError as exc:
        (problem,) = exc.problems
        where = f"{problem.field} " if problem.field != "file" else ""
        return _problem(file, 2, where + problem.what, problem.repair)
    lines = (line.strip() for line in code.splitlines())
    if all(not line or line.startswith("#") for line in lines):
        return _problem(file, 2, "holds no code", "write the solution, or remove the file")
    return Submission(kind=kind, path=file, code=code)


def _listed(folder: Path, depth: int) -> Iterator[Path | Problem]:
    """What is in a folder, sorted, without hidden files; nothing where there is no such folder."""
    try:
        entries = sorted(folder.iterdir())
    except FileNotFoundError:
        return
    except NotADirectoryError:
        yield _problem(folder, depth, "is not a folder", "make it one, or remove it")
    except OSError as exc:
        yield _problem(folder, depth, f"cannot be read: {exc.strerror}", "check its rights")
    else:
        yield from (entry for entry in entries if not entry.name.startswith("."))


def _problem(path: Path, depth: int, what: str, repair: str) -> Problem:
    # No verdict on an answer depends on a submission, so none of this is an error.
    return Problem(
        file=path, field=_address(path, depth), what=what, repair=repair, severity=Severity.WARNING
    )


def _address(path: Path, depth: int) -> str:
    """The last parts of a path, from the folder of submissions, which is `depth` levels up."""
    return "/".join(path.parts[-1 - depth :])
