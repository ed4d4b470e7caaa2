"""A file of answers becomes stored conversations, judged and evaluated like all others.

Every line is checked before anything is written. Then, line by line: an answer that is stored and judged is
left alone, one that is stored only is judged, a new one is stored and judged. So the same file can be
imported again, and an import that was stopped goes on.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..errors import DefinitionError
from ..judge.judge import Judge
from ..records import Evaluation, TestCase
from ..store.names import SampleName
from ..store.read import read_conversation
from ..store.samples import StoredSample
from ..store.write import sample_folder, write_conversation, write_evaluation
from ..suite.suite import find_definitions
from .bulk.answers import AnswerLine, CheckedLines, Tasks, check_lines
from .import_lines import ImportLine, Labels, import_line
from .stored_answers import Known, Library


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """A checked file, and where its answers go."""

    lines: CheckedLines
    save_dir: Path
    tasks: Tasks
    labels: Labels

    @property
    def total(self) -> int:
        """Lines that are stored and judged."""
        return self.lines.good

    @property
    def left_out(self) -> int:
        """Lines whose definition cannot be used; a later import takes them."""
        return self.lines.unusable


class ImportStatus(StrEnum):
    """What became of a line."""

    ADDED = "added"
    JUDGED = "judged"  # was stored already, and not judged
    KNOWN = "known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """One line, stored and judged."""

    number: int
    status: ImportStatus
    sample: StoredSample
    evaluation: Evaluation | None = None
    """None for what was known."""


def prepare_import(
    answers: Path, definitions: Path, save_dir: Path, labels: Labels, *, skip_bad: bool = False
) -> ImportPlan:
    """Check the file; InputError lists what is wrong with it, by line.

    Answers whose definition cannot be used are left out; DefinitionError if there are no others.
    """
    tasks = Tasks(find_definitions(definitions))

    def check(answer: AnswerLine) -> None:
        line = import_line(answer, tasks.find(answer.task_id), labels)
        sample_folder(save_dir, line.request)

    lines = check_lines(answers, check, verb="imported", skip_bad=skip_bad)
    if lines.unusable and not lines.good:
        raise DefinitionError(tasks.notes().left_out)
    return ImportPlan(lines=lines, save_dir=save_dir, tasks=tasks, labels=labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    """A line whose answer is on the disk."""

    number: int
    status: ImportStatus
    sample: StoredSample
    answer: str
    test_case: TestCase


def run_import(plan: ImportPlan, judge: Judge) -> Generator[Imported]:
    """Store and judge; yield each line once both of its files are there. Close it before the judge."""

    def judged(stored: _Stored) -> Evaluation | None:
        known = stored.status is ImportStatus.KNOWN
        return None if known else judge.evaluate(stored.answer, stored.test_case)

    with closing(judge.each(_stored_lines(plan), judged)) as results:
        for stored, evaluation in results:
            sample = write_evaluation(stored.sample, evaluation) if evaluation else stored.sample
            yield Imported(number=stored.number, status=stored.status, sample=sample, evaluation=evaluation)


def _stored_lines(plan: ImportPlan) -> Iterator[_Stored]:
    library = Library(plan.save_dir)
    for answer in plan.lines.answers():
        test_case = plan.tasks.look_up(answer.task_id)
        if isinstance(test_case, DefinitionError):
            continue
        line = import_line(answer, test_case, plan.labels)
        folder = sample_folder(plan.save_dir, line.request)
        known = library.take(folder, line)
        sample = _found(folder, known, line) if known else _added(plan, library, folder, line)
        status = ImportStatus.ADDED
        if known:
            status = ImportStatus.KNOWN if known.has_evaluation else ImportStatus.JUDGED
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
