"""`codejury validate`: tells whether definitions are fit for the exam."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..errors import InputError
from ..records import BlockKind, Limits, TestCase
from .progress import Status, progress
from .render import output_console, safe_text, shown_path
from .strength import Bars
from .strength_report import Look

if TYPE_CHECKING:
    from rich.console import Console

    from ..errors import Problem
    from ..judge import Judge
    from ..strength import Options
    from ..validation import SubmissionResult, ValidationReport

_LABELS: Final = {
    "valid": ("valid", "green"),
    "warned": ("with warnings", "bold yellow"),
    "invalid": ("not valid", "bold red"),
    "unchecked": ("cannot be checked here", "bold yellow"),
    "unreadable": ("cannot be read", "bold red"),
}

_SEVERITIES: Final = {"error": "bold red", "warning": "bold yellow"}
_KINDS: Final = {"accepted": "accepted", "wrong_answer": "wrong"}


def validate(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", help="Definitions, or folders of them.", show_default="the suite"),
    ] = None,
    run: Annotated[bool, typer.Option("--run/--no-run", help="Run the solutions too.")] = True,
    strict: Annotated[
        bool, typer.Option("--strict/--no-strict", help="Fail on warnings too, or on errors alone.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds for the solution, and for each example and test.")
    ] = Limits().seconds,
    answer_timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds for all of a solution, its repetitions included.")
    ] = Limits().answer_seconds,
    allow_unsafe: Annotated[
        bool, typer.Option("--allow-unsafe", help="Run even where no sandbox can be had.")
    ] = False,
    strength: Annotated[
        bool, typer.Option("--strength", help="Break the solution in small ways: do the tests notice?")
    ] = False,
    bar: Annotated[
        float, typer.Option(min=0, max=100, help="The least strength of a case, in percent.")
    ] = 85,
    overall_bar: Annotated[
        float, typer.Option(min=0, max=100, help="The least strength of several cases together.")
    ] = 95,
    max_mutants: Annotated[int, typer.Option(min=1, help="Mutants of a case at most; else a sample.")] = 300,
    mutant_timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds after which a mutant counts as killed.")
    ] = 2,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Runs of each submission, and with --strength of the solution, that look for flaky tests.",
            show_default="5 with --strength, else 1",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="For the sample of mutants and the order of tests.")] = 0,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Solutions run at a time.", show_default="one per processor")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Keep the strengths there, beside those of others."),
    ] = None,
) -> None:
    """Check definitions: their shape, and that the reference solution passes every example and test.

    The submissions beside a definition run too: those in submissions/accepted have to pass everything, those
    in submissions/wrong_answer have to fail a unit test, and that in each of their --repeats.

    With --strength, valid ones are also tried with mutants (the solution with one small fault each), with
    cheats, and with repeats in another order; see docs/strength.md.

    An error makes judging impossible: other commands leave such a definition out. A warning is anything else
    that should be mended; other commands count them in one line, and go on.

    Exit code: 0 all valid, 1 some have errors, have warnings (not with --no-strict) or are not strong enough,
    2 some cannot be read. Those that need a package this Julia does not have are told of, and decide only if
    there are no others.

    \b
    Examples:
      codejury validate
      codejury validate code_generation/strings_and_text
      codejury validate my_cases/strings/wrap_words --no-run
      codejury validate my_cases --no-strict
      codejury validate --json > report.json
      codejury validate my_cases/strings/wrap_words --repeats 40
      codejury validate my_cases/strings/wrap_words --strength
    """  # noqa: D301 - the character keeps the lines below it apart
    from ..strength.measure import Options
    from ..validation import validate_all

    if strength and not run:
        raise InputError("--strength runs the solutions, and --no-run forbids it; leave one of them out")
    if repeats is None:
        repeats = Options().repeats if strength else 1
    options = Options(
        seconds=mutant_timeout,
        reference_seconds=timeout,
        max_mutants=max_mutants,
        repeats=repeats,
        seed=seed,
        workers=workers or os.cpu_count() or 1,
    )
    with ExitStack() as stack:
        limits = Limits(seconds=timeout, answer_seconds=answer_timeout)
        judges = _Judges(stack, options, limits, measuring=strength, allow_unsafe=allow_unsafe)
        with progress("solutions run", None) as judges.status:
            reports = validate_all(
                paths or [],
                start_judge=judges.start,
                run=run,
                repeats=repeats,
                on_progress=judges.status.update,
            )
        if not as_json:
            show(reports, measuring=strength)
        look = Look(bars=Bars(each=bar, overall=overall_bar), save=save, quiet=as_json)
        valid = _valid_cases(reports, strict=strict) if strength else []
        measured = look.measure(valid, options, judges.latest) if strength else []
    if as_json:
        document = as_document(reports, strict=strict) | (
            {"strength": look.document(measured)} if strength else {}
        )
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
    raise typer.Exit(exit_code(reports, strict=strict) or int(not look.satisfied(measured)))


class _Judges:
    """Starts the one judge that validation and the look at strength share."""

    def __init__(
        self, stack: ExitStack, options: Options, limits: Limits, *, measuring: bool, allow_unsafe: bool
    ) -> None:
        self._stack, self._options, self._limits = stack, options, limits
        self._measuring, self._allow_unsafe = measuring, allow_unsafe
        self.latest: Judge | None = None
        self.status: Status

    def start(self, workers: int, packages: Sequence[str]) -> AbstractContextManager[Judge]:
        from ..judge import Judge

        judge = Judge(
            workers=self._options.workers if self._measuring else min(workers, self._options.workers),
            limits=self._limits,
            allow_unsafe=self._allow_unsafe,
            packages=packages,
        )
        self.latest = self.status.judge = self._stack.enter_context(judge)
        return nullcontext(judge)


def _valid_cases(reports: Sequence[ValidationReport], *, strict: bool) -> list[TestCase]:
    """Those that pass, and whose reference solution does: mutants of a wrong one would tell nothing."""
    from ..definitions import load_definition
    from ..validation import RunProblem

    passing = [report for report in reports if _counted(report, strict=strict).valid]
    sound = [r for r in passing if not any(isinstance(problem, RunProblem) for problem in r.problems)]
    return [load_definition(report.path) for report in sound if report.path and report.execution]


def _counted(report: ValidationReport, *, strict: bool) -> ValidationReport:
    """The report with the problems that decide."""
    return report if strict else report.without_warnings()


def exit_code(reports: Sequence[ValidationReport], *, strict: bool = True) -> int:
    """0 all valid, 1 some are not, 2 some could not even be read.

    A package that this machine lacks is no fault, as long as anything could be checked at all.
    """
    if not all(report.readable for report in reports):
        return 2
    counted = [_counted(report, strict=strict) for report in reports]
    checked = [report for report in counted if not report.only_lacks_packages]
    return 0 if all(report.valid for report in checked) and (checked or not reports) else 1


def as_document(reports: Sequence[ValidationReport], *, strict: bool = True) -> dict[str, Any]:
    """The JSON form; `valid` of a file is null where it cannot be checked here."""
    counted = [_counted(report, strict=strict) for report in reports]
    rows = [_as_row(report, decides) for report, decides in zip(reports, counted, strict=True)]
    return {"valid": all(report.valid for report in counted), "files": rows}


def _as_row(report: ValidationReport, counted: ValidationReport) -> dict[str, Any]:
    return {
        "path": str(report.path),
        "status": report.status.value,
        "valid": None if counted.status == "unchecked" else counted.valid,
        "problems": [_as_problem(problem) for problem in report.problems],
        "missing_packages": list(report.missing_packages),
        "unchecked_because": report.unchecked_because,
        "submissions": [_as_submission(result) for result in report.submissions],
    }


def _as_submission(result: SubmissionResult) -> dict[str, Any]:
    return {name: getattr(result, name) for name in ("name", "kind", "ok", "passed", "listed")}


def _as_problem(problem: Problem) -> dict[str, Any]:
    row = {name: getattr(problem, name) for name in ("severity", "field", "what", "repair", "code")}
    return row | {"line": getattr(problem, "line", None)}


def show(reports: Sequence[ValidationReport], *, measuring: bool = False) -> None:
    """For a person: one line a file, the problems of each below it, a sum, and what to do next."""
    console = output_console()
    console.soft_wrap = True  # a path or an error is not broken where it ends up in a log
    for report in reports:
        _show_report(console, report)
    counts = {status: sum(report.status == status for report in reports) for status in _LABELS}
    told = ", ".join(f"{count} {_LABELS[status][0]}" for status, count in counts.items() if count)
    console.print(f"{len(reports)} definition{'s' * (len(reports) != 1)}: {told}", style="bold")
    if len(reports) == 1 and not measuring and (advice := _next_step(reports[0])):
        console.print(f"Next: {advice}", style="dim")


def _next_step(report: ValidationReport) -> str:
    """What the author of one definition does now; "" where its problems say so already."""
    if report.execution is None or not report.valid:
        return ""
    from ..definitions.bars import FEWEST_SUBMISSIONS

    folder = safe_text(str(shown_path(report.path.parent if report.path else None)))
    kinds = [result.kind.value for result in report.submissions]
    lacking = [kind for kind, fewest in FEWEST_SUBMISSIONS.items() if kinds.count(kind.value) < fewest]
    if "accepted" in lacking:
        return f"put another right solution, written differently, into {folder}/submissions/accepted/"
    if "wrong_answer" in lacking:
        return f"put two plausible wrong solutions into {folder}/submissions/wrong_answer/"
    return f"see whether its tests notice small faults: codejury validate {folder} --strength"


def _show_report(console: Console, report: ValidationReport) -> None:
    from rich.text import Text

    label, style = _LABELS[report.status]
    ran = Text(_ran(report), style="dim")
    console.print(Text.assemble((label, style), "  ", safe_text(str(shown_path(report.path))), ran))
    for problem in report.problems:
        _show_problem(console, problem)
    if report.unchecked_because:
        console.print(Text(f"  {safe_text(report.unchecked_because)}"))
    if report.missing_packages:
        console.print(
            Text("    -> install for Julia what is missing, or check the shape alone with --no-run")
        )


def _ran(report: ValidationReport) -> str:
    """What the word valid rests on: ` (19 tests, 2 accepted, 5 wrong submissions)`; "" if nothing ran."""
    if report.execution is None or not report.valid:
        return ""
    tests = len(report.execution.of_kind(BlockKind.UNIT_TEST))
    kinds = [result.kind.value for result in report.submissions]
    told = [f"{kinds.count(kind)} {word}" for kind, word in _KINDS.items() if kind in kinds]
    if told:
        told[-1] += " submission" + "s" * (len(kinds) != 1)
    return f" ({', '.join([f'{tests} test' + 's' * (tests != 1), *told])})"


def _show_problem(console: Console, problem: Problem) -> None:
    from rich.text import Text

    what = safe_text(problem.what).replace("\n", "\n    ")
    mark = (problem.severity.value, _SEVERITIES[problem.severity.value])
    console.print(Text.assemble("  ", mark, "  ", (safe_text(problem.field), "bold"), f": {what}"))
    console.print(Text(f"    -> {safe_text(problem.repair)}", style="dim"))
    if problem.code:
        _show_code(console, problem.code, getattr(problem, "line", None))


def _show_code(console: Console, code: str, failing: int | None) -> None:
    """Julia code with line numbers, the failing line marked."""
    from rich.syntax import Syntax
    from rich.text import Text

    highlighted = Syntax("", "julia", theme="ansi_dark").highlight(safe_text(code.rstrip()))
    highlighted.rstrip()
    for number, line in enumerate(highlighted.split("\n"), start=1):
        mark = ("> ", "bold red") if number == failing else "  "
        console.print(Text.assemble("    ", mark, (f"{number:>3} ", "dim"), line))
