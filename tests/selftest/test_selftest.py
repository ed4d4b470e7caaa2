"""`codejury selftest`: it passes where all is well, and names what was broken on purpose.

What is broken is broken for real: Julia's side, the filter, bubblewrap, what the sandbox shows of Julia.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codejury.cli import run
from codejury.errors import InputError, Problem
from codejury.judge.sandbox import compiled, factory, launch
from codejury.judge.sandbox.isolation import probe
from codejury.judge.sandbox.isolation.probe import Check, Isolation
from codejury.judge.sandbox.isolation.seccomp import ALLOW, RETURN
from codejury.judge.toolchain.find import find_julia
from codejury.judge.toolchain.julia import JuliaInstall
from codejury.records import Block, BlockKind, Ending, Execution, Extraction
from codejury.selftest import judging, machine, suite
from codejury.selftest.attack_runner import Surroundings, surroundings
from codejury.selftest.checks import CheckState, SelftestCheck
from codejury.selftest.machine import Machine, examine_machine
from codejury.selftest.running import GROUPS, run_selftest
from codejury.settings import load_settings
from codejury.suite.suite import bundled_suite
from codejury.suite.validation_report import ValidationReport
from codejury.testing import FakeSandbox

ALLOW_EVERYTHING = struct.pack("<HBBI", RETURN, 0, 0, ALLOW)


def a_machine(level: str = "L3") -> Machine:
    """The one that the tests run on; skips what cannot be had on it."""
    found = examine_machine(load_settings(), level=level)
    assert found.julia is not None, "no Julia: run `codejury setup`"
    if missing := found.lacks(level):
        pytest.skip(missing)
    return found


def failures(found: Machine, *groups: str) -> dict[str, str]:
    """What fails, by name, with what was seen."""
    checks = list(run_selftest(found, groups=groups))
    assert checks
    return {check.name: check.detail for check in checks if check.state is CheckState.FAILED}


def open_to_all(folder: Path) -> Path:
    """Let the sandbox's user look into a test's own folder."""
    for each in (folder, folder.parent, folder.parent.parent):
        each.chmod(0o755)
    return folder


# Where all is well


def test_everything_passes_on_this_machine(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = a_machine()
    monkeypatch.setattr(suite, "SAMPLE", suite.SAMPLE[-2:])  # test_submissions runs them all
    code = run(["selftest", "--json", "--level", "L3"])
    told = json.loads(capsys.readouterr().out)
    assert [check for check in told["checks"] if check["state"] != "passed"] == [
        check for check in told["checks"] if check["name"] == "landlock" and check["state"] == "skipped"
    ]
    assert (code, told["passed"], told["level"], told["julia"]) == (0, True, "L3", found.julia_version)
    assert list(dict.fromkeys(check["group"] for check in told["checks"])) == list(GROUPS)
    assert told["counts"]["passed"] > 50


def test_the_sample_is_part_of_the_suite() -> None:
    for name in suite.SAMPLE:
        assert (bundled_suite() / name / "definition.toml").is_file(), name


def test_only_what_is_said_of_cold_processes_too_is_tried_in_one() -> None:
    cold = [sentence.name for sentence in judging.SENTENCES if sentence.cold]
    forked_alone = [sentence.name for sentence in judging.SENTENCES if not sentence.cold]
    assert cold
    assert forked_alone


def test_the_names_of_checks_are_each_used_once() -> None:
    names = [sentence.name for sentence in judging.SENTENCES]
    assert len(set(names)) == len(names)


# One thing is broken at a time, and named


@pytest.fixture
def julia_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the judge's Julia code, to be broken; workers read it as it is."""
    copy = open_to_all(tmp_path) / "julia"
    shutil.copytree(compiled.JULIA_CODE, copy)
    for module in (compiled, launch):
        monkeypatch.setattr(module, "JULIA_CODE", copy)
    return copy


def append(file: Path, code: str) -> None:
    file.write_text(f"{file.read_text()}\n{code}\n")


def test_a_fork_that_breaks_the_compiler_is_named(julia_code: Path) -> None:
    """Without its own memory back, a child writes its machine code into the server."""
    append(julia_code / "inherited.jl", "reopen_memory(inherited::Inherited) = nothing")
    found = failures(a_machine(), "start-up")
    assert list(found) == ["fork at L3"]  # and a cold process, which needs no fork, works
    assert "one process per candidate: this Julia cannot be forked safely: " in found["fork at L3"]


OPEN_A_RING = """
ring = ccall(:syscall, Clong, (Clong, Clong, Ptr{UInt8}), 425, 4, zeros(UInt8, 120))
ring < 0 && error("no io_uring on this machine")
"""


def test_an_io_uring_that_is_open_is_named(julia_code: Path) -> None:
    """What libuv does where nobody tells it not to, done by hand: not every Julia's libuv knows io_uring."""
    worker = julia_code / "worker.jl"
    worker.write_text(OPEN_A_RING + worker.read_text())
    found = failures(a_machine(), "start-up")
    if any("no io_uring on this machine" in detail for detail in found.values()):
        pytest.skip("this machine gives no io_uring")
    assert list(found) == ["fork at L3", "cold at L3"]
    for detail in found.values():
        assert "no io_uring is open: TestFailed" in detail


SHOW_DESCRIPTORS = """
for fd in readdir("/proc/self/fd")
    println(try readlink("/proc/self/fd/" * fd) catch; "" end)
end
"""


def test_libuvs_own_io_uring_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = a_machine()
    assert found.julia is not None
    asked = {**os.environ, **found.julia.environment, "UV_USE_IO_URING": "1"}
    command = [str(found.julia.executable), "--startup-file=no", "-e", SHOW_DESCRIPTORS]
    if (
        "io_uring"
        not in subprocess.run(command, env=asked, capture_output=True, text=True, check=True).stdout
    ):
        pytest.skip("this Julia opens no io_uring, even if asked to")

    def environment(*arguments: Any) -> dict[str, str]:
        return {**compiled.worker_environment(*arguments), "UV_USE_IO_URING": "1"}

    monkeypatch.setattr(launch, "worker_environment", environment)
    assert "no io_uring is open: " in failures(found, "start-up")["fork at L3"]


def test_a_filter_that_refuses_nothing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = a_machine()
    for module in (launch, probe):
        monkeypatch.setattr(module, "candidate_filter", lambda **options: ALLOW_EVERYTHING)
    broken = failures(found, "judging")
    assert broken
    assert all(name.startswith("seccomp: ") for name in broken), broken
    assert "seccomp: a new process is refused" in broken
    assert "kernel rare calls" in failures(found, "attacks")
    # And where the probe finds it, which tries the filter inside bubblewrap too, nothing is run at all.
    bare = examine_machine(load_settings())
    checks = list(run_selftest(bare, groups=("isolation", "judging")))
    assert "seccomp" in [check.name for check in checks if check.state is CheckState.FAILED]
    assert [check.state for check in checks if check.group == "judging"] == [CheckState.SKIPPED]


def test_a_bubblewrap_that_does_not_work_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = open_to_all(tmp_path) / "bwrap"
    program.write_text("#!/bin/sh\necho 'no namespaces today' >&2\nexit 1\n")
    program.chmod(0o755)
    settings = load_settings()
    settings = replace(settings, path=f"{tmp_path}:{settings.path}")
    found = failures(examine_machine(settings), "isolation")
    assert list(found) == ["bubblewrap", "namespaces"]
    assert found["bubblewrap"].startswith("no namespaces today → ")


def without(paths: Sequence[Path], library: str) -> tuple[Path, ...]:
    """The files and folders without every file whose name begins like this."""
    left: list[Path] = []
    for path in paths:
        if path.is_dir() and any(path.rglob(f"{library}*")):
            left += without(sorted(path.iterdir()), library)
        elif not path.name.startswith(library):
            left.append(path)
    return tuple(left)


@pytest.mark.parametrize(
    ("library", "told"),
    [("libgmp.", ["big integers", "libgmp"]), ("libLLVM", ["Julia did not start in the sandbox", "libLLVM"])],
)
def test_a_missing_library_is_named(library: str, told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = find_julia(load_settings())
    assert whole is not None
    lacking = replace(whole, roots=without(whole.roots, library))
    assert lacking.roots != whole.roots, f"this Julia has no {library}"

    def find(settings: object) -> JuliaInstall:
        return lacking

    for module in (factory, machine):
        monkeypatch.setattr(module, "find_julia", find)
    found = failures(a_machine(), "start-up")
    assert list(found) == ["fork at L3", "cold at L3"]
    for detail in found.values():
        assert any(words in detail for words in told), detail


# What is not as it should be is told, whatever it is. A sandbox that answers as it is told stands in.

SENTENCE = judging.Sentence(
    name="an example",
    code="answer(x) = x",
    tests={"@test answer(1) == 1": Ending.PASSED},
    says="hello",
    line=None,
)
AS_IT_SHOULD_BE = Execution(
    parsed=True,
    executed=True,
    blocks=(
        Block(kind=BlockKind.MAIN, index=0, ending=Ending.PASSED, line=1),
        Block(kind=BlockKind.UNIT_TEST, index=0, ending=Ending.PASSED),
    ),
    extraction=Extraction(rule="all", blocks_found=1, blocks_used=(0,)),
    julia_version="1.10.0",
    sandbox="fake",
    stdout="hello",
)
DIED = Block(kind=BlockKind.UNIT_TEST, index=0, ending=Ending.DIED, message="ended by SIGSEGV")


def held(around: Surroundings, execution: Execution, **changes: Any) -> str:
    sandbox = FakeSandbox(lambda job: execution)
    state, detail = judging.hold(replace(SENTENCE, **changes), sandbox, around)
    assert (state is CheckState.FAILED) == bool(detail)
    return detail


def test_every_fault_of_a_verdict_is_told(tmp_path: Path) -> None:
    good = AS_IT_SHOULD_BE
    with surroundings(tmp_path) as around:
        assert held(around, good) == ""
        crashed = replace(good, blocks=(good.blocks[0], DIED))
        assert held(around, crashed) == "test 1 should have passed: died ended by SIGSEGV"
        assert held(around, good, line=2).startswith("it should have failed in line 2, not 1")
        assert held(around, replace(good, stdout="")) == "it does not say 'hello'"
        assert held(around, good, facts={"extraction.dropped_tests": 2}).startswith(
            "extraction.dropped_tests is 0"
        )
        assert held(around, replace(good, tampering=("wrote",))) == "tampering: wrote"
        assert held(around, replace(good, notes=("died when forked",))) == "died when forked"
        assert held(around, replace(good, stdout=f"hello {around.secret}")) == "it told our secret"
        around.canary.write_text("changed")
        assert held(around, good) == "the canary was changed"


def test_output_that_does_not_repeat_itself_is_told(tmp_path: Path) -> None:
    outputs = iter(["hello 1", "hello 2"])
    sandbox = FakeSandbox(lambda job: replace(AS_IT_SHOULD_BE, stdout=next(outputs)))
    with surroundings(tmp_path) as around:
        result = judging.hold(replace(SENTENCE, twice=True), sandbox, around)
    assert result == (CheckState.FAILED, "a second run printed something else")


def test_a_case_of_the_suite_that_cannot_be_checked_for_want_of_a_package_is_no_failure() -> None:
    lacking = ValidationReport(path=None, missing_packages=("X",), unchecked_because="not installed: X")
    broken = ValidationReport(path=None, unchecked_because="the sandbox broke")
    problem = Problem(
        file=None, field="unit_tests[0]", what="the reference solution fails it", repair="fix it"
    )
    wrong = ValidationReport(path=None, problems=(problem,))
    assert suite.result_of(lacking) == (CheckState.SKIPPED, "not installed: X")
    assert suite.result_of(broken) == (CheckState.FAILED, "the sandbox broke")
    assert suite.result_of(wrong) == (CheckState.FAILED, "unit_tests[0]: the reference solution fails it")


# What cannot be tried


def test_without_isolation_no_code_is_run() -> None:
    here = a_machine()
    nothing = Isolation(
        level="L1", checks=tuple(replace(c, ok=False, repair="r") for c in here.isolation.checks)
    )
    checks = list(run_selftest(replace(here, isolation=nothing, asked="")))
    by_group = {check.group: check for check in checks if check.group != "isolation"}
    assert {check.state for check in by_group.values()} == {CheckState.SKIPPED}
    assert len(by_group) == len(GROUPS) - 1
    assert any(check.state is CheckState.FAILED for check in checks)


def test_what_a_level_does_not_need_may_be_missing() -> None:
    here = a_machine()
    checks = [replace(check, ok=check.name != "landlock") for check in here.isolation.checks]
    less = replace(here, isolation=replace(here.isolation, checks=tuple(checks)), asked="")
    found = {check.name: check for check in run_selftest(less, groups=("isolation",))}
    assert found["landlock"].state is CheckState.SKIPPED
    assert failures(replace(less, asked="L2"), "isolation").keys() == {"landlock"}


def test_a_julia_that_is_not_there_fails_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = examine_machine(replace(load_settings(), julia="/no/such/julia"))
    checks = list(run_selftest(found, groups=GROUPS[1:]))
    assert [check.state for check in checks] == [CheckState.FAILED] + [CheckState.SKIPPED] * 4
    assert "/no/such/julia is not an executable file" in checks[0].detail


def test_a_level_that_is_none_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match=r"L3, L2\.5, L2"):
        examine_machine(load_settings(), level="L9")
    assert run(["selftest", "--level", "L1"]) == 2
    assert "--level: there is no level 'L1' to judge at" in capsys.readouterr().err


# What people and programs are shown

SOME = [
    SelftestCheck(
        group="isolation", name="bubblewrap", state=CheckState.PASSED, detail="/usr/bin/bwrap runs programs"
    ),
    SelftestCheck(group="isolation", name="landlock", state=CheckState.SKIPPED, detail="not needed for L3"),
    SelftestCheck(group="judging", name="stdin is empty", state=CheckState.PASSED, seconds=1.26),
]
BROKEN = SelftestCheck(
    group="judging",
    name="a very long name of a check that goes on",
    state=CheckState.FAILED,
    detail="x " * 500,
)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command on given checks: its exit code and its output."""
    monkeypatch.setenv("COLUMNS", "80")

    def show(checks: list[SelftestCheck], *flags: str) -> tuple[int, str]:
        monkeypatch.setattr("codejury.selftest.running.run_selftest", lambda *_, **__: iter(checks))
        return run(["selftest", *flags]), capsys.readouterr().out

    return show


def test_the_table_shows_each_check_and_fits_a_terminal(shown: Any) -> None:
    code, text = shown([*SOME, BROKEN])
    lines = text.splitlines()
    assert code == 1
    assert max(map(len, lines)) <= 80 or max(map(len, lines[:-1])) <= 80
    assert [line for line in lines if line in GROUPS] == ["isolation", "judging"]
    for row in ("✓ bubblewrap", "– landlock", "✓ stdin is empty", "✗ a very long name"):
        assert any(line.strip().startswith(row) for line in lines), row
    assert any(line.rstrip().endswith("1.3 s") for line in lines)
    assert len(lines) < 40  # a detail without end is cut


def test_the_last_line_tells_how_it_went(shown: Any) -> None:
    code, text = shown(SOME)
    assert code == 0
    assert text.splitlines()[-1].startswith("All 2 checks passed (1 skipped): Julia ")
    code, text = shown([*SOME, BROKEN])
    assert text.splitlines()[-1].startswith("1 of 3 checks failed (1 skipped), Julia ")
    assert text.splitlines()[-1].endswith(f": judging: {BROKEN.name}")


def test_json_is_one_document_with_every_detail(shown: Any) -> None:
    code, text = shown([*SOME, BROKEN], "--json")
    told = json.loads(text)
    assert (code, told["passed"]) == (1, False)
    assert told["counts"] == {"passed": 2, "failed": 1, "skipped": 1}
    assert told["checks"][-1]["detail"] == BROKEN.detail


@pytest.mark.parametrize(
    ("level", "lacks"),
    [
        ("L3", "L3 is not to be had here: namespaces: none left"),
        ("L2.5", ""),
        ("L2", "L2 is not to be had here: landlock: an old kernel"),
    ],
)
def test_a_machine_lacks_only_what_a_level_needs(level: str, lacks: str) -> None:
    checks = (
        Check(name="bubblewrap", ok=True, detail="0.8.0"),
        Check(name="namespaces", ok=False, detail="none left"),
        Check(name="seccomp", ok=True, detail="works"),
        Check(name="landlock", ok=False, detail="an old kernel"),
    )
    isolation = Isolation(level="L2.5", checks=checks)
    found = Machine(settings=load_settings(), isolation=isolation, julia=None, asked=level)
    assert found.lacks(level) == found.nothing_runs_because == lacks
    assert (found.level, found.julia_version) == (level, "")
