"""What programs read of Codejury stays byte for byte the same: stored files, lines of JSON, tables, the site.

`suite` and `answers.jsonl` go in; `stored` holds results with fixed times; `expected` is what came out.
After a change that is meant, write it anew and read the difference:

    CODEJURY_WRITE_GOLDEN=1 .venv/bin/python -m pytest tests/golden
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import codejury as codejury_package

HERE = Path(__file__).parent
EXPECTED = HERE / "expected"
BOARD = ("--root", "stored")
ONE = "stored/strings/shout/lab/parrot"

# What differs from run to run and from machine to machine, and what stands in its place. Only here.
CHANGING = (
    (re.compile(r"\d{8}_\d{6}__\d{3}"), "TIMESTAMP"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)"), "TIME"),
    (re.compile(r'("[a-z_]*seconds": ?)[\d.e-]+'), r"\1SECONDS"),
    (re.compile(r'("run_id": ?)\d+'), r"\1RUN"),
    (re.compile(r'("(?:asked_)?julia(?:_version)?": ?)"\d[^"]*"'), r'\1"JULIA"'),
    (re.compile(r'("codejury_version": ?)"[^"]+"'), r'\1"VERSION"'),
    (re.compile(r'("sandbox": ?)"[^"]+"'), r'\1"SANDBOX"'),
    (re.compile(r"Julia \d+\.\d+(?:\.\d+)?"), "Julia VERSION"),
    (re.compile(r'("prompt_hash": ?)"[0-9a-f]{64}"'), r'\1"HASH"'),  # the prompt names the Julia version
)


def normalised(text: str, folder: Path) -> str:
    text = text.replace(str(folder), "FOLDER").replace(str(Path(codejury_package.__file__).parent), "PACKAGE")
    for pattern, replacement in CHANGING:
        text = pattern.sub(replacement, text)
    return text


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what goes in, where commands may write."""
    folder = tmp_path_factory.mktemp("golden") / "work"
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("expected", "*.py", "__pycache__"))
    return folder


@pytest.fixture
def same(folder: Path) -> Callable[[str, str], None]:
    """Compare a text with the file of that name in `expected`, or write the file."""

    def compare(name: str, text: str) -> None:
        found = normalised(text, folder)
        if os.environ.get("CODEJURY_WRITE_GOLDEN"):
            EXPECTED.mkdir(exist_ok=True)
            (EXPECTED / name).write_text(found, encoding="utf-8")
        assert found == (EXPECTED / name).read_text(encoding="utf-8")

    return compare


def codejury(folder: Path, *arguments: str) -> str:
    """Run a command and return what it prints; its exit code may say that answers failed."""
    done = subprocess.run(
        [sys.executable, "-m", "codejury", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def of_one(folder: Path, kind: str) -> str:
    """A file of the only answer of the imported model under `strings/shout` that throws nothing."""
    (path, *_) = sorted((folder / ONE).glob(f"{kind}__*.json"))
    return str(path.relative_to(folder))


PRINTED = {
    "leaderboard.json": ("leaderboard", *BOARD, "--format", "json"),
    "leaderboard.csv": ("leaderboard", *BOARD, "--format", "csv"),
    "leaderboard_common.json": ("leaderboard", *BOARD, "--common", "--format", "json"),
    "leaderboard_published.csv": ("leaderboard", *BOARD, "--preset", "published", "--format", "csv"),
    "compare.json": ("compare", "baseline/reference", "lab/parrot", *BOARD, "--format", "json"),
    "power.json": ("power", "--cases", "20", "--samples", "5", "--format", "json"),
    "errors.json": ("errors", *BOARD, "--format", "json"),
    "prompts.json": ("prompts", "--json"),
    "suite.json": ("suite", "suite", "--json"),
    "validate.json": ("validate", "suite", "--no-strict", "--json"),
    "verify.json": ("verify", "stored", "--definitions", "suite", "--seed", "1", "--json"),
    "rescore.json": ("rescore", "stored", "--definitions", "suite", "--dry-run", "--json"),
    "plan.json": (
        "run", "--model", "baseline/reference", "--definitions", "suite", "--save-dir", "new", "--dry-run",
        "--json",
    ),
    "evaluate.json": ("evaluate", "suite/strings/shout", "answer.md", "--json"),
}  # fmt: skip


@pytest.mark.parametrize("name", PRINTED)
def test_a_command_prints_what_it_printed(name: str, folder: Path, same: Callable[[str, str], None]) -> None:
    same(name, codejury(folder, *PRINTED[name]))


def test_show_prints_both_files_of_an_answer(folder: Path, same: Callable[[str, str], None]) -> None:
    same("show.json", codejury(folder, "show", of_one(folder, "evaluation"), "--json"))


def test_judge_writes_the_verdicts_it_wrote(folder: Path, same: Callable[[str, str], None]) -> None:
    codejury(folder, "judge", "answers.jsonl", "--definitions", "suite", "--output", "verdicts.jsonl")
    same("verdicts.jsonl", (folder / "verdicts.jsonl").read_text(encoding="utf-8"))


def test_a_run_stores_the_files_and_reports_the_events_it_did(
    folder: Path, same: Callable[[str, str], None]
) -> None:
    told = codejury(
        folder, "run", "--model", "baseline/chatty", "--prompt", "InJulia", "--samples", "1", "--definitions",
        "suite", "--save-dir", "asked", "--case", "shout", "--yes", "--json",
    )  # fmt: skip
    same("events.jsonl", told)
    for kind in ("conversation", "evaluation"):
        (path,) = (folder / "asked/strings/shout/baseline/chatty").glob(f"{kind}__*.json")
        same(f"{kind}.json", path.read_text(encoding="utf-8"))


def test_an_export_holds_the_lines_it_held(folder: Path, same: Callable[[str, str], None]) -> None:
    codejury(folder, "export", "stored", "--output", "exported.jsonl")
    same("exported.jsonl", (folder / "exported.jsonl").read_text(encoding="utf-8"))


def test_the_site_has_the_data_files_it_had(folder: Path, same: Callable[[str, str], None]) -> None:
    codejury(folder, "site", "build", *BOARD, "--definitions", "suite", "--output", "site")
    data = sorted(path for path in (folder / "site" / "data").iterdir())
    same("site_files.txt", "\n".join(sorted(path.name for path in data)) + "\n")
    for path in (*data, folder / "site" / "board.csv"):
        same(f"site_{path.name}", path.read_text(encoding="utf-8"))


def test_machines_are_described_by_the_same_keys(folder: Path, same: Callable[[str, str], None]) -> None:
    """What `doctor` and `models` find differs from machine to machine; the form of it does not."""
    for command in ("doctor", "models"):
        described = keys_of(json.loads(codejury(folder, command, "--json")))
        same(f"{command}_keys.json", json.dumps(described, indent=1))


def keys_of(value: object) -> object:
    """{"a": 1, "b": [{"c": 2}]} -> {"a": "int", "b": [{"c": "int"}]}."""
    if isinstance(value, dict):
        return {name: keys_of(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [keys_of(value[0])] if value else []
    return "value"
