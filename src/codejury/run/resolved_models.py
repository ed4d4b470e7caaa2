"""The models of a run, each with what is known about it before it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

from ..errors import InputError, ModelRefused
from ..models.prices import Usage
from ..models.protocol import Model, Parameters
from ..models.session import Session
from ..models.spec import ModelSpec, effective, left_out, price_of, refused, service_of
from ..options import RunOptions, declared_options
from ..program import command

CONNECTIONS: Final = 16
"""Requests at once to a model that says nothing about it."""
IN_A_BATCH: Final = 5_000
"""Tasks that wait for a batch at the same time."""
ANY_SERVER: Final = "openai-compatible"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedModel:
    """A model as the user named it, resolved; or the reason why it cannot be."""

    name: str
    """What its results are stored under."""
    spec: ModelSpec
    model: Model | None
    problem: str = ""
    lanes: int = CONNECTIONS
    """Tasks that ask it at the same time."""
    price_factor: float = 1.0
    """What its answers cost in this run, as a share of their usual price."""

    @property
    def schema(self) -> str:
        """Which kind of service answers."""
        return self.spec.provider or ANY_SERVER

    def sent(self, parameters: Parameters) -> dict[str, Any]:
        """The parameters that are really sent, by name, without the seed: each sample has its own."""
        values = effective(self.spec, parameters).as_mapping()
        values.pop("seed", None)
        return values

    def left_out(self, parameters: Parameters) -> tuple[str, ...]:
        """Parameters that somebody set, and that this model would refuse: they are not sent."""
        return left_out(self.spec, parameters)

    def seed(self, given: int | None, sample: int) -> int | None:
        """The run's or the model's own, plus the sample's number; None where the service takes none."""
        if "seed" in refused(self.spec):
            return None
        first = self.spec.parameters.seed if given is None else given
        return None if first is None else first + sample

    def price(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """USD; None where the price is unknown."""
        price = price_of(self.spec)(Usage(read=prompt_tokens, written=completion_tokens))
        return None if price is None else price * self.price_factor


def parameter_grid(options: RunOptions) -> list[Parameters]:
    """One set of parameters for each combination of the values given; without a seed."""
    names = [name for name, option in declared_options().items() if option.about.is_scanned]
    axes = [getattr(options, name) or (None,) for name in names]
    return [Parameters(**dict(zip(names, values, strict=True))) for values in product(*axes)]


def parameter_notes(resolved_models: Sequence[ResolvedModel], options: RunOptions) -> list[str]:
    """Which parameters are not sent to whom, in a sentence for each set of them."""
    models: dict[tuple[str, ...], list[str]] = {}
    for resolved_model in resolved_models:
        each = [
            resolved_model.left_out(replace(given, seed=options.seed)) for given in parameter_grid(options)
        ]
        if names := tuple(dict.fromkeys(name for left in each for name in left)):
            models.setdefault(names, []).append(resolved_model.name)
    return [
        f"{', '.join(names)}: not sent to {', '.join(refusing)}, which would refuse the request"
        for names, refusing in models.items()
    ]


def resolve_models(specs: Sequence[str], session: Session) -> list[ResolvedModel]:
    """All models by name. One that cannot be had does not keep the others from being asked."""
    if not specs:
        raise InputError(
            f"model: none is named; add --model PROVIDER/MODEL (`{command('models')}` lists them)"
        )
    return [_resolve(text, session) for text in specs]


def _resolve(text: str, session: Session) -> ResolvedModel:
    spec = ModelSpec(name=text, provider="", model=text)
    try:
        spec = session.spec_of(text)
        model = session.resolve(text)
    except ModelRefused as error:
        return ResolvedModel(name=text, spec=spec, model=None, problem=str(error))
    service = service_of(spec)
    factor = service.batch_price if service and session.batch_folder else 1.0
    lanes = _lanes(spec, session)
    return ResolvedModel(name=model.name, spec=spec, model=model, lanes=lanes, price_factor=factor)


def _lanes(spec: ModelSpec, session: Session) -> int:
    """As many as there may be requests at once; a quarter more where the service's limiter counts those.

    While one lane writes its answer down, another one uses the connection.
    """
    service = service_of(spec)
    if service and session.batch_folder:
        return IN_A_BATCH
    shared = session.max_connections or (service.max_connections if service else CONNECTIONS)
    most = spec.max_connections or shared
    return most + max(1, most // 4) if service else most
