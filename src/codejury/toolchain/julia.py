"""A Julia that was found, and everything a sandbox must know to run it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package that candidates can use, of the user's own environment (not a standard library)."""

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
    package_roots: tuple[Path, ...]
    """Likewise for the user's packages. Only what holds packages: a depot also holds credentials."""
    depots: tuple[Path, ...]
    """Julia's `DEPOT_PATH`, those that exist."""
    load_path: tuple[str, ...]
    """Julia's `LOAD_PATH`, expanded to paths; those that exist."""
    stdlib: Path
    """The folder of the standard libraries."""
    packages: tuple[Package, ...]
    """What `using` finds besides the standard libraries."""
    unreadable: tuple[Path, ...] = ()
    """Folders with packages that the sandbox's user cannot read, when the tool runs as root."""

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
        for name in ("roots", "package_roots", "depots", "unreadable"):
            fields[name] = tuple(Path(item) for item in fields[name])
        fields["load_path"] = tuple(fields["load_path"])
        fields["packages"] = tuple(Package(**package) for package in fields["packages"])
        return cls(**fields)
