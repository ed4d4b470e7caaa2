"""Imports point downwards, and the rooms of one floor do not know each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import codejury

ROOT = Path(codejury.__file__).parent

LAYERS = (
    {"cli", "__main__"},
    {"benchmark", "site", "selftest"},
    {"judge", "engines", "bulk", "validation", "strength", "rejudging", "exchange"},
    {
        "definitions", "prompts", "models", "sandbox", "score", "store", "analysis", "toolchain",
        "cluster", "index", "plots", "failures",
    },
    {"extract"},  # how an answer is read is known to all who look at one
    {"records", "settings", "configuration"},
    {"errors"},
)  # fmt: skip
LEVEL = {room: depth for depth, rooms in enumerate(LAYERS) for room in rooms}

# The package itself names its public functions, and loads their rooms when they are asked for.
FRONT_DOOR = "__init__"

# A room that knows one of its own floor, and why.
NEIGHBOURS = {
    ("__main__", "cli"): "it is the command line",
    ("engines", "judge"): "an engine is a judge with sandboxes of its kind",
    ("validation", "judge"): "a definition is validated by judging its own solution",
    ("strength", "judge"): "a test case is as strong as the judge's verdicts on broken solutions say",
    ("exchange", "bulk"): "an exported file is the input of bulk judging",
    ("exchange", "rejudging"): "imported answers are judged as stored ones are",
    ("cluster", "sandbox"): "a worker on a node holds a sandbox, and stands for one at home",
    ("cluster", "toolchain"): "a worker sets its node up",
    ("index", "store"): "what the store calls broken is broken",
    ("sandbox", "toolchain"): "the sandbox runs the Julia that the toolchain found",
}


def room_of(file: Path, root: Path) -> str:
    return file.relative_to(root).parts[0].removesuffix(".py")


def imported_rooms(file: Path, root: Path) -> Iterator[str]:
    """Yield the rooms a file imports, wherever in it: at the top, in a function, for types alone."""
    depth = len(file.relative_to(root).parts)
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == depth:
            names = [f"codejury.{node.module or alias.name}" for alias in node.names]
        for package, _, rest in (name.partition(".") for name in names):
            if package == "codejury" and rest:
                yield rest.split(".")[0]


def breaches(root: Path) -> list[str]:
    """Say which file imports what it must not know."""
    return [
        f"{file.relative_to(root)} imports {other}"
        for file in sorted(root.rglob("*.py"))
        for other in sorted(set(imported_rooms(file, root)))
        if not may_import(room_of(file, root), other)
    ]


def may_import(room: str, other: str) -> bool:
    if room in (other, FRONT_DOOR) or other not in LEVEL:
        return True
    return LEVEL[room] < LEVEL[other] or (room, other) in NEIGHBOURS


def test_every_room_has_its_floor():
    rooms = {room_of(file, ROOT) for file in ROOT.rglob("*.py")}
    assert rooms - LEVEL.keys() == {FRONT_DOOR}, "give the new room a place in LAYERS"


def test_imports_point_downwards():
    assert breaches(ROOT) == []


def test_an_upward_a_sideways_and_a_hidden_import_are_seen(tmp_path):
    files = {
        "score.py": "from .cli import main",
        "extract.py": "def f():\n    from .score import assess",
        "store/reading.py": "from ..bulk.plan import prepare",
        "records.py": "import codejury.settings",
        "bulk.py": "from . import score, errors",
        "cli/judge.py": "from .render import x\nfrom ..bulk import run",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert breaches(tmp_path) == [
        "extract.py imports score",
        "records.py imports settings",
        "score.py imports cli",
        "store/reading.py imports bulk",
    ]
