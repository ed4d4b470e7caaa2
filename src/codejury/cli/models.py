"""`codejury models`: whom one can ask, which keys are there, and what it costs. Asks nobody."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .render import output_console, safe_text

if TYPE_CHECKING:
    from rich.table import Table

    from ..models.catalogue import CatalogueEntry


_COLUMNS = ("  model", "key", "USD per 1M tokens", "at once", "asked as", "what it is")
_ROOM_FOR_ADDRESS, _ROOM_FOR_PACE = 110, 80
HEADINGS = {
    "configured": "models of codejury.toml",
    "built-in": "built in, no key needed",
    "provider": "services: PROVIDER/MODEL",
    "plug-in": "plug-ins",
}


def models(
    specs: Annotated[
        list[str] | None, typer.Argument(metavar="[MODEL]...", help="What these mean; all there are if none.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A codejury.toml; the one in this folder if left out.")
    ] = None,
    base_url: Annotated[str, typer.Option(metavar="URL", help="An OpenAI-compatible server.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List models and services, which keys are there (by name), and what a million tokens cost."""
    from ..configuration import load_configuration
    from ..models.catalogue import catalogue, describe
    from ..models.session import Session

    session = Session(load_configuration(config), base_url=base_url)
    entries = [describe(spec, session) for spec in specs] if specs else catalogue(session)
    if as_json:
        typer.echo(json.dumps([asdict(entry) for entry in entries], indent=2, ensure_ascii=False))
    else:
        _show(entries)


def _show(entries: Iterable[CatalogueEntry]) -> None:
    """A table for each kind: what tells services apart says nothing of the models that are built in."""
    console = output_console()
    for number, (kind, group) in enumerate(groupby(entries, key=attrgetter("kind"))):
        console.print(("\n" if number else "") + HEADINGS[kind], style="bold")
        console.print(_table(list(group), console.width))


def _table(entries: list[CatalogueEntry], width: int) -> Table:
    from rich.table import Table

    rows = [
        (f"  {safe_text(entry.name, one_line=True)}", key_of(entry), price_of(entry), *_rest(entry))
        for entry in entries
    ]
    left_out = {2} if all(entry.name.endswith("/...") for entry in entries) else set()
    if any(map(key_of, entries)):
        left_out |= {5} if width < _ROOM_FOR_ADDRESS else set()
        left_out |= {3} if width < _ROOM_FOR_PACE else set()
    table = Table(box=None, pad_edge=False, header_style="dim")
    columns = [n for n in range(len(_COLUMNS)) if n not in left_out and any(row[n] for row in rows)]
    for column in columns:
        table.add_column(_COLUMNS[column], overflow="fold", no_wrap=column == 0)
    for row in rows:
        table.add_row(*(row[column] for column in columns))
    return table


def _rest(entry: CatalogueEntry) -> tuple[str, str, str]:
    at_once = str(entry.max_connections or "")
    if entry.requests_per_minute:
        at_once += f" ({entry.requests_per_minute}/min)"
    return at_once, asked_as(entry), safe_text(entry.note, one_line=True)


def asked_as(entry: CatalogueEntry) -> str:
    """`messages; reasons by effort, thinking_tokens; batches`."""
    reasoning = f"reasons by {entry.reasoning}" if entry.reasoning else ""
    return "; ".join(part for part in (entry.adapter, reasoning, "batches" * entry.batches) if part)


def key_of(entry: CatalogueEntry) -> str:
    """Where the key is looked for, and whether it is there; never the key."""
    if entry.has_key is None:
        return ""
    return f"{' or '.join(entry.key_variables)}: {'set' if entry.has_key else 'not set'}"


def price_of(entry: CatalogueEntry) -> str:
    """`2.5 in, 10 out`; `free`; `n/a` where it is unknown; nothing for a whole service."""
    if entry.usd_per_million is None:
        return "" if entry.name.endswith("/...") else "n/a"
    read, written = entry.usd_per_million
    return "free" if read == written == 0 else f"{read:g} in, {written:g} out"
