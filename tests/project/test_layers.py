"""Imports point downwards, and the packages of one layer do not know each other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import codejury

ROOT = Path(codejury.__file__).parent

# The one way data flows, from the bottom up; a package knows those below it and none beside it.
LAYERS = (
    {"__main__"},
    {"cli"},
    {"run", "exchange", "report", "selftest"},
    {"suite", "results"},
    {"testing"},
    {"judge", "prompts", "models"},
    {"store"},
    {"configuration", "files", "settings"},
    {"options"},
    {"records"},
    {"errors", "lazy_names", "program"},
)
LEVEL = {package: depth for depth, packages in enumerate(LAYERS) for package in packages}

# It names the public functions, and loads their packages when they are asked for.
PUBLIC = "__init__"


def package_of(file: Path, root: Path) -> str:
    return file.relative_to(root).parts[0].removesuffix(".py")


def imported_packages(file: Path, root: Path) -> Iterator[str]:
    """Yield the packages a file imports, wherever in it: at the top, in a function, for types alone."""
    depth = len(file.relative_to(root).parts)
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == depth:
            names = [f"codejury.{node.module or alias.name}" for alias in node.names]
        for top, _, rest in (name.partition(".") for name in names):
            if top == "codejury" and rest:
                yield rest.split(".")[0]


def breaches(root: Path) -> list[str]:
    """Say which file imports what it must not know."""
    return [
        f"{file.relative_to(root)} imports {other}"
        for file in sorted(root.rglob("*.py"))
        for other in sorted(set(imported_packages(file, root)))
        if not may_import(package_of(file, root), other)
    ]


def may_import(package: str, other: str) -> bool:
    if package in (other, PUBLIC) or other not in LEVEL:
        return True
    return LEVEL[package] < LEVEL[other]


def test_every_package_has_its_layer():
    packages = {package_of(file, ROOT) for file in ROOT.rglob("*.py")}
    assert packages - LEVEL.keys() == {PUBLIC}, "give the new package a place in LAYERS"


def test_imports_point_downwards():
    assert breaches(ROOT) == []


def test_the_map_names_every_package_in_the_order_of_the_layers():
    page = (ROOT.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("## Packages")[2].partition("\n## ")[0]
    named = [re.findall(r"`(\w+)`", row.split("|")[1]) for row in table.splitlines() if row.startswith("| `")]
    listed = [package for row in named for package in row]
    assert sorted(listed) == sorted(LEVEL.keys() - {"__main__"})
    assert [LEVEL[package] for package in listed] == sorted((LEVEL[name] for name in listed), reverse=True)


def test_the_walk_names_files_that_are_there():
    page = (ROOT.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.(?:py|jl))`", page.partition("## One answer")[2])
    assert len(set(named)) >= 30
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_an_upward_a_sideways_and_a_hidden_import_are_seen(tmp_path):
    files = {
        "store.py": "from .cli import main",
        "models.py": "def f():\n    from .judge import score",
        "judge/score.py": "from ..exchange.bulk import plan",
        "records.py": "import codejury.settings",
        "exchange.py": "from . import store, errors",
        "cli/judge.py": "from .render import x\nfrom ..exchange import run",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert breaches(tmp_path) == [
        "judge/score.py imports exchange",
        "models.py imports judge",
        "records.py imports settings",
        "store.py imports cli",
    ]
