"""The models of a run, each with what is known about it before it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..errors import ModelRefused
from ..models import Model, Order, Parameters, Session
from ..models.order import effective, price_of, service_of

CONNECTIONS: Final = 16
"""Requests at once to a model that says nothing about it."""
ANY_SERVER: Final = "openai-compatible"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """A model as the user named it, resolved; or the reason why it cannot be."""

    name: str
    """What its results are stored under."""
    order: Order
    model: Model | None
    problem: str = ""
    lanes: int = CONNECTIONS
    """Tasks that ask it at the same time."""

    @property
    def schema(self) -> str:
        """Which kind of service answers."""
        return self.order.provider or ANY_SERVER

    def sent(self, parameters: Parameters) -> dict[str, Any]:
        """The parameters that are really sent, by name, without the seed: each sample has its own."""
        values = effective(self.order, parameters).as_mapping()
        values.pop("seed", None)
        return values

    def seed(self, given: int | None, sample: int) -> int | None:
        """The run's or the model's own, plus the sample's number; None where the service takes none."""
        service = service_of(self.order)
        if service is not None and service.names.get("seed") == "":
            return None
        first = self.order.parameters.seed if given is None else given
        return None if first is None else first + sample

    def price(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """USD; None where the price is unknown."""
        return price_of(self.order)(prompt_tokens, completion_tokens)


def find_contestants(specs: Sequence[str], session: Session) -> list[Contestant]:
    """All models by name. One that cannot be had does not keep the others from being asked."""
    return [_contestant(spec, session) for spec in specs]


def _contestant(spec: str, session: Session) -> Contestant:
    order = Order(name=spec, provider="", model=spec)
    try:
        order = session.order(spec)
        model = session.resolve(spec)
    except ModelRefused as error:
        return Contestant(name=spec, order=order, model=None, problem=str(error))
    return Contestant(name=model.name, order=order, model=model, lanes=_lanes(order, session))


def _lanes(order: Order, session: Session) -> int:
    """As many as there may be requests at once; a quarter more where the service's limiter counts those.

    While one lane writes its answer down, another one uses the connection.
    """
    service = service_of(order)
    shared = session.max_connections or (service.max_connections if service else CONNECTIONS)
    most = order.max_connections or shared
    return most + max(1, most // 4) if service else most
