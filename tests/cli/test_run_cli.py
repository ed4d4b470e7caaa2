"""`codejury run` as a user meets it: flags, files and variables, tables, signals, exit codes."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

import pytest
from rich.console import Console
from typer.main import get_command

from benchmark_world import RIGHT, World, always, priced, refuses, replies
from codejury.cli import _app
from codejury.cli import run as command_line
from codejury.cli.option_flags import over_the_file
from codejury.cli.run_display import ProgressEstimate as DisplayClock
from codejury.cli.run_display import duration, live, models_table, plain_lines, status_line
from codejury.cli.run_tables import dollars, plan_table, short, standings_table
from codejury.errors import InputError
from codejury.options import RunOptions
from codejury.run.benchmark import Benchmark
from codejury.run.events import (
    Answered,
    Asked,
    BudgetReached,
    Event,
    Finished,
    Judged,
    ModelFailed,
    Planned,
    RequestFailed,
    SampleRef,
)
from codejury.run.loop import StopRequest
from codejury.run.standings import Standing
from codejury.run.tally import ModelTally, RunTally
from codejury.suite.load import load_definition
from codejury.suite.save import save_definition
from servers import HostileServer, Request, says, says_when

SOLUTION = "```julia\ndouble(x) = 2x\nrepeat(x) = 2x\n```"


def codejury_run(*arguments: str | Path, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "codejury", "run", *arguments],
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )


@pytest.fixture
def world(tmp_path: Path, definitions: Path) -> World:
    return World(tmp_path, definitions)


# Before anything is asked


def test_a_dry_run_shows_the_plan_and_calls_nobody(world, tmp_path):
    with always(RIGHT) as server:
        world.run("mine", case="double", base_url=server.base_url)
        before = len(server.requests)
        arguments = ["--model", "mine", "--model", "openai/gpt-4o", "--base-url", server.base_url]
        arguments += ["--prompt", "InJulia", "--prompt", "AsIs", "--samples", "3", "--dry-run"]
        places = ["--definitions", world.definitions, "--save-dir", world.save_dir]
        done = codejury_run(*arguments, *places, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert len(server.requests) == before
        rows = {tuple(line.split()[:6]) for line in done.stdout.splitlines()}
        assert ("InJulia", "2", "6", "1", "0", "5") in rows
        assert ("AsIs", "2", "6", "0", "0", "6") in rows
        assert "n/a" in done.stdout, "the price of a server of one's own is unknown"
        as_json = codejury_run(*arguments, *places, "--json", folder=tmp_path)
        assert len(server.requests) == before
    first = json.loads(as_json.stdout)["rows"][0]
    assert (first["model"], first["prompt"], first["requests"], first["cost"]) == ("mine", "InJulia", 5, None)


def test_a_dry_run_leaves_no_trace(tmp_path, definitions):
    done = codejury_run(
        "--model", "baseline/stub", "--definitions", definitions, "--dry-run", folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "results").exists()


def test_a_model_without_a_key_still_has_a_price(tmp_path, definitions):
    done = codejury_run(
        *("--model", "openai/gpt-4o", "--definitions", definitions, "--dry-run"),
        folder=tmp_path,
        OPENAI_API_KEY="",
    )
    assert "USD" in done.stdout
    assert "cannot be asked: openai/gpt-4o: no key" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "model: none is named"),
        (["--model", "opnai/gpt-4o"], "no provider `opnai`"),
        (["--model", "baseline/stub", "--prompt", "InJulai"], "did you mean `InJulia`"),
        (["--model", "baseline/stub", "--case", "wrap_wurds"], "no test case fits 'wrap_wurds'"),
        (["--model", "baseline/stub", "--strategy", "guess"], "strategy: must be one of 1SHOT, repair"),
        (["--model", "baseline/stub", "--rounds", "2"], "add it, or leave --rounds out"),
        (
            ["--model", "baseline/stub", "--temperature", "7"],
            "temperature: must be a number from 0, up to 2",
        ),
        (["--model", "baseline/stub", "--definitions", "nowhere"], "nowhere: there is no such file"),
        (["--model", "baseline/stub", "--config", "nowhere.toml"], "nowhere.toml: file: cannot be read"),
        (["--model", "baseline/stub", "--base-url", "ftp://x"], "base_url: is not an http or https address"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(arguments, told, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command_line(["run", *arguments]) == 2
    shown = capsys.readouterr().err
    assert told in " ".join(shown.split())
    assert "Traceback" not in shown


def expensive(tmp_path: Path, server: HostileServer) -> list[str | Path]:
    (tmp_path / "codejury.toml").write_text(
        f'[models."dear"]\nbase_url = "{server.base_url}"\nprice = {{ input = 0, output = 100000 }}\n',
        encoding="utf-8",
    )
    return ["--model", "dear", "--case", "double", "--prompt", "AsIs"]


def test_an_expensive_run_needs_a_yes_where_nobody_can_be_asked(tmp_path, definitions):
    with always(RIGHT) as server:
        arguments = [*expensive(tmp_path, server), "--definitions", definitions]
        done = codejury_run(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert "expected to cost up to 50.00 USD" in done.stderr
    assert "--yes" in done.stderr
    assert server.requests == []


def test_an_expensive_run_asks_first_and_no_means_no(tmp_path, definitions):
    with always(RIGHT) as server:
        arguments = [*expensive(tmp_path, server), "--definitions", definitions]
        leader, follower = pty.openpty()
        command = [sys.executable, "-m", "codejury", "run", *map(str, arguments)]
        with subprocess.Popen(
            command, cwd=tmp_path, stdin=follower, stderr=follower, stdout=subprocess.PIPE
        ) as process:
            os.close(follower)
            os.write(leader, b"n\n")
            assert process.wait(60) == 1
        shown = os.read(leader, 10_000).decode()
        os.close(leader)
    assert "Go on?" in shown
    assert server.requests == []


def test_without_a_julia_that_works_nobody_is_asked(tmp_path, definitions):
    with always(RIGHT) as server:
        arguments = ["--model", "mine", "--base-url", server.base_url, "--definitions", definitions]
        done = codejury_run(*arguments, folder=tmp_path, CODEJURY_JULIA=str(tmp_path / "no-julia"))
    assert done.returncode == 2
    assert "no-julia" in done.stderr
    assert "Traceback" not in done.stderr
    assert server.requests == []


def test_what_cannot_be_judged_here_is_said_and_asked_for_only_on_request(tmp_path, definitions):
    path = definitions / "maths" / "double" / "definition.toml"
    save_definition(replace(load_definition(path), imports=("Dates", "NoSuchPackage")), path)
    with always(SOLUTION) as server:
        arguments = ["--model", "mine", "--base-url", server.base_url, "--definitions", definitions]
        arguments += ["--samples", "2", "--prompt", "AsIs", "--workers", "1"]
        left_out = "2 samples of 1 test case are left out: they need NoSuchPackage"
        plan = codejury_run(*arguments, "--dry-run", folder=tmp_path)
        assert left_out in " ".join(plan.stderr.split())
        done = codejury_run(*arguments, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert left_out in " ".join(done.stderr.split())
        assert "missing" not in done.stderr, "there is nothing more to ask for"
        assert len(server.requests) == 2
        wanted = codejury_run(*arguments, "--ask-unjudgeable", folder=tmp_path)
        assert len(server.requests) == 4
    assert wanted.returncode == 1
    assert "2 answers wait for NoSuchPackage: python -m codejury setup --packages" in wanted.stderr
    assert "missing" not in wanted.stderr, "the answers are there"


# Flags, variables, file


def test_a_flag_goes_over_the_file_and_the_file_over_the_default():
    file = RunOptions(model=("a",), samples=5, temperature=(0.5,), seed=3)
    assert over_the_file({"model": None, "temperature": [], "rounds": None}, file) == file
    over = over_the_file({"model": ["b"], "temperature": [0.0], "seed": 0, "rounds": None}, file)
    assert (over.model, over.samples, over.temperature, over.seed) == (("b",), 5, (0.0,), 0)


def test_every_option_is_a_flag_and_a_variable(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert command_line(["run", "--help"]) == 0
    shown = capsys.readouterr().out
    for name in (*(field.name for field in fields(RunOptions)), "dry_run", "yes", "json", "config"):
        assert f"--{name.replace('_', '-')} " in shown
        assert f"CODEJURY_{name.upper()}]" in shown


def test_variables_are_read_and_give_way_to_flags(tmp_path, definitions):
    variables = {
        "CODEJURY_MODEL": "baseline/stub baseline/reference",
        "CODEJURY_SAMPLES": "4",
        "CODEJURY_DEFINITIONS": str(definitions),
        "CODEJURY_DRY_RUN": "1",
        "CODEJURY_JSON": "1",
    }
    done = codejury_run("--samples", "2", "--prompt", "AsIs", folder=tmp_path, **variables)
    rows = json.loads(done.stdout)["rows"]
    assert [(row["model"], row["wanted"]) for row in rows] == [
        ("baseline/stub", 4),
        ("baseline/reference", 4),
    ]


def test_the_file_in_the_folder_is_read(tmp_path, definitions):
    (tmp_path / "codejury.toml").write_text(
        '[run]\nmodel = "baseline/stub"\nprompt = "AsIs"\nsamples = 7\nsave_dir = "here"\n', encoding="utf-8"
    )
    done = codejury_run("--definitions", definitions, "--dry-run", "--json", folder=tmp_path)
    (row,) = json.loads(done.stdout)["rows"]
    assert (row["model"], row["prompt"], row["wanted"]) == ("baseline/stub", "AsIs", 14)


# With Julia


def test_a_whole_run_with_one_model_that_fails(tmp_path, definitions):
    def choose(request: Request) -> Any:
        return refuses(request) if request.body["model"] == "locked" else SOLUTION

    with HostileServer(replies(choose)) as server:
        arguments = ["--model", "open", "--model", "locked", "--base-url", server.base_url]
        arguments += ["--prompt", "InJulia", "--definitions", str(definitions), "--samples", "2"]
        arguments += ["--workers", "1"]
        done = codejury_run(*arguments, folder=tmp_path)
        assert done.returncode == 1, "a model is missing"
        assert "no such key for locked" in done.stderr
        lines = [line.split() for line in done.stdout.splitlines()]
        assert ["open", "100", "100.0", "%", "4", "of", "4", "0", "n/a"] in lines
        assert "To rank all models there:\n  python -m codejury leaderboard --root" in done.stderr
        assert "4 samples are missing. To ask for them:\n  python -m codejury run --model open" in done.stderr
        asked = len(server.requests)
        again = codejury_run(*arguments[:2], *arguments[4:], "--json", folder=tmp_path)
        assert again.returncode == 0, again.stderr
        assert len(server.requests) == asked
    events = [json.loads(line) for line in again.stdout.splitlines()]
    assert [event["event"] for event in events] == ["planned", "finished", "standing"]
    assert events[-1]["mean_score"] == 100
    assert len(list((tmp_path / "results/code_generation").rglob("evaluation__*.json"))) == 4


STOPPABLE = [
    *("--model", "mine", "--case", "double", "--prompt", "AsIs", "--samples", "9", "--seed", "0"),
    *("--save-dir", "out", "--workers", "1"),
]


def stopped(
    server: HostileServer,
    folder: Path,
    definitions: Path,
    *numbers: signal.Signals,
    then: Callable[[], None] = lambda: None,
) -> str:
    """Send signals to a run when it has its first three verdicts, do something, and give what it told."""
    arguments = [*STOPPABLE, "--definitions", str(definitions), "--base-url", server.base_url]
    with subprocess.Popen(
        [sys.executable, "-m", "codejury", "run", *arguments],
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        while len(list((folder / "out").rglob("evaluation__*.json"))) < 3 or len(server.requests) < 9:
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.05)
        for number in numbers:
            process.send_signal(number)
            time.sleep(0.5)
        then()
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Stopped. All answers that came are in out. To go on:\n  python -m codejury run" in told
    assert "Traceback" not in told
    return told


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_waits_for_the_requests_under_way_and_keeps_their_answers(number, tmp_path, definitions):
    go_on = threading.Event()

    def choose(request: Request) -> Any:
        return says(SOLUTION) if request.body["seed"] < 3 else says_when(go_on, SOLUTION)

    with HostileServer(replies(choose)) as server:
        told = stopped(server, tmp_path, definitions, number, then=go_on.set)
        assert "Stopping: 6 requests under way may be paid for, and may take" in " ".join(told.split())
        assert server.hung_up == 0
        assert len(server.requests) == len(list((tmp_path / "out").rglob("conversation__*.json"))) == 9
        if number == signal.SIGTERM:
            return  # the rest is the same
        again = [*STOPPABLE, "--definitions", definitions, "--base-url", server.base_url]
        done = codejury_run(*again, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert len(server.requests) == 9, "what was under way is not asked for again"


def test_a_second_ctrl_c_gives_up_the_requests_under_way(tmp_path, definitions):
    def choose(request: Request) -> Any:
        return says(SOLUTION, after=0.0 if request.body["seed"] < 3 else 60.0)

    with HostileServer(replies(choose)) as server:
        stopped(server, tmp_path, definitions, signal.SIGINT, signal.SIGINT)
        assert server.hung_up == 6
        assert len(list((tmp_path / "out").rglob("conversation__*.json"))) == 3
        server.script = (replies(lambda request: SOLUTION),)
        again = [*STOPPABLE, "--definitions", definitions, "--base-url", server.base_url]
        done = codejury_run(*again, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    asked = sorted(request.body["seed"] for request in server.requests)
    assert asked == sorted([*range(9), *range(3, 9)]), "only those given up were asked for again"


# What is shown

WHICH = SampleRef(model="m", test_case="c/t", prompt="P", strategy="1SHOT", sample=0)


def a_story() -> list[Any]:
    """The events of a small run."""
    planned = {"wanted": {"m": 4, "n": 2}, "done": {"m": 1, "n": 0}, "unjudged": {"m": 1, "n": 0}}
    answer = {"prompt_tokens": 1, "completion_tokens": 1, "seconds": 1.0, "retries": 0, "file": "x"}
    return [
        Planned(**planned, requests={"m": 2, "n": 2}, cost={"m": 0.5, "n": None}, save_dir="out", run_id=1),
        Asked(which=WHICH),
        Answered(which=WHICH, cost=0.25, **answer),
        Judged(which=WHICH, outcome="pass", score=80.0, is_last=True, file="x"),
        Asked(which=WHICH),
        RequestFailed(which=WHICH, what="m: status 500\x1b[31m"),
        ModelFailed(model="n", what="n: bad key", unasked=2),
        BudgetReached(budget=1.0, spent=0.25),
        Finished(
            seconds=1, answered=1, judged=1, void=0, failed=1, cost=0.25, unknown_costs=0, stopped=False
        ),
    ]


def test_the_tally_counts_what_the_events_say():
    tally = RunTally()
    for event in a_story():
        tally.add(event)
    model = tally.models["m"]
    assert (model.done, model.unjudged, model.to_ask, model.under_way) == (2, 1, 0, 0)
    assert (model.answered, model.failed, model.mean_score, model.cost) == (1, 1, 80.0, 0.25)
    assert not tally.all_is_well
    assert status_line(tally, DisplayClock()) == "2 of 6 samples, 1 to judge, 1 failed, score 80, 0.25 USD"


def test_an_unknown_cost_is_never_nothing_in_a_progress_line():
    tally = RunTally()
    tally.models["m"] = ModelTally(wanted=1, done=1, unknown_costs=1)
    assert status_line(tally, DisplayClock()) == "1 of 1 sample, cost n/a"
    tally.models["n"] = ModelTally(wanted=1, done=1, cost=0.5)
    assert status_line(tally, DisplayClock()) == "2 of 2 samples, 0.50 USD + n/a"


def test_plain_lines_tell_each_failure_once_and_nothing_steers_the_terminal():
    out = io.StringIO()
    with plain_lines(Console(file=out, width=200)) as show:
        for event in [*a_story()[:-1], *a_story()[4:6], a_story()[-1]]:
            show(event)
    told = out.getvalue()
    assert told.count("no answer: m: status 500") == 1
    assert "\x1b" not in told
    assert "failed, 2 requests are not made: n: bad key" in told
    assert "2 models: 1 of 6 samples are there, 1 answer waits for a verdict, 4 requests to make" in told
    assert "the budget of 1.00 USD is reached" in told


def test_the_live_display_shows_every_model():
    out = io.StringIO()
    console = Console(file=out, width=100, force_terminal=True, color_system=None)
    with live(console, StopRequest()) as show:
        for event in a_story():
            show(event)
    last = out.getvalue()
    assert "2/6" in last
    assert "n: bad key" in last
    tally = RunTally()
    for event in a_story():
        tally.add(event)
    shown = io.StringIO()
    Console(file=shown, width=100).print(models_table(tally))
    (line,) = [line.split() for line in shown.getvalue().splitlines() if line.startswith("m ")]
    assert line == ["m", "2/4", "0", "1", "80", "0", "1", "0", "0.25", "of", "0.50", "USD"]


def test_the_tables_fit_a_terminal_of_80_columns(definitions):
    options = RunOptions.of(model="baseline/reference", definitions=definitions, samples=1000)
    plan = Benchmark(options).plan()
    out = io.StringIO()
    Console(file=out, width=80).print(plan_table(plan))
    assert "JuliaExpertCoTTask " in out.getvalue(), "no label is broken"


@pytest.mark.parametrize(
    ("models", "cost"),
    [
        (["baseline/reference", "priced"], "0.0051 USD"),
        (["priced", "unknown"], "0.0051 USD + n/a"),
        (["baseline/reference", "unknown"], "n/a"),
        (["unknown", "strange"], "n/a"),
    ],
)
def test_a_plan_says_what_it_knows_of_the_cost_and_never_that_the_unknown_is_free(definitions, models, cost):
    with HostileServer(says("x")) as server:
        options = RunOptions.of(
            model=models, prompt="AsIs", case="double", definitions=definitions, base_url=server.base_url
        )
        plan = Benchmark(options, configuration=priced(server, "priced", usd=10)).plan()
    out = io.StringIO()
    Console(file=out, width=100).print(plan_table(plan))
    (line,) = [line for line in out.getvalue().splitlines() if line.startswith("in all")]
    assert " ".join(line.split()) == f"in all 2 2 0 0 2 14 + 1.0k {cost}"


def test_standings_show_no_data_as_a_dash_and_rounds_together():
    facts = {"wanted": 4, "void": 0, "cost": 0.0, "unknown_costs": 0}
    rows = [
        Standing(model="empty", round=0, judged=0, passed=0, mean_score=None, strict_rate=None, **facts),
        Standing(model="good", round=0, judged=4, passed=1, mean_score=50.0, strict_rate=0.25, **facts),
        Standing(model="good", round=1, judged=4, passed=3, mean_score=75.0, strict_rate=0.75, **facts),
    ]
    out = io.StringIO()
    Console(file=out, width=100).print(standings_table(rows))
    lines = [" ".join(line.split()) for line in out.getvalue().splitlines()[1:]]
    assert lines == [
        "good first try 50 25.0 % 4 of 4 0 0 USD",
        "good repair 1 75 75.0 % 4 of 4 0 0 USD",
        "empty first try - - 0 of 4 0 0 USD",
    ]


@pytest.mark.parametrize(
    ("cost", "text"),
    [(None, "n/a"), (0, "0 USD"), (0.00000001, "<0.0001 USD"), (0.00213, "0.0021 USD"), (1.349, "1.35 USD")],
)
def test_costs_are_short_and_unknown_is_not_zero(cost, text):
    assert dollars(cost) == text


def test_counts_and_times_are_short():
    assert [short(n) for n in (0, 950, 5300, 123_456, 2_100_000)] == ["0", "950", "5.3k", "123k", "2.1M"]
    assert [duration(s) for s in (45, 725, 12_000)] == ["45 s", "12 min", "3 h 20 min"]


def test_an_unknown_option_in_the_library_is_bad_input():
    with pytest.raises(InputError, match=r"sample: is not an option .did you mean `samples`"):
        RunOptions.of(model="m", sample=3)


# The documentation

DOCS = (Path(__file__).parents[2] / "docs" / "running.md").read_text(encoding="utf-8")


def test_every_flag_is_documented_and_no_other():
    flags = {flag for option in get_command(_app("run")).params for flag in option.opts if flag != "--help"}
    first_cells = (line.split("|")[1] for line in DOCS.splitlines() if line.startswith("| `-"))
    documented = {cell.strip(" `") for line in first_cells for cell in line.split(",")}
    assert documented == {flag for flag in flags if flag.startswith("-")}


def test_every_event_is_documented_with_its_fields():
    rows = {line.split("`")[1]: line for line in DOCS.splitlines() if line.startswith("| `")}
    for kind in get_args(Event):
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
        for field in fields(kind):
            assert f"`{field.name}`" in rows[name] or (field.name == "which" and "*sample*" in rows[name])
    assert all(f"`{field.name}`" in rows["standing"] for field in fields(Standing))
    assert all(f"`{field.name}`" in DOCS for field in fields(SampleRef))
