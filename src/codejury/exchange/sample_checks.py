"""What the two files of a sample say, checked against each other, their place and their definition.

Nothing runs here. `inspect_sample` gives all that is wrong, and the trial that it is fit for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from ..errors import InputError
from ..judge.score import assess, definition_hash
from ..records import Evaluation, Outcome, TestCase
from ..store.names import SampleName
from ..store.read import read_conversation, read_evaluation
from ..store.samples import Conversation, Request, StoredEvaluation, StoredSample
from .case_lookup import CaseLookup
from .reasons import claim_text, same_verdict

_IN_BOTH_FILES: Final = tuple(field.name for field in fields(Request) if field.name != "variables")
_MEASURES: Final = ("prompt_tokens", "completion_tokens", "elapsed_seconds", "cost")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedVerdict:
    """An answer, the test case it is for, and the verdict that somebody claims."""

    evaluation: Path
    answer: str
    test_case: TestCase
    claim: Evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """A sample, and what was found without running it."""

    sample: StoredSample
    findings: tuple[Finding, ...]
    conversation: Conversation | None = None
    stored: StoredEvaluation | None = None
    test_case: TestCase | None = None

    @property
    def trial(self) -> ClaimedVerdict | None:
        """What can be judged again; None without a verdict, or with one by another definition."""
        apart = {Fault.DEFINITION, Fault.VOID, Fault.MALFORMED} & {each.fault for each in self.findings}
        if apart or not self.conversation or not self.stored or not self.test_case:
            return None
        return ClaimedVerdict(
            evaluation=self.sample.evaluation,
            answer=self.conversation.answer,
            test_case=self.test_case,
            claim=self.stored.evaluation,
        )


def inspect_sample(root: Path, sample: StoredSample, lookup: CaseLookup) -> Inspected:
    """Read both files of a sample and say all that is wrong with them."""
    findings: list[Finding] = []

    def note(fault: Fault, what: str, path: Path = sample.evaluation) -> None:
        findings.append(Finding(fault=fault, where=shown(path, root), what=what))

    _check_name(sample, note)
    conversation = _conversation(sample, note)
    stored = _evaluation(sample, note)
    test_case = _test_case(sample, lookup, note)
    if stored:
        for fault, what in _faults(sample, stored, conversation, test_case):
            note(fault, what)
    return Inspected(
        sample=sample, findings=tuple(findings), conversation=conversation, stored=stored, test_case=test_case
    )


class _Notes(Protocol):
    """Takes a fault of a sample; of its evaluation, unless another file is named."""

    def __call__(self, fault: Fault, what: str, path: Path = ...) -> None: ...


def _check_name(sample: StoredSample, note: _Notes) -> None:
    try:
        SampleName.parse(f"evaluation__{sample.tail}")
    except InputError as exc:
        note(Fault.MALFORMED, str(exc))


def _conversation(sample: StoredSample, note: _Notes) -> Conversation | None:
    if not sample.has_conversation:
        note(Fault.INCOMPLETE, "there is no conversation beside it")
        return None
    try:
        return read_conversation(sample.conversation)
    except InputError as exc:
        note(Fault.MALFORMED, _without_path(exc, sample.conversation), sample.conversation)
        return None


def _evaluation(sample: StoredSample, note: _Notes) -> StoredEvaluation | None:
    if not sample.has_evaluation:
        note(Fault.INCOMPLETE, "there is no evaluation beside it", sample.conversation)
        return None
    try:
        return read_evaluation(sample.evaluation)
    except InputError as exc:
        note(Fault.MALFORMED, _without_path(exc, sample.evaluation))
        return None


def _test_case(sample: StoredSample, lookup: CaseLookup, note: _Notes) -> TestCase | None:
    try:
        return lookup.find(sample.request)
    except InputError as exc:
        note(Fault.DEFINITION, str(exc))
        return None


def _without_path(error: InputError, path: Path) -> str:
    return str(error).removeprefix(f"{path}: ")


def _faults(
    sample: StoredSample,
    stored: StoredEvaluation,
    conversation: Conversation | None,
    test_case: TestCase | None,
) -> Iterator[tuple[Fault, str]]:
    for what in (*_misplaced(sample, stored), *_at_odds(stored, conversation)):
        yield Fault.IDENTITY, what
    claim = stored.evaluation
    other_exam = list(_of_another_exam(claim, test_case)) if test_case else []
    for what in other_exam:
        yield Fault.DEFINITION, what
    if claim.outcome is Outcome.VOID:
        yield Fault.VOID, f"is void: {claim.void_reason}"
    elif test_case and not other_exam:
        for what in _does_not_add_up(claim, test_case):
            yield Fault.SCORE, what


def _misplaced(sample: StoredSample, stored: StoredEvaluation) -> Iterator[str]:
    """Where the path says something else than the file."""
    request = stored.request
    wanted = (sample.request.category, request.name, *request.model.split("/"))
    found = sample.folder.resolve().parts[-len(wanted) :]
    if found != wanted:
        yield f"says it belongs in {'/'.join(wanted)}, and lies in {'/'.join(found)}"
    tail = f"{request.prompt_label}__{request.prompt_strategy}__{stored.timestamp}.json"
    if tail != sample.tail:
        yield f"says its name is evaluation__{tail}"


def _at_odds(stored: StoredEvaluation, conversation: Conversation | None) -> Iterator[str]:
    """Where the evaluation says something else than its conversation. The predecessor's says nothing."""
    if conversation is None or conversation.request is None:
        return
    yield from _differing(("timestamp",), stored, conversation)
    yield from _differing(_IN_BOTH_FILES, stored.request, conversation.request)
    yield from _differing(_MEASURES, stored.completion, conversation.completion)


def _differing(names: Iterable[str], evaluation: object, conversation: object) -> Iterator[str]:
    for name in names:
        claimed, said = getattr(evaluation, name), getattr(conversation, name)
        if claimed != said:
            yield f"says {name} is {claimed!r}, and its conversation {said!r}"


def _of_another_exam(claim: Evaluation, test_case: TestCase) -> Iterator[str]:
    for key, codes in (("unit_tests_count", test_case.unit_tests), ("examples_count", test_case.examples)):
        count = getattr(claim, key)
        if count != len(codes):
            yield f"{key} is {count}, and the definition has {len(codes)}"
    if not claim.by_predecessor and claim.definition_hash != definition_hash(test_case):
        yield "was judged by another version of the definition (its hash differs); rescore it"


def _does_not_add_up(claim: Evaluation, test_case: TestCase) -> Iterator[str]:
    """Where the counts, the score and the outcome do not follow from what each block did."""
    if claim.executed and not claim.parsed:
        yield "executed, but not parsed"
    if not claim.executed and (claim.unit_tests_passed or claim.examples_executed):
        yield f"not executed, but {claim.unit_tests_passed} unit tests and {claim.examples_executed} examples"
    if claim.by_predecessor:
        return
    if claim.execution is None:
        yield "has a score, but nothing that shows how it came about"
        return
    due = assess(claim.execution, test_case)
    if not same_verdict(claim, due) or claim.outcome is not due.outcome:
        claimed, follows = claim_text(claim), claim_text(due)
        yield f"claims {claim.outcome} ({claimed}); from its own blocks follows {due.outcome} ({follows})"


# ---- What a reviewer must know about a submission: each fault that was found, with its kind and its place.


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
