"""`replay/FOLDER`: answers from conversations stored in the published layout, somewhere below FOLDER.

    .../<test case>/<model>/conversation__<PROMPT>__<STRATEGY>__<TIMESTAMP>.json

A model's name can be several folders deep, a time stamp and a repair strategy contain `__`: names are
read from their known ends. Which conversation answers is a function of the test case, the prompt's
label, the round of repair and the sample's number: the oldest is sample 0. `replay/FOLDER#MODEL` takes
only what one model said.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, ModelRefused
from ..records import Completion, Message, Prompt, TestCase
from ..store.names import SampleName
from ..store.predecessor import round_of
from ..store.read import read_conversation, read_evaluation
from ..store.samples import Request
from .protocol import Model, Parameters, RequestRefused
from .spec import ModelSpec

if TYPE_CHECKING:
    from .session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredConversation:
    """A conversation on disk, by its name alone."""

    path: Path
    label: str
    round: int
    """0 for the first answer, k for the k-th repair."""
    stamp: str


def make(spec: ModelSpec, session: Session) -> Model:
    folder, _, model = spec.model.partition("#")
    root = Path(folder).expanduser()
    if not root.is_dir():
        raise ModelRefused(f"{spec.name}: there is no folder {root}")
    # Results are stored under the model's name: a path of this machine is none.
    name = f"replay/{root.resolve().name}" + (f"#{model}" if model else "")
    return Replay(name if spec.name.startswith("replay/") else spec.name, root, model)


class Replay:
    """Says again what was said."""

    def __init__(self, name: str, root: Path, model: str) -> None:
        self.name = name
        self._root = root
        self._model = model
        self._index: asyncio.Task[dict[str, list[StoredConversation]]] | None = None

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
        return await asyncio.to_thread(_answer, matching[sample].path)

    async def _indexed(self) -> dict[str, list[StoredConversation]]:
        """All conversations by test case. The folder is walked once, for however many ask."""
        if self._index is None:
            self._index = asyncio.create_task(asyncio.to_thread(self._walk))
        return await asyncio.shield(self._index)

    def _walk(self) -> dict[str, list[StoredConversation]]:
        index: dict[str, list[StoredConversation]] = {}
        for path in self._root.resolve().rglob("conversation__*.json"):
            stored, request = parse_name(path), _request(path)
            if stored and self._is_wanted(path, request):
                # Its evaluation says which test case it is about, else one of its folders is named so.
                names = (request.name,) if request else tuple(dict.fromkeys(path.parent.parts))
                for name in names:
                    index.setdefault(name, []).append(stored)
        for conversations in index.values():
            conversations.sort(key=lambda stored: (stored.stamp, stored.path))
        return index

    def _is_wanted(self, path: Path, request: Request | None) -> bool:
        if not self._model:
            return True
        return request.model == self._model if request else path.parent.as_posix().endswith("/" + self._model)


def parse_name(path: Path) -> StoredConversation | None:
    """`conversation__InJulia__1CODEFIXER__CodeFixerTiny__20240101_120000__007.json` -> InJulia, round 1."""
    try:
        name = SampleName.parse(path.name)
    except InputError:
        return None
    number = round_of(name.prompt_strategy)
    return StoredConversation(path=path, label=name.prompt_label, round=number, stamp=name.timestamp)


def _request(path: Path) -> Request | None:
    """What the evaluation beside a conversation says was asked; None where there is none that can be read."""
    try:
        return read_evaluation(path.with_name("evaluation" + path.name.removeprefix("conversation"))).request
    except InputError:
        return None


def _answer(path: Path) -> Completion:
    """The answer of a stored conversation, with what was noted about it. Nothing is paid again."""
    try:
        return replace(read_conversation(path).completion, cost=0.0, retries=0)
    except InputError as error:
        raise RequestRefused(str(error)) from None
