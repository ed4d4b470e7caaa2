"""Why a stored answer is judged again, and why its score moved."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from ..records import RULES_VERSION, Ending, Evaluation, Outcome, TestCase
from ..score import definition_hash
from ..store import EvaluationDict
from .predecessor import Quirk, quirk_behind


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
    stored: EvaluationDict | None, test_case: TestCase, *, julia_version: str, everything: bool
) -> tuple[Reason, ...]:
    """Why a stored verdict does not stand as it is; none if it does. None for `stored`: there is none."""
    if stored is None:
        return (Reason.UNJUDGED,)
    if "codejury_schema" not in stored:
        return (Reason.PREDECESSOR,)
    judged_by = stored["julia_version"]
    found = {
        Reason.VOID: stored["outcome"] == Outcome.VOID,
        Reason.DEFINITION: stored["definition_hash"] != definition_hash(test_case),
        Reason.RULES: stored["rules_version"] != RULES_VERSION,
        # A verdict that nothing ran for names no Julia. Nor do we, where none is known.
        Reason.JULIA: bool(judged_by and julia_version) and judged_by != julia_version,
    }
    reasons = tuple(reason for reason, holds in found.items() if holds)
    return reasons or ((Reason.ASKED,) if everything else ())


def causes_of_move(
    stored: EvaluationDict | None,
    verdict: Evaluation,
    test_case: TestCase,
    answer: str,
    reasons: tuple[Reason, ...],
) -> tuple[Reason | Quirk, ...]:
    """Why the score is another one now. Where several things changed, each is named: any can be the cause."""
    if stored is None:
        return reasons
    if "codejury_schema" not in stored:
        return (quirk_behind(stored, verdict, test_case, answer),)
    changed = tuple(reason for reason in reasons if reason is not Reason.ASKED)
    return changed or ((Reason.TIME,) if _ran_out_of_time(stored, verdict) else (Reason.CHANCE,))


def _ran_out_of_time(stored: EvaluationDict, verdict: Evaluation) -> bool:
    endings = {block["ending"] for block in stored["blocks"]}
    blocks = verdict.execution.blocks if verdict.execution else ()
    return Ending.TIMED_OUT in endings | {block.ending.value for block in blocks}
