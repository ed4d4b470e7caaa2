"""What a candidate's process goes through, tried once to see whether it works on this machine.

    python trial.py [--nested] FILTER

With `--nested`, meant to be run inside bubblewrap: own user, pid, mount and ipc namespaces, a private
/tmp and /dev/shm, and a /proc that shows nobody else. Then, always: the seccomp filter FILTER (in hex)
is installed and must refuse a fork. Exit code 42 if all of it worked (0 is what a program says that
never tried), else 1 and one line about the first thing that did not. The file imports nothing of the
package, so that it runs anywhere.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

TYPE_CHECKING = False  # importing `typing` for the real one would take longer than all the rest
if TYPE_CHECKING:
    from collections.abc import Sequence

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID = 0x00020000, 0x08000000, 0x10000000, 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER_MODE = 22, 38, 2

HELD, BROKE = 42, 1

_libc = ctypes.CDLL(None, use_errno=True)


def install_filter(program: bytes) -> None:
    """Put this process under a seccomp filter, for good. OSError if the kernel refuses."""
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    _check(_libc.prctl(PR_SET_SECCOMP, FILTER_MODE, header, 0, 0), "seccomp filter")


def become_first_process() -> int:
    """Enter own namespaces as the fork server's children do: 0 in the new child, its pid outside."""
    user, group = os.getuid(), os.getgid()
    flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC
    _check(_libc.unshare(flags), "nested user namespace")
    _put("/proc/self/setgroups", "deny")
    _put("/proc/self/uid_map", f"{user} {user} 1\n")
    _put("/proc/self/gid_map", f"{group} {group} 1\n")
    return os.fork()


def mount_private_folders() -> None:
    flags = MS_NOSUID | MS_NODEV
    _mount("tmpfs", "/tmp", flags, b"size=1m,nr_inodes=10")
    _mount("tmpfs", "/dev/shm", flags | MS_NOEXEC, b"size=1m,nr_inodes=10")
    _mount("proc", "/proc", flags | MS_NOEXEC, b"")
    if [name for name in os.listdir("/proc") if name.isdigit()] != ["1"]:  # noqa: PTH208 - pathlib is slow
        raise OSError("private /proc: it shows other processes")


def refuses_a_fork() -> bool:
    try:
        child = os.fork()
    except PermissionError:
        return True
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return False


def _put(path: str, text: str) -> None:
    target = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(target, text.encode())
    finally:
        os.close(target)


def _mount(kind: str, target: str, flags: int, options: bytes) -> None:
    name = kind.encode()
    result = _libc.mount(name, target.encode(), name, ctypes.c_ulong(flags), options)
    _check(result, f"private {target}")


def _check(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def main(arguments: Sequence[str]) -> int:
    """Go through it; the exit code."""
    try:
        if arguments[0] == "--nested":
            if child := become_first_process():
                return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            mount_private_folders()
        install_filter(bytes.fromhex(arguments[-1]))
    except OSError as error:
        sys.stderr.write(f"{error.strerror or error}\n")
        return BROKE
    if refuses_a_fork():
        return HELD
    sys.stderr.write("seccomp filter: it was installed, but a fork was not refused\n")
    return BROKE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
