"""The alternative text of each picture, for people who cannot see it. Made from the table alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ...errors import InputError
from .captions import MEASURES, shown_name

if TYPE_CHECKING:
    import polars


_MOST_NAMED: Final = 3


def describe(chart_kind: str, table: polars.DataFrame, metric: str = "solved") -> str:
    """Return what a picture of this kind shows of a table; InputError for a kind that does not exist."""
    if chart_kind not in _WRITERS:
        raise InputError(f"there is no picture {chart_kind!r}; there is {', '.join(_WRITERS)}")
    if table.is_empty():
        return "There is nothing to show."
    return _WRITERS[chart_kind](table, metric)


def _ranking(table: polars.DataFrame, metric: str) -> str:
    label = table.columns[0]
    rows = [row for row in table.iter_rows(named=True) if not row.get("lacks")] or table.to_dicts()
    told = "; ".join(_ranked(row, label, metric) for row in rows[:_MOST_NAMED])
    by = MEASURES[metric].mean
    text = f"Ranking of {_count(len(rows), label)} by {by}, with 95 % intervals. First: {told}."
    if len(rows) > _MOST_NAMED:
        text += f" Last: {_ranked(rows[-1], label, metric)}."
    if "rank_low" not in table.columns or not table["rank_low"].count():
        return text
    best = int((table["rank_low"] == 1).sum())
    return f"{text} {_count(best, label)} could be the best."


def _ranked(row: Mapping[str, Any], label: str, metric: str) -> str:
    interval = f" ({_number(row['low'])} to {_number(row['high'])})" if row.get("low") is not None else ""
    return f"{_named(row[label])} {_number(row[metric])}{interval}"


def _against(table: polars.DataFrame, metric: str, column: str, per: str, least: str) -> str:
    label, measure = table.columns[0], MEASURES[metric]
    known = table.filter((table[column] > 0).fill_null(False) & table[metric].is_not_null())
    if known.is_empty():
        return f"{measure.title} against {column}: nothing is known."
    best = known.sort(metric, descending=True).row(0, named=True)
    first = known.sort(column).row(0, named=True)
    return (
        f"{measure.mean.capitalize()} of {_count(len(known), label)} against {per}, on a logarithmic axis."
        f" Best: {_named(best[label])}, {_number(best[metric])} {measure.unit} at {best[column]:.3g}."
        f" {least}: {_named(first[label])}, {_number(first[metric])} {measure.unit} at {first[column]:.3g}."
    )


def _cost(table: polars.DataFrame, metric: str) -> str:
    return _against(table, metric, "cost", "the mean cost of an answer in USD", "Cheapest")


def _elapsed(table: polars.DataFrame, metric: str) -> str:
    return _against(table, metric, "elapsed", "the mean time to an answer in seconds", "Fastest")


def _pivot(table: polars.DataFrame, metric: str, what: str) -> str:
    label, *names = table.columns
    columns = {name: table[name].mean() for name in names}
    rows = {str(row[0]): _mean(row[1:]) for row in table.iter_rows()}
    best, worst = _extremes({name: mean for name, mean in rows.items() if mean is not None})
    easiest, hardest = _extremes(
        {name: float(mean) for name, mean in columns.items() if isinstance(mean, int | float)}
    )
    return (
        f"{MEASURES[metric].mean.capitalize()} of {_count(len(rows), label)} by {_count(len(names), what)}."
        f" Best row: {best}; worst row: {worst}. Best column: {easiest}; worst column: {hardest}."
    )


def _heat_map(table: polars.DataFrame, metric: str) -> str:
    return _pivot(table, metric, "column")


def _prompts(table: polars.DataFrame, metric: str) -> str:
    return _pivot(table, metric, "prompt")


def _parameter(table: polars.DataFrame, metric: str) -> str:
    """Of a table whose parameter is in the column `value`."""
    column = (
        "value" if "value" in table.columns else next(n for n in table.columns if n.startswith("parameter."))
    )
    known = table.filter(table[metric].is_not_null() & table[column].is_not_null())
    measure = MEASURES[metric]
    if known.is_empty():
        return f"{measure.title} by parameter: nothing is known."
    best = known.sort(metric, descending=True).row(0, named=True)
    settings = _count(known[column].n_unique(), "setting")
    models = _count(known["model"].n_unique(), "model")
    return (
        f"{measure.mean.capitalize()} of {models} under {settings}, with 95 % intervals."
        f" Best: {_named(best['model'])} at {best[column]}, {_number(best[metric])} {measure.unit}."
    )


def _failures(table: polars.DataFrame, _metric: str) -> str:
    import polars as pl

    label = table.columns[0]
    counts = table.group_by("label").agg(pl.col("count").sum())
    counts = counts.sort("count", "label", descending=[True, False])
    total = int(counts["count"].sum()) or 1
    told = "; ".join(
        f"{row['label']} {100 * row['count'] / total:.0f} %"
        for row in counts.head(_MOST_NAMED).iter_rows(named=True)
    )
    return (
        f"Kinds of failure of {_count(table[label].n_unique(), label)}, {total:,} answers that lost points."
        f" Most frequent: {told}."
    )


def _extremes(means: Mapping[str, float]) -> tuple[str, str]:
    if not means:
        return "none", "none"
    told = [
        f"{_named(name)}, {_number(means[name])}"
        for name in (max(means, key=lambda n: means[n]), min(means, key=lambda n: means[n]))
    ]
    return told[0], told[1]


def _mean(values: tuple[Any, ...]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _named(name: object) -> str:
    return shown_name(str(name))


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.1f}"


def _count(number: int, what: str) -> str:
    """`1 model`, `33 models`, `4 test cases`."""
    return f"{number} {what.replace('_', ' ')}{'s' * (number != 1)}"


_WRITERS: Final[Mapping[str, Callable[[polars.DataFrame, str], str]]] = {
    "ranking": _ranking,
    "cost": _cost,
    "elapsed": _elapsed,
    "heat_map": _heat_map,
    "prompts": _prompts,
    "parameter": _parameter,
    "failures": _failures,
}
CHART_KINDS: Final = tuple(_WRITERS)
