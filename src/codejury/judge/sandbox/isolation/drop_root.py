"""Stop being root, then become another program.

    python drop_root.py --reveal PATH... -- COMMAND...

A bubblewrap started by root covers parts of /proc, and then no candidate could get a /proc of its
own; and root is a poor identity for a stranger's code. So a tool run as root starts bubblewrap through
this file. The identity is a user id that nobody uses.

Such a user cannot look into /root (mode 0700), where Julia may well lie. So where a folder on the way
to a `--reveal` path is closed to other users, the program gets its own view of the file system, in
which that folder holds the revealed paths and nothing else. Nobody else sees that view.

The file imports nothing of the package, so that it starts in milliseconds. Exit code 125: nothing was
started; 126: the command could not be started; otherwise the command's own.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import sys

TYPE_CHECKING = False  # importing `typing` for the real one would take longer than all the rest
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import NoReturn

CLONE_NEWNS = 0x00020000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 1 << 1, 1 << 2, 1 << 12, 1 << 14, 1 << 18

# systemd's range for services without an account: never handed out to people, and below 65536, so
# that containers usually have it.
FIRST_ID, IDS = 61184, 4336

NOT_STEPPED_DOWN, NOT_STARTED = 125, 126

_libc = ctypes.CDLL(None, use_errno=True)


def spare_id() -> int:
    """A user and group id without an account; another one for every process, as far as they go."""
    for offset in range(IDS):
        candidate = FIRST_ID + (os.getpid() + offset) % IDS
        if (
            _is_mapped(candidate, "uid_map")
            and _is_mapped(candidate, "gid_map")
            and not _has_account(candidate)
        ):
            return candidate
    raise OSError(f"no unused user id between {FIRST_ID} and {FIRST_ID + IDS - 1} in this container")


def _is_mapped(number: int, table: str) -> bool:
    """Whether the id exists in this user namespace: rows are `first here, first outside, count`."""
    with open(f"/proc/self/{table}") as rows:  # noqa: PTH123 - pathlib is a slow import
        ranges = [[int(field) for field in row.split()] for row in rows]
    return any(first <= number < first + count for first, _, count in ranges)


def _has_account(number: int) -> bool:
    try:
        pwd.getpwuid(number)
    except KeyError:
        return False
    return True


def closed_folder(path: str) -> str | None:
    """The topmost folder above `path` that other users may not pass: `/root` for `/root/julia`."""
    folder = "/"
    for part in path.split("/")[1:]:
        if not os.stat(folder).st_mode & 0o001:  # noqa: PTH116 - pathlib is a slow import
            return folder
        folder = os.path.join(folder, part)  # noqa: PTH118 - likewise
    return None


def reveal(paths: Iterable[str]) -> None:
    """Make `paths` reachable for other users, in a view of the file system of our own.

    A link is there by its own name too: a program looks for a library by the link's name.
    """
    closed: dict[str, list[str]] = {}
    for path in dict.fromkeys(name for given in paths for name in (os.path.realpath(given), given)):
        if folder := closed_folder(path):
            closed.setdefault(folder, []).append(path)
    if not closed:
        return
    _check(_libc.unshare(CLONE_NEWNS), "own view of the file system")
    _mount("none", "/", "", MS_REC | MS_PRIVATE)
    before = os.umask(0o022)
    for folder, inside in closed.items():
        _show_only(folder, sorted(inside))
    os.umask(before)


def _show_only(folder: str, paths: Sequence[str]) -> None:
    handles = [os.open(path, os.O_PATH | os.O_CLOEXEC) for path in paths]
    _mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV)
    for path, handle in zip(paths, handles, strict=True):
        source = f"/proc/self/fd/{handle}"
        _make_mount_point(path, is_folder=os.path.isdir(source))  # noqa: PTH112 - pathlib is a slow import
        _mount(source, path, "", MS_BIND | MS_REC)
        os.close(handle)


def _make_mount_point(path: str, *, is_folder: bool) -> None:
    os.makedirs(path if is_folder else os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
    if not is_folder and not os.path.exists(path):  # noqa: PTH110 - pathlib is a slow import
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


def _mount(source: str, target: str, kind: str, flags: int) -> None:
    options = b"mode=755" if kind else None
    result = _libc.mount(source.encode(), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), options)
    _check(result, f"mount on {target}")


def _check(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def step_down(paths: Sequence[str]) -> None:
    """Reveal `paths`, take on the new identity, and make sure that it can read them."""
    number = spare_id()
    reveal(paths)
    os.setgroups([])
    os.setresgid(number, number, number)
    os.setresuid(number, number, number)
    for path in paths:
        if not os.access(path, os.R_OK):
            raise OSError(f"{path} cannot be read by other users; `chmod -R o+rX` on it would allow that")


def main(arguments: Sequence[str]) -> NoReturn:
    """Step down, then become the command."""
    if arguments[:1] != ["--reveal"] or "--" not in arguments[:-1]:
        _give_up("usage: drop_root.py --reveal PATH... -- COMMAND...", NOT_STEPPED_DOWN)
    end = list(arguments).index("--")
    try:
        step_down(arguments[1:end])
    except OSError as error:
        _give_up(f"still root, so nothing was started: {error.strerror or error}", NOT_STEPPED_DOWN)
    command = list(arguments[end + 1 :])
    try:
        os.execvp(command[0], command)
    except OSError as error:
        _give_up(f"cannot start {command[0]}: {error.strerror}", NOT_STARTED)


def _give_up(message: str, code: int) -> NoReturn:
    sys.stderr.write(f"drop_root: {message}\n")
    sys.exit(code)


if __name__ == "__main__":
    main(sys.argv[1:])
