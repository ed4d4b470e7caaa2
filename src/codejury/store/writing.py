"""Writing the two files of a sample: the conversation first, the evaluation after.

Nothing is overwritten: a conversation takes a name nobody has, and an evaluation that is judged
again moves to `superseded__...` before the new one takes its place. The prefix hides it from
readers that look for `evaluation__*` in all folders, so a sample never counts twice.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ..errors import InputError, WriteError
from ..records import Completion, Evaluation, Message
from . import atomic
from .encoding import conversation_dicts, to_bytes
from .names import Clock, SampleName, folder_part, model_parts, next_timestamp, timestamp_of
from .reading import read_conversation, read_evaluation
from .samples import Request, StoredSample
from .verdicts import evaluation_dict

_CLOCK = Clock()


def sample_folder(root: Path, request: Request) -> Path:
    """Where the samples of a request lie; InputError if a name in it cannot be part of a path.

    Ask before paying for an answer.
    """
    SampleName(
        prompt_label=request.prompt_label, prompt_strategy=request.prompt_strategy, timestamp=timestamp_of(0)
    )
    category = folder_part(request.category, "category")
    return Path(root, category, folder_part(request.name, "test case"), *model_parts(request.model))


def write_conversation(
    root: Path,
    request: Request,
    messages: Sequence[Message],
    completions: Sequence[Completion],
    *,
    timestamp: str = "",
) -> StoredSample:
    """Store an answer under a name of its own; it is on the disk when this returns.

    `timestamp` is when it was made, where that was earlier; if the name is taken, the next number after it.

    `messages` is what was sent. `completions` has one entry for each assistant's message in it,
    and the answer itself as the last.
    """
    folder = sample_folder(root, request)
    return write_conversation_in(folder, request, messages, completions, timestamp=timestamp)


def write_conversation_in(
    folder: Path,
    request: Request,
    messages: Sequence[Message],
    completions: Sequence[Completion],
    *,
    timestamp: str = "",
) -> StoredSample:
    """As `write_conversation`, in a folder of the caller's choice."""
    earlier = sum(message.role == "assistant" for message in messages)
    if len(completions) != earlier + 1:
        raise ValueError(
            f"{earlier} earlier answers and the last need as many completions, not {len(completions)}"
        )
    while True:
        stamp = timestamp or timestamp_of(_CLOCK.tick())
        timestamp = timestamp and next_timestamp(timestamp)
        name = SampleName(
            prompt_label=request.prompt_label, prompt_strategy=request.prompt_strategy, timestamp=stamp
        )
        data = to_bytes(conversation_dicts(request, stamp, messages, completions))
        if _took_name(folder, name, data):
            return StoredSample(
                folder=folder, tail=name.tail, has_conversation=True, has_evaluation=False,
                request=request, timestamp=stamp,
            )  # fmt: skip


def _took_name(folder: Path, name: SampleName, data: bytes) -> bool:
    """Write the conversation unless another sample has that name already."""
    path = folder / name.filename("conversation")
    if (folder / name.filename("evaluation")).exists():
        return False
    with _errors_naming(path):
        try:
            atomic.create(path, data)
        except FileExistsError:
            return False
    return True


def write_evaluation(sample: StoredSample, evaluation: Evaluation) -> StoredSample:
    """Store a verdict; one that is there already is kept as superseded.

    Tokens, time and cost come from the sample's own files: they belong to the answer.
    """
    if evaluation.name != sample.request.name:
        raise InputError(
            f"{sample.evaluation}: is about {sample.request.name}, the verdict about {evaluation.name}"
        )
    with _errors_naming(sample.evaluation), alone_in(sample.folder):
        completion = _completion_of(sample)
        stored = evaluation_dict(sample.request, sample.timestamp, completion, evaluation)
        stored["judged_at"] = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        exists = sample.evaluation.exists()
        if exists:
            _keep_superseded(sample)
        stored["supersedes"] = [path.name for path in earlier_evaluations(sample)]
        (atomic.replace if exists else atomic.create)(sample.evaluation, to_bytes(stored))
    return replace(sample, has_evaluation=True, outcome=evaluation.outcome.value, problem="")


def earlier_evaluations(sample: StoredSample) -> list[Path]:
    """The superseded evaluations of a sample, oldest first."""
    stem = sample.tail.removesuffix(".json")
    found = []
    for number in range(1, 1_000_000):
        path = sample.folder / f"superseded__{stem}.{number}.json"
        if not path.exists():
            break
        found.append(path)
    return found


def _keep_superseded(sample: StoredSample) -> None:
    """Copy the evaluation aside, unless a writer that was killed did so already."""
    data = sample.evaluation.read_bytes()
    kept = earlier_evaluations(sample)
    if kept and kept[-1].read_bytes() == data:
        return
    stem = sample.tail.removesuffix(".json")
    atomic.create(sample.folder / f"superseded__{stem}.{len(kept) + 1}.json", data)


def _completion_of(sample: StoredSample) -> Completion:
    """What the answer cost; an evaluation knows prices that the oldest conversations lack."""
    conversation = None
    with suppress(InputError):
        conversation = read_conversation(sample.conversation).completion
    try:
        stored = read_evaluation(sample.evaluation)
    except InputError:
        if conversation is None:
            raise InputError(f"{sample.conversation}: neither it nor an evaluation can be read") from None
        return conversation
    prompt_tokens, completion_tokens = stored["tokens"]
    return replace(
        conversation or Completion(text=""),
        prompt_tokens=prompt_tokens, completion_tokens=completion_tokens,
        elapsed_seconds=stored["elapsed_seconds"], cost=stored["cost"],
    )  # fmt: skip


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """One writer in a folder at a time: two verdicts that supersede at once would lose one."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):  # a file system without locks; then only that rare pair is at risk
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _errors_naming(path: Path) -> Iterator[None]:
    """A full disk or a folder without rights is a message, not a traceback."""
    try:
        yield
    except OSError as exc:
        raise WriteError(f"{path}: cannot be written: {exc.strerror or exc}") from exc
