"""Writing the two files of a sample: the conversation first, the evaluation after.

Nothing is overwritten: a conversation takes a name that is free, and an evaluation that is judged
again moves to `superseded__...` before the new one takes its place. The prefix hides it from
readers that look for `evaluation__*` in all folders, so a sample never counts twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from .. import files
from ..errors import InputError, WriteError
from ..records import Completion, Evaluation, Message
from .convert import conversation_file, evaluation_dict, to_bytes
from .names import SampleName, TimestampClock, folder_part, model_parts, next_timestamp, timestamp_of
from .read import evaluation_file, read_conversation
from .samples import Request, StoredEvaluation, StoredSample

_CLOCK = TimestampClock()


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
        data = to_bytes(conversation_file(request, stamp, messages, completions))
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
            files.create(path, data)
        except FileExistsError:
            return False
    return True


def write_evaluation(
    sample: StoredSample, evaluation: Evaluation, completion: Completion | None = None
) -> StoredSample:
    """Store a verdict; one that is there already is kept as superseded.

    Tokens, time and cost belong to the answer: without `completion` they come from the sample's own files.
    """
    if evaluation.name != sample.request.name:
        raise InputError(
            f"{sample.evaluation}: is about {sample.request.name}, the verdict about {evaluation.name}"
        )
    # Alone: two verdicts that supersede at once would lose one.
    with _errors_naming(sample.evaluation), files.alone_in(sample.folder):
        answer = completion or _completion_of(sample)
        exists = sample.evaluation.exists()
        if exists:
            _keep_superseded(sample)
        stored = StoredEvaluation(
            request=sample.request,
            timestamp=sample.timestamp,
            completion=answer,
            evaluation=evaluation,
            judged_at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            supersedes=tuple(path.name for path in earlier_evaluations(sample)),
        )
        (files.replace if exists else files.create)(sample.evaluation, to_bytes(evaluation_dict(stored)))
    return replace(sample, has_evaluation=True, outcome=evaluation.outcome.value, problem="")


def earlier_evaluations(sample: StoredSample) -> list[Path]:
    """The superseded evaluations of a sample, oldest first."""
    found = []
    for number in range(1, 1_000_000):
        path = _superseded(sample, number)
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
    files.create(_superseded(sample, len(kept) + 1), data)


def _superseded(sample: StoredSample, number: int) -> Path:
    """Where an earlier verdict is kept; that of another Julia under the name of its own file."""
    stem = (sample.evaluation.name if sample.julia else sample.tail).removesuffix(".json")
    return sample.folder / f"superseded__{stem}.{number}.json"


def _completion_of(sample: StoredSample) -> Completion:
    """What the answer cost; an evaluation knows prices that the oldest conversations lack."""
    conversation = None
    with suppress(InputError):
        conversation = read_conversation(sample.conversation).completion
    try:
        stored = evaluation_file(replace(sample, julia="").evaluation)
    except InputError:
        if conversation is None:
            raise InputError(f"{sample.conversation}: neither it nor an evaluation can be read") from None
        return conversation
    prompt_tokens, completion_tokens = stored.tokens  # as they were written: also -1 stays what it is
    return replace(
        conversation or Completion(text=""),
        prompt_tokens=prompt_tokens, completion_tokens=completion_tokens,
        elapsed_seconds=stored.elapsed_seconds, cost=stored.cost,
    )  # fmt: skip


@contextmanager
def _errors_naming(path: Path) -> Iterator[None]:
    """A full disk or a folder without rights is a message, not a traceback."""
    try:
        yield
    except OSError as exc:
        raise WriteError(f"{path}: cannot be written: {exc.strerror or exc}") from exc


# ---- Answers that could not be written where they belong, kept until a run can put them there.
#
# An answer is paid for when it arrives. Where its own folder cannot take it (a full disk, a file in the way),
# it goes into a hidden folder of the results, and where that fails too, into the user's cache. The next run
# with the same results folder moves it to its place, and judges it.

FOLDER: Final = ".unfiled"


def unfiled_folders(root: Path, cache: Path) -> tuple[Path, Path]:
    """Where such answers are kept: in the results folder, or in a folder of the cache for it alone."""
    own = hashlib.sha256(str(root.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return root / FOLDER, cache / FOLDER.removeprefix(".") / own


def keep_unfiled(
    root: Path,
    cache: Path,
    request: Request,
    messages: Sequence[Message],
    completions: Sequence[Completion],
) -> Path:
    """Write an answer into the first of these folders that takes it; WriteError if none does."""
    problems = []
    for folder in unfiled_folders(root, cache):
        try:
            return write_conversation_in(folder, request, messages, completions).conversation
        except WriteError as error:
            problems.append(str(error))
    raise WriteError("\n".join(problems))


def file_again(root: Path, cache: Path, models: Collection[str]) -> list[Path]:
    """Move what was kept for these models to its place; gives the new files.

    WriteError if its place still cannot take it: it stays where it is.
    """
    return [_filed(root, path) for path in _unfiled(root, cache, models)]


def _unfiled(root: Path, cache: Path, models: Collection[str]) -> Iterator[Path]:
    for folder in unfiled_folders(root, cache):
        for path in sorted(folder.glob("conversation__*.json")):
            request = read_conversation(path).request
            if request is not None and request.model in models:
                yield path


def _filed(root: Path, path: Path) -> Path:
    said, data = read_conversation(path), path.read_bytes()
    assert said.request is not None, "one without is not ours"
    target = sample_folder(root, said.request) / path.name
    try:
        files.create(target, data)
    except FileExistsError:
        # A mover that was killed has left it in both places; anything else is another answer's name.
        if target.read_bytes() != data:
            target = write_conversation(root, said.request, said.messages[:-1], said.completions).conversation
    except OSError as error:
        raise WriteError(
            f"{target}: cannot be written: {error.strerror or error}; "
            f"an answer that belongs there is kept in {path}"
        ) from None
    path.unlink()
    with suppress(OSError):  # not empty yet
        path.parent.rmdir()
    return target
