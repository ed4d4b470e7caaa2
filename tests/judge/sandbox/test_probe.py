"""What the probe finds, on this machine and on poorer ones made from it.

A poorer machine is a process with fewer rights: a user namespace in which no other may be made, or a
seccomp filter that plays an older kernel. Run by root, the tests about those step
down first, as everything root runs in the sandbox does.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import codejury
from codejury.judge.sandbox.isolation import probe
from codejury.judge.sandbox.isolation.bubblewrap import (
    STEP_DOWN,
    bubblewrap_command,
    must_step_down,
    system_paths,
)
from codejury.judge.sandbox.isolation.landlock import landlock_abi
from codejury.judge.sandbox.isolation.probe import Check, Isolation, probe_isolation
from codejury.judge.sandbox.isolation.probe_child import HELD
from codejury.judge.sandbox.isolation.seccomp import candidate_filter
from codejury.judge.toolchain.find import find_bubblewrap
from codejury.settings import load_settings

SOURCE = Path(codejury.__file__).parents[1]
TRIAL = SOURCE / "codejury" / "judge" / "sandbox" / "isolation" / "probe_child.py"


@pytest.fixture(scope="module")
def bwrap() -> Path:
    found = find_bubblewrap(load_settings())
    if found is None:
        pytest.skip("bubblewrap is not installed (`codejury setup` does it)")
    return found


@pytest.fixture(scope="module")
def full(bwrap: Path) -> Isolation:
    """The verdict on a machine that can do all, as bubblewrap inside bubblewrap shows without us."""
    again = ["--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--"]
    program = str(bwrap.resolve())
    nested = as_ordinary_user([program, *again, program, *again, "/bin/sh", "-c", ":"], bwrap)
    tried = subprocess.run(nested, capture_output=True, text=True, timeout=60, check=False)
    if tried.returncode != 0:
        pytest.skip(f"this machine cannot nest namespaces: {tried.stderr.strip()}")
    return probe_isolation(bubblewrap=bwrap)


def check_named(name: str, isolation: Isolation) -> Check:
    return next(check for check in isolation.checks if check.name == name)


def test_a_machine_that_can_do_all_gives_the_best_level_and_needs_no_repair(full: Isolation) -> None:
    assert full.level == "L3"
    assert [check.name for check in full.checks] == ["bubblewrap", "namespaces", "seccomp", "landlock"]
    assert {check.repair for check in full.checks if check.ok} == {""}
    assert all(check.detail for check in full.checks)


def test_without_bubblewrap_the_level_is_at_most_l2_and_setup_is_the_repair() -> None:
    isolation = probe_isolation(bubblewrap=None)
    assert isolation.level in ("L2", "L1")
    for name in ("bubblewrap", "namespaces"):
        assert not check_named(name, isolation).ok
        assert "codejury setup" in check_named(name, isolation).repair


def test_a_bubblewrap_that_is_not_there_is_a_failed_check(tmp_path: Path) -> None:
    isolation = probe_isolation(bubblewrap=tmp_path / "bwrap")
    assert isolation.level in ("L2", "L1")
    assert "is not there" in check_named("bubblewrap", isolation).detail


@pytest.mark.parametrize("script", ["exit 0", "exit 3", "echo 'bwrap: out of luck' >&2; exit 1"])
def test_a_program_that_only_claims_to_be_bubblewrap_is_seen_through(tmp_path: Path, script: str) -> None:
    isolation = probe_isolation(bubblewrap=program(tmp_path, script))
    assert not check_named("bubblewrap", isolation).ok
    assert isolation.level in ("L2", "L1")
    if "luck" in script:
        assert check_named("bubblewrap", isolation).detail == "bwrap: out of luck"


def test_a_bubblewrap_that_hangs_is_killed_and_given_up(tmp_path: Path) -> None:
    mark = f"{time.monotonic_ns()}"
    isolation = probe_isolation(bubblewrap=program(tmp_path, f"sleep 600.{mark}"), seconds=1.0)
    assert check_named("bubblewrap", isolation).detail == "no answer in time"
    assert not any(mark in line for line in command_lines())


@pytest.mark.parametrize("root", [True, False])
def test_a_bubblewrap_that_cannot_be_started_is_a_failed_check_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: bool
) -> None:
    if not root:
        monkeypatch.setattr(probe, "must_step_down", lambda: False)
    elif not must_step_down():
        pytest.skip("only root starts it by way of another user")
    file = program(tmp_path, "exit 0")
    file.chmod(0o644)
    check = check_named("bubblewrap", probe_isolation(bubblewrap=file))
    assert not check.ok
    assert check.detail.removeprefix("drop_root: ") == f"cannot start {file}: Permission denied"
    assert check.repair


def program(folder: Path, script: str) -> Path:
    file = folder / "bwrap"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def command_lines() -> list[str]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(file.read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return found


# Poorer machines

LIMITED = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
user, group = os.getuid(), os.getgid()
assert libc.unshare(0x10000000) == 0, "no user namespace"
for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
    open(f"/proc/self/{name}", "w").write(text)
open("/proc/sys/user/max_user_namespaces", "w").write(sys.argv[1])
"""

# Seccomp programs that play a kernel without Landlock, without seccomp filters, or without both.
OLD_KERNEL = """
import platform, struct, sys
from codejury.judge.sandbox.isolation.probe_child import install_filter
prctl = {"x86_64": 157, "aarch64": 167}[platform.machine()]
without_landlock = [
    (0x15, 0, 1, 444),         # landlock_create_ruleset:
    (0x06, 0, 0, 0x50026),     #   ENOSYS
]
without_seccomp = [
    (0x15, 0, 4, prctl),       # prctl:
    (0x20, 0, 0, 16),          #   its first argument
    (0x15, 0, 1, 22),          #   PR_SET_SECCOMP:
    (0x06, 0, 0, 0x50016),     #     EINVAL
    (0x20, 0, 0, 0),
]
lacking = without_landlock * ("landlock" in sys.argv[1]) + without_seccomp * ("seccomp" in sys.argv[1])
program = [(0x20, 0, 0, 0), *lacking, (0x06, 0, 0, 0x7FFF0000)]
install_filter(b"".join(struct.pack("<HBBI", *line) for line in program))
"""

REPORT = """
import dataclasses, json, pathlib, sys
from codejury.judge.sandbox.isolation.landlock import landlock_abi
from codejury.judge.sandbox.isolation.probe import probe_isolation
bubblewrap = pathlib.Path(sys.argv[2]) if sys.argv[2:] else None
print(json.dumps(dataclasses.asdict(probe_isolation(bubblewrap=bubblewrap))))
"""


def probed_under(handicap: str, limit: str, *bubblewrap: Path) -> dict[str, Any]:
    """What the probe says in a process with a handicap, run by an ordinary user."""
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n{handicap}\n{REPORT}"
    command = as_ordinary_user([sys.executable, "-c", code, limit, *map(str, bubblewrap)], *bubblewrap)
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    report["checks"] = {check["name"]: check for check in report["checks"]}
    return dict(report)


def as_ordinary_user(command: Sequence[str], *paths: Path) -> list[str]:
    """The same command; run by root, it steps down to somebody who can read Python and `paths`."""
    if not must_step_down():
        return list(command)
    reveal = [sys.base_prefix, sys.prefix, str(SOURCE), *map(str, paths)]
    return [sys.executable, "-I", "-S", str(STEP_DOWN), "--reveal", *reveal, "--", *command]


def test_an_ordinary_user_gets_the_best_level_too(full: Isolation, bwrap: Path) -> None:
    assert probed_under("", "", bwrap)["level"] == full.level


@pytest.mark.usefixtures("full")
def test_where_namespaces_cannot_be_nested_the_level_is_l2_5(bwrap: Path, tmp_path: Path) -> None:
    usage = subprocess.run([bwrap, "--help"], capture_output=True, text=True, check=True).stdout
    if "--disable-userns" not in usage:
        pytest.skip("this bubblewrap is too old to forbid nested namespaces")
    isolation = probe_isolation(bubblewrap=program(tmp_path, f'exec {bwrap} --disable-userns "$@"'))
    assert isolation.level == "L2.5"
    assert check_named("bubblewrap", isolation).ok
    assert "nested user namespace" in check_named("namespaces", isolation).detail
    assert "max_user_namespaces" in check_named("namespaces", isolation).repair


@pytest.mark.usefixtures("full")
def test_where_user_namespaces_are_forbidden_landlock_is_left_and_the_setting_is_named(bwrap: Path) -> None:
    assert probed_under(LIMITED, "100", bwrap)["level"] == "L3"
    report = probed_under(LIMITED, "0", bwrap)
    assert report["level"] == ("L2" if report["checks"]["landlock"]["ok"] else "L1")
    for name in ("bubblewrap", "namespaces"):
        assert "sysctl -w user.max_user_namespaces=" in report["checks"][name]["repair"]


@pytest.mark.parametrize(
    ("lacking", "level", "repairs"),
    [
        ("nothing", "L2", {}),
        ("landlock", "L1", {"landlock": "5.13"}),
        ("seccomp", "L1", {"seccomp": "CONFIG_SECCOMP_FILTER"}),
        ("seccomp and landlock", "L1", {"landlock": "5.13", "seccomp": "CONFIG_SECCOMP_FILTER"}),
    ],
)
def test_without_bubblewrap_both_seccomp_and_landlock_are_needed(
    lacking: str, level: str, repairs: dict[str, str]
) -> None:
    if landlock_abi() == 0:
        pytest.skip("this kernel has no Landlock to take away")
    report = probed_under(OLD_KERNEL, lacking)
    assert report["level"] == level
    for name in ("seccomp", "landlock"):
        assert report["checks"][name]["ok"] == (name not in repairs)
        assert repairs.get(name, "") in report["checks"][name]["repair"]


@pytest.mark.usefixtures("full")
def test_bubblewrap_without_seccomp_is_no_isolation_either(bwrap: Path) -> None:
    assert probed_under(OLD_KERNEL, "landlock", bwrap)["level"] == "L3"
    assert probed_under(OLD_KERNEL, "seccomp", bwrap)["level"] == "L1"


# The trial itself


def test_the_trial_fails_if_the_filter_lets_a_fork_pass() -> None:
    allow_all = "0600000000" + "00ff7f"
    result = subprocess.run(
        [sys.executable, str(TRIAL), allow_all], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "a fork was not refused" in result.stderr


@pytest.mark.usefixtures("full")
@pytest.mark.skipif(not must_step_down(), reason="only root can leave out stepping down")
def test_root_that_does_not_step_down_cannot_give_candidates_a_proc_of_their_own(bwrap: Path) -> None:
    results = [
        subprocess.run(nested_trial(bwrap, step_down=step_down), capture_output=True, text=True, check=False)
        for step_down in (True, False)
    ]
    assert [result.returncode for result in results] == [HELD, 1]
    assert "private /proc" in results[1].stderr


def nested_trial(bwrap: Path, *, step_down: bool) -> list[str]:
    python = Path(sys.executable).resolve()
    filter_in_hex = candidate_filter(allow_signals=True, sockets="unix").hex()
    return bubblewrap_command(
        bwrap,
        readonly=[*system_paths(), Path(sys.base_prefix), TRIAL],
        tmp_mb=1,
        environment={},
        command=[str(python), "-I", "-S", str(TRIAL), "--nested", filter_in_hex],
        step_down=step_down,
    )
