"""The files of the predecessor, Julia-LLM-Leaderboard: what they leave out, said in our words. Nowhere else.

Its evaluations hold flags and counts, so the score and the outcome follow from those. Its library wrote -1 or
0 for tokens and costs it did not know, and its tree, not its files, tells the category.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any, Final

from ..records import Outcome

_OUR_PROGRAM: Final = "codejury-"
_REPAIR: Final = re.compile(r"(\d+)CODEFIXER")


def published_score(stored: Any) -> float:
    """The score of its boards: 25 points for each criterion, whatever the definition names."""
    tests = _share(stored.unit_tests_passed, stored.unit_tests_count)
    examples = _share(stored.examples_executed, stored.examples_count)
    return 25.0 * (float(stored.parsed) + float(stored.executed) + tests + examples)


def _share(earned: int, listed: int) -> float:
    return earned / listed if listed else 0.0  # no points for what was not set


def published_outcome(stored: Any) -> Outcome:
    """All unit tests passed; where there are none, all examples ran."""
    if stored.unit_tests_count:
        all_passed = stored.unit_tests_passed == stored.unit_tests_count
    else:
        all_passed = stored.examples_executed == stored.examples_count
    return Outcome.PASS if stored.executed and all_passed else Outcome.FAIL


def round_of(strategy: str) -> int:
    """Which round of repair a strategy names: 1SHOT -> 0; 2CODEFIXER__CodeFixerTiny -> 2."""
    found = _REPAIR.match(strategy)
    return int(found[1]) if found else 0


def known_tokens(tokens: int | None) -> int | None:
    return None if tokens is None or tokens < 0 else tokens


def known_measures(stored: Any) -> tuple[int | None, int | None, float | None]:
    """Tokens of the prompt, tokens of the answer, and the cost, as far as they are known.

    A 0 that its library wrote says nothing, also in our own file of an answer that was judged again.
    """
    asked, answered = map(known_tokens, stored.tokens)
    ours = stored.version_pt == "" or stored.version_pt.startswith(_OUR_PROGRAM)
    if ours and stored.codejury_schema is not None:
        return asked, answered, stored.cost
    return asked or None, answered or None, stored.cost or None


def category_of(folder: str, name: str) -> str:
    """The folder above the last one with the test case's name; a doubled one counts once. "" without one.

    /results/utility_functions/clean_column/clean_column/gpt-4, clean_column -> utility_functions
    """
    parts = PurePosixPath(folder).parts
    if name not in parts:
        return ""
    first = len(parts) - 1 - parts[::-1].index(name)
    while first and parts[first - 1] == name:
        first -= 1
    return parts[first - 1].strip("/").encode(errors="replace").decode() if first else ""


def service_name(schema: str) -> str:
    """The service in a file's `schema`: the predecessor's is a type of its library.

    PromptingTools.OllamaManagedSchema() -> ollama; PromptingTools.MistralOpenAISchema() -> mistral
    """
    if match := re.search(r"(\w+?)(?:Managed)?Schema\(\)$", schema):
        name = match[1].lower()
        return name.removesuffix("openai") or name
    return "" if schema == "import" else schema
