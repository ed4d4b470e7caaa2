"""Give up the file system, TCP and other processes by Landlock, then become another program.

    python landlock.py --read PATH... --write PATH... -- COMMAND...

reads and runs below `--read`, works freely below `--write`, and sees every other file refused. The
command gets the environment and all open descriptors as they are. The file imports nothing of the
package, so that it starts in milliseconds.

Fails closed: without Landlock nothing is started. Exit code 125: not restricted, hence not started;
126: restricted, but the command could not be started; otherwise the command's own.

    ABI  1  files            4  TCP                  9  named UNIX sockets
         2  moves            5  ioctl on devices    10  UDP
         3  truncation       6  signals, abstract UNIX sockets
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

TYPE_CHECKING = False  # importing `typing` for the real one would take longer than all the rest
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

# Numbers and bits are the same on every architecture.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_DIR, REMOVE_FILE = 1 << 4, 1 << 5
MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, MAKE_SYM = (1 << bit for bit in range(6, 13))
REFER, TRUNCATE, IOCTL_DEV, RESOLVE_UNIX = 1 << 13, 1 << 14, 1 << 15, 1 << 16

READING = EXECUTE | READ_FILE | READ_DIR
# No devices, no sockets, and nothing that was written is run.
WRITING = READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE
WRITING |= MAKE_DIR | MAKE_REG | MAKE_FIFO | MAKE_SYM | REFER
ON_A_FILE = EXECUTE | READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV

NOT_RESTRICTED, NOT_STARTED = 125, 126
LAST_CAPABILITY = 63

_libc = ctypes.CDLL(None, use_errno=True)


def landlock_abi() -> int:
    """The version of Landlock this kernel offers; 0 if it has none, or it is switched off."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, int(_libc.syscall(CREATE_RULESET, None, 0, 1)))


def make_ruleset(read: Sequence[str], write: Sequence[str]) -> int:
    """A descriptor of the rules; whoever holds it can restrict itself. OSError if that cannot be done."""
    abi = landlock_abi()
    if abi < 1:
        raise OSError("this kernel has no Landlock, or it is switched off")
    files, network, scopes = handled_rights(abi)
    ruleset = _call(CREATE_RULESET, *_buffer(struct.pack("=QQQ", files, network, scopes), abi), 0)
    for paths, rights in ((read, READING), (write, WRITING)):
        for path in paths:
            _allow(ruleset, path, rights & files)
    return ruleset


def restrict(read: Sequence[str], write: Sequence[str]) -> None:
    """Restrict this process, for good. OSError if anything of it cannot be done."""
    ruleset = make_ruleset(read, write)
    _drop_capabilities()
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    _call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def handled_rights(abi: int) -> tuple[int, int, int]:
    """Everything this ABI can deny: rights on files, on the network, and scopes."""
    files = MAKE_SYM * 2 - 1
    for since, right in ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV), (9, RESOLVE_UNIX)):
        files |= right if abi >= since else 0
    network = 0b1111 if abi >= 10 else 0b11 if abi >= 4 else 0
    return files, network, 0b11 if abi >= 6 else 0


def _buffer(attributes: bytes, abi: int) -> tuple[ctypes.Array[ctypes.c_char], int]:
    """The attributes and how many bytes of them this kernel knows."""
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    return ctypes.create_string_buffer(attributes, 24), size


def _allow(ruleset: int, path: str, rights: int) -> None:
    target = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not os.path.isdir(path):  # noqa: PTH112 - pathlib is a slow import
            rights &= ON_A_FILE
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, target), 12)
        _call(ADD_RULE, ruleset, 1, rule, 0)
    finally:
        os.close(target)


def _drop_capabilities() -> None:
    """For a tool run as root: Landlock does not hold back what capabilities allow beside files."""
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0), 8)
    for capability in range(LAST_CAPABILITY + 1):
        _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # refused to ordinary users, who have none
    if _libc.capset(header, ctypes.create_string_buffer(24)) != 0:
        raise OSError(ctypes.get_errno(), "cannot drop capabilities")


def _call(number: int, *arguments: object) -> int:
    longs = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = int(_libc.syscall(ctypes.c_long(number), *longs))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{os.strerror(code)} (system call {number})")
    return result


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option} refused")


def parse_arguments(arguments: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """`--read a b --write c -- d e` -> `([a, b], [c], [d, e])`; ValueError if it makes no sense."""
    if "--" not in arguments:
        raise ValueError("no `--` before the command")
    end = arguments.index("--")
    lists: dict[str, list[str]] = {"--read": [], "--write": []}
    current = None
    for argument in arguments[:end]:
        if argument in lists:
            current = lists[argument]
        elif current is None:
            raise ValueError(f"{argument!r} stands before --read or --write")
        else:
            current.append(argument)
    command = list(arguments[end + 1 :])
    if not command:
        raise ValueError("no command after `--`")
    return lists["--read"], lists["--write"], command


def main(arguments: Sequence[str]) -> NoReturn:
    """Restrict, then become the command."""
    try:
        read, write, command = parse_arguments(arguments)
        restrict(read, write)
    except (OSError, ValueError) as error:
        _give_up(f"not restricted, so nothing was started: {error}", NOT_RESTRICTED)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        _give_up(f"cannot start {command[0]}: {error.strerror}", NOT_STARTED)


def _give_up(message: str, code: int) -> NoReturn:
    sys.stderr.write(f"landlock: {message}\n")
    sys.exit(code)


if __name__ == "__main__":
    main(sys.argv[1:])
