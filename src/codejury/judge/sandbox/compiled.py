"""The judge's Julia code, compiled in advance, so that a worker starts two seconds sooner.

Julia keeps what it has found out about a package in a file, and takes it back if nothing has changed since.
The folder with that file is named after all that it depends on: it is right, or it is not found. Where it is
not found, a worker reads the code as it is.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ...errors import ToolchainError
from ...files import locked
from ..toolchain.julia import JuliaInstall
from ..toolchain.paths import Cache, make_folder, remove_tree

if TYPE_CHECKING:
    from ..toolchain.apt import Progress


JULIA_CODE: Final = Path(__file__).with_name("julia")
COMPILE_SECONDS: Final = 300.0
KEPT: Final = 12
"""Compiled judges, the newest: of other versions and other folders, each a megabyte."""

UNOPTIMIZED: Final = "-O0"
"""A candidate runs for milliseconds, and compiling is what it waits for."""
OPTIMIZED: Final = "-O2"
# --threads=1: only one thread survives a fork. Asked for exactly one, no Julia adds a thread of its own for
# interactive tasks (1.12 does by default) or for the garbage collector (1.10 and later do for more than one).
FLAGS: Final = (
    "--startup-file=no",
    "--history-file=no",
    "--color=no",
    "--depwarn=no",
    UNOPTIMIZED,
    "--threads=1",
)


def worker_command(julia: JuliaInstall, compiled: Path | None) -> list[str]:
    """How a worker is started; its mode and its socket are added."""
    return [str(julia.executable), *FLAGS, str(JULIA_CODE / "worker.jl"), str(compiled or "")]


def worker_environment(julia: JuliaInstall, scratch: Path) -> Mapping[str, str]:
    """All that a worker, and so a candidate, can see of any environment."""
    return {
        **julia.environment,
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "JULIA_DEPOT_PATH": ":".join(map(str, julia.depots)),
        "JULIA_LOAD_PATH": ":".join(julia.load_path),
        "OPENBLAS_NUM_THREADS": "1",
        # libuv would open an io_uring before the candidate's filter is on, and be denied its use after:
        # every task, timer or channel that waits would then end the process.
        "UV_USE_IO_URING": "0",
    }


def find_compiled(julia: JuliaInstall, cache: Path) -> Path | None:
    """The folder with the compiled judge, if there is one for this Julia and this code."""
    folder = _folder(julia, cache)
    return folder if folder.is_dir() else None


def compile_judge(julia: JuliaInstall, cache: Path, progress: Progress) -> Path:
    """Compile the judge, unless that was done before. ToolchainError if this Julia cannot."""
    folder = _folder(julia, cache)
    if folder.is_dir():
        return folder
    progress("Compiling the judge", None)
    try:
        make_folder(folder.parent)
        with locked(folder.parent / ".lock"):
            if folder.is_dir():
                return folder  # somebody else did it while we waited
            fresh = folder.parent / ".new"
            remove_tree(fresh)  # left by a process that was killed
            _compile(julia, make_folder(fresh))
            for path in fresh.rglob("*"):
                path.chmod(0o755 if path.is_dir() else 0o644)
            fresh.rename(folder)
            made = sorted(folder.parent.glob("[0-9]*"), key=lambda path: path.stat().st_mtime)
            for old in made[:-KEPT]:
                remove_tree(old)
    except OSError as error:
        raise ToolchainError(f"the judge could not be compiled in {folder.parent}: {error}") from None
    return folder


def _compile(julia: JuliaInstall, depot: Path) -> None:
    """Load the judge twice: the first time writes the file, the second one must find it good."""
    _load(julia, depot)
    written = _files(depot)
    _load(julia, depot)
    if not written or _files(depot) != written:
        raise ToolchainError(f"Julia {julia.version} does not keep the judge compiled")


def _load(julia: JuliaInstall, depot: Path) -> None:
    try:
        subprocess.run(
            worker_command(julia, depot),
            env=worker_environment(julia, depot),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=COMPILE_SECONDS,
        )
    except subprocess.SubprocessError as error:
        raise ToolchainError(f"the judge could not be compiled by Julia {julia.version}: {error}") from None


def _files(depot: Path) -> dict[Path, int]:
    """By inode: Julia touches a file that it takes, and replaces one that it does not."""
    return {path: path.stat().st_ino for path in depot.rglob("*.ji")}


def _folder(julia: JuliaInstall, cache: Path) -> Path:
    """Named after the Julia, its flags, and the code, each file with its place and age, as Julia asks for."""
    told = hashlib.sha256()
    for file in (julia.executable, *sorted(JULIA_CODE.glob("*.jl"))):
        told.update(f"{file} {file.stat().st_mtime_ns}\n".encode())
    for file in sorted(JULIA_CODE.glob("*.jl")):
        told.update(file.read_bytes())
    told.update(" ".join((julia.version, *FLAGS, *julia.load_path)).encode())
    return Cache(cache).judge / f"{julia.version}-{told.hexdigest()[:16]}"
