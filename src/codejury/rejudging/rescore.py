"""Stored answers judged again, one after the other, each verdict on the disk before it is told of.

What is on the disk is the progress: a rescore that was stopped goes on when it is started again, because what
it has judged needs no judging any more. A verdict that was learned nothing from never takes the place of
one that was: a missing package or a broken sandbox cannot empty a board.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import InputError
from ..records import Evaluation, Outcome, TestCase
from ..store import StoredSample, read_conversation, write_evaluation
from .claims import Claim, claim_of, same_score, stored_claim
from .exam import Exam
from .examine import Aim, Examined, examine_all
from .predecessor import Quirk
from .reasons import Reason, causes_of_move
from .work import Evaluates, in_order


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """What became of one answer."""

    sample: StoredSample
    reasons: tuple[Reason, ...]
    """Why it was judged again."""
    before: Claim | None
    """None: there was no verdict that could be read."""
    after: Claim | None = None
    """None: it could not be judged."""
    causes: tuple[Reason | Quirk, ...] = ()
    """Why the score moved, if it did."""
    written: bool = False
    problem: str = ""
    """Why it could not be judged, or why the old verdict stands."""

    @property
    def change(self) -> float | None:
        """Points more, or less; None where one of the two is missing or void."""
        before = self.before.score if self.before else None
        after = self.after.score if self.after else None
        if before is None or after is None:
            return None
        return 0.0 if same_score(before, after) else after - before

    @property
    def moved(self) -> bool:
        """Whether its score is another now; one that had none and has one moved too."""
        if self.after is None or not self.written:
            return False
        return not same_score(self.before.score if self.before else None, self.after.score)


def rescore(root: Path, exam: Exam, aim: Aim, judge: Evaluates, *, workers: int = 1) -> Generator[Rescored]:
    """Judge again what `aim` asks for; yield each answer once its new verdict is stored.

    Also yields those that cannot be judged, with their `problem`; says nothing of those whose verdict stands.
    Close it before the judge, or what waits for the judge would start it again.
    """
    due = (each for each in examine_all(root, exam, aim) if each.reasons or each.problem)
    with closing(in_order(due, lambda each: _judged(each, judge), workers=workers)) as judged:
        for examined, result in judged:
            yield _settled(examined, result)


@dataclass(frozen=True, slots=True)
class _Judged:
    answer: str
    evaluation: Evaluation


def _judged(examined: Examined, judge: Evaluates) -> _Judged | str:
    """The new verdict, or why there is none."""
    if examined.problem or examined.test_case is None:
        return examined.problem
    try:
        answer = read_conversation(examined.sample.conversation).answer
    except InputError as exc:
        return str(exc)
    return _Judged(answer, judge.evaluate(answer, examined.test_case))


def _settled(examined: Examined, result: _Judged | str) -> Rescored:
    """Store the new verdict, unless the old one is to stand."""
    before = stored_claim(examined.stored) if examined.stored else None
    seen = Rescored(sample=examined.sample, reasons=examined.reasons, before=before)
    if isinstance(result, str) or examined.test_case is None:
        return replace(seen, problem=str(result))
    seen = replace(seen, after=claim_of(result.evaluation))
    if _teaches_nothing(before, result.evaluation):
        reason = result.evaluation.void_reason
        return replace(seen, problem=f"could not be judged again, its verdict stands: {reason}")
    if before is not None and _nothing_new(before, result.evaluation, examined.reasons):
        return seen
    write_evaluation(_with_category(examined.sample, examined.test_case), result.evaluation)
    seen = replace(seen, written=True)
    if not seen.moved:
        return seen
    causes = causes_of_move(
        examined.stored, result.evaluation, examined.test_case, result.answer, examined.reasons
    )
    return replace(seen, causes=causes)


def _teaches_nothing(before: Claim | None, evaluation: Evaluation) -> bool:
    return evaluation.outcome is Outcome.VOID and before is not None and before.outcome != Outcome.VOID


def _nothing_new(before: Claim, evaluation: Evaluation, reasons: tuple[Reason, ...]) -> bool:
    """The same verdict by the same judge: writing it again would only pile up superseded files."""
    after = claim_of(evaluation)
    if reasons == (Reason.ASKED,):
        return before.same_verdict(after)
    judged_by = (before.definition_hash, before.rules_version, before.julia_version)
    return reasons == (Reason.VOID,) and before.outcome == after.outcome and judged_by == (
        after.definition_hash, after.rules_version, after.julia_version
    )  # fmt: skip


def _with_category(sample: StoredSample, test_case: TestCase) -> StoredSample:
    """The sample under the category of its definition, where its own files do not tell."""
    if sample.request.category or not test_case.category:
        return sample
    return replace(sample, request=replace(sample.request, category=test_case.category))
