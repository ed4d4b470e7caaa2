"""`codejury run`: ask models, judge their answers, store both.

flags -> over codejury.toml -> RunOptions -> Benchmark -> the plan, shown or carried out -> the standings
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .render import tell_notes
from .run_steps import carry_out, confirm_cost, merged, show_plan, show_standings, threshold

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
    answer_timeout: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            envvar="CODEJURY_ANSWER_TIMEOUT",
            help="Seconds for all of an answer, its repetitions included.",
            show_default="60",
        ),
    ] = None,
    allow_unsafe: Annotated[
        bool,
        typer.Option(
            "--allow-unsafe", envvar="CODEJURY_ALLOW_UNSAFE", help="Judge even where no sandbox can be had."
        ),
    ] = False,
    ask_unjudgeable: Annotated[
        bool,
        typer.Option(
            "--ask-unjudgeable",
            envvar="CODEJURY_ASK_UNJUDGEABLE",
            help="Ask also for test cases that need packages which the Julia here lacks.",
        ),
    ] = False,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="local|ray",
            envvar="CODEJURY_ENGINE",
            help="Where answers are judged: on this machine, or on a Ray cluster.",
            show_default="local",
        ),
    ] = None,
    ray_address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            envvar="CODEJURY_RAY_ADDRESS",
            help="The cluster, for --engine ray.",
            show_default="the one Ray knows of",
        ),
    ] = None,
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

    Exit code: 0 all done; 1 some samples are missing, or a definition cannot be used; 2 bad input; 130
    stopped.
    """
    from ..benchmark import Benchmark
    from ..configuration import load_configuration

    flags = {
        "model": model, "prompt": prompt, "case": case, "samples": samples, "temperature": temperature,
        "top_p": top_p, "max_tokens": max_tokens, "seed": seed, "strategy": strategy, "rounds": rounds,
        "experiment": experiment, "device": device, "save_dir": save_dir, "limit": limit,
        "workers": workers, "max_connections": max_connections, "budget": budget, "prompts": prompts,
        "definitions": definitions, "base_url": base_url, "timeout": timeout,
        "answer_timeout": answer_timeout, "allow_unsafe": allow_unsafe or None,
        "ask_unjudgeable": ask_unjudgeable or None, "engine": engine, "ray_address": ray_address,
    }  # fmt: skip
    configuration = load_configuration(config)
    benchmark = Benchmark(merged(flags, configuration.run), configuration=configuration)
    left_out = tell_notes(benchmark.definition_notes)
    if dry_run:
        show_plan(benchmark, as_json=as_json)
        raise typer.Exit(int(left_out))
    with benchmark.alone():
        plan = benchmark.plan()
        benchmark.check(plan)
        confirm_cost(plan, threshold(configuration), yes=yes)
        tally = carry_out(benchmark, plan, as_json=as_json)
    show_standings(benchmark, tally, as_json=as_json)
    raise typer.Exit(int(left_out or not tally.all_is_well))
