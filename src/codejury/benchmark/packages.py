"""Which test cases can be judged here: known before anybody is asked for an answer to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..errors import CodejuryError
from ..settings import load_settings
from ..toolchain import JuliaInstall, find_julia
from .combinations import Combination

_FIRST_NAME = re.compile(r"\w+")
BASE = frozenset({"Base", "Core", "Main"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Test cases that are not asked for, since the Julia here lacks packages that they need."""

    lacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The packages, by category/name."""
    combinations: int = 0

    def note(self, samples: int) -> str:
        """`12 samples of 2 test cases are left out: they need DataFrames, ...`."""
        wanted, cases = self.combinations * samples, len(self.lacks)
        packages = sorted({name for names in self.lacks.values() for name in names})
        return (
            f"{wanted} sample{'s' * (wanted != 1)} of {cases} test case{'s' * (cases != 1)} are left out: "
            f"they need {', '.join(packages)}, which Julia does not have here; install that, or ask for them "
            "all the same with --ask-unjudgeable"
        )


def judgeable(combinations: Sequence[Combination]) -> tuple[list[Combination], LeftOut]:
    """Those that the Julia of this machine can judge, and what is left out."""
    julia = _julia() if any(c.test_case.imports for c in combinations) else None
    lacks = {c.case_name: lacking for c in combinations if (lacking := tuple(_lacking(c, julia)))}
    kept = [c for c in combinations if c.case_name not in lacks]
    return kept, LeftOut(lacks=lacks, combinations=len(combinations) - len(kept))


def _lacking(combination: Combination, julia: JuliaInstall | None) -> Iterator[str]:
    if julia is None:
        return
    installed = {package.name for package in julia.packages} | BASE
    for wanted in combination.test_case.imports:
        name = _FIRST_NAME.match(wanted)
        if name and name[0] not in installed and not (julia.stdlib / name[0]).is_dir():
            yield name[0]


def _julia() -> JuliaInstall | None:
    """None where there is none: the judge says so, before anybody is asked."""
    settings = load_settings()
    try:
        return None if settings.sandbox else find_julia(settings)
    except CodejuryError:
        return None
