"""The board: its columns, its views, and the files the browser reads them from."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from .formatting import counted
from .pages import slug
from .tables import Choice, Row, View

NONE: Final = "(none)"
"""How an empty experiment or category is shown, and written in an address."""


FOLDED_ABOVE: Final = 25
FOLDED_TO: Final = 20
"""Of more models than the first, as many rows as the second are shown until a reader asks for all."""
ALL_OF: Final = {
    "provider": "all providers", "level": "all levels", "kind": "all kinds", "prompt": "all prompts",
    "category": "all categories", "experiment": "all experiments",
}  # fmt: skip
"""What a filter says that is not used."""


@dataclass(frozen=True, slots=True)
class BoardColumn:
    """A column of the board."""

    key: str
    label: str
    kind: str
    """Which function of `wording`, or `text`."""
    about: str
    shown: bool = True
    """Unless somebody chooses otherwise."""


COLUMNS: Final = (
    BoardColumn("model", "Model", "text", "The model that was asked"),
    BoardColumn("provider", "Provider", "text", "The service that was asked, if it is named", shown=False),
    BoardColumn(
        "rank", "Rank", "rank", "Where its true rank is, with 95 % confidence for all models together"
    ),
    BoardColumn(
        "solved", "Solved %", "number", "Share of answers that pass all unit tests, mean over test cases"
    ),
    BoardColumn("interval", "95 % interval", "interval", "Where it may be on other test cases like these"),
    BoardColumn(
        "score", "Score", "number", "Mean score over test cases, 0 to 100: parts of a solution count"
    ),
    BoardColumn(
        "lift", "Lift %", "number", "Share of the points that an answer without content leaves", shown=False
    ),
    BoardColumn(
        "near", "Nearly %", "number", "Share of answers that fail one or two unit tests", shown=False
    ),
    BoardColumn(
        "cost_per_solved", "Cost per solved", "money", "Mean cost of an answer / share solved, in USD"
    ),
    BoardColumn(
        "elapsed_per_solved",
        "Time per solved",
        "seconds",
        "Mean time to an answer / share solved",
        shown=False,
    ),
    BoardColumn("speed", "Speed", "times", "Reference solution's time / answer's, where solved and measured"),
    BoardColumn("speed_cases", "Measured", "count", "Test cases behind the speed", shown=False),
    BoardColumn("speed_noisy", "Noisy", "share", "Share of speeds that repeat badly", shown=False),
    BoardColumn(
        "allocates_more", "Allocates more", "share", "Share that allocates more than it", shown=False
    ),
    BoardColumn("inferred", "Inferred", "share", "Share whose types Julia can infer", shown=False),
    BoardColumn("cost", "Mean cost", "money", "Mean cost of an answer in USD", shown=False),
    BoardColumn("elapsed_median", "Median time", "seconds", "Median time to an answer"),
    BoardColumn("samples", "Answers", "count", "Answers that were scored"),
    BoardColumn("void", "Void", "count", "Answers about which nothing was learned; in no score"),
    BoardColumn("full", "Full", "count", "Answers with 100 points", shown=False),
    BoardColumn("zero", "Zero", "count", "Answers with 0 points", shown=False),
    BoardColumn("median", "Median", "number", "Median score", shown=False),
    BoardColumn("std", "Spread", "number", "Standard deviation of the scores", shown=False),
    BoardColumn("elapsed", "Mean time", "seconds", "Mean time to an answer", shown=False),
    BoardColumn("prompt_tokens", "Tokens asked", "count", "Mean tokens of the question", shown=False),
    BoardColumn("completion_tokens", "Tokens answered", "count", "Mean tokens of the answer", shown=False),
    BoardColumn("reasoning_tokens", "Tokens thought", "count", "Mean tokens of the reasoning", shown=False),
    BoardColumn(
        "cut_short", "Cut short", "share", "Share of answers that hit their limit of tokens", shown=False
    ),
    BoardColumn("empty", "Empty", "share", "Share of answers without text", shown=False),
)
_SENT: Final = ("model", "slug", "provider", "low", "high", "rank_low", "rank_high", "lacks", "band")
_NOT_ALWAYS_KNOWN: Final = ("cost_per_solved", "speed", "elapsed_median")
_MADE: Final = ("interval", "rank")
"""Kinds of columns that show two others."""


def columns_for(rows: Sequence[Row]) -> tuple[BoardColumn, ...]:
    """The columns of a board: one that would tell nothing of any model is not shown at first."""
    telling = {key: any(row[key] is not None for row in rows) for key in _NOT_ALWAYS_KNOWN}
    telling["void"] = any(row["void"] for row in rows)
    return tuple(replace(each, shown=each.shown and telling.get(each.key, True)) for each in COLUMNS)


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


def board_data(views: Sequence[View], left_out: int) -> dict[str, Any]:
    """The columns, the number of the view for each choice, and how many choices have none."""
    return {
        "columns": [asdict(column) for column in columns_for(views[0].rows)],
        "views": {view_key(view.choice): number for number, view in enumerate(views)},
        "left_out": left_out,
        "folded_above": FOLDED_ABOVE,
        "folded_to": FOLDED_TO,
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
