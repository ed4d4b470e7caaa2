"""The groups `judging` and `cold judging`: short jobs, each with the ending that it must have.

The project's own tests say the same and more of every sandbox; this is what needs no test runner.
As in an attack, `@CANARY@` stands for a file of ours and port 47811 for one on which we listen.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from ..judge.sandbox.protocol import Sandbox
from ..records import BlockKind, Ending, Execution, Job, Limits, Snippet
from .attack_runner import CASE, Surroundings, surroundings
from .checks import CheckState, Result, SelftestTrial
from .machine import Machine, SandboxUnderTest

PASSED, FAILED, ERRORED = Ending.PASSED, Ending.FAILED, Ending.ERRORED
TIMED_OUT, DIED, NOT_RUN = Ending.TIMED_OUT, Ending.DIED, Ending.NOT_RUN

PATIENT: Final = Limits(seconds=30.0, memory_mb=256)
"""Where time is not what is tested: no check may fail because the machine is busy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A candidate, and what must come of it."""

    name: str
    code: str
    tests: Mapping[str, Ending] = field(default_factory=dict)
    """Unit tests, each with its ending."""
    main: Ending = PASSED
    """How the main code ends."""
    line: int | None = None
    """The line that the main code is said to fail in."""
    says: str = ""
    """Part of the output, or of a message."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What else the execution holds, by the name of the field."""
    before: str = ""
    """Another candidate, to be run before this one."""
    twice: bool = False
    """Whether to run it twice and compare the output."""
    imports: tuple[str, ...] = ()
    limits: Limits = PATIENT
    cold: bool = False
    """Whether it is said of a process that was not forked, too."""


ANSWER: Final = "answer(x) = x"

SENTENCES: Final = (
    Sentence(
        name="a right answer passes",
        code=CASE.reference_solution,
        tests=dict.fromkeys(CASE.unit_tests, PASSED),
        cold=True,
    ),
    Sentence(
        name="a failing test shows both sides",
        code=ANSWER,
        tests={'@test answer("x") == "y"': FAILED, "@test answer(1) == 1": PASSED},
        says='got "x" == "y"',
    ),
    Sentence(
        name="an exception is told with its line",
        code=f'{ANSWER}\n\nthrow(ArgumentError("no good"))',
        tests={"@test true": NOT_RUN},
        main=ERRORED,
        line=3,
        says="no good",
    ),
    Sentence(
        name="a parse error is told with its line",
        code=f"{ANSWER}\nf(x) = x +* 2\n",
        tests={"@test true": NOT_RUN},
        main=ERRORED,
        line=2,
        facts={"parsed": False},
    ),
    Sentence(
        name="state is kept between blocks",
        code="const seen = Ref(0)\nanswer(x) = (seen[] += x)",
        tests={"@test answer(1) == 1": PASSED, "@test answer(1) == 2": PASSED},
    ),
    Sentence(
        name="types and loops are compiled",
        code="struct P{T}; x::T; end\nBase.:+(a::P, b::P) = P(a.x + b.x)\n"
        "function answer(n)\n    s = P(0)\n    seconds = @elapsed for i in 1:n\n        s += P(i)\n    end\n"
        "    return s.x, seconds < 5\nend",
        tests={"@test answer(10^6) == (500000500000, true)": PASSED},
        cold=True,
    ),
    Sentence(
        name="tasks, sleep, timers and channels work",
        code="function answer(x)\n    c = Channel{Int}(1)\n"
        "    @async (sleep(0.01); wait(Timer(0.01)); put!(c, x))\n    return take!(c)\nend",
        tests={"@test answer(7) == 7": PASSED, "@test fetch(@async answer(8)) == 8": PASSED},
    ),
    Sentence(
        name="BLAS works",
        code="answer(n) = (ones(n, n) * ones(n, n))[n, n], [2.0 1.0; 1.0 3.0] \\ [4.0, 7.0]",
        tests={"@test answer(30)[1] == 30 && answer(2)[2] ≈ [1, 2]": PASSED},
    ),
    Sentence(
        name="big integers and big floats work",
        code="answer(n) = factorial(big(n)), string(BigFloat(2)^n)",
        tests={'@test answer(30) == (big"265252859812191058636308480000000", "1.073741824e+09")': PASSED},
    ),
    Sentence(
        name="random numbers repeat themselves",
        code=f"{ANSWER}\nprintln(rand(UInt64))",
        tests={"println(rand(UInt64), randn())": PASSED},
        twice=True,
    ),
    Sentence(
        name="stdin is empty",
        code="answer(x) = (eof(stdin), readline())",
        tests={'@test answer(1) == (true, "")': PASSED},
        cold=True,
    ),
    Sentence(
        name="own tests are dropped",
        code=f"using Test\n{ANSWER}\n@test answer(1) == 2\n@testset begin\n    @test false\nend",
        tests={"@test answer(1) == 1": PASSED},
        facts={"extraction.dropped_tests": 2},
    ),
    Sentence(
        name="imports of absent packages are dropped",
        code=f"using NotThere, Dates\n{ANSWER}",
        tests={"@test answer(Date(2020)) == Date(2020, 1, 1)": PASSED},
        facts={"extraction.dropped_imports": ("NotThere",)},
    ),
    Sentence(
        name="a missing package makes it void",
        code=ANSWER,
        tests={"@test true": NOT_RUN},
        main=NOT_RUN,
        facts={"missing_packages": ("NotThere",)},
        imports=("NotThere",),
    ),
    Sentence(
        name="an endless loop costs only itself",
        code="answer(x) = (while x == 2; end; x)",
        tests={"@test answer(2) == 2": TIMED_OUT, "@test answer(3) == 3": PASSED},
        says="still running after 2.5 s",
        limits=Limits(seconds=2.5),
        cold=True,
    ),
    Sentence(
        name="too much memory costs only itself",
        code="const held = Any[]\nanswer(x) = (while x == 2; push!(held, fill(1, 10^6)); end; x)",
        tests={"@test answer(2) == 2": Ending.OUT_OF_MEMORY, "@test answer(3) == 3": PASSED},
        limits=Limits(seconds=20.0, memory_mb=128),
        cold=True,
    ),
    Sentence(
        name="a flood of output costs only itself",
        code='answer(x) = (x == 2 && foreach(i -> println("x"^1000), 1:10_000); x)',
        tests={"@test answer(2) == 2": Ending.OUTPUT_FLOOD, "@test answer(3) == 3": PASSED},
        limits=Limits(seconds=30.0, output_bytes=100_000),
    ),
    Sentence(
        name="an early exit costs only itself",
        code=ANSWER,
        tests={"exit()": DIED, "@test answer(1) == 1": PASSED},
        cold=True,
    ),
    Sentence(
        name="a crash costs only itself",
        code=ANSWER,
        tests={"unsafe_store!(Ptr{Int}(8), 1)": DIED, "@test answer(1) == 1": PASSED},
        says="SIGSEGV",
    ),
    Sentence(
        name="a stack overflow is an ordinary error",
        code="f(x) = f(x + 1) + 1\nanswer(x) = x == 2 ? f(1) : x",
        tests={"answer(2)": ERRORED, "@test answer(1) == 1": PASSED},
    ),
    Sentence(
        name="seccomp: a new process is refused",
        # Compiled beforehand: where the fork succeeds, its child must be gone before anything else is.
        code="leave_if_child(pid) = pid == 0 ? ccall(:_exit, Cvoid, (Cint,), 0) : nothing\n"
        "leave_if_child(1)\nforks() = (pid = ccall(:fork, Cint, ()); leave_if_child(pid); pid)\n"
        "answer(x) = try run(`true`); :ran catch err; typeof(err) end",
        tests={"@test forks() == -1": PASSED, "@test answer(1) == Base.IOError": PASSED},
        cold=True,
    ),
    Sentence(
        name="seccomp: io_uring is refused",
        code="answer(x) = ccall(:syscall, Clong, (Clong, Clong, Ptr{UInt8}), 425, 4, zeros(UInt8, 120))",
        tests={"@test answer(1) == -1": PASSED},
        cold=True,
    ),
    Sentence(
        name="the environment shows no secret",
        code="foreach(println, ENV)\n"
        'for process in readdir("/proc"), file in ("environ", "cmdline")\n'
        '    try println(read("/proc/$process/$file", String)) catch end\nend\n' + ANSWER,
        says="HOME",
        cold=True,
    ),
    Sentence(
        name="there is no network",
        code="using Sockets\nanswer(x) = try close(connect(47811)); 1 catch; 0 end",
        tests={"@test answer(1) == 0": PASSED},
        cold=True,
    ),
    Sentence(
        name="files of ours cannot be read or written",
        code='function answer(x)\n    try print(read("@CANARY@", String)) catch end\n'
        '    try write("@CANARY@", "changed"); return true catch end\n'
        '    try write("@CANARY@.new", "new"); return true catch end\n    return false\nend',
        tests={"@test !answer(1)": PASSED},
        cold=True,
    ),
    Sentence(
        name="the scratch is empty for the next one",
        before='for place in (pwd(), tempdir(), homedir())\n    write(joinpath(place, "left"), "x")\nend\n'
        + ANSWER,
        code="answer(x) = vcat(readdir(pwd()), readdir(tempdir()), readdir(homedir()))",
        tests={"@test answer(1) == []": PASSED},
        cold=True,
    ),
    Sentence(
        name="changes to Julia end with the candidate",
        before=f'Base.uppercase(s::String) = "changed"\nENV["CHANGED"] = "1"\n{ANSWER}',
        code='answer(x) = (uppercase("a"), haskey(ENV, "CHANGED"))',
        tests={'@test answer(1) == ("A", false)': PASSED},
    ),
)


def judging_trials(machine: Machine) -> Iterator[SelftestTrial]:
    """Every sentence, on a worker such as judging would use."""
    yield from _trials(machine, SENTENCES, cold=False)


def cold_judging_trials(machine: Machine) -> Iterator[SelftestTrial]:
    """Those that a process of one's own could break; each takes a second or more to start."""
    yield from _trials(machine, [sentence for sentence in SENTENCES if sentence.cold], cold=True)


def _trials(machine: Machine, sentences: Iterable[Sentence], *, cold: bool) -> Iterator[SelftestTrial]:
    with around_us() as around, SandboxUnderTest(machine, cold=cold) as bench:
        yield SelftestTrial("a worker starts", bench.open)
        if bench.sandbox is not None:
            yield from (
                SelftestTrial(sentence.name, partial(hold, sentence, bench.sandbox, around))
                for sentence in sentences
            )


@contextmanager
def around_us() -> Iterator[Surroundings]:
    """A secret, a file and sockets: only the sandbox is in the way. Enter before one is opened."""
    with tempfile.TemporaryDirectory(prefix="codejury-selftest-") as folder:
        Path(folder).chmod(0o755)
        with surroundings(Path(folder)) as around:
            yield around


def hold(sentence: Sentence, sandbox: Sandbox, around: Surroundings) -> Result:
    """Run the candidate; what is not as the sentence says, if anything."""
    if sentence.before:
        _run(sentence, sentence.before, sandbox, around)
    execution = _run(sentence, sentence.code, sandbox, around)
    faults = [*_faults(sentence, execution), *_breaches(execution, around)]
    if sentence.twice and _run(sentence, sentence.code, sandbox, around).stdout != execution.stdout:
        faults.append("a second run printed something else")
    return (CheckState.FAILED, "; ".join(faults)) if faults else (CheckState.PASSED, "")


def _run(sentence: Sentence, code: str, sandbox: Sandbox, around: Surroundings) -> Execution:
    case = replace(CASE, examples=(), unit_tests=tuple(sentence.tests), imports=sentence.imports)
    snippet = Snippet(code=around.arm(code), language="julia")
    return sandbox.execute(Job(test_case=case, snippets=(snippet,), limits=sentence.limits))


def _faults(sentence: Sentence, execution: Execution) -> Iterator[str]:
    endings = [sentence.main, *sentence.tests.values()]
    for block, ending in zip(execution.blocks, endings, strict=True):
        if block.ending is not ending:
            where = "the main code" if block.kind is BlockKind.MAIN else f"test {block.index + 1}"
            seen = " ".join(filter(None, (block.ending, block.error_type, block.message)))
            yield f"{where} should have {ending}: {seen}"
    main = execution.blocks[0]
    if sentence.line is not None and main.line != sentence.line:
        yield f"it should have failed in line {sentence.line}, not {main.line}: {main.message}"
    if sentence.says not in "\n".join([execution.stdout, *(block.message for block in execution.blocks)]):
        yield f"it does not say {sentence.says!r}"
    for name, expected in sentence.facts.items():
        if (seen := attrgetter(name)(execution)) != expected:
            yield f"{name} is {seen!r}, not {expected!r}"
    yield from (f"tampering: {what}" for what in execution.tampering)
    yield from execution.notes


def _breaches(execution: Execution, around: Surroundings) -> Iterator[str]:
    if around.secret in execution.stdout:
        yield "it told our secret"
    yield from around.damages()
