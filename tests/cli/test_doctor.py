"""`codejury doctor` and `codejury setup`, as a person or a script meets them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from codejury.cli.doctor import LEVELS_FOR_JUDGING, DoctorFinding, DoctorState, examine, weaker_isolation
from codejury.judge.sandbox.isolation.probe import Isolation
from codejury.selftest.attack_runner import CASE
from codejury.settings import Settings, load_settings

FAKE_JULIA = """#!/bin/sh
for fact in version:1.9.3 bindir:/ executable:$0 image:/sys.so stdlib:/stdlib; do
    printf '%s\\t%s\\n' "${fact%%:*}" "${fact#*:}"
done
echo end
"""


class Machine:
    """A small world: a home, a PATH with nothing in it but what a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.environ = {"PATH": str(self.bin), "HOME": str(folder), "CODEJURY_CACHE": str(folder / "cache")}
        # `ldd` and what it needs: a Julia is looked at with it.
        for name in ("ldd", "cat", "bash"):
            if (real := Path("/usr/bin") / name).exists():
                (self.bin / name).symlink_to(real)

    def add(self, name: str, text: str = "#!/bin/sh\nexit 0\n") -> Path:
        program = self.bin / name
        program.write_text(text)
        program.chmod(0o755)
        return program

    def codejury(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "from codejury.cli import main; main()", *arguments]
        environment = {**self.environ, **environ}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    @property
    def settings(self) -> Settings:
        return load_settings(self.environ)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def finding(findings: tuple[DoctorFinding, ...], name: str) -> DoctorFinding:
    return next(found for found in findings if found.name == name)


def test_without_julia_judging_is_impossible_and_the_repair_is_told(machine: Machine) -> None:
    done = machine.codejury("doctor")
    assert done.returncode == 1
    assert "run `codejury setup`" in done.stdout
    assert "Judging is impossible" in done.stdout
    assert "judging works" not in done.stdout


def test_less_than_the_strongest_isolation_is_told_in_one_line_with_the_reason(machine: Machine) -> None:
    told = weaker_isolation(machine.settings)
    assert told.startswith("Isolation L")
    assert ", not L3: bubblewrap: " in told
    assert "\n" not in told


def test_json_is_one_object_and_says_the_same(machine: Machine) -> None:
    done = machine.codejury("doctor", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert report["can_judge"] is False
    assert report["julia"] is None
    assert report["bubblewrap"] is None


def test_a_wrong_codejury_julia_is_a_finding_and_no_crash(machine: Machine) -> None:
    done = machine.codejury("doctor", "--json", CODEJURY_JULIA="/no/such/julia")
    julia = finding(tuple(DoctorFinding(**found) for found in json.loads(done.stdout)["findings"]), "Julia")
    assert done.returncode == 1
    assert "/no/such/julia" in julia.detail
    assert julia.repair


def test_keys_are_shown_by_name_only(machine: Machine) -> None:
    for arguments in (["doctor"], ["doctor", "--json"]):
        done = machine.codejury(*arguments, ANTHROPIC_API_KEY="sk-ant-very-secret")
        assert "ANTHROPIC_API_KEY" in done.stdout
        assert "secret" not in done.stdout + done.stderr


def test_a_julia_that_is_found_and_does_not_judge_makes_judging_impossible(machine: Machine) -> None:
    """All that can be looked at is there; only a worker that does not start gives it away."""
    assert not examine(machine.settings).can_judge
    machine.add("julia", FAKE_JULIA)
    report = examine(machine.settings)
    assert finding(report.findings, "Julia").state is DoctorState.GOOD
    assert not report.can_judge
    if report.isolation.level in LEVELS_FOR_JUDGING:
        judging = finding(report.findings, "judging")
        assert judging.state is DoctorState.BAD
        assert judging.detail.startswith("Julia did not start in the sandbox: ")
        assert "codejury selftest" in judging.repair


def test_without_isolation_nothing_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    none = Isolation(level="L1", checks=())
    monkeypatch.setattr("codejury.judge.sandbox.isolation.probe.probe_isolation", lambda **_: none)
    monkeypatch.setattr("codejury.selftest.machine.judge_once", lambda settings: pytest.fail("code was run"))
    report = examine(load_settings())
    assert not report.can_judge
    assert "judging" not in [found.name for found in report.findings]


def test_a_julia_that_cannot_be_forked_is_told_of_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(run: object) -> list[str]:
        return ["sleep: the process was ended by SIGSEGV"]

    monkeypatch.setattr("codejury.judge.sandbox.forkserver.failing_parts", failing)
    report = examine(load_settings())
    judging = finding(report.findings, "judging")
    assert (judging.state, report.can_judge) == (DoctorState.POOR, True)
    assert "one process per candidate: this Julia cannot be forked safely: sleep: " in judging.detail
    assert "codejury selftest" in judging.repair


def test_a_right_answer_that_is_judged_wrong_makes_judging_impossible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = replace(CASE, unit_tests=("@test answer(3) == 43",))
    monkeypatch.setattr("codejury.selftest.machine.CASE", wrong)
    report = examine(load_settings())
    assert not report.can_judge
    assert "a right answer was not judged right: " in finding(report.findings, "judging").detail


def test_a_bubblewrap_that_does_not_isolate_is_noticed(machine: Machine) -> None:
    machine.add("bwrap", "#!/bin/sh\nexit 1\n")
    report = examine(machine.settings)
    assert report.bubblewrap == machine.bin / "bwrap"
    assert report.isolation.level not in ("L3", "L2.5")
    assert finding(report.findings, "bubblewrap").state is DoctorState.POOR


def test_every_shortcoming_has_a_repair(machine: Machine) -> None:
    machine.add("bwrap", "#!/bin/sh\nexit 1\n")
    poor = [found for found in examine(machine.settings).findings if found.state is not DoctorState.GOOD]
    assert len(poor) >= 3
    assert all(found.repair for found in poor)


def test_a_judge_that_is_not_compiled_yet_is_no_hindrance_and_has_its_repair(machine: Machine) -> None:
    machine.add("julia", FAKE_JULIA)
    judge = finding(examine(machine.settings).findings, "judge")
    assert (judge.state, judge.repair) == (DoctorState.POOR, "run `codejury setup`")
    assert finding(examine(load_settings()).findings, "judge").state is DoctorState.GOOD, (
        "run `make setup` first"
    )


def test_on_this_machine_the_doctor_finds_the_real_julia_and_judges_with_it() -> None:
    report = examine(load_settings())
    assert report.search, "no Julia on this machine: run `make setup` first"
    assert report.search.found, "no Julia on this machine: run `make setup` first"
    assert report.can_judge
    assert finding(report.findings, "judging").detail.startswith("an answer was judged in ")
    assert "standard libraries" in finding(report.findings, "packages").detail


def test_setup_has_nothing_to_do_where_both_are_found(machine: Machine) -> None:
    julia, bwrap = machine.add("julia", FAKE_JULIA), machine.add("bwrap")
    done = machine.codejury("setup")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"Julia 1.9.3: {julia} (PATH)\nbubblewrap: {bwrap}\n"
    # This Julia is no real one: what it cannot do is told, and stands in nobody's way.
    compiling, isolation, later = done.stderr.splitlines()
    assert compiling == "Compiling the judge"
    assert isolation.startswith("Isolation L")
    assert later == (
        "Judging will start a little later than it could: Julia 1.9.3 does not keep the judge compiled"
    )


def test_setup_remembers_the_julia_it_is_told_until_told_otherwise(machine: Machine, tmp_path: Path) -> None:
    machine.add("bwrap")
    machine.add("julia", FAKE_JULIA)
    other = tmp_path / "other-julia"
    other.write_text(FAKE_JULIA.replace("1.9.3", "1.11.0"))
    other.chmod(0o755)
    assert "Julia 1.11.0" in machine.codejury("setup", "--julia", str(other)).stdout
    assert "Julia 1.11.0" in machine.codejury("setup").stdout
    assert "Julia 1.9.3" in machine.codejury("setup", "--julia", "auto").stdout


def test_setup_with_a_wrong_path_says_so_and_changes_nothing(machine: Machine) -> None:
    machine.add("bwrap")
    machine.add("julia", FAKE_JULIA)
    done = machine.codejury("setup", "--julia", "/no/such/julia")
    assert done.returncode == 2
    assert "--julia: /no/such/julia is not an executable file" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Julia 1.9.3" in machine.codejury("setup").stdout


def test_setup_that_cannot_install_tells_each_reason_and_what_to_do(machine: Machine) -> None:
    """Neither way can work: the network is closed, and PATH has no apt-get."""
    machine.add("bwrap")
    proxy = "http://127.0.0.1:9"  # nobody listens on the discard port
    done = machine.codejury("setup", https_proxy=proxy, HTTPS_PROXY=proxy)
    assert done.returncode == 2
    assert "an official build: " in done.stderr
    assert "Debian's packages: " in done.stderr
    assert "By hand: install Julia" in done.stderr
