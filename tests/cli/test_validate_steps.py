"""`codejury validate` for the author of one test case: what to do next, and the result after each save."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from codejury.cli import run
from codejury.cli.validate_watch import WarmJudge, definitions_touched, stamps, watch
from codejury.judge.judge import Judge
from codejury.records import Packages
from codejury.suite.validation_report import ValidationReport
from definition_samples import write


def submit(case: Path, kind: str, *names: str) -> None:
    right = 'count_vowels(text) = sum(c -> c in "aeiouAEIOU", collect(text); init = 0)'
    other = 'count_vowels(t) = length(filter(in("aeiouAEIOU"), t))'
    for name in names:
        file = case.parent / "submissions" / kind / f"{name}.jl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(other if kind == "accepted" else right.replace("aeiou", "aei"))


def next_step(case: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert run(["validate", str(case)]) == 0
    return capsys.readouterr().out.partition("Next: ")[2].strip()


def test_each_step_of_a_contribution_names_the_next_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    expected = {"Julia": 3, "": 0, "iou": 3}
    tests = [f'@test count_vowels("{word}") == {count}' for word, count in expected.items()]
    case = write(tmp_path, unit_tests=tests).relative_to(tmp_path)
    folder = case.parent
    wanted = f"put one right solution, written differently, into {folder}/submissions/accepted/"
    assert next_step(case, capsys) == wanted
    submit(case, "accepted", "by_filter")
    assert (
        next_step(case, capsys)
        == f"put two plausible wrong solutions into {folder}/submissions/wrong_answer/"
    )
    submit(case, "wrong_answer", "no_o")
    wanted = f"put one more plausible wrong solution into {folder}/submissions/wrong_answer/"
    assert next_step(case, capsys) == wanted
    submit(case, "wrong_answer", "no_u")
    measure = f"codejury validate {folder} --strength --repeats 20 --save strength.json"
    assert next_step(case, capsys).splitlines() == [
        "see whether its tests notice small faults:",
        f"  {measure}",
    ]
    assert run([*measure.split()[1:], "--bar", "0", "--overall-bar", "0"]) == 0
    after = [line.strip() for line in capsys.readouterr().out.partition("Next: ")[2].splitlines()]
    assert after == ["measure what an answer without content gets:", "codejury suite . --stubs"]


def test_a_package_that_is_missing_is_answered_with_what_installs_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    case = write(tmp_path / "my cases", imports=["NotThere"])
    assert run(["validate", str(case)]) == 1
    told = capsys.readouterr().out
    assert "-> codejury setup --packages --environment 'my cases'" in told


def test_a_save_is_looked_at_by_the_judge_that_is_warm_already(tmp_path: Path) -> None:
    case = write(tmp_path)
    started, seen = [], []

    def make(packages: Packages) -> Judge:
        started.append(packages)
        return Judge(packages=packages)

    def save_again(reports: Sequence[ValidationReport]) -> None:
        seen.append([problem.field for problem in reports[0].problems])
        write(tmp_path, unit_tests=['@test count_vowels("Julia") == 3', "@test count_vowels(0) == 1"])

    watch([case], WarmJudge(make), run=True, repeats=1, rounds=2, tell=save_again)
    assert seen == [[], ["unit_tests[2]"]]
    assert len(started) == 1


def test_a_save_concerns_the_definition_that_the_file_belongs_to(tmp_path: Path) -> None:
    case, other = write(tmp_path / "a"), write(tmp_path / "b")
    before = stamps([tmp_path])
    assert definitions_touched(before, stamps([tmp_path])) == []
    submit(case, "accepted", "by_filter")
    assert definitions_touched(before, stamps([tmp_path])) == [case]
    assert stamps([other]).keys() == {other}


@pytest.mark.parametrize("option", ["--strength", "--json", "--julia=1.10"])
def test_watching_is_for_a_person(tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", str(write(tmp_path)), "--watch", option]) == 2
    assert "--watch is for a person" in capsys.readouterr().err
