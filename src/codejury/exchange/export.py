"""Stored answers as lines for other tools, in the order of their paths.

jsonl        {"task_id": ..., "completion": ...} as bulk judging takes it, with what was asked and the verdict
openai-chat  {"messages": [...]}, the whole conversation: training data
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..records import CANARY, Evaluation, Outcome
from ..store.read import read_evaluation
from ..store.samples import Conversation, StoredSample
from .case_lookup import EVERYONE, AnswerFilter, wanted_samples
from .reasons import claim_row
from .stored_answers import measured


class ExportForm(StrEnum):
    JSONL = "jsonl"
    OPENAI_CHAT = "openai-chat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which answers are exported, and how."""

    form: ExportForm = ExportForm.JSONL
    wanted: AnswerFilter = EVERYONE
    min_score: float | None = None
    passed: bool = False
    """Only those that passed all unit tests."""

    def takes(self, verdict: Evaluation | None) -> bool:
        """Whether a verdict is good enough; without one, or with a void one, only where none is asked for."""
        if self.passed and (verdict is None or verdict.outcome is not Outcome.PASS):
            return False
        if self.min_score is None:
            return True
        return verdict is not None and verdict.score is not None and verdict.score >= self.min_score


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A line, or why there is none for a sample that was asked for."""

    line: str = ""
    problem: str = ""


def export_lines(root: Path, selection: Selection) -> Iterator[Exported]:
    """Yield a line for every answer that is selected, and the problem of every one that cannot be read."""
    for sample in wanted_samples(root, selection.wanted):
        try:
            line = _line(sample, selection)
        except InputError as exc:
            yield Exported(problem=str(exc))
            continue
        if line is not None:
            yield Exported(line=line)


def _line(sample: StoredSample, selection: Selection) -> str | None:
    verdict = read_evaluation(sample.evaluation).evaluation if sample.has_evaluation else None
    if not selection.takes(verdict):
        return None
    if not sample.has_conversation:
        raise InputError(
            f"{sample.evaluation}: has no conversation beside it, so there is no answer to export"
        )
    conversation = measured(sample)
    if selection.form is ExportForm.OPENAI_CHAT:
        return json.dumps({"messages": _messages(conversation, len(conversation.messages))})
    return json.dumps(_row(sample, conversation, verdict))


def _messages(conversation: Conversation, count: int) -> list[dict[str, str]]:
    return [{"role": each.role, "content": each.content} for each in conversation.messages[:count]]


def _row(sample: StoredSample, conversation: Conversation, verdict: Evaluation | None) -> dict[str, Any]:
    request, last = sample.request, conversation.completion
    row: dict[str, Any] = {
        "task_id": f"{request.category}/{request.name}" if request.category else request.name,
        "completion": conversation.answer,
        "messages": _messages(conversation, len(conversation.messages) - 1),
        "model": request.model,
        "prompt_label": request.prompt_label,
        "prompt_strategy": request.prompt_strategy,
        "parameters": dict(request.parameters),
        "experiment": request.experiment,
        "device": request.device,
        "version_prompt": request.version_prompt,
        "seed": request.seed,
        "sample": request.sample,
        "round": request.round,
        "timestamp": sample.timestamp,
        "prompt_tokens": last.prompt_tokens,
        "completion_tokens": last.completion_tokens,
        "elapsed_seconds": last.elapsed_seconds,
        "cost": last.cost,
        "finish_reason": last.finish_reason,
        "canary": CANARY,
    }
    if verdict is not None:
        row |= {**claim_row(verdict), "passed": verdict.outcome is Outcome.PASS}
    return row


def write_lines(path: Path, lines: Iterable[str]) -> int:
    """Write a file that appears whole or not at all; return the number of its lines."""
    target = path.resolve()  # a link stays a link
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    count = 0
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("x", encoding="utf-8") as file:
            for line in lines:
                file.write(f"{line}\n")
                count += 1
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except OSError as exc:
        raise InputError(f"{path}: cannot be written: {exc.strerror}") from None
    finally:
        beside.unlink(missing_ok=True)
    return count
