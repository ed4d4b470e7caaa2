"""`codejury validate --julia A --julia B`, with the real Julia under two names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from codejury.cli.validate_julias import differences
from codejury.errors import Problem
from codejury.judge.toolchain.find import find_julia
from codejury.settings import load_settings
from codejury.suite.validation_report import ValidationReport


def validate(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "codejury", "validate", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_definitions_are_checked_on_each_julia_and_compared(definitions: Path, tmp_path: Path) -> None:
    julia = find_julia(load_settings())
    assert julia
    other = tmp_path / "other-julia"
    other.write_text(f'#!/bin/sh\nexec {julia.launcher} "$@"\n')
    other.chmod(0o755)
    named = ("--julia", julia.launcher, "--julia", other, "--julia", julia.launcher)
    done = validate(definitions, "--no-strict", "--json", "--workers", 1, *named)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert [(each["version"], each["launcher"]) for each in document["julias"]] == [
        (julia.version, str(julia.launcher)),
        (julia.version, str(other)),
    ]
    assert [len(each["files"]) for each in document["julias"]] == [2, 2]
    assert (document["valid"], document["differ"]) == (True, {})


def test_a_julia_that_is_not_there_is_said_before_anything_runs(definitions: Path) -> None:
    done = validate(definitions, "--julia", definitions / "nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--julia: " in done.stderr


def test_what_fares_differently_is_told_by_file() -> None:
    problem = Problem(file=Path("b"), field="unit_tests", what="fails", repair="fix it")
    good, bad = (ValidationReport(path=Path("b"), problems=problems) for problems in ((), (problem,)))
    alike = ValidationReport(path=Path("a"))
    found = {"Julia 1.5.3": [alike, good], "Julia 1.10.4": [alike, bad]}
    assert differences(found) == {Path("b"): {"Julia 1.5.3": "valid", "Julia 1.10.4": "invalid"}}
