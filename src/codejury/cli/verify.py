"""`codejury verify`: whether the stored verdicts of a submission can be trusted."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..records import Limits
from .progress import progress
from .render import many, safe_text, tell_notes
from .stored import (
    DEFAULTS,
    AllowUnsafe,
    AnswerTimeout,
    Cases,
    Definitions,
    Folder,
    Memory,
    Models,
    Timeout,
    Workers,
    wanted_answers,
    wide_console,
    worker_count,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..judge import Judge
    from ..rejudging import Report, Review


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
    models: Models = None,
    cases: Cases = None,
    workers: Workers = None,
    timeout: Timeout = DEFAULTS.seconds,
    answer_timeout: AnswerTimeout = DEFAULTS.answer_seconds,
    memory: Memory = DEFAULTS.memory_mb,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    allow_unsafe: AllowUnsafe = False,
) -> None:
    """Check stored answers and verdicts, for whoever reviews a submission.

    All files are checked: well-formed, complete, not doubled, true to their place and their definition, their
    scores following from what they say happened, and for each model, prompt, strategy and parameters as many
    samples of every test case. Then some answers, or all, are judged again: the verdict must come out.

    Name the definitions you trust with --definitions: a submission could bring its own.

    Exit code: 0 nothing is wrong; 1 something is; 2 bad input.
    """  # fmt: skip
    from ..rejudging import Review, exam_for

    review = Review(
        root=folder,
        exam=exam_for(folder, definitions),
        wanted=wanted_answers(models, cases),
        pick=None if full else pick,
        seed=secrets.randbelow(2**31) if seed is None else seed,
        expected=expected,
    )
    limits = Limits(seconds=timeout, answer_seconds=answer_timeout, memory_mb=memory)
    report = carry_out(review, limits, workers, allow_unsafe=allow_unsafe)
    left_out = tell_notes(review.exam.notes())
    if as_json:
        typer.echo(json.dumps(as_document(report), indent=2))
    else:
        show(wide_console(), report)
    raise typer.Exit(int(bool(report.findings) or left_out))


def carry_out(review: Review, limits: Limits, workers: int | None, *, allow_unsafe: bool) -> Report:
    """Review with as many workers as there is work for; Ctrl-C ends it without a result."""
    from ..rejudging import verify as verified

    count = worker_count(workers, review.pick if review.pick is not None else 1_000_000)

    def start(*, packages: tuple[str, ...], patience: int) -> AbstractContextManager[Judge]:
        from ..judge import Judge

        # A second look is taken alone, so that nothing else takes the time of an answer.
        patient = replace(
            limits,
            seconds=limits.seconds * patience,
            answer_seconds=limits.answer_seconds * patience,
        )
        alone = count if patience == 1 else 1
        judge = Judge(workers=alone, limits=patient, allow_unsafe=allow_unsafe, packages=packages)
        status.judge = judge
        return judge

    with progress("judged again", review.pick) as status:
        return verified(
            review,
            start,
            workers=count,
            on_progress=lambda so_far: status.update(so_far.judged, so_far.to_judge),
        )


def as_document(report: Report) -> dict[str, Any]:
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


def show(console: Console, report: Report) -> None:
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


def _table(report: Report) -> Table:
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


def _show_sums(console: Console, report: Report) -> None:
    from ..rejudging.findings import TOLD

    for fault, count in Counter(finding.fault for finding in report.findings).most_common():
        console.print(f"{count} {fault.value}: {TOLD[fault]}", style="red")
