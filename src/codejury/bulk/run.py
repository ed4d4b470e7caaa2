"""Carries out a plan: first judges again, in their places, the lines that are not settled; then appends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import islice

from .answers import checked_answers
from .output import Output
from .plan import Plan
from .results import read_results, result_line
from .tally import Tally
from .verdicts import Evaluates, Question, Verdicts

OnProgress = Callable[[Tally], None]


def run(plan: Plan, judge: Evaluates, *, workers: int = 1, on_progress: OnProgress = lambda _: None) -> Tally:
    """Judge what is left to judge and return the tally of the whole output.

    `on_progress` hears the tally after each verdict. However this ends, by KeyboardInterrupt or an error too,
    the verdicts it heard of are in the output, and a new plan goes on from there.
    """
    tally = plan.settled
    with closing(Verdicts(judge, workers)) as verdicts, Output(plan) as output:

        def write(questions: Iterable[Question]) -> None:
            nonlocal tally
            for question, verdict in verdicts.in_order(questions):
                if verdict is None:
                    output.append(question.settled_line or b"")
                    continue
                output.append(result_line(question.answer, verdict.text))
                tally = tally.plus(verdict.summary)
                on_progress(tally)

        if plan.unsettled:
            with output.rewriting():
                write(_written(plan))
        write(_unwritten(plan))
    return tally


def _written(plan: Plan) -> Iterator[Question]:
    for result in read_results(plan.answers, plan.output, plan.tasks):
        line = result.line if result.settled else None
        yield Question(answer=result.answer, test_case=result.test_case, settled_line=line)


def _unwritten(plan: Plan) -> Iterator[Question]:
    for answer in islice(checked_answers(plan.answers), plan.written, None):
        yield Question(answer=answer, test_case=plan.tasks.look_up(answer.task_id))
