"""The judge's Julia code, compiled in advance: found when it is right, and missed without harm."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from codejury.errors import ToolchainError
from codejury.judge.judge import Judge
from codejury.judge.sandbox import compiled
from codejury.judge.sandbox.compiled import compile_judge, find_compiled, worker_command, worker_environment
from codejury.judge.sandbox.forkserver import ForkServerSandbox
from codejury.judge.sandbox.isolation.probe import probe_isolation
from codejury.judge.sandbox.launch import make_plan
from codejury.judge.toolchain.find import find_bubblewrap, find_julia
from codejury.judge.toolchain.julia import JuliaInstall
from codejury.records import Job, Snippet
from codejury.settings import load_settings
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
    # From 1.9 on Julia keeps machine code beside what it has found out.
    assert {path.suffix for path in folder.rglob("*") if path.is_file()} <= {".ji", ".so"}
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


def test_a_worker_that_finds_no_use_for_it_reads_the_code_as_it_is(
    julia: JuliaInstall, tmp_path: Path
) -> None:
    told = subprocess.run(
        worker_command(julia, Path("/proc/nowhere")),
        env=worker_environment(julia, tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "the judge's compiled code is of no use" in told.stderr


def test_a_child_compiles_nothing_of_the_judge(
    julia: JuliaInstall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a child compiles, every child compiles: 25 ms for one forgotten method."""
    settings = load_settings()
    monkeypatch.setattr(compiled, "FLAGS", (*compiled.FLAGS, "--trace-compile=stderr"))
    bubblewrap = find_bubblewrap(settings)
    plan = make_plan(
        probe_isolation(bubblewrap=bubblewrap).level,
        julia,
        bubblewrap=bubblewrap,
        host_scratch=lambda: Path(tempfile.mkdtemp()),
        compiled=compile_judge(julia, tmp_path, silent),
    )
    sandbox = ForkServerSandbox(plan)
    codes = ["double(x) = 2x", "double(x) = 3x", "double(x) = error()", "double(x) = ", "doubel(x) = 2x"]
    jobs = [Job(test_case=a_case(), snippets=(Snippet(code=code, language="julia"),)) for code in codes]
    try:
        before = compiled_by(sandbox)
        outputs = [sandbox.execute(job).stdout for job in jobs]
        # Newer versions also list what they interpret: the candidate's own functions, in its module.
        of_the_judge = [line for told in outputs for line in told.splitlines() if "Answer." not in line]
        assert (of_the_judge, compiled_by(sandbox)) == ([], before)
    finally:
        sandbox.close()


def compiled_by(sandbox: ForkServerSandbox) -> list[str]:
    """What the worker and its children have compiled, but for what the start-up proof makes them."""
    log = sandbox._worker._log.fileno()
    lines = os.pread(log, os.fstat(log).st_size, 0).decode().splitlines()
    return [line for line in lines if line.startswith("precompile(") and "Answer" not in line]
