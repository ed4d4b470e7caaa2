"""Two verdicts on one answer: whether they are the same, why it is judged again, and why its score moved."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, Final

from ..judge.extract.snippets import find_snippets
from ..judge.score import definition_hash
from ..records import RULES_VERSION, Ending, Evaluation, Extraction, Outcome, TestCase, verdict_facts

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


def quirk_behind(stored: Evaluation, verdict: Evaluation, test_case: TestCase, answer: str) -> Quirk:
    """Name the habit that explains the difference, `OTHER` if none is seen."""
    if _counts(stored) != _counts(verdict):
        return Quirk.DEFINITION
    if verdict.execution is None:
        return Quirk.OTHER
    extraction = verdict.execution.extraction
    lower, parsed, executed = _was_lower(stored, verdict), stored.parsed, stored.executed
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


def _was_lower(stored: Evaluation, verdict: Evaluation) -> bool:
    return stored.score is not None and verdict.score is not None and stored.score < verdict.score


def _counts(verdict: Evaluation) -> tuple[int, int]:
    return verdict.unit_tests_count, verdict.examples_count


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


# ---- Why a stored answer is judged again, and why its score moved.


class Reason(StrEnum):
    """Why an answer is judged again; the first three always are."""

    UNJUDGED = "unjudged"
    UNREADABLE = "unreadable"
    VOID = "void"
    PREDECESSOR = "predecessor"
    DEFINITION = "definition"
    RULES = "rules"
    JULIA = "julia"
    ASKED = "asked"
    # Only why a score moved:
    TIME = "time"
    CHANCE = "chance"


TOLD: Final = {
    Reason.UNJUDGED: "was not judged",
    Reason.UNREADABLE: "its evaluation could not be read",
    Reason.VOID: "was void",
    Reason.PREDECESSOR: "judged by the predecessor",
    Reason.DEFINITION: "definition changed",
    Reason.RULES: "rules changed",
    Reason.JULIA: "Julia changed",
    Reason.ASKED: "asked for with --all",
    Reason.TIME: "ran out of time, then or now",
    Reason.CHANCE: "nothing changed: the answer itself is not steady",
    Quirk.DEFINITION: "definition changed since the predecessor judged it",
    Quirk.TRIPLE_QUOTES: "predecessor: triple quotes in the answer broke its program",
    Quirk.TEST_QUOTES: "predecessor: triple quotes in the definition broke its tests",
    Quirk.FENCE: "predecessor: fence not seen",
    Quirk.LANGUAGE: "predecessor: took code that is tagged as another language",
    Quirk.KEPT_IMPORT: "predecessor: kept the import of a package that is not there",
    Quirk.LOST_IMPORT: "predecessor: dropped a whole import line",
    Quirk.LOST_BLOCK: "predecessor: lost a block of types or imports",
    Quirk.OTHER_BLOCKS: "predecessor: chose other blocks",
    Quirk.OTHER: "predecessor: other (its Julia is not recorded)",
}
"""Each reason in words; a test keeps the list complete."""


def reasons_to_judge(
    stored: Evaluation | None, test_case: TestCase, *, julia_version: str, everything: bool
) -> tuple[Reason, ...]:
    """Why a stored verdict does not stand as it is; none if it does. None for `stored`: there is none."""
    if stored is None:
        return (Reason.UNJUDGED,)
    if stored.by_predecessor:
        return (Reason.PREDECESSOR,)
    judged_by = stored.julia_version
    found = {
        Reason.VOID: stored.outcome is Outcome.VOID,
        Reason.DEFINITION: stored.definition_hash != definition_hash(test_case),
        Reason.RULES: stored.rules_version != RULES_VERSION,
        # A verdict that nothing ran for names no Julia. Nor do we, where none is known.
        Reason.JULIA: bool(judged_by and julia_version) and judged_by != julia_version,
    }
    reasons = tuple(reason for reason, holds in found.items() if holds)
    return reasons or ((Reason.ASKED,) if everything else ())


def causes_of_move(
    stored: Evaluation | None,
    verdict: Evaluation,
    test_case: TestCase,
    answer: str,
    reasons: tuple[Reason, ...],
) -> tuple[Reason | Quirk, ...]:
    """Why the score is another one now. Where several things changed, each is named: any can be the cause."""
    if stored is None:
        return reasons
    if stored.by_predecessor:
        return (quirk_behind(stored, verdict, test_case, answer),)
    changed = tuple(reason for reason in reasons if reason is not Reason.ASKED)
    return changed or ((Reason.TIME,) if _ran_out_of_time(stored, verdict) else (Reason.CHANCE,))


def _ran_out_of_time(*verdicts: Evaluation) -> bool:
    runs = [verdict.execution for verdict in verdicts if verdict.execution]
    return any(block.ending is Ending.TIMED_OUT for run in runs for block in run.blocks)


# ---- Two verdicts on one answer, compared: the one that somebody claims, and the one that was found.

_TOLERANCE: Final = 1e-6
"""Points: below it two scores are the same number, written or added up another way."""
_TOLD: Final = (
    "parsed", "executed", "unit_tests_passed", "unit_tests_count", "examples_executed", "examples_count",
    "score", "outcome", "julia_version", "rules_version", "definition_hash",
)  # fmt: skip
_FOUND: Final = ("parsed", "executed", "unit_tests_passed", "examples_executed")


def claim_row(evaluation: Evaluation) -> dict[str, Any]:
    """A verdict, and by what it was judged, for programs."""
    facts = verdict_facts(evaluation)
    return {name: facts[name] for name in _TOLD}


def claim_text(evaluation: Evaluation) -> str:
    """`parsed, executed, 3 of 5 unit tests, 4 of 4 examples, 90 points`."""
    return ", ".join([
        "parsed" if evaluation.parsed else "not parsed",
        "executed" if evaluation.executed else "not executed",
        f"{evaluation.unit_tests_passed} of {evaluation.unit_tests_count} unit tests",
        f"{evaluation.examples_executed} of {evaluation.examples_count} examples",
        "void" if evaluation.score is None else f"{evaluation.score:.6g} points",
    ])  # fmt: skip


def same_verdict(one: Evaluation, other: Evaluation) -> bool:
    """Whether all that was found about the answer is the same."""
    equal = all(getattr(one, name) == getattr(other, name) for name in _FOUND)
    return equal and same_score(one.score, other.score)


def same_score(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) < _TOLERANCE
