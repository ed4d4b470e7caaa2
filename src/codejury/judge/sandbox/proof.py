"""The start-up proof: what candidates need of Julia, tried in the process that they would run in.

A Julia that we never saw may lose any of it to a fork, to the filter or to a limit, and its candidates would
be blamed for that. So every worker runs this small candidate first, under the final isolation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ...records import BlockKind, Limits
from .run import BlockOrder, Run, Task
from .wire import encode

PROOF_LIMITS: Final = Limits(seconds=60, answer_seconds=300)
"""Long: a proof that fails because the machine is busy would prove nothing."""

MAIN_CODE: Final = """
struct Proof{T}
    x::T
end
twice(p::Proof{T}) where T = (x = p.x; x + x)
"""

PARTS: Final[Mapping[str, str]] = {
    "compiling": "@test twice(Proof(1.5)) == 3.0 && twice(Proof(big(2))) == 4",
    # libuv would be denied its use by the filter: all that waits below would end the process.
    "no io_uring is open": (
        'let links = [try readlink("/proc/self/fd/$fd") catch; "" end for fd in readdir("/proc/self/fd")]\n'
        '    @test filter(==("anon_inode:[io_uring]"), links) == []\nend'
    ),
    "a task": "@test fetch(@async 6 * 7) == 42",
    "sleep": "@test (sleep(0.001); true)",
    "a timer": "@test (wait(Timer(0.001)); true)",
    "a channel": "let c = Channel{Int}(0)\n    @async put!(c, 3)\n    @test take!(c) == 3\nend",
    "an exception in a task": "@test_throws TaskFailedException fetch(@async error())",
    "garbage collection": ("@test (for _ in 1:60; kept = [zeros(1000) for _ in 1:100]; end; GC.gc(); true)"),
    "BLAS": "@test (ones(20, 20) * ones(20, 20))[1] == 20",
    "big integers": '@test string(big(2)^100) == "1267650600228229401496703205376"',
    "regular expressions": '@test match(r"(\\d+)", "a12").captures[1] == "12"',
    "a file in the scratch": (
        'let file = tempname()\n    write(file, "x")\n    @test read(file, String) == "x"\n    rm(file)\nend'
    ),
}
"""What is proven: its name for people, and a unit test that fails where it does not work."""


def failing_parts(run: Callable[[Task, Limits], Run]) -> list[str]:
    """Run the proof; what did not work, each with its reason, and [] where all is well."""
    result = run(proof_task(MAIN_CODE, tuple(PARTS.values())), PROOF_LIMITS)
    if not any(frame[:2] == ["main", "passed"] for frame in result.frames):
        return [f"defining a type and a function: {_reason(result)}"]
    endings = {int(frame[2]): frame for frame in result.frames if frame[:2] == ["block", "unit_test"]}
    failing: list[str] = []
    for index, name in enumerate(PARTS):
        if index not in endings:  # it died or hung there, and nothing after it was tried
            return [*failing, f"{name}: {_reason(result)}"]
        ending, error, message = endings[index][3:6]
        if ending != "passed":
            failing.append(f"{name}: {error} {message}".rstrip())
    return failing


def proof_task(code: str, unit_tests: Sequence[str] = ()) -> Task:
    """One block of code, and unit tests that are judged where it runs."""
    blocks = [
        BlockOrder(number=i + 1, kind=BlockKind.UNIT_TEST, index=i, setup="", code=test, teardown="")
        for i, test in enumerate(unit_tests)
    ]
    return Task(payload=["1", "0", "proof", encode([]), encode(["julia", code]), ""], blocks=tuple(blocks))


def _reason(run: Run) -> str:
    for frame in run.frames:
        if frame[0] == "main" and frame[1] != "passed":
            return f"{frame[2]} {frame[3]}".rstrip()
    return run.ending_text if run.stop == "itself" else f"it was stopped: {run.stop.value}"
