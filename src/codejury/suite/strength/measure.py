"""Measures how strong a test case is: runs mutants, cheats and repeats of its own solution.

reference -> tests in a chain -> mutants -> the tests that they need -> cheats -> repeats
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from time import perf_counter
from typing import Final, Protocol, TypeVar

from ...errors import DefinitionError, SandboxError
from ...judge.judge import Judge
from ...records import Ending, Execution, TestCase
from ..validation_report import nothing_learned
from .cheats import make_cheats
from .equivalents import Equivalent, match, read_equivalents
from .mutants import Findings, Mutant, find_mutants
from .repeats import Chain, chain_tests, judge_repeats, later_tests, plan_repeats
from .report import CheatResult, Fate, MutantResult, StrengthReport, UnsteadyTest

_PATIENCE: Final = 4
"""A mutant may take so many times as long as the solution."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Runs(Protocol):
    """Runs Julia code against a test case in a sandbox, each block for so many seconds at most."""

    def __call__(self, code: str, test_case: TestCase, seconds: float) -> Execution: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How thorough to be."""

    seconds: float = 2.0
    """For a mutant, before it counts as hanging."""
    reference_seconds: float = 10.0
    max_mutants: int = 300
    repeats: int = 5
    seed: int = 0
    workers: int = 1


def measure_suite(
    test_cases: Sequence[TestCase],
    judge: Judge,
    options: Options | None = None,
    *,
    on_progress: Callable[[int, int, int], None] = lambda number, done, total: None,
    on_report: Callable[[StrengthReport], None] = lambda report: None,
) -> list[StrengthReport]:
    """The strength of test cases whose reference solutions are known to pass, one after the other.

    `on_progress` hears which case is at work, from 0, and how many of its runs are done; `on_report` hears
    each result as soon as there is one.
    """
    reports: list[StrengthReport] = []
    for number, (case, found) in enumerate(zip(test_cases, find_mutants(test_cases), strict=True)):
        on_progress(number, 0, 0)
        told = partial(on_progress, number)
        reports.append(measure_case(case, found, judge.execute_code, options or Options(), told))
        on_report(reports[-1])
    return reports


def measure_case(
    test_case: TestCase,
    findings: Findings,
    run: Runs,
    options: Options,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> StrengthReport:
    """The strength of one test case, whose reference solution is known to pass."""
    started = perf_counter()
    entries, faults = _entries(test_case)
    with ThreadPoolExecutor(options.workers) as pool:
        try:
            examination = _Examination(test_case, findings, run, options, pool, on_progress)
            report = examination.report(entries)
        except SandboxError as exc:
            report = replace(_blank(test_case), unchecked_because=str(exc))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C does not wait for the rest
            raise
    return replace(report, faulty_entries=faults, seconds=perf_counter() - started)


def _entries(test_case: TestCase) -> tuple[list[Equivalent], tuple[str, ...]]:
    """Its file of equivalent mutants, and what is wrong there: then nothing of it counts."""
    try:
        return read_equivalents(test_case.path), ()
    except DefinitionError as error:
        return [], tuple(map(str, error.problems))


def _blank(test_case: TestCase) -> StrengthReport:
    return StrengthReport(
        name=test_case.name,
        category=test_case.category,
        path=test_case.path,
        tests=len(test_case.unit_tests),
    )


@dataclass(slots=True)
class _Examination:
    """One test case under examination."""

    test_case: TestCase
    findings: Findings
    run: Runs
    options: Options
    pool: ThreadPoolExecutor
    on_progress: Callable[[int, int], None]
    seconds: float = field(default=0.0, init=False)
    """For a mutant: what the options say, or more where the solution itself takes long."""
    done: int = field(default=0, init=False)
    total: int = field(default=0, init=False)

    def report(self, entries: Sequence[Equivalent]) -> StrengthReport:
        blank = _blank(self.test_case)
        reference = self._reference()
        if because := self._why_not(reference):
            return replace(blank, unchecked_because=because)
        chain, unprintable = self._chain()
        mutants = [one for one in self.findings.mutants if one.form not in unprintable]
        drawn = self._drawn(mutants)
        cheats = make_cheats(self.test_case, self.findings)
        self.total = len(drawn) + len(cheats) + 2 * self.options.repeats
        results = self._all(lambda one: self._judge(one, chain), drawn)
        marked, stale = match(entries, mutants)
        return replace(
            blank,
            mutants=tuple(_marked(result, marked) for result in results),
            left_out=len(mutants) - len(drawn),
            unprintable=tuple(self.findings.forms[form].line for form in sorted(unprintable)),
            cheats=tuple(self._all(lambda one: self._try_cheat(*one, chain), cheats)),
            redundant=self._unneeded(results, chain),
            unsteady=self._unsteady(),
            repeats=self.options.repeats,
            unknown_names=tuple(_never_given(self.findings, self.test_case)),
            stale_entries=tuple(stale),
            wrong_entries=tuple(
                result.mutant.id
                for result in results
                if result.mutant.id in marked and result.fate is Fate.KILLED
            ),
        )

    def _reference(self) -> Execution:
        return self.run(self.test_case.reference_solution, self.test_case, self.options.reference_seconds)

    def _why_not(self, reference: Execution) -> str:
        if because := nothing_learned(reference, self.test_case):
            return because
        if self.findings.broken:
            return f"the solution cannot be mutated: {self.findings.broken}"
        return "" if all(block.passed for block in reference.blocks) else "the reference solution fails"

    def _chain(self) -> tuple[Chain, frozenset[int]]:
        """Tests in a chain, if the solution passes them so; and forms that printing changes, if any."""
        solution, limit = self.test_case.reference_solution, self.options.reference_seconds
        chain = chain_tests(self.test_case)
        execution = self.run(solution, chain.test_case, limit)
        if chain.failed(execution):
            chain = chain_tests(self.test_case, linked=False)
            execution = self.run(solution, chain.test_case, limit)
        # On a busy machine everything takes longer, and no mutant should die of that.
        self.seconds = max(self.options.seconds, _PATIENCE * max(block.seconds for block in execution.blocks))
        unprintable = {number for number, form in enumerate(self.findings.forms) if not form.faithful}
        if not self._passes(self.findings.printed_solution, chain):
            unprintable |= {
                form for form in self._mutated_forms() if not self._passes(self._printed(form), chain)
            }
        return chain, frozenset(unprintable)

    def _mutated_forms(self) -> list[int]:
        return sorted({mutant.form for mutant in self.findings.mutants})

    def _printed(self, number: int) -> str:
        """The solution with one form printed and the others as they stand."""
        forms = self.findings.forms
        return "\n\n".join(one.printed if at == number else one.source for at, one in enumerate(forms))

    def _passes(self, code: str, chain: Chain) -> bool:
        return not chain.failed(self.run(code, chain.test_case, self.seconds))

    def _drawn(self, mutants: Sequence[Mutant]) -> list[Mutant]:
        """All mutants, or a sample that depends on the seed and on nothing else."""
        if len(mutants) <= self.options.max_mutants:
            return list(mutants)
        chosen = Random(self.options.seed).sample(range(len(mutants)), self.options.max_mutants)
        return [mutants[number] for number in sorted(chosen)]

    def _judge(self, mutant: Mutant, chain: Chain) -> MutantResult:
        try:
            execution = self.run(mutant.code, chain.test_case, self.seconds)
            if not chain.failed(execution):
                return MutantResult(mutant=mutant, fate=Fate.SURVIVED)
            hangs = any(block.ending is Ending.TIMED_OUT for block in execution.blocks)
            killer = chain.first_failure(execution) if execution.executed and not hangs else None
            return MutantResult(mutant=mutant, fate=Fate.KILLED, killer=killer, timed_out=hangs)
        except SandboxError:
            return MutantResult(mutant=mutant, fate=Fate.UNJUDGED)

    def _unneeded(self, results: Sequence[MutantResult], chain: Chain) -> tuple[int, ...]:
        """The tests without which every mutant would die all the same.

        A mutant needs a test if that is the first it fails, and if it passes all that come after.
        """
        killed_by: dict[int, list[Mutant]] = {}
        for result in results:
            if result.killer is not None:
                killed_by.setdefault(result.killer, []).append(result.mutant)
        tests = sorted(killed_by)
        needed = self.pool.map(lambda test: self._is_needed(test, killed_by[test], chain), tests)
        known = {test for test, is_needed in zip(tests, needed, strict=True) if is_needed}
        return tuple(test for test in range(len(self.test_case.unit_tests)) if test not in known)

    def _is_needed(self, test: int, mutants: Sequence[Mutant], chain: Chain) -> bool:
        rest = later_tests(chain, self.test_case, test)
        return rest is None or any(self._passes(mutant.code, rest) for mutant in mutants)

    def _try_cheat(self, name: str, code: str, chain: Chain) -> CheatResult:
        return CheatResult(name=name, code=code, passed=self._passes(code, chain))

    def _unsteady(self) -> tuple[UnsteadyTest, ...]:
        plan = plan_repeats(self.test_case, self.options.repeats, self.options.seed)
        solution, seconds = self.test_case.reference_solution, self.options.reference_seconds
        return judge_repeats(plan, self._all(lambda one: self.run(solution, one.test_case, seconds), plan))

    def _all(self, function: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
        """The function's value for each item, several at a time."""
        results = []
        for result in self.pool.map(function, items):
            results.append(result)
            self.done += 1
            self.on_progress(self.done, self.total)
        return results


def _marked(result: MutantResult, marked: dict[str, str]) -> MutantResult:
    """A survivor that is marked equivalent is no survivor."""
    if result.fate is Fate.SURVIVED and result.mutant.id in marked:
        return replace(result, fate=Fate.EQUIVALENT, reason=marked[result.mutant.id])
    return result


def _never_given(findings: Findings, test_case: TestCase) -> Iterator[tuple[int, str]]:
    """The names in tests that neither the prompt nor the given code mentions, each once."""
    told, seen = f"{test_case.prompt}\n{test_case.given}", set()
    for test, name in findings.unknown_names:
        if name in seen:
            continue
        seen.add(name)
        if not re.search(rf"(?<!\w){re.escape(name)}(?![\w!])", told):
            yield test, name
