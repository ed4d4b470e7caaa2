"""`codejury.toml`: read, checked as a whole, documented; and `codejury models`, which shows it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from codejury.cli import run as command_line
from codejury.cli.models import models
from codejury.configuration import (
    Configuration,
    ConfigurationError,
    ModelTable,
    ParametersTable,
    PriceTable,
    load_configuration,
)
from codejury.errors import CodejuryError, InputError
from codejury.models.keys import Keyring
from codejury.models.limits import RequestPolicy
from codejury.models.session import Session
from codejury.options import declared_options

DOCS = Path(__file__).parents[2] / "docs"
KEY = "sk-canary-9f8e7d6c5b4a39281706"


def load(tmp_path: Path, text: str) -> Configuration:
    path = tmp_path / "codejury.toml"
    path.write_text(text, encoding="utf-8")
    return load_configuration(path)


def problems_of(tmp_path: Path, text: str) -> dict[str, str]:
    """What is wrong and how to fix it, by field."""
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, text)
    assert all(problem.file == tmp_path / "codejury.toml" for problem in caught.value.problems)
    return {problem.field: f"{problem.what} ({problem.repair})" for problem in caught.value.problems}


def blocks(document: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (DOCS / document).read_text(), re.MULTILINE | re.DOTALL)


def test_without_a_file_there_is_nothing_to_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_configuration() == Configuration()


def test_the_file_of_the_working_folder_is_found(tmp_path, monkeypatch):
    (tmp_path / "codejury.toml").write_text("[run]\nsamples = 3")
    monkeypatch.chdir(tmp_path)
    assert load_configuration().run.samples == 3


def test_a_file_that_was_named_must_be_there(tmp_path):
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_configuration(tmp_path / "none.toml")


def test_one_value_stands_for_a_list_of_one(tmp_path):
    run = load(tmp_path, '[run]\nmodel = "a/b"\ntemperature = 1\ntop_p = [0.5, 1]\nprompt_dir = "mine"').run
    assert run.model == ("a/b",)
    assert run.temperature == (1.0,)
    assert run.top_p == (0.5, 1.0)
    assert run.prompt_dir == (tmp_path / "mine",)


def test_folders_are_relative_to_the_file(tmp_path):
    run = load(tmp_path, '[run]\nsave_dir = "results"\ndefinitions = "cases"\nprompt_dir = ["a", "/b"]').run
    assert run.save_dir == tmp_path / "results"
    assert run.definitions == tmp_path / "cases"
    assert run.prompt_dir == (tmp_path / "a", Path("/b"))


def test_a_file_with_many_faults_reports_all_of_them(tmp_path):
    problems = problems_of(
        tmp_path,
        """
        [run]
        samples = 0
        modle = "x"
        temperature = [0.2, 3]
        rounds = 1
        strategy = "repiar"
        seed = true
        budget = nan
        [models.a]
        price = { input = "x" }
        [models."b c"]
        base_url = "ftp://x"
        provider = "openai"
        parameters = { stream = true }
        tries = 1.5
        """,
    )
    assert problems == {
        "run.samples": "must be an integer from 1, not 0 (for example samples = 5)",
        "run.modle": "is not an option (did you mean `model`?)",
        "run.temperature[1]": "must be a number from 0, up to 2, not 3 (for example temperature = 0.7)",
        "run.rounds": 'needs repair rounds to count (add strategy = "repair")',
        "run.strategy": 'must be one of 1SHOT, repair (for example strategy = "repair")',
        "run.seed": "must be an integer, not True (for example seed = 42)",
        "run.budget": "must be a finite number, not nan (for example budget = 5.0)",
        "models.a": 'nobody answers for it (add provider = "..." or base_url = "http...")',
        "models.a.price.input": "should be a valid number (for example input = 0.5)",
        "models.a.price.output": "is missing (for example output = 1.5)",
        'models."b c".base_url': problems['models."b c".base_url'],
        'models."b c".parameters.stream': "is set by Codejury itself (take it out)",
        'models."b c".tries': "should be a valid integer, not 1.5 (for example tries = 6)",
    }


@pytest.mark.parametrize(
    ("text", "field", "hint"),
    [
        ("run = 5", "run", "make it a table"),
        ("[models]\na = 1", "models.a", "table"),
        ("[rnu]", "rnu", "did you mean `run`?"),
        ("[zzz]", "zzz", "known: run, models"),
        ('[run]\nmodel = ["a", 5]', "run.model[1]", "model = "),
        ("[run]\nmodel = 5", "run.model", "model = "),
        ('[models.a]\nbase_url = "http://user:pw@host/v1"', "models.a.base_url", "more than an address"),
        ('[models.a]\nbase_url = "http://h/v1/chat/completions"', "models.a.base_url", "leave out"),
        ('[models.a]\nbase_url = "http://h:x/v1"', "models.a.base_url", "not an address"),
        ('[models.a]\nbase_url = "http://h"\nparameters.d = 2024-01-01', "models.a.parameters", "JSON"),
        ('[models.a]\nbase_url = "http://h"\nparameters.x = nan', "models.a.parameters", "JSON"),
        ("x =", "file", "line"),
    ],
)
def test_a_fault_is_named_with_its_field(tmp_path, text, field, hint):
    problems = problems_of(tmp_path, text)
    assert hint in problems[field]


def test_a_file_that_is_no_text_says_so(tmp_path):
    (tmp_path / "codejury.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="UTF-8"):
        load_configuration(tmp_path / "codejury.toml")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_configuration(tmp_path)


@pytest.mark.parametrize("field", ["key_variable", "api_key", "key", "model_", "price", "base_url", "tries"])
def test_a_key_in_the_wrong_place_is_not_repeated(tmp_path, field):
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, f'[models.a]\nprovider = "openai"\n{field} = "{KEY}"')
    assert KEY not in str(caught.value) + repr(caught.value.problems)


def test_a_key_is_told_where_it_belongs(tmp_path):
    problems = problems_of(tmp_path, f'[models.a]\nprovider = "openai"\napi_key = "{KEY}"')
    assert "key_variable" in problems["models.a.api_key"]


def test_unknown_providers_are_reported_all_at_once(tmp_path):
    configuration = load(tmp_path, '[models.a]\nprovider = "opnai"\n[models."groqq/x"]')
    with pytest.raises(ConfigurationError) as caught:
        Session(configuration, keyring=Keyring.load({}))
    assert [problem.repair for problem in caught.value.problems] == [
        "did you mean `openai`?",
        "did you mean `groq`?",
    ]


@pytest.mark.parametrize("address", ["localhost:8000", "http://u:secret@h/v1", "http://", "http://[::1"])
def test_a_wrong_base_url_on_the_command_line_is_answered_with_a_right_one(address):
    with pytest.raises(InputError, match="such as http") as caught:
        Session(base_url=address, keyring=Keyring.load({}))
    assert "secret" not in str(caught.value)


# What a table means


def order(tmp_path: Path, name: str, table: str) -> Any:
    configuration = load(tmp_path, f'[models."{name}"]\n{table}')
    return Session(configuration, keyring=Keyring.load({})).spec_of(name)


def test_a_name_with_a_provider_needs_no_more(tmp_path):
    made = order(tmp_path, "openai/gpt-4o", "requests_per_minute = 5")
    assert (made.provider, made.model, made.base_url) == ("openai", "gpt-4o", "")


def test_a_server_is_asked_for_the_name_unless_the_table_has_another(tmp_path):
    made = order(tmp_path, "openai/gpt-oss", 'base_url = "http://h/v1/"')
    assert (made.provider, made.model, made.base_url) == ("", "openai/gpt-oss", "http://h/v1")
    assert made.key_variables == ()
    assert order(tmp_path, "mine", 'provider = "groq"\nmodel = "x"').model == "x"
    assert order(tmp_path, "mine", 'provider = "groq"').model == "mine"


def test_patience_parameters_and_price_are_taken_over(tmp_path):
    made = order(
        tmp_path,
        "mine",
        'base_url = "http://h/v1"\ntimeout_seconds = 9\nsilence_seconds = 3.5\ntries = 2\n'
        "parameters = { temperature = 0.2, top_k = 40 }\nprice = { input = 1, output = 2 }",
    )
    assert made.policy == RequestPolicy(seconds=9, silence_seconds=3.5, tries=2)
    assert made.parameters.as_mapping() == {"temperature": 0.2, "top_k": 40}
    assert made.usd_per_million == (1, 2)


# The documents


def test_every_field_is_documented():
    text = (DOCS / "configuration.md").read_text()
    part = text.partition('## `[models."NAME"]`')[2]
    for table in (ModelTable, PriceTable, ParametersTable):
        for field, info in table.model_fields.items():
            assert f"`{field}`" in part, f"{table.__name__}.{field}"
            assert info.description
            assert info.examples


def test_the_table_of_options_is_made_from_their_declaration():
    script = DOCS.parent / "scripts" / "write-option-table"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_option_of_a_run_can_stand_in_the_file_as_its_example_does(tmp_path):
    lines = [f"{name} = {json.dumps(option.about.example)}" for name, option in declared_options().items()]
    run = load(tmp_path, "\n".join(["[run]", *lines])).run
    unchanged = {name for name, option in declared_options().items() if getattr(run, name) == option.default}
    assert unchanged == {"confirm_above"}, "its example is the default"


@pytest.mark.parametrize(
    ("name", "value"), [("top_p", 0), ("samples", 0), ("timeout", 0), ("effort", "hard"), ("temperature", 3)]
)
def test_what_a_flag_may_not_be_the_file_may_not_say(tmp_path, name, value, monkeypatch, capsys):
    [told] = problems_of(tmp_path, f"[run]\n{name} = {json.dumps(value)}").values()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "codejury.toml").unlink()
    assert command_line(["run", "--model", "baseline/stub", declared_options()[name].flag, str(value)]) == 2
    assert f"{name}: {told}" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("field", "taken", "refused"),
    [
        ("parameters.temperature", (0, 2), (-0.1, 2.1)),
        ("parameters.top_p", (0.01, 1), (0, 1.1)),
        ("parameters.max_tokens", (1,), (0,)),
        ("parameters.thinking_tokens", (0,), (-1,)),
        ("price.input", (0,), (-0.1,)),
        ("max_connections", (1,), (0,)),
        ("requests_per_minute", (1,), (0,)),
        ("timeout_seconds", (0.5, 86_400), (0, 86_401)),
        ("silence_seconds", (0.5, 86_400), (0, 86_401)),
        ("batch_poll_seconds", (0.5, 86_400), (0, 86_401)),
        ("tries", (1, 20), (0, 21)),
    ],
)
def test_a_number_is_taken_up_to_its_bounds_and_refused_beyond(tmp_path, field, taken, refused):
    table = '[models.a]\nbase_url = "http://h/v1"\nprice.output = 1\n'
    table += "" if field == "price.input" else "price.input = 1\n"
    for value in taken:
        load(tmp_path, f"{table}{field} = {value}")
    for value in refused:
        assert [*problems_of(tmp_path, f"{table}{field} = {value}")] == [f"models.a.{field}"]


def test_the_documented_defaults_are_the_real_ones():
    text, policy = (DOCS / "configuration.md").read_text(), RequestPolicy()
    for field, value in (
        ("timeout_seconds", f"{policy.seconds_for(streams=False):g}; in pieces "
                            f"{policy.seconds_for(streams=True):g}"),
        ("silence_seconds", f"{policy.silence_seconds:g}"),
        ("tries", policy.tries),
    ):  # fmt: skip
        assert re.search(rf"^\| `{field}` .*\| {value} \|$", text, re.MULTILINE), field


def test_the_documented_file_is_valid(tmp_path):
    [example] = blocks("configuration.md", "toml")
    configuration = load(tmp_path, example)
    assert set(configuration.models) == {"workstation", "openai/gpt-4o-mini"}
    assert Session(configuration, keyring=Keyring.load({})).spec_of("workstation").model == "qwen2.5-coder:7b"


def test_every_example_of_a_field_is_itself_valid():
    for table in (ModelTable, PriceTable, ParametersTable):
        required = {name: info.examples[0] for name, info in table.model_fields.items() if info.is_required()}
        for name, info in table.model_fields.items():
            table.model_validate({**required, name: info.examples[0]})


# `codejury models`


def run(*arguments: str) -> Result:
    app = typer.Typer()
    app.command()(models)
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a model of one's own and a key in `.env`."""
    (tmp_path / "codejury.toml").write_text(
        '[models.mine]\nbase_url = "http://127.0.0.1:1/v1"\nkey_variable = "MINE"\nrequests_per_minute = 7\n'
    )
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "GROQ_API_KEY", "MINE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_list_shows_models_keys_and_prices_but_no_key():
    result = run()
    assert result.exit_code == 0
    for line in (
        r"mine +MINE: not set +n/a +16 \(7/min\)",
        r"openai/\.\.\. +OPENAI_API_KEY: set",
        r"stub +free",
    ):
        assert re.search(line, result.output), line
    assert KEY not in result.output


@pytest.mark.usefixtures("folder")
def test_the_list_as_json_says_what_a_string_means():
    [entry] = json.loads(run("openai/gpt-4o", "--json").output)
    assert entry["has_key"] is True
    assert entry["key_variables"] == ["OPENAI_API_KEY"]
    assert entry["usd_per_million"][0] > 0
    assert KEY not in json.dumps(entry)
    [unknown] = json.loads(run("openai/no-such-model", "--json").output)
    assert unknown["usd_per_million"] is None


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("arguments", [("opnai/x",), ("--config", "none.toml"), ("--base-url", "x")])
def test_bad_input_is_an_error_of_ours(arguments):
    assert isinstance(run(*arguments).exception, CodejuryError)
