"""The documentation as a site: its pages are complete, and its tutorial does what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import codejury
from codejury.cli import COMMANDS
from codejury.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages, as `make docs` writes them."""
    script = load_script()
    folder = tmp_path_factory.mktemp("site") / "docs"
    script.PAGES = folder
    script.write_pages()
    return folder


def load_script() -> ModuleType:
    loader = SourceFileLoader("make_docs", str(ROOT / "scripts/make-docs"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def listed(nav: list[dict[str, Any]]) -> list[str]:
    """The pages of a table of contents."""
    found = []
    for entry in nav:
        for value in entry.values():
            found += [value] if isinstance(value, str) else listed(value)
    return found


def test_every_page_is_in_the_table_of_contents_and_the_reverse(pages: Path) -> None:
    nav = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"]
    assert sorted(listed(nav)) == sorted(page.name for page in pages.glob("*.md"))


def test_every_link_between_pages_leads_somewhere(pages: Path) -> None:
    for page in pages.glob("*.md"):
        links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+\.md)", page.read_text(encoding="utf-8"))
        assert [link for link in links if not (pages / link).exists()] == [], page.name


def test_every_picture_of_a_page_is_there_and_readme_and_tutorial_have_some(pages: Path) -> None:
    shown = {
        page.name: re.findall(r"!\[[^]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
        for page in pages.glob("*.md")
    }
    assert shown["index.md"]
    assert shown["tutorial.md"]
    assert [file for files in shown.values() for file in files if not (pages / file).is_file()] == []


def test_the_reference_names_every_command_its_flags_and_every_public_name(pages: Path) -> None:
    commands = (pages / "commands.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"## codejury {name}\n" not in commands] == []
    assert "`--watch` | Look again after each save" in commands
    assert "### codejury site serve" in commands
    api = (pages / "api.md").read_text(encoding="utf-8")
    assert [name for name in codejury.__all__ if f"### {name}\n" not in api] == []


def commands_with_output(page: Path) -> list[tuple[str, str]]:
    """Each command that a page shows, and what it shows as its output."""
    found: list[tuple[str, str]] = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def matches(shown: str, output: str) -> bool:
    """Whether the output is as shown, spaces at line ends apart.

    `...` stands for any lines, and within a line for anything.
    """
    pattern = ""
    for line in shown.splitlines():
        parts = (re.escape(part.strip()) for part in line.rstrip().split("...")[1:])
        first = re.escape(line.rstrip().split("...")[0].rstrip())
        pattern += "(?:.*\n)*?" if line == "..." else "[^\n]*".join([first, *parts]) + "\n"
    plain = "".join(f"{line.rstrip()}\n" for line in output.splitlines())
    return re.fullmatch(pattern, plain) is not None


def test_output_matches_what_is_shown_and_nothing_else() -> None:
    assert matches("a\n...\nz\n", "a\nb  \nc\nz\n")
    assert matches("a\n...\nz\n", "a\nz\n")
    assert matches("total ... s\n", "total 3.2 s\n")
    assert not matches("a\n...\nz\n", "a\nb\n")
    assert not matches("a\n", "a\nb\n")


def test_the_tutorial_does_what_it_shows(tmp_path: Path) -> None:
    environ = {**os.environ, "COLUMNS": "80", "LC_ALL": "C.UTF-8", "HOME": str(tmp_path / "home")}
    environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environ['PATH']}"
    environ["CODEJURY_CACHE"] = str(load_settings().cache)
    folder = tmp_path / "work"
    folder.mkdir()
    commands = commands_with_output(ROOT / "docs/tutorial.md")
    assert len(commands) > 10
    for command, shown in commands:
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert matches(shown, done.stdout), f"{command}\n{done.stdout}"
