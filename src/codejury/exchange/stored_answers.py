"""What a folder of stored answers holds already.

An answer is known by its content: the conversation, what was asked for, and what was measured. Nothing has to
be recorded for that, and an import that was stopped half-way is recognised line by line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..records import Completion, Message
from ..store.convert import conversation_file, conversation_record, to_bytes
from ..store.read import read_conversation, read_evaluation
from ..store.samples import Conversation, Request, StoredSample
from ..store.scan import find_samples
from ..store.schema import decode_conversation
from .import_lines import ImportLine


@dataclass(frozen=True, slots=True)
class Known:
    """A stored answer, by as little as is needed to find it again."""

    tail: str
    sample: int | None
    has_evaluation: bool


class Library:
    """The stored answers below a root, folder by folder as they are asked for. Each is handed out once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._answers: dict[Path, dict[bytes, list[Known]]] = {}
        self._numbers: dict[tuple[Path, str], int] = {}
        """The next number of a sample, for each folder and combination."""

    def take(self, folder: Path, line: ImportLine) -> Known | None:
        """Return the stored answer that this line is, and do not hand it out again; None if it is new."""
        known = self._below(folder).get(line_key(line), [])
        wanted = line.request.sample
        for place, each in enumerate(known):
            if wanted is None or each.sample == wanted:
                return known.pop(place)
        return None

    def numbered(self, folder: Path, request: Request) -> Request:
        """Return the request with the number of its sample; the next one, where it has none."""
        self._below(folder)
        place = (folder, combination(request))
        number = self._numbers.get(place, 0) if request.sample is None else request.sample
        self._numbers[place] = max(self._numbers.get(place, 0), number + 1)
        return replace(request, sample=number)

    def _below(self, folder: Path) -> dict[bytes, list[Known]]:
        if folder not in self._answers:
            self._answers[folder] = {}
            for sample, conversation in _conversations(folder):
                self._remember(folder, sample, conversation)
        return self._answers[folder]

    def _remember(self, folder: Path, sample: StoredSample, conversation: Conversation) -> None:
        request = conversation.request or sample.request
        known = Known(sample.tail, request.sample, sample.has_evaluation)
        self._answers[folder].setdefault(answer_key(request, conversation), []).append(known)
        place = (folder, combination(request))
        following = 0 if request.sample is None else request.sample + 1
        self._numbers[place] = max(self._numbers.get(place, 0), following)


def _conversations(folder: Path) -> Iterator[tuple[StoredSample, Conversation]]:
    """The conversations in a folder, without those of models whose name goes on below it."""
    if not folder.is_dir():
        return
    for sample in find_samples(folder):
        if sample.folder == folder and sample.has_conversation:
            try:
                yield sample, measured(sample)
            except InputError:
                continue  # a broken file holds no answer


def measured(sample: StoredSample) -> Conversation:
    """The conversation, with tokens, time and cost as the evaluation has them, where there is one.

    The oldest files of the predecessor have their cost in the evaluation only.
    """
    conversation = read_conversation(sample.conversation)
    if not sample.has_evaluation:
        return conversation
    try:
        stored = read_evaluation(sample.evaluation).completion
    except InputError:
        return conversation
    last = replace(
        conversation.completion, prompt_tokens=stored.prompt_tokens,
        completion_tokens=stored.completion_tokens, elapsed_seconds=stored.elapsed_seconds, cost=stored.cost,
    )  # fmt: skip
    return replace(conversation, completions=(*conversation.completions[:-1], last))


def line_key(line: ImportLine) -> bytes:
    """The key that the line's answer has once it is stored: spelt as the store spells it."""
    stored = to_bytes(conversation_file(line.request, "", line.sent, line.completions))
    conversation = conversation_record(decode_conversation(stored))
    return answer_key(conversation.request or line.request, conversation)


def answer_key(request: Request, conversation: Conversation) -> bytes:
    """What makes an answer this one and no other, except for the number of the sample."""
    asked = (combination(request), request.device, request.seed, request.round)
    said = tuple(_said(message) for message in conversation.messages)
    text = repr((asked, said, _measure(conversation.completion)))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def combination(request: Request) -> str:
    """What the samples of one request have in common, within a folder."""
    parts = (request.prompt_label, request.prompt_strategy, dict(request.parameters), request.experiment)
    return json.dumps(parts, sort_keys=True)


def _said(message: Message) -> tuple[str, str]:
    return message.role, message.content


def _measure(completion: Completion) -> tuple[Any, ...]:
    tokens = (completion.prompt_tokens, completion.completion_tokens)
    cost = None if completion.cost is None else float(completion.cost)
    return (*tokens, float(completion.elapsed_seconds), cost, completion.finish_reason)
