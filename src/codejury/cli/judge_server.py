"""`codejury judge-server`: the judge that stays warm between commands, started, looked at, stopped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from ..records import Packages
from ..settings import load_settings
from .option_flags import EnvironmentFolder

if TYPE_CHECKING:
    from ..judge.warm.messages import ServerStatus


app = typer.Typer(
    add_completion=False,
    rich_markup_mode="markdown",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def judge_server() -> None:
    """The judge that stays warm between commands.

    `evaluate` and `validate` of few test cases leave their judge running, so that the next one need not
    start Julia. It ends by itself after CODEJURY_WARM_MINUTES without a command (10 minutes); 0 keeps none.
    """


@app.command()
def start(environment: EnvironmentFolder = None) -> None:
    """Start one now, for test cases that import nothing, so that the first command is quick too."""
    from ..judge.judge import Judge
    from ..judge.warm.client import WarmFactory, servers
    from ..suite.suite import packages_folder

    settings = load_settings()
    if not settings.warm_minutes:
        raise InputError("CODEJURY_WARM_MINUTES is 0: no judge stays warm")
    packages = Packages(environment=environment.absolute() if environment else packages_folder())
    factory = WarmFactory(allow_unsafe=False, packages=packages, settings=settings)
    with Judge(sandbox_factory=factory) as judge:
        level = judge.level
    if not servers(settings):
        typer.echo(
            f"No judge can stay warm here, at isolation {level}; every command starts its own.", err=True
        )
        raise typer.Exit(1)
    _show(servers(settings))


@app.command()
def status(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False) -> None:
    """Show which judges are warm. Exit code: 0 there is one, 1 there is none."""
    from dataclasses import asdict

    from ..judge.warm.client import servers

    found = servers()
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in found], indent=2))
    else:
        _show(found)
    raise typer.Exit(int(not found))


@app.command()
def stop() -> None:
    """End them all; a candidate that is being judged is judged anew by the command that waits for it."""
    from ..judge.warm.client import stop_servers

    ended = stop_servers()
    typer.echo(f"Stopped: {', '.join(f'process {pid}' for pid in ended)}" if ended else "No judge is warm.")


def _show(found: list[ServerStatus]) -> None:
    for one in found:
        typer.echo(in_words(one))
    if not found:
        typer.echo("No judge is warm.")


def in_words(one: ServerStatus) -> str:
    """`process 4711: Julia 1.10.4, L3, 1 sandbox, 3 candidates judged, idle for 2 of 10 minutes`."""
    facts = one.facts
    about = f"Julia {facts.julia_version}, {facts.level}" if facts else "starting Julia"
    loaded = f", with {', '.join(one.names)}" if one.names else ""
    idle = "in use" if one.busy else f"idle for {one.idle_seconds / 60:.0f} of {one.minutes:g} minutes"
    return (
        f"process {one.pid}: {about}{loaded}, {_counted(one.sandboxes, 'sandbox', 'es')}, "
        f"{_counted(one.judged, 'candidate', 's')} judged, {idle}"
    )


def _counted(number: int, noun: str, plural: str) -> str:
    return f"{number} {noun}{plural if number != 1 else ''}"
