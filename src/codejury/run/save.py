"""Where a run puts its answers: each in its place, or where that fails, kept until the next run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import WriteError
from ..records import Completion, Message
from ..store.samples import Request, StoredSample
from ..store.write import keep_unfiled, write_conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """An answer on the disk."""

    file: Path
    stored: StoredSample | None
    """None where it is not in its place: the next run puts it there, and judges it."""
    problem: WriteError | None = None
    """Why it is not."""


class AnswerWriter:
    """Writes answers down. Used from several threads."""

    def __init__(self, save_dir: Path, cache: Path) -> None:
        self._save_dir = save_dir
        self._cache = cache

    def keep(self, request: Request, messages: Sequence[Message], completions: Sequence[Completion]) -> Kept:
        """Put an answer on the disk, if need be elsewhere; WriteError if it could not be written at all."""
        try:
            stored = write_conversation(self._save_dir, request, messages, completions)
        except WriteError as error:
            return self._keep_elsewhere(request, messages, completions, error)
        return Kept(file=stored.conversation, stored=stored)

    def _keep_elsewhere(
        self,
        request: Request,
        messages: Sequence[Message],
        completions: Sequence[Completion],
        problem: WriteError,
    ) -> Kept:
        try:
            file = keep_unfiled(self._save_dir, self._cache, request, messages, completions)
        except WriteError as error:
            raise WriteError(f"{problem}\n{error}") from None
        return Kept(file=file, stored=None, problem=problem)


class WriteProblem:
    """What went wrong with the writing in a run, told in one message at its end."""

    def __init__(self) -> None:
        self.first: WriteError | None = None
        self.unfiled: list[Path] = []
        self.lost = 0

    def add(self, problem: WriteError) -> None:
        self.first = self.first or problem

    def message(self) -> str:
        """What happened, what became of the answers, and what to do."""
        lines = [str(self.first), "Nothing more was asked, and the requests under way were waited for."]
        if self.unfiled:
            folders = ", ".join(sorted({str(file.parent) for file in self.unfiled}))
            count = len(self.unfiled)
            lines.append(f"{count} answer{'s are' if count > 1 else ' is'} kept in {folders}.")
        if self.lost:
            lines.append(f"Answers that could be written nowhere, and are lost: {self.lost}.")
        lines.append("Fix that and run the same command: it puts what was kept in its place, and goes on.")
        return "\n".join(lines)
