"""What stands on the pages: from the tables to the contexts of the templates. Nothing is estimated here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup, escape

from ...records import Level, TaskKind
from .board import ALL_OF, FOLDED_ABOVE, FOLDED_TO, columns_for, dressed, short
from .formatting import FILTERS, counted, number, shade, things_to_know
from .inputs import World, group_key
from .pages import slug
from .price import price_pictures, with_price
from .shards import AnswerEntry, Group
from .sharing import Sharing
from .tables import CONFIDENCE, SEED, Profiles, Row, View, choices, counts_of, matrix, providers, rows_of

if TYPE_CHECKING:
    import polars as pl

    from ...results.statistics.tables import Board
    from .archive import Archive


_FAILURES_SHOWN: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The tables of the site, arranged for pages."""

    world: World
    board: Board
    rows: tuple[Row, ...]
    """The board with addresses and providers."""
    groups: Mapping[tuple[str, str], Group]
    """By test case and model."""
    addresses: Mapping[str, str]
    """By file: where each answer is."""
    pairs: Mapping[tuple[str, str], Row]
    """Scores and counts by test case and model."""
    cases: tuple[Row, ...]
    """The board of the test cases, the easiest first."""
    packed: Mapping[str, Any]
    """By group: what tells whether any of its answers changed."""
    sharing: Sharing = field(default_factory=Sharing)

    @property
    def shared(self) -> dict[str, Any]:
        return {"sharing": replace(self.sharing, words="")}


def arrange(world: World, board: Board, groups: Sequence[Group], archive: Archive) -> Content:
    """Ask for the tables that more than one page needs."""
    from ...results.statistics.tables import leaderboard

    frame = world.frame
    by_pair = leaderboard(frame, ("test_case", "model"), seed=SEED).to_dicts()
    by_case = leaderboard(frame, ("test_case",), seed=SEED).to_dicts()
    return Content(
        world=world,
        board=board,
        rows=tuple(dressed(rows_of(board), providers(frame))),
        groups={(group.test_case, group.model): group for group in groups},
        addresses=archive.addresses,
        packed={key: (mark, parts) for key, (mark, parts, *_) in archive.notes.items()},
        pairs={(row["test_case"], row["model"]): row for row in by_pair},
        cases=tuple({**row, "category": _category(groups, row["test_case"])} for row in by_case),
    )


def _category(groups: Sequence[Group], test_case: str) -> str:
    return next(group.category for group in groups if group.test_case == test_case)


def board_page(content: Content, view: View) -> Row:
    frame = content.world.frame
    rows = content.rows
    models = counted(len(rows), "model")
    prices = price_pictures(rows)
    return {
        "sharing": content.sharing,
        "here": "index.html",
        "rows": rows,
        "bands": _bands(rows),
        "columns": columns_for(rows),
        "filters": choices(frame),
        "all_of": ALL_OF,
        "things_to_know": things_to_know,
        "folded": FOLDED_TO if len(rows) > FOLDED_ABOVE else 0,
        "prices": prices,
        "priceless": len(rows) - len(with_price(rows)),
        "shown": lambda kind, value: FILTERS[kind](value),
        "cases": view.cases,
        "void": frame.filter(frame["outcome"] == "void").height,
        "newest": frame["timestamp"].max(),
        "notes": view.notes,
        "best": sum(row["rank_low"] == 1 for row in rows),
        "margin": known_margin(content.board.margin),
        "summary": f"{len(rows)} of {models}, {counted(view.answers, 'answer')} to "
        f"{counted(view.cases, 'test case')}",
    }


def _bands(rows: Sequence[Row]) -> list[tuple[bool, list[Row]]]:
    """The rows in the parts of the board, and whether these are ranked: lines stand between them."""
    bands: dict[int | None, list[Row]] = {}
    for row in rows:
        bands.setdefault(row["band"], []).append(row)
    return [(band is not None, members) for band, members in bands.items()]


def known_margin(margin: float | None) -> float | None:
    """None where no difference is sure."""
    return margin if margin is not None and isfinite(margin) else None


def model_pages(content: Content, profiles: Profiles, failures: pl.DataFrame) -> dict[str, Row]:
    """The contexts of all models' pages, but for the links to single answers (`with_chips`)."""
    lost: dict[str, list[Row]] = {}
    for row in failures.to_dicts():
        address = content.addresses.get(row["example"], "")
        lost.setdefault(row["model"], []).append({**row, "address": address})
    return {
        row["model"]: {
            **content.shared,
            "here": "",
            "row": row,
            "categories": profiles.categories[row["model"]],
            "prompts": profiles.prompts[row["model"]],
            "levels": _in_order(profiles.levels[row["model"]], "level"),
            "kinds": _in_order(profiles.kinds[row["model"]], "kind"),
            "failures": lost.get(row["model"], []),
            "cases": _cases_of(content, row["model"]),
        }
        for row in content.rows
    }


def row_details(content: Content, profiles: Profiles, failures: pl.DataFrame) -> Row:
    """What opens below a row of the board, by the model's address: levels, kinds, most common failures."""
    common: dict[str, list[list[Any]]] = {}
    for row in failures.sort("count", descending=True, maintain_order=True).to_dicts():
        found = common.setdefault(row["model"], [])
        if len(found) < _FAILURES_SHOWN:
            found.append([row["label"], row["count"], short(row["share"]), content.addresses[row["example"]]])
    return {
        row["slug"]: {
            "level": _parts(profiles.levels[row["model"]], "level"),
            "kind": _parts(profiles.kinds[row["model"]], "kind"),
            "failures": common.get(row["model"], []),
            "cut_short": short(row["cut_short"]),
            "empty": short(row["empty"]),
        }
        for row in content.rows
    }


def _parts(rows: Sequence[Row], key: str) -> list[list[Any]]:
    return [[row[key], short(row["solved"]), row["samples"]] for row in _in_order(rows, key) if row[key]]


def _in_order(rows: Sequence[Row], key: str) -> list[Row]:
    """Levels and kinds in the order in which they are listed everywhere; the unknown last."""
    order = [str(value) for value in (*Level, *TaskKind)]
    return sorted(rows, key=lambda row: order.index(row[key]) if row[key] in order else len(order))


def _cases_of(content: Content, model: str) -> list[Row]:
    names = sorted(case["test_case"] for case in content.cases)
    return [
        {
            **content.pairs[name, model],
            "address": first_address(content, name, model),
            "packed": content.packed[content.groups[name, model].key],
        }
        for name in names
        if (name, model) in content.groups and (name, model) in content.pairs  # one may be repairs alone
    ]


def with_chips(content: Content, context: Row) -> Row:
    """The context of a model's page with a link for each answer: only pages that are made anew need them."""
    model = context["row"]["model"]
    cases = [
        {**case, "chips": answer_chips(content, content.groups[case["test_case"], model])}
        for case in context["cases"]
    ]
    return {**context, "cases": cases}


def answer_chips(content: Content, group: Group) -> list[Markup]:
    """A link for each answer. Not by a template: they are tens of thousands, and this is much faster."""
    return [_chip(entry, content.addresses[entry.file]) for entry in group.entries]


def _chip(entry: AnswerEntry, address: str) -> Markup:
    shown = "void" if entry.outcome == "void" else number(entry.score, 0)
    asked = escape(f"{entry.prompt}, {entry.strategy}")
    return Markup(
        f'<a class="chip {escape(entry.outcome)}" href="../answer.html#{escape(address)}" title="{asked}" '
        f'aria-label="{asked}: {escape(entry.outcome)}, score {shown}">{shown}</a>'
    )


def first_address(content: Content, test_case: str, model: str) -> str:
    """Where the answers of a model to a test case begin."""
    group = content.groups.get((test_case, model))
    return content.addresses[group.entries[0].file] if group else group_key(test_case, model)


def heat_cells(values: Sequence[float | None], links: Sequence[str]) -> Markup:
    """A row of a table in shades, each number with its link. Not by a template, as `answer_chips`."""
    return Markup("".join(_heat_cell(value, link) for value, link in zip(values, links, strict=True)))


def _heat_cell(value: float | None, link: str) -> str:
    if value is None:
        return '<td class="none"><span>–</span></td>'
    return f'<td class="{shade(value)}"><a href="{escape(link)}">{number(value, 0)}</a></td>'


def score_table(content: Content) -> tuple[list[str], list[Row]]:
    """Every model on every test case: the heat map as a table."""
    cases = sorted(row["test_case"] for row in content.cases)
    rows = [
        {
            "model": row["model"],
            "slug": slug(row["model"]),
            "cells": heat_cells(
                [row.get(case) for case in cases],
                [f"answer.html#{first_address(content, case, row['model'])}" for case in cases],
            ),
        }
        for row in matrix(content.board.answers).to_dicts()
    ]
    return cases, rows


def method_page(content: Content) -> Row:
    """The facts of the method page, all of them counted."""
    from ...results.statistics.intervals import ROUNDS

    frame = content.world.frame
    void = frame.filter(frame["outcome"] == "void")
    judges = (
        ("Julia", "julia_version"),
        ("Sandbox level", "sandbox"),
        ("Judging rules", "rules_version"),
        ("Codejury", "codejury_version"),
    )
    return {
        **content.shared,
        "here": "method.html",
        "confidence": CONFIDENCE,
        "rounds": ROUNDS,
        "seed": SEED,
        "margin": known_margin(content.board.margin),
        "apart": sum(row["lacks"] is not None for row in content.rows),
        "answers": frame.height,
        "scored": frame["score"].count(),
        "void": void.height,
        "models": len(content.rows),
        "cases": len(content.cases),
        "oldest": frame["timestamp"].min(),
        "newest": frame["timestamp"].max(),
        "notes": content.board.notes,
        "reasons": counts_of(void, "void_reason"),
        "broken": content.world.broken,
        "copies": content.world.copies,
        "unusable": content.world.unusable,
        "unrecorded": frame["rules_version"].null_count() > 0,
        "judges": [(title, counts_of(frame, column)) for title, column in judges],
        "extraction": counts_of(frame, "extraction"),
        "prompts": counts_of(frame, "prompt"),
        "strategies": counts_of(frame, "strategy"),
        "parameters": counts_of(frame, "parameters"),
    }
