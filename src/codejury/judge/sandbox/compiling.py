"""Which code must be compiled, because in Julia's interpreter it may come out differently.

That is what looks at time, memory, the last digit of a fused multiply-add or the hash of `Inf`. Of a test
case it is often a few unit tests; the others need not wait for a compiler. Only texts are looked at: where
they leave a doubt, everything is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from textwrap import dedent
from typing import Final

from ...records import Job, TestCase

COMPILED_ONLY: Final = re.compile(
    r"muladd|\bfma\b|@(?:fastmath|simd|allocated|allocations|elapsed|timed?|btime|inferred)\b"
    r"|\bhash\([^;\n]*\bInf"
)
"""The hash of an infinite number rests on a conversion that has no meaning: the two make it differently."""
NAME: Final = r"[^\W\d][\w!]*"
DEFINITION: Final = re.compile(
    rf"function\s+({NAME})\b[^;\n]*\n(?:.*\n)?end\s*|({NAME})…?\s*=(?!=)[^;]*", re.DOTALL
)
"""Of one name, where every pair of parentheses is a `…`."""
PARENTHESES: Final = re.compile(r"\([^()]*\)")
CONTINUED: Final = re.compile(r"\s|(?:end|else|elseif|catch|finally)\b|[)\]}]|$")
"""How a line begins that belongs to the statement above it."""
COMMENT: Final = re.compile(r"^\s*#[^\n]*\n?", re.MULTILINE)
ONCE: Final = re.compile(rf"if !@isdefined\({NAME}\)\n((?:[ \t][^\n]*\n|\n)*)end\s*")
"""A setup that defines its names only where no block before has done so."""


def must_compile(job: Job) -> bool:
    """Whether everything must be compiled, and not only some unit tests: see `measuring_tests`."""
    case = job.test_case
    codes = (*(snippet.code for snippet in job.snippets), case.given, case.examples_setup, *case.examples)
    some = any(COMPILED_ONLY.search(code) for code in codes)
    return some or 0 < len(case.unit_tests) == len(measuring_tests(case))


@lru_cache(maxsize=1024)
def measuring_tests(case: TestCase) -> frozenset[int]:
    """The unit tests, by their index, that must be compiled: for what stands in them or for what they use."""
    tests = [COMMENT.sub("", test) for test in case.unit_tests]
    names = _measuring_names(case.unit_tests_setup)
    if names is None or COMPILED_ONLY.search(case.unit_tests_teardown):
        return frozenset(range(len(tests)))
    found: frozenset[int] = frozenset()
    while True:
        uses = _uses(names)
        more = frozenset(n for n, test in enumerate(tests) if uses.search(test))
        if more == found:
            return found
        found = more
        # What one test sets another one may use.
        names |= {name for n in found for line in _statements(tests[n]) if (name := _defined(line))}


def _measuring_names(setup: str) -> set[str] | None:
    """What a setup defines that measures or uses what does; None if it is not to be seen."""
    code = COMMENT.sub("", setup)
    once = ONCE.fullmatch(code)
    statements = list(_statements(dedent(once[1]) if once else code))
    names: set[str] = set()
    while True:
        uses = _uses(names)
        more = {_defined(statement) for statement in statements if uses.search(statement)}
        if None in more:
            return None
        if more <= names:
            return names
        names |= {name for name in more if name}


def _statements(code: str) -> Iterator[str]:
    """Cut before each line that begins at the left and ends nothing."""
    lines: list[str] = []
    for line in code.splitlines():
        if lines and not CONTINUED.match(line):
            yield "\n".join(lines)
            lines = []
        lines.append(line)
    if lines:
        yield "\n".join(lines)


def _defined(statement: str) -> str | None:
    """The one name that it defines at the outermost level; None where it may be none or several."""
    while (shorter := PARENTHESES.sub("…", statement)) != statement:
        statement = shorter
    found = DEFINITION.fullmatch(statement)
    return found and (found[1] or found[2])


def _uses(names: set[str]) -> re.Pattern[str]:
    """Finds code that measures, or that says one of these names."""
    said = "|".join(map(re.escape, sorted(names)))
    return re.compile(rf"{COMPILED_ONLY.pattern}|(?<![\w!])(?:{said})(?![\w!])") if names else COMPILED_ONLY
