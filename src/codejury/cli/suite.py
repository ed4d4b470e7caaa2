"""`codejury suite`: the test cases of a suite, how strong they are and how they fare."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from ..files import overwrite
from ..program import command
from .render import NARROW, many, output_console, safe_text, tell_notes, tell_suite

if TYPE_CHECKING:
    from ..records import TestCase
    from ..suite.strength.page import ItemValue, SuiteCase


def suite(
    root: Annotated[
        Path | None,
        typer.Argument(
            metavar="FOLDER",
            help="The folder of the suite.",
            show_default="code_generation here, else the bundled suite",
        ),
    ] = None,
    results: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Stored answers: adds how hard each case is.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE.md", help="Write the page there, as markdown.")
    ] = None,
    stubs: Annotated[
        bool,
        typer.Option(
            "--stubs", help="Judge an answer without content on each case, and keep its scores in the folder."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the test cases of a suite: category, strength, tests, length.

    Strengths are those that `codejury validate --strength --save FOLDER/strength.json` has kept. With
    --results also the mean score of the models, and the item-rest correlation: how well a case separates
    them.
    """
    from ..suite.strength.page import read_suite, suite_page
    from ..suite.suite import Suite

    folder = root or tell_suite()
    definitions = Suite.below(folder)
    cases = read_suite(folder, definitions)
    left_out = tell_notes(definitions.notes())
    if stubs:
        _measure_stubs(folder, definitions.usable())
        raise typer.Exit(int(left_out))
    items = _items(results) if results else {}
    if output:
        _write(output, suite_page(cases, items, linked=(output.parent / "strength.md").is_file()))
        typer.echo(f"Wrote {output}: {many(len(cases), 'test case')}")
    elif as_json:
        typer.echo(json.dumps([_as_row(case, items) for case in cases], indent=2, ensure_ascii=False))
    else:
        _show(cases, items)
    raise typer.Exit(int(left_out))


def _measure_stubs(folder: Path, cases: Sequence[TestCase]) -> None:
    """What an answer gets that returns nothing: the floor that the board measures the lift from."""
    from ..judge.judge import Judge
    from ..suite.stubs import measure_stubs, save_stubs
    from ..suite.suite import packages_of

    with Judge(packages=packages_of(cases)) as judge:
        entries = measure_stubs(cases, judge)
    file = save_stubs(entries, folder)
    typer.echo(f"Wrote {file}: {many(len(entries), 'test case')} of {len(cases)}")


def _items(results: Path) -> Mapping[str, ItemValue]:
    from ..results.index.load import load_evaluations
    from ..suite.strength.page import item_values

    return item_values(load_evaluations(results))


def _as_row(case: SuiteCase, items: Mapping[str, ItemValue]) -> dict[str, object]:
    item = items.get(case.name)
    return asdict(case) | {"results": asdict(item) if item else None}


def _show(cases: Sequence[SuiteCase], items: Mapping[str, ItemValue]) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    console = output_console()
    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1), collapse_padding=True)
    table.add_column("Test case", no_wrap=True)
    narrow = console.width < NARROW
    for heading in () if narrow else ("Level", "Kind"):
        table.add_column(heading)
    for heading in ("Strength", "Tests", "Lines", *(("Score", "Item-rest") if items else ())):
        table.add_column(heading, justify="right")
    for category, members in groupby(cases, key=lambda case: case.category):
        table.add_row(safe_text(category.replace("_", " "), one_line=True), style="bold")
        for case in members:
            cells = _cells(case, items)
            shown = [cells[0], *cells[3:]] if narrow else cells
            table.add_row(*(safe_text(cell, one_line=True) for cell in shown))
    console.print(table)
    among = len({case.category for case in cases})
    categories = "1 category" if among == 1 else f"{among} categories"
    console.print(f"{many(len(cases), 'test case')} in {categories}", style="bold")
    if any(not case.current for case in cases):
        measure = command("validate", "--strength", "--save", "code_generation/strength.json")
        console.print(
            f"- or *: not measured, or not since the definition changed.\n  -> {measure}",
            style="dim",
        )


def _cells(case: SuiteCase, items: Mapping[str, ItemValue]) -> list[str]:
    known = case.strength is not None and case.strength.strength is not None
    strength = f"{case.strength.strength:.1f} %" if case.strength and known else "-"
    cells = [f"  {case.name}", case.level, case.kind, strength + "*" * (known and not case.current)]
    cells += [str(case.tests), str(case.lines)]
    if items:
        item = items.get(case.name)
        cells += [f"{item.mean_score:.1f}" if item else "-"]
        cells += [f"{item.item_rest:.2f}" if item and item.item_rest is not None else "-"]
    return cells


def _write(file: Path, text: str) -> None:
    try:
        overwrite(file, text.encode())
    except OSError as exc:
        raise InputError(f"{file}: cannot be written: {exc.strerror}; name another file") from None
