"""One line of the output: the answer's own text, and the verdict behind it.

Line k of the output belongs to answer k of the input (blank lines do not count). A line is
  settled    its verdict stands
  unsettled  void, or judged by another definition or other rules: it is judged again, in its place
A last line that was cut off is dropped. Any other line that is not its answer's is an error: the output
then belongs to another input.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ..errors import DefinitionError, InputError
from ..records import RULES_VERSION, Outcome, TestCase
from ..score import VERDICT_FIELDS, definition_hash
from .answers import AnswerLine, checked_answers
from .tasks import Tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A line that an earlier run wrote."""

    answer: AnswerLine
    test_case: TestCase | DefinitionError
    line: bytes
    verdict: Mapping[str, Any]

    @property
    def settled(self) -> bool:
        if isinstance(self.test_case, DefinitionError):
            return bool(self.verdict["outcome"] != Outcome.VOID)  # it was judged when the file was whole
        judged_by = (self.verdict["definition_hash"], self.verdict["rules_version"])
        up_to_date = judged_by == (definition_hash(self.test_case), RULES_VERSION)
        return up_to_date and self.verdict["outcome"] != Outcome.VOID


def result_line(answer: AnswerLine, verdict: str) -> bytes:
    """Join an answer with its verdict, a JSON object: `{"a": 1` and `{"b": 2}` -> `{"a": 1, "b": 2}`."""
    return f"{answer.head}, {verdict.removeprefix('{')}\n".encode()


def read_results(answers: Path, output: Path, tasks: Tasks) -> Iterator[Result]:
    """Yield the results of earlier runs, each with its answer; InputError where one is not its answer's."""
    for place, (answer, line) in enumerate(
        zip_longest(checked_answers(answers), whole_lines(output)), start=1
    ):
        if line is None:
            return
        if answer is None:
            raise InputError(
                f"{output}: has more lines than {answers} has answers, so it belongs to another input; "
                "choose another --output"
            )
        yield _result(answer, line, tasks, f"{output}: line {place}")


def _result(answer: AnswerLine, line: bytes, tasks: Tasks, where: str) -> Result:
    verdict = _verdict(line, f"{answer.head}, ".encode())
    if verdict is None:
        raise InputError(
            f"{where}: is no verdict on line {answer.number} of the answers (task {answer.task_id!r}), "
            "so this file belongs to another input; choose another --output"
        )
    return Result(answer=answer, test_case=tasks.look_up(answer.task_id), line=line, verdict=verdict)


def _verdict(line: bytes, head: bytes) -> dict[str, Any] | None:
    """The verdict behind an answer's own text, None if the line is anything else."""
    if not line.startswith(head):
        return None
    try:
        verdict = json.loads(b"{" + line[len(head) :])
    except ValueError:
        return None
    complete = isinstance(verdict, dict) and verdict.keys() >= set(VERDICT_FIELDS)
    return verdict if complete else None


def whole_lines(output: Path) -> Iterator[bytes]:
    """Yield the lines of the output, without a last one that was cut off; none if there is no file yet."""
    try:
        with output.open("rb") as file:
            yield from (line for line in file if line.endswith(b"\n"))
    except FileNotFoundError:
        return
    except OSError as exc:
        raise InputError(f"{output}: cannot be read: {exc.strerror}") from None
