"""Between the record of a verdict and the JSON of an evaluation. Pure."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final, cast

from ..errors import InputError
from ..records import Block, BlockKind, Completion, Ending, Evaluation, Execution, Extraction, Outcome
from .formats import SCHEMA, BlockDict, EvaluationDict, ExtractionDict
from .samples import Request

STDOUT_TAIL: Final = 4000
"""Characters of the candidate's output that an evaluation keeps, from the end."""


def evaluation_dict(
    request: Request, timestamp: str, completion: Completion, evaluation: Evaluation
) -> EvaluationDict:
    """The file of an evaluation, except when it was judged and what it supersedes."""
    execution = evaluation.execution
    return {
        "name": evaluation.name,
        "parsed": evaluation.parsed,
        "executed": evaluation.executed,
        "unit_tests_count": evaluation.unit_tests_count,
        "examples_count": evaluation.examples_count,
        "unit_tests_passed": evaluation.unit_tests_passed,
        "examples_executed": evaluation.examples_executed,
        "tokens": [completion.prompt_tokens, completion.completion_tokens],
        "elapsed_seconds": completion.elapsed_seconds,
        "cost": completion.cost,
        "model": request.model,
        "timestamp": timestamp,
        "prompt_strategy": request.prompt_strategy,
        "prompt_label": request.prompt_label,
        "device": request.device,
        "version_prompt": request.version_prompt,
        "schema": request.schema,
        "version_pt": request.version_pt,
        "parameters": dict(request.parameters),
        "experiment": request.experiment,
        "codejury_schema": SCHEMA,
        "score": evaluation.score,
        "outcome": evaluation.outcome.value,
        "void_reason": evaluation.void_reason,
        "rules_version": evaluation.rules_version,
        "codejury_version": evaluation.codejury_version,
        "julia_version": execution.julia_version if execution else "",
        "sandbox": execution.sandbox if execution else "",
        "definition_hash": evaluation.definition_hash,
        "extraction": _extraction_dict(execution.extraction) if execution else None,
        "blocks": [_block_dict(block) for block in execution.blocks] if execution else [],
        "tampering": list(execution.tampering) if execution else [],
        "missing_packages": list(execution.missing_packages) if execution else [],
        "notes": list(execution.notes) if execution else [],
        "stdout_tail": execution.stdout[-STDOUT_TAIL:] if execution else "",
        "extra": dict(evaluation.extra),
        "category": request.category,
        "prompt_hash": request.prompt_hash,
        "template_version": request.template_version,
        "asked_julia_version": request.asked_julia_version,
        "seed": request.seed,
        "sample": request.sample,
        "round": request.round,
        "run_id": request.run_id,
        "retries": completion.retries,
        "finish_reason": completion.finish_reason,
    }


def _block_dict(block: Block) -> BlockDict:
    return {
        "kind": block.kind.value,
        "index": block.index,
        "ending": block.ending.value,
        "error_type": block.error_type,
        "message": block.message,
        "line": block.line,
        "seconds": block.seconds,
    }


def _extraction_dict(extraction: Extraction) -> ExtractionDict:
    return {
        "rule": extraction.rule,
        "blocks_found": extraction.blocks_found,
        "blocks_used": list(extraction.blocks_used),
        "extended": list(extraction.extended),
        "code": extraction.code,
        "dropped_imports": list(extraction.dropped_imports),
        "dropped_tests": extraction.dropped_tests,
    }


def evaluation_record(stored: EvaluationDict) -> Evaluation:
    """The verdict in a file of ours as a record; of the output only the tail is left.

    InputError for the predecessor's: they hold counts, not what happened.
    """
    if "codejury_schema" not in stored:
        raise InputError(
            f"the evaluation of {stored['name']} by {stored['model']} is the predecessor's; judge it again"
        )
    names = {field.name for field in fields(Evaluation)} - {"execution", "outcome"}
    facts = {name: value for name, value in stored.items() if name in names}
    return Evaluation(**cast(Any, facts), outcome=Outcome(stored["outcome"]), execution=_execution(stored))


def _execution(stored: EvaluationDict) -> Execution | None:
    extraction = stored["extraction"]
    if extraction is None:
        return None
    return Execution(
        parsed=stored["parsed"],
        executed=stored["executed"],
        blocks=tuple(_block(block) for block in stored["blocks"]),
        extraction=_extraction(extraction),
        julia_version=stored["julia_version"],
        sandbox=stored["sandbox"],
        stdout=stored["stdout_tail"],
        tampering=tuple(stored["tampering"]),
        missing_packages=tuple(stored["missing_packages"]),
        notes=tuple(stored.get("notes", ())),
    )


def _block(block: BlockDict) -> Block:
    facts = dict(block) | {"kind": BlockKind(block["kind"]), "ending": Ending(block["ending"])}
    return Block(**cast(Any, facts))


def _extraction(extraction: ExtractionDict) -> Extraction:
    tuples = {name: tuple(value) for name, value in extraction.items() if isinstance(value, list)}
    return Extraction(**cast(Any, {**extraction, **tuples}))
