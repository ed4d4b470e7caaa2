"""A program of the user's as a model: real processes, what they are told, what becomes of what they say."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from codejury.configuration import ConfigurationError, load_configuration
from codejury.errors import ModelError, ModelRefused, ModelUnavailable
from codejury.models.prices import Usage
from codejury.models.protocol import NotSent, Parameters, RequestRefused
from codejury.models.session import Session
from codejury.models.spec import price_of
from codejury.records import Completion, Message
from models.test_models import CASE, PROMPT, keyring


def answered(folder: Path, script: str, *, previous: tuple[Message, ...] = (), **table: Any) -> Any:
    """What comes of one question to a Python script."""
    (folder / "script.py").write_text(script, encoding="utf-8")
    command = {"command": [sys.executable, str(folder / "script.py")], **table}
    lines = [f"{name} = {json.dumps(value)}" for name, value in command.items()]
    file = folder / "codejury.toml"
    file.write_text("\n".join(['[models."command/agent"]', *lines]), encoding="utf-8")

    async def main() -> Completion | ModelError:
        async with Session(load_configuration(file), keyring=keyring()) as session:
            model = session.resolve("command/agent")
            try:
                given = Parameters(effort="high")
                return await model.complete(PROMPT, given, test_case=CASE, previous=previous, sample=3)
            except ModelError as error:
                return error

    return asyncio.run(main())


def reports(line: str) -> str:
    """A script that says so in its last line on stderr."""
    return f"import sys; print('x'); print('noise', file=sys.stderr); print({line!r}, file=sys.stderr)"


def test_what_it_writes_is_the_answer_to_what_it_reads(tmp_path):
    outcome = answered(tmp_path, "import sys; print(sys.stdin.read().upper(), end='')")
    assert outcome.text == "BE BRIEF.\n\nWRITE ADD_TWO. Π\n"
    assert (outcome.cost, outcome.prompt_tokens) == (None, None), "unknown is not 0"


def test_it_tells_what_the_answer_took_in_the_last_line_of_stderr(tmp_path):
    facts = {"cost": 0.25, "prompt_tokens": 9, "completion_tokens": 5, "reasoning_tokens": 4}
    outcome = answered(tmp_path, reports(json.dumps({**facts, "finish_reason": "stop"})))
    assert (outcome.text, outcome.cost) == ("x\n", 0.25)
    assert (outcome.prompt_tokens, outcome.completion_tokens) == (9, 5)
    assert (outcome.reasoning_tokens, outcome.finish_reason) == (4, "stop")


@pytest.mark.parametrize("cost", ["-1", "NaN", "true", '"1"', "null"])
def test_a_cost_that_cannot_be_is_unknown(tmp_path, cost):
    outcome = answered(tmp_path, reports(f'{{"cost": {cost}}}'))
    assert (outcome.text, outcome.cost) == ("x\n", None)


def test_without_a_cost_of_its_own_the_price_of_the_table_counts(tmp_path):
    file = tmp_path / "codejury.toml"
    file.write_text('[models."command/a"]\ncommand = "x"\nprice = { input = 2.0, output = 1.0 }')
    session = Session(load_configuration(file), keyring=keyring())
    assert price_of(session.spec_of("command/a"))(Usage(read=1_000_000, written=0)) == 2.0


def test_it_runs_in_a_folder_of_its_own_that_holds_the_request_and_is_removed(tmp_path):
    script = "import os; print(os.getcwd(), os.listdir(), open('request.json').read(), sep='\\n')"
    folder, listing, request = answered(tmp_path, script).text.splitlines()
    assert listing == "['request.json']"
    assert json.loads(request)["parameters"] == {"effort": "high"}
    assert json.loads(request)["sample"] == 3
    assert not Path(folder).exists()


def test_turns_of_a_repair_have_headings(tmp_path):
    said = (Message(role="assistant", content="wrong"), Message(role="user", content="again"))
    outcome = answered(tmp_path, "import sys; print(sys.stdin.read())", previous=said)
    assert "[assistant]\nwrong\n\n[user]\nagain" in outcome.text


def test_a_program_that_fails_gave_no_answer(tmp_path):
    outcome = answered(tmp_path, "import sys; print('half'); sys.exit('no quota left')")
    assert isinstance(outcome, ModelUnavailable)
    assert "code 1" in str(outcome)
    assert "no quota left" in str(outcome)


def test_a_program_that_is_late_is_ended_with_all_that_it_has_started(tmp_path):
    pids = tmp_path / "pids"
    script = f"""
import os, subprocess, time
child = subprocess.Popen(["sleep", "60"])
open({str(pids)!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
time.sleep(60)
"""
    outcome = answered(tmp_path, script, timeout_seconds=2.0)
    assert isinstance(outcome, ModelUnavailable)
    assert "not done within 2 s" in str(outcome)
    for pid in pids.read_text().split():
        assert is_gone(int(pid))


def test_what_a_program_leaves_behind_does_not_hold_its_answer_back(tmp_path):
    script = "import subprocess; subprocess.Popen(['sleep', '60']); print('done', flush=True)"
    assert answered(tmp_path, script, timeout_seconds=30.0).text == "done\n"


def test_a_program_that_never_stops_writing_is_ended(tmp_path):
    outcome = answered(tmp_path, "while True: print('x' * 100_000)")
    assert isinstance(outcome, RequestRefused)
    assert "more than 8,000,000 bytes" in str(outcome)


def test_a_program_that_is_not_there_is_told_before_anything_runs(tmp_path):
    with pytest.raises(ModelRefused, match="there is no program"):
        answered(tmp_path, "", command=["no-such-agent"])


def test_a_command_without_a_table_says_how_to_write_one():
    with pytest.raises(ModelRefused, match=r"command = "):
        Session(keyring=keyring()).resolve("command/agent")


def test_a_table_that_makes_no_sense_is_told(tmp_path):
    file = tmp_path / "codejury.toml"
    file.write_text('[models."command/a"]\n[models."openai/b"]\ncommand = ["x"]\n', encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_configuration(file)
    fields = ['models."command/a".command', 'models."openai/b".command']
    assert [problem.field for problem in caught.value.problems] == fields


def test_nothing_is_started_once_the_run_asks_nothing_more(tmp_path):
    file = tmp_path / "codejury.toml"
    file.write_text(f'[models."command/a"]\ncommand = ["{sys.executable}"]', encoding="utf-8")

    async def main() -> None:
        async with Session(load_configuration(file), keyring=keyring()) as session:
            model: Any = session.resolve("command/a")
            model.stop_sending()
            with pytest.raises(NotSent):
                await model.complete(PROMPT, Parameters(), test_case=CASE)

    asyncio.run(main())


def is_gone(pid: int) -> bool:
    """Within a while: a killed process is a zombie until its parent hears of it."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False
