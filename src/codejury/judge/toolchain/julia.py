"""A Julia that was found, and everything a sandbox must know to run it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from ...errors import ToolchainError
from .apt import last_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package of the environment that candidates see; not a standard library."""

    name: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JuliaInstall:
    """One working Julia. Every path is absolute and existed when it was looked at.

    To run it outside a sandbox: `[executable, ...]` with `environment` added to one's own.
    To run it inside: bind `roots` and `package_roots` read-only, each at its own path, and set
    `environment`, JULIA_DEPOT_PATH to `depots` and JULIA_LOAD_PATH to `load_path`.
    """

    launcher: Path
    """What was found: the binary, or a wrapper or juliaup's launcher in front of it."""
    executable: Path
    """The binary itself."""
    bindir: Path
    """Julia's `Sys.BINDIR`."""
    version: str
    """Such as `1.10.4`."""
    environment: Mapping[str, str]
    """Variables without which the binary does not run; empty for most."""
    roots: tuple[Path, ...]
    """Folders and single files (libraries of the system, the loader) it needs to run; none
    lies below another."""
    depots: tuple[Path, ...]
    """Julia's `DEPOT_PATH`: its own folder, after that of the packages where there is one."""
    load_path: tuple[str, ...]
    """Julia's `LOAD_PATH`: an environment where there is one, and the standard libraries."""
    stdlib: Path
    """The folder of the standard libraries."""
    package_roots: tuple[Path, ...] = ()
    """Likewise to `roots`, for packages: none of the user's own, only what Codejury has installed."""
    packages: tuple[Package, ...] = ()
    """All packages of the environment, those included that others need."""
    loadable: tuple[str, ...] = ()
    """What `using` finds besides the standard libraries."""

    def to_json(self) -> dict[str, Any]:
        """Plain data, for a note; `from_json` is its inverse."""
        return {
            name: [str(item) if isinstance(item, Path) else item for item in value]
            if isinstance(value, tuple)
            else str(value)
            if isinstance(value, Path)
            else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> JuliaInstall:
        """Back from plain data; KeyError or TypeError if a field is missing or unknown."""
        fields = dict(data)
        for name in ("launcher", "executable", "bindir", "stdlib"):
            fields[name] = Path(fields[name])
        for name in ("roots", "package_roots", "depots"):
            fields[name] = tuple(Path(item) for item in fields[name])
        for name in ("load_path", "loadable"):
            fields[name] = tuple(fields[name])
        fields["packages"] = tuple(Package(**package) for package in fields["packages"])
        return cls(**fields)


# ---- What of this machine a Julia reads when it runs: all that a sandbox has to show it.

_MOST_HOPS = 40  # as many as Linux follows
LOADER_CACHE: Final = Path("/etc/ld.so.cache")
"""Where the loader looks up a library that is opened by its bare name."""
_LIBRARY = re.compile(r"^\s+(?:\S+ => )?(/.+?) \(0x[0-9a-f]+\)$", re.MULTILINE)


def julia_roots(facts: DescribedFacts) -> list[Path]:
    """Its own folders, and every library it loads, the loader included.

    Libraries come from two lists: what its files are linked with, as `ldd` says, and what it has opened by
    name, as it says itself. Neither is complete: `ldd` sees no `dlopen`, and Julia names what it found today.
    """
    folders = facts.paths("folder")
    private = {path for folder in folders for path in folder.glob("*.so*")}
    linked = _libraries([facts.executable, facts.image, *sorted(private)], facts.variables)
    own = [facts.executable, facts.image.parent, *folders, *_used(facts, linked)]
    libraries = _by_all_names({*linked, *facts.paths("library")})
    inside = {*private, *libraries, *_entries(facts.paths("stdlib"))}
    system = [LOADER_CACHE, *libraries, *_targets(inside, own)]
    return topmost(path for path in (*own, *system) if path.exists())


def _by_all_names(libraries: set[Path]) -> set[Path]:
    """The same, and the links beside them that lead to them.

    Julia opens `libcholmod` after `libcholmod.so.5`; the loader sees that it has the file already, and no
    list tells of the second name.
    """
    real = {os.path.realpath(path) for path in libraries}
    beside = _entries({path.parent for path in libraries})
    links = (path for path in beside if ".so" in path.name and path.is_symlink())
    return libraries | {path for path in links if os.path.realpath(path) in real}


def _entries(folders: Iterable[Path]) -> Iterator[Path]:
    readable = (folder for folder in folders if folder.is_dir() and os.access(folder, os.R_OK))
    return (path for folder in readable for path in folder.iterdir())


def _targets(paths: Iterable[Path], folders: Sequence[Path]) -> Iterator[Path]:
    """Where links lead that lie in a folder which is shown whole: shown, they are links still.

    A distribution's Julia links from its private folder to libraries of the system; one that runs where it
    was built links from the folder of its standard libraries to their sources.
    """
    for path in paths:
        if path.is_symlink() and any(path.is_relative_to(folder) for folder in folders):
            yield from _hops(path)


def _hops(link: Path) -> Iterator[Path]:
    for _ in range(_MOST_HOPS):
        if not link.is_symlink():
            return
        link = link.parent / link.readlink()
        yield link


def topmost(paths: Iterable[Path]) -> list[Path]:
    """Each path once, without those below another: {/a, /a/b, /c} -> [/a, /c]."""
    kept: list[Path] = []
    for path in sorted({Path(os.path.normpath(path)) for path in paths}):
        if not any(path.is_relative_to(other) for other in kept):
            kept.append(path)
    return kept


def _used(facts: DescribedFacts, libraries: Iterable[Path]) -> set[Path]:
    """The folders of LD_LIBRARY_PATH that something is loaded from."""
    searched = [Path(entry) for entry in facts.variables.get("LD_LIBRARY_PATH", "").split(":") if entry]
    parents = {library.parent for library in libraries}
    return {folder for folder in searched if folder in parents}


def _libraries(files: Sequence[Path], environment: Mapping[str, str]) -> set[Path]:
    """Every library that `files` load, as the loader itself resolves them."""
    try:
        listed = subprocess.run(
            ["ldd", *map(str, files)],
            env={**os.environ, **environment, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,  # it also fails for a file that loads nothing
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(f"ldd, which lists the libraries of Julia, cannot be run: {error}") from None
    return {Path(found) for found in _LIBRARY.findall(listed.stdout.decode(errors="replace"))}


# ---- Ask a Julia about itself: run describe.jl with it and read the facts it prints.

SCRIPT: Final = Path(__file__).with_name("describe.jl")
_SECONDS = 120  # a first start on a slow disk, or juliaup fetching what it was told to use
_SECONDS_FOR_ITS_VERSION = 10  # which a Julia prints without loading anything; who does not, hangs


@dataclass(frozen=True, slots=True)
class DescribedFacts:
    """Lines of the script, split: a name, then values."""

    lines: tuple[tuple[str, ...], ...]

    def rows(self, name: str) -> list[tuple[str, ...]]:
        """The values of every line with this name."""
        return [line[1:] for line in self.lines if line[0] == name]

    def texts(self, name: str) -> list[str]:
        """The first value of every line with this name."""
        return [row[0] for row in self.rows(name)]

    def paths(self, name: str) -> list[Path]:
        """Likewise, as paths."""
        return [Path(text) for text in self.texts(name)]

    @property
    def version(self) -> str:
        return self.texts("version")[0]

    @property
    def executable(self) -> Path:
        return self.paths("executable")[0]

    @property
    def image(self) -> Path:
        return self.paths("image")[0]

    @property
    def variables(self) -> dict[str, str]:
        """The variables its launcher has set for it."""
        return {row[0]: row[1] for row in self.rows("variable")}


def ask(launcher: Path) -> DescribedFacts:
    """What the Julia behind `launcher` says about itself. ToolchainError if it does not work."""
    options = ["--startup-file=no", "--history-file=no", "--compiled-modules=no", str(SCRIPT)]
    _started(launcher, ["--version"], _SECONDS_FOR_ITS_VERSION)
    code, stdout, stderr = _started(launcher, options, _SECONDS)
    printed = stdout.splitlines()
    # The script ends with `end`: without it, something else printed or it was cut short.
    if code != 0 or printed[-1:] != ["end"]:
        said = last_lines(stderr) or last_lines(stdout) or "    (nothing)"
        raise ToolchainError(f"{launcher} does not work as a Julia (exit code {code}); it said:\n{said}")
    return DescribedFacts(tuple(tuple(line.split("\t")) for line in printed))


def _started(launcher: Path, options: Sequence[str], seconds: float) -> tuple[int, str, str]:
    """Exit code and output of a Julia. One that takes too long is ended, with all that it has started."""
    try:
        process = subprocess.Popen(
            [str(launcher), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolchainError(f"{launcher} cannot be run: {error.strerror}") from None
    try:
        stdout, stderr = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise ToolchainError(f"{launcher} gave no answer within {seconds} seconds") from None
    finally:
        _end_session(process)
    return process.returncode, stdout.decode(errors="replace"), stderr.decode(errors="replace")


def _end_session(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream:
            stream.close()
