"""The tables of `codejury run`: the plan before, the standings after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from .render import number, output_console, safe_text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.table import Table

    from ..run.cost import Expectation
    from ..run.plan import CombinationPlan, RunPlan
    from ..run.standings import Standing


UNKNOWN = "n/a"
_NAME_WIDTH: Final = 24
"""Of a name that has to fold."""
_NAMES: Final = ("", "model", "after")
"""Headings of columns that hold names."""


def dollars(cost: float | None) -> str:
    """At least two digits that count: 0.0021 USD, 1.35 USD, 120 USD; n/a where it is unknown."""
    if cost is None:
        return UNKNOWN
    if cost == 0 or cost >= 100:
        return f"{cost:.0f} USD"
    return f"{cost:.2f} USD" if cost >= 0.1 else f"{cost:.2g} USD" if cost >= 0.0001 else "<0.0001 USD"


def spent(cost: float, unknown: int) -> str:
    """What answers cost, of which so many have an unknown price: never 0 where nobody knows."""
    if not unknown:
        return dollars(cost)
    return f"{dollars(cost)} + {UNKNOWN}" if cost else UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """One model under one prompt."""

    model: str
    prompt: str
    combinations: int
    wanted: int
    done: int
    unjudged: int
    requests: int
    most_requests: int
    """With all rounds of repair."""
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    most_cost: float | None


def plan_rows(plan: RunPlan) -> Iterator[PlanRow]:
    """The plan, a model and a prompt at a time."""
    from ..run.cost import expect_works

    for model in plan.models:
        works = plan.of_model(model)
        for prompt in dict.fromkeys(work.combination.template.label for work in works):
            chosen = [work for work in works if work.combination.template.label == prompt]
            sure, most = (expect_works(plan, chosen, with_repairs=flag) for flag in (False, True))
            yield _row(model, prompt, chosen, sure, most)


def _row(
    model: str, prompt: str, works: Sequence[CombinationPlan], sure: Expectation, most: Expectation
) -> PlanRow:
    return PlanRow(
        model=model,
        prompt=prompt,
        combinations=len(works),
        wanted=sum(work.wanted for work in works),
        done=sum(work.done for work in works),
        unjudged=sum(len(work.unjudged) for work in works),
        requests=sure.requests,
        most_requests=most.requests,
        prompt_tokens=sure.prompt_tokens,
        completion_tokens=sure.completion_tokens,
        cost=sure.cost,
        most_cost=most.cost,
    )


def plan_table(plan: RunPlan) -> FittedTable:
    """A heading for each model, a line for each prompt, and the sum."""
    rows = list(plan_rows(plan))
    table = narrow_table("", *_PLAN_HEADINGS, spare=_PLAN_HEADINGS[:4])
    for model in plan.models:
        table.add_row(safe_text(model, one_line=True), style="bold")
        for row in (row for row in rows if row.model == model):
            table.add_row(f"  {safe_text(row.prompt, one_line=True)}", *_cells([row]))
    if len(rows) > 1:
        table.add_row("in all", *_cells(rows), style="bold")
    return table


_PLAN_HEADINGS = (
    "combi-\nnations",
    "samples\nwanted",
    "there\nalready",
    "to\njudge",
    "requests",
    "tokens\nin + out",
    "cost",
)


def _cells(rows: Sequence[PlanRow]) -> list[str]:
    """The sums; with repair a range, up to the most it can become."""

    def summed(name: str) -> int:
        return sum(getattr(row, name) for row in rows)

    counts = [f"{summed(name):,}" for name in ("combinations", "wanted", "done", "unjudged")]
    requests = _range(f"{summed('requests'):,}", f"{summed('most_requests'):,}")
    tokens = f"{short(summed('prompt_tokens'))} + {short(summed('completion_tokens'))}"
    cost = _range(_total(row.cost for row in rows), _total(row.most_cost for row in rows))
    return [*counts, requests, tokens, cost]


def _range(least: str, most: str) -> str:
    return least if least == most else f"{least.removesuffix(' USD')} to {most}"


def _total(costs: Iterable[float | None]) -> str:
    """`0.35 USD`, `n/a`, or `0.35 USD + n/a` where a part of it is unknown."""
    values = list(costs)
    known = [value for value in values if value is not None]
    return spent(sum(known), len(values) - len(known))


def short(count: int) -> str:
    """950, 5.3k, 120k, 2.1M."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.1f}{unit}" if count < 100 * size else f"{count / size:.0f}{unit}"
    return str(count)


def standings_table(standings: Sequence[Standing]) -> FittedTable:
    """Each model, best first; with repair a line for every round."""
    has_rounds = any(standing.round for standing in standings)
    rounds = ["after"] if has_rounds else []
    headings = ("model", *rounds, "score", "all tests pass", "samples", "void", "cost")
    table = FittedTable(headings=headings, spare=("void", "cost", "samples"), space=2)
    for standing in _best_first(standings):
        style = "dim" if standing.round else ""
        after = ["first try" if not standing.round else f"repair {standing.round}"] if has_rounds else []
        name = safe_text(standing.model, one_line=True)
        table.add_row(name, *after, *_results(standing), style=style)
    return table


def _results(standing: Standing) -> tuple[str, ...]:
    rate = standing.strict_rate
    unknown = standing.unknown_costs
    cost = dollars(None if unknown == standing.judged and unknown else standing.cost)
    return (
        "-" if standing.mean_score is None else number(standing.mean_score),
        "-" if rate is None else f"{100 * rate:.1f} %",
        f"{standing.judged} of {standing.wanted}",
        str(standing.void),
        f"{cost} (+ {unknown} unknown)" if unknown and cost != UNKNOWN else cost,
    )


def _best_first(standings: Sequence[Standing]) -> list[Standing]:
    """By the score of the first try; a model's rounds stay together."""
    first = {standing.model: standing.mean_score or 0.0 for standing in standings if not standing.round}
    return sorted(standings, key=lambda standing: (-first[standing.model], standing.model, standing.round))


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedTable:
    """A table that leaves out columns where the terminal is too narrow, and folds no name to shreds."""

    headings: tuple[str, ...]
    spare: tuple[str, ...]
    """Headings of columns that can be left out, the least telling first."""
    space: int
    """Between columns."""
    rows: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    """Cells and a style."""

    def add_row(self, *cells: str, style: str = "") -> None:
        self.rows.append((cells, style))

    def left_out(self, width: int) -> list[str]:
        """The headings of the columns for which there is no room."""
        widths = {heading: self._width(place) for place, heading in enumerate(self.headings)}
        gone: list[str] = []
        for heading in self.spare:
            if sum(widths.values()) - self.space <= width:
                break
            gone.append(heading)
            del widths[heading]
        return gone

    def _width(self, place: int) -> int:
        """What a column takes, with the space behind it; names may fold, once they have some room."""
        from rich.cells import cell_len

        heading = self.headings[place]
        texts = [heading, *(cells[place] for cells, _ in self.rows if place < len(cells))]
        longest = max(cell_len(line) for text in texts for line in text.split("\n"))
        return (min(longest, _NAME_WIDTH) if heading in _NAMES else longest) + self.space

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table]:
        """Words on the left, which may fold; numbers on the right, which may not."""
        from rich.table import Table

        gone = self.left_out(options.max_width)
        kept = [place for place, heading in enumerate(self.headings) if heading not in gone]
        table = Table(box=None, pad_edge=False, padding=(0, self.space, 0, 0))
        for place in kept:
            heading = self.headings[place]
            left = heading in _NAMES
            table.add_column(heading, justify="left" if left else "right", overflow="fold", no_wrap=not left)
        for cells, style in self.rows:
            table.add_row(*(cells[place] for place in kept if place < len(cells)), style=style)
        yield table


def narrow_table(*headings: str, spare: Sequence[str]) -> FittedTable:
    """Many columns with one space between them."""
    return FittedTable(headings=headings, spare=tuple(spare), space=1)


def print_table(table: FittedTable) -> None:
    """On stdout; in a file or a pipe there is no edge to keep within."""
    console = output_console()
    if not console.is_terminal:
        console.width = 200
    gone = table.left_out(console.width)
    console.print(table)
    if gone:
        names = ", ".join(heading.replace("combi-\n", "combi").replace("\n", " ") for heading in gone)
        console.print(f"Left out for want of room: {names}.", style="dim")
