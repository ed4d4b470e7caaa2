"""What is asked: every model under every prompt on every test case with every set of parameters.

Combination   one of them, as often as samples are wanted
Identity      what makes two stored answers samples of the same combination
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from ..errors import InputError, suggestion
from ..models.protocol import Parameters
from ..options import ONE_SHOT, RunOptions
from ..prompts.load import find_template, load_templates
from ..prompts.template import Template, render
from ..records import Packages, Prompt, TestCase, case_fits
from ..store.samples import Request
from ..suite.suite import Suite, packages_of
from .repair import RepairTemplate, load_repair_template
from .resolved_models import ResolvedModel, parameter_grid

Identity = tuple[str, ...]

SOME_JULIA: Final = "1.10"
"""Stands in for the judge's version where only the length of a prompt matters."""


@dataclass(frozen=True, kw_only=True)
class Combination:
    """One question to one model. Samples of it differ by chance alone."""

    resolved_model: ResolvedModel
    test_case: TestCase
    template: Template
    parameters: Parameters
    """As the run gives them; a sample adds its seed."""
    repair: RepairTemplate
    experiment: str
    device: str
    first_seed: int | None

    @cached_property
    def sent(self) -> Mapping[str, Any]:
        """The parameters that are really sent, and stored."""
        return self.resolved_model.sent(self.parameters)

    def strategy(self, round_number: int) -> str:
        """`1SHOT`, then `1CODEFIXER__CodeFixerTiny`, `2CODEFIXER__CodeFixerTiny` ..."""
        return f"{round_number}CODEFIXER__{self.repair.label}" if round_number else ONE_SHOT

    def seed(self, sample: int) -> int | None:
        return self.resolved_model.seed(self.first_seed, sample)

    def parameters_of(self, sample: int) -> Parameters:
        return replace(self.parameters, seed=self.seed(sample))

    def prompt(self, julia: str) -> Prompt:
        """What is sent when the judge runs this version of Julia."""
        return render(self.template, self.test_case, julia=julia)

    def request(
        self,
        sample: int,
        round_number: int = 0,
        run_id: int | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> Request:
        """What is stored beside the answer; `variables` are those of the prompt that was sent."""
        filled_in = variables or {}
        return Request(
            category=self.test_case.category,
            name=self.test_case.name,
            model=self.resolved_model.name,
            prompt_label=self.template.label,
            prompt_strategy=self.strategy(round_number),
            parameters=self.sent,
            experiment=self.experiment,
            device=self.device,
            schema=self.resolved_model.schema,
            version_prompt=self.test_case.version,
            prompt_hash=self._words(round_number),
            template_version=self.template.version,
            asked_julia_version=filled_in.get("julia", ""),
            variables=filled_in,
            seed=self.seed(sample),
            sample=sample,
            round=round_number,
            run_id=run_id,
        )

    def _words(self, round_number: int) -> str:
        """The hash of what was said: of the prompt's template, and from round 1 on of the repair's too."""
        if not round_number:
            return self.template.hash
        both = json.dumps([self.template.hash, self.repair.hash])
        return hashlib.sha256(both.encode()).hexdigest()

    @property
    def case_name(self) -> str:
        return f"{self.test_case.category}/{self.test_case.name}"


def identity(request: Request) -> Identity:
    """All that must be equal; the device, the sample's number and its seed may differ.

    So may the Julia that the question named: an answer stays one when the judge's Julia changes.
    """
    return (
        request.category,
        request.name,
        request.model,
        request.prompt_label,
        request.prompt_strategy,
        request.prompt_hash,
        request.version_prompt,
        request.experiment,
        json.dumps(dict(request.parameters), sort_keys=True, separators=(",", ":")),
    )


def combine(options: RunOptions, resolved_models: Sequence[ResolvedModel], suite: Suite) -> list[Combination]:
    """All combinations; InputError with whatever is wrong with a template or a pattern.

    A definition that cannot be used is left out, and is in the suite's notes.
    """
    cases = chosen_cases(suite, options.case, options.not_case)
    questions = asked_questions(options, cases)
    repair = load_repair_template()
    combinations = (
        Combination(
            resolved_model=resolved_model,
            test_case=case,
            template=template,
            parameters=parameters,
            repair=repair,
            experiment=options.experiment,
            device=options.device,
            first_seed=options.seed,
        )
        for case, template in questions
        for parameters in parameter_grid(options)
        for resolved_model in resolved_models
    )
    # Values of a parameter that a model is not sent are one question to it, which is paid for once.
    return list({identity(each.request(0)): each for each in combinations}.values())


def asked_questions(options: RunOptions, cases: Sequence[TestCase]) -> list[tuple[TestCase, Template]]:
    """Each test case with each template; InputError where the case cannot fill it."""
    templates = load_templates(*options.prompt_dir)
    wanted = [find_template(templates, label) for label in options.prompt]
    questions = [(case, template) for case in cases for template in wanted]
    for case, template in questions:
        render(template, case, julia=SOME_JULIA)
    return questions


def chosen_cases(suite: Suite, patterns: Sequence[str], not_patterns: Sequence[str] = ()) -> list[TestCase]:
    """The test cases whose name, or category/name, fits one of the patterns and none of the others.

    All without patterns. Those that cannot be used are left out; DefinitionError if a pattern fits no others.
    """
    names = {file: suite.key_of(file) for file in suite.files}
    left_out = {file for pattern in not_patterns for file in _fitting(pattern, names)}
    chosen = {file for pattern in patterns for file in _fitting(pattern, names)} if patterns else set(names)
    fits = [file for file in names if file in chosen and file not in left_out]
    if not fits:
        raise InputError("case and not_case: together they leave no test case to ask for")
    for pattern in patterns:
        suite.usable(_fitting(pattern, names))
    cases = suite.usable(fits)
    seen: dict[tuple[str, str], TestCase] = {}
    for case in cases:
        twin = seen.setdefault((case.category, case.name), case)
        if twin is not case:
            raise InputError(f"{twin.path} and {case.path}: have the same category and name; rename one")
    return cases


def _fitting(pattern: str, names: Mapping[Path, str]) -> list[Path]:
    """The files of the test cases that a pattern chooses; one that chooses none is a mistake."""
    parts = {file: name.rpartition("/") for file, name in names.items()}
    found = [file for file, (category, _, name) in parts.items() if case_fits(pattern, category, name)]
    if not found:
        raise InputError(f"no test case fits {pattern!r}; {suggestion(pattern, sorted(names.values()))}")
    return found


def packages(combinations: Sequence[Combination], environment: Path | None) -> Packages:
    """What the judge should load once for all: the imports of the test cases."""
    return packages_of((combination.test_case for combination in combinations), environment)
