"""Install a suite's Julia packages into a depot of our own: whole or not at all, one process at a time.

lock -> there already? -> fetch, with the network -> build, load, load as a candidate -> rename into place

A package is a stranger's code, and building and compiling run it: each step has a sandbox of its own, which
sees Julia, the system's programs, and the folder in the making. Only the step that runs no code of a package
has the network.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ...errors import ToolchainError
from ...files import locked
from ...settings import Settings
from ..toolchain.apt import last_lines
from ..toolchain.environment import (
    PROJECT,
    WARM_UP,
    Environment,
    Installed,
    find_installed,
    home_of,
    read_environment,
    versions,
    with_dependencies,
    write_record,
)
from ..toolchain.julia import JuliaInstall, topmost
from ..toolchain.paths import Cache, is_held, make_folder, write_atomically
from .compiled import FLAGS
from .isolation.bubblewrap import Mount, bubblewrap_command, must_step_down
from .scratch import empty_folder

if TYPE_CHECKING:
    from ..toolchain.apt import Progress


SCRIPT: Final = Path(__file__).parents[1] / "toolchain/packages.jl"
FETCH_SECONDS: Final = 3600.0
STEP_SECONDS: Final = 1800.0
KEPT: Final = 4
"""Installed environments, the newest: of other versions and other suites, each perhaps 100 megabytes."""
TMP_MB: Final = 512
_LINES: Final = 12
_TERMINAL_CODE: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

# Programs and libraries: Julia 1.5 downloads and unpacks with the system's, and build scripts use more.
_SYSTEM: Final = ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives")
# How names are looked up, and whose certificates are believed.
_NETWORK: Final = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/ca-certificates",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust",
)
_FOLDERS: Final = ("depot", "environment", "tmp")
_PROGRAMS: Final = ("curl", "wget", "tar", "gzip", "7z", "git")
# The libraries that Julia was unpacked with are not those that the system's programs were built for.
_PLAIN_PROGRAM: Final = '#!/bin/sh\nunset LD_LIBRARY_PATH\nexec {path} "$@"\n'


def install_packages(
    folder: Path,
    julia: JuliaInstall,
    bubblewrap: Path,
    settings: Settings,
    progress: Progress,
    *,
    also: Sequence[str] = (),
    keep: bool = True,
    force: bool = False,
) -> Installed:
    """Install what the environment in `folder` asks for, unless it is there. ToolchainError if that fails.

    `also` are packages to add to its Project.toml, by their names. `keep` writes the versions that were
    chosen into the folder: then everybody gets the same.
    """
    home = make_folder(Cache(settings.cache).packages)
    try:
        with locked(home / ".lock", on_wait=lambda: progress("Waiting for another setup to end", None)):
            environment = read_environment(folder, julia)  # now: another setup may have written to it
            also = [name for name in also if name not in environment.uuids]
            if not (force or also) and (found := _undamaged(environment, julia, settings.cache)):
                return found
            site = _Site(make_folder(home / ".new"), julia, bubblewrap, settings.download_environment)
            empty_folder(site.folder)  # left by a process that was killed
            try:
                return _install(site, environment, settings.cache, progress, also=also, keep=keep)
            finally:
                if site.folder.is_dir():
                    _remove(site.folder)
    except OSError as error:
        raise ToolchainError(f"packages could not be installed in {home}: {error}") from None


def _undamaged(environment: Environment, julia: JuliaInstall, cache: Path) -> Installed | None:
    try:
        return find_installed(environment, julia, cache)
    except ToolchainError:
        return None


@dataclass(frozen=True, slots=True)
class _Site:
    """The folder in the making, and how a step is run in it."""

    folder: Path
    julia: JuliaInstall
    bubblewrap: Path
    download: Mapping[str, str]

    def step(
        self,
        *arguments: str,
        home: Path,
        writable: Sequence[str],
        network: bool = False,
        seconds: float = STEP_SECONDS,
    ) -> str:
        """Run one step, with the folder seen as `home`. "" if all went well, else its last words.

        Julia notes the place of every source that it compiles: it must be seen where it will be.
        """
        self._open_up()
        shown = [*self.julia.roots, SCRIPT, *_existing(_SYSTEM), *(_existing(_NETWORK) if network else [])]
        command = bubblewrap_command(
            self.bubblewrap,
            readonly=topmost(shown),
            scratch=Path("/scratch"),
            tmp_mb=TMP_MB,
            environment={**self._variables(home), **(self.download if network else {})},
            command=[str(self.julia.executable), *FLAGS, str(SCRIPT), *arguments],
            step_down=must_step_down(),
            # Each by itself: a folder that is mounted cannot be replaced by a link that leads us elsewhere.
            mounts=[
                Mount(ours=self.folder / name, inside=home / name, writable=name in writable)
                for name in _FOLDERS
            ],
            network=network,
        )
        return _last_words(command, seconds)

    def _variables(self, home: Path) -> dict[str, str]:
        julia = self.julia
        return {
            **julia.environment,
            "HOME": str(home / "tmp"),
            "TMPDIR": str(home / "tmp"),
            "PATH": f"{home / 'tmp/bin'}:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "JULIA_DEPOT_PATH": ":".join(map(str, (home / "depot", *julia.depots))),
            "JULIA_LOAD_PATH": ":".join((str(home / "environment"), *julia.load_path)),
            "JULIA_PROJECT": str(home / "environment"),
            "OPENBLAS_NUM_THREADS": "1",
        }

    def _open_up(self) -> None:
        """Each step may run as another user, who must be able to write where the last one did."""
        for name in _FOLDERS:
            for folder, _, files in os.walk(self.folder / name):
                Path(folder).chmod(0o777)
                for path in (Path(folder, file) for file in files):
                    if not path.is_symlink():
                        path.chmod(path.stat().st_mode | 0o666)


def _existing(paths: Iterable[str]) -> list[Path]:
    return [path for name in paths if (path := Path(name)).exists()]


def _last_words(command: Sequence[str], seconds: float) -> str:
    with tempfile.TemporaryFile() as log:
        try:
            done = subprocess.run(
                command,
                env={},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"    it did not end within {seconds:g} s"
        if done.returncode == 0:
            return ""
        log.seek(max(0, log.seek(0, os.SEEK_END) - 20_000))
        said = errors_in(log.read().decode("utf-8", "replace"))
    return said or f"    exit code {done.returncode}, and it said nothing"


def errors_in(output: str) -> str:
    """What Julia reports as errors, without traces of calls; the last lines where it reports none."""
    told: list[str] = []
    in_error = False
    for line in _TERMINAL_CODE.sub("", output).splitlines():
        goes_on = in_error and not line.startswith(("Stacktrace:", "in expression"))
        in_error = goes_on or line.startswith("ERROR: ")
        told += [line] if in_error else []
    return last_lines("\n".join(told) or output, _LINES)


def _install(
    site: _Site, environment: Environment, cache: Path, progress: Progress, *, also: Sequence[str], keep: bool
) -> Installed:
    _lay_out(site, environment)
    left_out = _fetch(site, environment, also, progress)
    seen = _as_fetched(site.folder)
    if also or keep:
        environment = _kept(environment, seen, also, keep=keep)
    home = home_of(environment, site.julia, cache)
    problems = {**left_out, **_load_all(site, home, sorted(seen.uuids), progress)}
    if environment.warm_up and not problems:
        progress(f"Trying {WARM_UP}", None)
        if why := site.step("warm", str(home / "environment" / WARM_UP), home=home, writable=("tmp",)):
            problems[WARM_UP] = why
    installed = Installed(
        home=home,
        packages=versions(seen.manifest),
        loadable=tuple(name for name in sorted(seen.uuids) if name not in problems),
        problems=problems,
    )
    _finish(site.folder, seen, installed)
    if home.exists():  # damaged, or to be made anew
        if is_held(home):
            raise ToolchainError(f"the packages in {home} are in use by a judge that is running; let it end")
        _remove(site.folder.with_name(".old"))
        home.rename(site.folder.with_name(".old"))
    site.folder.rename(home)
    _clear_away(home.parent)
    return installed


def _lay_out(site: _Site, environment: Environment) -> None:
    for name in (*_FOLDERS, "tmp/bin"):
        make_folder(site.folder / name)
    for name, text in (
        (PROJECT, environment.project),
        ("Manifest.toml", environment.manifest),
        (WARM_UP, environment.warm_up),
    ):
        if text or name == PROJECT:
            file = site.folder / "environment" / name
            file.write_text(text, encoding="utf-8")
    if "LD_LIBRARY_PATH" in site.julia.environment:
        for name in _PROGRAMS:
            if (program := Path("/usr/bin") / name).exists():
                plain = site.folder / "tmp/bin" / name
                plain.write_text(_PLAIN_PROGRAM.format(path=program))
                plain.chmod(0o755)


def _fetch(site: _Site, environment: Environment, also: Sequence[str], progress: Progress) -> dict[str, str]:
    """Download all; what there is no fitting version of, by name, with the reason."""
    progress("Downloading Julia packages", None)
    report = site.folder / "tmp/left-out.toml"
    failure = site.step(
        "fetch",
        str(site.folder / "environment"),
        str(report),
        *also,
        home=site.folder,
        writable=_FOLDERS,
        network=True,
        seconds=FETCH_SECONDS,
    )
    if failure:
        wanted = ", ".join(sorted({*environment.uuids, *also}))
        raise ToolchainError(f"{wanted} could not be downloaded; Julia's package manager said:\n{failure}")
    return {name: str(why) for name, why in tomllib.loads(report.read_text(encoding="utf-8")).items()}


def _as_fetched(folder: Path) -> Environment:
    """What the package manager has made of it."""
    manifest = folder / "environment/Manifest.toml"
    return Environment(
        folder=folder / "environment",
        minor="",
        project=(folder / "environment" / PROJECT).read_text(encoding="utf-8"),
        manifest=manifest.read_text(encoding="utf-8") if manifest.exists() else "",
    )


def _kept(environment: Environment, seen: Environment, also: Sequence[str], *, keep: bool) -> Environment:
    """The environment with what was found out, written into its folder."""
    if also:
        added = {name: uuid for name, uuid in seen.uuids.items() if name in also}
        environment = replace(environment, project=with_dependencies(environment.project, added))
    if keep and not environment.manifest:
        environment = replace(environment, manifest=seen.manifest)
    try:
        if also:
            write_atomically(environment.folder / PROJECT, environment.project)
        if keep:
            write_atomically(environment.manifest_file, environment.manifest)
    except OSError as error:
        if also:
            raise ToolchainError(
                f"{environment.folder / PROJECT}: {', '.join(also)} must be added, and it cannot be "
                f"written: {error.strerror}"
            ) from None
        return replace(environment, manifest="")  # of use here all the same
    return environment


def _load_all(site: _Site, home: Path, names: Sequence[str], progress: Progress) -> dict[str, str]:
    """Build and compile, then load as a candidate does; why that failed, by name."""
    if any((site.folder / "depot/packages").glob("*/*/deps/build.jl")):
        progress("Building Julia packages", None)
        # A build that fails shows when the package is loaded.
        site.step("build", home=home, writable=("depot", "tmp"))
    problems = {}
    for number, name in enumerate(names):
        progress(f"Compiling {name}", number / len(names))
        for writable in (("depot", "tmp"), ("tmp",)):  # compiled, then as a candidate sees it
            if why := site.step("load", name, home=home, writable=writable):
                problems[name] = why
                break
    return problems


def _finish(folder: Path, seen: Environment, installed: Installed) -> None:
    """Leave what candidates need, and nobody but us can change it."""
    for name in ("tmp", "depot/registries", "depot/clones", "depot/logs", "depot/scratchspaces"):
        _remove(folder / name)
    deps = "".join(f'{name} = "{seen.uuids[name]}"\n' for name in installed.loadable)
    # A package that cannot be loaded is as good as missing, and candidates must find it so.
    (folder / "environment" / PROJECT).write_text(f"[deps]\n{deps}", encoding="utf-8")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, os.geteuid(), os.getegid(), follow_symlinks=False)
        if not path.is_symlink():
            runs = path.is_dir() or path.stat().st_mode & 0o100
            path.chmod(0o755 if runs else 0o644)
    write_record(folder, installed)
    os.sync()  # the name must not outlive a power cut that its files do not


def _clear_away(packages: Path) -> None:
    made = sorted(packages.glob("[0-9]*"), key=lambda path: path.stat().st_mtime)
    for old in (packages / ".old", *(folder for folder in made[:-KEPT] if not is_held(folder))):
        _remove(old)


def _remove(folder: Path) -> None:
    """Remove a folder if it is there, also what a package has made unreadable."""
    if folder.is_symlink() or not folder.is_dir():
        folder.unlink(missing_ok=True)
        return
    folder.chmod(0o700)
    empty_folder(folder)
    folder.rmdir()
