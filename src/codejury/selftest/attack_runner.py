"""Runs hostile candidates and looks at everything they should not have been able to touch.

attack file -> Attack -> executed in a real sandbox -> Finding: how it ended, how it got through

An attack is a Julia file. Its first line says what it tries and how one sees that it got through:

    # tries: to delete a file of the host | got through if: the canary is missing or changed

`answer(x)` is tested for 42, 99 and -7 at 3, 4 and 10, which no honest attack returns: a test that counts as
passed was forged. In the code, `@CANARY@` stands for a file of ours, port 47811 for ports on which we listen
(TCP and UDP, loopback) and `sbxcanary` for an abstract socket on which we listen; the environment holds a
secret. Two more lines are heeded, anywhere in the file:

    # must be flagged                       the verdict names the attempt, as tampering or in its notes
    # must not end as: timed_out, died      no block ends in one of these ways
"""

from __future__ import annotations

import os
import re
import secrets
import socket
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ..errors import SandboxError
from ..judge.sandbox.protocol import Sandbox
from ..judge.score import assess
from ..records import BlockKind, Ending, Evaluation, Execution, Job, Limits, Snippet, TestCase

ATTACKS: Final = Path(__file__).with_name("attacks")
"""The attacks that come with Codejury: some of each kind, and none that would do harm where it gets through.
The tests of the project have many more."""

SECRET_VARIABLE: Final = "SBX_SECRET"
PORT_IN_ATTACKS: Final = "47811"
SOCKET_IN_ATTACKS: Final = "sbxcanary"
CANARY_IN_ATTACKS: Final = "@CANARY@"
FLAG_LINE: Final = "# must be flagged"
ENDINGS_LINE: Final = "# must not end as:"

# What an attack prints when it succeeds, and the most it may count of something.
SUCCESS: Final = re.compile(r"PWNED|FOUND|SPAWNED|KILLED")
MOST: Final = {"WROTE_MB": 32, "FILES": 2000, "FORKS": 0, "THREADS": 32, "HELD": 264}

CASE: Final = TestCase(
    name="answer",
    contributor="codejury",
    criteria=("parsed", "executed", "passed_unit_tests", "executed_examples"),
    prompt="Write `answer`.",
    version="1",
    examples=("answer(3)",),
    unit_tests=("@test answer(3) == 42", "@test answer(4) == 99", "@test answer(10) == -7"),
    imports=(),
    reference_solution="answer(x) = x == 3 ? 42 : x == 4 ? 99 : -7",
)

# Waits on the event loop by its clock, by its eventfd and by its scheduler: poisoned, it would hang here.
HONEST: Final = """
sleep(0.001)
woken = Base.AsyncCondition()
ccall(:uv_async_send, Cint, (Ptr{Cvoid},), woken.handle)
wait(woken)
answer(x) = (wait(Timer(0.001)); fetch(@async x == 3 ? 42 : x == 4 ? 99 : -7))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """A hostile candidate."""

    name: str
    tries: str
    code: str

    @property
    def must_be_flagged(self) -> bool:
        return FLAG_LINE in self.code.splitlines()

    @property
    def forbidden_endings(self) -> frozenset[Ending]:
        lines = [line for line in self.code.splitlines() if line.startswith(ENDINGS_LINE)]
        words = [word for line in lines for word in line.removeprefix(ENDINGS_LINE).split(",")]
        return frozenset(Ending(word.strip()) for word in words)


def load_attacks(*folders: Path) -> list[Attack]:
    """All attacks of the folders by name, so that `x_a` comes before the `x_b` that looks for its traces."""
    files = [path for folder in folders for path in folder.glob("*.jl")]
    return [_load(path) for path in sorted(files, key=lambda path: path.name)]


def _load(path: Path) -> Attack:
    code = path.read_bytes().decode("utf-8", "surrogateescape")
    return Attack(name=path.stem, tries=code.split("\n", 1)[0].lstrip("# "), code=code)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackResult:
    """What one attack achieved."""

    attack: Attack
    evaluation: Evaluation | None
    """None where the sandbox broke."""
    breaches: tuple[str, ...] = ()
    """Each way in which it was not contained."""

    @property
    def forged(self) -> int:
        """Tests that count as passed."""
        return self.evaluation.unit_tests_passed if self.evaluation else 0

    @property
    def execution(self) -> Execution | None:
        return self.evaluation.execution if self.evaluation else None

    @property
    def passed_at_all(self) -> int:
        """Tests that were passed, also by one whose verdict is that it tampered."""
        return self.execution.unit_tests_passed if self.execution else 0

    @property
    def tampering(self) -> tuple[str, ...]:
        return (*self.execution.tampering, *self.execution.notes) if self.execution else ()

    @property
    def ending(self) -> str:
        """How it ended, in a few words: the main code, then the tests."""
        if self.execution is None:
            return "the sandbox broke"
        main, *rest = self.execution.blocks
        if not main.passed:
            return f"main {main.ending}: {main.error_type} {main.message}".strip(" :")
        tests = [block for block in rest if block.kind is BlockKind.UNIT_TEST]
        return f"tests {', '.join(block.ending for block in tests)}"


# What could be touched


@dataclass(slots=True)
class Surroundings:
    """A secret, a file and three listening sockets, all out of bounds for candidates."""

    secret: str
    canary: Path
    port: int
    socket_name: str
    listeners: list[socket.socket] = field(default_factory=list)

    def arm(self, code: str) -> str:
        """The code with our file, port and socket in place of the ones it names."""
        for placeholder, actual in (
            (CANARY_IN_ATTACKS, str(self.canary)),
            (PORT_IN_ATTACKS, str(self.port)),
            (SOCKET_IN_ATTACKS, self.socket_name),
        ):
            code = code.replace(placeholder, actual)
        return code

    def damages(self) -> Iterator[str]:
        """What was done to the file, and who knocked."""
        beside = [path.name for path in self.canary.parent.iterdir()]
        if beside != [self.canary.name]:
            yield f"the folder of the canary holds {beside}"
        elif self.canary.read_text() != self.secret or stat.S_IMODE(self.canary.stat().st_mode) != 0o666:
            yield "the canary was changed"
        for listener in self.listeners:
            if _was_reached(listener):
                yield f"reached our {listener.family.name} {listener.type.name} socket"


@contextmanager
def surroundings(folder: Path) -> Iterator[Surroundings]:
    """Lay everything out in `folder`. Enter before the sandbox starts, or it cannot leak the secret."""
    secret = f"secret-{secrets.token_hex(16)}"
    canary = folder / "canary" / "canary.txt"
    canary.parent.mkdir(parents=True)
    canary.write_text(secret)
    canary.chmod(0o666)
    # Anybody could reach and change it: only the sandbox is in the way.
    canary.parent.chmod(0o777)
    with ExitStack() as stack:
        stack.enter_context(_variable(SECRET_VARIABLE, secret))
        tcp, udp, port = _free_port(stack)
        name = f"codejury-{secrets.token_hex(4)}"
        local = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        local.bind(f"\0{name}")
        for listener in (tcp, local):
            listener.listen()
        for listener in (tcp, udp, local):
            listener.setblocking(False)
        yield Surroundings(secret, canary, port, name, [tcp, udp, local])


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _free_port(stack: ExitStack) -> tuple[socket.socket, socket.socket, int]:
    """One number on which we listen by TCP and by UDP."""
    tcp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
    udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    tcp.bind(("127.0.0.1", 0))
    port = tcp.getsockname()[1]
    udp.bind(("127.0.0.1", port))
    return tcp, udp, port


def _was_reached(listener: socket.socket) -> bool:
    try:
        if listener.type is socket.SOCK_DGRAM:
            listener.recv(100)
        else:
            listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


# Running


class AttackRunner:
    """Runs attacks one after the other on one sandbox, and an honest candidate after each."""

    def __init__(self, sandbox: Sandbox, around: Surroundings, *, limits: Limits) -> None:
        self._sandbox = sandbox
        self._around = around
        self._limits = limits
        self._family = descendants()
        self._descriptors = open_descriptors()

    def run(self, attack: Attack) -> AttackResult:
        try:
            evaluation = self._evaluate(self._around.arm(attack.code))
        except SandboxError as error:
            return AttackResult(attack=attack, evaluation=None, breaches=(f"the sandbox broke: {error}",))
        breaches = tuple(self._breaches(evaluation, attack))
        return AttackResult(attack=attack, evaluation=evaluation, breaches=breaches)

    def _evaluate(self, code: str) -> Evaluation:
        snippet = Snippet(code=code, language="julia")
        return assess(
            self._sandbox.execute(Job(test_case=CASE, snippets=(snippet,), limits=self._limits)), CASE
        )

    def _breaches(self, evaluation: Evaluation, attack: Attack) -> Iterator[str]:
        assert evaluation.execution is not None
        for block in evaluation.execution.blocks:
            if block.ending in attack.forbidden_endings:
                yield f"{block.kind} {block.index} ended as {block.ending}"
        yield from self._around.damages()
        yield from self._tell_tales(evaluation.execution)
        yield from self._traces()
        yield from self._after_effects()

    def _tell_tales(self, execution: Execution) -> Iterator[str]:
        said = "\n".join([execution.stdout, *(block.message for block in execution.blocks)])
        if self._around.secret in said:
            yield "told our secret"
        if success := SUCCESS.search(said):
            yield f"says {said[success.start() :].splitlines()[0][:60]}"
        for word, most in MOST.items():
            counted = re.search(rf"{word} (\d+)", said)
            if counted and int(counted[1]) > most:
                yield f"says {counted[0]}, at most {most} are allowed"

    def _traces(self) -> Iterator[str]:
        """A process too many, or another in place of the worker; a descriptor of ours left open."""
        family, before = descendants(), self._family
        self._family = family
        if gone := before - family:
            yield f"{len(gone)} of the worker's processes did not survive"
        elif left := family - before:
            yield f"{len(left)} processes are left"
        if open_descriptors() != self._descriptors:
            yield "a descriptor of ours is left open"

    def _after_effects(self) -> Iterator[str]:
        honest = self._evaluate(HONEST)
        if honest.unit_tests_passed != len(CASE.unit_tests):
            assert honest.execution is not None
            endings = [(block.ending.value, block.message) for block in honest.execution.blocks]
            yield f"an honest candidate after it: {endings}, {honest.execution.tampering}"


def descendants(root: int | None = None) -> frozenset[int]:
    """Every process below this one (or below `root`), zombies included."""
    found: set[int] = set()
    waiting = [root or os.getpid()]
    while waiting:
        children = _children(waiting.pop())
        found.update(children)
        waiting += children
    return frozenset(found)


def _children(pid: int) -> list[int]:
    """Of all its threads: a process belongs to the thread that started it."""
    try:
        files = list(Path(f"/proc/{pid}/task").glob("*/children"))
        return [int(child) for file in files for child in file.read_text().split()]
    except OSError:
        return []  # it ended while we looked


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - Path.iterdir would hold one open
