"""The judge's Julia code, compiled in advance: found when it is right, and missed without harm."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from codejury.errors import ToolchainError
from codejury.judge import Judge
from codejury.sandbox import compiled
from codejury.sandbox.compiled import compile_judge, find_compiled, worker_command
from codejury.settings import load_settings
from codejury.toolchain import JuliaInstall, find_julia
from fakes import a_case


@pytest.fixture(scope="module")
def julia() -> JuliaInstall:
    found = find_julia(load_settings())
    assert found, "no Julia on this machine: run `make setup` first"
    return found


@pytest.fixture
def own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the judge's code that a test may change."""
    copy = shutil.copytree(compiled.JULIA_CODE, tmp_path / "julia")
    monkeypatch.setattr(compiled, "JULIA_CODE", copy)
    return Path(copy)


def silent(message: str, fraction: float | None) -> None:
    pass


def test_what_set_up_compiled_is_what_a_worker_runs(julia: JuliaInstall, jury: Judge) -> None:
    assert find_compiled(julia, load_settings().cache), "not compiled: run `make setup` first"
    code = "println(:Codejury in map(nameof, values(Base.loaded_modules)))\ndouble(x) = 2x"
    execution = jury.execute_code(code, a_case())
    assert (execution.stdout, execution.unit_tests_passed) == ("true\n", 4)


def test_it_is_compiled_once_and_anew_when_the_code_changes(
    julia: JuliaInstall, tmp_path: Path, own_code: Path
) -> None:
    assert find_compiled(julia, tmp_path) is None
    folder = compile_judge(julia, tmp_path, silent)
    assert find_compiled(julia, tmp_path) == folder
    assert compile_judge(julia, tmp_path, pytest.fail) == folder
    assert [path.suffix for path in folder.rglob("*") if path.is_file()] == [".ji"]
    with (own_code / "server.jl").open("a") as file:
        file.write("# changed\n")
    assert find_compiled(julia, tmp_path) is None


def test_a_judge_that_cannot_be_compiled_is_an_error_that_leaves_nothing(
    julia: JuliaInstall, tmp_path: Path
) -> None:
    lame = replace(julia, executable=Path("/bin/false"))
    with pytest.raises(ToolchainError, match=r"could not be compiled by Julia 1\."):
        compile_judge(lame, tmp_path, silent)
    assert find_compiled(lame, tmp_path) is None


def test_a_worker_that_finds_no_use_for_it_reads_the_code_as_it_is(julia: JuliaInstall) -> None:
    told = subprocess.run(
        worker_command(julia, Path("/proc/nowhere")),
        env={**os.environ, **julia.environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "the judge's compiled code is of no use" in told.stderr
