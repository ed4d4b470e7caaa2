"""Answers that could not be written where they belong, kept until a run can put them there.

An answer is paid for when it arrives. Where its own folder cannot take it (a full disk, a file in the way),
it goes into a hidden folder of the results, and where that fails too, into the user's cache. The next run
with the same results folder moves it to its place, and judges it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..errors import WriteError
from ..records import Completion, Message
from . import atomic
from .reading import read_conversation
from .samples import Request
from .writing import sample_folder, write_conversation, write_conversation_in

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
        atomic.create(target, data)
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
