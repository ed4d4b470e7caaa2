"""What one does with verdicts that are stored already: give them anew, and check those of others.

exam         the test case of a stored answer; which answers are wanted
claims       what a verdict says, in a form in which two can be compared
work         the judge's workers, kept busy, their results in order

rescore      judge stored answers again, and tell which scores move
  examine      which answers need a verdict, and why
  reasons      why an answer is judged again, why its score moved
  predecessor  which habit of the predecessor explains its verdict
  board        what moved, per model and per cause

verify       check a submission
  checks       the two files of a sample against each other, their place and their definition
  counting     doubles, and the denominator
  reproduce    one verdict given again and compared; the random choice
  findings     the faults

Both read a tree file by file and hold none of it in memory.
"""

from __future__ import annotations

from .board import Board, ModelTally, direction
from .claims import Claim, claim_of, published_score, stored_claim
from .exam import EVERYONE, Exam, Wanted, exam_for
from .examine import Aim, Survey, survey
from .findings import Fault, Finding
from .predecessor import Quirk
from .reasons import Reason
from .rescore import Rescored, rescore
from .verify import Report, Review, verify
from .work import Evaluates, in_order

__all__ = [
    "EVERYONE",
    "Aim",
    "Board",
    "Claim",
    "Evaluates",
    "Exam",
    "Fault",
    "Finding",
    "ModelTally",
    "Quirk",
    "Reason",
    "Report",
    "Rescored",
    "Review",
    "Survey",
    "Wanted",
    "claim_of",
    "direction",
    "exam_for",
    "in_order",
    "published_score",
    "rescore",
    "stored_claim",
    "survey",
    "verify",
]
