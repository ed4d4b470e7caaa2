"""Stored answers judged again, one after the other, each verdict on the disk before it is told of.

What is on the disk is the progress: a rescore that was stopped goes on when it is started again, because what
it has judged needs no judging any more. A verdict that was learned nothing from never takes the place of
one that was: a missing package or a broken sandbox cannot empty a board.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import InputError
from ..judge.judge import Judge
from ..records import Evaluation, Outcome, Packages, TestCase
from ..store.read import by_julia, read_conversation, read_evaluation
from ..store.samples import StoredSample
from ..store.write import write_evaluation
from .case_lookup import EVERYONE, AnswerFilter, CaseLookup, wanted_samples
from .reasons import Quirk, Reason, causes_of_move, reasons_to_judge, same_score, same_verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """What became of one answer."""

    sample: StoredSample
    reasons: tuple[Reason, ...]
    """Why it was judged again."""
    before: Evaluation | None
    """None: there was no verdict that could be read."""
    after: Evaluation | None = None
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


def rescore(root: Path, lookup: CaseLookup, aim: RescoreSelection, judge: Judge) -> Generator[Rescored]:
    """Judge again what `aim` asks for; yield each answer once its new verdict is stored.

    Also yields those that cannot be judged, with their `problem`; says nothing of those whose verdict stands.
    Close it before the judge, or what waits for the judge would start it again.
    """
    due = (each for each in examine_all(root, lookup, aim) if each.reasons or each.problem)
    with closing(judge.each(due, lambda one: _judged(one, judge))) as judged:
        for examined, result in judged:
            yield _settled(examined, result)


@dataclass(frozen=True, slots=True)
class _Judged:
    answer: str
    evaluation: Evaluation


def _judged(examined: Examined, judge: Judge) -> _Judged | str:
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
    before = examined.stored
    seen = Rescored(sample=examined.sample, reasons=examined.reasons, before=before)
    if isinstance(result, str) or examined.test_case is None:
        return replace(seen, problem=str(result))
    seen = replace(seen, after=result.evaluation)
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


def _teaches_nothing(before: Evaluation | None, evaluation: Evaluation) -> bool:
    return evaluation.outcome is Outcome.VOID and before is not None and before.outcome is not Outcome.VOID


def _nothing_new(before: Evaluation, after: Evaluation, reasons: tuple[Reason, ...]) -> bool:
    """The same verdict by the same judge: writing it again would only pile up superseded files."""
    if reasons == (Reason.ASKED,):
        return same_verdict(before, after)
    judged_by = (before.definition_hash, before.rules_version, before.julia_version)
    return reasons == (Reason.VOID,) and before.outcome == after.outcome and judged_by == (
        after.definition_hash, after.rules_version, after.julia_version
    )  # fmt: skip


def _with_category(sample: StoredSample, test_case: TestCase) -> StoredSample:
    """The sample under the category of its definition, where its own files do not tell."""
    if sample.request.category or not test_case.category:
        return sample
    return replace(sample, request=replace(sample.request, category=test_case.category))


# ---- A walk over a tree of stored answers: which need a verdict, which keep theirs, which cannot have one


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoreSelection:
    """Which answers are to be judged again."""

    wanted: AnswerFilter = EVERYONE
    everything: bool = False
    """Also those whose verdict stands."""
    julia_version: str = ""
    """The Julia that would judge; "" if unknown, and then no answer is chosen for its Julia."""
    beside: bool = False
    """Whether verdicts of another Julia stay, and those of `julia_version` are kept beside them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A stored answer, and what is to be done with it."""

    sample: StoredSample
    stored: Evaluation | None
    """The verdict it has, if that can be read."""
    test_case: TestCase | None
    reasons: tuple[Reason, ...] = ()
    """Why it is judged again; none if its verdict stands."""
    problem: str = ""
    """Why it cannot be judged, although it should."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What a rescore would do."""

    samples: int
    """Answers that are wanted."""
    to_judge: int
    reasons: Counter[tuple[str, Reason]]
    """How many answers of each model, by reason. An answer can have several."""
    per_model: Counter[str]
    """How many answers of each model are to be judged."""
    problems: Counter[str]
    """Why answers cannot be judged, and how many of them."""
    packages: Packages
    """The Julia packages that the test cases need."""


def survey(root: Path, lookup: CaseLookup, aim: RescoreSelection) -> Survey:
    """Count what there is to do. Reads every evaluation, writes nothing, runs nothing."""
    samples = to_judge = 0
    reasons: Counter[tuple[str, Reason]] = Counter()
    per_model: Counter[str] = Counter()
    problems: Counter[str] = Counter()
    for examined in examine_all(root, lookup, aim):
        samples += 1
        if examined.problem:
            problems[examined.problem] += 1
        elif examined.reasons:
            model = examined.sample.request.model
            to_judge += 1
            per_model[model] += 1
            reasons.update((model, reason) for reason in examined.reasons)
    return Survey(
        samples=samples, to_judge=to_judge, reasons=reasons, per_model=per_model, problems=problems,
        packages=lookup.packages,
    )  # fmt: skip


def examine_all(root: Path, lookup: CaseLookup, aim: RescoreSelection) -> Iterator[Examined]:
    """Every wanted answer of a tree, in the order of the paths; what is judged meanwhile does not matter."""
    wanted = wanted_samples(root, aim.wanted)
    if aim.beside:
        wanted = (by_julia(sample, aim.julia_version) for sample in wanted)
    return (examine(sample, lookup, aim) for sample in wanted)


def examine(sample: StoredSample, lookup: CaseLookup, aim: RescoreSelection) -> Examined:
    """Look at one answer. A broken file or a missing definition is its problem, not an exception."""
    stored, broken = _verdict(sample)
    try:
        test_case = lookup.find(sample.request)
    except InputError as exc:
        return Examined(sample=sample, stored=stored, test_case=None, problem=str(exc))
    reasons = reasons_to_judge(stored, test_case, julia_version=aim.julia_version, everything=aim.everything)
    if broken:
        reasons = (Reason.UNREADABLE,)
    problem = _obstacle(sample) if reasons else ""
    return Examined(sample=sample, stored=stored, test_case=test_case, reasons=reasons, problem=problem)


def _verdict(sample: StoredSample) -> tuple[Evaluation | None, bool]:
    """The stored verdict, and whether there is one that cannot be read."""
    if not sample.has_evaluation:
        return None, False
    try:
        return read_evaluation(sample.evaluation).evaluation, False
    except InputError:
        return None, True


def _obstacle(sample: StoredSample) -> str:
    """Why a sample that should be judged cannot be."""
    if not sample.has_conversation:
        return "there is no conversation beside the evaluation, so there is no answer to judge"
    return "" if sample.timestamp else sample.problem
