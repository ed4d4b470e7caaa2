"""`codejury run`: ask models, judge their answers, store both.

flags -> over codejury.toml -> RunOptions -> Benchmark -> the plan, shown or carried out -> the standings
"""

from __future__ import annotations

import json
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..errors import InputError
from .render import error_console, safe_text
from .run_tables import dollars, plan_rows, plan_table, print_table, standings_table

if TYPE_CHECKING:
    from ..benchmark import Benchmark, RunOptions, RunPlan, Standing, Tally
    from ..configuration import Configuration, RunTable

CONFIRM_ABOVE: Final = 1.0
"""USD; a run that is expected to cost more asks first, unless codejury.toml says otherwise."""

_Texts = list[str] | None


def run(
    model: Annotated[
        _Texts,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            envvar="CODEJURY_MODEL",
            help="Whom to ask, such as openai/gpt-4o; repeatable. `codejury models` lists them.",
        ),
    ] = None,
    prompt: Annotated[
        _Texts,
        typer.Option(
            "--prompt",
            "-p",
            metavar="LABEL",
            envvar="CODEJURY_PROMPT",
            help="A prompt template; repeatable. `codejury prompts` lists them.",
            show_default="InJulia, JuliaExpertAsk, JuliaExpertCoTTask",
        ),
    ] = None,
    case: Annotated[
        _Texts,
        typer.Option(
            "--case",
            "-c",
            metavar="GLOB",
            envvar="CODEJURY_CASE",
            help="Test cases by name or category/name; repeatable.",
            show_default="all",
        ),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples",
            "-n",
            min=1,
            envvar="CODEJURY_SAMPLES",
            help="Answers to each question.",
            show_default="1",
        ),
    ] = None,
    temperature: Annotated[
        list[float] | None,
        typer.Option(metavar="X", envvar="CODEJURY_TEMPERATURE", help="0 to 2; several values make a scan."),
    ] = None,
    top_p: Annotated[
        list[float] | None,
        typer.Option(
            metavar="X", envvar="CODEJURY_TOP_P", help="Above 0, up to 1; several values make a scan."
        ),
    ] = None,
    max_tokens: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N", envvar="CODEJURY_MAX_TOKENS", help="The longest answer; several values make a scan."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(envvar="CODEJURY_SEED", help="Of the first sample; the next one gets the next number."),
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            metavar="1SHOT|repair",
            envvar="CODEJURY_STRATEGY",
            help="One try, or repair rounds with the judge's feedback.",
            show_default="1SHOT",
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(min=1, envvar="CODEJURY_ROUNDS", help="Repair rounds at most.", show_default="1"),
    ] = None,
    experiment: Annotated[
        str | None,
        typer.Option(metavar="NAME", envvar="CODEJURY_EXPERIMENT", help="Groups what belongs together."),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(metavar="NAME", envvar="CODEJURY_DEVICE", help="This machine's name in the results."),
    ] = None,
    save_dir: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            envvar="CODEJURY_SAVE_DIR",
            help="Where results go.",
            show_default="results/code_generation",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, envvar="CODEJURY_LIMIT", help="Requests at most, in this run.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            envvar="CODEJURY_WORKERS",
            help="Answers judged at once.",
            show_default="one per processor",
        ),
    ] = None,
    max_connections: Annotated[
        int | None,
        typer.Option(
            min=1,
            envvar="CODEJURY_MAX_CONNECTIONS",
            help="Requests at once per service.",
            show_default="the service's own",
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(metavar="USD", envvar="CODEJURY_BUDGET", help="Ask for nothing beyond it."),
    ] = None,
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
    prompts: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR", envvar="CODEJURY_PROMPTS", help="A folder of your own templates; repeatable."
        ),
    ] = None,
    definitions: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            envvar="CODEJURY_DEFINITIONS",
            help="The folder of the test cases.",
            show_default="the bundled suite",
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="CODEJURY_BASE_URL",
            help="An OpenAI-compatible server for all models that codejury.toml does not describe.",
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            envvar="CODEJURY_TIMEOUT",
            help="Seconds for a candidate's main code, and for each example and test.",
            show_default="10",
        ),
    ] = None,
    allow_unsafe: Annotated[
        bool,
        typer.Option(
            "--allow-unsafe", envvar="CODEJURY_ALLOW_UNSAFE", help="Judge even where no sandbox can be had."
        ),
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            envvar="CODEJURY_CONFIG",
            help="A codejury.toml with defaults for these flags; the one in this folder if left out.",
        ),
    ] = None,
) -> None:
    """Ask models to solve the test cases, judge the answers, and store both.

    What is stored already is not asked again: stop a run whenever you like, and the same command goes on.
    A request that fails is left to the next run. Every flag can also be set in `codejury.toml`, under
    `[run]`, and as an environment variable.

    Exit code: 0 all done; 1 some samples are missing; 2 bad input; 130 stopped.
    """
    from ..benchmark import Benchmark
    from ..configuration import load_configuration

    flags = {
        "model": model, "prompt": prompt, "case": case, "samples": samples, "temperature": temperature,
        "top_p": top_p, "max_tokens": max_tokens, "seed": seed, "strategy": strategy, "rounds": rounds,
        "experiment": experiment, "device": device, "save_dir": save_dir, "limit": limit,
        "workers": workers, "max_connections": max_connections, "budget": budget, "prompts": prompts,
        "definitions": definitions, "base_url": base_url, "timeout": timeout,
        "allow_unsafe": allow_unsafe or None,
    }  # fmt: skip
    configuration = load_configuration(config)
    benchmark = Benchmark(merged(flags, configuration.run), configuration=configuration)
    if dry_run:
        show_plan(benchmark, as_json=as_json)
        return
    with benchmark.alone():
        plan = benchmark.plan()
        benchmark.check(plan)
        confirm_cost(plan, threshold(configuration), yes=yes)
        tally = carry_out(benchmark, plan, as_json=as_json)
    show_standings(benchmark, tally, as_json=as_json)
    raise typer.Exit(int(not tally.all_is_well))


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
    console.print(f"Results are in {benchmark.options.save_dir}.")
    for advice in next_steps(standings, tally):
        console.print(advice, style="yellow")


def next_steps(standings: Sequence[Standing], tally: Tally) -> Iterator[str]:
    missing = sum(standing.missing for standing in standings if not standing.round)
    if tally.budget_is_reached:
        yield "The budget is spent. The same command with another --budget goes on."
    if tally.total("void"):
        yield f"{tally.total('void')} answers could not be judged: `codejury doctor` may say why."
    if missing:
        yield f"{missing} samples are missing. To ask for them:\n  {same_command()}"
