"""The steps of `codejury run`, in their order: options, plan, consent, run, standings."""

from __future__ import annotations

import json
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import typer

from ..errors import InputError
from .render import error_console, many, safe_text
from .run_tables import dollars, plan_rows, plan_table, print_table, standings_table

if TYPE_CHECKING:
    from ..benchmark import Benchmark, RunOptions, RunPlan, Standing, Tally
    from ..configuration import Configuration, RunTable

CONFIRM_ABOVE: Final = 1.0
"""USD; a run that is expected to cost more asks first, unless codejury.toml says otherwise."""


def merged(flags: Mapping[str, Any], table: RunTable) -> RunOptions:
    """A flag, or its variable, over the file; what neither sets keeps its default."""
    from ..benchmark import RunOptions

    chosen = {name: flag if _is_set(flag) else getattr(table, name, None) for name, flag in flags.items()}
    options = RunOptions.of(**{name: value for name, value in chosen.items() if _is_set(value)})
    if flags["rounds"] is not None and not options.repair_rounds:
        raise InputError("rounds: there are none without --strategy repair; add it, or leave --rounds out")
    return options


def _is_set(value: Any) -> bool:
    return value is not None and value not in ([], ())


def threshold(configuration: Configuration) -> float:
    set_by_user = configuration.run.confirm_above
    return CONFIRM_ABOVE if set_by_user is None else set_by_user


def show_plan(benchmark: Benchmark, *, as_json: bool) -> None:
    """What would be asked, and what it would take."""
    plan = benchmark.plan()
    if as_json:
        typer.echo(json.dumps({"event": "plan", "rows": [asdict(row) for row in plan_rows(plan)]}))
        return
    print_table(plan_table(plan))
    for note in benchmark.notes:
        error_console().print(safe_text(note, one_line=True), style="yellow")
    for problem in plan.unreadable:
        error_console().print(f"not counted: {safe_text(problem, one_line=True)}", style="yellow")
    for contestant in benchmark.contestants:
        if contestant.problem:
            error_console().print(f"cannot be asked: {safe_text(contestant.problem)}", style="yellow")


def confirm_cost(plan: RunPlan, most: float, *, yes: bool) -> None:
    """Ask before an expensive run; where nobody can answer, it takes a --yes."""
    from ..benchmark.expectation import expected_cost

    cost, _ = expected_cost(plan)
    if yes or cost <= most:
        return
    about = f"This run is expected to cost up to {dollars(cost)}"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(
            f"{about}, more than {dollars(most)}: add --yes to run it, or --dry-run to look first"
        )
    if not typer.confirm(f"{about}. Go on?", err=True):
        error_console().print("Nobody was asked anything.")
        raise typer.Exit(1)


def carry_out(benchmark: Benchmark, plan: RunPlan, *, as_json: bool) -> Tally:
    """Run with a display. Ctrl-C and SIGTERM end the command, and it says how to go on."""
    from ..benchmark.engine import Stop
    from .run_display import display_for

    stop = Stop()
    try:
        with display_for(stop, as_json=as_json) as display:
            return benchmark.run(plan, on_event=display, stop=stop, signals=(signal.SIGINT, signal.SIGTERM))
    except KeyboardInterrupt:
        kept = benchmark.options.save_dir
        error_console().print(f"Stopped. All answers that came are in {kept}. To go on:\n  {same_command()}")
        raise typer.Exit(130) from None


def same_command() -> str:
    """The command line as it was typed."""
    typed = sys.argv[1:] if sys.argv[1:2] == ["run"] else ["run", "..."]
    return safe_text(shlex.join(["codejury", *typed]), one_line=True)


def show_standings(benchmark: Benchmark, tally: Tally, *, as_json: bool) -> None:
    """How all models stand, this run and earlier ones together, and what to do next."""
    standings = benchmark.standings()
    if as_json:
        for standing in standings:
            typer.echo(json.dumps({"event": "standing", **asdict(standing)}))
        return
    print_table(standings_table(standings))
    console = error_console()
    ranked = shlex.join(["codejury", "leaderboard", "--root", str(benchmark.options.save_dir)])
    console.print(f"Results are in {benchmark.options.save_dir}. To rank all models there:\n  {ranked}")
    if rounds := max((standing.round for standing in standings), default=0):
        console.print(f"As they stand after repair:\n  {ranked} --after-repair {rounds}")
    for advice in next_steps(standings, tally):
        console.print(advice, style="yellow")


def next_steps(standings: Sequence[Standing], tally: Tally) -> Iterator[str]:
    missing = sum(standing.missing for standing in standings if not standing.round)
    if tally.budget_is_reached:
        yield "The budget is spent. The same command with another --budget goes on."
    if tally.total("void"):
        yield f"{many(tally.total('void'), 'answer')} could not be judged: `codejury doctor` may say why."
    if missing:
        them = "it" if missing == 1 else "them"
        yield f"{many(missing, 'sample', 'is', 'are')} missing. To ask for {them}:\n  {same_command()}"
