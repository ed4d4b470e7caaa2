"""`codejury verify`: whether the stored verdicts of a submission can be trusted."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..options import JudgeOptions
from ..records import Packages
from .option_flags import with_flags
from .progress import progress
from .render import error_console, many, safe_text, tell_notes, tell_suite
from .stored import (
    CaseGlobs,
    Definitions,
    Folder,
    ModelGlobs,
    NotCaseGlobs,
    PromptGlobs,
    chosen_answers,
    wide_console,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..exchange.verify import Review, VerifyReport
    from ..judge.judge import Judge


@with_flags(JudgeOptions)
def verify(
    folder: Folder,
    pick: Annotated[
        int, typer.Option("--sample", min=0, metavar="N", help="Answers to judge again, drawn at random.")
    ] = 100,
    seed: Annotated[
        int | None, typer.Option(help="Draws the same answers again.", show_default="another one each time")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Judge all answers again.")] = False,
    expected: Annotated[
        int | None,
        typer.Option(
            "--expect-samples",
            min=1,
            metavar="N",
            help="Samples that each test case must have.",
            show_default="what the runs wanted, or as many as the fullest test case has",
        ),
    ] = None,
    definitions: Definitions = None,
    model: ModelGlobs = None,
    prompt: PromptGlobs = None,
    case: CaseGlobs = None,
    not_case: NotCaseGlobs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    **judging: Any,
) -> None:
    """Check stored answers and verdicts, for whoever reviews a submission.

    All files are checked: well-formed, complete, not doubled, true to their place and their definition, their
    scores following from what they say happened, and for each model, prompt, strategy and parameters as many
    samples of every test case. Then some answers, or all, are judged again: the verdict must come out.

    Name the definitions you trust with --definitions: a submission could bring its own.

    Exit code: 0 nothing is wrong; 1 something is; 2 bad input.
    """  # fmt: skip
    from ..exchange.case_lookup import lookup_for
    from ..exchange.verify import Review

    review = Review(
        root=folder,
        lookup=lookup_for(folder, definitions or tell_suite(folder)),
        wanted=chosen_answers(model, prompt, case, not_case),
        pick=None if full else pick,
        seed=secrets.randbelow(2**31) if seed is None else seed,
        expected=expected,
    )
    report = carry_out(review, JudgeOptions.of(**judging))
    left_out = tell_notes(review.lookup.notes())
    if as_json:
        typer.echo(json.dumps(as_document(report), indent=2))
    else:
        show(wide_console(), report)
    raise typer.Exit(int(bool(report.findings) or left_out))


def carry_out(review: Review, options: JudgeOptions) -> VerifyReport:
    """Review with as many workers as there is work for; Ctrl-C ends it without a result."""
    from ..exchange.verify import verify as verified

    def start(packages: Packages, times: int) -> AbstractContextManager[Judge]:
        from ..judge.backends import open_judge

        wanted, answers = options, review.pick
        if times > 1:  # alone, so that nothing else takes the time of an answer
            wanted, answers = options.with_times(times), 1
        judge = open_judge(wanted, answers=answers, packages=packages, on_note=error_console().print)
        status.judge = judge
        return judge

    with progress("judged again", review.pick) as status:
        return verified(
            review, start, on_progress=lambda so_far: status.update(so_far.judged, so_far.to_judge)
        )


def as_document(report: VerifyReport) -> dict[str, Any]:
    """The report as JSON."""
    return {
        "good": not report.findings,
        "seed": report.seed,
        "samples": report.samples,
        "models": sorted(report.models),
        "reproducible": report.reproducible,
        "judged": report.judged,
        "reproduced": report.reproduced,
        "second_try": report.second_try,
        "slower": report.slower,
        "wanted_cases": report.wanted_cases,
        "suite_cases": report.suite_cases,
        "faults": dict(Counter(finding.fault.value for finding in report.findings)),
        "findings": [asdict(finding) for finding in report.findings],
    }


def show(console: Console, report: VerifyReport) -> None:
    """The faults, then what was looked at, then the answer."""
    if report.findings:
        console.print(_table(report), "")
    console.print(
        f"{many(report.samples, 'sample')} of {many(len(report.models), 'model')}; "
        f"{many(report.reproducible, 'verdict')} can be judged again."
    )
    told = f"{report.judged} judged again (seed {report.seed}): {report.reproduced} came out"
    if report.second_try:
        told += f", {report.second_try} of them at the second look"
    if report.slower:
        told += f", {report.slower} ran out of time only where they were judged first"
    console.print(f"{told}.")
    if 0 < report.wanted_cases < report.suite_cases:
        console.print(
            f"The runs wanted {report.wanted_cases} of {report.suite_cases} test cases (wanted.json); "
            "--expect-samples demands all."
        )
    if not report.findings:
        console.print("Nothing is wrong.", style="bold green")
        return
    _show_sums(console, report)


def _table(report: VerifyReport) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("fault", style="bold red", no_wrap=True)
    table.add_column("where", overflow="fold")
    table.add_column("what", overflow="fold")
    for finding in report.findings:
        table.add_row(
            finding.fault.value,
            safe_text(finding.where, one_line=True),
            safe_text(finding.what, one_line=True),
        )
    return table


def _show_sums(console: Console, report: VerifyReport) -> None:
    from ..exchange.sample_checks import TOLD

    for fault, count in Counter(finding.fault for finding in report.findings).most_common():
        console.print(f"{count} {fault.value}: {TOLD[fault]}", style="red")
