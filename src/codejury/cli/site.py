"""`codejury site build`: results as a static web site; `codejury site serve`: the same, kept up to date."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..errors import CodejuryError
from .render import error_console, many, safe_text, tell_notes, tell_suite
from .results import MaxHistory, Root, default_root, tell_left_out
from .stored import Definitions

if TYPE_CHECKING:
    from ..report.site.build import Built


app = typer.Typer(
    add_completion=False,
    rich_markup_mode="markdown",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Show results as a web site: a board, pictures, and every answer.",
)

Output = Annotated[Path, typer.Option("--output", metavar="DIR", help="Where the site is written.")]
Address = Annotated[
    str, typer.Option(metavar="URL", help="Where the site will be; its feed and its share card name it.")
]
OUTPUT: Final = Path("site")


@app.command()
def build(
    root: Root = None,
    output: Output = OUTPUT,
    definitions: Definitions = None,
    max_history: MaxHistory = None,
    address: Address = "",
) -> None:
    """Write the site into a folder, to be opened from the disk or put on any web host.

    It loads nothing from elsewhere. A second build writes only what changed.

    Example: codejury site build --root results/demo
    """
    folder = root or default_root()
    built, seconds = _build(folder, output, definitions or tell_suite(folder), max_history, address)
    left_out = _tell(built, seconds)
    typer.echo(f"Open {built.start}")
    raise typer.Exit(int(left_out))


@app.command()
def serve(
    root: Root = None,
    output: Output = OUTPUT,
    definitions: Definitions = None,
    max_history: MaxHistory = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where it is served; another if this one is taken.")
    ] = 8765,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
) -> None:
    """Build the site, serve it on this machine, open it, and build it again when results change.

    Ctrl-C ends it. Example: codejury site serve --root results/demo
    """
    from ..report.site.serve import FolderWatch, serving

    folder = root or default_root()
    definitions = definitions or tell_suite(folder)
    _tell(*_build(folder, output, definitions, max_history))

    def again() -> None:
        try:
            _tell(*_build(folder, output, definitions, max_history))
        except CodejuryError as error:  # a run may be half-way through; the site stays as it was
            typer.echo(safe_text(f"The site was not built again: {error}"), err=True)

    watched = FolderWatch(list({folder, definitions}), again)
    with suppress(KeyboardInterrupt), serving(output, port) as address, watched:
        typer.echo(f"Serving {address} until Ctrl-C")
        if not no_open:
            typer.launch(address)
        while True:
            time.sleep(3600)
    typer.echo("Stopped.")


def _build(
    root: Path, output: Path, definitions: Path, max_history: int | None, address: str = ""
) -> tuple[Built, float]:
    from ..report.site.build import build_site

    console = error_console()
    started = time.monotonic()
    with console.status("Building the site") as status:
        built = build_site(
            root,
            output,
            definitions=definitions,
            max_history=max_history,
            address=address,
            report=lambda step: status.update(step),
        )
    return built, time.monotonic() - started


def _tell(built: Built, seconds: float) -> bool:
    """What was built, and what is to be said about it; whether a definition was left out."""
    typer.echo(
        f"{many(built.models, 'model')}, {many(built.cases, 'test case')}, {many(built.answers, 'answer')}: "
        f"{many(built.files, 'file')}, {built.size / 1e6:.1f} MB, {built.changed:,} changed, "
        f"in {seconds:.1f} s"
    )
    tell_left_out(built.broken, built.found, built.copies)
    if built.note:
        typer.echo(built.note, err=True)
    return tell_notes(built.notes)
