"""Julia and bubblewrap from Debian's signed packages, unpacked into a folder without root.

Julia comes from Debian 11, whatever release this machine runs: later ones have no Julia.
bubblewrap comes from the machine's own release.
"""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterable
from pathlib import Path

from ...errors import ToolchainError
from .apt import (
    PrivateApt,
    Progress,
    Source,
    debian_archives,
    libraries_only,
    machine_sources,
    own_archives,
    unpack,
)
from .paths import remove_tree

_JULIA_SUITE = "bullseye"
# Documentation and translations are half of the files and none of the use.
_NOT_NEEDED = ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/lintian")
# `root` is found from the wrapper's own place: the folder is renamed after it has been proved.
_WRAPPER = """\
#!/bin/sh
root=$(dirname "$(readlink -f "$0")")/root
export {variables}
exec "$root/usr/bin/{program}" "$@"
"""


def fetch_debian_julia(folder: Path, progress: Progress) -> str:
    """Put Debian's Julia into `folder`, with `folder/julia` to start it. Returns its version's name."""
    archives = debian_archives(machine_sources(), _JULIA_SUITE)
    version = _fetch("julia", archives, folder, progress)
    libraries = sorted((folder / "root/usr/lib").glob("*/libjulia.so.1"))
    if not libraries:
        raise ToolchainError("Debian's package of Julia has no libjulia.so.1")
    triplet = libraries[0].parent.name
    places = (f"usr/lib/{triplet}", f"usr/lib/{triplet}/julia", f"lib/{triplet}")
    search = ":".join(f"$root/{place}" for place in places)
    _write_wrapper(folder / "julia", f'LD_LIBRARY_PATH="{search}" JULIA_BINDIR="$root/usr/bin"')
    return f"{version}-debian"


def fetch_debian_bubblewrap(folder: Path, progress: Progress) -> str:
    """Put this release's bubblewrap into `folder`, with `folder/bwrap` to start it."""
    archives = own_archives(machine_sources(), _codename())
    version = _fetch("bubblewrap", archives, folder, progress)
    binary = folder / "root/usr/bin/bwrap"
    if _starts(binary):
        (folder / "bwrap").symlink_to("root/usr/bin/bwrap")
    else:  # a very small system lacks libcap or libselinux: use those that came with it
        places = sorted({path.parent for path in (folder / "root").rglob("*.so.*")})
        search = ":".join(f"$root/{place.relative_to(folder / 'root')}" for place in places)
        _write_wrapper(folder / "bwrap", f'LD_LIBRARY_PATH="{search}"')
    return f"{version}-debian"


def _fetch(package: str, archives: Iterable[Source], folder: Path, progress: Progress) -> str:
    """Unpack a package and the libraries it needs into `folder/root`, from the first archive that has it."""
    failures = []
    for number, archive in enumerate(archives):
        workshop = folder.parent / f"{package}-apt-{number}"
        try:
            return _fetch_from(archive, package, workshop, folder / "root", progress)
        except ToolchainError as error:
            failures.append(str(error))
        finally:
            remove_tree(workshop)
    raise ToolchainError("\n".join(failures) or "apt has no source of Debian packages on this machine")


def _fetch_from(archive: Source, package: str, workshop: Path, root: Path, progress: Progress) -> str:
    apt = PrivateApt(archive, workshop)
    apt.update(progress)
    closure = apt.closure(package)
    needed = libraries_only(list(closure), besides=package)
    debs = apt.fetch(needed, workshop / "debs", progress)
    unpack(debs, root, progress)
    for name in _NOT_NEEDED:
        remove_tree(root / name)
    return _upstream(closure[package])


def _upstream(version: str) -> str:
    """`1:1.5.3+dfsg-3` -> `1.5.3`."""
    return version.rpartition(":")[2].partition("-")[0].partition("+")[0]


def _codename() -> str:
    try:
        return platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    except OSError:
        return ""


def _write_wrapper(path: Path, variables: str) -> None:
    program = path.name
    path.write_text(_WRAPPER.format(variables=variables, program=program), encoding="utf-8")
    path.chmod(0o755)


def _starts(binary: Path) -> bool:
    return subprocess.run([binary, "--version"], capture_output=True, check=False).returncode == 0
