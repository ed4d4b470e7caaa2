"""The definitions room: everything about a `definition.toml`, short of running its code.

files     bytes <-> TOML; every write is atomic
rules     what one string may hold: pure functions with a repair for each fault
model     the format itself (pydantic), and its JSON Schema
shape     a document against the model, each fault as a Problem
check     the rules that need more than one field; all problems of a file at once
load      file -> TestCase            save      TestCase -> file (render: TOML values a person can read)
find      which files there are       scaffold  a new definition with blanks to fill
submissions   the right and wrong solutions beside a definition
"""

from __future__ import annotations

from .check import check_definition, check_test_case
from .find import bundled_suite, find_definitions
from .load import load_definition
from .save import save_definition
from .scaffold import scaffold
from .schema import json_schema
from .submissions import Submission, SubmissionKind, read_submissions

__all__ = [
    "Submission",
    "SubmissionKind",
    "bundled_suite",
    "check_definition",
    "check_test_case",
    "find_definitions",
    "json_schema",
    "load_definition",
    "read_submissions",
    "save_definition",
    "scaffold",
]
