"""The parts of strength that need no Julia: files, counting, chains, the plan of repeats, the page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from codejury.cli import run as run_cli
from codejury.cli.strength_report import show, show_case
from codejury.errors import DefinitionError, InputError, SandboxError, ToolchainError
from codejury.records import Block, BlockKind, Ending, Execution, TestCase
from codejury.suite.load import load_definition
from codejury.suite.strength import mutants as parser
from codejury.suite.strength.cheats import make_cheats
from codejury.suite.strength.equivalents import match, read_equivalents
from codejury.suite.strength.measure import Options, measure_case
from codejury.suite.strength.mutants import Findings, Mutant, TopLevelForm, find_mutants
from codejury.suite.strength.page import item_values, read_suite, suite_page
from codejury.suite.strength.repeats import chain_tests, judge_repeats, later_tests, plan_repeats
from codejury.suite.strength.report import (
    Bars,
    CheatResult,
    Fate,
    MutantResult,
    StrengthReport,
    UnsteadyKind,
    UnsteadyTest,
    overall,
    strong_enough,
)
from codejury.suite.strength.stored import fingerprint, load, save
from codejury.suite.suite import find_definitions
from fakes import a_case, facts, in_folders

ROOT = Path(__file__).parents[2]


def a_mutant(number: int = 0, before: str = "x < 1", after: str = "x <= 1") -> Mutant:
    return Mutant(
        id=f"{number:08x}",
        operator="comparison",
        line=3,
        form=0,
        start=0,
        before=(f"    {before}",),
        after=(f"    {after}",),
        code="f(x) = 1",
    )


def a_report(killed: int = 9, survived: int = 1, equivalent: int = 0, **more: object) -> StrengthReport:
    fates = [Fate.KILLED] * killed + [Fate.SURVIVED] * survived + [Fate.EQUIVALENT] * equivalent
    fields: dict[str, object] = {"name": "f", "category": "c", "path": None, "tests": 4} | more
    mutants = tuple(MutantResult(mutant=a_mutant(n), fate=fate) for n, fate in enumerate(fates))
    return StrengthReport(mutants=mutants, **fields)  # type: ignore[arg-type]


def a_form(name: str = "double") -> TopLevelForm:
    code = f"{name}(x) = 2x"
    return TopLevelForm(line=1, name=name, faithful=True, source=code, printed=code)


def some_findings(mutants: int = 0, **more: object) -> Findings:
    fields: dict[str, object] = {
        "forms": (a_form(),),
        "mutants": tuple(a_mutant(n) for n in range(mutants)),
        "unknown_names": ((0, "double"),),
        "expected": ("2", "4"),
        "exceptions": (),
        "calls": (("double", "tuple(1)"),),
    }
    return Findings(**fields | more)  # type: ignore[arg-type]


# What counts


def test_strength_is_killed_of_all_but_those_marked_equivalent() -> None:
    assert a_report(killed=6, survived=2, equivalent=5).strength == 75
    assert a_report(killed=0, survived=0, equivalent=3).strength is None


@pytest.mark.parametrize(
    "fault",
    [
        {"survived": 3, "killed": 7},
        {"cheats": (CheatResult(name="always 0", code="", passed=True),)},
        {"unsteady": (UnsteadyTest(test=0, trouble=UnsteadyKind.FLAKY, detail=""),)},
        {"unsteady": (UnsteadyTest(test=0, trouble=UnsteadyKind.ORDER, detail=""),)},
        {"stale_entries": ("0a",)},
        {"faulty_entries": ("no reason",)},
        {"wrong_entries": ("0a",)},
        {"killed": 0, "survived": 0},
    ],
)
def test_a_case_is_not_good_enough_for_any_one_of_these(fault: dict[str, object]) -> None:
    assert a_report().good_enough(85)
    assert not a_report(**fault).good_enough(85)  # type: ignore[arg-type]


def test_a_slow_test_and_a_case_that_cannot_be_checked_here_are_no_fault() -> None:
    slow = (UnsteadyTest(test=0, trouble=UnsteadyKind.SLOW, detail=""),)
    assert a_report(unsteady=slow).good_enough(85)
    assert a_report(killed=0, survived=0, unchecked_because="not installed").good_enough(85)


def test_several_cases_also_have_to_reach_the_bar_together() -> None:
    bars = Bars(each=85, overall=95)
    assert overall([a_report(10, 0), a_report(9, 1)]) == 95
    assert strong_enough([a_report(10, 0), a_report(9, 1)], bars)
    assert not strong_enough([a_report(9, 1), a_report(9, 1)], bars)
    assert strong_enough([a_report(9, 1)], bars)  # one by itself has its own bar


# The report


def test_the_report_shows_each_survivor_and_what_to_do_next_in_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    report = a_report(
        unknown_names=((1, "helper"),),
        redundant=(0, 1, 3),
        cheats=(CheatResult(name="always 0", code="", passed=True),),
        unsteady=(UnsteadyTest(test=2, trouble=UnsteadyKind.FLAKY, detail="failed 1 of 5 times"),),
    )
    show_case(report)
    show([report, a_report(10, 0)], Bars(each=85, overall=95))
    out = capsys.readouterr().out
    assert "      - x < 1\n      + x <= 1\n" in out
    for said in (
        "survives 00000009",
        "always 0",
        "unit test 3 failed",
        "helper, which the prompt never names",
        "no mutant needs unit test 1-2, 4 of 4",
        'mutant = "00000009"',
        "95.0 % (bar 95 %)",
    ):
        assert said in out
    assert max(map(len, out.splitlines())) <= 80


def test_strength_without_running_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["validate", "--strength", "--no-run"]) == 2
    assert "leave one of them out" in capsys.readouterr().err


# Equivalent mutants


def marks(tmp_path: Path, text: str) -> Path:
    (tmp_path / "equivalent_mutants.toml").write_text(text)
    return tmp_path / "definition.toml"


def test_entries_match_by_id_or_by_what_changes_and_a_stale_one_is_named(tmp_path: Path) -> None:
    entries = read_equivalents(
        marks(
            tmp_path,
            '[[equivalent]]\nmutant = "00000001"\nreason = "a"\n'
            "[[equivalent]]\nbefore = 'y  >  2'\nafter = 'y >= 2'\nreason = 'b'\n"
            "[[equivalent]]\nmutant = 'feedbeef'\nreason = 'c'\n",
        )
    )
    mutants = [a_mutant(0), a_mutant(1), a_mutant(2, "y > 2", "y >= 2")]
    assert match(entries, mutants) == ({"00000001": "a", "00000002": "b"}, ["feedbeef"])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[[equivalent]]\nmutant = "1"\n', r"equivalent\[0\]: has no reason"),
        ('[[equivalent]]\nmutant = "1"\nreason = "  "\n', "has no reason"),
        ('[[equivalent]]\nreason = "same"\n', "names no mutant"),
        ('[[equivalent]]\nmutant = "1"\nreason = "same"\nwhy = ""\n', "unknown fields: why"),
        ('[[equivalent]]\nmutant = 1\nreason = "same"\n', "no text"),
        ('[[equal]]\nmutant = "1"\n', "holds equal"),
        ("[[equivalent]", "cannot be read"),
    ],
)
def test_a_faulty_entry_is_an_error_that_says_what_is_wrong(
    tmp_path: Path, text: str, complaint: str
) -> None:
    with pytest.raises(DefinitionError, match=complaint):
        read_equivalents(marks(tmp_path, text))


def test_every_mark_in_the_bundled_suite_has_its_reason() -> None:
    for file in find_definitions():
        read_equivalents(file)


# Tests in a chain


def test_each_test_asks_for_the_mark_of_the_one_before() -> None:
    chain = chain_tests(a_case(unit_tests=("@test a", "@test b", "@test c")))
    assert chain.test_case.unit_tests == (
        "@test a\ncodejury_mark_0 = true\n",
        "codejury_mark_0\n@test b\ncodejury_mark_1 = true\n",
        "codejury_mark_1\n@test c\ncodejury_mark_2 = true\n",
    )


def test_the_first_failure_is_told_as_the_original_counts() -> None:
    chain = later_tests(chain_tests(a_case()), a_case(), 1)
    assert chain is not None
    assert chain.tests == (2, 3)
    assert chain.first_failure(facts(chain.test_case, tests=(0,))) == 3
    assert chain.first_failure(facts(chain.test_case)) is None
    assert chain.first_failure(facts(chain.test_case, tampering=("it did",))) == 2
    assert later_tests(chain, a_case(), 3) is None


def test_tests_that_bear_no_line_more_run_as_they_are() -> None:
    chain = chain_tests(a_case(), linked=False)
    assert chain.test_case.unit_tests == a_case().unit_tests
    later = later_tests(chain, a_case(), 2)
    assert later is not None
    assert later.test_case.unit_tests == a_case().unit_tests[3:]


# Runs, told what to say


def passing(code: str, test_case: TestCase, seconds: float) -> Execution:
    return facts(test_case)


@pytest.fixture
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No Julia and no bubblewrap anywhere."""
    monkeypatch.delenv("CODEJURY_JULIA", raising=False)
    for name in ("PATH", "HOME", "CODEJURY_CACHE", "JULIAUP_DEPOT_PATH"):
        monkeypatch.setenv(name, str(tmp_path))
    return monkeypatch


@pytest.mark.usefixtures("bare_machine")
def test_without_julia_there_are_no_mutants_and_setup_is_named() -> None:
    with pytest.raises(ToolchainError, match="no Julia was found; `codejury setup` installs one"):
        find_mutants([a_case()])


def test_without_bubblewrap_solutions_are_parsed_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "find_bubblewrap", lambda settings: None)
    (findings,) = find_mutants([a_case(name="f", reference_solution="f(x) = x")])
    assert [mutant.after for mutant in findings.mutants] == [("f(x) = nothing",)]


def test_a_parser_that_fails_is_quoted(tmp_path: Path) -> None:
    script = tmp_path / "broken.jl"
    script.write_text('error("out of luck")')
    tmp_path.chmod(0o755)  # run by root, Julia is another user
    with pytest.raises(SandboxError, match=r"Julia could not parse the solutions: (?s:.*)out of luck"):
        parser.run_parser(script, "")


def test_a_sample_of_mutants_depends_on_the_seed_alone() -> None:
    def drawn(seed: int) -> list[str]:
        options = Options(max_mutants=3, seed=seed, repeats=0)
        report = measure_case(a_case(), some_findings(mutants=30), passing, options)
        assert report.left_out == 27
        return [result.mutant.id for result in report.mutants]

    assert drawn(1) == drawn(1) != drawn(2)


def test_a_case_whose_packages_are_missing_is_not_checked() -> None:
    def without(code: str, test_case: TestCase, seconds: float) -> Execution:
        return facts(test_case, executed=False, missing_packages=("DataFrames",))

    report = measure_case(a_case(), some_findings(mutants=3), without, Options())
    assert report.unchecked_because == "not installed in this Julia: DataFrames"
    assert report.strength is None


def test_forms_whose_printed_code_fails_are_not_mutated_and_named() -> None:
    form = TopLevelForm(
        line=7, name="double", faithful=True, source="double(x) = 2x", printed="double(x) = broken"
    )

    def picky(code: str, test_case: TestCase, seconds: float) -> Execution:
        return facts(test_case, tests=() if "broken" in code else None)

    report = measure_case(a_case(), some_findings(mutants=3, forms=(form,)), picky, Options(repeats=0))
    assert (report.mutants, report.unprintable) == ((), (7,))


def test_repeats_run_the_tests_in_order_and_in_others_with_other_random_numbers() -> None:
    plan = plan_repeats(a_case(), repeats=3, seed=1)
    assert [one.shuffled for one in plan] == [False, True] * 3
    assert [one.order for one in plan if not one.shuffled] == [(0, 1, 2, 3)] * 3
    assert plan[1].order == (3, 2, 1, 0)  # every pair of tests is seen in both orders
    assert len({one.test_case.unit_tests_setup for one in plan}) == 3
    assert plan_repeats(a_case(), repeats=3, seed=1) == plan


def test_a_test_that_fails_in_order_is_flaky_and_one_that_takes_long_is_slow() -> None:
    plan = plan_repeats(a_case(), repeats=2, seed=0)
    runs = [facts(plan[0].test_case, tests=(0, 1, 3)), *(facts(one.test_case) for one in plan[1:])]
    slow = Block(kind=BlockKind.UNIT_TEST, index=0, ending=Ending.PASSED, seconds=3)
    told = judge_repeats(plan[:1], [runs[0]])
    assert [(one.test, one.trouble) for one in told] == [(2, UnsteadyKind.FLAKY)]
    told = judge_repeats(plan[:1], [replace(facts(plan[0].test_case), blocks=(slow,))])
    assert [(one.test, one.trouble) for one in told] == [(0, UnsteadyKind.SLOW)]


def test_cheats_are_constants_arguments_errors_and_the_examples_by_heart() -> None:
    cheats = dict(make_cheats(a_case(), some_findings(exceptions=("DomainError",))))
    assert cheats["always 2"] == "double(args...; options...) = 2"
    assert {
        "always nothing",
        "always []",
        "always the first argument",
        "always an error",
        "always DomainError",
    } < set(cheats)
    assert "known_0 = Any[tuple(1)]" in cheats["the examples by heart"]


def test_a_macro_is_cheated_by_a_macro() -> None:
    findings = some_findings(forms=(a_form("@twice"),), unknown_names=((0, "@twice"),))
    cheats = dict(make_cheats(a_case(), findings))
    assert cheats["always 0"] == "macro twice(args...)\n    0\nend"
    assert "the examples by heart" not in cheats


# Kept strengths, and the page about the suite


def test_strengths_are_kept_beside_those_of_other_cases(tmp_path: Path) -> None:
    file = tmp_path / "strength.json"
    cases = in_folders(tmp_path / "cases", "maths/double", "text/repeat")
    for name in ("maths/double", "text/repeat"):
        path = cases / name / "definition.toml"
        category, case = name.split("/")
        save([a_report(name=case, category=category, path=path)], file)
    assert sorted(load(file)) == ["maths/double", "text/repeat"]
    assert load(file)["maths/double"].strength == 90
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


def test_a_file_that_holds_no_strengths_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "strength.json").write_text('{"a/b": {"strong": 1}}')
    with pytest.raises(InputError, match="is no file of strengths"):
        load(tmp_path / "strength.json")


def test_a_strength_is_marked_as_older_once_the_definition_has_changed(tmp_path: Path) -> None:
    cases = in_folders(tmp_path / "cases", "maths/double")
    path = cases / "maths" / "double" / "definition.toml"
    save([a_report(name="double", category="maths", path=path)], cases / "strength.json")
    assert "90.0 % |" in suite_page(read_suite(cases))
    path.write_text(path.read_text().replace("= 2x", "= x + x"))
    assert "90.0 % (older)" in suite_page(read_suite(cases))


def test_the_page_says_which_cases_need_packages_and_what_they_have_been_run_with(definitions: Path) -> None:
    uuid = "a93c6f00-e57d-5684-b7b6-d8193f3e46c0"
    (definitions / "Project.toml").write_text(f'[deps]\nDataFrames = "{uuid}"\n')
    for name, comment in (("maths/double", "# Run with: DataFrames 1.3 on Julia 1.5."), ("text/repeat", "")):
        file = definitions / name / "definition.toml"
        text = file.read_text().replace("imports = []", 'imports = ["Dates", "DataFrames"]')
        file.write_text(f"{comment}\n{text}")
    page = suite_page(read_suite(definitions))
    assert "| double | DataFrames | DataFrames 1.3 on Julia 1.5 |" in page
    assert "| repeat | DataFrames | not yet run |" in page
    (definitions / "Project.toml").unlink()
    assert "need packages" not in suite_page(read_suite(definitions))


def test_item_values_are_the_mean_score_and_the_correlation_with_the_rest() -> None:
    rows = [
        ("a", "hard", 0.0), ("b", "hard", 0.0), ("c", "hard", 90.0),
        ("a", "easy", 80.0), ("b", "easy", 90.0), ("c", "easy", 100.0),
        ("a", "odd", 100.0), ("b", "odd", 50.0), ("c", "odd", 0.0), ("c", "odd", None),
        ("a", "same", 50.0), ("b", "same", 50.0), ("c", "same", 50.0),
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["model", "test_case", "score"], orient="row")
    items = item_values(frame)
    assert items["hard"].mean_score == 30
    assert items["odd"].item_rest == pytest.approx(-0.904, abs=0.001)
    assert items["same"].item_rest is None
    assert item_values(frame.filter(pl.col("model") != "c"))["odd"].item_rest is None


def test_the_page_lists_exactly_the_cases_there_are_and_is_current() -> None:
    cases = read_suite(ROOT / "code_generation")
    listed = [load_definition(file).name for file in find_definitions(ROOT / "code_generation")]
    assert sorted(case.name for case in cases) == sorted(listed)
    page = (ROOT / "docs" / "suite.md").read_text(encoding="utf-8")
    assert page == suite_page(cases), "run: codejury suite code_generation --output docs/suite.md"


def test_the_command_lists_the_suite_and_writes_the_page(
    definitions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["suite", str(definitions)]) == 0
    assert "2 test cases in 2 categories" in capsys.readouterr().out
    assert run_cli(["suite", str(definitions), "--output", str(tmp_path / "suite.md")]) == 0
    assert (tmp_path / "suite.md").read_text() == suite_page(read_suite(definitions), linked=False)
    assert run_cli(["suite", str(tmp_path / "nowhere")]) == 2


def test_a_level_leaves_a_measured_strength_current_and_given_code_does_not():
    case = a_case()
    before = fingerprint(case)
    assert fingerprint(replace(case, level="hard", kind="fix", julia="1.9")) == before
    assert fingerprint(replace(case, given="x = 1")) != before
