"""Find Julia and bubblewrap: what was asked for, else PATH, else juliaup's folder, else our own cache.

What the user names must work, or it is an error. Anything else that does not work is passed over,
and `Search` says why.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError, ToolchainError
from ...settings import Settings
from .describe import describe_julia
from .julia import JuliaInstall
from .paths import Cache, closed_to_others, make_folder, write_atomically

# How Julia names what comes before a release: 1.13.0-alpha1, 1.13.0-beta2, 1.13.0-rc3, 1.14.0-DEV.123.
_PRE_RELEASE = re.compile(r"-(?:alpha|beta|rc|dev)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How the search for Julia went."""

    found: JuliaInstall | None
    place: str
    """Where it was found: `CODEJURY_JULIA`, `codejury setup --julia`, `PATH`, `juliaup`, `cache`, or ""."""
    passed_over: tuple[str, ...] = ()
    """Why each earlier find was not taken."""


def find_julia(settings: Settings) -> JuliaInstall | None:
    """The Julia to use, or None where there is none. InputError if the one asked for does not work."""
    return search_julia(settings).found


def search_julia(settings: Settings) -> Search:
    """As `find_julia`, and tell where it was found and what was passed over."""
    for place, chosen in _choices(settings):
        return Search(found=check_julia(chosen, settings, asked_by=place), place=place)
    passed_over: list[str] = []
    for place, launcher in _candidates(settings):
        try:
            return Search(
                found=describe_julia(launcher, settings), place=place, passed_over=tuple(passed_over)
            )
        except ToolchainError as error:
            passed_over.append(str(error))
    return Search(found=None, place="", passed_over=tuple(passed_over))


def _choices(settings: Settings) -> Iterator[tuple[str, str]]:
    """What the user has chosen, the strongest wish first."""
    if settings.julia:
        yield "CODEJURY_JULIA", settings.julia
    try:
        yield "codejury setup --julia", Cache(settings.cache).chosen_julia.read_text(encoding="utf-8").strip()
    except OSError:
        return


def check_julia(chosen: str, settings: Settings, *, asked_by: str) -> JuliaInstall:
    """The Julia the user named, by path or by its name in PATH. InputError if it does not work."""
    found = shutil.which(Path(chosen).expanduser(), path=settings.path)
    if found is None:
        what = "is not an executable file" if "/" in chosen else "is not in PATH"
        raise InputError(f"{asked_by}: {chosen} {what}; name the program `julia` itself, not its folder")
    try:
        return describe_julia(Path(found).absolute(), settings)
    except ToolchainError as error:
        raise InputError(f"{asked_by}: {error}") from None


def named_julia(name: str, settings: Settings) -> JuliaInstall:
    """The Julia that `--julia` names: one of juliaup's channels, a path, or a name in PATH."""
    channel = _juliaup_channels(settings.juliaup).get(name)
    return check_julia(str(channel or name), settings, asked_by="--julia")


def _juliaup_channels(folder: Path) -> dict[str, Path]:
    """The binaries of juliaup's channels, such as `release` or `1.10`, that are installed."""
    try:
        state = json.loads((folder / "juliaup.json").read_text(encoding="utf-8"))
        versions = state["InstalledVersions"]
        return {
            channel: Path(os.path.normpath(folder / versions[entry["Version"]]["Path"])) / "bin/julia"
            for channel, entry in state["InstalledChannels"].items()
            if entry.get("Version") in versions
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _candidates(settings: Settings) -> Iterator[tuple[str, Path]]:
    if on_path := shutil.which("julia", path=settings.path):
        yield "PATH", Path(on_path).absolute()
    yield from (("juliaup", path) for path in _juliaup_versions(settings.juliaup))
    yield from (("cache", path) for path in installed(Cache(settings.cache).julia, "julia"))


def _juliaup_versions(folder: Path) -> list[Path]:
    """The binaries juliaup has installed: its default first, then the newest, pre-releases last."""
    try:
        state = json.loads((folder / "juliaup.json").read_text(encoding="utf-8"))
        default = state["InstalledChannels"].get(state.get("Default"), {}).get("Version")
        versions: dict[str, str] = {
            version: entry["Path"] for version, entry in state["InstalledVersions"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []
    order = sorted(versions, key=lambda version: (version == default, _newness(version)), reverse=True)
    binaries = [Path(os.path.normpath(folder / versions[version])) / "bin/julia" for version in order]
    return [path for path in binaries if os.access(path, os.X_OK)]


def installed(folder: Path, program: str) -> list[Path]:
    """Complete installations of a program in our cache, the newest version first, pre-releases last."""
    found = [path for path in folder.glob(f"*/{program}") if os.access(path, os.X_OK)]
    return sorted(found, key=lambda path: _newness(path.parent.name), reverse=True)


def _newness(version: str) -> tuple[bool, list[int]]:
    """To sort by: whether it is a release, then its numbers, so that 1.10 comes after 1.9.

    1.10.4+0.x64 -> (True, [1, 10, 4, 0, 64])     1.13.0-rc3 -> (False, [1, 13, 0, 3])
    """
    return not _PRE_RELEASE.search(version), [int(part) for part in re.findall(r"\d+", version)]


def choose_julia(chosen: str, settings: Settings) -> JuliaInstall:
    """Use the Julia the user named from now on, wherever CODEJURY_JULIA names no other."""
    install = check_julia(chosen, settings, asked_by="--julia")
    file = Cache(settings.cache).chosen_julia
    try:
        make_folder(file.parent)
        write_atomically(file, f"{install.launcher}\n")
    except OSError as error:
        raise ToolchainError(f"the choice of Julia could not be kept in {file}: {error.strerror}") from None
    return install


def forget_choice(settings: Settings) -> None:
    """Search for Julia again, as if none had been chosen."""
    Cache(settings.cache).chosen_julia.unlink(missing_ok=True)


# The newest options that the sandbox is built with (bubblewrap 0.7.0): it must get past them to its version.
PROOF_OF_BUBBLEWRAP = ("--clearenv", "--size", "4096", "--version")


def find_bubblewrap(settings: Settings) -> Path | None:
    """The `bwrap` to use: of PATH, else of our cache; None where there is none that is new enough."""
    on_path = shutil.which("bwrap", path=settings.path)
    found = [Path(on_path).absolute()] if on_path else []
    found += installed(Cache(settings.cache).bubblewrap, "bwrap")
    usable = (path for path in found if not (settings.is_root and closed_to_others(path)))
    return next((path for path in usable if not _is_too_old(path)), None)


def _is_too_old(bwrap: Path) -> bool:
    """Whether it says so itself. Whatever else is wrong with it is found out by trying it."""
    try:
        told = subprocess.run(
            [bwrap, *PROOF_OF_BUBBLEWRAP],
            env={},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return b"Unknown option" in told.stderr
