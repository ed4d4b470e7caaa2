"""The system calls a candidate may not make, as a program for the kernel's own filter machine.

    a foreign architecture's call          the process is killed
    ABSENT, and whatever is newer than us  ENOSYS: callers fall back, as on an older kernel
    DENIED                                 EPERM
    SIGNALS, where asked for               EPERM: for levels where other processes can be named
    UNWATCHED, where asked for             EPERM: for Landlock, which does not look at these
    clone, ioctl, fcntl, socket ...        by their arguments
    everything else                        allowed

The filter is a list of denials, not of permissions: it stands behind namespaces or Landlock, and
Julia's own needs differ from version to version. Numbers unknown to the table are denied all the same.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from ....errors import SandboxError
from .syscalls import ABSENT, DENIED, INSPECTED, NEWEST, SIGNALS, UNWATCHED, numbers, parse_table

Sockets = Literal["unix", "pairs"]

CLONE_THREAD: Final = 0x00010000
CLONE_NEW_ANY: Final = 0x7E020080  # mnt, cgroup, uts, ipc, user, pid, net, time
TIOCSTI, TIOCLINUX = 0x5412, 0x541C  # both type into the terminal
F_SETOWN, F_SETSIG, F_SETOWN_EX = 8, 10, 15
FIOSETOWN, SIOCSPGRP = 0x8901, 0x8902
AF_UNIX = 1


@dataclass(frozen=True, slots=True)
class _Machine:
    column: int
    """Its column in the tables."""
    audit_arch: int


MACHINES: Final = {"x86_64": _Machine(0, 0xC000003E), "aarch64": _Machine(1, 0xC00000B7)}


def candidate_filter(
    arch: str | None = None, *, allow_signals: bool, sockets: Sockets, landlocked: bool = False
) -> bytes:
    """The filter for a candidate's process, ready for `prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER)`.

    `allow_signals=False` is for levels without a pid namespace of the candidate's own. It denies
    every way to reach another process by number, one's own included: `abort()` still ends the
    process, by SIGSEGV instead of SIGABRT.

    `sockets="unix"` leaves UNIX sockets, for levels with a network of their own. Internet sockets are
    denied there too: candidates share that network one after the other, and its counters and the ports
    that it keeps for a while would tell one about another.
    `"pairs"` leaves pairs of UNIX sockets: a single one could be connected to the host's
    services (D-Bus starts programs for whoever asks), which Landlock does not prevent.

    `landlocked=True` denies changes to files that Landlock does not watch.
    """
    machine = _machine(arch)
    return _assemble(
        [
            *_foreign_architecture(machine),
            *_newer_than_us(),
            *_on_numbers(numbers(ABSENT, machine.column), errno.ENOSYS),
            *_on_numbers(numbers(DENIED, machine.column), errno.EPERM),
            *(_on_numbers(numbers(UNWATCHED, machine.column), errno.EPERM) if landlocked else ()),
            *(() if allow_signals else _on_numbers(numbers(SIGNALS, machine.column), errno.EPERM)),
            *_on_arguments(machine, _rules(allow_signals=allow_signals, sockets=sockets)),
            _return(ALLOW),
        ]
    )


def _machine(arch: str | None) -> _Machine:
    name = arch or platform.machine()
    try:
        return MACHINES[name]
    except KeyError:
        raise SandboxError(f"no seccomp filter for {name!r}; there are {', '.join(MACHINES)}") from None


# The assembler. A "test" is a piece that goes on to the next instruction if the test holds, and
# past it if not; so a test followed by a return is a rule.


class Instruction(NamedTuple):
    """One `struct sock_filter`; jumps count from the next instruction."""

    code: int
    if_true: int
    if_false: int
    value: int


LOAD, JUMP_IF_EQUAL, JUMP_IF_GREATER, JUMP_IF_ANY_BIT, RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
KILL, ERRNO, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000

# Offsets in `struct seccomp_data`, little-endian.
NUMBER_AT, ARCH_AT, ARGUMENTS_AT = 0, 4, 16


def _assemble(program: Iterable[Instruction]) -> bytes:
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)


def _return(action: int) -> Instruction:
    return Instruction(RETURN, 0, 0, action)


def _load(offset: int) -> Instruction:
    return Instruction(LOAD, 0, 0, offset)


def _load_argument(index: int) -> Instruction:
    """The lower half: every argument we look at is 32 bits wide for the kernel too."""
    return _load(ARGUMENTS_AT + 8 * index)


def _is_one_of(values: Sequence[int]) -> list[Instruction]:
    last = len(values) - 1
    return [Instruction(JUMP_IF_EQUAL, last - i, int(i == last), v) for i, v in enumerate(values)]


def _is_none_of(values: Sequence[int]) -> list[Instruction]:
    return [Instruction(JUMP_IF_EQUAL, len(values) - i, 0, v) for i, v in enumerate(values)]


def _has_any_bit(mask: int) -> list[Instruction]:
    return [Instruction(JUMP_IF_ANY_BIT, 0, 1, mask)]


def _has_no_bit(mask: int) -> list[Instruction]:
    return [Instruction(JUMP_IF_ANY_BIT, 1, 0, mask)]


def _foreign_architecture(machine: _Machine) -> list[Instruction]:
    """The same number is another call there: 32-bit `execve` is 64-bit `munmap`."""
    return [_load(ARCH_AT), *_is_none_of([machine.audit_arch]), _return(KILL), _load(NUMBER_AT)]


def _newer_than_us() -> list[Instruction]:
    """Includes the x32 numbers, which are the x86_64 ones plus 2**30."""
    return [Instruction(JUMP_IF_GREATER, 0, 1, NEWEST), _return(ERRNO | errno.ENOSYS)]


def _on_numbers(denied: Sequence[int], error: int) -> list[Instruction]:
    return [*_is_one_of(denied), _return(ERRNO | error)]


class _Rule(NamedTuple):
    """Deny the call `name` if the test holds for its argument."""

    name: str
    argument: int
    test: list[Instruction]


def _rules(*, allow_signals: bool, sockets: Sockets) -> Iterator[_Rule]:
    yield _Rule("clone", 0, _has_no_bit(CLONE_THREAD))
    yield _Rule("clone", 0, _has_any_bit(CLONE_NEW_ANY))
    yield _Rule("ioctl", 1, _is_one_of([TIOCSTI, TIOCLINUX]))
    # Not a list of bad families: most are kernel code nobody looks at, and vsock ignores namespaces.
    families = [AF_UNIX] if sockets == "unix" else []
    yield _Rule("socket", 0, _is_none_of(families))
    yield _Rule("socketpair", 0, _is_none_of([AF_UNIX]))
    if not allow_signals:
        # A file can be told to send any signal, SIGKILL too, to any process when it becomes readable.
        yield _Rule("fcntl", 1, _is_one_of([F_SETOWN, F_SETSIG, F_SETOWN_EX]))
        yield _Rule("ioctl", 1, _is_one_of([FIOSETOWN, SIOCSPGRP]))
        # 0 is oneself. A processor-time limit of zero on another process kills it.
        yield _Rule("prlimit64", 0, _is_none_of([0]))
        yield _Rule("sched_setaffinity", 0, _is_none_of([0]))


def _on_arguments(machine: _Machine, rules: Iterable[_Rule]) -> Iterator[Instruction]:
    inspected = dict(parse_table(INSPECTED))
    for rule in rules:
        number = inspected[rule.name][machine.column]
        assert number is not None  # INSPECTED has no holes: every one of them exists on both
        body = [_load_argument(rule.argument), *rule.test, _return(ERRNO | errno.EPERM), _load(NUMBER_AT)]
        yield Instruction(JUMP_IF_EQUAL, 0, len(body), number)
        yield from body
