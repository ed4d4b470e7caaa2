"""`codejury demo`, on three test cases instead of all that it has."""

from __future__ import annotations

import io
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from codejury.cli import demo, run
from codejury.errors import SandboxError
from codejury.records import Block, BlockKind, Ending, Execution, Job
from codejury.suite.load import load_definition
from codejury.suite.suite import bundled_suite
from fakes import a_case, a_judge, honest


def test_the_demo_shows_verdicts_models_without_a_key_one_answer_the_board_and_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    suite = tmp_path / "suite"
    cases = (demo.SHOWN_CASE, "dates_and_times/age_on")
    for case in ("strings_and_text/wrap_words", *cases):
        shutil.copytree(bundled_suite() / case, suite / case)
    monkeypatch.setattr("codejury.suite.suite.bundled_suite", lambda: suite)
    monkeypatch.setenv("CODEJURY_DEFINITIONS", str(suite))
    monkeypatch.setattr(demo, "CASES", cases)
    monkeypatch.setattr(demo, "has_local_model", lambda: False)  # the real model has tests of its own
    monkeypatch.chdir(tmp_path)
    assert run(["demo"]) == 0
    told = capfd.readouterr().out
    for line in (
        r"right, in a messy answer +100\.0 +pass",
        r"cheats +75\.0 +fail ",
        r"3 models on 2 of the 3 test cases",
        r"codejury show results/demo/collections/invert_index/baseline/stub/evaluation__",
        r"FAIL  \S+ of 100 points",
        r"1 to 3 +baseline/chatty +100\.0 .* 100\.0 +2 ",
        r"1 to 3 +baseline/reference +100\.0 .* 100\.0 +2 ",
        r"\d +baseline/stub +0\.0 .* \d\d\.\d +2 ",
    ):
        assert re.search(line, told), f"{line} is not in:\n{told}"
    stored = sorted((tmp_path / "results/demo/dates_and_times/age_on").rglob("evaluation__*"))
    assert len(stored) == 3
    address = re.search(r"The site: file://(\S+)", told)
    assert address, told
    assert "baseline/reference" in Path(address[1]).read_text(encoding="utf-8")
    assert run(["verify", "results/demo", "--sample", "0"]) == 0, "two of three test cases were wanted"


MAIN = Block(kind=BlockKind.MAIN, index=0, ending=Ending.PASSED)


def a_failed_example(index: int, message: str) -> dict[str, Any]:
    block = Block(kind=BlockKind.EXAMPLE, index=index, ending=Ending.FAILED, message=message)
    return {"blocks": (MAIN, block)}


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ({}, r"100\.0 +pass +all tests pass"),
        (a_failed_example(1, "1 == 2\n\x1b[31mno"), r"0\.0 +fail +example 2: 1 == 2.*no"),
        (a_failed_example(0, "x" * 100), rf"0\.0 +fail +example 1: {'x' * 59} *\n"),
        (
            {"blocks": (replace(MAIN, ending=Ending.ERRORED, error_type="BoundsError"),), "executed": False},
            r"0\.0 +fail +main code: BoundsError",
        ),
        ({"tampering": ("it wrote\ninto the judge",)}, r"\S+ +\w+ +tampering: it wrote.*into the judge"),
    ],
)
def test_each_answer_of_the_demo_has_its_verdict_and_the_reason_on_one_line(
    found: dict[str, Any], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "ANSWERS", {"this answer": lambda case: "```julia\nright\n```"})
    shown = io.StringIO()
    with a_judge(lambda job: replace(honest(job), **found)) as judge:
        demo.judge_answers(Console(file=shown, width=120), judge, a_case(criteria=("executed_examples",)))
    assert re.search(f"this answer +{told}", shown.getvalue())
    assert "\x1b[31m" not in shown.getvalue()


def test_an_answer_of_the_demo_that_could_not_be_judged_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(job: Job) -> Execution:
        raise SandboxError("the sandbox is gone")

    monkeypatch.setattr(demo, "ANSWERS", {"this answer": lambda case: "```julia\nright\n```"})
    shown = io.StringIO()
    with a_judge(breaks) as judge:
        demo.judge_answers(Console(file=shown, width=120), judge, a_case())
    assert re.search(r"this answer +n/a +void +.*the sandbox is gone", shown.getvalue())


def test_the_cases_of_the_demo_are_easy_ones_of_the_bundled_suite_that_need_no_package() -> None:
    for name in demo.CASES:
        case = load_definition(bundled_suite() / name)
        assert case.level == "basic", name
        assert set(case.imports) <= {"Dates", "Test"}, name
    assert demo.SHOWN_CASE in demo.CASES
