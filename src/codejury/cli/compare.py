"""`codejury compare`: two models against each other, and what would separate them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..records import Metric
from .render import output_console, safe_text
from .result_cells import interval, plain_columns
from .result_output import (
    Format,
    FormatOption,
    console_for,
    print_document,
    print_notes,
    print_rows,
    rich_table,
)
from .results import (
    Definitions,
    Experiments,
    Filters,
    Kinds,
    Levels,
    MaxHistory,
    MetricOption,
    Root,
    Seed,
    Since,
    Where,
    load_selected,
    tell,
)
from .stored import CaseGlobs, NotCaseGlobs, PromptGlobs

if TYPE_CHECKING:
    import polars as pl

    from ..results.statistics.compare import Comparison


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A model.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    metric: MetricOption = Metric.SOLVED,
    root: Root = None,
    definitions: Definitions = None,
    prompt: PromptGlobs = None,
    case: CaseGlobs = None,
    not_case: NotCaseGlobs = None,
    level: Levels = None,
    kind: Kinds = None,
    experiment: Experiments = None,
    since: Since = "",
    max_history: MaxHistory = None,
    where: Where = "",
    style: FormatOption = Format.TABLE,
    seed: Seed = 0,
) -> None:
    """Compare two models test case by test case.

    Shows the difference with its 95 % interval, who wins where, and how many test cases or samples would
    separate the two, if the difference stays what it is.

    Exit code: 0 done; 2 bad input, or a model has no results.
    """
    from ..results.statistics.compare import compare as compared
    from ..results.statistics.mixtures import mixtures
    from ..results.statistics.repairs import first_tries
    from ..results.statistics.select import select

    filters = Filters(prompts=prompt, cases=case, not_cases=not_case,
                      experiment=experiment, levels=level, kinds=kind,
                      since=since, max_history=max_history, where=where,
                      definitions=definitions)  # fmt: skip
    _, frame = load_selected(root, filters)
    result = compared(frame, a, b, metric=metric, seed=seed)
    mixed = [*result.notes, *mixtures(first_tries(select(frame, models=[a, b])))]
    match style:
        case Format.TABLE:
            _show(result)
            print_notes(mixed)
        case Format.JSON:
            typer.echo(json.dumps(as_document(result), indent=2, ensure_ascii=False))
            tell(mixed)
        case Format.CSV:
            print_rows(result.per_case, style)
            tell([*verdict(result), *mixed])
        case _:
            print_document(plain_columns(_titled(result)), style)
            tell([*verdict(result), *mixed])


def as_document(result: Comparison) -> dict[str, Any]:
    """A comparison as JSON; the test cases as a list of rows."""
    document = {field.name: getattr(result, field.name) for field in fields(result)}
    return {**document, "per_case": result.per_case.to_dicts(), "separated": result.separated}


def _titled(result: Comparison) -> pl.DataFrame:
    """The test cases under the models' names."""
    table = result.per_case.rename({"test_case": "test case"})
    return table.rename({"a": "A", "b": "B", "difference": "A - B"})


def _show(result: Comparison) -> None:
    console = output_console()
    unit = "% solved" if result.metric is Metric.SOLVED else "points"
    for letter, name, value in (("A", result.a, result.value_a), ("B", result.b, result.value_b)):
        console.print(f"{letter}  {value:5.1f} {unit}  {safe_text(name, one_line=True)}", style="bold")
    console.print()
    console_for(wide=False).print(rich_table(plain_columns(_titled(result))))
    console.print()
    for line in verdict(result):
        console.print(line)


def verdict(result: Comparison) -> Iterator[str]:
    """What it comes to, in sentences."""
    from ..results.statistics.mixtures import number_of

    span = interval(result.low, result.high)
    yield f"A - B: {result.difference:+.1f} points, 95 % interval {span}; p = {result.p_value:.2g}."
    answers = "1 answer" if result.samples == 1 else f"{result.samples:.3g} answers"
    yield (
        f"A wins {result.wins_a}, B wins {result.wins_b}, {result.ties} tied, "
        f"of {number_of(result.cases, 'test case')} with {answers} of each on average."
    )
    if result.separated:
        yield "The two differ: a difference this large is unlikely to be chance."
    else:
        yield "The two cannot be told apart by these results."
    yield from _on_the_board(result)
    if not result.separated:
        yield from _what_it_takes(result)


def _on_the_board(result: Comparison) -> Iterator[str]:
    """Why the board may say less: it looks at all pairs, where chance finds one that seems to differ."""
    from ..results.statistics.ranks import SIGNIFICANT

    if result.p_joint is None or result.ranked < 3:
        return
    sure = "is sure" if result.p_joint <= SIGNIFICANT else "is not sure"
    yield (
        f"That is of this pair alone. On the board of {result.ranked} models, corrected for all pairs, "
        f"their order {sure}: p = {result.p_joint:.2g}."
    )


def _what_it_takes(result: Comparison) -> Iterator[str]:
    from ..results.statistics.mixtures import number_of

    if result.cases_needed is None:
        yield "There is no difference that more test cases could confirm."
        return
    more = result.cases_needed - result.cases
    yield (
        f"If the true difference is {result.difference:+.1f}, about {result.cases_needed:,} test cases like "
        f"these ({more:,} more) would separate them, with 80 % power."
    )
    far = result.high if result.difference > 0 else result.low
    if far is not None and result.cases_fewest is not None and result.cases_fewest < result.cases_needed:
        yield (
            f"That rests on {number_of(result.cases, 'test case')}: it may take as few as "
            f"{result.cases_fewest:,} (if it is {far:+.1f}), and no number will do if there is no difference."
        )
    if result.within is None:
        yield "Whether more samples would help is unknown: no question was answered twice."
    elif result.samples_needed is None:
        yield "More samples on the same test cases cannot: it is the test cases that disagree."
    else:
        yield f"So would about {result.samples_needed:,} answers of each to every one of these test cases."
