"""The records of the store: what was asked, what came back, and where it lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import __version__
from ..records import Completion, Evaluation, Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked of whom: every fact about an answer that does not depend on the judge."""

    category: str
    name: str
    """The test case's name."""
    model: str
    prompt_label: str
    prompt_strategy: str = "1SHOT"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    experiment: str = ""
    device: str = "-"
    schema: str = ""
    """Which kind of service was asked."""
    version_prompt: str = ""
    """The version of the definition whose prompt was sent."""
    version_pt: str = f"codejury-{__version__}"
    """The program that asked."""
    prompt_hash: str = ""
    template_version: str = ""
    asked_julia_version: str = ""
    """The Julia that the question named, such as `1.10`; "" where it named none."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """What was filled in into the template; kept in the conversation only."""
    seed: int | None = None
    sample: int | None = None
    """Which of several answers to the same request, from 0."""
    round: int = 0
    """Of repair; 0 is the first try."""
    run_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The messages of one conversation; the last one is the answer."""

    messages: tuple[Message, ...]
    completions: tuple[Completion, ...]
    """One for each message of the assistant, in order."""
    request: Request | None
    """None in the predecessor's files, which do not say."""
    timestamp: str
    """"" in the predecessor's files."""

    @property
    def answer(self) -> str:
        """What is judged."""
        return self.messages[-1].content

    @property
    def completion(self) -> Completion:
        """The answer with its tokens, time and cost."""
        return self.completions[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvaluation:
    """One evaluation file, ours or the predecessor's."""

    request: Request
    timestamp: str
    completion: Completion
    """Tokens, time and cost of the answer; its text stands in the conversation."""
    evaluation: Evaluation
    judged_at: str = ""
    supersedes: tuple[str, ...] = ()
    """Names of earlier evaluations of the same answer, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSample:
    """The files of one sample, and what they say it is."""

    folder: Path
    tail: str
    """The file names without their kind."""
    has_conversation: bool
    has_evaluation: bool
    request: Request
    """From the JSON; from the path where the JSON does not say."""
    timestamp: str
    outcome: str = ""
    """`pass`, `fail` or `void`; "" in the predecessor's files and for what is not judged."""
    problem: str = ""
    """Why a file could not be read, or "": then the request comes from the path."""
    julia: str = ""
    """The Julia whose verdict it is about, where that is kept beside the present one; "" for the present one.

    See `by_julia`."""

    @property
    def conversation(self) -> Path:
        """Its conversation file, if `has_conversation`."""
        return self.folder / f"conversation__{self.tail}"

    @property
    def evaluation(self) -> Path:
        """Its evaluation file, if `has_evaluation`; else where it will be."""
        return self.folder / (
            f"julia-{self.julia}__{self.tail}" if self.julia else f"evaluation__{self.tail}"
        )
