"""Definitions as people have them: one that cannot be used stops no command, and warnings stop nothing.

The folder holds a definition in the shape of the predecessor's, with the same test twice and tests that say
`@assert`; a good one; and one that is not TOML. Every command is the real one, with the real judge.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from codejury.cli import run
from fakes import in_folders

DOUBLE = """
[code_generation]
criteria = ["parsed", "executed", "passed_unit_tests", "executed_examples"]
name = "double"
contributor = "ada"
examples = ["double(2)", "double([1, 2])"]
imports = ["Test"]
prompt = "Write a function `double` that doubles a number, or all elements of a vector."
reference_solution = "double(x) = 2x"
unit_tests = [
    "@test double(2) == 4",
    "@assert double(3) == 6",
    "for n in 1:3\\n    @assert double(n) == 2n \\"double $n\\"\\nend",
    "@test double(2) == 4",
]
version = "1.1"
"""

WARNING = "1 warning in 1 definition: codejury validate cases/maths/double"
WRONG = "double(x) = x > 2 ? 2x : 5"


class Shown(NamedTuple):
    code: int
    out: str
    err: str


Codejury = Callable[..., Shown]


@pytest.fixture
def codejury(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Codejury:
    """Run a command line in a folder with the three definitions."""
    monkeypatch.chdir(tmp_path)
    in_folders(tmp_path / "cases", "text/repeat")
    for place, text in (("maths/double", DOUBLE), ("text/broken", "[code_generation")):
        (tmp_path / "cases" / place).mkdir(parents=True)
        (tmp_path / "cases" / place / "definition.toml").write_text(text, encoding="utf-8")

    def run_line(*arguments: str) -> Shown:
        code = run(arguments)
        return Shown(code, *capsys.readouterr())

    return run_line


def names_the_broken_one(told: str) -> bool:
    problem = "cases/text/broken/definition.toml: end of file: is not TOML"
    return "1 definition left out; no answer can be judged by it:" in told and problem in told


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """A right and a wrong answer, and one to the definition that cannot be used."""
    lines = [
        {"task_id": "double", "solution": "double(x) = 2x"},
        {"task_id": "double", "solution": WRONG},
        {"task_id": "broken", "solution": "broken(x) = x"},
    ]
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def scores(folder: Path) -> Iterator[tuple[str, str, float, int]]:
    for file in sorted(folder.rglob("evaluation__*.json")):
        stored = json.loads(file.read_text(encoding="utf-8"))
        yield stored["name"], stored["model"], stored["score"], stored["rules_version"]


def test_the_rest_is_run_rescored_verified_ranked_and_shown(codejury: Codejury, tmp_path: Path) -> None:
    models = ("--model", "baseline/reference", "--model", "baseline/stub", "--prompt", "InJulia")
    asked = codejury("run", *models, "--definitions", "cases", "--save-dir", "results")
    assert asked.code == 1
    assert names_the_broken_one(asked.err)
    assert asked.err.count("warning") == asked.err.count(WARNING) == 1
    found = {(name, model): score for name, model, score, _ in scores(tmp_path / "results")}
    assert len(found) == 4
    assert found["double", "baseline/reference"] == found["repeat", "baseline/reference"] == 100

    again = codejury("rescore", "results", "--definitions", "cases", "--all", "--json")
    assert (again.code, again.err.count(WARNING)) == (0, 1)
    assert json.loads(again.out.splitlines()[-1])["judged"] == 4

    checked = codejury("verify", "results", "--definitions", "cases", "--full", "--json")
    assert (checked.code, names_the_broken_one(checked.err), checked.err.count(WARNING)) == (1, True, 1)
    assert json.loads(checked.out)["good"]

    ranked = codejury("leaderboard", "--root", "results")
    assert (ranked.code, "baseline/reference" in ranked.out) == (0, True)

    site = codejury("site", "build", "--root", "results", "--definitions", "cases", "--output", "site")
    assert (site.code, site.err.count(WARNING)) == (0, 1), "no answer belongs to the broken one"


def test_the_broken_one_is_an_error_before_anything_happens_where_it_is_asked_for(codejury: Codejury) -> None:
    evaluate_it = ("evaluate", "cases/text/broken", "cases/maths/double/definition.toml")
    run_it = ("run", "--model", "baseline/stub", "--definitions", "cases", "--dry-run")
    for line in ((*run_it, "--case", "broken"), evaluate_it):
        shown = codejury(*line)
        assert (shown.code, "is not TOML" in shown.err) == (2, True)
    assert codejury(*run_it, "--case", "repeat").code == 0, "it has nothing to do with this one"
    assert codejury(*run_it).code == 1


def test_a_file_of_answers_is_judged_and_those_to_the_broken_one_are_void(
    codejury: Codejury, answers: Path
) -> None:
    shown = codejury("judge", str(answers), "--definitions", "cases", "--output", "verdicts.jsonl")
    assert (shown.code, names_the_broken_one(shown.err), shown.err.count(WARNING)) == (1, True, 1)
    verdicts = [json.loads(line) for line in Path("verdicts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [verdict["outcome"] for verdict in verdicts] == ["pass", "fail", "void"]
    tests = [block for block in verdicts[1]["blocks"] if block["kind"] == "unit_test"]
    said = [(block["ending"], block["message"]) for block in tests]
    assert said == [
        ("failed", "got 5 == 4"),
        ("passed", ""),
        ("failed", "got 5 == 2"),
        ("failed", "got 5 == 4"),
    ]


def test_a_file_of_answers_is_imported_without_those_to_the_broken_one(
    codejury: Codejury, answers: Path, tmp_path: Path
) -> None:
    line = ("import", str(answers), "--model", "mine", "--definitions", "cases", "--save-dir", "results")
    shown = codejury(*line)
    assert (shown.code, names_the_broken_one(shown.err), shown.err.count(WARNING)) == (1, True, 1)
    assert "1 line was not imported" in shown.err
    assert len(list(scores(tmp_path / "results"))) == 2
    (tmp_path / "cases/text/broken/definition.toml").unlink()
    in_folders(tmp_path / "fixed", "text/broken")
    (tmp_path / "fixed/text/broken/definition.toml").rename(tmp_path / "cases/text/broken/definition.toml")
    assert codejury(*line).code == 0
    assert len(list(scores(tmp_path / "results"))) == 3


def test_a_suite_is_listed_without_the_broken_one(codejury: Codejury) -> None:
    shown = codejury("suite", "cases", "--json")
    assert (shown.code, names_the_broken_one(shown.err), shown.err.count(WARNING)) == (1, True, 1)
    assert [case["name"] for case in json.loads(shown.out)] == ["double", "repeat"]


def test_one_answer_is_judged_though_its_definition_has_warnings(codejury: Codejury, tmp_path: Path) -> None:
    answer = tmp_path / "answer.jl"
    answer.write_text(WRONG, encoding="utf-8")
    shown = codejury("evaluate", "cases/maths/double", str(answer), "--json")
    # On a busy machine it also tells how far it is.
    assert (shown.code, shown.err.splitlines()[0]) == (0, WARNING)
    assert json.loads(shown.out)["unit_tests_passed"] == 1


def test_a_definition_in_a_folder_of_another_name_is_run_and_rescored(
    codejury: Codejury, tmp_path: Path
) -> None:
    (tmp_path / "cases/maths/double").rename(tmp_path / "cases/maths/twice")
    places = ("--definitions", "cases", "--save-dir", "results")
    codejury("run", "--model", "baseline/reference", "--prompt", "InJulia", "--case", "double", *places)
    assert [name for name, *_ in scores(tmp_path / "results")] == ["double"]
    again = codejury("rescore", "results", "--definitions", "cases", "--all", "--json")
    assert (again.code, "codejury validate cases/maths/twice" in again.err) == (0, True)


def test_validate_names_both_and_goes_on(codejury: Codejury) -> None:
    shown = codejury("validate", "cases", "--json", "--no-strict")
    files = {Path(row["path"]).parent.name: row for row in json.loads(shown.out)["files"]}
    assert (shown.code, files["broken"]["status"]) == (2, "unreadable")
    assert (files["double"]["status"], files["double"]["valid"]) == ("warned", True)
    assert [problem["severity"] for problem in files["double"]["problems"]] == ["warning"]
    assert codejury("validate", "cases/maths", "--no-run").code == 1
    assert codejury("validate", "cases/maths", "--no-run", "--no-strict").code == 0
