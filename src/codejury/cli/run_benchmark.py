"""`codejury run`: ask models, judge their answers, store both.

flags -> over codejury.toml -> RunOptions -> Benchmark -> the plan, shown or carried out -> the standings
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..options import RunOptions
from ..program import command
from ..settings import load_settings
from .doctor import weaker_isolation
from .option_flags import over_the_file, with_flags
from .render import error_console, many, safe_text, tell_notes, tell_suite, tell_waiting
from .run_tables import dollars, plan_rows, plan_table, print_table, standings_table

if TYPE_CHECKING:
    from ..run.benchmark import Benchmark
    from ..run.plan import RunPlan
    from ..run.standings import Standing
    from ..run.tally import RunTally


@with_flags(RunOptions)
def run(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", envvar="CODEJURY_DRY_RUN", help="Show the plan, and ask nobody.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", envvar="CODEJURY_YES", help="Do not ask before an expensive run.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", envvar="CODEJURY_JSON", help="Print one JSON object a line for every event."),
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            envvar="CODEJURY_CONFIG",
            help="A codejury.toml with defaults for these flags; the one in this folder if left out.",
        ),
    ] = None,
    **flags: Any,
) -> None:
    """Ask models to solve the test cases, judge the answers, and store both.

    What is stored already is not asked again: stop a run whenever you like, and the same command goes on.
    A request that fails is left to the next run. Every flag can also be set in `codejury.toml`, under
    `[run]`, and as an environment variable.

    Exit code: 0 all done; 1 some samples are missing, or a definition cannot be used; 2 bad input; 130
    stopped.
    """
    from ..configuration import load_configuration
    from ..run.benchmark import Benchmark

    configuration = load_configuration(config)
    options = over_the_file(flags, configuration.run)
    if options.definitions is None:
        options = replace(options, definitions=tell_suite())
    benchmark = Benchmark(options, configuration=configuration)
    left_out = tell_notes(benchmark.definition_notes)
    if dry_run:
        show_plan(benchmark, as_json=as_json)
        raise typer.Exit(int(left_out))
    with benchmark.alone():
        plan = benchmark.plan()
        benchmark.check(plan)
        confirm_cost(plan, options.confirm_above, yes=yes)
        if options.engine == "local" and (weaker := weaker_isolation(load_settings())):
            error_console().print(weaker, style="yellow")
        tally = carry_out(benchmark, plan, as_json=as_json)
    show_standings(benchmark, tally, as_json=as_json)
    raise typer.Exit(int(left_out or not tally.all_is_well))


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
    for resolved_model in benchmark.resolved_models:
        if resolved_model.problem:
            error_console().print(f"cannot be asked: {safe_text(resolved_model.problem)}", style="yellow")


def confirm_cost(plan: RunPlan, most: float, *, yes: bool) -> None:
    """Ask before an expensive run; where nobody can answer, it takes a --yes."""
    from ..run.cost import expected_cost

    cost, _ = expected_cost(plan)
    if yes or cost <= most:
        return
    about = f"This run is expected to cost up to {dollars(cost)}"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(
            f"{about}, more than {dollars(most)}: add --yes to run it, or --dry-run to look first"
        )
    if not typer.confirm(f"{about}. Go on?", err=True):
        error_console().print("The run stops here: no model was asked.")
        raise typer.Exit(1)


def carry_out(benchmark: Benchmark, plan: RunPlan, *, as_json: bool) -> RunTally:
    """Run with a display. Ctrl-C and SIGTERM end the command, and it says how to go on."""
    from ..run.loop import StopRequest
    from .run_display import display_for

    stop = StopRequest()
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
    return safe_text(command(*typed), one_line=True)


def show_standings(benchmark: Benchmark, tally: RunTally, *, as_json: bool) -> None:
    """How all models stand, this run and earlier ones together, and what to do next."""
    standings = benchmark.standings()
    if as_json:
        for standing in standings:
            typer.echo(json.dumps({"event": "standing", **asdict(standing)}))
        return
    print_table(standings_table(standings))
    console = error_console()
    ranked = command("leaderboard", "--root", str(benchmark.options.save_dir))
    console.print(f"Results are in {benchmark.options.save_dir}. To rank all models there:\n  {ranked}")
    if rounds := max((standing.round for standing in standings), default=0):
        console.print(f"As they stand after repair:\n  {ranked} --after-repair {rounds}")
    for advice in next_steps(standings, tally):
        console.print(advice, style="yellow")
    tell_waiting(tally.waiting, benchmark.environment)


def next_steps(standings: Sequence[Standing], tally: RunTally) -> Iterator[str]:
    missing = sum(standing.missing for standing in standings if not standing.round)
    if tally.budget_is_reached:
        yield "The budget is spent. The same command with another --budget goes on."
    if tally.unexplained:
        yield f"{many(tally.unexplained, 'answer')} could not be judged: `{command('doctor')}` may say why."
    for name, model in tally.models.items():
        if model.cut_short:
            answers = f"{many(model.answered, 'new answer')} of {safe_text(name, one_line=True)}"
            yield (
                f"{model.cut_short} of {answers} were cut short at their limit of tokens. "
                "A larger --max-tokens asks for them anew."
            )
    if missing:
        them = "it" if missing == 1 else "them"
        yield f"{many(missing, 'sample', 'is', 'are')} missing. To ask for {them}:\n  {same_command()}"
