"""The judge that strength is measured with: as any other, with a time limit for each run."""

from __future__ import annotations

from ..judge import Judge
from ..records import Execution, Job, Limits, Snippet, TestCase


class StrengthJudge(Judge):
    """A Judge that can be given less time for a mutant than for a solution."""

    def run(self, code: str, test_case: TestCase, seconds: float) -> Execution:
        """As `execute_code`, with `seconds` for the code and for each block."""
        snippets = (Snippet(code=code, language="julia"),)
        with self._borrowed() as sandbox:
            return sandbox.execute(
                Job(test_case=test_case, snippets=snippets, limits=Limits(seconds=seconds))
            )
