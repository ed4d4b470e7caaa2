"""Install Julia or bubblewrap into the cache: whole or not at all, one process at a time.

lock -> already there? -> fetch into staging -> prove that it runs -> rename into place
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...errors import ToolchainError
from ...files import locked
from ...program import command
from .apt import Progress, last_lines
from .debian import fetch_debian_bubblewrap, fetch_debian_julia
from .find import PROOF_OF_BUBBLEWRAP, installed
from .official import fetch_official
from .paths import Cache, is_held, make_folder, remove_tree

Fetch = Callable[[Path, Progress], str]
"""Fills a folder with a program that starts by its own name in it; returns the version's name."""

_PROOF_OF_JULIA = """
using Test, Dates, Statistics, LinearAlgebra
@test mean([1, 2, 3]) == 2 && norm([3.0 4.0] * [1.0 0.0; 0.0 1.0]) == 5 && year(Date(2020)) == 2020
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Something that can be installed, the ways to get it, and how to see that it works."""

    name: str
    folder: str
    """Its folder in the cache, with one folder per version in it."""
    command: str
    """The name it is started by, in a version's folder."""
    proof: tuple[str, ...]
    """Arguments with which it must end well."""
    ways: tuple[tuple[str, Fetch], ...]
    by_hand: str


JULIA = Program(
    name="Julia",
    folder="julia",
    command="julia",
    proof=("--startup-file=no", "-e", _PROOF_OF_JULIA),
    ways=(("an official build", fetch_official), ("Debian's packages", fetch_debian_julia)),
    by_hand=(
        "install Julia 1.5 or newer with juliaup, from its download page or with your package manager; "
        f"put it in PATH, or set CODEJURY_JULIA to its path; then run `{command('setup')}` again"
    ),
)
BUBBLEWRAP = Program(
    name="bubblewrap",
    folder="bubblewrap",
    command="bwrap",
    proof=PROOF_OF_BUBBLEWRAP,
    ways=(("Debian's packages", fetch_debian_bubblewrap),),
    by_hand=(
        "install bubblewrap 0.7 or newer with your package manager, so that `bwrap` is in PATH; "
        f"then run `{command('setup')}` again"
    ),
)


def install_julia(cache: Path, progress: Progress, *, force: bool = False) -> Path:
    """The launcher of the Julia in the cache; installs one if there is none, or anew if forced."""
    return install(JULIA, cache, progress, force=force)


def install_bubblewrap(cache: Path, progress: Progress, *, force: bool = False) -> Path:
    """The `bwrap` in the cache; installs it if there is none, or anew if forced."""
    return install(BUBBLEWRAP, cache, progress, force=force)


def install(program: Program, cache: Path, progress: Progress, *, force: bool = False) -> Path:
    """Install `program` by the first way that works. ToolchainError says why each failed."""
    places = Cache(cache)
    home = cache / program.folder
    try:
        make_folder(home)
        with locked(places.lock, on_wait=lambda: progress("Waiting for another installation to end", None)):
            present = installed(home, program.command)
            if present and not force:
                return present[0]
            for launcher in present:
                _refuse_if_held(launcher.parent, program)
            return _install_anew(program, places, home, progress)
    except OSError as error:
        raise ToolchainError(
            f"{program.name} could not be installed in {cache}: {error}; "
            "set CODEJURY_CACHE to a folder that can be written"
        ) from None


def _install_anew(program: Program, places: Cache, home: Path, progress: Progress) -> Path:
    """With the lock held: try each way in a fresh staging folder."""
    failures = []
    for way, fetch in program.ways:
        try:
            with _staging(places) as staging:
                return _install_by(fetch, program, staging, home, progress)
        except ToolchainError as error:
            failures.append(f"  {way}: {error}")
    tried = "\n".join(failures)
    raise ToolchainError(
        f"{program.name} could not be installed. Tried:\n{tried}\nBy hand: {program.by_hand}."
    )


@contextmanager
def _staging(places: Cache) -> Iterator[Path]:
    """An empty folder beside the final place, gone afterwards whatever happens."""
    remove_tree(places.staging)  # left by a process that was killed
    try:
        yield make_folder(places.staging)
    finally:
        remove_tree(places.staging)


def _install_by(fetch: Fetch, program: Program, staging: Path, home: Path, progress: Progress) -> Path:
    fresh = make_folder(staging / "new")
    name = fetch(fresh, progress)
    progress(f"Checking that {program.name} works", None)
    _prove(fresh / program.command, program)
    os.sync()  # the name must not outlive a power cut that its files do not
    final = home / name
    if final.exists():
        _refuse_if_held(final, program)  # since it was fetched, a judge may have started
        final.rename(staging / "replaced")
    fresh.rename(final)
    return final / program.command


def _refuse_if_held(folder: Path, program: Program) -> None:
    if is_held(folder):
        raise ToolchainError(
            f"{program.name} in {folder} is in use by a judge that is running; "
            f"let it end, or stop it, and run `{command('setup', '--force')}` again"
        )


def _prove(launcher: Path, program: Program) -> None:
    """Run what was fetched; a program that does not work is never put into place."""
    try:
        done = subprocess.run(
            [launcher, *program.proof],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(f"what was fetched cannot be run: {error}") from None
    if done.returncode != 0:
        said = last_lines(done.stdout.decode(errors="replace"))
        raise ToolchainError(f"what was fetched does not work (exit code {done.returncode}):\n{said}")


# ---- One installation at a time, across processes.
