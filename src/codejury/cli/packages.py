"""`codejury setup --packages`: a suite's Julia packages, installed, and what became of each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import InputError, ToolchainError
from ..program import command
from ..settings import Settings

if TYPE_CHECKING:
    from ..judge.toolchain.environment import Installed
    from ..judge.toolchain.julia import JuliaInstall


def set_up_packages(julia: JuliaInstall, settings: Settings, folder: Path | None, *, force: bool) -> int:
    """Install, tell, and return the exit code."""
    from ..judge.toolchain.environment import newest_versions
    from ..suite.suite import packages_folder

    folder = folder.absolute() if folder else packages_folder()
    try:
        installed = _install(julia, settings, folder, force=force)
    except ToolchainError as error:
        there = newest_versions(julia, settings.cache)
        raise ToolchainError(f"{error}\nInstalled for Julia {julia.version}: {_listed(there)}") from None
    if installed is None:
        typer.echo(f"Julia packages: {folder} asks for none but standard libraries")
        return 0
    usable = {name: installed.packages[name] for name in installed.loadable}
    others = len(installed.packages) - len(usable)
    with_others = f" (and {others} that they need)" if others else ""
    typer.echo(f"Julia packages: {_listed(usable)}{with_others}")
    for name, reason in sorted(installed.problems.items()):
        typer.echo(f"{name} cannot be used by Julia {julia.version}:\n{reason}", err=True)
    return int(bool(installed.problems))


def _listed(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(versions.items())) or "none"


def _install(julia: JuliaInstall, settings: Settings, folder: Path, *, force: bool) -> Installed | None:
    from ..judge.sandbox.compiled import compile_judge
    from ..judge.sandbox.packages import install_packages
    from ..judge.toolchain.environment import read_environment
    from .setup import ProgressDisplay

    environment = read_environment(folder, julia)
    also = _imported(folder, julia) - environment.uuids.keys()
    if not also and not environment.uuids:
        return None
    with ProgressDisplay() as progress:
        installed = install_packages(
            folder,
            julia,
            _bubblewrap(settings),
            settings,
            progress,
            also=sorted(also),
            keep=_is_ours_to_write(folder),
            force=force,
        )
        compile_judge(installed.seen_by(julia), settings.cache, progress)
    return installed


def _imported(folder: Path, julia: JuliaInstall) -> set[str]:
    """The packages that definitions below a folder import, without what comes with Julia."""
    from ..suite.suite import Suite
    from .doctor import standard_libraries

    try:
        cases = Suite.below(folder).usable()
    except InputError:  # an environment by itself
        return set()
    with_julia = {"Base", "Core", "Main", *standard_libraries(julia.stdlib)}
    return {name.partition(".")[0] for case in cases for name in case.imports} - with_julia


def _is_ours_to_write(folder: Path) -> bool:
    """Nothing is ever written into an installed package."""
    return not folder.resolve().is_relative_to(Path(__file__).resolve().parents[1])


def _bubblewrap(settings: Settings) -> Path:
    from ..judge.sandbox.isolation.probe import probe_isolation
    from ..judge.toolchain.find import find_bubblewrap

    found = find_bubblewrap(settings)
    if found is None or probe_isolation(bubblewrap=found).level not in ("L3", "L2.5"):
        raise ToolchainError(
            "packages are built and compiled inside bubblewrap, which does not work here; "
            f"`{command('doctor')}` says what would help"
        )
    return found
