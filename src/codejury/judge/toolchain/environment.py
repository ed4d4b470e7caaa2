"""A suite's Julia environment: which packages it asks for, and where they are installed.

<suite>/
├── Project.toml                what its authors ask for
├── Manifest-v1.5.toml          exact versions for Julia 1.5, made by `codejury setup --packages`
└── warmup.jl                   optional: uses the packages, so that a warm server has them compiled
<cache>/packages/<julia>-<hash>/  the same, installed; the name appears when it is complete
├── depot/                        packages, artifacts, and what Julia has compiled of them
├── environment/                  Project.toml, Manifest.toml and warmup.jl, as candidates see them
└── installed.json                versions, what cannot be loaded and why, and a seal on all files
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ...errors import InputError, ToolchainError
from ...program import command
from .julia import JuliaInstall, Package
from .paths import Cache, write_atomically

PROJECT: Final = "Project.toml"
WARM_UP: Final = "warmup.jl"
RECORD: Final = "installed.json"
LEVELS: Final = 3
"""Folders above a definition that can hold its environment: of the test case, its category, the suite."""
# Part of every name: what an older Codejury has installed is not used.
_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What is asked for, as it is written in a folder."""

    folder: Path
    minor: str
    """Of the Julia that it is for, such as `1.5`."""
    project: str = ""
    """The text of Project.toml; "" if there is none."""
    manifest: str = ""
    """The text of the manifest for that Julia; "" if there is none."""
    warm_up: str = ""
    """Julia code that uses the packages; "" if there is none."""

    @property
    def uuids(self) -> dict[str, str]:
        """The packages asked for by name."""
        return dict(tomllib.loads(self.project).get("deps", {}))

    @property
    def manifest_file(self) -> Path:
        return self.folder / f"Manifest-v{self.minor}.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """An environment on the disk, for one Julia."""

    home: Path
    packages: Mapping[str, str]
    """Versions by name, of all packages, those included that others need."""
    loadable: tuple[str, ...] = ()
    """Those that were asked for and can be loaded."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """Why each of the others that were asked for cannot."""

    def seen_by(self, julia: JuliaInstall) -> JuliaInstall:
        """The same Julia with these packages, and none but these."""
        return replace(
            julia,
            package_roots=(self.home,),
            depots=(self.home / "depot", *julia.depots),
            load_path=(str(self.home / "environment"), *julia.load_path),
            packages=tuple(Package(name=name, version=self.packages[name]) for name in sorted(self.packages)),
            loadable=self.loadable,
        )


def environment_above(definition: Path) -> Path | None:
    """The folder of the environment that a definition belongs to: the nearest with a Project.toml."""
    above = Path(os.path.abspath(definition)).parents[:LEVELS]  # noqa: PTH100 - a link stays where it is
    return next((folder for folder in above if (folder / PROJECT).is_file()), None)


def dependencies(folder: Path) -> frozenset[str]:
    """The packages that the environment in a folder asks for; none without one."""
    project = _text(folder / PROJECT)
    _check(folder / PROJECT, project)
    return frozenset(tomllib.loads(project).get("deps", {}))


def read_environment(folder: Path, julia: JuliaInstall) -> Environment:
    """What a folder asks for. InputError if its files cannot be used."""
    found = Environment(folder=folder, minor=".".join(julia.version.split(".")[:2]))
    found = replace(
        found,
        project=_text(folder / PROJECT),
        manifest=_text(found.manifest_file),
        warm_up=_text(folder / WARM_UP),
    )
    for file, text in ((folder / PROJECT, found.project), (found.manifest_file, found.manifest)):
        _check(file, text)
    return found


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read: {error}") from None


def _check(file: Path, text: str) -> None:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file}: is not TOML: {error}; fix the line it names") from None
    for name, entry in entries(content):
        if "path" in entry:
            raise InputError(
                f"{file}: {name}: is under development in {entry['path']}; Codejury installs packages from "
                "registries and repositories only: add it from there, or remove it"
            )


def entries(manifest: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The packages of a manifest of either format."""
    table = manifest["deps"] if "manifest_format" in manifest else manifest
    for name, found in table.items():
        if isinstance(found, list):
            yield from ((name, entry) for entry in found)


def versions(manifest: str) -> dict[str, str]:
    """Versions by name, without the standard libraries: those come with Julia."""
    listed = entries(tomllib.loads(manifest))
    return {name: entry["version"] for name, entry in sorted(listed) if "git-tree-sha1" in entry}


def with_dependencies(project: str, added: Mapping[str, str]) -> str:
    """The text of a Project.toml with more packages in it; all else stays as its authors wrote it."""
    lines = project.splitlines()
    new = [f'{name} = "{uuid}"' for name, uuid in sorted(added.items())]
    if "[deps]" in lines:
        place = lines.index("[deps]") + 1
        return "\n".join([*lines[:place], *new, *lines[place:]]) + "\n"
    return "\n".join([*lines, *([""] if lines else []), "[deps]", *new]) + "\n"


# ---- What is installed.


def home_of(environment: Environment, julia: JuliaInstall, cache: Path) -> Path:
    """Named after all that it depends on: it is right, or it is not found."""
    built = julia.executable.stat().st_mtime_ns
    asked = [environment.project, environment.manifest, environment.warm_up]
    told = [_FORMAT, *asked, julia.version, str(julia.executable), built]
    digest = hashlib.sha256(json.dumps(told).encode()).hexdigest()
    return Cache(cache).packages / f"{julia.version}-{digest[:16]}"


def find_installed(environment: Environment, julia: JuliaInstall, cache: Path) -> Installed | None:
    """What is installed for this Julia, None if nothing is. ToolchainError if it is damaged."""
    home = home_of(environment, julia, cache)
    if not home.is_dir():
        return None
    try:
        record = json.loads((home / RECORD).read_text(encoding="utf-8"))
        seal = record.pop("seal")
        installed = Installed(home=home, **{**record, "loadable": tuple(record["loadable"])})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ToolchainError(_damaged(home, f"{RECORD}: {error}")) from None
    if seal != seal_of(home):
        raise ToolchainError(_damaged(home, "files have changed since they were installed"))
    return installed


def newest_versions(julia: JuliaInstall, cache: Path) -> dict[str, str]:
    """What was installed last for this Julia, for whichever suite."""
    records = sorted(
        Cache(cache).packages.glob(f"{julia.version}-*/{RECORD}"), key=lambda path: path.stat().st_mtime
    )
    return dict(json.loads(records[-1].read_text(encoding="utf-8"))["packages"]) if records else {}


def with_packages(julia: JuliaInstall, folder: Path | None, cache: Path) -> JuliaInstall:
    """The same Julia as candidates see it: with the packages of an environment that are installed."""
    installed = find_installed(read_environment(folder, julia), julia, cache) if folder else None
    return installed.seen_by(julia) if installed else julia


def _damaged(home: Path, why: str) -> str:
    cure = command("setup", "--packages")
    return f"the installed Julia packages are damaged ({home}: {why}); `{cure}` fixes them"


def write_record(home: Path, installed: Installed) -> None:
    """The last file: it holds the seal on all others."""
    record = {
        "packages": dict(installed.packages),
        "loadable": list(installed.loadable),
        "problems": dict(installed.problems),
        "seal": seal_of(home),
    }
    write_atomically(home / RECORD, json.dumps(record, indent=1))


def seal_of(home: Path) -> str:
    """Of every file its place, size and age: Julia takes compiled code only if its sources are as old."""
    told = hashlib.sha256()
    for folder in ("depot", "environment"):
        for line in sorted(_listed(home / folder, folder)):
            told.update(line.encode(errors="surrogateescape"))
    return told.hexdigest()


def _listed(folder: Path, name: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as found:
            for entry in found:
                inner = f"{name}/{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    yield from _listed(folder / entry.name, inner)
                else:
                    facts = entry.stat(follow_symlinks=False)
                    yield f"{inner} {facts.st_size} {facts.st_mtime_ns}\n"
    except FileNotFoundError:
        return
