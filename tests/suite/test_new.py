"""`codejury new`: a scaffold that is readable, safe, and valid once its blanks are filled."""

from __future__ import annotations

import json
import re
import resource
import tomllib
from pathlib import Path

import jsonschema
import pytest

from codejury.cli import run
from codejury.errors import InputError
from codejury.judge.judge import Judge
from codejury.records import CANARY, TaskKind
from codejury.suite.check import NEEDS_GIVEN, check_definition
from codejury.suite.load import load_definition
from codejury.suite.new import categories_of, scaffold, scaffold_fix
from codejury.suite.requirements import aim_of
from codejury.suite.save import save_definition
from codejury.suite.schema import json_schema
from codejury.suite.strength.faults import failed_tests
from codejury.suite.suite import bundled_suite
from codejury.suite.toml_file import create
from codejury.suite.validate import validate_definition

SOLUTION = 'count_vowels(text) = count(in("aeiouAEIOU"), text)  # not "\\n"\n'


def fill(path: Path, **values: str) -> None:
    """Fill in the blanks as a person would: in the text, keeping the quotes that are there."""
    text = path.read_text(encoding="utf-8")
    text = text.replace("# A test case for Codejury. Fill in every <FILL IN: ...>", "# A test case")
    text = re.sub(r"# After: <FILL IN: .*>", "# After: nothing in particular.", text)
    for hint, value in values.items():
        text = text.replace(f"<FILL IN: {hint.replace('_', ' ')}>", value)
    assert "<FILL IN" not in text
    path.write_text(text, encoding="utf-8")


def test_a_scaffold_validates_once_its_blanks_are_filled(tmp_path: Path) -> None:
    path = scaffold("text_processing/count_vowels", root=tmp_path)
    fill(
        path,
        your_name="ada",
        what_it_takes_and_returns='counts the vowels of a string, such as "Julia"',
        arguments="\"a\\nb\", 'c'",
        the_expected_result='"\\\\"',
        an_exception="MethodError",
        bad_arguments="nothing",
        the_body='return "a"',
    )
    case = load_definition(path)
    assert case.examples == ("count_vowels(\"a\\nb\", 'c')",)
    assert case.reference_solution == 'function count_vowels("a\\nb", \'c\')\n    return "a"\nend\n'
    assert (case.name, case.category, case.version) == ("count_vowels", "text_processing", "1.0")


def test_a_fresh_scaffold_has_blanks_and_no_other_problem(tmp_path: Path) -> None:
    problems = check_definition(scaffold("text_processing/count_vowels", root=tmp_path))
    assert {problem.repair for problem in problems} == {"fill it in"}
    assert {problem.field.partition("[")[0] for problem in problems} == {
        "contributor",
        "prompt",
        "examples",
        "unit_tests",
        "reference_solution",
    }


def test_what_is_given_is_filled_in(tmp_path: Path) -> None:
    path = scaffold(
        "text_processing/count_vowels",
        root=tmp_path,
        contributor="ada",
        prompt="Write `count_vowels`.\nQuickly.",
        solution=SOLUTION,
        imports=["Dates", "Base.Threads"],
    )
    values = tomllib.loads(path.read_text(encoding="utf-8"))["code_generation"]
    assert values["contributor"] == "ada"
    assert values["prompt"] == "Write `count_vowels`.\nQuickly."
    assert values["reference_solution"] == SOLUTION
    assert values["imports"] == ["Dates", "Base.Threads"]
    assert {problem.field for problem in check_definition(path)} == {
        "examples[1]",
        "unit_tests[1]",
        "unit_tests[2]",
    }


def test_the_first_line_leads_editors_to_the_schema(tmp_path: Path) -> None:
    path = scaffold("text_processing/count_vowels", root=tmp_path)
    first = path.read_text(encoding="utf-8").splitlines()[0]
    directive, reference = first.split(" ")
    assert directive == "#:schema"
    assert json.loads((path.parent / reference).read_text(encoding="utf-8")) == json_schema()


def test_an_editor_underlines_the_blanks(tmp_path: Path) -> None:
    path = scaffold("text_processing/count_vowels", root=tmp_path)
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    underlined = {error.path[1] for error in jsonschema.Draft7Validator(json_schema()).iter_errors(document)}
    assert underlined == {"contributor", "prompt", "examples", "unit_tests", "reference_solution"}


def test_a_stale_schema_of_a_suite_is_renewed(tmp_path: Path) -> None:
    scaffold("a/one", root=tmp_path)
    schema = tmp_path / ".schema" / "definition.schema.json"
    schema.write_text("{}")
    scaffold("a/two", root=tmp_path)
    assert json.loads(schema.read_text()) == json_schema()


def test_every_field_is_there_with_a_comment_and_the_optional_ones_as_comments(tmp_path: Path) -> None:
    text = scaffold("text_processing/count_vowels", root=tmp_path).read_text(encoding="utf-8")
    for field in json_schema()["properties"]["code_generation"]["properties"]:
        required = re.search(rf"^# .*\n{field} = ", text, re.MULTILINE)
        optional = re.search(rf'^# {field} = (""|\[\])  # \w+', text, re.MULTILINE)
        assert required or optional, field
    # Taking the comment sign away is all it takes to use an optional field.
    tomllib.loads(re.sub(r"^# (\w+_(setup|teardown) = )", r"\1", text, flags=re.MULTILINE))


def test_comments_survive_a_save(tmp_path: Path) -> None:
    path = scaffold("a/f", root=tmp_path, contributor="ada", prompt="Write f.", solution="f() = 1\n")
    path.write_text(path.read_text().replace("<FILL IN: ", "g(").replace(">", ")"))
    before = path.read_text()
    case = load_definition(path)
    save_definition(case, path)
    assert path.read_text() == before


def test_nothing_is_ever_overwritten(tmp_path: Path) -> None:
    path = scaffold("a/f", root=tmp_path, contributor="ada")
    before = path.read_bytes()
    with pytest.raises(InputError, match="exists already"):
        scaffold("a/f", root=tmp_path)
    assert run(["new", "a/f", "--root", str(tmp_path)]) == 2
    assert path.read_bytes() == before


def test_a_folder_with_stored_answers_but_no_definition_can_get_one(tmp_path: Path) -> None:
    (tmp_path / "a" / "f" / "some-model").mkdir(parents=True)
    assert scaffold("a/f", root=tmp_path).is_file()


@pytest.mark.parametrize(
    "target", ["f", "a/b/c", "/f", "a/", "../f", "a/2fast", "a/end", "a b/f", "a/b-c", ".a/f", ""]
)
def test_a_target_that_will_not_do_is_refused_and_nothing_is_written(tmp_path: Path, target: str) -> None:
    with pytest.raises(InputError):
        scaffold(target, root=tmp_path)
    assert list(tmp_path.iterdir()) == []


# The command line


def test_the_command_writes_the_file_and_says_what_to_do_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "solution.jl"
    source.write_bytes(SOLUTION.replace("\n", "\r\n").encode())
    options = ["--contributor", "ada", "--solution", str(source), "--import", "Dates", "--import", "Test"]
    root = tmp_path / "suite"
    assert run(["new", "text_processing/count_vowels", "--root", str(root), *options]) == 0
    told = capsys.readouterr().out
    path = tmp_path / "suite" / "text_processing" / "count_vowels" / "definition.toml"
    values = tomllib.loads(path.read_text(encoding="utf-8"))["code_generation"]
    assert (values["imports"], values["reference_solution"]) == (["Dates", "Test"], SOLUTION)
    assert f"Wrote {path}" in told
    assert "  prompt: still holds the blank" in told
    assert f"codejury validate {path.parent} --watch" in told
    assert f"Wrote {root / '.schema/definition.schema.json'}: editors complete and check the fields" in told
    assert "contributor" not in told
    assert run(["new", "text_processing/other", "--root", str(root)]) == 0
    assert ".schema" not in capsys.readouterr().out


def test_inside_a_suite_another_one_is_not_nested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scaffold("text/one", root=tmp_path / "code_generation")
    monkeypatch.chdir(tmp_path / "code_generation")
    assert run(["new", "text/two"]) == 0
    monkeypatch.chdir(tmp_path / "code_generation/text")
    assert run(["new", "text/three"]) == 0
    assert categories_of(tmp_path / "code_generation") == ["text"]
    folders = {path.parent.name for path in tmp_path.rglob("definition.toml")}
    assert folders == {"one", "two", "three"}


@pytest.mark.parametrize("spelling", ["strings and text", "Strings-And-Text", "StringsAndText"])
def test_a_category_may_be_spelt_as_the_suite_lists_it_or_in_any_other_way(
    tmp_path: Path, spelling: str
) -> None:
    scaffold("strings_and_text/one", root=tmp_path)
    assert run(["new", f"{spelling}/two", "--root", str(tmp_path)]) == 0
    assert (tmp_path / "strings_and_text/two/definition.toml").is_file()


def test_a_suite_that_begins_spells_categories_as_the_bundled_one_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = ["--root", str(tmp_path)]
    assert run(["new", "strings_and_txt/one", *root]) == 2
    assert "did you mean strings_and_text?" in capsys.readouterr().err
    assert run(["new", "Strings and text/one", *root]) == 0
    assert run(["new", "Dates and times/two", *root]) == 0
    assert categories_of(tmp_path) == ["dates_and_times", "strings_and_text"]


def test_a_misspelt_category_is_asked_about_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scaffold("strings_and_text/one", root=tmp_path)
    command = ["new", "string_and_txt/two", "--root", str(tmp_path)]
    assert run(command) == 2
    assert "has no category 'string_and_txt'; did you mean strings_and_text?" in capsys.readouterr().err
    assert categories_of(tmp_path) == ["strings_and_text"]
    assert run([*command, "--new-category"]) == 0
    assert run(["new", "networks/ping", "--root", str(tmp_path)]) == 0
    assert categories_of(tmp_path) == ["networks", "string_and_txt", "strings_and_text"]


def test_the_scaffold_asks_what_the_case_is_after_and_a_blank_is_no_answer(tmp_path: Path) -> None:
    text = scaffold("text/one", root=tmp_path).read_text(encoding="utf-8")
    assert "\n# After: <FILL IN: " in text
    assert aim_of(text) == ""
    assert aim_of("# After: exact fits.\n" + text) == "exact fits"


def test_the_suite_of_this_folder_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", "a/tidy!"]) == 0
    assert (tmp_path / "code_generation" / "a" / "tidy!" / "definition.toml").is_file()


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_a_solution_that_cannot_be_read_is_bad_input_and_nothing_is_written(
    tmp_path: Path, content: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "solution.jl"
    if content is not None:
        source.write_bytes(content)
    assert run(["new", "a/f", "--root", str(tmp_path / "suite"), "--solution", str(source)]) == 2
    assert str(source) in capsys.readouterr().err
    assert not (tmp_path / "suite").exists()


def test_a_file_that_cannot_be_written_leaves_no_empty_one_in_its_place(tmp_path: Path) -> None:
    most, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(InputError, match="cannot be written: File too large"):
            create(tmp_path / "definition.toml", "a text that does not fit")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    assert [*tmp_path.iterdir()] == []


# Kinds of task


@pytest.mark.parametrize("kind", list(TaskKind))
def test_a_scaffold_of_each_kind_has_blanks_and_no_other_problem(tmp_path: Path, kind: TaskKind) -> None:
    path = scaffold("text_processing/count_vowels", root=tmp_path, kind=kind)
    problems = check_definition(path)
    assert {problem.repair for problem in problems} == {"fill it in"}
    fields = {problem.field for problem in problems}
    assert ("given" in fields) == (kind in NEEDS_GIVEN)
    assert ("performance[1].setup" in fields) == (kind is TaskKind.SPEED)
    assert tomllib.loads(path.read_text())["code_generation"].get("kind", "write") == kind
    assert CANARY in path.read_text()


def test_a_subtle_fault_of_a_solution_becomes_a_task_that_is_valid_but_for_its_prompt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["new", "debugging/saturating_add", "--kind", "fix", "--from", "saturating_add"]
    assert run([*arguments, "--root", str(tmp_path), "--contributor", "ada"]) == 0
    out = capsys.readouterr().out
    assert "-> 1  noticed by 1, line" in out
    path = tmp_path / "debugging" / "saturating_add" / "definition.toml"
    fill(path, **{"the symptom, as a user would tell it": "it gives too much"})
    case, origin = load_definition(path), load_definition(bundled_suite() / "numerics" / "saturating_add")
    assert (case.kind, case.unit_tests) == ("fix", origin.unit_tests)
    assert case.reference_solution == origin.reference_solution != case.given
    assert validate_definition(path).valid
    with Judge() as judge:
        failed = failed_tests(judge.execute_code(case.given, case), case)
    assert len(failed) == 1


def test_a_task_from_a_case_is_one_to_mend_and_keeps_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = ["--root", str(tmp_path)]
    assert run(["new", "a/saturating_add", "--from", "saturating_add", *root]) == 2
    assert "--from makes a task of --kind fix" in capsys.readouterr().err
    assert run(["new", "a/other", "--kind", "fix", "--from", "nothing_like_it", *root]) == 2
    assert "no test case of the suite" in capsys.readouterr().err
    assert run(["new", "a/other", "--kind", "fix", "--from", "saturating_ad", *root]) == 2
    assert "did you mean `numerics/saturating_add`?" in capsys.readouterr().err
    origin = load_definition(bundled_suite() / "numerics" / "saturating_add")
    with pytest.raises(InputError, match="the tests call `saturating_add`"):
        scaffold_fix("a/other", origin, "x = 1", root=tmp_path)
