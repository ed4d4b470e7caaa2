"""`replay/FOLDER`: answers from conversations stored in the published layout, somewhere below FOLDER.

    .../<test case>/<model>/conversation__<PROMPT>__<STRATEGY>__<TIMESTAMP>.json

A model's name can be several folders deep, a time stamp and a repair strategy contain `__`: names are
read from their known ends. Which conversation answers is a function of the test case, the prompt's
label, the round of repair and the sample's number: the oldest is sample 0. `replay/FOLDER#MODEL` takes
only what one model said.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ModelRefused
from ..records import Completion, Message, Prompt, TestCase
from .order import Order
from .protocol import Model, Parameters, RequestRefused
from .replies import believable_count, text_of

if TYPE_CHECKING:
    from .session import Session

_NAME = re.compile(r"conversation__(?P<label>.+?)__(?P<strategy>.+)__(?P<stamp>\d{8}_\d{6}__\d+)\.json")
_REPAIR = re.compile(r"(\d+)CODEFIXER")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A conversation on disk, by its name alone."""

    path: Path
    label: str
    round: int
    """0 for the first answer, k for the k-th repair."""
    stamp: str


def make(order: Order, session: Session) -> Model:
    folder, _, model = order.model.partition("#")
    root = Path(folder).expanduser()
    if not root.is_dir():
        raise ModelRefused(f"{order.name}: there is no folder {root}")
    # Results are stored under the model's name: a path of this machine is none.
    name = f"replay/{root.resolve().name}" + (f"#{model}" if model else "")
    return Replay(name if order.name.startswith("replay/") else order.name, root, model)


class Replay:
    """Says again what was said."""

    def __init__(self, name: str, root: Path, model: str) -> None:
        self.name = name
        self._root = root
        self._model = model
        self._index: asyncio.Task[dict[str, list[Stored]]] | None = None

    async def complete(
        self,
        prompt: Prompt,
        parameters: Parameters,
        *,
        test_case: TestCase,
        previous: tuple[Message, ...] = (),
        sample: int = 0,
    ) -> Completion:
        rounds = sum(message.role == "assistant" for message in previous)
        index = await self._indexed()
        matching = [
            stored
            for stored in index.get(test_case.name, [])
            if stored.label == prompt.label and stored.round == rounds
        ]
        if sample >= len(matching):
            what = f"sample {sample + 1} of {test_case.name} under {prompt.label}, repair round {rounds}"
            raise RequestRefused(f"{self.name}: nothing stored for {what}: {self._root} has {len(matching)}")
        return await asyncio.to_thread(read_conversation, matching[sample].path)

    async def _indexed(self) -> dict[str, list[Stored]]:
        """All conversations by test case. The folder is walked once, for however many ask."""
        if self._index is None:
            self._index = asyncio.create_task(asyncio.to_thread(self._walk))
        return await asyncio.shield(self._index)

    def _walk(self) -> dict[str, list[Stored]]:
        index: dict[str, list[Stored]] = {}
        for path in self._root.resolve().rglob("conversation__*.json"):
            stored, facts = parse_name(path), _evaluation(path)
            if stored and self._is_wanted(path, facts):
                for name in _test_cases(path, facts):
                    index.setdefault(name, []).append(stored)
        for conversations in index.values():
            conversations.sort(key=lambda stored: (stored.stamp, stored.path))
        return index

    def _is_wanted(self, path: Path, facts: Mapping[str, Any]) -> bool:
        if not self._model:
            return True
        claimed = facts.get("model")
        return claimed == self._model if claimed else path.parent.as_posix().endswith("/" + self._model)


def parse_name(path: Path) -> Stored | None:
    """`conversation__InJulia__1CODEFIXER__CodeFixerTiny__20240101_120000__007.json` -> InJulia, round 1."""
    if not (match := _NAME.fullmatch(path.name)):
        return None
    repair = _REPAIR.match(match["strategy"])
    return Stored(
        path=path, label=match["label"], round=int(repair[1]) if repair else 0, stamp=match["stamp"]
    )


def _test_cases(path: Path, facts: Mapping[str, Any]) -> tuple[str, ...]:
    """What the conversation is about: its evaluation says it, else one of its folders is named so."""
    name = facts.get("name")
    return (name,) if isinstance(name, str) else tuple(dict.fromkeys(path.parent.parts))


def _evaluation(path: Path) -> Mapping[str, Any]:
    """The evaluation beside a conversation; {} where there is none that can be read."""
    beside = path.with_name("evaluation" + path.name.removeprefix("conversation"))
    try:
        document = json.loads(beside.read_bytes())
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def read_conversation(path: Path) -> Completion:
    """The last message of a stored conversation, with what was noted about it. Nothing is paid again."""
    try:
        message = json.loads(path.read_bytes())[-1]
        text = message["content"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise RequestRefused(f"{path}: is no conversation: {type(error).__name__}") from None
    if not isinstance(text, str):
        raise RequestRefused(f"{path}: the last message has no text")
    read, written = _pair(message.get("tokens"))
    return Completion(
        text=text_of(text),
        prompt_tokens=believable_count(read),
        completion_tokens=believable_count(written),
        elapsed_seconds=_seconds(message.get("elapsed")),
        cost=0.0,
        finish_reason=text_of(message.get("finish_reason")),
    )


def _pair(tokens: Any) -> tuple[Any, Any]:
    return (tokens[0], tokens[1]) if isinstance(tokens, list) and len(tokens) == 2 else (None, None)


def _seconds(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and value >= 0 else 0.0
