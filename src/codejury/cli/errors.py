"""`codejury errors`: where points are lost, by kind of failure and by model, with answers to open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..program import command
from .render import error_console, output_console, safe_text
from .result_cells import TableColumn, count, decimal, name_column, percent
from .result_output import (
    FOR_PROGRAMS,
    Format,
    FormatOption,
    Wide,
    print_board,
    print_document,
    print_notes,
    print_pivot,
    print_rows,
)
from .result_plots import Plot
from .results import (
    Experiments,
    Filters,
    MaxHistory,
    Root,
    Since,
    Where,
    load_selected,
    tell,
)
from .stored import CaseGlobs, ModelGlobs, NotCaseGlobs, PromptGlobs

if TYPE_CHECKING:
    import polars as pl


_EVERYTHING: Final = "everything"


def errors(
    root: Root = None,
    model: ModelGlobs = None,
    case: CaseGlobs = None,
    not_case: NotCaseGlobs = None,
    prompt: PromptGlobs = None,
    experiment: Experiments = None,
    since: Since = "",
    max_history: MaxHistory = None,
    where: Where = "",
    examples: Annotated[
        int, typer.Option(min=0, metavar="N", help="Answers of each kind to open, with the reason.")
    ] = 1,
    style: FormatOption = Format.TABLE,
    wide: Wide = False,
    plot: Plot = None,
) -> None:
    """Tell where points are lost: each answer that lost some has one kind of failure, and a reason.

    Points are what a kind costs on average: all kinds together are what is missing to 100. Void answers are
    no failures; they are named apart. Of what the predecessor judged, no more is told than its files record.

    Markdown, HTML, CSV and JSON have a row for each model and kind. The page "Why answers fail" of the
    documentation explains the kinds.

    Exit code: 0 done; 2 bad input, or there are no results.
    """
    from ..results.failures.table import classified, summarised

    filters = Filters(models=model, prompts=prompt, cases=case, not_cases=not_case,
                      experiment=experiment, since=since,
                      max_history=max_history, where=where)  # fmt: skip
    folder, frame = load_selected(root, filters)
    failures = classified(frame, folder)
    table = summarised(failures, frame)
    if style in FOR_PROGRAMS:
        print_rows(table, style)
    elif style is Format.TABLE:
        _show(frame, failures, table, wide=wide)
        _show_examples(failures, folder, examples)
    else:
        print_document(_columns(table), style)
    (print_notes if style is Format.TABLE else tell)(_void_notes(frame))
    if plot:
        _draw(frame, table, folder, plot)


def _show(frame: pl.DataFrame, failures: pl.DataFrame, table: pl.DataFrame, *, wide: bool) -> None:
    """The kinds over all models, then how they are spread over the models."""
    import polars as pl

    from ..results.failures.table import spread_out, summarised

    judged = frame.filter(pl.col("outcome") != "void").height
    console = output_console()
    if failures.is_empty():
        console.print(f"None of the {judged:,} judged answers lost a point.")
        return
    console.print(f"{failures.height:,} of the {judged:,} judged answers lost points:\n")
    alone = pl.lit("").alias(_EVERYTHING)
    total = summarised(failures.with_columns(alone), frame.with_columns(alone), [_EVERYTHING])
    print_board([column for column in _columns(total) if column.heading != _EVERYTHING], wide=wide)
    if table["model"].n_unique() > 1:
        console.print("\nShare of each model's judged answers:\n")
        shares = spread_out(table)
        names = name_column(shares["model"])
        cells = (tuple(percent(value) for value in shares[kind].to_list()) for kind in shares.columns[1:])
        kinds = (
            TableColumn(heading=kind, cells=cell)
            for kind, cell in zip(shares.columns[1:], cells, strict=True)
        )
        print_pivot([names, *kinds], wide=wide)


def _columns(table: pl.DataFrame) -> list[TableColumn]:
    """A failure table as columns for people."""
    keys = table.columns[: table.columns.index("kind")]
    measures = (
        ("count", "answers", count),
        ("share", "of judged", percent),
        ("of_failures", "of failures", percent),
        ("points", "points", decimal),
    )
    return [
        *(name_column(table[key]) for key in keys),
        replace(name_column(table["label"]), heading="kind"),
        *(
            TableColumn(heading=heading, cells=tuple(write(value) for value in table[name].to_list()))
            for name, heading, write in measures
        ),
    ]


def _show_examples(failures: pl.DataFrame, folder: Path, most: int) -> None:
    """Some answers of each kind, the costliest kind first, with the command that opens them."""
    import polars as pl
    from rich.text import Text

    from ..results.failures.evidence import Kind

    if not most or failures.is_empty():
        return
    console = output_console()
    console.print("\nExamples:")
    kinds = (
        failures.group_by("kind").agg(pl.col("points").sum()).sort("points", "kind", descending=[True, False])
    )
    for kind in kinds["kind"].to_list():
        console.print(Text(f"\n{Kind(kind).label}", style="bold"))
        for row in failures.filter(pl.col("kind") == kind).sort("file").head(most).iter_rows(named=True):
            said = f"{row['model']}, {row['test_case']}: {row['why']}"
            console.print(Text(f"  {safe_text(said, one_line=True)}"), soft_wrap=True)
            opened = command("show", str(folder / row["file"]))
            console.print(Text(f"  {safe_text(opened, one_line=True)}", style="dim"), soft_wrap=True)


def _void_notes(frame: pl.DataFrame) -> list[str]:
    """What was not judged, and why: that is nobody's failure."""
    from ..results.failures.table import void_table

    reasons = void_table(frame.with_columns(frame["outcome"].alias(_EVERYTHING)), by=[_EVERYTHING])
    if reasons.is_empty():
        return []
    told = (
        f"{row['count']:,} × {row['void_reason'] or 'no reason recorded'}"
        for row in reasons.iter_rows(named=True)
    )
    return [f"Void, and not counted here: {'; '.join(told)}."]


def _draw(frame: pl.DataFrame, table: pl.DataFrame, folder: Path, file: Path) -> None:
    from ..report.plots import caption_of, failure_chart, save_chart

    chart = failure_chart(table, caption_of(frame, folder.name))
    error_console().print(f"Picture: {save_chart(chart, file)}")
