"""What long commands say while they work: a line every ten seconds, and what they wait for."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.main import get_command

from codejury.cli import COMMANDS, _app, progress
from codejury.cli.progress import Status, being_judged, every_ten_seconds
from codejury.cli.run_display import ProgressEstimate, live, plain_lines, status_line
from codejury.records import Execution, Job
from codejury.run.events import BeganJudging, Judged, JudgeReady, Planned, SampleRef
from codejury.run.loop import StopRequest
from codejury.run.tally import RunTally
from fakes import a_case, a_judge, honest


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten seconds are a moment here."""
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.05)


def wait_until(holds: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.01)


class AtWork:
    """A judge that is at something, or still starting."""

    def __init__(self, *under_way: tuple[str, float], is_starting: bool = False) -> None:
        self.under_way, self.is_starting = under_way, is_starting


# In words


def test_what_is_waited_for_is_named_with_its_seconds_the_longest_first():
    assert being_judged([]) == ""
    two = being_judged([("clamp_to", 0.2), ("wrap_words", 34.4)])
    assert two == "2 being judged: wrap_words (34 s), clamp_to (0 s)"
    many = being_judged([(name, 1.0) for name in "abcd"])
    assert many == "4 being judged: a (1 s), b (1 s), c (1 s) ..."


def test_a_name_cannot_steer_the_terminal():
    assert "\x1b" not in being_judged([("evil\x1b[31m", 1.0)])


def test_a_line_tells_how_far_it_is_and_what_is_waited_for():
    status = Status("judged again", 140)
    assert status.line == "0 of 140 judged again"
    status.judge = AtWork(is_starting=True)
    assert status.line == "0 of 140 judged again, starting Julia"
    status.judge = AtWork(("wrap_words", 34.0))
    status.update(12, 140)
    assert status.line == "12 of 140 judged again, 1 being judged: wrap_words (34 s)"


def test_what_comes_and_goes_quickly_is_not_named_where_nobody_could_read_it():
    status = Status("judged", 3)
    status.judge = AtWork(("wrap_words", 34.0), ("clamp_to", 0.02))
    assert status.waits_for(at_least=2) == "1 being judged: wrap_words (34 s)"


# The clock


def test_lines_come_whether_or_not_something_happens_and_end_with_the_work():
    lines: list[str] = []
    with every_ten_seconds(lambda: lines.append("still here")):
        wait_until(lambda: len(lines) >= 3)
    told = len(lines)
    time.sleep(0.2)
    assert len(lines) == told


def test_a_command_says_what_it_waits_for_though_nothing_happens(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    with progress.progress("judged", 2) as status:
        status.judge = AtWork(("wrap_words", 3.0))
        told = ""
        while "0 of 2 judged, 1 being judged: wrap_words (3 s)" not in told:
            told += capsys.readouterr().err
            time.sleep(0.01)


def test_a_quiet_command_says_nothing(capsys: pytest.CaptureFixture[str]):
    with progress.progress("judged", 2, quiet=True):
        time.sleep(0.2)
    assert capsys.readouterr().err == ""


def test_the_bar_of_a_terminal_names_what_it_waits_for(monkeypatch: pytest.MonkeyPatch):
    out = io.StringIO()
    console = Console(file=out, width=120, force_terminal=True, color_system=None)
    monkeypatch.setattr(progress, "error_console", lambda: console)
    with progress.progress("judged again", 140) as status:
        status.judge = AtWork(("wrap_words", 34.0), ("clamp_to", 0.02))
        status.update(12, 140)
        wait_until(lambda: "12/140 judged again, 1 being judged: wrap_words (34 s)" in out.getvalue())


# What a judge is at


def test_a_judge_says_what_it_is_at_and_since_when():
    inside, may_go = threading.Event(), threading.Event()

    def slow(job: Job) -> Execution:
        inside.set()
        may_go.wait(10)
        return honest(job)

    with a_judge(slow) as judge:
        work = threading.Thread(target=judge.evaluate, args=("```julia\nright\n```", a_case()))
        work.start()
        inside.wait(10)
        ((name, seconds),) = judge.under_way
        assert (name, judge.is_starting) == ("double", False)
        assert 0 <= seconds < 10
        may_go.set()
        work.join()
        assert judge.under_way == []


def test_a_judge_whose_sandboxes_are_not_ready_is_starting():
    may_start = threading.Event()

    def start() -> Any:
        may_start.wait(10)
        raise RuntimeError("never mind")

    from codejury.judge.judge import Judge

    judge = Judge(sandbox_factory=start)
    assert not judge.is_starting, "nobody has asked for it"
    with judge:
        assert judge.is_starting
        may_start.set()
        wait_until(lambda: not judge.is_starting)


# A run

WHICH = SampleRef(model="m", test_case="strings/wrap_words", prompt="P", strategy="1SHOT", sample=0)
PLANNED = Planned(
    wanted={"m": 4},
    done={"m": 1},
    unjudged={"m": 2},
    requests={"m": 1},
    cost={"m": 0.0},
    save_dir="out",
    run_id=1,
)


def test_a_run_tells_what_the_judge_is_at():
    tally = RunTally()
    tally.add(PLANNED)
    assert status_line(tally, ProgressEstimate()) == "1 of 4 samples, 2 to judge, 0 USD, starting Julia"
    tally.add(JudgeReady(julia_version="1.10.0", sandbox="L3"))
    tally.add(BeganJudging(which=WHICH))
    line = "1 of 4 samples, 1 to judge, 0 USD, 1 being judged: strings/wrap_words (0 s)"
    assert status_line(tally, ProgressEstimate()) == line
    tally.add(Judged(which=WHICH, outcome="pass", score=100.0, is_last=True, file="x"))
    assert status_line(tally, ProgressEstimate()) == "2 of 4 samples, 1 to judge, score 100, 0 USD"


def test_the_lines_of_a_run_come_although_nothing_happens():
    out = io.StringIO()
    with plain_lines(Console(file=out, width=200)) as show:
        show(PLANNED)
        show(JudgeReady(julia_version="1.10.0", sandbox="L3"))
        show(BeganJudging(which=WHICH))
        wait_until(lambda: out.getvalue().count("1 being judged: strings/wrap_words (0 s)") >= 2)


def test_the_bar_of_a_run_names_what_takes_long(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("codejury.cli.run_display.WORTH_TELLING", 0.1)
    out = io.StringIO()
    console = Console(file=out, width=150, force_terminal=True, color_system=None)
    with live(console, StopRequest()) as show:
        show(PLANNED)
        show(JudgeReady(julia_version="1.10.0", sandbox="L3"))
        show(BeganJudging(which=WHICH))
        wait_until(lambda: "1 being judged: strings/wrap_words (0 s)" in out.getvalue())


# The limits


def flags_of(command: str) -> set[str]:
    return {flag for option in get_command(_app(command)).params for flag in option.opts}


def test_every_command_with_a_limit_for_a_block_has_one_for_an_answer():
    limited = {name for name in COMMANDS if "--timeout" in flags_of(name)}
    assert limited >= {"evaluate", "judge", "run", "rescore", "verify", "import", "validate"}
    assert [name for name in limited if "--answer-timeout" not in flags_of(name)] == []


def test_evaluate_shows_how_long_a_looping_answer_ran_and_what_was_not_tried(tmp_path: Path):
    answer = tmp_path / "answer.md"
    answer.write_text("```julia\nwrap_words(x...; y...) = while true end\n```")
    command = [sys.executable, "-m", "codejury", "evaluate", "wrap_words", str(answer)]
    limits = ["--timeout", "0.4", "--answer-timeout", "1"]
    done = subprocess.run(
        [*command, *limits], env=os.environ | {"COLUMNS": "200"}, capture_output=True, text=True, check=True
    )
    rows = [" ".join(row.split()) for row in done.stdout.splitlines()]
    assert any(row.startswith("example 1 timed out 0.4") for row in rows), done.stdout
    assert any(row.endswith("timed out not tried: the answer's 1 s were used up") for row in rows), (
        done.stdout
    )
