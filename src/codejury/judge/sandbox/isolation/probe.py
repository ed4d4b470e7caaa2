"""What isolation this machine gives, found by doing it, never by looking at version numbers.

    L3    bubblewrap, nested namespaces for each candidate, seccomp
    L2.5  bubblewrap, seccomp
    L2    Landlock, seccomp
    L1    limits and a clean environment only: no isolation worth the name

The trials run side by side, each in a process of its own with a time limit. Nothing here raises: a
trial that cannot even be started is a check that failed, with its reason and its repair.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from ....errors import SandboxError
from ....program import command
from .bubblewrap import bubblewrap_command, must_step_down, system_paths
from .drop_root import NOT_STEPPED_DOWN
from .landlock import NOT_STARTED, landlock_abi
from .probe_child import HELD
from .seccomp import candidate_filter

Level = Literal["L3", "L2.5", "L2", "L1"]

MEANS: Final[Mapping[str, tuple[str, ...]]] = {
    "L3": ("bubblewrap", "namespaces", "seccomp"),
    "L2.5": ("bubblewrap", "seccomp"),
    "L2": ("landlock", "seccomp"),
}
"""What each level at which code is judged needs, by the names of the checks; the best level first."""

TRIAL: Final = Path(__file__).with_name("probe_child.py")
LANDLOCK: Final = Path(__file__).with_name("landlock.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was tried."""

    name: str
    ok: bool
    detail: str
    """What was seen, in one line."""
    repair: str = ""
    """What a person can do about it; "" where all is well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """The best level that works here, and why not a better one."""

    level: Level
    checks: tuple[Check, ...]


def probe_isolation(*, bubblewrap: Path | None, seconds: float = 5.0) -> Isolation:
    """Try everything; `bubblewrap` is the program to use, None if there is none.

    All together take about a tenth of a second; what has no answer after `seconds` is killed.
    """
    if not sys.platform.startswith("linux"):
        return Isolation(level="L1", checks=(_not_linux(),))
    deadline = time.monotonic() + seconds
    trials = [_Trial(_wrapped(bubblewrap, ["--nested"])), _try_seccomp(), _try_landlock()]
    nested, filtered, landlocked = [trial.finish(deadline) for trial in trials]
    # Not beside the nested one: where namespaces are scarce, each would take the other's.
    wrapped = nested if nested.code == HELD else _Trial(_wrapped(bubblewrap, [])).finish(deadline)
    checks = (
        _bubblewrap_check(bubblewrap, wrapped),
        _namespaces_check(bubblewrap, nested),
        _seccomp_check(filtered),
        _landlock_check(landlocked),
    )
    return Isolation(level=_level(*(check.ok for check in checks)), checks=checks)


def _level(bubblewrap: bool, namespaces: bool, seccomp: bool, landlock: bool) -> Level:
    if not seccomp:
        return "L1"
    if bubblewrap:
        return "L3" if namespaces else "L2.5"
    return "L2" if landlock else "L1"


# Trials


@dataclass(frozen=True, slots=True)
class _Outcome:
    code: int | None
    """The exit code; None if the trial was not started or did not end in time."""
    message: str


class _Trial:
    """A process started now and asked later, so that the trials run side by side."""

    def __init__(self, command: Sequence[str] | str) -> None:
        """Start `command`; a string says why there is none."""
        self._process: subprocess.Popen[str] | None = None
        self._why_not = command if isinstance(command, str) else ""
        if isinstance(command, str):
            return
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            self._why_not = f"cannot start {command[0]}: {error.strerror}"

    def finish(self, deadline: float) -> _Outcome:
        if self._process is None:
            return _Outcome(None, self._why_not)
        try:
            _, errors = self._process.communicate(timeout=max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._kill()
            return _Outcome(None, "no answer in time")
        return _Outcome(self._process.returncode, _last_line(errors))

    def _kill(self) -> None:
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:200] if lines else ""


def _try_seccomp() -> _Trial:
    try:
        return _Trial([sys.executable, "-I", "-S", str(TRIAL), _filter_in_hex()])
    except SandboxError as error:
        return _Trial(str(error))


def _try_landlock() -> _Trial:
    """Only /dev/null stays allowed, so starting any program must be refused."""
    start = [sys.executable, "-I", "-S"]
    return _Trial([*start, str(LANDLOCK), "--read", "/dev/null", "--", *start, "-c", "pass"])


def _wrapped(bubblewrap: Path | None, options: Sequence[str]) -> Sequence[str] | str:
    """The trial inside bubblewrap, in the shape in which candidates run; or why it cannot be."""
    if bubblewrap is None or not bubblewrap.is_file():
        return f"{bubblewrap} is not there" if bubblewrap else "not found"
    python = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    try:
        return bubblewrap_command(
            bubblewrap,
            readonly=[*system_paths(), *_python_paths(python), TRIAL],
            tmp_mb=1,
            environment={},
            command=[str(python), "-I", "-S", str(TRIAL), *options, _filter_in_hex()],
            step_down=must_step_down(),
        )
    except (OSError, SandboxError) as error:
        return str(error)


def _python_paths(python: Path) -> list[Path]:
    """The interpreter and its library, without binding all of /usr for a system's own Python."""
    prefixes = {Path(sys.base_prefix).resolve(), Path(sys.base_exec_prefix).resolve()} - {Path("/usr")}
    alone = not any(python.is_relative_to(prefix) for prefix in prefixes)
    return [*sorted(prefixes), *([python] if alone else [])]


def _filter_in_hex() -> str:
    return candidate_filter(allow_signals=True, sockets="unix").hex()


# Checks: what an outcome means, and what to do about it


def _bubblewrap_check(bubblewrap: Path | None, outcome: _Outcome) -> Check:
    if outcome.code == HELD:
        return Check(name="bubblewrap", ok=True, detail=f"{bubblewrap} runs programs")
    return Check(
        name="bubblewrap", ok=False, detail=_reason(outcome), repair=_wrapped_repair(bubblewrap, outcome)
    )


def _namespaces_check(bubblewrap: Path | None, outcome: _Outcome) -> Check:
    if outcome.code == HELD:
        detail = "each candidate can have its own, with a private /proc and /tmp"
        return Check(name="namespaces", ok=True, detail=detail)
    detail = f"not tried: bubblewrap is {outcome.message}" if bubblewrap is None else _reason(outcome)
    return Check(name="namespaces", ok=False, detail=detail, repair=_wrapped_repair(bubblewrap, outcome))


def _seccomp_check(outcome: _Outcome) -> Check:
    name = "seccomp"
    if outcome.code == HELD:
        return Check(name=name, ok=True, detail="the filter installs and refuses a fork")
    repair = "use a kernel with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64"
    return Check(name=name, ok=False, detail=_reason(outcome), repair=repair)


def _landlock_check(outcome: _Outcome) -> Check:
    name = "landlock"
    if outcome.code == NOT_STARTED:
        return Check(
            name=name, ok=True, detail=f"ABI {landlock_abi()}, and it refuses files outside its rules"
        )
    detail = _reason(outcome) if outcome.code != 0 else "the rules were accepted, but not enforced"
    repair = "only matters without bubblewrap: use Linux 5.13 or newer, started with `landlock` in `lsm=`"
    return Check(name=name, ok=False, detail=detail, repair=repair)


def _not_linux() -> Check:
    detail = f"the sandbox needs Linux; this is {sys.platform}"
    return Check(name="system", ok=False, detail=detail, repair="use Linux, a virtual machine or WSL 2")


def _reason(outcome: _Outcome) -> str:
    return outcome.message or f"ended with code {outcome.code}"


def _wrapped_repair(bubblewrap: Path | None, outcome: _Outcome) -> str:
    if bubblewrap is None or not bubblewrap.is_file():
        return f"run `{command('setup')}`, which installs bubblewrap"
    if outcome.code == NOT_STEPPED_DOWN:
        return "let other users read these files, or run Codejury as an ordinary user"
    return _namespace_repair(outcome.message)


# Settings that forbid namespaces to ordinary users, the value that forbids, and one that allows.
_SYSCTLS: Final = (
    ("kernel.unprivileged_userns_clone", "0", "1"),
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
    ("user.max_user_namespaces", "0", "15000"),
)


def _namespace_repair(message: str) -> str:
    too_many = "ENOSPC" in message or os.strerror(errno.ENOSPC) in message
    for name, forbids, allows in _SYSCTLS:
        if _sysctl(name) == forbids or (too_many and name == "user.max_user_namespaces"):
            return f"allow user namespaces: `sudo sysctl -w {name}={allows}`"
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return (
            "start the container with `--security-opt seccomp=unconfined"
            " --security-opt systempaths=unconfined` (Docker), `--security-opt unmask=ALL` (Podman)"
            " or `--privileged`"
        )
    return "allow nested user namespaces to ordinary users: ask whoever runs this machine"


def _sysctl(name: str) -> str:
    try:
        return Path("/proc/sys", *name.split(".")).read_text().strip()
    except OSError:
        return ""
