"""A table of results in the format that was asked for: for people, for documents, for programs.

table, markdown, html    columns with headings and rounded numbers
csv, json                the frame itself: unrounded, empty or null where unknown
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from html import escape
from typing import TYPE_CHECKING, Annotated, Final

import typer

from .render import output_console, safe_text
from .result_cells import TableColumn, broken, fitting, names_broken, portions

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console
    from rich.table import Table


class Format(StrEnum):
    """How a table is printed."""

    TABLE = "table"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"
    HTML = "html"


FormatOption = Annotated[
    Format, typer.Option("--format", help="For people, for a document, or for a program (csv, json).")
]
Wide = Annotated[bool, typer.Option("--wide", help="Show all columns, however wide the terminal is.")]

FOR_PROGRAMS: Final = (Format.CSV, Format.JSON)
_ENDLESS: Final = 10_000


def print_rows(table: pl.DataFrame, style: Format) -> None:
    """For programs: the rows as they are."""
    if style is Format.JSON:
        typer.echo(json.dumps(table.to_dicts(), indent=2, ensure_ascii=False))
    else:
        typer.echo(table.write_csv(), nl=False)


def print_document(columns: Sequence[TableColumn], style: Format) -> None:
    """For documents: markdown or HTML, with all columns."""
    typer.echo(_html(columns) if style is Format.HTML else _markdown(columns))


def print_board(columns: Sequence[TableColumn], *, wide: bool, breaks: Sequence[int] = ()) -> list[str]:
    """For a terminal: what fits, with a line after so many rows. Returns a note on what does not fit."""
    console = console_for(wide=wide)
    kept, dropped = fitting(columns, console.width)
    console.print(rich_table(kept, breaks))
    names = ", ".join(column.heading.replace("\n", " ") for column in dropped)
    return [f"Left out for want of room (--wide shows all): {names}."] if dropped else []


def print_pivot(columns: Sequence[TableColumn], *, wide: bool) -> None:
    """For a terminal: a pivot can have any number of columns, so what does not fit goes below."""
    console = console_for(wide=wide)
    for number, part in enumerate(portions(_narrowed(columns), console.width)):
        if number:
            console.print()
        console.print(rich_table(names_broken(part, console.width)))


def print_plain(columns: Sequence[TableColumn], style: Format, *, wide: bool) -> None:
    """For people: a table without ranks, in a terminal or a document."""
    if style is Format.TABLE:
        print_pivot(columns, wide=wide)
    else:
        print_document(columns, style)


def console_for(*, wide: bool) -> Console:
    """As wide as the terminal, 80 columns where there is none."""
    console = output_console()
    if wide:
        console.width = _ENDLESS
    return console


def print_notes(notes: Sequence[str]) -> None:
    """Remarks below a table."""
    console = output_console()
    if notes:
        console.print()
    for note in notes:
        console.print(safe_text(note), style="dim")


def rich_table(columns: Sequence[TableColumn], breaks: Sequence[int] = ()) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(
            Text(column.heading),
            justify="left" if column.is_name else "right",
            overflow="fold",
            no_wrap=not column.is_name,
        )
    for number, row in enumerate(zip(*(column.cells for column in columns), strict=True)):
        if number in breaks:
            table.add_row(*("─" * column.width for column in columns))
        table.add_row(*(Text(cell) for cell in row))
    return table


def _narrowed(columns: Sequence[TableColumn], most: int = 12) -> list[TableColumn]:
    """Headings of a pivot can be long names, too."""
    first, rest = columns[0], columns[1:]
    return [first, *(replace(column, heading=broken(column.heading, most)) for column in rest)]


def _markdown(columns: Sequence[TableColumn]) -> str:
    headings = [column.heading.replace("\n", " ") for column in columns]
    rows = [headings, *zip(*(column.cells for column in columns), strict=True)]
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    rule = "|" + "|".join("---" if column.is_name else "---:" for column in columns) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def _html(columns: Sequence[TableColumn]) -> str:
    """A table without any style: it takes on that of the page it is put in."""

    def line(tag: str, cells: Sequence[str]) -> str:
        styles = ["" if column.is_name else ' style="text-align: right"' for column in columns]
        inner = "".join(
            f"<{tag}{style}>{escape(cell)}</{tag}>" for cell, style in zip(cells, styles, strict=True)
        )
        return f"<tr>{inner}</tr>"

    head = line("th", [column.heading.replace("\n", " ") for column in columns])
    body = "\n".join(line("td", row) for row in zip(*(column.cells for column in columns), strict=True))
    return f"<table>\n<thead>\n{head}\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>"
