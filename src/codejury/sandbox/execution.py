"""From a job to facts: which candidate is run, what its frames mean, what happens when a run breaks off.

job -> runs of candidate (a), then (b), then (c), until one executes -> the one that got furthest
     each: a quick run in Julia's interpreter, where runs are cheap; if that is not conclusive, one with
           the compiler;
           a block that hangs or dies costs only itself, so that run is repeated without it

Works with anything that can run a payload: the fork server and the one-process runner share it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from ..errors import SandboxError
from ..extract import quoted_commands
from ..records import Block, BlockKind, Ending, Execution, Extraction, Job, Limits, Snippet
from .run import Run, Stop
from .watch import PREPARING_SECONDS
from .wire import Item, encode


class Runner(Protocol):
    """Runs a payload once. A time-out of a run that `counts` must not be the fault of a busy machine."""

    def __call__(self, payload: Sequence[Item], limits: Limits, *, counts: bool) -> Run: ...


QUICK_SECONDS: Final = 0.4
"""For each block of a quick run: about what compiling a larger candidate takes."""

# What may come out differently without the compiler: time, memory, the last digit of a fused
# multiply-add. Code that names any of it is compiled at once.
COMPILED_ONLY: Final = re.compile(
    r"muladd|\bfma\b|@(?:fastmath|simd|allocated|allocations|elapsed|timed?|btime|inferred)\b"
)
# Deep recursion takes more room in the interpreter.
INCONCLUSIVE_ERRORS: Final = ("StackOverflowError", "OutOfMemoryError")

STOP_ENDINGS: Final = {
    Stop.ITSELF: Ending.DIED,
    Stop.TIME: Ending.TIMED_OUT,
    Stop.MEMORY: Ending.OUT_OF_MEMORY,
    Stop.OUTPUT: Ending.OUTPUT_FLOOD,
    Stop.FOREIGN: Ending.DIED,
}
FOREIGN_BYTES: Final = "wrote to the judge's own channel"
STDOUT_KEPT: Final = 10_000


def execute(job: Job, run: Runner, *, level: str, julia_version: str, quick: bool = True) -> Execution:
    """Run the candidates of an answer until one executes; the verdict is of the one that got furthest.

    `quick`: where a run is cheap to repeat, each is tried in the interpreter first.
    """
    best: _Trial | None = None
    attempt, candidates = 1, 1
    while attempt <= candidates:
        trial = _Trial(job, attempt, run, quick)
        trial.go()
        candidates = trial.candidates
        if best is None or trial.reach > best.reach:
            best = trial
        if trial.executed or trial.missing:
            break
        attempt += 1
    assert best is not None
    return best.facts(level, julia_version)


@dataclass(slots=True)
class _Trial:
    """One candidate, run as often as its blocks require."""

    job: Job
    attempt: int
    run: Runner
    quick: bool
    rule: str = "none"
    used: tuple[int, ...] = ()
    candidates: int = 0
    dropped_imports: tuple[str, ...] = ()
    dropped_tests: int = 0
    code: str = ""
    parsed: bool = False
    statements: int = 0
    missing: tuple[str, ...] = ()
    tampering: list[str] = field(default_factory=list)
    main: Block | None = None
    blocks: dict[int, Block] = field(default_factory=dict)
    """By their number in the run, from 1: examples, then unit tests."""
    stdout: str = ""

    @property
    def executed(self) -> bool:
        return self.main is not None and self.main.passed

    @property
    def reach(self) -> tuple[bool, bool, int]:
        return self.executed, self.parsed, self.statements

    def go(self) -> None:
        skip: list[int] = []
        run = self._quick_run() or self._run(skip)
        while True:
            self._read_frames(run)
            if not skip:
                self.stdout = run.output[:STDOUT_KEPT].decode("utf-8", "replace")
            if run.done or not self._breaks_off(run, skip):
                return
            run = self._run(skip)

    def _run(self, skip: Sequence[int]) -> Run:
        payload = _payload(self.job, self.attempt, skip, interpret=False)
        return self.run(payload, self.job.limits, counts=True)

    def _quick_run(self) -> Run | None:
        """A run in the interpreter, if its result is certain to be that of the compiler."""
        if not self.quick or _must_compile(self.job):
            return None
        limits = replace(self.job.limits, seconds=min(QUICK_SECONDS, self.job.limits.seconds))
        run = self.run(_payload(self.job, self.attempt, (), interpret=True), limits, counts=False)
        certain = run.done and not any(
            error in frame for frame in run.frames for error in INCONCLUSIVE_ERRORS
        )
        return run if certain or run.lost else None  # two lost workers are a verdict already

    def _read_frames(self, run: Run) -> None:
        for kind, *fields in run.frames:
            handler: Callable[..., None] = getattr(self, f"_on_{kind}")
            handler(*fields)

    def _on_candidates(self, rule: str, used: str, count: str) -> None:
        self.rule, self.candidates = rule, int(count)
        self.used = tuple(int(index) for index in used.split(",") if index)

    def _on_extraction(self, imports: str, tests: str, code: str) -> None:
        self.dropped_imports = tuple(name for name in imports.split(",") if name)
        self.dropped_tests, self.code = int(tests), code

    def _on_missing(self, *packages: str) -> None:
        self.missing = packages

    def _on_parsed(self, parsed: str, message: str, line: str) -> None:
        self.parsed = parsed == "1"
        if not self.parsed:
            self.main = Block(
                kind=BlockKind.MAIN,
                index=0,
                ending=Ending.ERRORED,
                error_type="ParseError",
                message=message,
                line=int(line) or None,
            )

    def _on_main(
        self, ending: str, error: str, message: str, line: str, seconds: str, statements: str, lowers: str
    ) -> None:
        if self.main is None:
            self.main = _block("main", "0", ending, error, message, line, seconds)
            self.statements, self.parsed = int(statements), lowers == "1"

    def _on_block(self, kind: str, index: str, *fields: str) -> None:
        number = int(index) + 1 + (len(self.job.test_case.examples) if kind == "unit_test" else 0)
        self.blocks.setdefault(number, _block(kind, index, *fields))

    def _on_done(self, *tampering: str) -> None:
        self.tampering += tampering

    def _breaks_off(self, run: Run, skip: list[int]) -> bool:
        """Charge the end of a run to the block it happened in; whether to go on without that block."""
        if not run.frames and run.stop is Stop.ITSELF:
            raise SandboxError(f"a sandboxed process ended before it ran anything: {run.ending_text}")
        if run.stop is Stop.FOREIGN:
            self.tampering.append(FOREIGN_BYTES)
        ending, message = STOP_ENDINGS[run.stop], _explain(run, self.job)
        if self.main is None:
            self.main = _ended_block(BlockKind.MAIN, 0, ending=ending, message=message)
        if not self.executed or run.stop is Stop.FOREIGN:
            return False
        number = next(n for n in range(1, self._blocks_listed + 2) if n not in self._reported(run, skip))
        if number > self._blocks_listed:
            # It died after its last block: all verdicts are in, only the look for tampering is missing.
            self.tampering.append("ended the process before the judge was done")
            return False
        kind, index = self._place(number)
        self.blocks.setdefault(number, _ended_block(kind, index, ending=ending, message=message))
        skip.append(number)
        return True

    def _reported(self, run: Run, skip: list[int]) -> set[int]:
        examples = len(self.job.test_case.examples)
        frames = [frame for frame in run.frames if frame[0] == "block"]
        return {
            int(index) + 1 + (examples if kind == "unit_test" else 0) for _, kind, index, *_ in frames
        } | set(skip)

    @property
    def _blocks_listed(self) -> int:
        return len(self.job.test_case.examples) + len(self.job.test_case.unit_tests)

    def _place(self, number: int) -> tuple[BlockKind, int]:
        examples = len(self.job.test_case.examples)
        return (
            (BlockKind.EXAMPLE, number - 1)
            if number <= examples
            else (BlockKind.UNIT_TEST, number - 1 - examples)
        )

    def facts(self, level: str, julia_version: str) -> Execution:
        main = self.main or Block(kind=BlockKind.MAIN, index=0, ending=Ending.NOT_RUN)
        rest = [
            self.blocks.get(number) or _ended_block(*self._place(number), ending=Ending.NOT_RUN, message="")
            for number in range(1, self._blocks_listed + 1)
        ]
        return Execution(
            parsed=self.parsed,
            executed=self.executed,
            blocks=(main, *rest),
            extraction=Extraction(
                rule=self.rule,
                blocks_found=len(self.job.snippets),
                blocks_used=self.used,
                extended=tuple(i for i, snippet in enumerate(self.job.snippets) if snippet.extended),
                code=self.code,
                dropped_imports=self.dropped_imports,
                dropped_tests=self.dropped_tests,
            ),
            julia_version=julia_version,
            sandbox=level,
            stdout=self.stdout,
            tampering=tuple(dict.fromkeys(self.tampering)),
            missing_packages=self.missing,
        )


def _block(kind: str, index: str, ending: str, error: str, message: str, line: str, seconds: str) -> Block:
    return Block(
        kind=BlockKind(kind),
        index=int(index),
        ending=Ending.OUT_OF_MEMORY if error == "OutOfMemoryError" else Ending(ending),
        error_type=error,
        message=message,
        line=int(line) or None,
        seconds=float(seconds),
    )


def _ended_block(kind: BlockKind, index: int, *, ending: Ending, message: str) -> Block:
    return Block(kind=kind, index=index, ending=ending, message=message)


def _explain(run: Run, job: Job) -> str:
    limits = job.limits
    if run.stop is Stop.TIME and not run.prepared:
        return f"could not be parsed and prepared within {PREPARING_SECONDS:g} s"
    return {
        Stop.ITSELF: run.ending_text,
        Stop.TIME: f"still running after {limits.seconds:g} s",
        Stop.MEMORY: f"used more than {limits.memory_mb} MB",
        Stop.OUTPUT: f"printed more than {limits.output_bytes} bytes",
        Stop.FOREIGN: FOREIGN_BYTES,
    }[run.stop]


def _must_compile(job: Job) -> bool:
    codes = (*(snippet.code for snippet in job.snippets), *job.test_case.examples, *job.test_case.unit_tests)
    return any(COMPILED_ONLY.search(code) for code in codes)


def _payload(job: Job, attempt: int, skip: Sequence[int], *, interpret: bool) -> list[Item]:
    case = job.test_case
    snippets = [part for snippet in job.snippets for part in _snippet_parts(snippet)]
    return [
        str(attempt),
        "1" if interpret else "0",
        case.name,
        encode(case.imports),
        encode(str(number) for number in skip),
        encode(snippets),
        encode(case.examples),
        case.examples_setup,
        case.examples_teardown,
        encode(case.unit_tests),
        case.unit_tests_setup,
        case.unit_tests_teardown,
    ]


def _snippet_parts(snippet: Snippet) -> tuple[str, str]:
    """What the Julia side is told of a snippet: its kind, its lines that only look like prompts; its code."""
    return " ".join([_snippet_kind(snippet), *map(str, quoted_commands(snippet.code))]), snippet.code


def _snippet_kind(snippet: Snippet) -> str:
    if not snippet.fenced:
        return snippet.markup or "bare"
    return {"julia": "julia", "": "untagged"}.get(snippet.language, "other")
