"""The command line: what it says, how it ends, and that nothing a model wrote can steer the terminal."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import unicodedata
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from codejury import __version__
from codejury.cli import COMMANDS, Command, run
from codejury.cli.judge import summary
from codejury.cli.render import number, safe_text, show_evaluation
from codejury.errors import CodejuryError, InputError, suggestion
from codejury.exchange.bulk.plan import BulkTally
from codejury.judge.score import VERDICT_FIELDS, assess, void
from codejury.options import JudgeOptions, declared_options
from codejury.records import Block, BlockKind, Ending, Evaluation, Extraction, TestCase
from codejury.suite.load import load_definition
from codejury.suite.suite import find_definitions
from fakes import a_case, facts, in_folders

HEAVY = ("typer", "rich", "pydantic", "openai", "markdown_it", "polars", "tomlkit", "codejury.judge")


def codejury(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line as a process of its own."""
    command = [sys.executable, "-m", "codejury", *map(str, arguments)]
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


# The overview and the help


def test_without_arguments_the_overview_names_every_command(capsys):
    assert run([]) == 0
    told = capsys.readouterr().out
    assert all(f"  {name} " in told and command.summary in told for name, command in COMMANDS.items())
    assert run(["--help"]) == run(["-h"]) == 0
    assert capsys.readouterr().out == told * 2


def test_the_version_is_told(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"codejury {__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []])
def test_the_overview_loads_nothing_heavy(arguments):
    script = (
        "import sys, codejury\nfrom codejury.cli import run\n"
        f"run({arguments!r})\nprint([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_examples(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert run([name, "--help"]) == 0
    told = capsys.readouterr().out
    assert f"Usage: codejury {name}" in told
    assert COMMANDS[name].examples
    assert all(example in told for example in COMMANDS[name].examples)
    assert all(example.find(f"codejury {name}") >= 0 for example in COMMANDS[name].examples)


def test_a_mistyped_command_gets_a_suggestion(capsys):
    assert run(["evalute", "x"]) == 2
    assert capsys.readouterr().err == "codejury has no command 'evalute'; did you mean `evaluate`?\n"
    assert run(["--quite"]) == 2
    assert "no option '--quite'" in capsys.readouterr().err


def test_a_missing_argument_is_bad_input(capsys):
    assert run(["evaluate"]) == 2
    assert "Missing argument 'DEFINITION'" in capsys.readouterr().err


# How commands end


@pytest.fixture
def command(monkeypatch):
    """Make a command of our own that does what it is given."""

    def make(action: Any) -> str:
        def act() -> None:
            action()

        module = ModuleType("codejury.cli.act")
        module.__dict__["act"] = act
        monkeypatch.setitem(sys.modules, "codejury.cli.act", module)
        monkeypatch.setitem(COMMANDS, "act", Command(home="act:act", summary="", examples=()))
        return "act"

    return make


def raising(error: BaseException) -> Any:
    def action() -> None:
        raise error

    return action


def test_an_error_on_purpose_is_one_message_and_exit_code_2(command, capsys):
    assert run([command(raising(InputError("x.toml: [bold]name[/bold]: is :smile: missing")))]) == 2
    assert capsys.readouterr() == ("", "x.toml: [bold]name[/bold]: is :smile: missing\n")


def test_an_error_can_carry_its_own_exit_code(command):
    error = CodejuryError("no")
    error.exit_code = 7  # type: ignore[attr-defined]
    assert run([command(raising(error))]) == 7


def test_an_error_message_cannot_steer_the_terminal(command, capsys):
    run([command(raising(InputError("task '\x1b[2J\u202e'")))])
    assert capsys.readouterr().err == "task '\\x1b[2J\\u202e'\n"


def test_a_bug_is_told_as_one_with_its_traceback(command, capsys):
    assert run([command(raising(ZeroDivisionError("oops")))]) == 70
    told = capsys.readouterr().err
    assert "Traceback" in told
    assert "ZeroDivisionError: oops" in told
    assert f"This is a bug in codejury {__version__}" in told


def test_ctrl_c_ends_with_130(command):
    assert run([command(raising(KeyboardInterrupt()))]) == 130


def test_a_reader_that_has_seen_enough_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "codejury", "--help"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


def test_a_terminal_without_utf8_gets_escapes():
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "NO_COLOR": "1"}
    done = codejury("evaluate", "straße", "-", env=environment)
    assert done.returncode == 2
    assert "stra\\xdfe: no such file" in done.stderr


# Text of unknown origin


def test_what_could_steer_a_terminal_is_shown_as_an_escape():
    assert safe_text("\x1b[31mred\x07\x9b\x7f") == "\\x1b[31mred\\x07\\x9b\\x7f"
    assert safe_text("a\u202eb\u2066c\u200bd\u2028e\ufefff\ud800g\U000e0041") == (
        "a\\u202eb\\u2066c\\u200bd\\u2028e\\ufefff\\ud800g\\U000e0041"
    )
    assert safe_text("naïve 変数 🙂 = \\x1b\n\tx\r") == "naïve 変数 🙂 = \\x1b\n\tx\\r"
    assert safe_text("a\nb\tc", one_line=True) == "a\\nb\\tc"


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(alphabet=st.characters()))
def test_safe_text_has_no_harmful_character_left(text):
    left = {unicodedata.category(character) for character in safe_text(text, one_line=True)}
    assert not left & {"Cc", "Cf", "Cs", "Zl", "Zp"}


# One verdict, shown


def shown(evaluation: Evaluation, case: TestCase) -> str:
    console = Console(file=io.StringIO(), width=200, highlight=False, markup=False, emoji=False)
    show_evaluation(console, evaluation, case)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_verdict_tells_where_what_and_how_many_points():
    case = a_case(path=Path("/cases/maths/double/definition.toml"))
    told = shown(assess(facts(case, tests=(0, 1, 2), examples=(0,)), case), case)
    assert "maths/double   Julia 1.10.0   sandbox fake" in told
    assert "all Julia blocks of the answer, joined (rule all)" in told
    assert "1 block in the answer, used: 1" in told
    assert (
        "81.25 of 100 points = 25 parsed + 25 executed + 18.75 unit tests (3 of 4) + 12.5 examples (1 of 2)"
        in told
    )
    assert "FAIL" in told
    assert "PASS" in shown(assess(facts(case), case), case)


def test_a_verdict_tells_each_block_its_error_and_the_line_that_failed():
    case = a_case(unit_tests=("# first\n@test double(1) == 3",), examples=("double(1)",))
    error = {"error_type": "TestFailed", "message": "2 == 3", "line": 2}
    blocks = (
        Block(kind=BlockKind.MAIN, index=0, ending=Ending.PASSED, seconds=0.25),
        Block(kind=BlockKind.EXAMPLE, index=0, ending=Ending.TIMED_OUT, seconds=10.0),
        Block(kind=BlockKind.UNIT_TEST, index=0, ending=Ending.FAILED, **error),  # type: ignore[arg-type]
    )
    told = shown(assess(replace(facts(case), blocks=blocks), case), case)
    rows = [row.split() for row in told.splitlines()]
    assert ["main", "code", "passed", "0.250"] in rows
    assert ["example", "1", "timed", "out", "10.000"] in rows
    assert ["unit", "test", "1", "failed", "0.000", "TestFailed:", "2", "==", "3"] in rows
    assert "line 2: @test double(1) == 3" in told


def test_a_verdict_tells_what_was_left_out_and_what_was_printed():
    extraction = Extraction(
        rule="last_defining",
        blocks_found=3,
        blocks_used=(0, 2),
        extended=(1, 2),
        dropped_imports=("Foo",),
        dropped_tests=2,
    )
    case = a_case()
    output = "".join(f"line {n}\n" for n in range(30))
    told = shown(assess(facts(case, extraction=extraction, stdout=output), case), case)
    assert "the last block that defines the function (rule last_defining)" in told
    assert "3 blocks in the answer, used: 1, 3" in told
    assert "goes on past a fence inside a string or a comment: 2, 3" in told
    assert "not installed: Foo" in told
    assert "tests of its own, dropped: 2" in told
    assert "the last 10 of 30 lines" in told
    assert "line 29" in told
    assert "line 19" not in told


def test_tampering_is_told():
    case = a_case()
    told = shown(assess(facts(case, tampering=("redefined ==",)), case), case)
    assert "Tampering with the judge: redefined ==. All unit tests count as failed." in told
    assert "0 unit tests (0 of 4)" in told


def test_a_void_verdict_has_no_points_but_a_reason():
    told = shown(void(a_case(), "the sandbox failed: no room"), a_case())
    assert "VOID  the sandbox failed: no room" in told
    assert "points" not in told


def test_nothing_that_a_model_wrote_reaches_the_terminal_raw():
    evil = "[red]x[/red] \x1b]0;title\x07 \u202e :smile: [link=file:///]y"
    case = a_case(unit_tests=(f"@test {evil}",))
    block = Block(
        kind=BlockKind.UNIT_TEST, index=0, ending=Ending.ERRORED, error_type=evil, message=evil, line=1
    )
    extraction = Extraction(rule="all", blocks_found=1, blocks_used=(0,), code=evil, dropped_imports=(evil,))
    run_ = facts(case, extraction=extraction, stdout=evil, tampering=(evil,))
    told = shown(assess(replace(run_, blocks=(block,)), case), case)
    assert "\x1b" not in told
    assert "\x07" not in told
    assert "\u202e" not in told
    assert "[red]x[/red] \\x1b]0;title\\x07 \\u202e :smile: [link=file:///]y" in told


@pytest.mark.parametrize(
    ("value", "text"), [(100.0, "100"), (0.0, "0"), (81.25, "81.25"), (250 / 3, "83.33")]
)
def test_numbers_are_short(value, text):
    assert number(value) == text


# A whole file, summed up


def summed_up(tally: BulkTally) -> list[list[str]]:
    console = Console(file=io.StringIO(), width=100)
    console.print(summary(tally))
    assert isinstance(console.file, io.StringIO)
    return [row.split() for row in console.file.getvalue().splitlines()]


def test_the_summary_counts_and_never_calls_no_data_zero():
    assert ["mean", "score", "n/a"] in summed_up(BulkTally(void=3))
    rows = summed_up(BulkTally(passed=2, failed=1, points=250.0, julia_versions=frozenset({"1.10.0"})))
    assert rows == [
        ["pass", "2"],
        ["fail", "1"],
        ["void", "0"],
        ["timed", "out", "0"],
        ["pass", "rate", "66.7", "%"],
        ["mean", "score", "83.33"],
        ["Julia", "1.10.0"],
    ]


def test_the_summary_warns_of_verdicts_by_several_versions_of_julia():
    rows = summed_up(BulkTally(passed=2, julia_versions=frozenset({"1.5.3", "1.10.0"})))
    assert ["Julia", "1.10.0,", "1.5.3"] in rows
    assert any("several" in row for row in rows)


def test_judge_reads_stdin_and_writes_stdout(tmp_path):
    definitions = in_folders(tmp_path / "cases", "maths/double")
    answers = [{"task_id": "double", "completion": "```julia\ndouble(x) = 2x\n```"}, {"task_id": "dubble"}]
    lines = "".join(json.dumps(answer) + "\n" for answer in answers)
    arguments = ("judge", "-", "--output", "-", "--skip-bad", "--definitions", definitions)
    done = codejury(*arguments, input=lines)
    assert done.returncode == 1, done.stderr
    assert [json.loads(text)["outcome"] for text in done.stdout.splitlines()] == ["pass"]
    assert "1 bad line is skipped:\n  line 2: neither `completion` nor `solution` is there" in done.stderr
    assert re.search(r"^pass rate +100.0 %$", done.stderr, re.MULTILINE)


def test_a_bad_line_of_stdin_is_told_under_that_name(monkeypatch, capsys, tmp_path):
    definitions = in_folders(tmp_path / "cases", "maths/double")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"nonsense\n")))
    assert run(["judge", "-", "--output", "-", "--definitions", str(definitions)]) == 2
    assert capsys.readouterr().err.startswith("stdin: 1 line cannot be judged, so nothing was")


@pytest.mark.parametrize(("word", "told"), [
    ("evalute", "did you mean `evaluate`?"),
    ("WRAP_words", "did you mean `text/wrap_words`?"),
    ("text/wrap_word", "did you mean `text/wrap_words`?"),
    ("txt/*", "did you mean `text/*`?"),
    ("nothing/*", "known: text/*, a_long_category/*"),
    ("a_long_category/slug", "known: a_long_category/Rope, a0, a1, a2, a3, a4, a5, a6, a7, a8 and 5 more"),
    ("xyz", "known: a0, a1, a2, a3, a4, a5, a6, a7, a8, a9 and 5 more"),
])  # fmt: skip
def test_names_are_suggested_in_one_way(word, told):
    known = [*(f"a{number}" for number in range(12)), "evaluate", "text/wrap_words", "a_long_category/Rope"]
    assert suggestion(word, known) == told


def test_an_unknown_flag_gets_a_suggestion(capsys):
    assert run(["run", "--modle", "x"]) == 2
    assert capsys.readouterr().err == "codejury run has no option '--modle'; did you mean `--model`?\n"


JUDGING = ("evaluate", "judge", "import", "rescore", "validate", "verify", "run")
CHOOSING = ("export", "rescore", "verify", "leaderboard", "errors", "compare", "run")


@pytest.mark.parametrize("name", JUDGING)
def test_every_command_that_judges_has_the_same_flags_with_the_same_words(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "250")
    assert run([name, "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    single = ("workers", "engine", "ray_address") if name == "evaluate" else ()
    for option in declared_options(JudgeOptions).values():
        if option.name not in single:
            assert re.search(rf"{option.flag} .*{re.escape(option.help)}.*{option.variable}", shown), (
                option.flag
            )


@pytest.mark.parametrize("name", CHOOSING)
def test_every_command_that_chooses_test_cases_and_prompts_has_the_same_flags(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "250")
    assert run([name, "--help"]) == 0
    shown = capsys.readouterr().out
    wanted = ["--prompt", "--case", "--not-case", *([] if name == "compare" else ["--model"])]
    for flag in wanted:
        assert re.search(rf"{flag} +.*repeatable", shown), flag
    assert not re.search("--(models|prompts|cases) ", shown)


# Bad input to evaluate and judge, told before Julia is started


def test_an_answer_that_is_not_utf8_is_told_with_its_place(tmp_path, capsys):
    answer = tmp_path / "answer.md"
    answer.write_bytes(b"```julia\n\xff```")
    assert run(["evaluate", find_definitions()[0].parent.name, str(answer)]) == 2
    assert f"{answer}: is not UTF-8: byte 0xff at offset 9; save it as UTF-8\n" in capsys.readouterr().err


def test_an_answer_or_a_definition_that_is_not_there_is_told(tmp_path, capsys):
    assert run(["evaluate", find_definitions()[0].parent.name, str(tmp_path / "nothing.md")]) == 2
    assert f"{tmp_path}/nothing.md: cannot be read: No such file or directory\n" in capsys.readouterr().err
    assert run(["evaluate", "no_such_case", "-"]) == 2
    assert "no_such_case: no such file or folder, and no test case of the suite" in capsys.readouterr().err


def test_faults_of_a_file_of_answers_are_told_before_anything_runs(tmp_path, capsys):
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"task_id": "no_such_task", "completion": "x"}\nnonsense\n', encoding="utf-8")
    assert run(["judge", str(answers), "--output", str(tmp_path / "out.jsonl")]) == 2
    told = capsys.readouterr().err
    assert "2 lines cannot be judged" in told
    assert "line 1: unknown task 'no_such_task'" in told
    assert "line 2: not JSON" in told
    assert not (tmp_path / "out.jsonl").exists()


def test_a_file_that_is_judged_already_needs_no_julia(tmp_path, definitions):
    from codejury.exchange.bulk.plan import prepare
    from codejury.exchange.bulk.run import run as judge_all
    from fakes import a_judge

    answers, output = tmp_path / "answers.jsonl", tmp_path / "out.jsonl"
    answers.write_text('{"task_id": "double", "completion": "right"}\n', encoding="utf-8")
    with a_judge() as judge:
        judge_all(prepare(answers, definitions, output), judge)
    arguments = ("judge", answers, "--definitions", definitions, "--output", output)
    nowhere = os.environ | {
        "CODEJURY_JULIA": str(tmp_path / "no-julia"),
        "CODEJURY_CACHE": str(tmp_path / "cache"),
    }
    done = codejury(*arguments, env=nowhere)
    assert (done.returncode, done.stdout.split()[:2]) == (0, ["pass", "1"])
    assert "has 1 of 1 lines already" in done.stderr
    quiet = codejury(*arguments, "--quiet", env=nowhere)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


# With Julia


def test_good_and_messy_answers_get_the_right_verdicts(tmp_path):
    cases = [load_definition(file) for file in find_definitions()[:6]]
    name, solution = cases[0].name, cases[0].reference_solution
    messy = {
        "empty": "",
        "prose": "I am sorry, but I cannot help you with that.",
        "python": f"```python\ndef {name}(x):\n    return x\n```",
        "untagged python": f"```\ndef {name}(x):\n    return x\n```",
        "truncated": f"Sure:\n```julia\n{solution[: len(solution) // 2]}",
        "a megabyte of words": "word " * 200_000,
    }
    lines = [
        {"task_id": f"{case.category}/{case.name}", "solution": case.reference_solution} for case in cases
    ]
    lines += [{"task_id": name, "completion": text, "what": what} for what, text in messy.items()]
    lines += [
        {
            "task_id": name,
            "completion": f"<think>\n```julia\n1 +\n</think>\nOf course:\n\n```julia\n{solution}",
        }
    ]
    answers, output = tmp_path / "answers.jsonl", tmp_path / "out.jsonl"
    answers.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")

    done = codejury("judge", answers, "--output", output, "--workers", "2")

    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    verdicts = [(result.get("what"), result["score"], result["outcome"]) for result in results]
    good = [(None, 100.0, "pass")]
    assert verdicts == good * len(cases) + [(what, 0.0, "fail") for what in messy] + good


def test_ctrl_c_keeps_what_is_judged_and_says_how_to_go_on(tmp_path):
    case = load_definition(find_definitions()[0])
    answers, output = tmp_path / "answers.jsonl", tmp_path / "out.jsonl"
    lines = [{"task_id": case.name, "solution": code} for code in (case.reference_solution, "while true end")]
    answers.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "codejury", "judge", answers, "--output", output]
    command += ["--timeout", "600", "--workers", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not (output.exists() and output.read_bytes().endswith(b"\n")):
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()
    assert process.returncode == 130
    assert f"Stopped. What is judged is in {output}; the same command goes on from there." in told
    (result,) = output.read_text(encoding="utf-8").splitlines()
    assert json.loads(result)["outcome"] == "pass"


def test_evaluate_judges_one_answer_for_a_person_and_for_a_program():
    case = load_definition(find_definitions()[0])
    answer = f"```julia\n{case.reference_solution}\n```"
    done = codejury("evaluate", case.path or "", "-", "--json", stdin=None, input=answer)
    assert done.returncode == 0, done.stderr
    verdict = json.loads(done.stdout)
    assert tuple(verdict) == VERDICT_FIELDS
    assert (verdict["score"], verdict["outcome"], verdict["name"]) == (100.0, "pass", case.name)
    told = codejury("evaluate", case.name, "-", stdin=None, input='```julia\nerror("no")\n```')
    assert told.returncode == 0, told.stderr
    assert "25 of 100 points" in told.stdout
    assert 'line 1: error("no")' in told.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [["--help"], ["suite"], ["prompts"], ["models", "--json"]])
def test_a_full_stdout_is_a_message_and_not_a_traceback(words, tmp_path):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "codejury", *words],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
