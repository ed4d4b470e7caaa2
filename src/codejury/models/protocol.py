"""The seam between a run and whatever answers: what a model is, and what it may be told.

Model         one prompt in, one answer out
Parameters    how to sample
Retry         an event: a request failed and will be sent again
BatchProgress  likewise: a batch is further than before
RequestRefused  this one request is refused; the model may answer others
NotSent       a request that was given up before it was sent
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from ..errors import ModelRefused, ModelUnavailable
from ..records import Completion, Message, Prompt, TestCase


class RequestRefused(ModelRefused):
    """Final for one request; another test case may well be answered."""


class NotSent(ModelUnavailable):
    """Nothing was sent, so nothing was paid for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """A request that failed and will be sent again."""

    model: str
    what: str
    seconds: float
    """Until then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchProgress:
    """How far a batch is; an event of a run."""

    model: str
    id: str
    state: str
    done: int | None
    requests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """How an answer is sampled. None leaves the choice to the server."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    effort: str | None = None
    """How much a model reasons before it answers: `low`, `medium`, `high`, or what else its service knows."""
    thinking_tokens: int | None = None
    """Tokens that it may reason for, where its service counts them."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the request, sent as they are."""

    def over(self, defaults: Parameters) -> Parameters:
        """These values, and the defaults where this one says nothing.

        temperature=0.2 over (temperature=0.7, seed=1) -> temperature=0.2, seed=1
        """
        own = {name: getattr(self, name) for name in _SAMPLING}
        kept = {name: getattr(defaults, name) if own[name] is None else own[name] for name in _SAMPLING}
        return Parameters(**kept, extra={**defaults.extra, **self.extra})

    def sampling(self) -> dict[str, Any]:
        """What is set, by name, without `extra`."""
        named = {name: getattr(self, name) for name in _SAMPLING}
        return {name: value for name, value in named.items() if value is not None}

    def as_mapping(self) -> dict[str, Any]:
        """What is set, by name: the form in which it is stored beside an answer."""
        return {**self.extra, **self.sampling()}

    def without(self, names: Collection[str]) -> Parameters:
        """These values, but for some of them."""
        kept = {name: value for name, value in self.sampling().items() if name not in names}
        return Parameters(**kept, extra=self.extra)

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Parameters:
        """The reverse of `as_mapping`."""
        named = {name: values[name] for name in _SAMPLING if name in values}
        return cls(**named, extra={name: value for name, value in values.items() if name not in _SAMPLING})


_SAMPLING = tuple(item.name for item in fields(Parameters) if item.name != "extra")


class Model(Protocol):
    """Answers prompts. Used by many tasks of one event loop at once.

    A model may also have `stop_sending()`: called when it is asked nothing more. What was sent goes on;
    what waits for its turn, or to be sent again, ends at once as NotSent.
    """

    @property
    def name(self) -> str:
        """What results are stored under; a relative path without `..`."""

    async def complete(
        self,
        prompt: Prompt,
        parameters: Parameters,
        *,
        test_case: TestCase,
        previous: tuple[Message, ...] = (),
        sample: int = 0,
    ) -> Completion:
        """Ask once, with all retries that make sense.

        `previous` is what was said after the prompt: earlier answers and the feedback on them.
        `sample` counts the samples of one combination from 0; only replays heed it.

        Raises ModelRefused if this model will not answer anything, RequestRefused if it will not
        answer this, ModelUnavailable if it did not answer in all the tries it was given.
        """
