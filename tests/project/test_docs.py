"""What the documents say is checked where a machine can: links, commands, code."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

import codejury
from codejury import models, prompts, results, run, store
from codejury.cli import COMMANDS
from codejury.report import plots

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
