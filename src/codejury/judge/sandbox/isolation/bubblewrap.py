"""The command line that starts a program inside bubblewrap, with nothing of the host but what it needs.

Inside there is: the given paths, read-only; a /proc with the sandbox's own processes; a minimal /dev;
an empty, size-limited /tmp and /dev/shm, the only places that can be written; no network (setting up
packages has more of both); no capability; the given environment and no other variable. Descriptors passed
by `Popen(pass_fds=...)` arrive under their numbers.

Start it with `Popen(env={})`: bubblewrap's own first process keeps the environment it was started
with, and shows it in /proc/1/environ to all inside.

`--die-with-parent` is the kernel's parent-death signal: it comes when the *thread* that called Popen
ends, so start bubblewrap from a thread that outlives the sandbox.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TMP: Final = Path("/tmp")
STEP_DOWN: Final = Path(__file__).with_name("drop_root.py")

NAMESPACES: Final = ("--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000")
LIFETIME: Final = ("--die-with-parent", "--new-session")
# bubblewrap builds its own / and /dev in memory, and leaves them writable unless told.
SEALED: Final = ("--remount-ro", "/dev", "--remount-ro", "/")
UNPRIVILEGED: Final = ("--cap-drop", "ALL", "--hostname", "sandbox")

# What a dynamically linked program needs to start, and to know the time zone.
_SYSTEM_PATHS: Final = (
    "/usr/lib",
    "/usr/lib64",
    "/lib",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/localtime",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A folder of ours, and where it is seen inside."""

    ours: Path
    inside: Path
    writable: bool

    @property
    def words(self) -> tuple[str, str, str]:
        return "--bind" if self.writable else "--ro-bind", str(self.ours.resolve()), str(self.inside)


def system_paths() -> tuple[Path, ...]:
    """The system's libraries, as far as they exist here; no programs, no settings, no homes."""
    return tuple(path for name in _SYSTEM_PATHS if (path := Path(name)).exists())


def must_step_down() -> bool:
    """Whether this is the real root, who must become somebody else first.

    The "root" of a container without real privileges is an ordinary user of the host, and often has
    nobody to step down to.
    """
    if os.geteuid() != 0:
        return False
    rows = Path("/proc/self/uid_map").read_text().splitlines()
    return any(row.split()[:2] == ["0", "0"] for row in rows)


def bubblewrap_command(
    bwrap: Path,
    *,
    readonly: Sequence[Path],
    tmp_mb: int,
    environment: Mapping[str, str],
    command: Sequence[str],
    step_down: bool,
    scratch: Path = TMP,
    mounts: Sequence[Mount] = (),
    network: bool = False,
) -> list[str]:
    """The arguments for Popen. `readonly` are absolute paths; they appear inside under the same names.

    `scratch` is the folder that can be written to, beside /dev/shm. Where it is not /tmp, /tmp cannot.

    `mounts` are further folders of ours. `network` lets it reach what we can reach. Both are for setting up
    packages, and never for a candidate.

    `step_down` (see `must_step_down`) becomes an unprivileged user first, who then needs to be able
    to read `readonly`; folders above them that are closed to others do not matter.
    """
    program = bwrap.resolve()
    revealed = [program, *(path.resolve() for path in (*readonly, *(mount.ours for mount in mounts)))]
    return [
        *(_step_down_and_see(revealed) if step_down else ()),
        str(program),
        *NAMESPACES,
        *(("--share-net",) if network else ()),
        *LIFETIME,
        *("--proc", "/proc", "--dev", "/dev"),
        # --size is about the next --tmpfs only.
        *("--size", str(tmp_mb << 20), "--tmpfs", str(TMP)),
        *("--size", str(tmp_mb << 20), "--tmpfs", "/dev/shm"),
        *(() if scratch == TMP else ("--size", str(tmp_mb << 20), "--tmpfs", str(scratch))),
        # After the tmpfs, or paths below /tmp would be hidden by it.
        *_binds(list(dict.fromkeys(readonly))),
        *(word for mount in mounts for word in mount.words),
        *(() if scratch == TMP else ("--remount-ro", str(TMP))),
        *SEALED,
        "--clearenv",
        *(word for name, value in environment.items() for word in ("--setenv", name, value)),
        *UNPRIVILEGED,
        *("--chdir", str(scratch)),
        "--",
        *command,
    ]


def _step_down_and_see(paths: Sequence[Path]) -> list[str]:
    return [sys.executable, "-I", "-S", str(STEP_DOWN), "--reveal", *map(str, paths), "--"]


def _binds(readonly: Sequence[Path]) -> Iterator[str]:
    """A link straight into another of the paths stays a link (`/lib` -> `usr/lib`); all else is bound.

    Links first, then from the root downwards: a path may lie behind a link or inside another path.
    """
    links = [path for path in readonly if path.is_symlink() and _leads_into(path, readonly)]
    for link in links:
        yield from ("--symlink", str(link.readlink()), str(link))
    for path in sorted(set(readonly).difference(links), key=lambda path: (len(path.parts), path)):
        # Resolved here: after stepping down, a link in a closed folder could not be read any more.
        yield from ("--ro-bind", str(path.resolve()), str(path))


def _leads_into(link: Path, folders: Sequence[Path]) -> bool:
    """Whether it ends there at once: of a chain (by /etc/alternatives) the rest may not be inside."""
    target = Path(os.path.normpath(link.parent / link.readlink()))
    lies_in_one = any(target.is_relative_to(folder) for folder in folders if not folder.is_symlink())
    return lies_in_one and not target.is_symlink()
