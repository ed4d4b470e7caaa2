"""`codejury evaluate`: the verdict on one answer."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import DefinitionError, InputError
from ..records import Limits, Outcome
from .progress import progress
from .render import output_console, show_evaluation, tell_notes
from .stored import DEFAULTS, AnswerTimeout

if TYPE_CHECKING:
    from ..records import Evaluation, TestCase


def evaluate(
    definition: Annotated[
        str,
        typer.Argument(
            metavar="DEFINITION", help="A definition.toml, its folder, or the name of a bundled test case."
        ),
    ],
    answer: Annotated[
        str, typer.Argument(metavar="ANSWER", help="The answer: markdown or bare code, - for stdin.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as one JSON object.")] = False,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds for the main code, and for each example and test.")
    ] = Limits().seconds,
    answer_timeout: AnswerTimeout = DEFAULTS.answer_seconds,
    memory: Annotated[
        int, typer.Option(min=16, metavar="MB", help="Memory the candidate may use, in MB.")
    ] = Limits().memory_mb,
    allow_unsafe: Annotated[
        bool, typer.Option("--allow-unsafe", help="Run even where no sandbox can be had.")
    ] = False,
) -> None:
    """Judge one answer: which code was taken from it, how each block went, and the points.

    Exit code: 0 judged, whatever the score; 1 void: nothing was learned about the answer; 2 bad input.
    """
    test_case = find_test_case(definition)
    text = read_answer(answer)
    limits = Limits(seconds=timeout, answer_seconds=answer_timeout, memory_mb=memory)
    evaluation = judge_answer(text, test_case, limits, allow_unsafe=allow_unsafe)
    if as_json:
        typer.echo(to_json(evaluation))
    else:
        show_evaluation(output_console(), evaluation, test_case)
    raise typer.Exit(int(evaluation.outcome is Outcome.VOID))


def find_test_case(text: str) -> TestCase:
    """Return the test case that a path or a bundled test case's name means."""
    from ..bulk import Tasks
    from ..definitions import Suite, find_definitions

    if (path := Path(text)).exists():
        suite = Suite([path / "definition.toml" if path.is_dir() else path])
        (test_case,) = suite.usable()
        tell_notes(suite.notes())
        return test_case
    tasks = Tasks(find_definitions())
    try:
        test_case = tasks.find(text)
    except DefinitionError:
        raise
    except InputError as exc:
        raise InputError(f"{text}: no such file or folder, and no bundled test case: {exc}") from None
    tell_notes(tasks.notes())
    return test_case


def read_answer(place: str) -> str:
    """Return the text of a file, or of stdin for `-`."""
    name = "stdin" if place == "-" else place
    try:
        data = sys.stdin.buffer.read() if place == "-" else Path(place).read_bytes()
    except OSError as exc:
        raise InputError(f"{name}: cannot be read: {exc.strerror}") from None
    try:
        return data.decode()
    except UnicodeDecodeError as exc:
        raise InputError(
            f"{name}: is not UTF-8: byte 0x{data[exc.start]:02x} at offset {exc.start}; save it as UTF-8"
        ) from None


def judge_answer(text: str, test_case: TestCase, limits: Limits, *, allow_unsafe: bool) -> Evaluation:
    """Start a judge for one answer, and say so meanwhile: a warm Julia takes some seconds."""
    from ..judge import Judge

    with (
        progress("judged", 1) as status,
        Judge(limits=limits, allow_unsafe=allow_unsafe, packages=test_case.imports) as judge,
    ):
        status.judge = judge
        return judge.evaluate(text, test_case)


def to_json(evaluation: Evaluation) -> str:
    """Return the verdict as JSON, with the same fields as a line of bulk judging."""
    from ..score import evaluation_to_dict

    return json.dumps(evaluation_to_dict(evaluation), indent=2)
