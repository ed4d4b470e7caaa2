"""`codejury demo`, on two test cases instead of all."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from codejury import definitions
from codejury.cli import run
from codejury.definitions import bundled_suite


def test_the_demo_shows_verdicts_benchmarks_models_without_a_key_and_ranks_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    suite = tmp_path / "suite"
    for case in ("strings_and_text/wrap_words", "arrays/softmax"):
        shutil.copytree(bundled_suite() / case, suite / case)
    monkeypatch.setattr(definitions, "bundled_suite", lambda: suite)
    monkeypatch.setenv("CODEJURY_DEFINITIONS", str(suite))
    # The real model has tests of its own.
    monkeypatch.setattr("codejury.cli.demo.LOCAL_MODEL", "baseline/reference")
    monkeypatch.chdir(tmp_path)
    assert run(["demo"]) == 0
    told = capfd.readouterr().out
    for line in (
        r"right, in a messy answer +100\.0 +pass",
        r"cheats +75\.0 +fail +tampering: redefined Base\.==",
        r"1 to 3 +baseline/chatty +100\.0 .* 100\.0 % +2 ",
        r"1 to 3 +baseline/reference +100\.0 .* 100\.0 % +2 ",
        r"\d +baseline/stub +\d\d\.\d .* 0\.0 % +2 ",
    ):
        assert re.search(line, told), f"{line} is not in:\n{told}"
    stored = sorted(path.name for path in (tmp_path / "results/demo/arrays/softmax").rglob("evaluation__*"))
    assert len(stored) == 3
