"""Answers that exist already: judged one by one or in bulk, imported, exported, judged again, verified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..judge.judge import Judge
    from ..records import Evaluation, TestCase


def evaluate(answer: str, test_case: TestCase | Path | str, *, judge: Judge | None = None) -> Evaluation:
    """Judge one answer. Without a `judge` one is started for this call alone, which takes seconds."""
    from ..judge.judge import Judge
    from ..records import TestCase
    from ..suite.load import load_definition
    from ..suite.suite import packages_of

    case = test_case if isinstance(test_case, TestCase) else load_definition(Path(test_case))
    if judge is not None:
        return judge.evaluate(answer, case)
    with Judge(packages=packages_of([case])) as own:
        return own.evaluate(answer, case)
