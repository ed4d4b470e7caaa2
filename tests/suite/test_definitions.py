"""Definitions: what loads, what is reported, what is saved, what is found."""

from __future__ import annotations

import os
import resource
import tempfile
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.errors import DefinitionError, InputError, Problem, Severity
from codejury.records import CRITERION_ALIASES, Criterion, Statement, TestCase
from codejury.suite.check import check_definition, check_test_case
from codejury.suite.load import load_definition
from codejury.suite.rules import is_identifier
from codejury.suite.save import save_definition
from codejury.suite.suite import Suite, bundled_suite, find_definitions
from codejury.suite.toml_file import render_string, render_value
from definition_samples import GOOD, table, write, write_text


def fields(problems: list[Problem]) -> list[str]:
    return [problem.field for problem in problems]


def only(path: Path) -> Problem:
    """The one problem of a file."""
    (problem,) = check_definition(path)
    assert problem.file == path
    assert problem.what
    assert problem.repair
    return problem


# Loading


def test_a_good_definition_loads_with_every_field(tmp_path: Path) -> None:
    path = write(tmp_path, examples_setup="x = 1", unit_tests_teardown="y = 2")
    case = load_definition(path)
    for field, value in GOOD.items():
        assert getattr(case, field) == (tuple(value) if isinstance(value, list) else value)
    assert (case.examples_setup, case.unit_tests_teardown) == ("x = 1", "y = 2")
    assert (case.examples_teardown, case.unit_tests_setup) == ("", "")
    assert (case.path, case.category) == (path, "text_processing")


def test_a_folder_stands_for_the_definition_in_it(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert load_definition(path.parent) == load_definition(str(path))


def test_category_and_name_are_known_from_inside_the_folder(tmp_path: Path, monkeypatch: Any) -> None:
    path = write(tmp_path)
    monkeypatch.chdir(path.parent)
    assert load_definition("definition.toml").category == "text_processing"
    assert load_definition(Path("..", "count_vowels", "definition.toml")).path == path


def test_a_linked_definition_is_judged_by_the_folder_it_is_linked_into(tmp_path: Path) -> None:
    stored = tmp_path / "store" / "4711.toml"
    stored.parent.mkdir()
    write(tmp_path / "elsewhere").replace(stored)
    link = tmp_path / "suite" / "text_processing" / "count_vowels" / "definition.toml"
    link.parent.mkdir(parents=True)
    link.symlink_to(stored)
    assert load_definition(link).name == "count_vowels"


def test_windows_line_ends_and_byte_order_mark_make_no_difference(tmp_path: Path) -> None:
    text = tomlkit.dumps({"code_generation": table(reference_solution="")}).replace(
        'reference_solution = ""', "reference_solution = '''\nf(x) = 1\ng(x) = 2\n'''"
    )
    case = load_definition(write_text(tmp_path, b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()))
    assert case.reference_solution == "f(x) = 1\ng(x) = 2\n"


@pytest.mark.parametrize("spelling", CRITERION_ALIASES)
def test_each_spelling_of_a_criterion_is_kept_as_written(tmp_path: Path, spelling: str) -> None:
    case = load_definition(write(tmp_path, criteria=[spelling]))
    assert case.criteria == (spelling,)
    assert case.scored_criteria == (CRITERION_ALIASES[spelling],)


def test_dotted_imports_and_no_imports_are_fine(tmp_path: Path) -> None:
    assert load_definition(write(tmp_path, imports=["Base.Threads", "Dates"])).imports[0] == "Base.Threads"
    assert load_definition(write(tmp_path, imports=[])).imports == ()


def test_lists_that_no_criterion_counts_may_be_empty(tmp_path: Path) -> None:
    path = write(tmp_path, criteria=["parsed", "executed"], examples=[], unit_tests=[])
    assert check_definition(path) == []


# What cannot be read at all


def refused(path: Path) -> Problem:
    """The one problem for which a file cannot be read; loading and checking agree on it."""
    with pytest.raises(DefinitionError) as loading:
        load_definition(path)
    with pytest.raises(DefinitionError) as checking:
        check_definition(path)
    assert loading.value.problems == checking.value.problems
    (problem,) = checking.value.problems
    return problem


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    problem = refused(tmp_path / "nowhere.toml")
    assert "No such file" in problem.what
    assert "nowhere.toml" in str(problem)


def test_a_folder_without_a_definition_says_so(tmp_path: Path) -> None:
    assert refused(tmp_path).file == tmp_path / "definition.toml"


def test_what_is_not_toml_is_shown_with_line_and_column(tmp_path: Path) -> None:
    path = write_text(tmp_path, '[code_generation]\nname = "count_vowels"\nprompt = "say "hello""\n')
    problem = refused(path)
    assert problem.field == "line 3, column 16"
    assert "is not TOML" in problem.what
    assert 'prompt = "say "hello""' in problem.what


@pytest.mark.parametrize(
    ("lines", "repair"),
    [
        (
            ['examples = ["a"', '"b"]'],
            "put a comma behind the element that ends in line 2, or ] if it is the last",
        ),
        (
            ['examples = ["a" "b"]'],
            "put a comma behind the element in front of column 17, or ] if it is the last",
        ),
        (["name = “tidy”"], "a word processor has made “”‘’ of the quotes; write \" or ' instead"),
        (['name = "tidy”'], "a word processor has made “”‘’ of the quotes; write \" or ' instead"),
    ],
)
def test_a_missing_comma_and_curly_quotes_have_hints_of_their_own(
    tmp_path: Path, lines: list[str], repair: str
) -> None:
    problem = refused(write_text(tmp_path, "\n".join(["[code_generation]", *lines, ""])))
    assert problem.repair == repair


def test_quotes_that_are_never_closed_are_found_at_the_end(tmp_path: Path) -> None:
    problem = refused(write_text(tmp_path, "[code_generation]\nname = '''count_vowels"))
    assert "is not TOML" in problem.what
    assert "end" in problem.field or "line 2" in problem.field


def test_a_key_given_twice_is_not_toml(tmp_path: Path) -> None:
    problem = refused(write_text(tmp_path, '[code_generation]\nname = "a"\nname = "b"\n'))
    assert problem.field.startswith("line 3")


def test_what_is_not_utf8_is_shown_with_its_line(tmp_path: Path) -> None:
    problem = refused(write_text(tmp_path, b'[code_generation]\nname = "M\xfcller"\n'))
    assert problem.field == "line 2"
    assert "0xfc" in problem.what


def test_absurd_nesting_is_an_error_and_not_a_crash(tmp_path: Path) -> None:
    refused(write_text(tmp_path, "x = " + "[" * 100_000))


# Faults of shape


def test_a_definition_with_many_faults_reports_all_of_them_in_order(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        without="contributor",
        promt="?",
        version=1.0,
        unit_tests=["@test true", 7, "1 + 1"],
        criteria=["parsed", "nonsense"],
    )
    assert fields(check_definition(path)) == [
        "promt",
        "contributor",
        "criteria[2]",
        "version",
        "unit_tests[2]",
        "unit_tests[3]",
    ]


def test_the_error_of_a_bad_definition_holds_all_problems_and_their_repairs(tmp_path: Path) -> None:
    path = write(tmp_path, without="criteria", contributor=" ")
    with pytest.raises(DefinitionError) as caught:
        load_definition(path)
    assert list(caught.value.problems) == check_definition(path)
    for problem in caught.value.problems:
        for part in (str(path), problem.field, problem.what, problem.repair):
            assert part in str(caught.value)


@pytest.mark.parametrize("field", GOOD)
def test_each_required_field_is_missed(tmp_path: Path, field: str) -> None:
    problem = only(write(tmp_path, without=field))
    assert (problem.field, problem.what) == (field, "is missing")
    assert f"{field} = " in problem.repair


@pytest.mark.parametrize("field", [field for field, value in GOOD.items() if isinstance(value, str)])
def test_a_text_of_spaces_counts_as_empty(tmp_path: Path, field: str) -> None:
    problem = only(write(tmp_path, **{field: " \n"}))
    assert (problem.field, problem.what) == (field, "is empty")


def test_an_empty_element_is_found_in_its_list(tmp_path: Path) -> None:
    assert only(write(tmp_path, examples=["count_vowels()", ""])).field == "examples[2]"
    assert only(write(tmp_path, unit_tests=["", "@test true"])).field == "unit_tests[1]"


def test_no_criteria_at_all_is_a_fault(tmp_path: Path) -> None:
    problem = only(write(tmp_path, criteria=[]))
    assert (problem.field, problem.what) == ("criteria", "is empty")
    assert 'criteria = ["parsed", ' in problem.repair


def test_an_unknown_field_gets_a_suggestion(tmp_path: Path) -> None:
    problem = only(write(tmp_path, unit_test=["@test true"]))
    assert problem.field == "unit_test"
    assert "`unit_tests`" in problem.repair


def test_an_unknown_field_like_no_other_gets_the_list(tmp_path: Path) -> None:
    assert "reference_solution" in only(write(tmp_path, zzz=1)).repair


def test_an_unknown_criterion_gets_a_suggestion(tmp_path: Path) -> None:
    problem = only(write(tmp_path, criteria=["parsed", "excuted"]))
    assert problem.field == "criteria[2]"
    assert "`executed`" in problem.repair


def test_an_unknown_table_and_a_misspelt_one_are_faults(tmp_path: Path) -> None:
    good = tomlkit.dumps({"code_generation": GOOD})
    assert only(write_text(tmp_path, good + "\n[models]\n")).field == "models"
    missing, unknown = sorted(
        check_definition(write_text(tmp_path, good.replace("[code_gen", "[code_gn"))), key=lambda p: p.field
    )
    assert (missing.field, missing.what) == ("code_generation", "the table is missing")
    assert (unknown.field, "`code_generation`" in unknown.repair) == ("code_gneration", True)


def test_fields_outside_the_table_are_told_where_they_belong(tmp_path: Path) -> None:
    text = 'version = "1.0"\n' + tomlkit.dumps({"code_generation": table(without="version")})
    outside, missing = check_definition(write_text(tmp_path, text))
    assert "outside the table" in outside.what + missing.what


def test_something_else_under_the_name_of_the_table_is_a_fault(tmp_path: Path) -> None:
    assert only(write_text(tmp_path, "code_generation = 3")).what == "is an integer, must be a table"
    assert only(write_text(tmp_path, "[[code_generation]]")).what == "is an array, must be a table"


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("version", 1.0, "is a float, must be a string"),
        ("version", 2, "is an integer, must be a string"),
        ("name", ["count_vowels"], "is an array, must be a string"),
        ("prompt", True, "is a boolean, must be a string"),
        ("imports", "Dates", "is a string, must be an array of strings"),
        ("examples", {"a": 1}, "is a table, must be an array of strings"),
        ("examples_setup", 1, "is an integer, must be a string"),
    ],
)
def test_a_wrong_type_is_named_as_toml_names_it(tmp_path: Path, field: str, value: Any, what: str) -> None:
    problem = only(write(tmp_path, **{field: value}))
    assert (problem.field, problem.what) == (field, what)


def test_a_date_is_named_a_date(tmp_path: Path) -> None:
    good = tomlkit.dumps({"code_generation": table(without="version")})
    problem = only(write_text(tmp_path, good + "version = 2024-01-01\n"))
    assert problem.what == "is a date or time, must be a string"


def test_a_wrong_type_inside_a_list_is_found_by_its_index(tmp_path: Path) -> None:
    path = write(tmp_path, examples=["count_vowels()", 3], imports=[["Dates"]])
    assert fields(check_definition(path)) == ["examples[2]", "imports[1]"]


@pytest.mark.parametrize(
    "name", ["tidy!", "Δt", "größe", "_hidden", "FloatWithUnits", "x1", "a!b", "x₁", "∇f"]
)
def test_names_julia_takes(name: str) -> None:
    assert is_identifier(name)


@pytest.mark.parametrize(
    "name", ["2fast", "a-b", "a b", "a.b", "@m", "end", "", "_", "!a", "→", "a\n", "f()"]
)
def test_names_julia_does_not_take(name: str) -> None:
    assert not is_identifier(name)


def test_a_name_that_is_no_identifier_is_one_problem_and_not_three(tmp_path: Path) -> None:
    assert only(write(tmp_path, name="count-vowels")).field == "name"


@pytest.mark.parametrize("module", ["using Dates", "Dates, Test", ".Local", "Base.", "Data Frames"])
def test_an_import_that_is_no_name_is_a_fault(tmp_path: Path, module: str) -> None:
    assert only(write(tmp_path, imports=["Dates", module])).field == "imports[2]"


@pytest.mark.parametrize(
    "test",
    [
        "count_vowels(1) == 2",
        "# @test count_vowels(1) == 2",
        "#= @test f(1) =# f(1)",
        'x = "@test true"',
        'x = """\n@test "true"\n"""',
        "# @assert f(1)",
        "@assertion f(1)",
    ],
)
def test_a_unit_test_that_tests_nothing_is_a_fault(tmp_path: Path, test: str) -> None:
    problem = only(write(tmp_path, unit_tests=[test]))
    assert (problem.field, problem.code) == ("unit_tests[1]", test)
    assert "@test" in problem.what


@pytest.mark.parametrize(
    "test",
    [
        "@test_throws ArgumentError f()",
        '@testset "all" begin\n    @test f()\nend',
        "Test.@test f()",
        'f("#"); @test g(\'"\') # "',
        "x = A' * B'\n@test x == 1",
        'f("a\\"b") # "\n@test g()',
        "@assert f() == 1",
        'for i in 1:3\n    @assert f(i) == i "text"\nend',
        "Base.@assert(f())",
    ],
)
def test_all_kinds_of_tests_count(tmp_path: Path, test: str) -> None:
    assert check_definition(write(tmp_path, unit_tests=[test])) == []


def test_blanks_are_reported_as_blanks_and_as_nothing_else(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        prompt="Write a function that <FILL IN: does what>.",
        unit_tests=["<FILL IN: a test>", "<FILL IN: a test>"],
        reference_solution="<FILL IN>",
    )
    problems = check_definition(path)
    assert fields(problems) == ["prompt", "unit_tests[1]", "unit_tests[2]", "reference_solution"]
    assert {problem.repair for problem in problems} == {"fill it in"}
    assert "<FILL IN: does what>" in problems[0].what


# Faults between fields


def test_a_name_that_is_not_the_folders_is_a_fault(tmp_path: Path) -> None:
    path = write_text(tmp_path, tomlkit.dumps({"code_generation": GOOD}), name="vowels")
    problem = only(path)
    assert problem.field == "name"
    assert "'vowels'" in problem.what
    assert "'count_vowels'" in problem.what


def test_a_folder_name_in_another_unicode_form_is_the_same_name(tmp_path: Path) -> None:
    good = table(name="größe", prompt="Write `größe`.")
    decomposed = "gro\u0308ße"
    assert (
        check_definition(write_text(tmp_path, tomlkit.dumps({"code_generation": good}), name=decomposed))
        == []
    )


@pytest.mark.parametrize("prompt", ["Count the vowels.", "Write count_vowels2.", "Write recount_vowels."])
def test_a_prompt_that_never_mentions_the_name_is_a_fault(tmp_path: Path, prompt: str) -> None:
    assert only(write(tmp_path, prompt=prompt)).field == "prompt"


@pytest.mark.parametrize("prompt", ["Write count_vowels!", "Write count_vowels(x).", "count_vowels"])
def test_a_prompt_may_mention_the_name_anywhere(tmp_path: Path, prompt: str) -> None:
    assert check_definition(write(tmp_path, prompt=prompt)) == []


@pytest.mark.parametrize(
    ("field", "twins"),
    [
        ("unit_tests", ["@test true", "@test false", "  @test true\n"]),
        ("examples", ["f(1)", "f(2)", "f(1) "]),
        ("imports", ["Dates", "Test", "Dates"]),
    ],
)
def test_twins_are_found_whatever_space_is_around_them(tmp_path: Path, field: str, twins: list[str]) -> None:
    problem = only(write(tmp_path, **{field: twins}))
    assert problem.field == f"{field}[3]"
    assert f"{field}[1]" in problem.what


@pytest.mark.parametrize("second", ["parsed", "parsing"])
def test_a_criterion_named_twice_is_a_fault_in_either_spelling(tmp_path: Path, second: str) -> None:
    problem = only(write(tmp_path, criteria=["parsed", "executed", second]))
    assert problem.field == "criteria[3]"


@pytest.mark.parametrize(
    ("criterion", "field"), [("unit_tests", "unit_tests"), ("executed_examples", "examples")]
)
def test_a_criterion_with_nothing_to_measure_is_a_fault(tmp_path: Path, criterion: str, field: str) -> None:
    problem = only(write(tmp_path, criteria=["parsed", criterion], **{field: []}))
    assert problem.field == "criteria[2]"
    assert f"{field} is empty" in problem.what


# Errors and warnings

WARNINGS: dict[str, dict[str, Any]] = {
    "no contributor": {"without": "contributor"},
    "no version": {"without": "version"},
    "no solution": {"without": "reference_solution"},
    "no imports": {"without": "imports"},
    "no examples, and none are counted": {"without": "examples", "criteria": ["parsed", "unit_tests"]},
    "no unit tests, and none are counted": {"without": "unit_tests", "criteria": ["parsed"]},
    "an empty solution": {"reference_solution": " "},
    "a solution to fill in": {"reference_solution": "<FILL IN: the body>"},
    "a prompt to fill in": {"prompt": "Write `count_vowels` that <FILL IN: what>."},
    "a version that is a number": {"version": 1.0},
    "a contributor that is no text": {"contributor": ["ada"]},
    "a field of their own": {"difficulty": "hard"},
    "an empty example": {"examples": ["count_vowels()", " "]},
    "an empty unit test": {"unit_tests": ["@test true", ""]},
    "a unit test without a check": {"unit_tests": ["@test true", "count_vowels()"]},
    "the same unit test twice": {"unit_tests": ["@test true", "@test true"]},
    "the same example twice": {"examples": ["f(1)", "f(1)"]},
    "the same import twice": {"imports": ["Dates", "Dates"]},
    "the same criterion twice": {"criteria": ["parsed", "parsing"]},
    "a prompt without the name": {"prompt": "Count the vowels."},
}

ERRORS: dict[str, dict[str, Any]] = {
    "no name": {"without": "name"},
    "no prompt": {"without": "prompt"},
    "no criteria": {"without": "criteria"},
    "no unit tests, though they are counted": {"without": "unit_tests"},
    "no examples, though they are counted": {"without": "examples"},
    "an empty list of unit tests": {"unit_tests": []},
    "an empty prompt": {"prompt": ""},
    "a name that is none": {"name": "2fast"},
    "an unknown criterion": {"criteria": ["parsed", "nonsense"]},
    "an import that is no name": {"imports": ["using Dates"]},
    "a unit test that is no text": {"unit_tests": ["@test true", 1]},
    "a unit test to fill in": {"unit_tests": ["@test count_vowels(<FILL IN: text>) == 1"]},
    "a setup that is no text": {"unit_tests_setup": 1},
    "a misspelt setup": {"unit_test_setup": "x = 1"},
    "misspelt imports": {"without": "imports", "import": ["Dates"]},
}


@pytest.mark.parametrize("changes", WARNINGS.values(), ids=WARNINGS)
def test_what_does_not_hinder_judging_is_a_warning_and_the_file_loads(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    path = write(tmp_path, **changes)
    assert {problem.severity for problem in check_definition(path)} == {Severity.WARNING}
    assert load_definition(path).name == "count_vowels"


@pytest.mark.parametrize("changes", ERRORS.values(), ids=ERRORS)
def test_what_makes_judging_impossible_is_an_error(tmp_path: Path, changes: dict[str, Any]) -> None:
    path = write(tmp_path, **changes)
    assert Severity.ERROR in {problem.severity for problem in check_definition(path)}
    with pytest.raises(DefinitionError):
        load_definition(path)


def test_what_a_file_does_not_give_is_empty_and_a_number_is_a_version(tmp_path: Path) -> None:
    case = load_definition(
        write(tmp_path, without="imports", version=1.5, reference_solution=3, contributor=[])
    )
    assert (case.imports, case.version, case.reference_solution, case.contributor) == ((), "1.5", "3", "")


def test_a_folder_of_another_name_is_a_warning(tmp_path: Path) -> None:
    path = write_text(tmp_path, tomlkit.dumps({"code_generation": GOOD}), name="vowels")
    assert only(path).severity is Severity.WARNING
    assert load_definition(path).name == "count_vowels"


def test_a_field_outside_the_table_is_an_error_only_if_judging_needs_it(tmp_path: Path) -> None:
    good = tomlkit.dumps({"code_generation": GOOD})
    assert only(write_text(tmp_path, 'unit_tests_setup = "x = 1"\n' + good)).severity is Severity.ERROR
    assert only(write_text(tmp_path, 'title = "Vowels"\n' + good)).severity is Severity.WARNING


def test_a_warning_says_that_it_is_one(tmp_path: Path) -> None:
    path = write(tmp_path, version=1)
    assert str(only(path)).startswith(f"{path}: warning: version: is an integer")


# Several at once


def several(root: Path) -> Suite:
    """A good definition, one with two warnings, and a bad one."""
    write(root / "a")
    write(root / "b", version=1, unit_tests=["@test true", "@test true"])
    write_text(root / "c", "[code_generation")
    return Suite.below(root)


def test_a_definition_that_cannot_be_used_is_left_out_and_the_others_load(tmp_path: Path) -> None:
    suite = several(tmp_path)
    assert [case.path for case in suite.usable()] == list(suite.files[:2])
    notes = suite.notes()
    assert [problem.file for problem in notes.left_out] == [suite.files[2]]
    assert "is not TOML" in notes.left_out[0].what
    assert [problem.field for problem in notes.warnings] == ["version", "unit_tests[2]"]
    assert (notes.files_left_out, notes.files_with_warnings) == (1, 1)
    assert notes.place == suite.files[1].parent


def test_it_is_an_error_if_none_can_be_used_or_if_one_is_asked_for(tmp_path: Path) -> None:
    suite = several(tmp_path)
    with pytest.raises(DefinitionError, match="is not TOML"):
        suite.usable(suite.files[2:])
    with pytest.raises(DefinitionError, match="is not TOML"):
        suite.load(suite.files[2])


def test_nothing_is_said_of_definitions_that_nobody_asked_for(tmp_path: Path) -> None:
    suite = several(tmp_path)
    suite.load(suite.files[0])
    assert (suite.notes().left_out, suite.notes().warnings) == ((), ())


def test_the_place_of_warnings_holds_them_all(tmp_path: Path) -> None:
    suite = Suite([write(tmp_path / "a", version=1), write(tmp_path / "b", version=1)])
    suite.usable()
    assert suite.notes().place == tmp_path


def test_a_test_case_is_found_by_its_name_though_its_folder_has_another(tmp_path: Path) -> None:
    document = tomlkit.dumps({"code_generation": GOOD})
    stray = write_text(tmp_path, document, name="vowels")
    other = write_text(tmp_path, document.replace("count_vowels", "tidy"), name="tidy")
    suite = Suite.below(tmp_path)
    assert suite.find("count_vowels") == suite.find("text_processing/count_vowels") == [stray]
    assert suite.find("vowels") == [stray]
    assert suite.find("tidy") == [other]
    assert suite.find("nothing") == []
    assert suite.key_of(stray) == "text_processing/count_vowels"


def test_a_name_in_a_file_counts_before_the_name_of_another_folder(tmp_path: Path) -> None:
    document = tomlkit.dumps({"code_generation": GOOD})
    named = write_text(tmp_path, document, name="vowels")
    write_text(tmp_path, document.replace("count_vowels", "tidy"), name="count_vowels")
    assert Suite.below(tmp_path).find("count_vowels") == [named]


# Test cases in memory


def good_case(**changes: Any) -> TestCase:
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in GOOD.items()}
    return TestCase(**(values | changes))


def test_a_test_case_in_memory_is_checked_by_the_same_rules() -> None:
    assert check_test_case(good_case()) == []
    bad = good_case(contributor="", unit_tests=("@test a", "@test a"), prompt="?")
    assert fields(check_test_case(bad)) == ["contributor", "prompt", "unit_tests[2]"]


def test_half_a_character_is_a_fault() -> None:
    assert fields(check_test_case(good_case(contributor="a\ud800"))) == ["contributor"]


# Saving

AWKWARD = st.text(st.sampled_from("\"'\\\n\r\t #=[]{}ab\u00e9\u2028\U0001f600\x00\x07\x1b\x7f\x85\ufeff"))
TEXTS = (AWKWARD | st.text()).filter(lambda text: "<FILL IN" not in text)


@st.composite
def good_cases(draw: st.DrawFn) -> TestCase:
    """Good test cases with arbitrary text wherever text may be arbitrary."""
    examples = draw(st.lists(TEXTS, min_size=1, max_size=4))
    unit_tests = draw(st.lists(TEXTS, min_size=1, max_size=4))
    return good_case(
        contributor=draw(TEXTS) + "a" + draw(TEXTS),
        criteria=tuple(draw(st.permutations([criterion.value for criterion in Criterion]))),
        prompt=f"{draw(TEXTS)} count_vowels {draw(TEXTS)}",
        version="v" + draw(TEXTS),
        examples=tuple(f"{index}{text}" for index, text in enumerate(examples)),
        unit_tests=tuple(f"@test {index}{text}" for index, text in enumerate(unit_tests)),
        reference_solution="f" + draw(TEXTS),
        examples_setup=draw(TEXTS),
        unit_tests_teardown=draw(TEXTS),
    )


quick = settings(max_examples=100, deadline=None, derandomize=True, database=None)


@quick
@given(TEXTS)
def test_any_text_is_rendered_as_toml_that_means_it(text: str) -> None:
    assert tomllib.loads(f"x = {render_string(text)}") == {"x": text}
    assert tomllib.loads(f"x = {render_string(text, roomy=True)}") == {"x": text}
    assert tomllib.loads(f"x = {render_value([text, text])}") == {"x": [text, text]}


@quick
@given(good_cases())
def test_what_is_saved_is_what_is_loaded(case: TestCase) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text_processing", "count_vowels", "definition.toml")
        save_definition(case, path)
        assert load_definition(path) == case


@quick
@given(good_cases(), good_cases())
def test_what_is_saved_over_another_is_what_is_loaded(before: TestCase, after: TestCase) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text_processing", "count_vowels", "definition.toml")
        save_definition(before, path)
        save_definition(after, path)
        assert load_definition(path) == after


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("f(1)", '"f(1)"'),
        ('f("a")', "'f(\"a\")'"),
        (r"r\d", r"'r\d'"),
        ("f(\"a\", 'b')", '"""f("a", \'b\')"""'),
        ("f(\"\\n\", 'b')", "'''f(\"\\n\", 'b')'''"),
        ("a\nb\n", '"""\na\nb\n"""'),
        ('x = "\\n"\nb\n', "'''\nx = \"\\n\"\nb\n'''"),
        ('"""doc"""\nf() = 1', "'''\n\"\"\"doc\"\"\"\nf() = 1'''"),
        ("'''\n\"\"\"", '"""\n\'\'\'\n""\\""""'),
        ("'''\n\"", '"""\n\'\'\'\n\\""""'),
        ("'a' \"b\"", "''''a' \"b\"'''"),
        ("a\r\nb", '"""\na\\r\nb"""'),
    ],
)
def test_code_is_written_in_the_quotes_that_need_no_escapes(text: str, rendered: str) -> None:
    assert render_string(text) == rendered


def test_a_saved_file_is_laid_out_for_people(tmp_path: Path) -> None:
    path = tmp_path / "text_processing" / "count_vowels" / "definition.toml"
    save_definition(good_case(reference_solution='f() = "\\n"\ng() = 1\n'), path)
    text = path.read_text()
    assert "unit_tests = [\n    '@test count_vowels(\"Julia\") == 3',\n" in text
    assert "\n\nreference_solution = '''\nf() = \"\\n\"\ng() = 1\n'''\n" in text
    assert "imports = []\n" in text
    assert "setup" not in text


COMMENTED = """\
# by hand
[code_generation]  # the only table
version = "1.0"    # raise it
name = "count_vowels"
prompt = "Write count_vowels."
contributor = "ada"
criteria = ["parsed"]
examples = []
imports = []
unit_tests = [
    '@test true',  # easy
    # the next one is hard
    "@test 1 == 1",
]
reference_solution = '''
f() = 1
'''
"""


def test_saving_over_a_file_keeps_order_comments_and_whatever_did_not_change(tmp_path: Path) -> None:
    path = write_text(tmp_path, COMMENTED)
    case = load_definition(path)
    save_definition(replace(case, version="1.1", unit_tests=("@test true", "@test 2 == 2")), path)
    expected = COMMENTED.replace('"1.0"', '"1.1"').replace("1 == 1", "2 == 2")
    assert path.read_text() == expected


def test_saving_what_was_loaded_changes_no_byte(tmp_path: Path) -> None:
    for text in (COMMENTED, COMMENTED.replace("\n", "\r\n")):
        path = write_text(tmp_path, text)
        save_definition(load_definition(path), path)
        assert path.read_bytes() == text.encode()


def test_saving_over_a_file_can_add_and_drop_optional_fields_and_elements(tmp_path: Path) -> None:
    path = write_text(tmp_path, COMMENTED + 'examples_setup = "x = 1"\n')
    case = replace(
        load_definition(path), examples_setup="", unit_tests_setup="y = 1\n", unit_tests=("@test 0",)
    )
    save_definition(case, path)
    assert load_definition(path) == case
    assert path.read_text().startswith("# by hand\n")


@pytest.mark.parametrize("junk", ["not [ toml", "x = 1\n[y]\n", "code_generation = 1\n", b"\xff"])
def test_saving_over_something_else_replaces_it(tmp_path: Path, junk: str | bytes) -> None:
    path = write_text(tmp_path, junk)
    save_definition(good_case(), path)
    assert load_definition(path) == good_case()


def test_odd_but_legal_layouts_can_be_saved_over(tmp_path: Path) -> None:
    inline = "code_generation = {" + ", ".join(f"{k} = {render_value(v)}" for k, v in GOOD.items()) + "}\n"
    dotted = "".join(f"code_generation.{k} = {render_value(v)}\n" for k, v in GOOD.items())
    for text in (inline.replace("\n    ", "").replace(",\n]", "]").replace("\n'''", "'''"), dotted):
        path = write_text(tmp_path, text)
        case = replace(good_case(), version="2.0\n", examples=("a\nb", "c", "d"))
        save_definition(case, path)
        assert load_definition(path) == case


def test_a_test_case_that_could_not_be_loaded_is_not_saved(tmp_path: Path) -> None:
    path = write(tmp_path)
    before = path.read_bytes()
    with pytest.raises(DefinitionError) as caught:
        save_definition(good_case(contributor="", name="other", prompt=""), path)
    assert [problem.field for problem in caught.value.problems] == ["name", "contributor", "prompt"]
    assert path.read_bytes() == before


def test_a_write_that_fails_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    path = write(tmp_path)
    before = path.read_bytes()
    most, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, hard))  # the new one does not fit
    try:
        with pytest.raises(InputError, match="cannot be written"):
            save_definition(good_case(version="2.0"), path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.read_bytes() == before


def test_saving_keeps_links_and_rights(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.chmod(0o640)
    link = tmp_path / "links" / "count_vowels" / "definition.toml"
    link.parent.mkdir(parents=True)
    link.symlink_to(path)
    save_definition(good_case(version="2.0"), link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert load_definition(path).version == "2.0"


# Finding


def test_definitions_are_found_sorted_below_folders_and_each_once(tmp_path: Path, monkeypatch: Any) -> None:
    names = ["b/two", "a/one", "a/three"]
    for name in names:
        write_text(tmp_path, "", name=f"../{name}")
    monkeypatch.chdir(tmp_path)
    found = find_definitions(tmp_path, "a", Path("b", "two", "definition.toml"))
    assert [path.parent.name for path in found] == ["one", "three", "two"]


def test_stored_answers_and_hidden_folders_are_not_searched(tmp_path: Path) -> None:
    path = write(tmp_path)
    write_text(path.parent, "", name="some_model")
    write_text(tmp_path / ".git", "")
    assert find_definitions(tmp_path) == [path]


def test_a_root_without_definitions_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no definition\.toml"):
        find_definitions(tmp_path)
    with pytest.raises(InputError, match="no such file or folder"):
        find_definitions(tmp_path / "nowhere")


def test_the_bundled_suite_is_found_and_has_no_fault() -> None:
    files = find_definitions()
    assert len(files) >= 6
    assert all(file.is_relative_to(bundled_suite()) for file in files)
    for file in files:
        assert check_definition(file) == []
    assert len({file.parent.name for file in files}) == len(files)


def test_the_bundled_suite_survives_saving(tmp_path: Path) -> None:
    for file in find_definitions():
        case = load_definition(file)
        copy = tmp_path / case.category / case.name / "definition.toml"
        save_definition(case, copy)
        assert load_definition(copy) == case


def test_importing_codejury_loads_no_heavy_package() -> None:
    import subprocess
    import sys

    code = "import sys, codejury; print([m for m in ('pydantic', 'tomlkit', 'rich') if m in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert run.stdout == "[]\n"


# Optional fields: given code, level, kind, least version of Julia


def test_optional_fields_are_loaded_and_have_defaults(tmp_path):
    old = load_definition(write(tmp_path / "old"))
    assert (old.given, old.level, old.kind, old.julia) == ("", "core", "write", "")
    new = load_definition(write(tmp_path / "new", given="x = 1\n", level="hard", kind="speed", julia="1.9.2"))
    assert (new.given, new.level, new.kind, new.julia) == ("x = 1\n", "hard", "speed", "1.9.2")


@pytest.mark.parametrize(
    ("field", "value", "what", "repair", "is_error"),
    [
        ("level", "medium", "'medium' is not a level", "known: basic, core, hard", False),
        ("level", "Hard", "'Hard' is not a level", "did you mean `hard`?", False),
        ("kind", "fixx", "'fixx' is not a kind of task", "did you mean `fix`?", False),
        ("kind", 1, "is an integer, must be a string", 'put it in quotes: "1"', False),
        ("julia", "new", "'new' is not a version of Julia", 'such as "1.9"', True),
        ("julia", 1.9, "is a float, must be a string", 'put it in quotes: "1.9"', True),
        ("given", "<FILL IN: code>", "still holds the blank <FILL IN: code>", "fill it in", True),
    ],
)
def test_a_wrong_optional_field_is_told_with_its_repair(tmp_path, field, value, what, repair, is_error):
    (problem,) = check_definition(write(tmp_path, **{field: value}))
    assert problem.field == field
    assert problem.what == what
    assert repair in problem.repair
    assert problem.is_error is is_error


def test_a_level_that_there_is_not_is_taken_as_the_default(tmp_path):
    case = load_definition(write(tmp_path, level="medium", kind="?"))
    assert (case.level, case.kind) == ("core", "write")


def test_saving_writes_optional_fields_and_leaves_defaults_out(tmp_path):
    path = tmp_path / "text_processing" / "count_vowels" / "definition.toml"
    case = replace(load_definition(write(tmp_path / "old")), given="x = 1\n", kind="fix", julia="1.9")
    save_definition(case, path)
    assert load_definition(path) == case
    assert "level" not in path.read_text()


def test_a_default_that_a_file_names_stays_when_something_else_is_changed(tmp_path):
    path = write(tmp_path, level="core", kind="fix")
    save_definition(replace(load_definition(path), kind="write", prompt="Write `count_vowels` now."), path)
    assert 'level = "core"' in path.read_text()
    assert "kind" not in path.read_text()
    save_definition(replace(load_definition(path), level="hard"), path)
    assert 'level = "hard"' in path.read_text()


# Statements to measure


def test_statements_to_measure_are_read_and_saved(tmp_path):
    assert load_definition(write(tmp_path / "old")).performance == ()
    tables = [{"setup": "x = 1\ny = 'a'\n", "statement": "f(x)"}, {"statement": 'f("b")'}]
    path = write(tmp_path / "new", performance=tables)
    case = load_definition(path)
    expected = (Statement(setup="x = 1\ny = 'a'\n", statement="f(x)"), Statement(statement='f("b")'))
    assert case.performance == expected
    for file in (tmp_path / "copy.toml", path):
        changed = replace(case, performance=(*expected, Statement(statement="g()")))
        save_definition(changed, file)
        assert load_definition(file).performance == changed.performance
        save_definition(case, file)
        assert load_definition(file) == case


def test_statements_in_tables_of_their_own_survive_a_save(tmp_path):
    path = write(tmp_path)
    text = path.read_text() + '\n[[code_generation.performance]]\nstatement = "f()"  # short\n'
    path.write_text(text)
    save_definition(replace(load_definition(path), version="1.1"), path)
    assert path.read_text() == text.replace('version = "1.0"', 'version = "1.1"')


def test_all_that_is_wrong_with_statements_is_told_at_once_and_keeps_nobody_from_judging(tmp_path):
    tables = [{"setup": 1, "statement": "f()"}, {"stetement": "f()"}, {"statement": "<FILL IN: a call>"}]
    path = write(tmp_path, performance=tables)
    problems = check_definition(path)
    assert [(problem.field, problem.severity.value) for problem in problems] == [
        ("performance[1].setup", "warning"),
        ("performance[2].statement", "warning"),
        ("performance[2].stetement", "warning"),
        ("performance[3].statement", "warning"),
    ]
    assert [problem.what for problem in problems[:3]] == [
        "is an integer, must be a string",
        "is missing",
        "is not a field of a statement",
    ]
    assert problems[2].repair == "did you mean `statement`?"
    assert load_definition(path).performance == ()


def test_statements_that_are_no_array_of_tables_are_told_how_to_be(tmp_path):
    (problem,) = check_definition(write(tmp_path, performance="f()"))
    assert (problem.field, problem.what) == ("performance", "is a string, must be an array of tables")
    assert problem.repair == "write a line [[code_generation.performance]] above each statement"
