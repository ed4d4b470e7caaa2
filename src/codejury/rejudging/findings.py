"""What a reviewer must know about a submission: each fault that was found, with its kind and its place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final


class Fault(StrEnum):
    """Kinds of faults. Every one of them makes `verify` say no."""

    MALFORMED = "malformed"
    INCOMPLETE = "incomplete"
    DOUBLED = "doubled"
    IDENTITY = "identity"
    DEFINITION = "definition"
    SCORE = "score"
    VOID = "void"
    SHORT = "short"
    DIFFERS = "differs"
    OTHER_JULIA = "other_julia"
    OTHER_RULES = "other_rules"
    UNVERIFIED = "unverified"


TOLD: Final = {
    Fault.MALFORMED: "a file cannot be read, or is not what its name says",
    Fault.INCOMPLETE: "one of the two files of a sample is missing",
    Fault.DOUBLED: "the same sample is there twice",
    Fault.IDENTITY: "the files and their place say different things",
    Fault.DEFINITION: "judged by another definition, or by an unknown one",
    Fault.SCORE: "the verdict does not follow from what it says happened",
    Fault.VOID: "no verdict: nothing was learned about the answer",
    Fault.SHORT: "samples are missing",
    Fault.DIFFERS: "the verdict does not come out again",
    Fault.OTHER_JULIA: "the verdict does not come out again here, and another Julia gave it",
    Fault.OTHER_RULES: "the verdict does not come out again here, and other rules gave it",
    Fault.UNVERIFIED: "could not be judged here",
}
"""Each kind in words; a test keeps the list complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault."""

    fault: Fault
    where: str
    """A file below the root, or the combination that is short."""
    what: str


def shown(path: Path, root: Path) -> str:
    """A path as it stands below the root."""
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
