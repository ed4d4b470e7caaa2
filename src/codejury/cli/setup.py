"""`codejury setup`: find Julia and bubblewrap, or install them for this user; and the packages of a suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError, ToolchainError
from ..settings import Settings, load_settings
from .doctor import weaker_isolation
from .option_flags import EnvironmentFolder
from .render import can_redraw

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from ..judge.toolchain.apt import Progress
    from ..judge.toolchain.find import Search


def setup(
    julia: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Use this Julia from now on; `auto` goes back to whichever is found."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Fetch again what Codejury itself has installed.")
    ] = False,
    packages: Annotated[
        bool, typer.Option("--packages", help="Install the Julia packages that test cases import, too.")
    ] = False,
    environment: EnvironmentFolder = None,
) -> None:
    """Find Julia and bubblewrap, or install them without root.

    Julia is looked for in CODEJURY_JULIA, PATH, juliaup's folder and the cache. Where there is none,
    an official build is fetched, or Debian's signed packages where that is all the network allows.

    With --packages, the Julia environment of the bundled suite, or of the folder given by --environment, is
    installed into the cache. Packages are downloaded, then built and compiled in a sandbox without a network.

    Exit code: 0 done; 1 some packages cannot be used; 2 bad input, or something could not be installed.
    """
    if environment and not packages:
        raise InputError("--environment: says which packages to install, so add --packages")
    settings = load_settings()
    if julia:
        _choose(julia, settings)
    if force or packages:
        from ..judge.warm.client import stop_servers

        stop_servers(settings)  # it holds what is to be replaced
    with ProgressDisplay() as progress:
        search = _set_up_julia(settings, progress, force=force)
        bubblewrap, warning = _set_up_bubblewrap(settings, progress, force=force)
        slow_start = _set_up_judge(search, settings, progress)
    if search.found:
        typer.echo(f"Julia {search.found.version}: {search.found.launcher} ({search.place})")
    typer.echo(f"bubblewrap: {bubblewrap or 'none'}")
    if weaker := weaker_isolation(settings):
        typer.echo(weaker, err=True)
    if warning:
        typer.echo(f"Candidates will be isolated less well.\n{warning}", err=True)
    if slow_start:
        typer.echo(f"Judging will start a little later than it could: {slow_start}", err=True)
    if packages:
        from .packages import set_up_packages

        assert search.found is not None
        raise typer.Exit(set_up_packages(search.found, settings, environment, force=force))


def _choose(julia: str, settings: Settings) -> None:
    from ..judge.toolchain.find import choose_julia, forget_choice

    if julia == "auto":
        forget_choice(settings)
    else:
        choose_julia(julia, settings)


def _set_up_julia(settings: Settings, progress: Progress, *, force: bool) -> Search:
    from ..judge.toolchain.find import search_julia
    from ..judge.toolchain.install import install_julia

    search = search_julia(settings)
    if search.found is None or (force and search.place == "cache"):
        install_julia(settings.cache, progress, force=force)
        search = search_julia(settings)
    if search.found is None:
        reasons = "\n".join(search.passed_over)
        raise ToolchainError(f"Julia was installed in {settings.cache}, but cannot be used:\n{reasons}")
    return search


def _set_up_bubblewrap(settings: Settings, progress: Progress, *, force: bool) -> tuple[Path | None, str]:
    """Where it is; else why not. Not an error: without it there is still a weaker isolation."""
    from ..judge.toolchain.find import find_bubblewrap
    from ..judge.toolchain.install import install_bubblewrap

    found = find_bubblewrap(settings)
    ours = found is not None and found.is_relative_to(settings.cache)
    if found is not None and not (force and ours):
        return found, ""
    try:
        return install_bubblewrap(settings.cache, progress, force=force), ""
    except ToolchainError as error:
        return None, str(error)


def _set_up_judge(search: Search, settings: Settings, progress: Progress) -> str:
    """Why the judge could not be compiled in advance, if so: it works without."""
    from ..judge.sandbox.compiled import compile_judge

    assert search.found is not None
    try:
        compile_judge(search.found, settings.cache, progress)
    except ToolchainError as error:
        return str(error)
    return ""


class ProgressDisplay:
    """A bar on a terminal, one line per step elsewhere; nothing at all if nothing is to do."""

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._message = ""

    def __enter__(self) -> Progress:
        return self._show

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def _show(self, message: str, fraction: float | None) -> None:
        bar = self._bar = self._bar or _start_bar()
        total = None if fraction is None else 1.0
        bar.update(bar.task_ids[0], description=message, total=total, completed=fraction or 0.0)
        if message != self._message and bar.disable:
            bar.console.print(message, highlight=False)
        self._message = message


def _start_bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bar = Bar(*columns, console=console, transient=True, disable=not can_redraw(console))
    bar.add_task("", total=None)
    bar.start()
    return bar
