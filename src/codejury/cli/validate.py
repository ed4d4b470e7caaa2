"""`codejury validate`: checks definitions, and that their reference solutions pass."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..errors import InputError
from ..options import JudgeOptions
from ..program import command
from ..records import BlockKind, Packages, TestCase
from ..suite.strength.report import Bars
from .option_flags import JuliaNames, with_flags
from .progress import Status, progress
from .render import error_console, install_command, output_console, safe_text, shown_path, tell_suite
from .strength_report import StrengthCommand

if TYPE_CHECKING:
    from rich.console import Console

    from ..errors import Problem
    from ..judge.judge import Judge
    from ..suite.validation_report import SubmissionResult, ValidationReport


_LABELS: Final = {
    "valid": ("valid", "green"),
    "warned": ("with warnings", "bold yellow"),
    "invalid": ("not valid", "bold red"),
    "unchecked": ("cannot be checked here", "bold yellow"),
    "unreadable": ("cannot be read", "bold red"),
}

_SEVERITIES: Final = {"error": "bold red", "warning": "bold yellow"}
_NUMBERS: Final = {1: "one", 2: "two"}
_SOLUTIONS: Final = {
    "accepted": "right solutions, written differently,",
    "wrong_answer": "plausible wrong solutions",
}
_KINDS: Final = {"accepted": "accepted", "wrong_answer": "wrong"}


@with_flags(JudgeOptions)
def validate(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help="Definitions, folders of them, or names of test cases.",
            show_default="the suite",
        ),
    ] = None,
    run: Annotated[bool, typer.Option("--run/--no-run", help="Run the solutions too.")] = True,
    strict: Annotated[
        bool, typer.Option("--strict/--no-strict", help="Fail on warnings too, or on errors alone.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
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
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Keep the strengths there, beside those of others."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Look again after each save, with a judge that stays warm.")
    ] = False,
    julia: JuliaNames = None,
    **judging: Any,
) -> None:
    """Check definitions: their shape, and that the reference solution passes every example and test.

    The submissions beside a definition run too: those in submissions/accepted have to pass everything, those
    in submissions/wrong_answer have to fail a unit test, and that in each of their --repeats.

    With --strength, valid ones are also tried with mutants (the solution with one small fault each), with
    cheats, and with repeats in another order.

    An error makes judging impossible: other commands leave such a definition out. A warning is anything else
    that should be fixed; other commands count them in one line, and go on.

    Exit code: 0 all valid, 1 some have errors, have warnings (not with --no-strict) or are not strong enough,
    2 some cannot be read. Those that need a package this Julia does not have are told of, and decide only if
    there are no others.
    """
    from ..judge.backends import judges_at_once
    from ..suite.strength.measure import Options
    from ..suite.validate import validate_all

    if strength and not run:
        raise InputError("--strength runs the solutions, and --no-run forbids it; leave one of them out")
    if julia and (strength or not run):
        raise InputError(
            "--julia says where solutions run: it goes neither with --strength nor with --no-run"
        )
    if watch and (strength or julia or as_json):
        raise InputError(
            "--watch is for a person who saves: it goes with none of --strength, --julia, --json"
        )
    wanted = JudgeOptions.of(**judging)
    if julia and wanted.engine != "local":
        raise InputError("--julia is for Julias of this machine; leave it or --engine ray out")
    if repeats is None:
        repeats = Options().repeats if strength else 1
    options = Options(
        seconds=mutant_timeout,
        reference_seconds=wanted.timeout,
        max_mutants=max_mutants,
        repeats=repeats,
        seed=seed,
        workers=judges_at_once(wanted),
    )
    places = _meant(paths or [])
    if julia:
        from .validate_julias import Course, validate_on_each

        course = Course(paths=places, judging=wanted, repeats=repeats)
        raise typer.Exit(validate_on_each(julia, course, strict=strict, as_json=as_json))
    if watch:
        from .validate_watch import WarmJudge
        from .validate_watch import watch as watch_files

        def make(packages: Packages) -> Judge:
            from ..judge.backends import open_judge

            return open_judge(wanted, packages=packages, on_note=error_console().print)

        tell = partial(show, environment=wanted.environment)
        watch_files(places, WarmJudge(make), run=run, repeats=repeats, tell=tell)
        return
    with ExitStack() as stack:
        judges = _Judges(stack, wanted, measuring=strength)
        with progress("solutions run", None) as judges.status:
            reports = validate_all(
                places,
                start_judge=judges.start,
                run=run,
                repeats=repeats,
                on_progress=judges.status.update,
            )
        if not as_json:
            show(reports, measuring=strength, environment=wanted.environment)
        look = StrengthCommand(bars=Bars(each=bar, overall=overall_bar), save=save, quiet=as_json)
        valid = _valid_cases(reports, strict=strict) if strength else []
        measured = look.measure(valid, options, judges.latest) if strength else []
    if as_json:
        document = as_document(reports, strict=strict) | (
            {"strength": look.document(measured)} if strength else {}
        )
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
    raise typer.Exit(exit_code(reports, strict=strict) or int(not look.satisfied(measured)))


def _meant(paths: Sequence[Path]) -> Sequence[Path]:
    """What is to be validated: a path that leads nowhere may be the name of a test case of the suite."""
    from ..suite.suite import Suite

    if not paths:
        return [tell_suite()]
    if all(path.exists() or path.suffix for path in paths):
        return paths
    suite = Suite.below(tell_suite())
    found = {path: [] if path.exists() else suite.find(path.as_posix()) for path in paths}
    return [file for path, files in found.items() for file in files or [path]]


class _Judges:
    """Starts the one judge that validation and the look at strength share."""

    def __init__(self, stack: ExitStack, options: JudgeOptions, *, measuring: bool) -> None:
        self._stack, self._options, self._measuring = stack, options, measuring
        self.latest: Judge | None = None
        self.status: Status

    def start(self, runs: int, packages: Packages) -> AbstractContextManager[Judge]:
        from ..judge.backends import open_judge

        answers = None if self._measuring else runs
        judge = open_judge(
            self._options, answers=answers, packages=packages, stay_warm=True, on_note=error_console().print
        )
        self.latest = self.status.judge = self._stack.enter_context(judge)
        return nullcontext(judge)


def _valid_cases(reports: Sequence[ValidationReport], *, strict: bool) -> list[TestCase]:
    """Those that pass, and whose reference solution does: mutants of a wrong one would tell nothing."""
    from ..suite.load import load_definition
    from ..suite.validation_report import RunProblem

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
        "decided_by_answers": report.decided_by_answers,
        "submissions": [_as_submission(result) for result in report.submissions],
    }


def _as_submission(result: SubmissionResult) -> dict[str, Any]:
    fields = ("name", "kind", "ok", "passed", "listed", "left_out_because")
    return {name: getattr(result, name) for name in fields}


def _as_problem(problem: Problem) -> dict[str, Any]:
    row = {name: getattr(problem, name) for name in ("severity", "field", "what", "repair", "code")}
    return row | {"line": getattr(problem, "line", None)}


def show(
    reports: Sequence[ValidationReport],
    *,
    measuring: bool = False,
    environment: Path | None = None,
    julia: Path | None = None,
) -> None:
    """For a person: one line a file, the problems of each below it, a sum, and what to do next.

    `environment` is the one that was asked for, `julia` the one that judged where there are several.
    """
    console = output_console()
    console.soft_wrap = True  # a path or an error is not broken where it ends up in a log
    for report in reports:
        _show_report(console, report)
        if report.missing_packages:
            console.print(f"    -> {safe_text(_install(report, environment, julia))}", highlight=False)
    counts = {status: sum(report.status == status for report in reports) for status in _LABELS}
    told = ", ".join(f"{count} {_LABELS[status][0]}" for status, count in counts.items() if count)
    console.print(f"{len(reports)} definition{'s' * (len(reports) != 1)}: {told}", style="bold")
    if len(reports) == 1 and not measuring and (advice := _next_step(reports[0])):
        console.print(f"Next: {advice}", style="dim")


def _next_step(report: ValidationReport) -> str:
    """What the author of one definition does now; "" where its problems say so already."""
    if report.execution is None or not report.valid:
        return ""
    from ..suite.requirements import FEWEST_SUBMISSIONS

    folder = Path(shown_path(report.path.parent if report.path else None))
    kinds = [result.kind for result in report.submissions if not result.left_out_because]
    lacking = {kind: fewest - kinds.count(kind) for kind, fewest in FEWEST_SUBMISSIONS.items()}
    for kind, count in lacking.items():
        if count > 0:
            more = "one more" if kind in kinds else _NUMBERS.get(count, str(count))
            what = f"{more} {_SOLUTIONS[kind.value]}".replace("solutions", "solution" + "s" * (count != 1))
            return safe_text(f"put {what} into {folder}/submissions/{kind}/")
    strengths = str(folder.parent.parent / "strength.json")
    words = ["validate", str(folder), "--strength", "--repeats", "20", "--save", strengths]
    return safe_text(f"see whether its tests notice small faults:\n  {command(*words)}")


def _show_report(console: Console, report: ValidationReport) -> None:
    from rich.text import Text

    label, style = _LABELS[report.status]
    ran = Text(_ran(report), style="dim")
    console.print(Text.assemble((label, style), "  ", safe_text(str(shown_path(report.path))), ran))
    for problem in report.problems:
        _show_problem(console, problem)
    if own := report.decided_by_answers:
        told = f"  {own} unit tests can only be decided by the answer's own types, which may forge them:"
        console.print(Text(f"{told} compare plain values where you can (decided_by)", style="yellow"))
    if report.unchecked_because:
        console.print(Text(f"  {safe_text(report.unchecked_because)}"))


def _install(report: ValidationReport, environment: Path | None, julia: Path | None) -> str:
    """The command that installs the packages of a definition, and lists them in its suite's Project.toml."""
    from ..judge.toolchain.environment import environment_above
    from ..suite.requirements import is_bundled

    if environment is None and report.path:
        if is_bundled(report.path):  # set-up adds what the bundled suite does not list yet
            return install_command((), None, julia)
        own = environment_above(report.path) or report.path.absolute().parents[2]
        environment = Path(shown_path(own))
    return install_command(report.missing_packages, environment, julia)


def _ran(report: ValidationReport) -> str:
    """What the word valid rests on: ` (19 tests, 2 accepted, 5 wrong submissions)`; "" if nothing ran."""
    if report.execution is None or not report.valid:
        return ""
    tests = len(report.execution.of_kind(BlockKind.UNIT_TEST))
    kinds = [result.kind.value for result in report.submissions if not result.left_out_because]
    told = [f"{kinds.count(kind)} {word}" for kind, word in _KINDS.items() if kind in kinds]
    if told:
        told[-1] += " submission" + "s" * (len(kinds) != 1)
    newer = len(report.submissions) - len(kinds)
    left_out = [f"{newer} for a newer Julia left out"] if newer else []
    return f" ({', '.join([f'{tests} test' + 's' * (tests != 1), *told, *left_out])})"


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
