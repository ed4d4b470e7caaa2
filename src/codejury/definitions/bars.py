"""What the bundled suite asks of a test case beyond the format: the bars of CONTRIBUTING.md.

They hold for the files below `bundled_suite()`, however they are named; other suites set their own. Below a
bar is a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ..errors import InputError, Problem, Severity
from .files import read_document, read_text
from .find import bundled_suite
from .submissions import Submission, SubmissionKind

LEVELS: Final = ("Warm-up", "Easy", "Medium", "Hard")
FEWEST: Final = {"unit_tests": 6, "examples": 3}
FEWEST_SUBMISSIONS: Final = {SubmissionKind.ACCEPTED: 1, SubmissionKind.WRONG_ANSWER: 2}

_AIM: Final = re.compile(
    r"^#\s*After:\s*(?P<aim>.*?)(?:\.\s+(?:A\s+)?(?P<level>[^.]+))?\.?\s*$", re.MULTILINE
)
_SAMPLE: Final = "# After: exact fits, and no stray empty lines. Easy."


class Aim(NamedTuple):
    """What a test case is after, and how hard it is: a comment at the top of its file."""

    text: str = ""
    level: str = ""


def aim_of(text: str) -> Aim:
    """`# After: exact fits. Easy.` -> `Aim("exact fits", "Easy")`; empty ones without such a line."""
    found = _AIM.search(text.partition("[code_generation]")[0])
    return Aim(found["aim"], (found["level"] or "").capitalize()) if found else Aim()


def below_bars(file: Path, submissions: Sequence[Submission]) -> list[Problem]:
    """Each bar that a definition of the bundled suite misses; none for any other. The file can be read."""
    if not _is_bundled(file):
        return []
    found = [*_too_few(file), *_unclear_aim(file), *_wanting_submissions(submissions)]
    return [
        Problem(file=file, field=field, what=what, repair=repair, severity=Severity.WARNING)
        for field, what, repair in found
    ]


def _is_bundled(file: Path) -> bool:
    try:
        return file.resolve().is_relative_to(bundled_suite().resolve())
    except InputError:  # this installation has no suite
        return False


def _too_few(file: Path) -> Iterator[tuple[str, str, str]]:
    table = read_document(file).get("code_generation")
    for field, fewest in FEWEST.items():
        listed = table.get(field) if isinstance(table, dict) else None
        if isinstance(listed, list) and len(listed) < fewest:
            yield field, f"there are {len(listed)}, at least {fewest} are needed", "add some"


def _unclear_aim(file: Path) -> Iterator[tuple[str, str, str]]:
    aim = aim_of(read_text(file))
    if not aim.text:
        yield "# After", "no comment at the top says what the case is after", f"write one such as: {_SAMPLE}"
    elif aim.level not in LEVELS:
        what = f"{aim.level!r} is not a level" if aim.level else "does not say how hard the case is"
        yield "# After", what, f"end the comment with {', '.join(LEVELS[:-1])} or {LEVELS[-1]}: {_SAMPLE}"


def _wanting_submissions(submissions: Sequence[Submission]) -> Iterator[tuple[str, str, str]]:
    for kind, fewest in FEWEST_SUBMISSIONS.items():
        count = sum(one.kind is kind for one in submissions)
        if count < fewest:
            what = f"there are {count} solutions, at least {fewest} are needed"
            yield f"submissions/{kind}", what, "add a file NAME.jl with a whole solution"
    for one in submissions:
        first = one.code.partition("\n")[0]
        if not re.match(r"#+\s*[^#\s]", first):
            what = f"the first line does not say what is {_SAID[one.kind]}"
            yield one.field, what, "begin with a comment that does"


_SAID: Final = {SubmissionKind.ACCEPTED: "different", SubmissionKind.WRONG_ANSWER: "wrong"}
