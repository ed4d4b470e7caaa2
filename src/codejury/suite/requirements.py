"""What the bundled suite asks of a test case beyond the format: the bars of CONTRIBUTING.md.

They hold for the files below `bundled_suite()`, however they are named; other suites set their own. Below a
bar is a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ..errors import InputError, Problem, Severity
from ..records import CANARY
from .rules import FILLED_IN
from .submissions import Submission, SubmissionKind
from .suite import bundled_suite
from .toml_file import read_document, read_text

CANARY_LINE: Final = f"# Not for training. Codejury canary: {CANARY}"
"""What a definition carries, word for word."""
FEWEST: Final = {"unit_tests": 6, "examples": 3}
FEWEST_SUBMISSIONS: Final = {SubmissionKind.ACCEPTED: 1, SubmissionKind.WRONG_ANSWER: 2}

# Older comments end in a word for how hard the case is, which now stands in `level`.
_AIM: Final = re.compile(
    r"^#\s*After:\s*(?P<aim>.*?)(?:\.\s+(?:A\s+)?(?i:warm-up|easy|medium|hard))?\.?\s*$", re.MULTILINE
)
_RUN_WITH: Final = re.compile(r"^#\s*Run with:\s*(?P<what>.*?)\.?\s*$", re.MULTILINE)
_SAMPLE: Final = "# After: exact fits, and no stray empty lines."


def aim_of(text: str) -> str:
    """What a test case is after: `# After: exact fits.` -> `exact fits`; "" without such a line."""
    found = _AIM.search(text.partition("[code_generation]")[0])
    return found["aim"] if found and not FILLED_IN.fault(found["aim"]) else ""


def run_with(text: str) -> str:
    """What a test case with packages has been run with: `# Run with: CSV 0.10 on Julia 1.9`; else ""."""
    found = _RUN_WITH.search(text.partition("[code_generation]")[0])
    return found["what"] if found else ""


def below_bars(file: Path, submissions: Sequence[Submission]) -> list[Problem]:
    """Each bar that a definition of the bundled suite misses; none for any other. The file can be read."""
    if not is_bundled(file):
        return []
    found = [*_too_few(file), *_unclear_aim(file), *_no_canary(file), *_wanting_submissions(submissions)]
    return [
        Problem(file=file, field=field, what=what, repair=repair, severity=Severity.WARNING)
        for field, what, repair in found
    ]


def is_bundled(file: Path) -> bool:
    """Whether a file is one of the suite that comes with Codejury."""
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
    if not aim_of(read_text(file)):
        yield "# After", "no comment at the top says what the case is after", f"write one such as: {_SAMPLE}"


def _no_canary(file: Path) -> Iterator[tuple[str, str, str]]:
    if CANARY not in read_text(file):
        what = "the identifier is missing by which the suite is found in training data"
        yield "canary", what, f"put this line at the top: {CANARY_LINE}"


def _wanting_submissions(submissions: Sequence[Submission]) -> Iterator[tuple[str, str, str]]:
    """One for a newer Julia comes on top: it says nothing to whoever has an older one."""
    for kind, fewest in FEWEST_SUBMISSIONS.items():
        count = sum(one.kind is kind and not one.julia for one in submissions)
        if count < fewest:
            is_there = "is 1 solution" if count == 1 else f"are {count} solutions"
            what = f"there {is_there}, at least {fewest} are needed"
            yield f"submissions/{kind}", what, "add a file NAME.jl with a whole solution"
    for one in submissions:
        first = one.code.partition("\n")[0]
        if not re.match(r"#+\s*[^#\s]", first):
            what = f"the first line does not say what is {_SAID[one.kind]}"
            yield one.field, what, "begin with a comment that does"


_SAID: Final = {SubmissionKind.ACCEPTED: "different", SubmissionKind.WRONG_ANSWER: "wrong"}
