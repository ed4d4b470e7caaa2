"""One stored answer as the browser gets it: evaluation and conversation, without what is said twice."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import to_builtins

from ...errors import InputError
from ...store.convert import evaluation_record
from ...store.read import evaluation_file, read_conversation
from ...store.samples import Conversation, StoredEvaluation

if TYPE_CHECKING:
    from ...results.failures.evidence import Failure


Answer = dict[str, Any]

# Keys of an evaluation that are taken as they are, under a shorter name.
_FACTS: Final[Mapping[str, str]] = {
    "prompt_label": "prompt", "prompt_strategy": "strategy", "timestamp": "time", "parsed": "parsed",
    "executed": "executed", "tokens": "tokens", "elapsed_seconds": "elapsed", "cost": "cost",
    "parameters": "parameters", "experiment": "experiment", "device": "device", "void_reason": "void_reason",
    "julia_version": "julia", "sandbox": "sandbox", "rules_version": "rules", "codejury_version": "codejury",
    "judged_at": "judged_at", "seed": "seed", "sample": "sample", "round": "round", "retries": "retries",
    "finish_reason": "finish_reason", "extraction": "extraction", "tampering": "tampering",
    "missing_packages": "missing_packages", "notes": "notes", "stdout_tail": "output",
    "version_pt": "program", "asked_julia_version": "asked_julia", "performance": "performance",
}  # fmt: skip


def read_answer(evaluation: str, conversation: str) -> tuple[Answer, str]:
    """Everything an answer's page shows, and the kind of its failure or "".

    A file that cannot be read leaves its part out, and says so.
    """
    answer: Answer = {"problem": "the evaluation cannot be read"}
    stored = None
    with suppress(InputError):
        file = evaluation_file(evaluation)
        stored = evaluation_record(file, "")
        answer = _verdict(to_builtins(file))
    said = None
    try:
        said = read_conversation(conversation)
        answer |= _conversation(said)
    except InputError:
        if Path(conversation).exists():
            answer["problem"] = "the conversation cannot be read"
    failure = _failure(stored, said) if stored else None
    if failure:
        answer["failure"] = [failure.kind.label, failure.why]
    return answer, failure.kind.value if failure else ""


def _conversation(said: Conversation) -> Answer:
    answer: Answer = {"messages": [[message.role, message.content] for message in said.messages]}
    spoken = (index for index, message in enumerate(said.messages) if message.role == "assistant")
    thoughts = {i: each.reasoning for i, each in zip(spoken, said.completions, strict=True) if each.reasoning}
    if thoughts:
        answer["thoughts"] = thoughts
    # The page draws markdown by CommonMark; these blocks end later than it says.
    spans = {i: found for i, each in enumerate(said.messages) if (found := _spans(each.content))}
    if spans:
        answer["extended_spans"] = spans
    return answer


def _spans(text: str) -> list[tuple[int, int]]:
    from ...judge.extract.snippets import extended_spans

    return extended_spans(text)


def _failure(stored: StoredEvaluation, said: Conversation | None) -> Failure | None:
    from ...results.failures.classify import classify

    answer = said.answer if said else None
    return classify(stored.evaluation, answer, finish_reason=stored.completion.finish_reason)


def _verdict(stored: dict[str, Any]) -> Answer:
    # What is empty or unknown is not sent; the page asks for it and finds nothing.
    answer = {
        name: stored[key] for key, name in _FACTS.items() if stored.get(key) not in (None, "", [], {}, "-")
    }
    answer["tests"] = [stored.get("unit_tests_passed"), stored.get("unit_tests_count")]
    answer["examples"] = [stored.get("examples_executed"), stored.get("examples_count")]
    if blocks := stored.get("blocks"):
        answer["blocks"] = [_block(block) for block in blocks]
    return answer


def _block(block: dict[str, Any]) -> list[Any]:
    get = block.get
    facts = [get("kind"), get("index"), get("ending"), get("error_type"), get("message"), get("line")]
    return [*facts, round(get("seconds") or 0.0, 3)]
