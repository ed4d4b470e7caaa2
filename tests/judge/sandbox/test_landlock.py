"""Landlock in real processes: what was not granted is refused, what was granted works.

Each refusal is also tried with the path granted or without the launcher, so that it is Landlock's.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from codejury.judge.sandbox.isolation import landlock
from codejury.judge.sandbox.isolation.landlock import handled_rights, landlock_abi, parse_arguments

LAUNCHER = Path(landlock.__file__)
ABI = landlock_abi()

needs_landlock = pytest.mark.skipif(ABI < 1, reason="this kernel has no Landlock, or it is switched off")
# What Python itself reads when it starts.
PYTHON = [
    str(path)
    for path in (sys.base_prefix, "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc", "/proc", "/dev")
    if Path(path).exists()
]


def restricted(
    code: str, *arguments: str, read: Sequence[Path] = (), write: Sequence[Path] = (), fds: Sequence[int] = ()
) -> subprocess.CompletedProcess[str]:
    """Run Python code with only these paths and what Python needs."""
    paths = ["--read", *PYTHON, *map(str, read), "--write", *map(str, write)]
    return launch([*paths, "--", python(), "-I", "-S", "-c", code, *arguments], fds=fds)


def launch(arguments: Sequence[str], *, fds: Sequence[int] = ()) -> subprocess.CompletedProcess[str]:
    return run([sys.executable, "-I", "-S", str(LAUNCHER), *arguments], fds=fds)


def free(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The same without Landlock."""
    return run([python(), "-I", "-S", "-c", code, *arguments])


def run(command: Sequence[str], *, fds: Sequence[int] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, pass_fds=fds)


def python() -> str:
    return os.path.realpath(sys.executable)


READ = "import sys; print(open(sys.argv[1]).read())"
WRITE = "import sys; open(sys.argv[1], 'w').write('overwritten')"
TRUNCATE = "import os, sys; os.truncate(sys.argv[1], 0)"
REMOVE = "import os, sys; os.unlink(sys.argv[1])"
MAKE_FOLDER = "import os, sys; os.mkdir(sys.argv[1] + '.d')"
LIST = "import os, sys; os.listdir(os.path.dirname(sys.argv[1]))"
MOVE_OUT = "import os, sys; os.rename(sys.argv[1], sys.argv[2] + '/moved')"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    file = folder / "secret"
    file.write_text("kept")
    return file


@needs_landlock
@pytest.mark.parametrize("code", [READ, WRITE, REMOVE, MAKE_FOLDER, LIST])
def test_a_path_that_was_not_granted_is_refused_in_every_way(code: str, secret: Path) -> None:
    refused = restricted(code, str(secret))
    assert "PermissionError" in refused.stderr
    assert secret.read_text() == "kept"
    assert free(code, str(secret)).returncode == 0


@needs_landlock
@pytest.mark.skipif(ABI < 3, reason="truncation is watched from Landlock's third version on")
def test_truncation_of_a_path_that_was_not_granted_is_refused(secret: Path) -> None:
    assert "PermissionError" in restricted(TRUNCATE, str(secret)).stderr
    assert secret.read_text() == "kept"
    assert free(TRUNCATE, str(secret)).returncode == 0


@needs_landlock
@pytest.mark.parametrize("code", [WRITE, REMOVE, MAKE_FOLDER])
def test_a_path_granted_for_reading_can_be_read_but_not_changed(code: str, secret: Path) -> None:
    assert restricted(READ, str(secret), read=[secret.parent]).stdout == "kept\n"
    assert "PermissionError" in restricted(code, str(secret), read=[secret.parent]).stderr
    assert secret.read_text() == "kept"
    assert restricted(code, str(secret), write=[secret.parent]).returncode == 0


@needs_landlock
def test_a_single_file_can_be_granted_without_its_neighbours(secret: Path) -> None:
    neighbour = secret.with_name("neighbour")
    neighbour.write_text("other")
    assert restricted(READ, str(secret), read=[secret]).stdout == "kept\n"
    assert "PermissionError" in restricted(READ, str(neighbour), read=[secret]).stderr


@needs_landlock
@pytest.mark.skipif(ABI < 2, reason="before its second version Landlock refuses every such move")
def test_files_move_between_folders_granted_for_writing_and_nowhere_else(
    secret: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    refused = restricted(MOVE_OUT, str(secret), str(other), write=[secret.parent], read=[other])
    assert refused.returncode == 1
    assert secret.exists()
    assert restricted(MOVE_OUT, str(secret), str(other), write=[secret.parent, other]).returncode == 0


@needs_landlock
def test_a_program_written_to_the_scratch_cannot_be_run(tmp_path: Path) -> None:
    code = "import os, sys; os.execv(sys.argv[1], ['sh', '-c', 'echo started'])"
    program = tmp_path / "program"
    program.write_bytes(Path("/bin/sh").read_bytes())
    program.chmod(0o755)
    assert "PermissionError" in restricted(code, str(program), write=[tmp_path]).stderr
    assert restricted(code, str(program), read=[tmp_path]).stdout == "started\n"


CONNECT = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])))"
LISTEN = "import socket; socket.create_server(('127.0.0.1', 0))"


@needs_landlock
@pytest.mark.skipif(ABI < 4, reason="TCP is watched from Landlock's fourth version on")
def test_tcp_is_refused_in_both_directions() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        for code in (CONNECT, LISTEN):
            assert "PermissionError" in restricted(code, port).stderr
            assert free(code, port).returncode == 0


KILL = "import os, sys; os.kill(int(sys.argv[1]), 0)"
CONNECT_ABSTRACT = "import socket, sys; socket.socket(socket.AF_UNIX).connect('\\0' + sys.argv[1])"


@needs_landlock
@pytest.mark.skipif(ABI < 6, reason="signals and abstract sockets are watched from the sixth version on")
def test_processes_and_abstract_sockets_outside_cannot_be_reached() -> None:
    name = f"codejury-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0{name}")
        server.listen()
        for code, argument in ((KILL, str(os.getpid())), (CONNECT_ABSTRACT, name)):
            assert "PermissionError" in restricted(code, argument).stderr
            assert free(code, argument).returncode == 0


@needs_landlock
def test_the_command_gets_no_new_privileges_and_no_capabilities() -> None:
    status = restricted("print(open('/proc/self/status').read())").stdout
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert facts["NoNewPrivs"] == "1"
    assert {facts[name].strip("0") for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {""}


@needs_landlock
def test_open_descriptors_the_environment_and_the_exit_code_pass_through(secret: Path) -> None:
    code = (
        "import os, sys; os.write(1, os.read(int(sys.argv[1]), 9)); sys.exit(len(os.environ['PATH']) and 7)"
    )
    with secret.open() as file:
        seen = restricted(code, str(file.fileno()), fds=[file.fileno()])
    assert (seen.stdout, seen.returncode) == ("kept", 7)


@needs_landlock
def test_it_runs_as_a_module_too() -> None:
    command = [
        sys.executable,
        "-m",
        "codejury.judge.sandbox.isolation.landlock",
        "--read",
        "/",
        "--",
        "/bin/sh",
        "-c",
        "exit 3",
    ]
    assert run(command).returncode == 3


@needs_landlock
def test_a_grant_for_a_path_that_is_not_there_starts_nothing(tmp_path: Path) -> None:
    result = launch(["--read", "/", str(tmp_path / "missing"), "--", "/bin/sh", "-c", "echo started"])
    assert (result.returncode, result.stdout) == (125, "")
    assert "nothing was started" in result.stderr
    assert "missing" in result.stderr


@needs_landlock
def test_a_command_that_cannot_be_started_is_named() -> None:
    result = launch(["--read", "/", "--", "/nowhere/program"])
    assert result.returncode == 126
    assert "/nowhere/program" in result.stderr


def test_where_the_kernel_refuses_landlock_nothing_is_started() -> None:
    # A filter that answers landlock_create_ruleset with ENOSYS makes an older kernel of this one.
    code = (
        "import os, struct, sys; from codejury.judge.sandbox.isolation.probe_child import install_filter;"
        "program = [(0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x50026), (0x06, 0, 0, 0x7fff0000)];"
        "install_filter(b''.join(struct.pack('<HBBI', *line) for line in program));"
        "os.execv(sys.executable, [sys.executable, '-I', '-S', *sys.argv[1:]])"
    )
    arguments = [str(LAUNCHER), "--read", "/", "--", "/bin/sh", "-c", "echo started"]
    result = run([sys.executable, "-c", code, *arguments])
    assert (result.returncode, result.stdout) == (125, "")
    assert "no Landlock" in result.stderr


@pytest.mark.parametrize(
    "arguments", [["--read", "/"], ["--read", "/", "--"], ["/", "--", "true"], ["--reed", "/", "--", "true"]]
)
def test_arguments_that_make_no_sense_start_nothing(arguments: list[str]) -> None:
    result = launch(arguments)
    assert result.returncode == 125
    assert "nothing was started" in result.stderr


def test_arguments_are_read_up_to_the_command() -> None:
    words = ["--read", "a", "b", "--write", "c", "--", "run", "--read", "x"]
    assert parse_arguments(words) == (["a", "b"], ["c"], ["run", "--read", "x"])


@pytest.mark.parametrize(
    ("abi", "expected"),
    [
        (1, (0x1FFF, 0, 0)),
        (2, (0x3FFF, 0, 0)),
        (3, (0x7FFF, 0, 0)),
        (4, (0x7FFF, 0b11, 0)),
        (5, (0xFFFF, 0b11, 0)),
        (6, (0xFFFF, 0b11, 0b11)),
        (7, (0xFFFF, 0b11, 0b11)),
        (9, (0x1FFFF, 0b11, 0b11)),
        (10, (0x1FFFF, 0b1111, 0b11)),
        (99, (0x1FFFF, 0b1111, 0b11)),
    ],
)
def test_each_version_denies_all_that_it_can(abi: int, expected: tuple[int, int, int]) -> None:
    assert handled_rights(abi) == expected


def test_the_launcher_imports_nothing_slow() -> None:
    code = f"import sys; sys.path.insert(0, {str(LAUNCHER.parent)!r}); import landlock; print(*sys.modules)"
    loaded = set(free(code).stdout.split())
    assert "landlock" in loaded
    assert not loaded & {"typing", "dataclasses", "pathlib", "argparse", "subprocess", "re", "codejury"}
