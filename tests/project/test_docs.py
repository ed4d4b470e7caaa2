"""What the documents say is checked where a machine can: links, commands, code."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

import codejury
from codejury import models, prompts, results, run, store
from codejury.cli import COMMANDS, _app
from codejury.report import plots
from definition_samples import write

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
COMMAND = re.compile(r"(?:^|`|\s)codejury ([a-z]+)")
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
PUBLIC = (codejury, models, prompts, results, run, store)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_to_a_file_leads_somewhere(document: Path) -> None:
    broken = [link for link in LINK.findall(document.read_text()) if not (document.parent / link).exists()]
    assert broken == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_that_is_named_exists(document: Path) -> None:
    blocks = re.findall(r"```(?:sh|console|bash)\n(.*?)```", document.read_text(), re.DOTALL)
    inline = re.findall(r"`(codejury [^`\n]+)`", document.read_text())
    named = set(COMMAND.findall("\n".join([*blocks, *inline])))
    assert named <= set(COMMANDS)


STOPS = ("|", ">", "&&", "||", ";", "<", "&")
"""What ends a command within a line of a shell."""


def command_lines(text: str) -> list[list[str]]:
    """The words of each command of ours in a text, comments and what the shell does with its output apart."""
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        told = re.search(r"(?:^|\$ |&& |\| |\.venv/bin/|uvx |pipx run )codejury (.*)$", line)
        words = shlex.split(told[1], comments=True) if told else []
        ends = [words.index(stop) for stop in STOPS if stop in words]
        if words := words[: min(ends, default=len(words))]:
            found.append(words)
    return found


def parsed(words: list[str]) -> str:
    """What is wrong with a command line, by the command's own parser; nothing is run."""
    try:
        get_command(_app(words[0])).make_context(words[0], words[1:])
    except Exception as error:  # of typer's, whose home differs from version to version
        if not hasattr(error, "format_message"):
            raise
        return f"{' '.join(words)}: {error.format_message()}"
    return ""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_line_that_is_shown_can_be_typed(document: Path) -> None:
    blocks = re.findall(r"```(?:sh|console|bash)?\n(.*?)```", document.read_text(), re.DOTALL)
    lines = [words for block in blocks for words in command_lines(block) if words[0] in COMMANDS]
    assert [told for words in lines if (told := parsed(words))] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_flag_that_is_mentioned_exists(document: Path) -> None:
    mentioned = re.findall(r"`((?:\.venv/bin/)?codejury [^`\n]+)`", document.read_text())
    lines = [words for text in mentioned for words in command_lines(text) if words[0] in COMMANDS]
    assert [told for words in lines if "No such option" in (told := parsed(words))] == []


def test_a_command_line_with_a_wrong_flag_is_noticed() -> None:
    (words,) = command_lines("$ CODEJURY_JULIA=x .venv/bin/codejury validate a --watching > out  # looks\n")
    assert words == ["validate", "a", "--watching"]
    assert "No such option" in parsed(words)


def test_the_python_of_the_pages_about_models_runs_and_sites_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "code_generation")
    for page, told in (
        ("models", "add_two(x) = x + 2"),
        ("running", "baseline/stub"),
        ("site", "index.html"),
    ):
        for code in PYTHON.findall((ROOT / f"docs/{page}.md").read_text()):
            exec(compile(code, f"docs/{page}.md", "exec"), {"__name__": "__main__"})
        assert told in capsys.readouterr().out, page
        if page == "running":
            (tmp_path / "results").rename(tmp_path / "demo")
            (tmp_path / "results").mkdir()
            (tmp_path / "demo").rename(tmp_path / "results/demo")


def test_every_document_can_be_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        document = waiting.pop().resolve()
        if document in reached or document.suffix != ".md":
            continue
        reached.add(document)
        waiting += [document.parent / link for link in LINK.findall(document.read_text())]
    assert {path.resolve() for path in DOCUMENTS} - reached == set()


def test_the_readmes_python_runs_as_it_stands(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    for code in PYTHON.findall((ROOT / "README.md").read_text()):
        exec(compile(code, "README.md", "exec"), {})
    assert "fail" in capsys.readouterr().out


def test_every_public_name_is_there_and_explains_itself() -> None:
    for package in PUBLIC:
        for name in package.__all__:
            assert inspect.getdoc(getattr(package, name)) or name.isupper(), name


def shown_imports() -> list[tuple[str, str, str]]:
    """Each name of ours that a document or an example imports: where, from which package, which name."""
    programs = [(path.name, path.read_text()) for path in (ROOT / "examples").glob("*.py")]
    programs += [(page.name, code) for page in DOCUMENTS for code in PYTHON.findall(page.read_text())]
    return [
        (place, node.module, alias.name)
        for place, code in programs
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "codejury"
        for alias in node.names
    ]


def test_documents_and_examples_import_public_names_only() -> None:
    public = {package.__name__: package.__all__ for package in (*PUBLIC, plots)}
    assert [found for found in shown_imports() if found[2] not in public.get(found[1], ())] == []


def test_type_checkers_see_the_same_public_names_as_programs() -> None:
    for package in PUBLIC:
        typed = re.findall(r"^    from \S+ import (\w+) as \1$", inspect.getsource(package), re.MULTILINE)
        assert sorted(typed) == package.__all__ == dir(package)


def test_the_two_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
