"""`codejury power`: what a planned benchmark could resolve."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from .result_cells import plain_columns
from .result_output import (
    FOR_PROGRAMS,
    Format,
    FormatOption,
    print_document,
    print_notes,
    print_pivot,
    print_rows,
)
from .results import Filters, load_selected, tell

if TYPE_CHECKING:
    import polars as pl

    from ..analysis import Spread

_CASES: Final = (10, 14, 20, 40, 80, 160)
_SAMPLES: Final = (1, 3, 5, 10, 25)


def power(
    cases: Annotated[
        list[int] | None,
        typer.Option(metavar="N", min=1, help="Test cases; repeatable.", show_default="10 to 160"),
    ] = None,
    samples: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Answers of each model to each test case, over all prompts; repeatable.",
            show_default="1 to 25",
        ),
    ] = None,
    probability: Annotated[
        float, typer.Option("--power", metavar="P", help="How often the difference should be found.")
    ] = 0.8,
    root: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Take the spreads from the results in this folder.",
            show_default="typical values",
        ),
    ] = None,
    between: Annotated[
        float | None,
        typer.Option(
            metavar="SD",
            min=0,
            help="Spread of two models' true difference over test cases.",
            show_default="15",
        ),
    ] = None,
    within: Annotated[
        float | None,
        typer.Option(
            metavar="SD", min=0, help="Spread of the score over answers to one question.", show_default="25"
        ),
    ] = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """Tell the smallest difference of two models that a planned benchmark could resolve.

    In points of the score, for each number of test cases and of samples: a true difference of this size is
    found (p <= 0.05) with 80 % probability. Spreads are standard deviations, in points.

    Exit code: 0 done; 2 bad input.
    """
    from ..analysis import power as resolvable

    spread = _spread(root, between, within)
    table = resolvable(cases or _CASES, samples or _SAMPLES, spread=spread, power=probability)
    notes = _notes(spread, probability, small=bool(table["difference"].null_count()))
    if style in FOR_PROGRAMS:
        print_rows(table, style)
    elif style is Format.TABLE:
        print_pivot(plain_columns(_across(table)), wide=False)
    else:
        print_document(plain_columns(_across(table)), style)
    (print_notes if style is Format.TABLE else tell)(notes)


def _spread(root: Path | None, between: float | None, within: float | None) -> Spread:
    from ..analysis import TYPICAL, spread_of

    found = spread_of(load_selected(root, Filters())[1]) if root else TYPICAL
    if between is not None:
        found = replace(found, between=between)
    return found if within is None else replace(found, within=within)


def _across(table: pl.DataFrame) -> pl.DataFrame:
    """Test cases down, samples across."""
    import polars as pl

    words = pl.col("samples").map_elements(
        lambda count: f"{count} sample{'s' * (count != 1)}", return_dtype=pl.String
    )
    wide = table.with_columns(words).pivot("samples", index="cases", values="difference")
    return wide.rename({"cases": "test cases"}).cast({"test cases": pl.String})


def _notes(spread: Spread, probability: float, *, small: bool) -> list[str]:
    few = ["n/a: with five test cases or fewer even winning all of them has p > 0.05."] if small else []
    return [
        f"Points of difference found with {100 * probability:g} % probability. Samples are answers of each "
        "model to each test case.",
        f"Spread: {spread.between:.1f} between test cases, {spread.within:.1f} between answers to one "
        f"question ({spread.source}).",
        *few,
    ]
