"""`codejury prompts` and `codejury prompts show`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from codejury.cli.prompts import app
from codejury.errors import InputError
from codejury.judge.toolchain.find import find_julia
from codejury.settings import load_settings
from codejury.suite.load import load_definition
from codejury.suite.suite import bundled_suite, find_definitions

OWN = 'version = "3"\ndescription = "Mine alone"\nsystem = "S"\nuser = "U: {{task}}"\n'


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "Own.toml").write_text(OWN, encoding="utf-8")
    return tmp_path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def a_definition() -> Path:
    return find_definitions(bundled_suite())[0]


def test_the_list_shows_built_in_and_own_templates(own):
    result = run("--prompt-dir", own)
    assert result.exit_code == 0
    for word in ("JuliaExpertCoTTaskXML", "AsIs", "Own", "Mine alone"):
        assert word in result.output


def test_the_list_as_json_has_everything_about_a_template(own):
    rows = json.loads(run("--prompt-dir", own, "--json").output)
    mine = next(row for row in rows if row["label"] == "Own")
    assert len(mine.pop("hash")) == 64
    assert mine == {
        "label": "Own",
        "version": "3",
        "description": "Mine alone",
        "placeholders": ["task"],
        "file": str(own / "Own.toml"),
        "system": "S",
        "user": "U: {{task}}",
    }


def test_show_prints_the_messages_as_they_are_sent():
    file = a_definition()
    result = run("show", "JuliaExpertCoTTask", file)
    case = load_definition(file)
    assert result.exit_code == 0
    assert "--- system ---\nYou are an expert" in result.output
    assert f"# Task\n\n{case.prompt.strip()}\n\n# Data\n\n{case.examples[0].strip()}" in result.output


def test_show_names_the_julia_that_would_judge():
    julia = find_julia(load_settings())
    assert julia is not None, "no Julia: run `codejury setup`"
    named = ".".join(julia.version.split(".")[:2])
    assert f"the code will run on Julia {named})" in run("show", "InJulia", a_definition()).output


def test_show_finds_a_bundled_test_case_by_its_name_and_by_category_and_name():
    file = a_definition()
    by_path = run("show", "AsIs", file)
    assert by_path.stdout == run("show", "AsIs", file.parent.name).stdout
    assert by_path.stdout == run("show", "AsIs", f"{file.parent.parent.name}/{file.parent.name}").stdout


def test_show_as_json_is_the_prompt(own):
    document = json.loads(run("show", "Own", a_definition(), "--prompt-dir", own, "--json").output)
    task = load_definition(a_definition()).prompt.strip()
    assert document["messages"] == [
        {"role": "system", "content": "S"},
        {"role": "user", "content": f"U: {task}"},
    ]
    assert document["variables"] == {"task": task}


def test_options_before_show_count_too(own):
    before = run("--prompt-dir", own, "--json", "show", "Own", a_definition())
    assert before.exit_code == 0
    assert before.output == run("show", "Own", a_definition(), "--prompt-dir", own, "--json").output


def test_an_unknown_label_and_an_unknown_test_case_are_input_errors():
    result = run("show", "InJuly", a_definition())
    assert isinstance(result.exception, InputError)
    assert "did you mean `InJulia`" in str(result.exception)
    name = a_definition().parent.name
    result = run("show", "InJulia", f"{name}x")
    assert isinstance(result.exception, InputError)
    assert name in str(result.exception)


def test_the_right_name_in_the_wrong_category_is_not_found():
    result = run("show", "InJulia", f"no_category/{a_definition().parent.name}")
    assert isinstance(result.exception, InputError)
