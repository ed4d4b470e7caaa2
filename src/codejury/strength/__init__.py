"""How strong is a test case? Its solution is broken in many small ways, and its tests have to notice.

julia/         solutions -> mutants, on Julia's own expressions
parser         runs that part of Julia, locked down
mutants        find_mutants: Form, Mutant, Findings
equivalents    mutants that no test can kill, listed beside the definition with reasons
chain          unit tests in a chain, so that a mutant is stopped early
cheats         answers that know nothing
repeats        flaky, slow and order-dependent tests
measure        measure_case: all of the above on one test case
report         the nouns: StrengthReport, MutantResult, CheatResult, UnsteadyTest
"""

from __future__ import annotations

from .equivalents import FILE as EQUIVALENTS_FILE
from .equivalents import stanza
from .measure import Options, Runs, measure_case
from .mutants import Findings, Form, Mutant, find_mutants
from .report import CheatResult, Fate, MutantResult, StrengthReport, Trouble, UnsteadyTest

__all__ = [
    "EQUIVALENTS_FILE",
    "CheatResult",
    "Fate",
    "Findings",
    "Form",
    "Mutant",
    "MutantResult",
    "Options",
    "Runs",
    "StrengthReport",
    "Trouble",
    "UnsteadyTest",
    "find_mutants",
    "measure_case",
    "stanza",
]
