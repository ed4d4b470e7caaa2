"""Models that need no key and no network: the highest and the lowest score of every board.

baseline/reference  the test case's own solution, in a well-behaved answer: 100 on every case
baseline/chatty     the same in a messy one: 100 as well, if extraction and clean-up are right
baseline/stub       a function of the right name that returns nothing: passes no test that asks for more
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from ..errors import ModelRefused, suggestion
from ..records import Completion, Message, Prompt, TestCase
from .protocol import Model, Parameters
from .spec import ModelSpec

if TYPE_CHECKING:
    from .session import Session


class Baseline:
    """Writes its answer from the definition. Costs nothing, always says the same."""

    def __init__(self, name: str, write: Callable[[TestCase], str]) -> None:
        self.name = name
        self._write = write

    async def complete(
        self,
        prompt: Prompt,
        parameters: Parameters,
        *,
        test_case: TestCase,
        previous: tuple[Message, ...] = (),
        sample: int = 0,
    ) -> Completion:
        return Completion(
            text=self._write(test_case), prompt_tokens=0, completion_tokens=0, cost=0.0, finish_reason="stop"
        )


def make(spec: ModelSpec, session: Session) -> Model:
    if spec.model not in BASELINES:
        raise ModelRefused(f"{spec.name}: no such baseline; {suggestion(spec.model, BASELINES)}")
    return Baseline(spec.name, BASELINES[spec.model])


def reference_answer(test_case: TestCase) -> str:
    return f"Here is a solution:\n\n{fenced(test_case.reference_solution, 'julia')}\n"


def stub_answer(test_case: TestCase) -> str:
    return fenced(f"{test_case.name}(args...; options...) = nothing", "julia") + "\n"


def chatty_answer(test_case: TestCase) -> str:
    """The reference solution among all that talkative models add to one."""
    name = test_case.name
    parts = [
        "<think>\nFirst idea, surely wrong:\n" + fenced(f"{name}() = error(", "julia") + "\n</think>",
        f"Sure! Let us write `{name}` step by step. In Python one would begin like this:",
        fenced(f"def {name}(*args):\n    raise NotImplementedError", "python"),
        "Save the Julia version as `solution.jl` and run it with:",
        fenced("julia solution.jl", "bash"),
        "### Solution",
        fenced(_documented(test_case), "julia"),
        "### Usage",
        fenced(_usage(test_case), "Julia"),
        "In the REPL it looks like this:",
        fenced(f"julia> {name} === {name}\ntrue", "julia-repl"),
        "### Tests",
        fenced(_own_tests(name), "julia"),
        f"I hope this helps! Let me know if `{name}` should do more. 😊",
    ]
    return "\n\n".join(parts) + "\n"


def _documented(test_case: TestCase) -> str:
    """The solution, and one more function with a docstring: an import, which may come first, takes none."""
    other = f"explain_{test_case.name}"
    doc = f'"""\n    {other}()\n\nSays what `{test_case.name}` does: "as asked", no more.\n"""'
    return f'{test_case.reference_solution.strip()}\n\n{doc}\n{other}() = "as asked"'


def _usage(test_case: TestCase) -> str:
    """The first example, in a scope of its own: it must leave nothing behind."""
    if not test_case.examples or test_case.examples_setup:
        return f"@show {test_case.name}"
    return f"let\n{test_case.examples[0].strip()}\nend"


def _own_tests(name: str) -> str:
    """One right and one wrong: tests that nobody asked for must not cost points."""
    right, wrong = f"@test {name} === {name}", f"@test {name} === nothing"
    return f'using Test\n\n@testset "{name}" begin\n    {right}\n    {wrong}\nend'


def fenced(code: str, language: str) -> str:
    """A block whose fence is longer than any fence inside."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code.strip()}\n{fence}"


BASELINES: Final[Mapping[str, Callable[[TestCase], str]]] = {
    "reference": reference_answer,
    "chatty": chatty_answer,
    "stub": stub_answer,
}
