"""What only all samples of a tree together can show: that one is there twice, or that one is missing."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Final

from ..program import command
from ..records import TestCase
from ..store.samples import Conversation, Request, StoredSample
from .sample_checks import Fault, Finding

Combination = tuple[str, str, str, str]
"""Model, prompt, strategy, parameters."""

_REPAIR: Final = re.compile(r"\d+CODEFIXER")


class DuplicateCheck:
    """Remembers every sample by a digest of it, and says when one comes again."""

    def __init__(self) -> None:
        self._answers: dict[bytes, str] = {}
        self._identities: dict[bytes, str] = {}

    def faults(
        self, sample: StoredSample, conversation: Conversation | None, where: str
    ) -> Iterator[Finding]:
        """Say whether the same sample was there before: by its name, or by its answer."""
        if sample.has_evaluation and (first := _seen(self._identities, _identity(sample), where)):
            yield Finding(fault=Fault.DOUBLED, where=where, what=f"is the same sample as {first}")
        if conversation is None:
            return
        if first := _seen(self._answers, _fingerprint(sample.request, conversation), where):
            yield Finding(fault=Fault.DOUBLED, where=where, what=f"is the same answer as {first}, copied")


def _seen(known: dict[bytes, str], key: object, where: str) -> str:
    """Where the key was seen first, or "" if that is here."""
    digest = hashlib.blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    first = known.setdefault(digest, where)
    return "" if first == where else first


def _identity(sample: StoredSample) -> object:
    request = sample.request
    return (
        request.category, request.name, request.model, request.prompt_label, request.prompt_strategy,
        sample.timestamp,
    )  # fmt: skip


def _fingerprint(request: Request, conversation: Conversation) -> object:
    """What two answers of a model to one question share only if one is a copy of the other.

    The same words can come twice, above all at temperature 0; in the same time to the last digit they do not.
    Where no time was taken (answers made elsewhere), the number of the sample tells them apart.
    """
    said = tuple((message.role, message.content) for message in conversation.messages)
    measured = tuple(
        (each.prompt_tokens, each.completion_tokens, each.elapsed_seconds, each.cost)
        for each in conversation.completions
    )
    timed = conversation.completion.elapsed_seconds > 0
    apart = None if timed else repr(sorted(asdict(request).items()))
    return request.model, request.category, request.name, said, measured, apart


_WISHED: Final = (
    f"; a run wanted them (wanted.json): ask for them with `{command('run')}`, "
    "or take out the entry if nobody wants them any more"
)


class CoverageCheck:
    """Counts the samples of each combination, test case by test case."""

    def __init__(self) -> None:
        self._counts: dict[Combination, Counter[tuple[str, str]]] = {}

    def add(self, request: Request, test_case: TestCase) -> None:
        """Count one sample. Rounds of repair are not counted: an answer that passed has none."""
        if request.round or _REPAIR.match(request.prompt_strategy):
            return
        parameters = json.dumps(request.parameters, sort_keys=True, default=str)
        combination = (request.model, request.prompt_label, request.prompt_strategy, parameters)
        self._counts.setdefault(combination, Counter())[test_case.category, test_case.name] += 1

    def short(
        self,
        cases: Iterable[tuple[str, str]],
        expected: int | None = None,
        recorded: Mapping[Combination, Mapping[tuple[str, str], int]] | None = None,
    ) -> Iterator[Finding]:
        """Every combination with a test case that has fewer samples than are due.

        Due are `expected` of each test case; else what the runs have `recorded` as wanted, also of a
        combination that has no sample at all; else as many as the fullest test case of the combination has.
        """
        suite, wanted = sorted(cases), {} if expected is not None else recorded or {}
        for combination in sorted({*self._counts, *wanted}):
            counts = self._counts.get(combination, Counter())
            alike = expected if expected is not None else max(counts.values(), default=0)
            due = wanted.get(combination) or dict.fromkeys(suite, alike)
            missing = [
                f"{'/'.join(case)} has {counts[case]}" for case in sorted(due) if counts[case] < due[case]
            ]
            if missing:
                what = _lacks(due, missing) + (_WISHED if combination in wanted else "")
                yield Finding(fault=Fault.SHORT, where=_named(combination), what=what)


def _named(combination: Combination) -> str:
    model, label, strategy, parameters = combination
    return f"{model} {label} {strategy}" + (f" {parameters}" if parameters != "{}" else "")


def _lacks(due: Mapping[tuple[str, str], int], missing: list[str]) -> str:
    each = ", ".join(map(str, sorted(set(due.values()))))
    return (
        f"{len(missing)} of {len(due)} test cases lack samples (due for each: {each}): {', '.join(missing)}"
    )
