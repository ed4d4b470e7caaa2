"""`codejury selftest`: proves that judging works with this Julia, on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from .. import __version__
from ..settings import load_settings
from .render import error_console, output_console, safe_text

if TYPE_CHECKING:
    from rich.console import Console

    from ..selftest.checks import SelftestCheck
    from ..selftest.machine import Machine


_MARKS: Final = {"passed": ("✓", "green"), "failed": ("✗", "bold red"), "skipped": ("–", "dim")}
_NAME_WIDTH: Final = 42
_NARROW: Final = {"isolation": 12, "start-up": 14}
"""Groups of short names and long details."""
_MOST_DETAIL: Final = 600
"""Characters: a Julia that does not start can say much. `--json` has it all."""


def selftest(
    full: Annotated[bool, typer.Option("--full", help="Run the whole suite, not a sample.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    level: Annotated[
        str,
        typer.Option(
            metavar="L",
            help="Try this level of isolation alone: L3, L2.5 or L2.",
            show_default="all",
        ),
    ] = "",
) -> None:
    """Prove that judging works here: with this Julia, in this sandbox, on this machine.

    Workers are started at each level of isolation, forked and cold; short jobs must end as they should;
    solutions of the bundled suite must pass or fail as they should; and a dozen attacks must get nothing.
    It takes a minute or two, with --full some more. Run it first with a Julia that is new to you.

    Exit code: 0 nothing failed; 1 something did; 2 bad input.
    """
    from ..selftest.checks import CheckState
    from ..selftest.machine import examine_machine
    from ..selftest.running import run_selftest

    machine = examine_machine(load_settings(), level=level)
    console = output_console()
    checks: list[SelftestCheck] = []
    with _announcing(console, quiet=as_json) as announce:
        for check in run_selftest(machine, full=full, on_start=announce):
            if not as_json:
                show_check(console, check, is_first=not checks or checks[-1].group != check.group)
            checks.append(check)
    if as_json:
        typer.echo(json.dumps(as_document(machine, checks), indent=2, ensure_ascii=False))
    else:
        console.print(f"\n{summary(machine, checks)}", style="bold", soft_wrap=True)
    raise typer.Exit(int(any(check.state is CheckState.FAILED for check in checks)))


@contextmanager
def _announcing(console: Console, *, quiet: bool) -> Iterator[Callable[[str, str], None]]:
    """What is being tried, below the rows on a terminal; nothing where nobody looks."""
    # Rows and the line below them have to go to one console, or they would overwrite each other.
    shown = error_console() if quiet or not console.is_terminal else console
    if not shown.is_terminal:
        yield lambda group, name: None
        return
    with shown.status("") as status:
        yield lambda group, name: status.update(f"{group}: {name}")


def show_check(console: Console, check: SelftestCheck, *, is_first: bool) -> None:
    """A line of the table, below the name of its group if it is the first there."""
    from rich.table import Table
    from rich.text import Text

    if is_first:
        console.print(check.group, style="bold")
    mark, style = _MARKS[check.state]
    row = Table.grid(padding=(0, 1, 0, 0))
    row.add_column(width=3, justify="right")
    width = _NARROW.get(check.group, _NAME_WIDTH)
    row.add_column(width=width, overflow="fold")
    row.add_column(width=max(20, console.width - width - 14), overflow="fold")
    row.add_column(width=7, justify="right", no_wrap=True)
    seconds = f"{check.seconds:.1f} s" if check.seconds >= 0.05 else ""
    row.add_row(Text(mark, style=style), check.name, Text(_shortened(check.detail), style=style), seconds)
    console.print(row)


def _shortened(detail: str) -> str:
    """Both ends of what is too long: one says what was tried, the other how it ended."""
    text, half = safe_text(detail), _MOST_DETAIL // 2
    return text if len(text) <= _MOST_DETAIL else f"{text[:half]} … {text[-half:]}"


def summary(machine: Machine, checks: Sequence[SelftestCheck]) -> str:
    """The last line: how many passed and on what, or which failed."""
    from ..selftest.checks import CheckState

    failed = [f"{check.group}: {check.name}" for check in checks if check.state is CheckState.FAILED]
    skipped = sum(check.state is CheckState.SKIPPED for check in checks)
    tried = len(checks) - skipped
    left_out = f" ({skipped} skipped)" if skipped else ""
    where = f"Julia {machine.julia_version or 'not found'} at {machine.level}"
    if failed:
        return f"{len(failed)} of {tried} checks failed{left_out}, {where}: {'; '.join(failed)}"
    return f"All {tried} checks passed{left_out}: {where}, forked"


def as_document(machine: Machine, checks: Sequence[SelftestCheck]) -> dict[str, Any]:
    """The JSON form."""
    from ..selftest.checks import CheckState

    return {
        "passed": not any(check.state is CheckState.FAILED for check in checks),
        "julia": machine.julia_version or None,
        "level": machine.level,
        "codejury": __version__,
        "counts": {state.value: sum(check.state is state for check in checks) for state in CheckState},
        "checks": [asdict(check) for check in checks],
    }
