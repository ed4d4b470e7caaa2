"""The plan of a run: what is wanted, minus what is on the disk. Nothing else is remembered between runs.

    a slot       one of the N samples of a combination
    its chain    the answers stored for it: the first try, then the rounds of repair

A stored answer belongs to a combination if all that was asked is equal: model, test case, prompt label,
strategy, parameters, experiment, and the words themselves (the template's hash and the definition's
version). An answer to other words is an answer to another question and does not count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from ..errors import InputError
from ..records import Completion, Outcome
from ..store.read import read_evaluation
from ..store.samples import StoredSample
from ..store.scan import find_samples
from ..store.write import sample_folder
from .combinations import Combination, identity

JUDGED = frozenset({Outcome.PASS.value, Outcome.FAIL.value})


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """One judged answer of a chain: where it lies, and how it ended. Small, for there may be many."""

    folder: Path
    tail: str
    outcome: str

    @property
    def conversation(self) -> Path:
        return self.folder / f"conversation__{self.tail}"

    @property
    def evaluation(self) -> Path:
        return self.folder / f"evaluation__{self.tail}"


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A request to make: a first try, or the repair of the answer before."""

    combination: Combination
    sample: int
    """The sample's number, which its repairs keep."""
    round: int = 0
    after: JudgedSample | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """An answer to judge."""

    combination: Combination
    stored: StoredSample
    sample: int
    is_wanted: bool = True
    """False for one more than wanted: it is judged, and never repaired."""
    completion: Completion | None = None
    """The answer where it has just arrived; None for one of an earlier run, which is read from the disk."""

    @property
    def round(self) -> int:
        return self.stored.request.round


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinationPlan:
    """What one combination has and needs."""

    combination: Combination
    wanted: int
    done: int = 0
    """Slots with nothing left to do."""
    asks: tuple[PlannedRequest, ...] = ()
    unjudged: tuple[Pending, ...] = ()
    """Answers that were paid for: without a verdict, or with a void one."""
    chains: tuple[tuple[JudgedSample, ...], ...] = ()
    """What is judged, slot by slot: the first try and its repairs."""

    @property
    def is_possible(self) -> bool:
        return not self.combination.resolved_model.problem


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """All of it."""

    works: tuple[CombinationPlan, ...]
    rounds: int
    """Of repair, at most."""
    limit: int | None = None
    unreadable: tuple[str, ...] = ()
    """What is wrong with files that cannot be read; they are left alone."""
    left_out: tuple[str, ...] = ()
    """What is wrong with definitions that cannot be used."""
    lengths: Mapping[Kind, int] = field(default_factory=dict)
    """Tokens of the usual answer, where answers of that kind are stored."""

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(work.combination.resolved_model.name for work in self.works))

    def of_model(self, name: str) -> list[CombinationPlan]:
        return [work for work in self.works if work.combination.resolved_model.name == name]

    def asks(self) -> Iterator[PlannedRequest]:
        """The requests of this run in their order: all that are missing, or as many as the limit allows.

        Models that cannot be asked are part of the plan, but take nothing from a limit.
        """
        works = self.works if self.limit is None else [work for work in self.works if work.is_possible]
        return islice(breadth_first(works), self.limit)

    @property
    def allowed(self) -> Mapping[str, int]:
        """How many requests of this run go to each model."""
        return Counter(ask.combination.resolved_model.name for ask in self.asks())

    @property
    def is_idle(self) -> bool:
        """Nothing to ask and nothing to judge."""
        asks = any(ask.combination.resolved_model.model for ask in self.asks())
        return not asks and not any(work.unjudged for work in self.works)


def breadth_first(works: Sequence[CombinationPlan]) -> Iterator[PlannedRequest]:
    """One ask of every combination, then the next of each: a run cut short has a little of everything."""
    for depth in range(max((len(work.asks) for work in works), default=0)):
        for work in works:
            if depth < len(work.asks):
                yield work.asks[depth]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTarget:
    """How much of each combination."""

    samples: int
    rounds: int = 0
    limit: int | None = None


def plan_run(
    combinations: Sequence[Combination], stored: Iterable[StoredSample], wanted: RunTarget
) -> RunPlan:
    """Compare what is wanted with what is stored. Pure: no request, no file."""
    places = {
        identity(combination.request(0, number)): (index, number)
        for index, combination in enumerate(combinations)
        for number in range(wanted.rounds + 1)
    }
    found: defaultdict[tuple[int, int], list[StoredSample]] = defaultdict(list)
    unreadable: list[str] = []
    for sample in stored:
        place = places.get(identity(sample.request))
        if place is not None and _is_usable(sample):
            found[place].append(sample)
        elif sample.problem:
            unreadable.append(sample.problem)
    works = tuple(
        _work(combination, [found[index, number] for number in range(wanted.rounds + 1)], wanted)
        for index, combination in enumerate(combinations)
    )
    return RunPlan(works=works, rounds=wanted.rounds, limit=wanted.limit, unreadable=tuple(unreadable))


def stored_samples(save_dir: Path, combinations: Sequence[Combination]) -> Iterator[StoredSample]:
    """Everything stored in the folders of these combinations; InputError if one cannot be a folder."""
    folders = {sample_folder(save_dir, c.request(0)): c.resolved_model.name for c in combinations}
    for folder, model in folders.items():
        if folder.is_dir():
            # A model's folder may hold those of others: `a` those of `a/b`.
            yield from (s for s in find_samples(folder) if s.request.model == model or s.problem)


def _is_usable(sample: StoredSample) -> bool:
    """Judged, or possible to judge. A void verdict whose answer is lost is neither."""
    return sample.has_conversation or sample.outcome in JUDGED


def _work(
    combination: Combination, rounds: Sequence[Sequence[StoredSample]], wanted: RunTarget
) -> CombinationPlan:
    slots = _slots(combination, rounds[0], wanted.samples)
    todo: list[PlannedRequest | Pending] = []
    chains, done = [], 0
    for slot in range(wanted.samples):
        number, chain = _chain(slot, slots.get(slot), rounds[1:])
        links = tuple(JudgedSample(s.folder, s.tail, s.outcome) for s in chain if s.outcome in JUDGED)
        chains += [links] if links else []
        if len(links) < len(chain):
            todo.append(Pending(combination, chain[-1], number))
        elif not links:
            todo.append(PlannedRequest(combination, number))
        elif len(links) <= wanted.rounds and links[-1].outcome != Outcome.PASS:
            todo.append(PlannedRequest(combination, number, len(links), links[-1]))
        else:
            done += 1
    unjudged = [item for item in todo if isinstance(item, Pending)]
    return CombinationPlan(
        combination=combination,
        wanted=wanted.samples,
        done=done,
        asks=tuple(item for item in todo if isinstance(item, PlannedRequest)),
        unjudged=(*unjudged, *_surplus(combination, rounds, unjudged)),
        chains=tuple(chains),
    )


def _slots(combination: Combination, samples: Sequence[StoredSample], count: int) -> dict[int, StoredSample]:
    """Which first try fills which slot.

    With a seed, the one that was asked with the slot's seed. Without, the one of the slot's number; what
    is left over (numbers that came twice, or belong to an earlier, larger run) fills the holes.
    """
    in_time = sorted(samples, key=_judged_and_oldest_first)
    slots: dict[int, StoredSample] = {}
    rest = []
    has_seed = combination.seed(0) is not None
    wanted = {combination.seed(slot) if has_seed else slot: slot for slot in range(count)}
    for sample in in_time:
        number = sample.request.seed if has_seed else sample.request.sample
        if number in wanted and wanted[number] not in slots:
            slots[wanted[number]] = sample
        else:
            rest.append(sample)
    holes = (slot for slot in range(count) if slot not in slots and not has_seed)
    return slots | dict(zip(holes, rest, strict=False))


def _judged_and_oldest_first(sample: StoredSample) -> tuple[bool, str]:
    return sample.outcome not in JUDGED, sample.timestamp


def _chain(
    slot: int, first: StoredSample | None, rounds: Sequence[Sequence[StoredSample]]
) -> tuple[int, list[StoredSample]]:
    """The sample's number, and its answers up to the first that is missing, passes or has no verdict."""
    if first is None:
        return slot, []
    number = slot if first.request.sample is None else first.request.sample
    chain = [first]
    for samples in rounds:
        mine = [sample for sample in samples if sample.request.sample == number]
        if chain[-1].outcome != Outcome.FAIL or not mine:
            break
        chain.append(min(mine, key=_judged_and_oldest_first))
    return number, chain


def _surplus(
    combination: Combination, rounds: Sequence[Sequence[StoredSample]], held: Sequence[Pending]
) -> Iterator[Pending]:
    """Answers beyond what is wanted that wait for a verdict all the same."""
    known = {pending.stored.evaluation for pending in held}
    for sample in (sample for samples in rounds for sample in samples):
        if sample.outcome not in JUDGED and sample.evaluation not in known:
            yield Pending(combination, sample, sample.request.sample or 0, is_wanted=False)


# ---- How long a model's answers are, from those that are stored: what a plan expects of the next ones.

ENOUGH: Final = 50
"""Evaluations of one kind that are read; more would hardly change the mean."""

Kind = tuple[str, str, str]
"""What decides the length: the model, and how much it reasons."""


def kind_of(model: str, parameters: Mapping[str, Any]) -> Kind:
    return model, str(parameters.get("effort", "")), str(parameters.get("thinking_tokens", ""))


def usual_lengths(stored: Iterable[StoredSample]) -> dict[Kind, int]:
    """The mean number of tokens, reasoning included, of each kind of which something is stored."""
    files: defaultdict[Kind, list[Path]] = defaultdict(list)
    for sample in stored:
        kept = files[kind_of(sample.request.model, sample.request.parameters)]
        if sample.has_evaluation and len(kept) < ENOUGH:
            kept.append(sample.evaluation)
    lengths = {kind: [n for path in paths if (n := _tokens(path))] for kind, paths in files.items()}
    return {kind: round(fmean(numbers)) for kind, numbers in lengths.items() if numbers}


def _tokens(path: Path) -> int | None:
    try:
        return read_evaluation(path).completion.completion_tokens
    except InputError:
        return None
