"""Programs inside a real bubblewrap: what they see of the host, what they can change, when they end."""

from __future__ import annotations

import os
import select
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from codejury.judge.sandbox.isolation.bubblewrap import (
    STEP_DOWN,
    bubblewrap_command,
    must_step_down,
    system_paths,
)
from codejury.judge.sandbox.isolation.drop_root import FIRST_ID, IDS, closed_folder
from codejury.judge.toolchain.find import find_bubblewrap
from codejury.settings import load_settings

PYTHON = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
PREFIX = Path(sys.base_prefix).resolve()
PYTHON_PATHS = [PYTHON] if str(PREFIX) == "/usr" else [PREFIX]
needs_root = pytest.mark.skipif(not must_step_down(), reason="only root has somebody to step down to")


@pytest.fixture(scope="module")
def bwrap() -> Path:
    found = find_bubblewrap(load_settings())
    if found is None:
        pytest.skip("bubblewrap is not installed (`codejury setup` does it)")
    # By hand, not by our own command: a mistake in that must fail, not skip.
    by_hand = [str(found), "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]
    tried = subprocess.run([*by_hand, "/bin/sh", "-c", ":"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"bubblewrap does not work on this machine: {tried.stderr.strip()}")
    return found


def inside(
    bwrap: Path,
    code: str,
    *arguments: str,
    readonly: Sequence[Path] = (),
    tmp_mb: int = 4,
    environment: Mapping[str, str] | None = None,
    step_down: bool | None = None,
) -> list[str]:
    """The command that runs Python code inside."""
    return bubblewrap_command(
        bwrap,
        readonly=[*system_paths(), *PYTHON_PATHS, *readonly],
        tmp_mb=tmp_mb,
        environment=environment or {},
        command=[str(PYTHON), "-I", "-S", "-c", code, *arguments],
        step_down=must_step_down() if step_down is None else step_down,
    )


def run(command: Sequence[str], env: Mapping[str, str] | None = None, fds: Sequence[int] = ()) -> str:
    """What the command said; it must have ended well."""
    result = subprocess.run(
        command, env=env or {}, capture_output=True, text=True, timeout=60, check=False, pass_fds=fds
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


# What can be changed

# Every mount, and every folder of those in memory; the others are a whole /usr/lib each.
WRITABLE_FOLDERS = """
import os
def plant(folder):
    try:
        os.close(os.open(folder + "/planted", os.O_CREAT | os.O_WRONLY))
        print(folder)
    except OSError:
        pass
for line in open("/proc/self/mounts"):
    _, top, kind, _ = line.split(maxsplit=3)
    if kind != "tmpfs":
        plant(top)
        continue
    for folder, below, _ in os.walk(top):
        plant(folder)
        below[:] = [name for name in below if not os.path.ismount(os.path.join(folder, name))]
"""


def test_nothing_can_be_written_but_tmp_and_dev_shm(bwrap: Path, tmp_path: Path) -> None:
    shared = open_to_all(tmp_path / "shared")
    found = run(inside(bwrap, WRITABLE_FOLDERS, readonly=[shared])).splitlines()
    # Folders that had to be made on the way to a path below /tmp are part of the sandbox's own /tmp.
    scratch = {str(folder) for folder in shared.parents}
    assert set(found) - scratch == {"/dev/shm"}
    assert "/tmp" in found
    assert list(shared.iterdir()) == []


def test_a_file_that_anybody_may_write_cannot_be_written_from_inside(bwrap: Path, tmp_path: Path) -> None:
    shared = open_to_all(tmp_path / "shared")
    file = shared / "file"
    file.write_text("kept")
    file.chmod(0o666)
    code = "import sys; print(open(sys.argv[1]).read()); open(sys.argv[1], 'w')"
    result = subprocess.run(
        inside(bwrap, code, str(file), readonly=[shared]), env={}, capture_output=True, text=True, check=False
    )
    assert result.stdout == "kept\n"
    assert "Read-only file system" in result.stderr
    assert file.read_text() == "kept"


def open_to_all(folder: Path) -> Path:
    folder.mkdir()
    folder.chmod(0o777)
    return folder


FILL = """
import sys
written = 0
try:
    with open(sys.argv[1] + "/filler", "wb", buffering=0) as file:
        while written < 32 << 20:
            written += file.write(bytes(1 << 18))
except OSError as error:
    print(error.strerror, end=" ")
print(written / (1 << 20))
"""


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
@pytest.mark.parametrize("megabytes", [2, 8])
def test_the_scratch_holds_what_was_granted_and_no_more(bwrap: Path, folder: str, megabytes: int) -> None:
    said = run(inside(bwrap, FILL, folder, tmp_mb=megabytes))
    assert said == f"No space left on device {float(megabytes)}"


def test_two_sandboxes_do_not_share_their_scratch(bwrap: Path) -> None:
    code = "import os; print(os.listdir('/tmp'), os.getcwd()); open('/tmp/left', 'w')"
    assert [run(inside(bwrap, code)) for _ in range(2)] == ["[] /tmp", "[] /tmp"]


# What can be seen


def test_only_the_given_environment_is_visible(bwrap: Path) -> None:
    code = """if True:
        import os
        print(sorted(set(os.environ) - {"LC_CTYPE"}))  # Python's own addition
        for pid in filter(str.isdigit, os.listdir("/proc")):
            print(open(f"/proc/{pid}/environ").read())
        """
    seen = run(inside(bwrap, code, environment={"GIVEN": "value with spaces"}))
    assert seen.splitlines()[0] == "['GIVEN', 'PWD']"
    assert "GIVEN=value with spaces" in seen
    assert "PATH=" not in seen


def test_a_secret_of_the_host_is_not_in_the_environment_inside(bwrap: Path) -> None:
    code = "import os; print(os.environ)"
    assert "s3cret" not in run(inside(bwrap, code), env={"SECRET": "s3cret"})


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "/etc/shadow", "/etc/hostname", "/home", "/var", "/sys", "/usr/bin/env", "/usr/share"],
)
def test_this_part_of_the_host_is_absent(bwrap: Path, path: str) -> None:
    code = "import os, sys; print(os.path.lexists(sys.argv[1]))"
    assert run(inside(bwrap, code, path)) == "False"


def test_a_file_of_the_user_is_absent_unless_it_is_given(bwrap: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.write_text("alive")
    code = "import os, sys; print(os.path.exists(sys.argv[1]))"
    assert run(inside(bwrap, code, str(canary))) == "False"
    assert run(inside(bwrap, code, str(canary), readonly=[canary])) == "True"


def test_there_are_no_processes_but_its_own(bwrap: Path) -> None:
    code = "import os; print(len([name for name in os.listdir('/proc') if name.isdigit()]), os.getpid())"
    assert run(inside(bwrap, code)) == "2 2"  # bubblewrap's own first process, and this one


def test_the_only_network_interface_is_a_loopback_of_its_own(bwrap: Path) -> None:
    names = "import socket; print([name for _, name in socket.if_nameindex()])"
    connect = "import socket, sys; print(socket.socket().connect_ex(('127.0.0.1', int(sys.argv[1]))) != 0)"
    assert run(inside(bwrap, names)) == "['lo']"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        assert run(inside(bwrap, connect, port)) == "True"
        assert run([sys.executable, "-c", connect, port]) == "False"


def test_an_abstract_socket_of_the_host_cannot_be_reached(bwrap: Path) -> None:
    name = f"codejury-{os.getpid()}"
    code = "import socket, sys; print(socket.socket(socket.AF_UNIX).connect_ex('\\0' + sys.argv[1]) != 0)"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0{name}")
        server.listen()
        assert run(inside(bwrap, code, name)) == "True"
        assert run([sys.executable, "-c", code, name]) == "False"


def test_the_hosts_name_is_hidden(bwrap: Path) -> None:
    assert run(inside(bwrap, "import socket; print(socket.gethostname())")) == "sandbox"


def test_links_into_other_given_paths_stay_links_and_others_are_followed(bwrap: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").write_text("text")
    inward, outward = tmp_path / "inward", tmp_path / "outward"
    inward.symlink_to("folder")
    outward.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_text("followed")
    code = """if True:
        import os, sys
        inward, outward = sys.argv[1:]
        print(os.path.islink(inward), os.listdir(inward), os.path.islink(outward), open(outward).read())
        """
    said = run(inside(bwrap, code, str(inward), str(outward), readonly=[folder, inward, outward]))
    assert said == "True ['file'] False followed"


def test_a_link_by_way_of_one_that_is_not_given_leads_to_its_end(bwrap: Path, tmp_path: Path) -> None:
    """As `libblas.so.3` does, by way of /etc/alternatives."""
    folder, library = tmp_path / "folder", tmp_path / "libblas.so.3"
    folder.mkdir()
    (folder / "libblas.so").write_text("a library")
    (tmp_path / "alternative").symlink_to(folder / "libblas.so")
    library.symlink_to(tmp_path / "alternative")
    code = "import sys; print(open(sys.argv[1]).read())"
    assert run(inside(bwrap, code, str(library), readonly=[library, folder])) == "a library"


def test_given_paths_may_lie_in_each_other_and_behind_links_in_any_order(bwrap: Path, tmp_path: Path) -> None:
    folder, link = tmp_path / "folder", tmp_path / "link"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "file").write_text("text")
    link.symlink_to("folder")
    given = [link / "inner" / "file", folder / "inner", link, folder]
    code = "import sys; print(*(open(path + '/inner/file').read() for path in sys.argv[1:]))"
    for readonly in (given, given[::-1]):
        assert run(inside(bwrap, code, str(folder), str(link), readonly=readonly)) == "text text"


# What it may do


def test_it_is_an_unprivileged_user_who_can_become_nobody_else(bwrap: Path) -> None:
    code = "import os; print(os.getuid(), os.getgid(), open('/proc/self/status').read())"
    said = run(inside(bwrap, code))
    facts = dict(line.split(":\t", 1) for line in said.splitlines() if ":\t" in line)
    assert said.startswith("1000 1000 ")
    assert {facts[name].strip("0") for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {""}
    assert facts["NoNewPrivs"] == "1"


def test_it_has_a_session_of_its_own_and_so_no_terminal(bwrap: Path) -> None:
    # A session that began outside has the number 0 in here.
    assert run(inside(bwrap, "import os; print(os.getsid(0) != 0)")) == "True"


def test_passed_descriptors_arrive_under_their_numbers_and_exit_codes_come_back(bwrap: Path) -> None:
    reader, writer = os.pipe()
    code = "import os, sys; os.write(int(sys.argv[1]), b'hello'); sys.exit(9)"
    result = subprocess.run(inside(bwrap, code, str(writer)), env={}, pass_fds=[writer], check=False)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        assert pipe.read() == "hello"
    assert result.returncode == 9


# When it ends

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
os.write(int(sys.argv[1]), b".")
time.sleep(600)
"""


def test_all_processes_inside_end_with_the_process_that_started_bubblewrap(bwrap: Path) -> None:
    reader, writer = os.pipe()
    starter = "import subprocess, sys; subprocess.run(sys.argv[2:], pass_fds=[int(sys.argv[1])])"
    command = inside(bwrap, DAEMON, str(writer))
    parent = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", starter, str(writer), *command], env={}, pass_fds=[writer]
    )
    os.close(writer)
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        assert pipe.read(1) + pipe.read(1) == b".."  # both processes inside are running
        parent.kill()
        parent.wait()
        ended, _, _ = select.select([pipe], [], [], 20)
        assert ended, "somebody inside still holds the pipe"
        assert pipe.read(1) == b""


# Stepping down


@needs_root
def test_run_by_root_it_is_some_unused_user_and_without_that_root_itself(bwrap: Path) -> None:
    code = "import os, sys, time; os.write(1, b'.'); sys.stdin.read()"
    owners = []
    for step_down in (True, False):
        command = inside(bwrap, code, step_down=step_down)
        with subprocess.Popen(command, env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.read(1) == b"."
            owners.append(Path(f"/proc/{process.pid}").stat().st_uid)
    assert owners[0] in range(FIRST_ID, FIRST_ID + IDS)
    assert owners[1] == 0


@needs_root
def test_folders_closed_to_others_above_a_given_path_do_not_matter(bwrap: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    given = closed / "deep" / "given"
    given.mkdir(parents=True)
    (given / "file").write_text("text")
    (closed / "private").write_text("not for you")
    closed.chmod(0o700)
    before = Path("/proc/self/mounts").read_text()
    code = "import os, sys; print(open(sys.argv[1] + '/file').read(), os.listdir(sys.argv[2]))"
    said = run(inside(bwrap, code, str(given), str(closed), readonly=[given]))
    assert said == "text ['deep']"
    assert sorted(path.name for path in closed.iterdir()) == ["deep", "private"]
    assert Path("/proc/self/mounts").read_text() == before


@needs_root
def test_the_stepped_down_user_sees_nothing_else_in_a_closed_folder(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    (closed / "given").mkdir(parents=True)
    (closed / "private").write_text("not for you")
    closed.chmod(0o700)
    said = run(stepped_down(["/bin/ls", str(closed)], reveal=[closed / "given"]))
    assert said == "given"


@needs_root
def test_a_link_in_a_closed_folder_is_there_by_its_own_name_too(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "library.so.1").write_text("a library")
    (closed / "library.so").symlink_to("library.so.1")
    closed.chmod(0o700)
    link = closed / "library.so"
    assert run(stepped_down(["/bin/cat", str(link)], reveal=[link])) == "a library"


@needs_root
def test_a_path_that_others_cannot_read_is_named_and_nothing_is_started(tmp_path: Path) -> None:
    unreadable = tmp_path / "unreadable"
    unreadable.mkdir(mode=0o700)
    result = subprocess.run(
        stepped_down(["/bin/echo", "started"], reveal=[unreadable]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stdout) == (125, "")
    assert str(unreadable) in result.stderr
    assert "chmod" in result.stderr


@needs_root
def test_after_stepping_down_there_are_no_groups_no_capabilities_and_no_way_back() -> None:
    code = "import os; print(os.getgroups(), os.getresuid()[0] == os.getresuid()[2]); os.setuid(0)"
    python = [str(PYTHON), "-I", "-S", "-c", code]
    result = subprocess.run(
        stepped_down(python, reveal=[PREFIX]),
        capture_output=True,
        text=True,
        check=False,
        extra_groups=[0, 4],
    )
    assert result.stdout == "[] True\n"
    assert "PermissionError" in result.stderr


def test_an_ordinary_user_who_steps_down_starts_nothing() -> None:
    if os.geteuid() == 0:
        pytest.skip("this is about ordinary users")
    result = subprocess.run(
        stepped_down(["/bin/echo", "started"], reveal=[]), capture_output=True, check=False
    )
    assert (result.returncode, result.stdout) == (125, b"")


@pytest.mark.parametrize("arguments", [[], ["--reveal", "/"], ["--reveal", "/", "--"], ["--", "/bin/echo"]])
def test_stepping_down_without_a_command_says_how_it_is_used(arguments: list[str]) -> None:
    command = [sys.executable, "-I", "-S", str(STEP_DOWN), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 125
    assert "usage" in result.stderr


def stepped_down(command: Sequence[str], *, reveal: Sequence[Path]) -> list[str]:
    return [sys.executable, "-I", "-S", str(STEP_DOWN), "--reveal", *map(str, reveal), "--", *command]


def test_the_topmost_closed_folder_is_found(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if not folder.stat().st_mode & stat.S_IXOTH:
            expected = str(folder)  # pytest's own folders are closed to others
    tmp_path.chmod(0o755)
    assert closed_folder("/usr/lib") is None
    if not any(not folder.stat().st_mode & stat.S_IXOTH for folder in tmp_path.parents):
        tmp_path.chmod(0o700)
        expected = str(tmp_path)
    assert closed_folder(str(tmp_path / "a" / "b")) == expected


def test_signals_sent_to_bubblewrap_end_the_program_inside(bwrap: Path) -> None:
    reader, writer = os.pipe()
    process = subprocess.Popen(inside(bwrap, DAEMON, str(writer)), env={}, pass_fds=[writer])
    os.close(writer)
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        assert pipe.read(1) + pipe.read(1) == b".."
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        ended, _, _ = select.select([pipe], [], [], 20)
        assert ended
        assert pipe.read(1) == b""
