"""`codejury power`: what a planned benchmark could resolve."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..errors import InputError
from ..records import Metric
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
from .results import Definitions, Filters, Kinds, Levels, load_selected, tell

if TYPE_CHECKING:
    import polars as pl

    from ..results.statistics.power import Spread


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
    definitions: Definitions = None,
    level: Levels = None,
    kind: Kinds = None,
    metric: Annotated[
        Metric | None,
        typer.Option(help="What decides.", show_default="solved with --root, else score"),
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
        typer.Option(metavar="SD", min=0, help="Spread over answers to one question.", show_default="25"),
    ] = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """Tell the smallest difference of two models that a planned benchmark could resolve.

    In points of the metric, for each number of test cases and of samples: a true difference of this size is
    found (p <= 0.05) with 80 % probability. Spreads are standard deviations, in points. With --root they are
    those of stored results, of one level or kind where you name it: hard test cases separate strong models.

    Exit code: 0 done; 2 bad input.
    """
    from ..results.statistics.power import power as resolvable

    filters = Filters(levels=level, kinds=kind, definitions=definitions)
    metric = metric or (Metric.SOLVED if root else Metric.SCORE)
    if not root and (level or kind or (metric is Metric.SOLVED and None in (between, within))):
        raise InputError(
            "typical spreads are known for the score of all test cases alone; "
            "name a folder of results with --root, or give --between and --within"
        )
    spread = _spread(root, filters, metric, between, within)
    table = resolvable(cases or _CASES, samples or _SAMPLES, spread=spread, power=probability)
    notes = _notes(spread, metric, probability, small=bool(table["difference"].null_count()))
    if style in FOR_PROGRAMS:
        print_rows(table, style)
    elif style is Format.TABLE:
        print_pivot(plain_columns(_across(table)), wide=False)
    else:
        print_document(plain_columns(_across(table)), style)
    (print_notes if style is Format.TABLE else tell)(notes)


def _spread(
    root: Path | None, filters: Filters, metric: Metric, between: float | None, within: float | None
) -> Spread:
    from ..results.statistics.power import TYPICAL, spread_of

    found = spread_of(load_selected(root, filters)[1], metric) if root else TYPICAL
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


def _notes(spread: Spread, metric: Metric, probability: float, *, small: bool) -> list[str]:
    few = ["n/a: with five test cases or fewer even winning all of them has p > 0.05."] if small else []
    return [
        f"Points of difference in {metric} found with {100 * probability:g} % probability. Samples are "
        "answers of each model to each test case.",
        f"Spread: {spread.between:.1f} between test cases, {spread.within:.1f} between answers to one "
        f"question ({spread.source}).",
        *few,
    ]
