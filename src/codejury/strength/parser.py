"""Runs a Julia script of ours that only parses what it reads: locked down all the same.

Where bubblewrap works the script sees Julia, itself and nothing else: no network, no files, no
environment. Elsewhere it runs as an ordinary process with a clean environment; nothing that it reads is
ever evaluated.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from ..errors import SandboxError, ToolchainError
from ..sandbox.bubblewrap import STEP_DOWN, TMP, bubblewrap_command, must_step_down
from ..sandbox.probe import probe_isolation
from ..settings import load_settings
from ..toolchain import JuliaInstall, find_bubblewrap, find_julia

_FLAGS: Final = ("--startup-file=no", "--history-file=no", "--color=no", "--depwarn=no", "-O0")
_SCRATCH: Final = Path("/scratch")
_TMP_MB: Final = 32
_SECONDS: Final = 600


def run_parser(script: Path, text: str) -> str:
    """What the script writes when it is given the text. SandboxError if it does not end well."""
    settings = load_settings()
    julia = find_julia(settings)
    if julia is None:
        raise ToolchainError("no Julia was found; `codejury setup` installs one")
    bubblewrap = find_bubblewrap(settings)
    contained = probe_isolation(bubblewrap=bubblewrap).level in ("L3", "L2.5")
    run = [str(julia.executable), *_FLAGS, str(script)]
    readonly = [*julia.roots, *julia.package_roots, script.parent]
    if bubblewrap and contained:
        return _communicate(_inside(bubblewrap, readonly, julia, run), {}, text)
    return _communicate(_outside(readonly, run), _environment(julia, TMP), text)


def _inside(bubblewrap: Path, readonly: Sequence[Path], julia: JuliaInstall, run: Sequence[str]) -> list[str]:
    # Julia may lie below /tmp, which must not be hidden then.
    scratch = _SCRATCH if any(path.is_relative_to(TMP) for path in readonly) else TMP
    return bubblewrap_command(
        bubblewrap,
        readonly=readonly,
        scratch=scratch,
        tmp_mb=_TMP_MB,
        environment=_environment(julia, scratch),
        command=run,
        step_down=must_step_down(),
    )


def _outside(readonly: Sequence[Path], run: Sequence[str]) -> list[str]:
    if not must_step_down():
        return list(run)
    return [sys.executable, "-I", "-S", str(STEP_DOWN), "--reveal", *map(str, readonly), "--", *run]


def _environment(julia: JuliaInstall, home: Path) -> Mapping[str, str]:
    return {
        **julia.environment,
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "JULIA_DEPOT_PATH": ":".join(map(str, julia.depots)),
        "JULIA_LOAD_PATH": ":".join(julia.load_path),
    }


def _communicate(command: Sequence[str], environment: Mapping[str, str], text: str) -> str:
    try:
        done = subprocess.run(
            command,
            input=text.encode(),
            env=dict(environment),
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SandboxError(f"Julia took longer than {_SECONDS} s to parse the solutions") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise SandboxError(
            f"Julia could not parse the solutions: {said or f'it ended with {done.returncode}'}"
        )
    return done.stdout.decode("utf-8", "replace")
