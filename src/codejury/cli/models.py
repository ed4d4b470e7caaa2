"""`codejury models`: whom one can ask, which keys are there, and what it costs. Asks nobody."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .render import NARROW, output_console, safe_text

if TYPE_CHECKING:
    from ..models.catalogue import CatalogueEntry


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
    from rich.table import Table

    console = output_console()
    headings = ["model", "key", "USD per million tokens", "at once", "asked as", "what it is"]
    shown = [0, 2, 5] if console.width < NARROW else range(len(headings))
    table = Table(box=None, pad_edge=False)
    for column in shown:
        table.add_column(headings[column], overflow="fold", no_wrap=column == 0)
    kind = ""
    for entry in entries:
        if entry.kind != kind:
            kind = entry.kind
            table.add_row(f"\n{HEADINGS[kind]}", style="bold")
        name = f"  {safe_text(entry.name, one_line=True)}"
        cells = (name, key_of(entry), price_of(entry), *_rest(entry))
        table.add_row(*(cells[column] for column in shown))
    console.print(table)


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
