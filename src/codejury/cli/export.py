"""`codejury export`: stored answers as lines for other tools."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .render import error_console, safe_text
from .stored import CaseGlobs, Folder, ModelGlobs, NotCaseGlobs, PromptGlobs, chosen_answers

if TYPE_CHECKING:
    from ..exchange.export import Selection


_STDOUT = "-"


def export(
    folder: Folder,
    form: Annotated[
        str, typer.Option("--format", metavar="jsonl|openai-chat", help="What the lines look like.")
    ] = "jsonl",
    min_score: Annotated[
        float | None, typer.Option(min=0, max=100, help="Only answers with at least this score.")
    ] = None,
    passed: Annotated[
        bool, typer.Option("--passed", help="Only answers that passed all unit tests.")
    ] = False,
    model: ModelGlobs = None,
    prompt: PromptGlobs = None,
    case: CaseGlobs = None,
    not_case: NotCaseGlobs = None,
    output: Annotated[
        str, typer.Option("--output", metavar="FILE", help="Where the lines go, - for stdout.")
    ] = _STDOUT,
) -> None:
    """Write stored answers as JSON lines, in the order of their files.

    `jsonl` is what `codejury judge` and `codejury import` read: `task_id` and `completion`, with what was
    asked of whom and the verdict. `openai-chat` is `{"messages": [...]}`, the whole conversation, for
    training.

    Exit code: 0 done; 1 some files could not be read, and their answers are missing; 2 bad input.
    """
    from ..errors import InputError
    from ..exchange.export import ExportForm, Selection, write_lines

    if form not in list(ExportForm):
        raise InputError(f"--format {form}: is none; there are: {', '.join(ExportForm)}")
    wanted = chosen_answers(model, prompt, case, not_case)
    selection = Selection(form=ExportForm(form), wanted=wanted, min_score=min_score, passed=passed)
    problems: list[str] = []
    lines = _lines(folder, selection, problems)
    if output == _STDOUT:
        for line in lines:
            sys.stdout.write(f"{line}\n")
    else:
        count = write_lines(Path(output), lines)
        error_console().print(f"{count} lines in {safe_text(output)}")
    raise typer.Exit(int(bool(problems)))


def _lines(folder: Path, selection: Selection, problems: list[str]) -> Iterator[str]:
    """The lines; problems are told as they come, and counted."""
    from ..exchange.export import export_lines

    for exported in export_lines(folder, selection):
        if exported.problem:
            problems.append(exported.problem)
            error_console().print(f"left out: {safe_text(exported.problem)}", style="yellow")
        else:
            yield exported.line
