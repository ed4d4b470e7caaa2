"""`codejury batches`: what is with the services, and how to take it back."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .render import many, output_console, safe_text

if TYPE_CHECKING:
    from ..models.batches.manage import Seen


def batches(
    save_dir: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            envvar="CODEJURY_SAVE_DIR",
            help="The results folder whose runs asked in batches.",
            show_default="results/code_generation",
        ),
    ] = None,
    cancel: Annotated[
        str, typer.Option(metavar="BATCH", help="Ask the service to end this one; what is answered stays.")
    ] = "",
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A codejury.toml; the one in this folder if left out.")
    ] = None,
    base_url: Annotated[str, typer.Option(metavar="URL", help="As it was given to the run.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the batches of a results folder with what their services say, or cancel one.

    Results are collected by the `codejury run --batch` that asked: give the same command again.

    Exit code: 0 done; 2 bad input, or a batch that cannot be cancelled.
    """
    from ..configuration import load_configuration
    from ..models.batches import manage
    from ..models.batches.journal import Journal
    from ..models.session import Session

    configuration = load_configuration(config)
    journal = Journal(save_dir or configuration.run.save_dir)

    async def work() -> list[Seen]:
        async with Session(configuration, base_url=base_url) as session:
            if cancel:
                await manage.cancel(journal, session, cancel)
            return await manage.look(journal, session)

    seen = asyncio.run(work())
    if as_json:
        typer.echo(json.dumps([_row(each) for each in seen], indent=2, ensure_ascii=False))
    else:
        _show(seen)


def _row(seen: Seen) -> dict[str, object]:
    job = asdict(seen.job)
    requests = len(job.pop("requests"))
    return {
        **job,
        "requests": requests,
        "failed": len(seen.job.failed),
        "state": seen.state,
        "done": seen.done,
    }


def _show(seen: list[Seen]) -> None:
    from rich.table import Table

    if not seen:
        output_console().print("No batches here.")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("batch", "model", "submitted", "requests", "answered", "state"):
        table.add_column(heading, overflow="fold")
    for each in seen:
        job = each.job
        moment = datetime.fromtimestamp(job.created).astimezone()
        table.add_row(
            safe_text(job.id or job.tag, one_line=True),
            safe_text(job.model, one_line=True),
            f"{moment:%Y-%m-%d %H:%M}",
            many(len(job.requests), "request"),
            "" if each.done is None else str(each.done),
            safe_text(each.state, one_line=True),
        )
    output_console().print(table)
