"""The definitions room: everything about a `definition.toml`, short of running its code.

files     bytes <-> TOML; every write is atomic
rules     what one string may hold: pure functions with a repair for each fault
model     the format itself (pydantic), and its JSON Schema
shape     a document against the model, each fault as a Problem
check     the rules that need more than one field; all problems of a file at once, errors and warnings
bars      what the bundled suite asks beyond the format
load      file -> TestCase            save      TestCase -> file (render: TOML values a person can read)
find      which files there are       scaffold  a new definition with blanks to fill
suite     several definitions: found by name, and without those that cannot be used
repeating a test case as it is run once more
submissions   the right and wrong solutions beside a definition
"""

from __future__ import annotations

from .bars import aim_of, below_bars
from .check import check_definition, check_test_case
from .find import bundled_suite, find_definitions
from .load import Reading, load_definition, read_definition
from .repeating import with_other_numbers
from .save import save_definition
from .scaffold import scaffold
from .schema import json_schema
from .submissions import Submission, SubmissionKind, read_submissions
from .suite import Notes, Suite

__all__ = [
    "Notes",
    "Reading",
    "Submission",
    "SubmissionKind",
    "Suite",
    "aim_of",
    "below_bars",
    "bundled_suite",
    "check_definition",
    "check_test_case",
    "find_definitions",
    "json_schema",
    "load_definition",
    "read_definition",
    "read_submissions",
    "save_definition",
    "scaffold",
    "with_other_numbers",
]
