"""What stands below every package: errors and hints, public names, the program's name, the fake sandbox."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

import codejury
from codejury import program
from codejury.errors import DefinitionError, ModelUnavailable, Problem, SandboxError, Severity, suggestion
from codejury.lazy_names import lazy_names
from codejury.records import Job
from codejury.testing import FakeSandbox
from fakes import a_case, facts, honest

# Hints


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("opnai", ["openai", "groq"], "did you mean `openai`?"),
        ("OPNAI", ["OpenAI", "groq"], "did you mean `OpenAI`?"),
        ("wrap_wurds", ["text/wrap_words", "text/other"], "did you mean `text/wrap_words`?"),
        ("txt/wrap_words", ["text/wrap_words"], "did you mean `text/wrap_words`?"),
        ("level1", ["level2", "level3"], "did you mean `level3` or `level2`?"),
        ("level1", ["level2", "level3", "level4"], "did you mean `level4`, `level3` or `level2`?"),
        ("level12", ["level11", "level_twelve"], "did you mean `level11`?"),
        ("xyz", ["basic", "core", "basic"], "known: basic, core"),
        ("xyz", list("abcdefghij"), "known: a, b, c, d, e, f, g, h, i, j"),
        ("xyz", list("abcdefghijk"), "known: a, b, c, d, e, f, g, h, i, j and 1 more"),
        ("xyz", [f"case{n}" for n in range(1010)][:1010], "and 1,000 more"),
        ("xyz", [], "there are none"),
    ],
)
def test_a_name_that_is_not_known_is_answered_with_what_is_near_or_with_what_there_is(
    word: str, known: list[str], hint: str
) -> None:
    assert suggestion(word, known).endswith(hint)


def test_a_problem_is_one_line_that_says_where_what_and_how_to_fix_it() -> None:
    problem = Problem(file=Path("a.toml"), field="prompt", what="is empty", repair="fill it in")
    assert (str(problem), problem.is_error) == ("a.toml: prompt: is empty (fill it in)", True)
    warning = Problem(file=None, field="level", what="is odd", repair="x", severity=Severity.WARNING)
    assert (str(warning), warning.is_error) == ("warning: level: is odd (x)", False)
    error = DefinitionError([problem, warning])
    assert str(error) == f"{problem}\n{warning}"
    assert error.problems == (problem, warning)


def test_a_service_that_is_busy_may_say_when_to_come_back() -> None:
    assert ModelUnavailable("busy").retry_after is None
    error = ModelUnavailable("busy", retry_after=3)
    assert (str(error), error.retry_after) == ("busy", 3)


# Names


def test_a_hint_is_quoted_for_a_shell_and_begins_with_what_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_words", ["codejury"])
    assert program.command("validate", "my cases") == "codejury validate 'my cases'"
    program.started_as("/somewhere/__main__.py", "/nowhere")
    assert program.command("run") == "python -m codejury run"


def test_public_names_are_loaded_when_they_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    package, module = ModuleType("lazy_pack"), ModuleType("lazy_pack.inner")
    package.__path__ = []
    module.answer = 42  # type: ignore[attr-defined]
    load, names, everything = lazy_names("lazy_pack", {"inner": ("answer",), "absent": ("a_name",)})
    monkeypatch.setitem(sys.modules, "lazy_pack", package)
    monkeypatch.setitem(sys.modules, "lazy_pack.inner", module)
    assert load("answer") == 42
    assert names() == everything == ["a_name", "answer"]
    with pytest.raises(AttributeError, match="module 'lazy_pack' has no attribute 'nothing'"):
        load("nothing")


def test_the_package_shows_its_public_names() -> None:
    assert {"Judge", "evaluate", "load_definition"} <= {*dir(codejury)}
    assert sorted(codejury.__all__) == sorted({*codejury.__all__})
    for name in codejury.__all__:
        assert getattr(codejury, name) is not None


# The sandbox of tests


def test_the_fake_sandbox_says_what_it_was_told_until_it_is_closed() -> None:
    job = Job(test_case=a_case(), snippets=())
    with_version = FakeSandbox(lambda job: facts(job.test_case), julia_version="1.9.0")
    assert (with_version.level, with_version.julia_version) == ("fake", "1.9.0")
    assert with_version.execute(job) == facts(job.test_case)
    with_version.close()
    with pytest.raises(SandboxError, match="this sandbox is closed"):
        with_version.execute(job)
    assert FakeSandbox(honest).julia_version == "1.10.0"
