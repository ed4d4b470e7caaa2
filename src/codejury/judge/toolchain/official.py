"""Official builds of Julia, found, downloaded and checked (SHA-256) by the PyPI package `juliapkg`.

It runs in a process of its own: what it prints becomes progress, and a network that gives no answer
cannot hold us up. It is used where it is installed, else fetched into a temporary folder.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from ...errors import ToolchainError
from .apt import Progress, last_lines

# Exact, since the script below calls functions that juliapkg does not promise to keep.
JULIAPKG = "juliapkg==0.1.28"
# As Julia's package manager reads it: 1.10 or any later 1.x. juliapkg takes the newest stable one.
_VERSIONS = "1.10"
# Until the list of versions is there; a name service that never answers has no time-out of its own.
_SECONDS_TO_ANSWER = 15
_SCRIPT = """
import socket, sys
socket.setdefaulttimeout(8)
from juliapkg.compat import Compat
from juliapkg.install_julia import best_julia_version, install_julia
version, files = best_julia_version(Compat.parse(sys.argv[1]))
print("best version:", version)
install_julia(files, sys.argv[2])
"""
_MEGABYTES = re.compile(r"downloaded ([\d.]+) MB of ([\d.]+) MB")


def fetch_official(folder: Path, progress: Progress) -> str:
    """Put an official build into `folder`, with `folder/julia` to start it. Returns its version's name."""
    progress("Looking for an official build of Julia", None)
    version = ""
    lines: list[str] = []

    def listen(line: str) -> None:
        nonlocal version
        lines.append(line)
        if line.startswith("best version:"):
            version = line.split()[-1]
        elif match := _MEGABYTES.search(line):
            progress(f"Downloading Julia {version}", float(match[1]) / float(match[2]))

    command = [sys.executable, "-u", "-c", _SCRIPT, _VERSIONS, str(folder / "official")]
    code = _converse(command, _python_path(folder), listen, answered=lambda: bool(version))
    if code != 0:
        raise ToolchainError(f"juliapkg failed (exit code {code}):\n{last_lines(os.linesep.join(lines), 1)}")
    (folder / "julia").symlink_to("official/bin/julia")
    return f"{version}-official"


def _converse(
    command: list[str], python_path: str, listen: Callable[[str], None], *, answered: Callable[[], bool]
) -> int:
    """Run a program, hand on each line it prints, and end it if it is not `answered` in time."""
    environment = {**os.environ, "PYTHONPATH": python_path}
    with subprocess.Popen(
        command,
        env=environment,
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        impatient = threading.Timer(_SECONDS_TO_ANSWER, lambda: None if answered() else process.kill())
        impatient.start()
        try:
            for line in process.stdout or ():
                listen(line.rstrip())
            return process.wait()
        finally:
            impatient.cancel()
            process.kill()


def _python_path(folder: Path) -> str:
    """Where Python finds juliapkg: nothing to add if it is installed, else a temporary folder."""
    if importlib.util.find_spec("juliapkg"):
        return os.pathsep.join(sys.path)
    target = folder.parent / "juliapkg"
    _pip_install(target)
    return str(target)


def _pip_install(target: Path) -> None:
    if importlib.util.find_spec("pip"):
        command = [sys.executable, "-m", "pip", "install", "--timeout=8", "--retries=1"]
    elif uv := shutil.which("uv"):
        command = [uv, "pip", "install", "--python", sys.executable]
    else:
        raise ToolchainError("juliapkg is not installed, and there is neither pip nor uv to fetch it")
    try:
        done = subprocess.run(
            [*command, "--quiet", "--target", str(target), JULIAPKG],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(f"{JULIAPKG} could not be fetched: {error}") from None
    if done.returncode != 0:
        said = last_lines(done.stderr.decode(errors="replace"), 2)
        raise ToolchainError(f"{JULIAPKG} could not be fetched:\n{said}")
