"""Between the records of a verdict and the JSON of an evaluation. Pure."""

from __future__ import annotations

from typing import Any

from ..records import Completion, Evaluation, Execution, verdict_facts
from .predecessor import known_tokens
from .samples import Request, StoredEvaluation
from .schema import COMPLETION_FIELDS, EVALUATION_FIELDS, EXECUTION_FIELDS, KEYS, REQUEST_FIELDS, SCHEMA


def evaluation_dict(stored: StoredEvaluation) -> dict[str, Any]:
    """The file of an evaluation, key by key; the values are still those of the records."""
    completion = stored.completion
    facts = {
        **verdict_facts(stored.evaluation),
        **{name: getattr(stored.request, name) for name in REQUEST_FIELDS},
        **{name: getattr(completion, name) for name in COMPLETION_FIELDS},
        "tokens": (completion.prompt_tokens, completion.completion_tokens),
        "timestamp": stored.timestamp,
        "codejury_schema": SCHEMA,
        "judged_at": stored.judged_at,
        "supersedes": stored.supersedes,
    }
    if completion.reasoning_tokens is None:  # only where the service told
        del facts["reasoning_tokens"]
    if facts["performance"] is None:  # only where something was to be measured
        del facts["performance"]
    return {key: facts[key] for key in KEYS if key in facts}


def evaluation_record(file: Any, category: str) -> StoredEvaluation:
    """An `EvaluationFile` as records; what it does not say has the default of its record.

    `category` is for the predecessor's, which do not say. Of the output only the tail is left.
    """
    asked, answered = map(known_tokens, file.tokens)
    return StoredEvaluation(
        request=Request(**{"category": category, **_said(file, REQUEST_FIELDS)}),
        timestamp=file.timestamp,
        completion=Completion(
            **{"text": "", **_said(file, COMPLETION_FIELDS)}, prompt_tokens=asked, completion_tokens=answered
        ),
        evaluation=Evaluation(
            **{"score": None, "rules_version": None, **_said(file, EVALUATION_FIELDS)},
            execution=_execution(file),
        ),
        judged_at=file.judged_at or "",
        supersedes=file.supersedes or (),
    )


def _execution(file: Any) -> Execution | None:
    if file.extraction is None:
        return None
    return Execution(**_said(file, EXECUTION_FIELDS), stdout=file.stdout_tail)


def _said(file: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(file, name, None)) is not None}
