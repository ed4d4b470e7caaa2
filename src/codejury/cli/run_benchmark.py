"""`codejury run`: ask models, judge their answers, store both.

flags -> over codejury.toml -> RunOptions -> Benchmark -> the plan, shown or carried out -> the standings
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ..options import RunOptions
from ..settings import load_settings
from .isolation import weaker_isolation
from .option_flags import over_the_file, with_flags
from .render import error_console, tell_notes, tell_suite
from .run_steps import carry_out, confirm_cost, show_plan, show_standings


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
