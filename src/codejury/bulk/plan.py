"""Before anything runs: whether every line of the input can be judged, and how much is done already."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..definitions import find_definitions
from ..errors import DefinitionError, InputError
from ..records import TestCase
from .answers import parse_answer, read_answers
from .results import read_results
from .tally import Tally
from .tasks import Tasks

_MOST_FAULTS: Final = 20
"""Faults that are told in full; the others are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A checked input, and how far its output has come."""

    answers: Path
    output: Path
    tasks: Tasks
    total: int
    """Answers in the input."""
    written: int
    """Whole lines in the output."""
    whole_bytes: int
    """Their length; what follows is a line that was cut off."""
    output_bytes: int
    """The output's length, to notice if somebody else writes to it."""
    settled: Tally
    """The verdicts that stand."""
    replaced_fields: tuple[str, ...]
    """Fields of the input that have the name of a verdict's field: the verdict takes their place."""

    @property
    def unsettled(self) -> int:
        """Lines of the output that are judged again."""
        return self.written - self.settled.lines

    @property
    def to_judge(self) -> int:
        return self.total - self.settled.lines


def prepare(answers: Path, definitions: Path, output: Path) -> Plan:
    """Check both files; InputError lists what is wrong with them, by line."""
    _refuse_unfit_files(answers, output)
    tasks = Tasks(find_definitions(definitions))
    total, replaced = _check_answers(answers, tasks)
    output_bytes = output.stat().st_size if output.exists() else 0
    written, whole_bytes, settled = 0, 0, Tally()
    for result in read_results(answers, output, tasks):
        written += 1
        whole_bytes += len(result.line)
        settled = settled.plus(result.verdict) if result.settled else settled
    return Plan(
        answers=answers,
        output=output,
        tasks=tasks,
        total=total,
        written=written,
        whole_bytes=whole_bytes,
        output_bytes=output_bytes,
        settled=settled,
        replaced_fields=replaced,
    )


def _refuse_unfit_files(answers: Path, output: Path) -> None:
    if answers.exists() and not answers.is_file():
        raise InputError(
            f"{answers}: is not a file; answers are read twice, so a pipe or a folder will not do"
        )
    if output.exists() and not output.is_file():
        raise InputError(f"{output}: is not a file; name the file that verdicts are written to")
    if answers.exists() and output.exists() and answers.samefile(output):
        raise InputError(f"{output}: is the input; choose another --output")


def _check_answers(answers: Path, tasks: Tasks) -> tuple[int, tuple[str, ...]]:
    """Count the answers and collect the fields they lose; InputError with the faults of all lines.

    An answer whose definition cannot be used is no fault of its line: it will be void. DefinitionError if
    there are no others.
    """
    total, fault_count, judgeable = 0, 0, 0
    faults: list[str] = []
    replaced: dict[str, None] = {}
    for number, line in read_answers(answers):
        total += 1
        try:
            answer = parse_answer(number, line)
            judgeable += isinstance(tasks.look_up(answer.task_id), TestCase)
            replaced.update(dict.fromkeys(answer.replaced))
        except InputError as exc:
            fault_count += 1
            faults += [f"  line {number}: {exc}"] * (fault_count <= _MOST_FAULTS)
    if fault_count:
        raise InputError(_told(answers, faults, fault_count))
    if total and not judgeable:
        raise DefinitionError(tasks.notes().left_out)
    return total, tuple(replaced)


def _told(answers: Path, faults: list[str], count: int) -> str:
    lines = "1 line" if count == 1 else f"{count} lines"
    rest = [f"  ... and {count - len(faults)} more"] if count > len(faults) else []
    return "\n".join([f"{answers}: {lines} cannot be judged, so nothing was run", *faults, *rest])
