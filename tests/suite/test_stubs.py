"""What an answer without content gets: kept with the suite, for the definition that it was measured on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codejury.cli import run as run_cli
from codejury.errors import InputError
from codejury.judge.judge import Judge
from codejury.suite.load import load_definition
from codejury.suite.save import save_definition
from codejury.suite.stubs import FILE, measure_stubs, save_stubs, stub_scores
from codejury.suite.suite import Suite, bundled_suite
from fakes import a_judge, facts, in_folders


def test_a_stub_earns_what_does_not_ask_for_a_result(tmp_path: Path) -> None:
    cases = Suite.below(in_folders(tmp_path, "maths/double")).usable()
    with Judge() as judge:
        entries = measure_stubs(cases, judge)
    # It parses, it runs, its two examples run, and none of its four tests passes.
    assert entries["maths/double"]["score"] == 75.0


def test_scores_are_known_for_the_definition_that_they_were_measured_on(tmp_path: Path) -> None:
    root = in_folders(tmp_path, "maths/double", "maths/triple")
    cases = Suite.below(root).usable()
    with a_judge(lambda job: facts(job.test_case, tests=(0,))) as judge:
        save_stubs(measure_stubs(cases, judge), root)
    assert stub_scores(cases) == {"double": 81.25, "triple": 81.25}
    file = root / "maths" / "double"
    changed = replace(load_definition(file), unit_tests=("@test double(3) == 6",))
    save_definition(changed, file / "definition.toml")
    assert stub_scores(Suite.below(root).usable()) == {"triple": 81.25}


def test_measuring_some_cases_keeps_the_scores_of_the_others(tmp_path: Path) -> None:
    root = in_folders(tmp_path, "maths/double", "maths/triple")
    double, triple = Suite.below(root).usable()
    with a_judge(lambda job: facts(job.test_case, tests=())) as judge:
        save_stubs(measure_stubs([double], judge), root)
        save_stubs(measure_stubs([triple], judge), root)
    assert set(stub_scores([double, triple])) == {"double", "triple"}


def test_a_case_that_cannot_be_judged_has_no_floor(tmp_path: Path) -> None:
    cases = Suite.below(in_folders(tmp_path, "maths/double")).usable()
    with a_judge(lambda job: facts(job.test_case, missing_packages=("DataFrames",))) as judge:
        assert measure_stubs(cases, judge) == {}


@pytest.mark.parametrize("text", ["{", "[]", '{"a/b": {}}', '{"a/b": 1}'])
def test_a_broken_file_of_scores_is_named_with_the_way_to_mend_it(tmp_path: Path, text: str) -> None:
    root = in_folders(tmp_path, "maths/double")
    (root / FILE).write_text(text)
    with pytest.raises(InputError, match=r"stub_scores.json: is no file of stub scores.*suite --stubs"):
        stub_scores(Suite.below(root).usable())


def test_the_command_writes_the_file_of_the_suite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = in_folders(tmp_path, "maths/double")
    assert run_cli(["suite", str(root), "--stubs"]) == 0
    assert "1 test case of 1" in capsys.readouterr().out
    assert stub_scores(Suite.below(root).usable()) == {"double": 75.0}


def test_the_floor_of_every_bundled_case_that_needs_no_package_is_current() -> None:
    cases = [case for case in Suite.below().usable() if not (case.imports or case.julia)]
    missing = sorted({case.name for case in cases} - set(stub_scores(cases)))
    assert missing == [], f"run: codejury suite {bundled_suite()} --stubs"
