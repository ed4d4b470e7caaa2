"""Before anything runs: whether every line of the input can be judged, and how much is done already.

Line k of the output belongs to answer k of the input (blank lines do not count). A line is
  settled    its verdict stands
  unsettled  void, or judged by another definition or other rules: it is judged again, in its place
A last line that was cut off is dropped. Any other line that is not its answer's is an error: the output
then belongs to another input.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from ...errors import DefinitionError, InputError
from ...judge.score import definition_hash
from ...records import RULES_VERSION, Ending, Outcome, TestCase
from ...suite.suite import find_definitions
from .answers import AnswerLine, CheckedLines, Tasks, check_lines

_READ: Final = frozenset(
    {"outcome", "score", "julia_version", "missing_packages", "blocks", "definition_hash", "rules_version"}
)
"""What is read of a verdict here; which other fields a line has depends on the version that wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictSummary:
    """What is counted of a verdict."""

    outcome: str
    score: float | None
    julia_version: str
    missing_packages: tuple[str, ...]
    timed_out: bool

    @classmethod
    def of(cls, verdict: Mapping[str, Any]) -> VerdictSummary:
        return cls(
            outcome=verdict["outcome"],
            score=verdict["score"],
            julia_version=verdict["julia_version"],
            missing_packages=tuple(verdict["missing_packages"]),
            timed_out=any(block["ending"] == Ending.TIMED_OUT for block in verdict["blocks"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkTally:
    """Counts of verdicts. Void lines are listed, but take no part in a rate or a mean."""

    passed: int = 0
    failed: int = 0
    void: int = 0
    timed_out: int = 0
    """Judged answers of which a part ran out of time."""
    points: float = 0.0
    julia_versions: frozenset[str] = frozenset()
    waiting: Mapping[str, int] = field(default_factory=dict)
    """Void for want of Julia packages: how many, by the package."""

    @property
    def lines(self) -> int:
        return self.judged + self.void

    @property
    def judged(self) -> int:
        return self.passed + self.failed

    @property
    def mean_score(self) -> float | None:
        """None where nothing was judged: no data is not 0."""
        return self.points / self.judged if self.judged else None

    @property
    def pass_rate(self) -> float | None:
        return self.passed / self.judged if self.judged else None

    def plus(self, verdict: VerdictSummary) -> BulkTally:
        """Return the tally with one more verdict."""
        version = verdict.julia_version
        void = verdict.outcome == Outcome.VOID
        waiting = Counter(self.waiting) + Counter(verdict.missing_packages if void else ())
        return BulkTally(
            passed=self.passed + (verdict.outcome == Outcome.PASS),
            failed=self.failed + (verdict.outcome == Outcome.FAIL),
            void=self.void + void,
            timed_out=self.timed_out + (verdict.timed_out and not void),
            points=self.points + (verdict.score or 0.0),
            julia_versions=self.julia_versions | {version} if version else self.julia_versions,
            waiting=waiting,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkPlan:
    """A checked input, and how far its output has come."""

    lines: CheckedLines
    output: Path | None
    """None: the verdicts are written to a stream, and nothing is continued."""
    tasks: Tasks
    written: int
    """Whole lines in the output."""
    whole_bytes: int
    """Their length; what follows is a line that was cut off."""
    output_bytes: int
    """The output's length, to notice if somebody else writes to it."""
    settled: BulkTally
    """The verdicts that stand."""
    replaced_fields: tuple[str, ...]
    """Fields of the input that have the name of a verdict's field: the verdict takes their place."""

    @property
    def total(self) -> int:
        """Answers in the input."""
        return self.lines.good + self.lines.unusable

    @property
    def unsettled(self) -> int:
        """Lines of the output that are judged again."""
        return self.written - self.settled.lines

    @property
    def to_judge(self) -> int:
        return self.total - self.settled.lines


def prepare(answers: Path, definitions: Path, output: Path | None, *, skip_bad: bool = False) -> BulkPlan:
    """Check both files; InputError lists what is wrong with them, by line."""
    if output is not None:
        _refuse_unfit_files(answers, output)
    tasks = Tasks(find_definitions(definitions))
    lines, replaced = _check_answers(answers, tasks, skip_bad=skip_bad)
    output_bytes = output.stat().st_size if output and output.exists() else 0
    written, whole_bytes, settled = 0, 0, BulkTally()
    for result in read_results(lines, output, tasks) if output else ():
        written += 1
        whole_bytes += len(result.line)
        settled = settled.plus(VerdictSummary.of(result.verdict)) if result.settled else settled
    return BulkPlan(
        lines=lines,
        output=output,
        tasks=tasks,
        written=written,
        whole_bytes=whole_bytes,
        output_bytes=output_bytes,
        settled=settled,
        replaced_fields=replaced,
    )


def _refuse_unfit_files(answers: Path, output: Path) -> None:
    if output.exists() and not output.is_file():
        raise InputError(
            f"{output}: is not a file; name the file that verdicts are written to, or - for stdout"
        )
    if answers.exists() and output.exists() and answers.samefile(output):
        raise InputError(f"{output}: is the input; choose another --output")


def _check_answers(answers: Path, tasks: Tasks, *, skip_bad: bool) -> tuple[CheckedLines, tuple[str, ...]]:
    """Check the answers and collect the fields they lose; InputError with the faults of all lines.

    An answer whose definition cannot be used is no fault of its line: it will be void. DefinitionError if
    there are no others.
    """
    replaced: dict[str, None] = {}

    def check(answer: AnswerLine) -> None:
        replaced.update(dict.fromkeys(answer.replaced))
        tasks.find(answer.task_id)

    lines = check_lines(answers, check, verb="judged", skip_bad=skip_bad)
    if lines.unusable and not lines.good:
        raise DefinitionError(tasks.notes().left_out)
    return lines, tuple(replaced)


# ---- One line of the output: the answer's own text, and the verdict behind it.


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


def read_results(lines: CheckedLines, output: Path, tasks: Tasks) -> Iterator[Result]:
    """Yield the results of earlier runs, each with its answer; InputError where one is not its answer's."""
    for place, (answer, line) in enumerate(zip_longest(lines.answers(), whole_lines(output)), start=1):
        if line is None:
            return
        if answer is None:
            raise InputError(
                f"{output}: has more lines than {lines.path} has answers, so it belongs to another input; "
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
    complete = isinstance(verdict, dict) and verdict.keys() >= _READ
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
