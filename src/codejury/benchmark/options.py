"""What is wanted of a run: one record, checked as a whole. Its fields are the flags of `codejury run`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import Any, Final, Self

from ..cluster import ENGINES
from ..errors import InputError
from ..models import Parameters
from ..records import Limits

ONE_SHOT: Final = "1SHOT"
REPAIR: Final = "repair"
DEFAULT_PROMPTS: Final = ("InJulia", "JuliaExpertAsk", "JuliaExpertCoTTask")
DEFAULT_SAVE_DIR: Final = Path("results/code_generation")

_TEXTS: Final = ("model", "prompt", "case")
_NUMBERS: Final = ("temperature", "top_p")
_COUNTS: Final = ("max_tokens",)
_BOUNDS: Final = ("limit", "workers", "max_connections", "budget", "timeout", "answer_timeout")
_POSITIVE: Final = ("samples", "rounds", *_BOUNDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Models x prompts x test cases x parameters, so many samples each, and the bounds of the run."""

    model: tuple[str, ...] = ()
    prompt: tuple[str, ...] = DEFAULT_PROMPTS
    case: tuple[str, ...] = ()
    """Patterns of names, or of category/name; all test cases if there are none."""
    samples: int = 1
    temperature: tuple[float, ...] = ()
    top_p: tuple[float, ...] = ()
    max_tokens: tuple[int, ...] = ()
    seed: int | None = None
    """Of the first sample; the next one gets the next number."""
    strategy: str = ONE_SHOT
    rounds: int = 1
    """Of repair, with the strategy `repair`."""
    experiment: str = ""
    device: str = "-"
    save_dir: Path = DEFAULT_SAVE_DIR
    limit: int | None = None
    """Requests at most, in this run."""
    workers: int | None = None
    """Answers judged at once; one per processor if left out."""
    max_connections: int | None = None
    budget: float | None = None
    """USD, for the answers of this run."""
    prompts: tuple[Path, ...] = ()
    """Folders with prompt templates."""
    definitions: Path | None = None
    """The test cases; the bundled suite if left out."""
    base_url: str = ""
    timeout: float = Limits().seconds
    """Seconds for a candidate's main code, and for each example and test."""
    answer_timeout: float = Limits().answer_seconds
    """Seconds for all of an answer, its repetitions included."""
    allow_unsafe: bool = False
    ask_unjudgeable: bool = False
    """Ask also for test cases that need packages which the Julia here lacks."""
    engine: str = "local"
    """Where answers are judged: `local`, or `ray` for a cluster."""
    ray_address: str = ""
    """The cluster; the one that Ray knows of, or one on this machine, if left out."""

    def __post_init__(self) -> None:
        if problems := list(_problems(self)):
            raise InputError("\n".join(problems))

    @classmethod
    def of(cls, **values: Any) -> Self:
        """From what a program or a file has at hand: single values for lists, text for paths, None for unset.

        of(model="baseline/stub", temperature=[0, 1]) -> model=("baseline/stub",), temperature=(0.0, 1.0)
        """
        known = {field.name for field in fields(cls)}
        if unknown := sorted(values.keys() - known):
            raise InputError(f"unknown option {', '.join(map(repr, unknown))}; {_hint(unknown[0], known)}")
        given = {name: value for name, value in values.items() if value is not None}
        return cls(**{name: _coerced(name, value) for name, value in given.items()})

    @property
    def repair_rounds(self) -> int:
        return self.rounds if self.strategy == REPAIR else 0

    def grid(self) -> list[Parameters]:
        """One set of parameters for each combination of the values given; without a seed."""
        axes = (self.temperature or (None,), self.top_p or (None,), self.max_tokens or (None,))
        return [Parameters(temperature=t, top_p=p, max_tokens=m) for t, p, m in product(*axes)]


def _hint(name: str, known: set[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(sorted(known))}"


def _coerced(name: str, value: Any) -> Any:
    convert = _CONVERTERS.get(name)
    try:
        return convert(value) if convert else value
    except (TypeError, ValueError):
        raise InputError(f"{name}: cannot be {value!r}") from None


def _many(item: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Each value once, in the order given: a repeated one must not be paid for twice."""

    def convert(value: Any) -> tuple[Any, ...]:
        values = value if isinstance(value, Sequence) and not isinstance(value, str) else (value,)
        return tuple(dict.fromkeys(item(single) for single in values))

    return convert


_CONVERTERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(_TEXTS, _many(str)),
    **dict.fromkeys(_NUMBERS, _many(float)),
    **dict.fromkeys(_COUNTS, _many(int)),
    "prompts": _many(Path),
    "save_dir": Path,
    "definitions": Path,
}


def _problems(options: RunOptions) -> Iterator[str]:
    if not options.model:
        yield "model: none is named; add --model PROVIDER/MODEL (`codejury models` lists them)"
    if not options.prompt:
        yield "prompt: none is named; `codejury prompts` lists them"
    if options.strategy not in (ONE_SHOT, REPAIR):
        yield f"strategy: is {options.strategy!r}; choose {ONE_SHOT} or {REPAIR}"
    if options.engine not in ENGINES:
        yield f"engine: is {options.engine!r}; choose {' or '.join(ENGINES)}"
    for name in _POSITIVE:
        value = getattr(options, name)
        if value is not None and not (0 < value < math.inf):
            yield f"{name}: must be above 0, not {value}"
    for name, low, high in (("temperature", 0, 2), ("top_p", 0, 1), ("max_tokens", 1, 10**9)):
        for value in getattr(options, name):
            if not low <= value <= high:
                yield f"{name}: must be between {low} and {high}, not {value}"
