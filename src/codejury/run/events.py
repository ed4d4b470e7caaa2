"""What happens during a run, told as it happens. Every event is a frozen value.

Planned         once, first: what is there and what is to be done
JudgeReady      the sandboxes are warm
NodeRefused     a node of the cluster is not used
Noted           something a person should know about how the run is done
Asked           a request is sent
Retried         it failed and is sent again later
Batched         a batch was looked at, and is further than before
Answered        an answer came and is on the disk
RequestFailed   no answer: void, left to the next run
ModelFailed     a model is asked nothing more
BeganJudging    the judge has taken up an answer
Judged          a verdict is on the disk
Voided          the judge learned nothing: left to the next run
BudgetReached   no further request is sent
LimitReached    likewise, for --limit
Stopping        somebody stops the run: nothing more is sent, and what is under way is waited for
Finished        once, last
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRef:
    """The sample an event is about."""

    model: str
    test_case: str
    """category/name"""
    prompt: str
    strategy: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    sample: int | None = None
    round: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """Samples by model: wanted, judged already, answered and not judged, and requests to make."""

    wanted: Mapping[str, int]
    done: Mapping[str, int]
    unjudged: Mapping[str, int]
    requests: Mapping[str, int]
    cost: Mapping[str, float | None]
    """Expected, in USD; None where it is unknown."""
    save_dir: str
    run_id: int
    unreadable: tuple[str, ...] = ()
    """What is wrong with files that cannot be read, and do not count."""
    left_out: tuple[str, ...] = ()
    """What is wrong with definitions that cannot be used; no model is asked about them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReady:
    julia_version: str
    sandbox: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRefused:
    what: str
    """Which, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    which: SampleRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Retried:
    model: str
    what: str
    seconds: float
    """Until it is sent again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batched:
    model: str
    id: str
    """The service's name of it."""
    state: str
    done: int | None
    """Requests that have an answer, where the service tells."""
    requests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    which: SampleRef
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    seconds: float
    retries: int
    file: str
    finish_reason: str = ""
    reasoning_tokens: int | None = None
    most_tokens: int | None = None
    """The longest answer that was asked for; None where there was no bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFailed:
    which: SampleRef
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailed:
    model: str
    what: str
    unasked: int
    """Requests that were planned and are not made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BeganJudging:
    which: SampleRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    which: SampleRef
    outcome: str
    score: float | None
    is_last: bool
    """No round of repair follows: the sample is done."""
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Voided:
    which: SampleRef
    reason: str
    file: str
    missing_packages: tuple[str, ...] = ()
    """Julia packages for want of which it could not be judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReached:
    budget: float
    spent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitReached:
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopping:
    under_way: int
    """Requests that are sent and not answered."""
    seconds: float
    """That they are still waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    seconds: float
    answered: int
    judged: int
    void: int
    failed: int
    """Requests without an answer."""
    cost: float
    """In USD, as far as prices are known."""
    unknown_costs: int
    """Answers whose price is not known."""
    stopped: bool
    """Somebody ended the run early."""


Event = (
    Planned
    | JudgeReady
    | NodeRefused
    | Noted
    | Asked
    | Retried
    | Batched
    | Answered
    | RequestFailed
    | ModelFailed
    | BeganJudging
    | Judged
    | Voided
    | BudgetReached
    | LimitReached
    | Stopping
    | Finished
)
OnEvent = Callable[[Event], None]


def event_to_dict(event: Event) -> dict[str, Any]:
    """Plain JSON values under the event's name; the sample's fields among the others.

    Asked(which=Which(model="m", ...)) -> {"event": "asked", "model": "m", ...}
    """
    values = asdict(event)
    which = values.pop("which", {})
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()
    return {"event": name, **which, **values}
