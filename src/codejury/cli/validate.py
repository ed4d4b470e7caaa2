"""`codejury validate`: tells whether definitions are fit for the exam."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..records import BlockKind, Limits
from .render import error_console, output_console, safe_text

if TYPE_CHECKING:
    from rich.console import Console

    from ..errors import Problem
    from ..judge import Judge
    from ..validation import SubmissionResult, ValidationReport

_LABELS: Final = {
    "valid": ("valid", "green"),
    "invalid": ("not valid", "bold red"),
    "unchecked": ("cannot be checked here", "bold yellow"),
    "unreadable": ("cannot be read", "bold red"),
}

_KINDS: Final = {"accepted": "accepted", "wrong_answer": "wrong"}


def validate(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", help="Definitions, or folders of them.", show_default="the suite"),
    ] = None,
    run: Annotated[bool, typer.Option("--run/--no-run", help="Run the solutions too.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds for the solution, and for each example and test.")
    ] = Limits().seconds,
    allow_unsafe: Annotated[
        bool, typer.Option("--allow-unsafe", help="Run even where no sandbox can be had.")
    ] = False,
) -> None:
    """Check definitions: their shape, and that the reference solution passes every example and test.

    The submissions beside a definition run too: those in submissions/accepted have to pass everything, those
    in submissions/wrong_answer have to fail a unit test.

    Exit code: 0 all valid, 1 some are not valid or cannot be checked here, 2 some cannot be read.

    \b
    Examples:
      codejury validate
      codejury validate code_generation/strings_and_text
      codejury validate my_cases/strings/wrap_words --no-run
      codejury validate --json > report.json
    """  # noqa: D301 - the character keeps the lines below it apart
    from ..validation import validate_all

    def start_judge(workers: int, packages: Sequence[str]) -> Judge:
        from ..judge import Judge

        limits = Limits(seconds=timeout)
        return Judge(workers=workers, limits=limits, allow_unsafe=allow_unsafe, packages=packages)

    with _progress() as on_progress:
        reports = validate_all(paths or [], start_judge=start_judge, run=run, on_progress=on_progress)
    if as_json:
        typer.echo(json.dumps(as_document(reports), indent=2, ensure_ascii=False))
    else:
        show(reports)
    raise typer.Exit(exit_code(reports))


def exit_code(reports: Sequence[ValidationReport]) -> int:
    """0 all valid, 1 some are not, 2 some could not even be read."""
    if not all(report.readable for report in reports):
        return 2
    return 0 if all(report.valid for report in reports) else 1


def as_document(reports: Sequence[ValidationReport]) -> dict[str, Any]:
    """The JSON form; `valid` of a file is null where it cannot be checked here."""
    return {
        "valid": all(report.valid for report in reports),
        "files": [_as_row(report) for report in reports],
    }


def _as_row(report: ValidationReport) -> dict[str, Any]:
    return {
        "path": str(report.path),
        "status": report.status.value,
        "valid": None if report.status == "unchecked" else report.valid,
        "problems": [_as_problem(problem) for problem in report.problems],
        "missing_packages": list(report.missing_packages),
        "unchecked_because": report.unchecked_because,
        "submissions": [_as_submission(result) for result in report.submissions],
    }


def _as_submission(result: SubmissionResult) -> dict[str, Any]:
    return {name: getattr(result, name) for name in ("name", "kind", "ok", "passed", "listed")}


def _as_problem(problem: Problem) -> dict[str, Any]:
    row = {name: getattr(problem, name) for name in ("field", "what", "repair", "code")}
    return row | {"line": getattr(problem, "line", None)}


def show(reports: Sequence[ValidationReport]) -> None:
    """For a person: one line a file, the problems of each below it, and a sum at the end."""
    console = output_console()
    console.soft_wrap = True  # a path or an error is not broken where it ends up in a log
    for report in reports:
        _show_report(console, report)
    counts = {status: sum(report.status == status for report in reports) for status in _LABELS}
    told = ", ".join(f"{count} {_LABELS[status][0]}" for status, count in counts.items() if count)
    console.print(f"{len(reports)} definition{'s' * (len(reports) != 1)}: {told}", style="bold")


def _show_report(console: Console, report: ValidationReport) -> None:
    from rich.text import Text

    label, style = _LABELS[report.status]
    ran = Text(_ran(report), style="dim")
    console.print(Text.assemble((label, style), "  ", safe_text(str(_shown(report.path))), ran))
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
    console.print(Text.assemble("  ", (safe_text(problem.field), "bold"), f": {what}"))
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


def _shown(path: Path | None) -> Path | str:
    """The path from here if it is below this folder, as it is otherwise."""
    if path is None:
        return ""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr while solutions run; nothing where stderr is no terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = error_console()
    columns = (TextColumn("Running solutions"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None, visible=False)
        yield lambda done, total: bar.update(task, completed=done, total=total, visible=True)
