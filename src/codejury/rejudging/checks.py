"""What the two files of a sample say, checked against each other, their place and their definition.

Nothing runs here. `inspect_sample` gives all that is wrong, and the trial that it is fit for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final, Protocol

from ..errors import InputError
from ..records import Outcome, TestCase
from ..score import assess, definition_hash
from ..store import (
    Conversation,
    EvaluationDict,
    Request,
    SampleName,
    StoredSample,
    evaluation_record,
    read_conversation,
    read_evaluation,
)
from .claims import Claim, claim_of, stored_claim
from .exam import Exam
from .findings import Fault, Finding, shown

_IN_BOTH_FILES: Final = tuple(field.name for field in fields(Request) if field.name != "variables")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """An answer, the test case it is for, and the verdict that somebody claims."""

    evaluation: Path
    answer: str
    test_case: TestCase
    stored: EvaluationDict

    @property
    def claim(self) -> Claim:
        return stored_claim(self.stored)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """A sample, and what was found without running it."""

    sample: StoredSample
    findings: tuple[Finding, ...]
    conversation: Conversation | None = None
    stored: EvaluationDict | None = None
    test_case: TestCase | None = None

    @property
    def trial(self) -> Trial | None:
        """What can be judged again; None without a verdict, or with one by another definition."""
        apart = {Fault.DEFINITION, Fault.VOID, Fault.MALFORMED} & {each.fault for each in self.findings}
        if apart or not self.conversation or not self.stored or not self.test_case:
            return None
        return Trial(
            evaluation=self.sample.evaluation,
            answer=self.conversation.answer,
            test_case=self.test_case,
            stored=self.stored,
        )


def inspect_sample(root: Path, sample: StoredSample, exam: Exam) -> Inspected:
    """Read both files of a sample and say all that is wrong with them."""
    findings: list[Finding] = []

    def note(fault: Fault, what: str, path: Path = sample.evaluation) -> None:
        findings.append(Finding(fault=fault, where=shown(path, root), what=what))

    _check_name(sample, note)
    conversation = _conversation(sample, note)
    stored = _evaluation(sample, note)
    test_case = _test_case(sample, exam, note)
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


def _evaluation(sample: StoredSample, note: _Notes) -> EvaluationDict | None:
    if not sample.has_evaluation:
        note(Fault.INCOMPLETE, "there is no evaluation beside it", sample.conversation)
        return None
    try:
        return read_evaluation(sample.evaluation)
    except InputError as exc:
        note(Fault.MALFORMED, _without_path(exc, sample.evaluation))
        return None


def _test_case(sample: StoredSample, exam: Exam, note: _Notes) -> TestCase | None:
    try:
        return exam.find(sample.request)
    except InputError as exc:
        note(Fault.DEFINITION, str(exc))
        return None


def _without_path(error: InputError, path: Path) -> str:
    return str(error).removeprefix(f"{path}: ")


def _faults(
    sample: StoredSample,
    stored: EvaluationDict,
    conversation: Conversation | None,
    test_case: TestCase | None,
) -> Iterator[tuple[Fault, str]]:
    for what in (*_misplaced(sample, stored), *_at_odds(stored, conversation)):
        yield Fault.IDENTITY, what
    other_exam = list(_of_another_exam(stored, test_case)) if test_case else []
    for what in other_exam:
        yield Fault.DEFINITION, what
    if stored.get("outcome") == Outcome.VOID:
        yield Fault.VOID, f"is void: {stored['void_reason']}"
    elif test_case and not other_exam:
        for what in _does_not_add_up(stored, test_case):
            yield Fault.SCORE, what


def _misplaced(sample: StoredSample, stored: EvaluationDict) -> Iterator[str]:
    """Where the path says something else than the file."""
    wanted = (sample.request.category, stored["name"], *stored["model"].split("/"))
    found = sample.folder.resolve().parts[-len(wanted) :]
    if found != wanted:
        yield f"says it belongs in {'/'.join(wanted)}, and lies in {'/'.join(found)}"
    tail = f"{stored['prompt_label']}__{stored['prompt_strategy']}__{stored['timestamp']}.json"
    if tail != sample.tail:
        yield f"says its name is evaluation__{tail}"


def _at_odds(stored: EvaluationDict, conversation: Conversation | None) -> Iterator[str]:
    """Where the evaluation says something else than its conversation. The predecessor's says nothing."""
    if conversation is None or conversation.request is None:
        return
    facts = {name: getattr(conversation.request, name) for name in _IN_BOTH_FILES}
    last = conversation.completion
    facts |= {
        "timestamp": conversation.timestamp,
        "tokens": [last.prompt_tokens, last.completion_tokens],
        "elapsed_seconds": last.elapsed_seconds,
        "cost": last.cost,
    }
    for name, said in facts.items():
        claimed = stored.get(name, said)
        if claimed != said:
            yield f"says {name} is {claimed!r}, and its conversation {said!r}"


def _of_another_exam(stored: EvaluationDict, test_case: TestCase) -> Iterator[str]:
    for key, codes in (("unit_tests_count", test_case.unit_tests), ("examples_count", test_case.examples)):
        count = stored.get(key)
        if count != len(codes):
            yield f"{key} is {count}, and the definition has {len(codes)}"
    if "codejury_schema" in stored and stored["definition_hash"] != definition_hash(test_case):
        yield "was judged by another version of the definition (its hash differs); rescore it"


def _does_not_add_up(stored: EvaluationDict, test_case: TestCase) -> Iterator[str]:
    """Where the counts, the score and the outcome do not follow from what each block did."""
    claim = stored_claim(stored)
    if claim.executed and not claim.parsed:
        yield "executed, but not parsed"
    if not claim.executed and (claim.unit_tests_passed or claim.examples_executed):
        yield f"not executed, but {claim.unit_tests_passed} unit tests and {claim.examples_executed} examples"
    if "codejury_schema" not in stored:
        return
    execution = evaluation_record(stored).execution
    if execution is None:
        yield "has a score, but nothing that shows how it came about"
        return
    due = claim_of(assess(execution, test_case))
    if not claim.same_verdict(due) or claim.outcome != due.outcome:
        yield f"claims {claim.outcome} ({claim}); from its own blocks follows {due.outcome} ({due})"
