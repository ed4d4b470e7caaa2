"""The board: its columns, its views, and the files the browser reads them from."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from .slugs import slug
from .tables import Choice, Row, View
from .wording import counted

NONE: Final = "(none)"
"""How an empty experiment or category is shown, and written in an address."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the board."""

    key: str
    label: str
    kind: str
    """Which function of `wording`, or `text`."""
    about: str
    shown: bool = True
    """Unless somebody chooses otherwise."""


COLUMNS: Final = (
    Column("model", "Model", "text", "The model that was asked"),
    Column("provider", "Provider", "text", "The service that was asked, if it is named", shown=False),
    Column("rank", "Rank", "rank", "Where its true rank is, with 95 % confidence for all models together"),
    Column("score", "Score", "number", "Mean score over test cases, 0 to 100"),
    Column("interval", "95 % interval", "interval", "Where the score may be on other test cases like these"),
    Column("strict", "Strict", "share", "Share of answers that pass all unit tests"),
    Column("cost", "Mean cost", "money", "Mean cost of an answer in USD"),
    Column("elapsed_median", "Median time", "seconds", "Median time to an answer"),
    Column("samples", "Answers", "count", "Answers that were scored"),
    Column("void", "Void", "count", "Answers about which nothing was learned; in no score"),
    Column("full", "Full", "count", "Answers with 100 points", shown=False),
    Column("zero", "Zero", "count", "Answers with 0 points", shown=False),
    Column("median", "Median", "number", "Median score", shown=False),
    Column("std", "Spread", "number", "Standard deviation of the scores", shown=False),
    Column("elapsed", "Mean time", "seconds", "Mean time to an answer", shown=False),
    Column("prompt_tokens", "Tokens asked", "count", "Mean tokens of the question", shown=False),
    Column("completion_tokens", "Tokens answered", "count", "Mean tokens of the answer", shown=False),
)
_SENT: Final = ("model", "slug", "provider", "low", "high", "rank_low", "rank_high", "lacks", "band")
_MADE: Final = ("interval", "rank")
"""Kinds of columns that show two others."""


def dressed(rows: Sequence[Row], providers: Mapping[str, str]) -> list[Row]:
    """Rows of a leaderboard with an address and a provider."""
    return [{**row, "slug": slug(row["model"]), "provider": providers.get(row["model"], "")} for row in rows]


def view_data(view: View, providers: Mapping[str, str]) -> dict[str, Any]:
    """A view as the browser gets it: numbers in rows, the names of the columns once."""
    keys = list(dict.fromkeys([*_SENT, *(column.key for column in COLUMNS if column.kind not in _MADE)]))
    rows = dressed(view.rows, providers)
    summary = f"{counted(view.answers, 'answer')} to {counted(view.cases, 'test case')}"
    return {
        "columns": keys,
        "rows": [[short(row[key]) for key in keys] for row in rows],
        "summary": summary,
        "notes": list(view.notes),
    }


def board_data(views: Sequence[View]) -> dict[str, Any]:
    """The columns, and the number of the view for each choice."""
    return {
        "columns": [asdict(column) for column in COLUMNS],
        "views": {view_key(view.choice): number for number, view in enumerate(views)},
    }


def view_key(choice: Choice) -> str:
    return "\0".join("" if value is None else value or NONE for value in choice)


def short(value: Any) -> Any:
    """Numbers with as many digits as anybody reads."""
    return float(f"{value:.7g}") if isinstance(value, float) else value


def script(name: str, value: Any) -> str:
    """A data file: a script that delivers a value. JSON in ASCII is JavaScript."""
    return f"Codejury.deliver({json.dumps(name)},{json.dumps(value, separators=(',', ':'))});\n"


def as_csv(rows: Sequence[Row]) -> str:
    """The whole board. A name that a spreadsheet would take for a formula gets an apostrophe in front."""
    keys = [
        "model",
        "provider",
        *(key for key in rows[0] if key not in ("model", "provider", "slug", "band")),
    ]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(keys)
    writer.writerows([[_harmless(row[key]) for key in keys] for row in rows])
    return out.getvalue()


def _harmless(value: Any) -> Any:
    formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t"))
    return f"'{value}" if formula else value
