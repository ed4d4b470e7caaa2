"""Which habit of the predecessor explains that its verdict on an answer differs from ours.

It kept no record of what it ran, so this is a diagnosis: the first habit whose traces are in the answer, the
definition and the two verdicts.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from ..extract import find_snippets
from ..records import Evaluation, Extraction, TestCase
from ..store import EvaluationDict
from .claims import published_score

_QUOTES: Final = '"""'
# The openers it saw, and any line that closed a block for it.
_OPENER: Final = re.compile(r"^```julia[ \n]", re.MULTILINE)
_FENCE_LINE: Final = re.compile(r"^```", re.MULTILINE)
# An import line on which it could stumble over one word, and then drop all of it.
_FULL_IMPORT_LINE: Final = re.compile(r"^\s*(?:using|import)\s[^\n]*[#:,]", re.MULTILINE)

# What a block needed, or it vanished: a call, an assignment or a function.
_STATEMENT: Final = re.compile(r"[(=]|\bfunction\b")


class Quirk(StrEnum):
    """What the predecessor did, or did not do."""

    DEFINITION = "predecessor_definition"
    TRIPLE_QUOTES = "predecessor_triple_quotes"
    TEST_QUOTES = "predecessor_test_quotes"
    FENCE = "predecessor_fence"
    LANGUAGE = "predecessor_language"
    KEPT_IMPORT = "predecessor_kept_import"
    LOST_IMPORT = "predecessor_lost_import"
    LOST_BLOCK = "predecessor_lost_block"
    OTHER_BLOCKS = "predecessor_other_blocks"
    OTHER = "predecessor_other"


def quirk_behind(stored: EvaluationDict, verdict: Evaluation, test_case: TestCase, answer: str) -> Quirk:
    """Name the habit that explains the difference, `OTHER` if none is seen."""
    if _counts(stored) != (verdict.unit_tests_count, verdict.examples_count):
        return Quirk.DEFINITION
    if verdict.execution is None:
        return Quirk.OTHER
    extraction = verdict.execution.extraction
    lower, parsed, executed = _was_lower(stored, verdict), stored["parsed"], stored["executed"]
    signs = {
        Quirk.TRIPLE_QUOTES: lower and not parsed and _QUOTES in extraction.code,
        Quirk.FENCE: lower and not parsed and not _saw_all_fences(answer),
        Quirk.TEST_QUOTES: lower and executed and _has_quotes(test_case),
        Quirk.KEPT_IMPORT: lower and not executed and bool(extraction.dropped_imports),
        Quirk.LOST_IMPORT: lower and not executed and bool(_FULL_IMPORT_LINE.search(extraction.code)),
        Quirk.LOST_BLOCK: lower and not executed and _has_block_without_statements(answer, extraction),
        Quirk.LANGUAGE: not lower and extraction.rule == "none",
        Quirk.OTHER_BLOCKS: extraction.rule in ("defining", "last_defining"),
    }
    return next((quirk for quirk, seen in signs.items() if seen), Quirk.OTHER)


def _was_lower(stored: EvaluationDict, verdict: Evaluation) -> bool:
    return verdict.score is not None and published_score(stored) < verdict.score


def _counts(stored: EvaluationDict) -> tuple[int, int]:
    return stored["unit_tests_count"], stored["examples_count"]


def _has_quotes(test_case: TestCase) -> bool:
    """Its tests were pasted between triple quotes as the answer was."""
    return any(_QUOTES in code for code in (*test_case.unit_tests, *test_case.examples))


def _saw_all_fences(answer: str) -> bool:
    """Whether it found a block to begin with, and an end for every block."""
    return bool(_OPENER.search(answer)) and len(_FENCE_LINE.findall(answer)) % 2 == 0


def _has_block_without_statements(answer: str, extraction: Extraction) -> bool:
    """A block of its own with nothing but a `struct`, or nothing but `using`."""
    snippets = find_snippets(answer)
    used = [snippets[index].code for index in extraction.blocks_used if index < len(snippets)]
    return len(used) > 1 and any(not _STATEMENT.search(code) for code in used)
