"""The filter, looked at in three ways.

Its numbers are compared with the kernel's headers; its program runs in a small interpreter, for both
architectures; and it bites in real processes, on this machine's architecture.

Every real refusal is compared with the same attempt outside the filter, so that a call the kernel
would have refused anyway proves nothing.
"""

from __future__ import annotations

import ctypes
import errno
import faulthandler
import fcntl
import mmap
import os
import platform
import re
import resource
import signal
import socket
import struct
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from codejury.errors import SandboxError
from codejury.judge.sandbox.isolation.probe_child import install_filter
from codejury.judge.sandbox.isolation.seccomp import ALLOW, ERRNO, KILL, MACHINES, candidate_filter
from codejury.judge.sandbox.isolation.syscalls import (
    ABSENT,
    DENIED,
    INSPECTED,
    NEWEST,
    SIGNALS,
    UNWATCHED,
    parse_table,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp is a part of Linux")

TABLES = (DENIED, ABSENT, SIGNALS, UNWATCHED, INSPECTED)
ROWS = {name: row for table in TABLES for name, row in parse_table(table)}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
EPERM, ENOSYS = ERRNO | errno.EPERM, ERRNO | errno.ENOSYS
libc = ctypes.CDLL(None, use_errno=True)

only_where_it_runs = pytest.mark.skipif(
    platform.machine() not in MACHINES, reason=f"no filter for {platform.machine()}"
)


# The tables


def numbers_in(header: Path) -> dict[str, int]:
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text())
    return {name: int(number) for name, number in found if name not in ("syscalls", "arch_specific_syscall")}


@pytest.mark.parametrize("arch", HEADERS)
def test_every_number_is_the_one_in_the_kernels_header(arch: str) -> None:
    header = HEADERS[arch]
    if not header.exists():
        pytest.skip(f"{header} is not on this machine (it comes with linux-libc-dev)")
    known = numbers_in(header)
    newest_there = max(known.values())
    for name, row in ROWS.items():
        number = row[MACHINES[arch].column]
        if number is None or number <= newest_there:
            assert known.get(name) == number, name


@pytest.mark.parametrize("arch", MACHINES)
def test_no_number_stands_in_two_tables_and_none_is_newer_than_the_newest(arch: str) -> None:
    numbers = [n for row in ROWS.values() if (n := row[MACHINES[arch].column]) is not None]
    assert len(ROWS) == sum(len(list(parse_table(table))) for table in TABLES)
    assert len(set(numbers)) == len(numbers)
    assert max(numbers) <= NEWEST


def test_the_tables_name_more_than_a_hundred_calls() -> None:
    assert len(ROWS) > 100  # a table that fails to parse would otherwise pass every loop below
    assert dict(parse_table(DENIED))["fork"] == (57, None)


# The program, in an interpreter of a dozen lines


def run_filter(program: bytes, number: int, *arguments: int, arch: str) -> int:
    """What the filter answers to one system call, as the kernel would run it."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<iIQ6Q", number, MACHINES[arch].audit_arch, 0, *padded)
    return interpret(program, data)


def interpret(program: bytes, data: bytes) -> int:
    code = list(struct.iter_unpack("<HBBI", program))
    at, accumulator = 0, 0
    while True:
        operation, if_true, if_false, value = code[at]
        at += 1
        if operation == 0x06:
            return int(value)
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
            continue
        holds = {0x15: accumulator == value, 0x25: accumulator > value, 0x45: accumulator & value}
        at += if_true if holds[operation] else if_false


def rows(table: str, arch: str) -> Iterator[tuple[str, int]]:
    for name, row in parse_table(table):
        number = row[MACHINES[arch].column]
        if number is not None:
            yield name, number


def number_of(name: str, arch: str) -> int:
    number = ROWS[name][MACHINES[arch].column]
    assert number is not None
    return number


def plain(arch: str) -> bytes:
    return candidate_filter(arch, allow_signals=True, sockets="unix")


def strict(arch: str) -> bytes:
    return candidate_filter(arch, allow_signals=False, sockets="pairs", landlocked=True)


@pytest.mark.parametrize("arch", MACHINES)
def test_denied_calls_get_eperm_and_absent_ones_enosys(arch: str) -> None:
    for program in (plain(arch), strict(arch)):
        assert {run_filter(program, n, arch=arch) for _, n in rows(DENIED, arch)} == {EPERM}
        assert {run_filter(program, n, arch=arch) for _, n in rows(ABSENT, arch)} == {ENOSYS}


# Written down once more, so that a line lost from the tables is missed.
MUST_BE_DENIED = """
sync syncfs io_setup
execve execveat ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp pidfd_open
pidfd_getfd unshare setns mount umount2 pivot_root chroot mount_setattr fsopen fsconfig fsmount fspick
move_mount open_tree open_tree_attr open_by_handle_at name_to_handle_at memfd_create shmget shmat shmctl
msgget msgsnd msgrcv msgctl semget semop semtimedop semctl mq_open mq_unlink add_key request_key keyctl bpf
perf_event_open userfaultfd fanotify_init fanotify_mark lookup_dcookie personality setuid setgid setreuid
setregid setresuid setresgid setfsuid setfsgid setgroups capset lsm_set_self_attr setpriority ioprio_set
sched_setscheduler sched_setparam sched_setattr mbind set_mempolicy set_mempolicy_home_node migrate_pages
move_pages reboot kexec_load kexec_file_load init_module finit_module delete_module swapon swapoff acct
quotactl quotactl_fd syslog vhangup settimeofday clock_settime adjtimex clock_adjtime sethostname
setdomainname io_uring_setup io_uring_enter io_uring_register clone3 memfd_secret
"""


@pytest.mark.parametrize("arch", MACHINES)
@pytest.mark.parametrize("name", MUST_BE_DENIED.split())
def test_this_call_is_denied_on_every_architecture(name: str, arch: str) -> None:
    assert run_filter(plain(arch), number_of(name, arch), arch=arch) in (EPERM, ENOSYS)


@pytest.mark.parametrize("name", ["fork", "vfork", "modify_ldt", "iopl", "ioperm"])
def test_this_call_of_x86_64_alone_is_denied_there(name: str) -> None:
    assert run_filter(plain("x86_64"), number_of(name, "x86_64"), arch="x86_64") == EPERM


SIGNALLING = "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal"
BEHIND_LANDLOCKS_BACK = """
chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat setxattr lsetxattr fsetxattr setxattrat
removexattr lremovexattr fremovexattr removexattrat file_setattr truncate
"""


@pytest.mark.parametrize("name", SIGNALLING.split())
def test_signals_are_denied_only_where_asked_for(name: str) -> None:
    number = number_of(name, "x86_64")
    assert run_filter(plain("x86_64"), number, arch="x86_64") == ALLOW
    assert run_filter(strict("x86_64"), number, arch="x86_64") == EPERM


@pytest.mark.parametrize("name", BEHIND_LANDLOCKS_BACK.split())
def test_changes_that_landlock_does_not_watch_are_denied_only_where_asked_for(name: str) -> None:
    number = number_of(name, "x86_64")
    assert run_filter(plain("x86_64"), number, arch="x86_64") == ALLOW
    assert run_filter(strict("x86_64"), number, arch="x86_64") == EPERM


@pytest.mark.parametrize("arch", MACHINES)
def test_a_call_of_another_architecture_is_killed_whatever_its_number(arch: str) -> None:
    data = struct.pack("<iIQ6Q", 0, 0x40000003, 0, *(0,) * 6)  # 32-bit x86
    assert interpret(plain(arch), data) == KILL


@pytest.mark.parametrize("number", [NEWEST + 1, 0x40000000 + 39, 0x7FFFFFFF, -1])
def test_numbers_newer_than_the_tables_and_x32_ones_do_not_exist(number: int) -> None:
    for arch in MACHINES:
        assert run_filter(plain(arch), number, arch=arch) == ENOSYS


THREAD = 0x3D0F00  # what the C library passes for a new thread


@pytest.mark.parametrize("arch", MACHINES)
def test_clone_makes_threads_and_nothing_else(arch: str) -> None:
    program, clone = plain(arch), number_of("clone", arch)
    assert run_filter(program, clone, THREAD, arch=arch) == ALLOW
    assert run_filter(program, clone, signal.SIGCHLD, arch=arch) == EPERM
    for namespace in (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert run_filter(program, clone, THREAD | namespace, arch=arch) == EPERM


@pytest.mark.parametrize("arch", MACHINES)
@pytest.mark.parametrize("family", [15, 16, 17, 21, 30, 38, 40, 44])
def test_special_socket_families_are_denied(family: int, arch: str) -> None:
    assert run_filter(plain(arch), number_of("socket", arch), family, arch=arch) == EPERM


@pytest.mark.parametrize("arch", MACHINES)
def test_pairs_of_sockets_are_unix_ones(arch: str) -> None:
    for program in (plain(arch), strict(arch)):
        assert run_filter(program, number_of("socketpair", arch), socket.AF_UNIX, arch=arch) == ALLOW
        assert run_filter(program, number_of("socketpair", arch), 30, arch=arch) == EPERM  # TIPC


@pytest.mark.parametrize("arch", MACHINES)
@pytest.mark.parametrize(
    ("name", "command"), [("fcntl", 8), ("fcntl", 10), ("fcntl", 15), ("ioctl", 0x8901), ("ioctl", 0x8902)]
)
def test_telling_a_file_whom_to_signal_is_denied_with_the_signals(name: str, command: int, arch: str) -> None:
    assert run_filter(plain(arch), number_of(name, arch), 0, command, arch=arch) == ALLOW
    assert run_filter(strict(arch), number_of(name, arch), 0, command, arch=arch) == EPERM


@pytest.mark.parametrize("arch", MACHINES)
def test_the_internet_is_denied_and_unix_sockets_as_asked(arch: str) -> None:
    single = number_of("socket", arch)
    for family in (socket.AF_INET, socket.AF_INET6):
        assert run_filter(plain(arch), single, family, arch=arch) == EPERM
        assert run_filter(strict(arch), single, family, arch=arch) == EPERM
    assert run_filter(plain(arch), single, socket.AF_UNIX, arch=arch) == ALLOW
    assert run_filter(strict(arch), single, socket.AF_UNIX, arch=arch) == EPERM


@pytest.mark.parametrize("arch", MACHINES)
def test_everything_a_program_normally_does_is_allowed(arch: str) -> None:
    denied = {n for table in TABLES for _, n in rows(table, arch)}
    for program in (plain(arch), strict(arch)):
        assert {run_filter(program, n, arch=arch) for n in set(range(NEWEST + 1)) - denied} == {ALLOW}


def test_an_unknown_machine_gets_a_clear_error_not_a_wrong_filter() -> None:
    with pytest.raises(SandboxError, match="riscv64"):
        candidate_filter("riscv64", allow_signals=True, sockets="unix")


# The bite, in real processes


def outcome(attempt: Callable[[], object], program: bytes | None) -> str:
    """What became of `attempt` in a process of its own: "done", an errno's name, or "killed by N"."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns about forks beside threads; the child runs ten lines
        child = os.fork()
    if child == 0:
        faulthandler.disable()  # or it prints a page about a crash that is meant
        os.write(writer, told(attempt, program).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return text if status == 0 else f"killed by {-status}"


def told(attempt: Callable[[], object], program: bytes | None) -> str:
    try:
        if program is not None:
            install_filter(program)
        attempt()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    except BaseException:  # noqa: BLE001 - whatever it is, the child must not go on as a second pytest
        return traceback.format_exc()
    return "done"


def call(function: str, *arguments: Any) -> Callable[[], None]:
    """A call of the C library that raises as Python's own would."""

    def attempt() -> None:
        if getattr(libc, function)(*arguments) == -1:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))

    return attempt


def fork_and_wait() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def own_memory_through_the_back_door() -> None:
    target = ctypes.create_string_buffer(b"secret", 6)
    copy = ctypes.create_string_buffer(6)
    remote = (ctypes.c_size_t * 2)(ctypes.addressof(target), 6)
    local = (ctypes.c_size_t * 2)(ctypes.addressof(copy), 6)
    call("process_vm_readv", os.getpid(), local, 1, remote, 1, 0)()


def with_null(request: int) -> Callable[[], object]:
    return lambda: fcntl.ioctl(os.open("/dev/null", os.O_RDWR), request, b"x")


def name_of_a_file() -> None:
    handle = struct.pack("Ii", 128, 0) + bytes(128)
    call("name_to_handle_at", -100, b"/", handle, ctypes.byref(ctypes.c_int()), 0)()


REFUSED: dict[str, Callable[[], object]] = {
    "fork": fork_and_wait,
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "exec of a file that is not there": lambda: os.execv("/nowhere", ["nowhere"]),
    "posix_spawn": lambda: os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0),
    "ptrace": call("ptrace", 0, 0, 0, 0),
    "process_vm_readv": own_memory_through_the_back_door,
    "memfd_create": lambda: os.memfd_create("hidden"),
    "SysV shared memory": call("shmget", 0, 4096, 0o600),
    "SysV messages": call("msgget", 0, 0o600),
    "SysV semaphores": call("semget", 0, 1, 0o600),
    "message queue": call("mq_open", b"/codejury", os.O_RDONLY),
    "new user namespace": call("unshare", 0x10000000),
    "setns": call("setns", -1, 0),
    "personality": call("personality", 0xFFFFFFFF),
    "file handle": name_of_a_file,
    "own priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, 19),
    "own user id": lambda: os.setuid(os.getuid()),
    "scheduler": lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)),
    "pidfd": lambda: os.pidfd_open(os.getpid()),
    "TIOCSTI": with_null(0x5412),
    "TIOCLINUX": with_null(0x541C),
    "vsock": lambda: socket.socket(40, socket.SOCK_STREAM),
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "crypto socket": lambda: socket.socket(38, socket.SOCK_SEQPACKET),
}


@only_where_it_runs
@pytest.mark.parametrize("name", REFUSED)
def test_under_the_filter_this_is_refused(name: str) -> None:
    assert outcome(REFUSED[name], plain(platform.machine())) == "EPERM"
    assert outcome(REFUSED[name], None) != "EPERM", "the kernel refuses it anyway: this test shows nothing"


REFUSED_WITHOUT_PID_NAMESPACE: dict[str, Callable[[], object]] = {
    "kill": lambda: os.kill(os.getppid(), 0),
    "kill of oneself": lambda: os.kill(os.getpid(), 0),
    "tgkill": lambda: signal.pthread_kill(threading.get_ident(), 0),
    "signal on readable input": lambda: fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, os.getppid()),
    "SIGKILL on readable input": lambda: fcntl.fcntl(os.pipe()[0], fcntl.F_SETSIG, signal.SIGKILL),
    "owner by ioctl": lambda: fcntl.ioctl(socket.socketpair()[0], 0x8901, struct.pack("i", os.getppid())),
    "another process's limits": lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CORE),
    "another process's processors": lambda: os.sched_setaffinity(os.getppid(), os.sched_getaffinity(0)),
}


@only_where_it_runs
@pytest.mark.parametrize("name", REFUSED_WITHOUT_PID_NAMESPACE)
def test_without_a_pid_namespace_no_other_process_can_be_reached(name: str) -> None:
    attempt = REFUSED_WITHOUT_PID_NAMESPACE[name]
    arch = platform.machine()
    assert outcome(attempt, candidate_filter(allow_signals=False, sockets="unix")) == "EPERM"
    assert outcome(attempt, plain(arch)) == "done"


@only_where_it_runs
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6, socket.AF_UNIX])
def test_pairs_leave_no_socket_that_could_be_connected_to_the_host(family: int) -> None:
    def attempt() -> None:
        socket.socket(family, socket.SOCK_DGRAM)

    assert outcome(attempt, candidate_filter(allow_signals=True, sockets="pairs")) == "EPERM"
    unix = family == socket.AF_UNIX
    assert outcome(attempt, plain(platform.machine())) == ("done" if unix else "EPERM")


@only_where_it_runs
def test_a_landlocked_candidate_cannot_change_modes_of_files_it_may_not_write(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("kept")
    for attempt in (lambda: file.chmod(0), lambda: os.truncate(file, 0)):
        program = candidate_filter(allow_signals=True, sockets="unix", landlocked=True)
        assert outcome(attempt, program) == "EPERM"
    assert file.read_text() == "kept"
    assert outcome(lambda: os.truncate(file, 0), plain(platform.machine())) == "done"


@only_where_it_runs
@pytest.mark.skipif(platform.machine() != "x86_64", reason="there is no 32-bit way into other kernels")
def test_a_32_bit_system_call_kills_the_process() -> None:
    def attempt() -> None:
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, getpid; int 0x80; ret
        ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()

    if outcome(attempt, None) != "done":
        pytest.skip("this kernel has no 32-bit system calls")
    assert outcome(attempt, plain("x86_64")) == f"killed by {signal.SIGSYS}"


def ordinary_life() -> None:
    """Files, folders, memory, threads, a pair of sockets, one's own limits."""
    folder = Path(f"/tmp/codejury-{os.getpid()}")
    folder.mkdir()
    (folder / "file").write_text("text")
    (folder / "file").rename(folder / "other")
    assert (folder / "other").read_text() == "text"
    (folder / "other").unlink()
    folder.rmdir()
    mmap.mmap(-1, 1 << 20).write(b"x")
    found: list[int] = []
    threads = [threading.Thread(target=found.append, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(found) == [0, 1, 2, 3]
    ours, theirs = socket.socketpair()
    ours.send(b"x")
    assert theirs.recv(1) == b"x"
    resource.getrlimit(resource.RLIMIT_AS)
    os.sched_setaffinity(0, os.sched_getaffinity(0))
    fcntl.fcntl(ours, fcntl.F_SETFL, os.O_NONBLOCK)


@only_where_it_runs
def test_threads_files_pipes_and_memory_work_under_both_filters() -> None:
    arch = platform.machine()
    assert outcome(ordinary_life, plain(arch)) == "done"
    assert outcome(ordinary_life, strict(arch)) == "done"


@only_where_it_runs
def test_abort_ends_the_process_even_where_signals_are_denied() -> None:
    ending = outcome(os.abort, strict(platform.machine()))
    assert ending in (
        f"killed by {signal.SIGSEGV}",
        f"killed by {signal.SIGABRT}",
        f"killed by {signal.SIGILL}",
    )


@only_where_it_runs
def test_the_filter_cannot_be_replaced_by_a_kinder_one() -> None:
    def attempt() -> None:
        install_filter(struct.pack("<HBBI", 0x06, 0, 0, ALLOW))
        fork_and_wait()

    assert outcome(attempt, plain(platform.machine())) == "EPERM"
    assert outcome(attempt, None) == "done"
