"""`codejury models`: whom one can ask, which keys are there, and what it costs. Asks nobody."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .render import output_console, safe_text

if TYPE_CHECKING:
    from ..models.catalogue import Entry

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


def _show(entries: Iterable[Entry]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("model", "key", "USD per million tokens", "at once", "what it is"):
        table.add_column(heading, overflow="fold")
    kind = ""
    for entry in entries:
        if entry.kind != kind:
            kind = entry.kind
            table.add_row(f"\n{HEADINGS[kind]}", style="bold")
        table.add_row(
            f"  {safe_text(entry.name, one_line=True)}", key_of(entry), price_of(entry), *_rest(entry)
        )
    output_console().print(table)


def _rest(entry: Entry) -> tuple[str, str]:
    at_once = str(entry.max_connections or "")
    if entry.requests_per_minute:
        at_once += f" ({entry.requests_per_minute}/min)"
    return at_once, safe_text(entry.note, one_line=True)


def key_of(entry: Entry) -> str:
    """Where the key is looked for, and whether it is there; never the key."""
    if entry.has_key is None:
        return ""
    return f"{' or '.join(entry.key_variables)}: {'set' if entry.has_key else 'not set'}"


def price_of(entry: Entry) -> str:
    """`2.5 in, 10 out`; `free`; `n/a` where it is unknown; nothing for a whole service."""
    if entry.usd_per_million is None:
        return "" if entry.name.endswith("/...") else "n/a"
    read, written = entry.usd_per_million
    return "free" if read == written == 0 else f"{read:g} in, {written:g} out"
