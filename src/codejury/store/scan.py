"""The samples in a tree of files. Who made what is inside the JSON; the path only where the JSON is silent.

The predecessor has evaluations in another model's folder and test cases in a doubled folder, and
its conversations name neither model nor test case.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from .names import SampleName
from .read import read_conversation, read_evaluation
from .samples import Request, StoredSample

_CONVERSATION = "conversation__"
_EVALUATION = "evaluation__"

_Identity = tuple[Request, str, str]
"""Request, timestamp, outcome."""


def find_samples(root: Path) -> Iterator[StoredSample]:
    """Every sample below a folder, in the order of the paths.

    One that cannot be read comes too, with its `problem`: what is broken must be seen.
    """
    return (_identified(root, files) for files in _files(root))


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of one sample, not read yet."""

    folder: Path
    tail: str
    has_conversation: bool
    has_evaluation: bool


def _files(root: Path) -> Iterator[_Files]:
    if not root.is_dir():
        raise InputError(f"{root}: not a folder; give one with stored samples, such as code_generation")
    folders = [str(root)]
    while folders:
        folder = folders.pop()
        below, conversations, evaluations = _listed(folder)
        folders += sorted(below, reverse=True)
        place = Path(folder)
        for tail in sorted(conversations | evaluations):
            yield _Files(place, tail, tail in conversations, tail in evaluations)


def _listed(folder: str) -> tuple[list[str], set[str], set[str]]:
    """Folders below, and the tails of both kinds of file. Links to folders could run in circles."""
    below: list[str] = []
    conversations: set[str] = set()
    evaluations: set[str] = set()
    with _readable(folder) as entries:
        for entry in entries:
            name = entry.name
            if entry.is_dir(follow_symlinks=False):
                if not name.startswith("."):
                    below.append(entry.path)
            elif name.endswith(".json") and entry.is_file():
                if name.startswith(_CONVERSATION):
                    conversations.add(name.removeprefix(_CONVERSATION))
                elif name.startswith(_EVALUATION):
                    evaluations.add(name.removeprefix(_EVALUATION))
    return below, conversations, evaluations


@contextmanager
def _readable(folder: str) -> Iterator[Iterator[os.DirEntry[str]]]:
    try:
        with os.scandir(folder) as entries:
            yield entries
    except OSError as exc:
        raise InputError(f"{folder}: cannot be listed: {exc.strerror}") from exc


def _identified(root: Path, files: _Files) -> StoredSample:
    found, problem = _from_json(files)
    if found is None:
        found, unnamed = _from_path(root, files)
        problem = problem or unnamed
    request, timestamp, outcome = found
    return StoredSample(
        folder=files.folder, tail=files.tail, has_conversation=files.has_conversation,
        has_evaluation=files.has_evaluation, request=request, timestamp=timestamp, outcome=outcome,
        problem=problem,
    )  # fmt: skip


def _from_json(files: _Files) -> tuple[_Identity | None, str]:
    """What the files say, the evaluation before the conversation, and what is wrong with them."""
    problem = ""
    for there, read in (
        (files.has_evaluation, _from_evaluation),
        (files.has_conversation, _from_conversation),
    ):
        try:
            if there and (found := read(files)):
                return found, problem
        except InputError as exc:
            problem = problem or str(exc)
    return None, problem


def _from_evaluation(files: _Files) -> _Identity | None:
    stored = read_evaluation(files.folder / f"{_EVALUATION}{files.tail}")
    verdict = stored.evaluation
    return stored.request, stored.timestamp, "" if verdict.by_predecessor else verdict.outcome.value


def _from_conversation(files: _Files) -> _Identity | None:
    conversation = read_conversation(files.folder / f"{_CONVERSATION}{files.tail}")
    return (conversation.request, conversation.timestamp, "") if conversation.request else None


def _from_path(root: Path, files: _Files) -> tuple[_Identity, str]:
    """The best the path can say, and what is wrong with the file's name."""
    category, name, model = _places(root, files.folder)
    label = strategy = timestamp = problem = ""
    try:
        parsed = SampleName.parse(f"{_CONVERSATION}{files.tail}")
        label, strategy, timestamp = parsed.prompt_label, parsed.prompt_strategy, parsed.timestamp
    except InputError as exc:
        problem = f"{files.folder}: {exc}"
    request = Request(
        category=category, name=name, model=model, prompt_label=label, prompt_strategy=strategy, version_pt=""
    )
    return (request, timestamp, ""), problem


def _places(root: Path, folder: Path) -> tuple[str, str, str]:
    """Category, test case and model of a folder.

    The test case's folder is the one with the definition; without definitions, the second below the root.
    """
    absolute = folder.resolve()
    case = next((place for place in absolute.parents if (place / "definition.toml").is_file()), None)
    if case is None:
        case = root.resolve().joinpath(*folder.relative_to(root).parts[:2])
    model = absolute.relative_to(case).parts
    if model[:1] == (case.name,):
        model = model[1:]
    return case.parent.name, case.name, "/".join(model)
