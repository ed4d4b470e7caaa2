"""From a job to facts: which candidate is run, what its frames mean, what happens when a run breaks off.

job -> runs of candidate (a), then (b), then (c), until one executes -> the one that got furthest
     each: a quick run in Julia's interpreter, where runs are cheap; the blocks that it cannot decide run
           again with the compiler, and where that leaves a doubt, all of them do;
           a block that hangs or dies costs only itself, so that run is repeated without it, as long as
           the answer has time left

Works with anything that can run a task: the fork server and the one-process runner share it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from ...errors import SandboxError
from ...records import (
    EMPTY,
    NOT_TRIED,
    Block,
    BlockKind,
    DecidedBy,
    Ending,
    Execution,
    Extraction,
    Job,
    Limits,
    Snippet,
)
from ..extract.lines import quoted_commands
from .compiling import measuring_tests, must_compile
from .run import BlockOrder, Clock, Run, Stop, Task
from .watch import PREPARING_SECONDS
from .wire import Item, encode


class Runner(Protocol):
    """Runs a task once. A time-out of a run that `counts` must not be the fault of a busy machine."""

    def __call__(self, task: Task, limits: Limits, *, counts: bool) -> Run: ...


MOST_TIME_OUTS: Final = 3
"""In a row; then the rest of the kind, examples or unit tests, is not tried."""

MOST_SLOW: Final = 2
"""Blocks too slow for the interpreter, and compiled alone; where there are more, everything is compiled."""

# Deep recursion takes more room in the interpreter.
INCONCLUSIVE_ERRORS: Final = ("StackOverflowError", "OutOfMemoryError")

STOP_ENDINGS: Final = {
    Stop.ITSELF: Ending.DIED,
    Stop.TIME: Ending.TIMED_OUT,
    Stop.TOTAL: Ending.TIMED_OUT,
    Stop.MEMORY: Ending.OUT_OF_MEMORY,
    Stop.OUTPUT: Ending.OUTPUT_FLOOD,
    Stop.FOREIGN: Ending.DIED,
}
ASSISTED: Final = "assisted"
"""As the referee says who decided, see julia/referee.jl."""
FOREIGN_BYTES: Final = "wrote to the judge's own channel"
STDOUT_KEPT: Final = 10_000


def execute(job: Job, run: Runner, *, level: str, julia_version: str, quick: bool = True) -> Execution:
    """Run the candidates of an answer until one executes; the verdict is of the one that got furthest.

    `quick`: where a run is cheap to repeat, each is tried in the interpreter first.
    """
    clock = Clock(job.limits)
    best = trial = _Attempt(job, 1, run, clock, quick)
    trial.go()
    while (
        not (trial.executed or trial.missing or trial.given_error or clock.is_over)
        and trial.attempt < trial.candidates
    ):
        trial = _Attempt(job, trial.attempt + 1, run, clock, quick)
        trial.go()
        best = max(best, trial, key=lambda one: one.reach)
    return best.facts(level, julia_version)


@dataclass(slots=True)
class _Attempt:
    """One candidate, run as often as its blocks require."""

    job: Job
    attempt: int
    run: Runner
    clock: Clock
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
    given_error: str = ""
    tampering: list[str] = field(default_factory=list)
    redefined: list[str] = field(default_factory=list)
    """What it changed outside of its own module, as far as the tests may notice."""
    main: Block | None = None
    blocks: dict[int, Block] = field(default_factory=dict)
    """By their number in the run, from 1: examples, then unit tests."""
    stdout: str = ""
    whole: set[int] = field(default_factory=set)
    """Unit tests that turned out to need the candidate's own code for their decision."""
    revealed: set[int] = field(default_factory=set)
    """Those, and others whose decision tells the process what they hold: put off to a repetition."""
    unknowing: set[int] = field(default_factory=set)
    """Unit tests that the referee passed in a process that had been told nothing of any."""
    assisted: set[int] = field(default_factory=set)
    """Unit tests that the referee decided about what their own functions compared in the process."""

    @property
    def executed(self) -> bool:
        return self.main is not None and self.main.passed

    @property
    def reach(self) -> tuple[bool, bool, int]:
        return self.executed, self.parsed, self.statements

    def go(self) -> None:
        if self.quick and not must_compile(self.job) and self._go_quickly():
            return
        self.main, self.blocks, self.tampering, self.redefined = None, {}, [], []
        if self._measuring():
            self.revealed = set()  # tests that only the compiler can pass shall pass before they are shown
        skip: list[int] = []
        run = self._run(skip)
        self._keep_output(run)
        self._go_on(run, skip)

    def _go_on(self, run: Run, skip: list[int]) -> None:
        """Read what came back, and run the rest again where it broke off."""
        self._read_frames(run)
        while not run.done and self._breaks_off(run, skip):
            if self.clock.is_over:
                self._give_up()
                return
            run = self._run(skip)
            self._read_frames(run)

    def _keep_output(self, run: Run) -> None:
        self.stdout = run.output[:STDOUT_KEPT].decode("utf-8", "replace")

    def _run(self, skip: Sequence[int]) -> Run:
        return self._run_split(skip, lambda: self.clock.limits_left, counts=not self.clock.hung_alone)

    def _run_split(
        self, skip: Sequence[int], limits: Callable[[], Limits], *, counts: bool, interpret: bool = False
    ) -> Run:
        """A run in which no unit test is taken apart that needs the candidate's code for its decision.

        The first one shows the process nothing of what the unit tests hold. Those that cannot be decided so
        are left out, and run in the next one, which repeats all.
        """
        while True:
            run = self.run(self._task(skip, interpret=interpret), limits(), counts=counts)
            self.clock.charge(run)
            self.unknowing |= self._passed_unknowing(run, self.revealed.difference(skip))
            whole, untold = (
                {int(frame[1]) for frame in run.frames if frame[0] == kind} for kind in ("unsplit", "untold")
            )
            # One that was put off before may turn out only then to need the process as a whole.
            put_off = (untold | set(run.put_off)) - self.revealed | (whole - self.whole)
            if not put_off or self.clock.is_over:
                return run
            self.whole |= whole
            self.revealed |= put_off

    def _go_quickly(self) -> bool:
        """Decide in the interpreter, and with the compiler what is not certain then. False: a doubt remains.

        That a block behaves otherwise without those before it shows where it fails in another way than it
        did among them.
        """
        run, slow = self._quick_run()
        if run is None:
            return False
        self._keep_output(run)
        self._go_on(run, [])
        again = {*slow, *self._inconclusive(), *self._measuring()}
        if run.lost or not self.executed or not again:
            return True
        interpreted = {number: self.blocks.pop(number, None) for number in again}
        others = [number for number in range(1, self._blocks_listed + 1) if number not in again]
        self._go_on(self._run(others), others)
        return self.clock.is_over or all(
            _is_settled(self.blocks.get(number), before) for number, before in interpreted.items()
        )

    def _quick_run(self) -> tuple[Run | None, list[int]]:
        """A run in the interpreter, if it comes to an end, and the blocks that were too slow for it."""
        measuring = self._measuring()
        slow: list[int] = []
        while True:
            run = self._run_split(slow, lambda: self.clock.quick_limits, counts=False, interpret=True)
            if run.done or run.lost:  # two lost workers are a verdict already
                beyond_blocks = [frame for frame in run.frames if frame[0] != "block"]
                certain = not any(error in frame for frame in beyond_blocks for error in INCONCLUSIVE_ERRORS)
                return (run if certain else None), slow
            number = self._first_unreported(run, slow)
            if run.stop is not Stop.TIME or not run.executed or len(set(slow) - measuring) == MOST_SLOW:
                return None, slow
            # Where one that measures is slow, the others that do will be: they are compiled in any case.
            slow += sorted(measuring - set(slow)) if number in measuring else [number]

    def _inconclusive(self) -> set[int]:
        return {number for number, block in self.blocks.items() if block.error_type in INCONCLUSIVE_ERRORS}

    def _measuring(self) -> set[int]:
        examples = len(self.job.test_case.examples)
        return {examples + 1 + index for index in measuring_tests(self.job.test_case)}

    def _task(self, skip: Sequence[int], *, interpret: bool = False) -> Task:
        case = self.job.test_case
        snippets = [part for snippet in self.job.snippets for part in _snippet_parts(snippet)]
        payload: list[Item] = [str(self.attempt), "1" if interpret else "0", case.name]
        payload += [encode(case.imports), encode(snippets), case.given]
        left = set(range(1, self._blocks_listed + 1)) - set(skip)
        blocks = tuple(self._order(number) for number in sorted(left))
        return Task(payload=payload, blocks=blocks, test_case=case, interpret=interpret)

    def _order(self, number: int) -> BlockOrder:
        case = self.job.test_case
        kind, index = self._place(number)
        if kind is BlockKind.EXAMPLE:
            setup, code, teardown = case.examples_setup, case.examples[index], case.examples_teardown
        else:
            setup, code, teardown = case.unit_tests_setup, case.unit_tests[index], case.unit_tests_teardown
        return BlockOrder(
            number=number,
            kind=kind,
            index=index,
            setup=setup,
            code=code,
            teardown=teardown,
            split=kind is BlockKind.UNIT_TEST and number not in self.whole,
            reveal=number in self.revealed,
        )

    def _read_frames(self, run: Run) -> None:
        for kind, *fields in run.frames:
            handler: Callable[..., None] = getattr(self, f"_on_{kind}")
            try:
                handler(*fields)
            except (TypeError, ValueError):  # signed, and yet nothing that the judge writes
                self.tampering.append(FOREIGN_BYTES)

    def _on_begun(self) -> None:
        pass

    def _on_unsplit(self, number: str) -> None:
        pass

    def _on_untold(self, number: str) -> None:
        pass

    def _on_candidates(self, rule: str, used: str, count: str) -> None:
        self.rule, self.candidates = rule, int(count)
        self.used = tuple(int(index) for index in used.split(",") if index)

    def _on_extraction(self, imports: str, tests: str, code: str) -> None:
        self.dropped_imports = tuple(name for name in imports.split(",") if name)
        self.dropped_tests, self.code = int(tests), code

    def _on_missing(self, *packages: str) -> None:
        self.missing = packages

    def _on_given(self, error: str, message: str, line: str) -> None:
        what = ": ".join(part for part in (error, message) if part)
        self.given_error = f"the definition's given code fails in line {line}: {what}"

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
        if fields[-1:] == (ASSISTED,):
            self.assisted.add(number)
            fields = (*fields[:-1], DecidedBy.REFEREE)
        self.blocks.setdefault(number, _block(kind, index, *fields))

    def _on_done(self, *redefined: str) -> None:
        self.redefined += redefined

    def _breaks_off(self, run: Run, skip: list[int]) -> bool:
        """Charge the end of a run to the block it happened in; whether to go on without that block."""
        if not run.frames and run.stop is Stop.ITSELF:
            raise SandboxError(f"a sandboxed process ended before it was given anything: {run.ending_text}")
        if run.stop is Stop.FOREIGN:
            self.tampering.append(FOREIGN_BYTES)
        if self.main is None:
            self.main = self._ended_in(BlockKind.MAIN, 0, run)
        if not self.executed or run.stop is Stop.FOREIGN:
            return False
        number = self._first_unreported(run, skip)
        if number <= self._blocks_listed:
            self._charge(number, run, skip)
        elif run.stop is not Stop.TOTAL:
            # It died after its last block: all verdicts are in, only what it redefined is not known.
            self.redefined.append("ended the process before the judge was done")
            return False
        return True

    def _charge(self, number: int, run: Run, skip: list[int]) -> None:
        """The run ended in this block: it is left out from now on, and the rest too if that is hopeless."""
        self.blocks.setdefault(number, self._ended_in(*self._place(number), run))
        skip.append(number)
        if run.stop is Stop.TIME and self._time_outs_up_to(number) >= MOST_TIME_OUTS:
            rest = [n for n in self._same_kind(number) if n > number and n not in skip]
            self._not_tried(rest, f"{MOST_TIME_OUTS} in a row had timed out")
            skip += rest

    def _ended_in(self, kind: BlockKind, index: int, run: Run) -> Block:
        ending, message = STOP_ENDINGS[run.stop], _explain(run, self.job)
        return _ended_block(kind, index, ending, message, run.last_seconds)

    def _time_outs_up_to(self, number: int) -> int:
        """How many of its kind have timed out in a row, this one included."""
        count = 0
        while number - count in self._same_kind(number) and self._timed_out(number - count):
            count += 1
        return count

    def _timed_out(self, number: int) -> bool:
        return number in self.blocks and self.blocks[number].ending is Ending.TIMED_OUT

    def _same_kind(self, number: int) -> range:
        examples = len(self.job.test_case.examples)
        return range(1, examples + 1) if number <= examples else range(examples + 1, self._blocks_listed + 1)

    def _not_tried(self, numbers: Iterable[int], reason: str) -> None:
        for number in numbers:
            self.blocks.setdefault(
                number, _ended_block(*self._place(number), Ending.TIMED_OUT, f"{NOT_TRIED}{reason}")
            )

    def _give_up(self) -> None:
        """The time is used up: what was not tried has failed, what the process decided is looked at again.

        Only a run that comes to its end tells what it redefined, so what passed runs again without the
        rest. It took no longer than the total before; where it does now, those tests have not passed.
        """
        used_up = f"the answer's {self.job.limits.answer_seconds:g} s were used up"
        self._not_tried(range(1, self._blocks_listed + 1), used_up)
        passed = {number for number, block in self.blocks.items() if block.passed}
        doubtful = {n for n in passed if self.blocks[n].decided_by is DecidedBy.CANDIDATE}
        if not doubtful:
            return
        skip = [number for number in range(1, self._blocks_listed + 1) if number not in passed]
        run = self.run(self._task(skip), self.job.limits, counts=False)
        self._read_frames(run)
        if not run.done:
            message = f"passed, but {used_up} before the code that decided it was looked at"
            self.blocks |= {
                number: replace(self.blocks[number], ending=Ending.TIMED_OUT, message=message)
                for number in doubtful
            }

    def _first_unreported(self, run: Run, skip: list[int]) -> int:
        reported = self._reported(run, skip)
        return next(n for n in range(1, self._blocks_listed + 2) if n not in reported)

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
        redefined = tuple(dict.fromkeys(self.redefined))
        rest = [
            self._trusted(number, redefined) or _ended_block(*self._place(number), Ending.NOT_RUN)
            for number in range(1, self._blocks_listed + 1)
        ]
        return Execution(
            parsed=self.parsed,
            executed=self.executed,
            blocks=(main, *rest),
            extraction=Extraction(
                rule=self.rule if any(snippet.code.strip() for snippet in self.job.snippets) else EMPTY,
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
            given_error=self.given_error,
            notes=redefined,
        )

    def _passed_unknowing(self, run: Run, revealed: set[int]) -> set[int]:
        """What the referee passed before the process could know anything of what the unit tests hold."""
        examples = len(self.job.test_case.examples)
        passed = {
            int(frame[2]) + 1 + examples
            for frame in run.frames
            if frame[:2] == ["block", "unit_test"]
            and frame[3] == Ending.PASSED
            and frame[-1] in (DecidedBy.REFEREE, ASSISTED)
        }
        return {number for number in passed if number < min(revealed, default=number + 1)}

    def _trusted(self, number: int, redefined: Sequence[str]) -> Block | None:
        """A block as it ended. What the process decided itself is not believed after it changed Julia.

        It decided too where it passed after it was told what a unit test holds, and not without that.
        """
        block = self.blocks.get(number)
        if block is None or not block.passed or block.decided_by is DecidedBy.NOBODY:
            return block
        if self.revealed and number not in self.unknowing:
            block = replace(block, decided_by=DecidedBy.CANDIDATE)
        by_process = number in self.assisted or block.decided_by is DecidedBy.CANDIDATE
        if not (redefined and by_process):
            return block
        return replace(block, ending=Ending.FAILED, message=f"decided by code that {redefined[0]}")


def _block(
    kind: str,
    index: str,
    ending: str,
    error: str,
    message: str,
    line: str,
    seconds: str,
    decided_by: str = "",
) -> Block:
    return Block(
        kind=BlockKind(kind),
        index=int(index),
        ending=Ending.OUT_OF_MEMORY if error == "OutOfMemoryError" else Ending(ending),
        error_type=error,
        message=message,
        line=int(line) or None,
        seconds=float(seconds),
        decided_by=DecidedBy(decided_by) if kind == "unit_test" else DecidedBy.NOBODY,
    )


def _ended_block(
    kind: BlockKind, index: int, ending: Ending, message: str = "", seconds: float = 0.0
) -> Block:
    return Block(kind=kind, index=index, ending=ending, message=message, seconds=round(seconds, 6))


def _explain(run: Run, job: Job) -> str:
    limits = job.limits
    if run.stop is Stop.TIME and not run.prepared:
        return f"could not be prepared within {PREPARING_SECONDS:g} s"
    return {
        Stop.ITSELF: run.ending_text,
        Stop.TIME: f"still running after {limits.seconds:g} s",
        Stop.TOTAL: f"still running when the answer's {limits.answer_seconds:g} s were used up",
        Stop.MEMORY: f"used more than {limits.memory_mb} MB",
        Stop.OUTPUT: f"printed more than {limits.output_bytes} bytes",
        Stop.FOREIGN: FOREIGN_BYTES,
    }[run.stop]


def _is_settled(compiled: Block | None, interpreted: Block | None) -> bool:
    """Whether a block, run with the compiler and without the others, is decided by that.

    `interpreted`: how it ended among the others, if it did.
    """
    if compiled is None:
        return False
    if interpreted is None:
        return compiled.passed or compiled.ending is Ending.TIMED_OUT
    return compiled.passed or replace(compiled, seconds=0.0) == replace(interpreted, seconds=0.0)


def _snippet_parts(snippet: Snippet) -> tuple[str, str]:
    """What the Julia side is told of a snippet: its kind, its lines that only look like prompts; its code."""
    return " ".join([_snippet_kind(snippet), *map(str, quoted_commands(snippet.code))]), snippet.code


def _snippet_kind(snippet: Snippet) -> str:
    if not snippet.fenced:
        return snippet.markup or "bare"
    return {"julia": "julia", "": "untagged"}.get(snippet.language, "other")
