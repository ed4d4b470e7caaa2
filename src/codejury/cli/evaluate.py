"""`codejury evaluate`: the verdict on one answer."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DefinitionError, InputError
from ..options import JudgeOptions
from ..records import Outcome, Packages
from .option_flags import with_flags
from .progress import progress
from .render import output_console, show_evaluation, tell_notes, tell_suite, tell_waiting

if TYPE_CHECKING:
    from ..records import Evaluation, TestCase


@with_flags(JudgeOptions, without=("workers", "engine", "ray_address"))
def evaluate(
    definition: Annotated[
        str,
        typer.Argument(
            metavar="DEFINITION",
            help="A definition.toml, its folder, or the name of a test case.",
        ),
    ],
    answer: Annotated[
        str, typer.Argument(metavar="ANSWER", help="The answer: markdown or bare code, - for stdin.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as one JSON object.")] = False,
    **judging: Any,
) -> None:
    """Judge one answer: which code was taken from it, how each block went, and the points.

    Exit code: 0 judged, whatever the score; 1 void: nothing was learned about the answer; 2 bad input.
    """
    from ..suite.suite import packages_of

    test_case = find_test_case(definition)
    text = read_answer(answer)
    options = JudgeOptions.of(**judging)
    packages = packages_of([test_case], options.environment)
    evaluation = judge_answer(text, test_case, options, packages)
    if as_json:
        typer.echo(to_json(evaluation))
    else:
        show_evaluation(output_console(), evaluation, test_case)
        missing = evaluation.execution.missing_packages if evaluation.execution else ()
        tell_waiting(dict.fromkeys(missing, 1), packages.environment)
    raise typer.Exit(int(evaluation.outcome is Outcome.VOID))


def find_test_case(text: str) -> TestCase:
    """Return the test case that a path, or a name in the suite, means."""
    from ..exchange.bulk.answers import Tasks
    from ..suite.suite import Suite, find_definitions

    if (path := Path(text)).exists():
        suite = Suite([path / "definition.toml" if path.is_dir() else path])
        (test_case,) = suite.usable()
        tell_notes(suite.notes())
        return test_case
    tasks = Tasks(find_definitions(tell_suite()))
    try:
        test_case = tasks.find(text)
    except DefinitionError:
        raise
    except InputError as exc:
        raise InputError(f"{text}: no such file or folder, and no test case of the suite: {exc}") from None
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


def judge_answer(text: str, test_case: TestCase, options: JudgeOptions, packages: Packages) -> Evaluation:
    """Ask the warm judge, or start one, and say so meanwhile: Julia takes some seconds."""
    from ..judge.backends import open_judge

    judge = open_judge(options, answers=1, packages=packages, stay_warm=True)
    with progress("judged", 1) as status, judge:
        status.judge = judge
        return judge.evaluate(text, test_case)


def to_json(evaluation: Evaluation) -> str:
    """Return the verdict as JSON, with the same fields as a line of bulk judging."""
    from ..judge.score import evaluation_to_dict

    return json.dumps(evaluation_to_dict(evaluation), indent=2)
