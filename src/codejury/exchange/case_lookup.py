"""Which test case a stored answer belongs to, and which answers somebody asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from ..errors import InputError, suggestion
from ..records import Packages, TestCase, case_fits
from ..store.samples import Request, StoredSample
from ..store.scan import find_samples
from ..suite.suite import Suite, SuiteNotes, definitions_of_results


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFilter:
    """Answers by model, prompt and test case; all of them where no pattern is given."""

    models: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    """Patterns, as `case_fits` reads them."""
    not_cases: tuple[str, ...] = ()

    def includes(self, request: Request) -> bool:
        asked = self.includes_question(request.model, request.prompt_label)
        return asked and self.includes_case(request.category, request.name)

    def includes_question(self, model: str, prompt: str) -> bool:
        return _fits_any(model, self.models) and _fits_any(prompt, self.prompts)

    def includes_case(self, category: str, name: str) -> bool:
        chosen = not self.cases or any(case_fits(pattern, category, name) for pattern in self.cases)
        return chosen and not any(case_fits(pattern, category, name) for pattern in self.not_cases)


def _fits_any(text: str, patterns: tuple[str, ...]) -> bool:
    return not patterns or any(fnmatchcase(text, pattern) for pattern in patterns)


EVERYONE: Final = AnswerFilter()


def wanted_samples(root: Path, wanted: AnswerFilter) -> Iterator[StoredSample]:
    """The samples below a folder that are wanted; InputError where there are some, and none of them is."""
    names: dict[str, set[str]] = {"model": set(), "prompt": set(), "test case": set()}
    found = False
    for sample in find_samples(root):
        request = sample.request
        if wanted.includes(request):
            found = True
            yield sample
        names["model"].add(request.model)
        names["prompt"].add(request.prompt_label)
        names["test case"].add(f"{request.category}/{request.name}")
    if not found and names["model"]:
        raise InputError(f"{root}: {_why_none(wanted, names)}")


def _why_none(wanted: AnswerFilter, names: Mapping[str, set[str]]) -> str:
    """Which pattern fits nothing, and what it may have meant."""
    for what, patterns in (("model", wanted.models), ("prompt", wanted.prompts), ("test case", wanted.cases)):
        for pattern in patterns:
            if not any(_fits(pattern, name, what) for name in names[what]):
                return f"no {what} fits {pattern!r}; {suggestion(pattern, sorted(names[what]))}"
    return "no answer fits all of the patterns; leave one out"


def _fits(pattern: str, name: str, what: str) -> bool:
    if what != "test case":
        return fnmatchcase(name, pattern)
    category, _, case = name.rpartition("/")
    return case_fits(pattern, category, case)


class CaseLookup:
    """The test cases that answers are judged by. Their files are read when first asked for, each once."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._suite = Suite(files)

    def names(self, wanted: AnswerFilter = EVERYONE) -> list[tuple[str, str]]:
        """Category and name of every test case that is wanted, without those that cannot be used."""
        suite = self._suite
        keys = {file: suite.key_of(file).rpartition("/") for file in suite.files}
        files = [file for file, (category, _, name) in keys.items() if wanted.includes_case(category, name)]
        return [(case.category, case.name) for case in suite.usable(files)]

    def find(self, request: Request) -> TestCase:
        """Return the test case of a request; InputError where there is none, or no telling which."""
        full = f"{request.category}/{request.name}"
        files = self._suite.find(full) or self._suite.find(request.name)
        if not files:
            raise InputError(f"there is no definition of {full}; name the folder that has it: --definitions")
        if len(files) > 1:
            raise InputError(f"{full} can be any of {', '.join(map(str, files))}; give fewer definitions")
        return self._suite.load(files[0])

    @property
    def packages(self) -> Packages:
        """The Julia packages of all test cases found so far."""
        return self._suite.packages

    def notes(self) -> SuiteNotes:
        """What is to be said about the definitions of all test cases found so far."""
        return self._suite.notes()


def lookup_for(root: Path, definitions: Path | None = None) -> CaseLookup:
    """The test cases of a tree: the definitions named, else those in the tree, else the suite in use."""
    if not root.is_dir():
        raise InputError(f"{root}: not a folder; give one with stored answers")
    return CaseLookup(definitions_of_results(root, definitions))
