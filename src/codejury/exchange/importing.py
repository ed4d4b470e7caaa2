"""A file of answers becomes stored conversations, judged and evaluated like all others.

Every line is checked before anything is written. Then, line by line: an answer that is stored and judged is
left alone, one that is stored only is judged, a new one is stored and judged. So the same file can be
imported again, and an import that was stopped goes on.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from ..bulk import Tasks
from ..bulk.answers import checked_answers, parse_answer, read_answers
from ..definitions import find_definitions
from ..errors import DefinitionError, InputError
from ..records import Evaluation, TestCase
from ..rejudging import Evaluates, in_order
from ..store import (
    SampleName,
    StoredSample,
    read_conversation,
    sample_folder,
    write_conversation,
    write_evaluation,
)
from .library import Known, Library
from .lines import ImportLine, Labels, import_line


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """A checked file, and where its answers go."""

    answers: Path
    save_dir: Path
    tasks: Tasks
    labels: Labels
    total: int
    """Lines that are stored and judged."""
    left_out: int = 0
    """Lines whose definition cannot be used; a later import takes them."""


class Status(StrEnum):
    """What became of a line."""

    ADDED = "added"
    JUDGED = "judged"  # was stored already, and not judged
    KNOWN = "known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """One line, stored and judged."""

    number: int
    status: Status
    sample: StoredSample
    evaluation: Evaluation | None = None
    """None for what was known."""


def prepare_import(answers: Path, definitions: Path, save_dir: Path, labels: Labels) -> ImportPlan:
    """Check the file; InputError lists what is wrong with it, by line.

    Answers whose definition cannot be used are left out; DefinitionError if there are no others.
    """
    if answers.exists() and not answers.is_file():
        raise InputError(f"{answers}: is not a file; answers are read twice, so a pipe or folder will not do")
    tasks = Tasks(find_definitions(definitions))
    plan = ImportPlan(answers=answers, save_dir=save_dir, tasks=tasks, labels=labels, total=0)
    total, left_out, faults = 0, 0, []
    for number, line in read_answers(answers):
        try:
            answer = parse_answer(number, line)
            checked = import_line(answer, tasks.find(answer.task_id), labels)
            sample_folder(save_dir, checked.request)
            total += 1
        except DefinitionError:
            left_out += 1  # the line is not to blame
        except InputError as exc:
            faults.append(f"  line {number}: {exc}")
    if faults:
        lines = "1 line" if len(faults) == 1 else f"{len(faults)} lines"
        raise InputError("\n".join([f"{answers}: {lines} cannot be imported, so nothing was", *faults]))
    if left_out and not total:
        raise DefinitionError(tasks.notes().left_out)
    return replace(plan, total=total, left_out=left_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    """A line whose answer is on the disk."""

    number: int
    status: Status
    sample: StoredSample
    answer: str
    test_case: TestCase


def run_import(plan: ImportPlan, judge: Evaluates, *, workers: int = 1) -> Generator[Imported]:
    """Store and judge; yield each line once both of its files are there. Close it before the judge."""

    def judged(stored: _Stored) -> Evaluation | None:
        known = stored.status is Status.KNOWN
        return None if known else judge.evaluate(stored.answer, stored.test_case)

    with closing(in_order(_stored_lines(plan), judged, workers=workers)) as results:
        for stored, evaluation in results:
            sample = write_evaluation(stored.sample, evaluation) if evaluation else stored.sample
            yield Imported(number=stored.number, status=stored.status, sample=sample, evaluation=evaluation)


def _stored_lines(plan: ImportPlan) -> Iterator[_Stored]:
    library = Library(plan.save_dir)
    for answer in checked_answers(plan.answers):
        test_case = plan.tasks.look_up(answer.task_id)
        if isinstance(test_case, DefinitionError):
            continue
        line = import_line(answer, test_case, plan.labels)
        folder = sample_folder(plan.save_dir, line.request)
        known = library.take(folder, line)
        sample = _found(folder, known, line) if known else _added(plan, library, folder, line)
        status = Status.ADDED
        if known:
            status = Status.KNOWN if known.has_evaluation else Status.JUDGED
        yield _Stored(
            number=line.number,
            status=status,
            sample=sample,
            answer=line.completions[-1].text,
            test_case=line.test_case,
        )


def _added(plan: ImportPlan, library: Library, folder: Path, line: ImportLine) -> StoredSample:
    request = library.numbered(folder, line.request)
    return write_conversation(plan.save_dir, request, line.sent, line.completions, timestamp=line.timestamp)


def _found(folder: Path, known: Known, line: ImportLine) -> StoredSample:
    """The sample that is there; its own conversation says what was asked."""
    conversation = folder / f"conversation__{known.tail}"
    request = read_conversation(conversation).request or line.request
    timestamp = SampleName.parse(conversation.name).timestamp
    return StoredSample(
        folder=folder, tail=known.tail, has_conversation=True, has_evaluation=known.has_evaluation,
        request=request, timestamp=timestamp,
    )  # fmt: skip
