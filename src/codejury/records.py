"""The nouns of Codejury: frozen values that every package knows. No I/O, no behaviour beyond arithmetic.

TestCase -> Answer text -> Snippets -> Execution (facts) -> Evaluation (verdict)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

# How answers are judged. A change that can move any verdict gets a new number and a line here.
# 1  first version: see docs/judging.md
# 2  an answer has a total time, and three time-outs in a row end the trying of their kind;
#    `@assert` in a unit test is a check, decided like `@test`;
#    a fence or a prompt inside a string or a comment is none; code in HTML tags and indented code are read
# 3  a unit test is decided by a referee from values, where it can be taken apart;
#    what a candidate redefines is a note, and costs only the tests that its own process decided;
#    a candidate that dies while it is parsed has failed, and is not void; its module is its `Main`
RULES_VERSION: Final = 4


CANARY: Final = "eae1654f-3f86-4a6a-8c05-10302d553e98"
"""Stands in every text of the bundled suite: training data that holds it holds the test cases."""


class Criterion(StrEnum):
    """What a test case is scored on; the values are the spellings used in files."""

    PARSED = "parsed"
    EXECUTED = "executed"
    UNIT_TESTS = "passed_unit_tests"
    EXAMPLES = "executed_examples"


CRITERION_ALIASES: Final[Mapping[str, Criterion]] = {
    "parsed": Criterion.PARSED,
    "parsing": Criterion.PARSED,
    "executed": Criterion.EXECUTED,
    "execution": Criterion.EXECUTED,
    "passed_unit_tests": Criterion.UNIT_TESTS,
    "unit_tests": Criterion.UNIT_TESTS,
    "executed_examples": Criterion.EXAMPLES,
    "examples": Criterion.EXAMPLES,
}


class Level(StrEnum):
    """How hard a test case is meant to be."""

    BASIC = "basic"
    CORE = "core"
    HARD = "hard"


class TaskKind(StrEnum):
    """What a test case asks for."""

    WRITE = "write"
    FIX = "fix"
    EXTEND = "extend"
    TRANSLATE = "translate"
    SPEED = "speed"
    TEST = "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Code whose speed is measured, for an answer and for the reference solution."""

    statement: str
    setup: str = ""
    """Makes the variables of the statement, anew before each time it is run; it is not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestCase:
    """One task of a suite, as its `definition.toml` describes it."""

    __test__ = False  # pytest: this is not a test class

    name: str
    contributor: str
    criteria: tuple[str, ...]
    """As spelt in the file; `scored_criteria` gives the canonical names."""
    prompt: str
    version: str
    examples: tuple[str, ...]
    unit_tests: tuple[str, ...]
    imports: tuple[str, ...]
    reference_solution: str
    examples_setup: str = ""
    examples_teardown: str = ""
    unit_tests_setup: str = ""
    unit_tests_teardown: str = ""
    given: str = ""
    """Code that exists already: it runs before the answer, in the same module."""
    level: str = Level.CORE
    kind: str = TaskKind.WRITE
    julia: str = ""
    """The least version of Julia, such as `1.9`; "" for any."""
    performance: tuple[Statement, ...] = ()
    """What is measured of an answer that passes all unit tests; it changes no points."""
    path: Path | None = field(default=None, compare=False)
    """The file it was read from."""

    @property
    def category(self) -> str:
        """The folder above the test case's own, or "" for a definition that is not in a file."""
        return self.path.parent.parent.name if self.path else ""

    @property
    def scored_criteria(self) -> tuple[Criterion, ...]:
        """The criteria under their canonical names, each once, in file order."""
        return tuple(dict.fromkeys(CRITERION_ALIASES[name] for name in self.criteria))


def case_fits(pattern: str, category: str, name: str) -> bool:
    """Whether a pattern chooses a test case: the one rule of all commands.

    With a slash it is held against category/name, without one against the name alone:
    `wrap_*` and `text/*` choose text/wrap_words; `text*` and `wrap` do not.
    """
    return fnmatchcase(f"{category}/{name}" if "/" in pattern else name, pattern)


class Ending(StrEnum):
    """How a piece of code ended. A crash is not a time-out: each way to end has its own value."""

    PASSED = "passed"
    FAILED = "failed"  # a test said no
    ERRORED = "errored"  # an exception
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    OUTPUT_FLOOD = "output_flood"
    DIED = "died"  # the process ended by itself: exit(), a signal, a crash
    NOT_RUN = "not_run"  # something before it failed


NOT_TRIED: Final = "not tried: "
"""Begins the message of a block that counts as timed out because those before it took all the time."""


class BlockKind(StrEnum):
    MAIN = "main"
    EXAMPLE = "example"
    UNIT_TEST = "unit_test"


class DecidedBy(StrEnum):
    """Who said whether a unit test passed."""

    NOBODY = ""  # no unit test, or it never came to a decision
    REFEREE = "referee"  # a process that holds no code of the candidate's, from values
    CANDIDATE = "candidate"  # its own process: a type of its own had to decide, or code as a whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What happened to the main code, one example or one unit test."""

    kind: BlockKind
    index: int
    """From 0, in definition order; 0 for the main code."""
    ending: Ending
    error_type: str = ""
    message: str = ""
    line: int | None = None
    """The line of the block's own code that failed, from 1."""
    seconds: float = 0.0
    decided_by: DecidedBy = DecidedBy.NOBODY

    @property
    def passed(self) -> bool:
        return self.ending is Ending.PASSED

    @property
    def was_run(self) -> bool:
        skipped = self.ending is Ending.TIMED_OUT and self.message.startswith(NOT_TRIED)
        return self.ending is not Ending.NOT_RUN and not skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """One fenced block of an answer, or the whole answer where it has no fence; else code in other markup."""

    code: str
    language: str = ""
    """The fence's tag in lower case, "" if there is none."""
    fenced: bool = True
    markup: str = ""
    """What it stands in, if neither in a fence nor the whole answer: `html` or `indented`."""
    extended: bool = False
    """Whether it goes on past a fence, because that is inside a string or a comment of the code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a candidate may use. All are settings, all are recorded when hit."""

    seconds: float = 10.0
    """For the main code and for each example and unit test."""
    answer_seconds: float = 60.0
    """For all of an answer: every run of every candidate in it."""
    memory_mb: int = 512
    """Over the warm process."""
    output_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Packages:
    """The Julia packages that some test cases need."""

    names: tuple[str, ...] = ()
    """What their definitions import."""
    environment: Path | None = None
    """The folder whose Project.toml says which packages there are; None: only the standard libraries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Everything a sandbox needs to run one candidate."""

    test_case: TestCase
    snippets: tuple[Snippet, ...]
    limits: Limits = Limits()
    measure: bool = True
    """Whether the speed of a candidate that passes all unit tests is wanted, where it can be measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """Which code was taken from the answer, and why: this step is disputed, so it is recorded."""

    rule: str
    """`all`, `defining`, `last_defining`, or `none` where the answer holds no Julia code."""
    blocks_found: int
    """Blocks in the answer (1 for an answer that is bare code)."""
    blocks_used: tuple[int, ...]
    """Which of them, from 0."""
    extended: tuple[int, ...] = ()
    """Those of all found, from 0, that go on past a fence inside one of their strings or comments."""
    code: str = ""
    """The code as it was run, before clean-up."""
    dropped_imports: tuple[str, ...] = ()
    dropped_tests: int = 0
    """`@test...` expressions of the candidate's own, taken out of its main code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What one statement took in the candidate and in the reference solution, side by side in one process."""

    statement: str
    speed: float
    """The reference solution's time divided by the candidate's: 2 is twice as fast."""
    spread: float
    """How far parts of the rounds are apart in it: 0.1 is a tenth."""
    seconds: float
    """Processor time of the candidate's fastest round."""
    allocated: int
    """Bytes, by the candidate."""
    reference_allocated: int
    inferred: bool | None
    """Whether Julia knows the type of the value before the call; None where nobody could tell."""


NOISY_ABOVE: Final = 0.1
"""The spread from which on a speed is marked as noisy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """How fast a candidate is, which no points depend on: all statements, or none and why."""

    speed: float | None = None
    """The median over the statements; None where nothing was measured."""
    noisy: bool = False
    """Whether judging again might give a speed that differs by more than a tenth."""
    statements: tuple[Measurement, ...] = ()
    not_measured: str = ""
    failed: int = 0
    """The statement, from 1, in which that happened; 0 for none."""

    @property
    def reason(self) -> str:
        """Why nothing was measured: `statement 2: still running after 10 s`; "" where it was."""
        return f"statement {self.failed}: {self.not_measured}" if self.failed else self.not_measured

    @property
    def allocates_more(self) -> bool:
        """Whether any statement allocates more than in the reference solution."""
        return any(one.allocated > one.reference_allocated for one in self.statements)

    @property
    def inferred(self) -> bool:
        """Whether no statement is known to have a type that Julia cannot know in advance."""
        return all(one.inferred is not False for one in self.statements)


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What happened when the code ran. Facts only; points are `score`'s job."""

    parsed: bool
    executed: bool
    extraction: Extraction
    blocks: tuple[Block, ...]
    tampering: tuple[str, ...] = ()
    """Attempts on the judge itself; any entry fails all unit tests."""
    missing_packages: tuple[str, ...] = ()
    """Packages the definition imports that are not installed: the verdict is void."""
    packages: Mapping[str, str] = field(default_factory=dict)
    """Versions by name of all packages that it could have loaded; standard libraries have Julia's."""
    notes: tuple[str, ...] = ()
    """What a person should know about how it was run; decides nothing."""
    stdout: str = ""
    julia_version: str
    sandbox: str
    """The isolation level, such as `L3`."""
    given_error: str = ""
    """What the definition's own `given` code died of, before the candidate's turn: the verdict is void."""
    performance: Performance | None = None
    """None where the definition measures nothing, or the candidate did not pass all unit tests."""

    def of_kind(self, kind: BlockKind) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks if block.kind is kind)

    @property
    def unit_tests_passed(self) -> int:
        return sum(block.passed for block in self.of_kind(BlockKind.UNIT_TEST))

    @property
    def examples_executed(self) -> int:
        return sum(block.passed for block in self.of_kind(BlockKind.EXAMPLE))


class Outcome(StrEnum):
    PASS = "pass"  # all unit tests passed
    FAIL = "fail"
    VOID = "void"  # nothing was learned about the candidate: a missing package, a broken sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The verdict on one answer. `score` is None exactly when `outcome` is void."""

    name: str
    parsed: bool
    executed: bool
    unit_tests_count: int
    examples_count: int
    unit_tests_passed: int
    examples_executed: int
    score: float | None
    outcome: Outcome
    void_reason: str = ""
    execution: Execution | None = None
    """None where nothing ran because the sandbox broke, and in the predecessor's, which kept counts only."""
    rules_version: int | None = RULES_VERSION
    """None: judged by the predecessor, by rules that have no number."""
    codejury_version: str = ""
    definition_hash: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def by_predecessor(self) -> bool:
        return self.rules_version is None

    @property
    def julia_version(self) -> str:
        """The Julia that judged; "" where nothing ran, or nobody recorded it."""
        return self.execution.julia_version if self.execution else ""


STDOUT_TAIL: Final = 4000
"""Characters of the candidate's output that files and lines keep, from the end."""
_NOTHING_RAN: Final = Execution(
    parsed=False,
    executed=False,
    extraction=Extraction(rule="none", blocks_found=0, blocks_used=()),
    blocks=(),
    julia_version="",
    sandbox="",
)


def verdict_facts(evaluation: Evaluation) -> dict[str, Any]:
    """A verdict as one flat table: the fields of `Evaluation`, with those of its `Execution` among them.

    All JSON that holds a verdict is made from it: a new field of either record needs no other line to be in
    the stored files and in the lines of bulk judging.
    """
    facts: dict[str, Any] = {}
    for each in fields(evaluation):
        facts |= (
            _run_facts(evaluation.execution)
            if each.name == "execution"
            else {each.name: getattr(evaluation, each.name)}
        )
    return facts


def _run_facts(execution: Execution | None) -> dict[str, Any]:
    """What is told of an execution: not what the verdict says already, and only the tail of the output."""
    ran = execution or _NOTHING_RAN
    told = [each.name for each in fields(ran) if each.name not in ("parsed", "executed", "given_error")]
    facts = {"stdout_tail" if name == "stdout" else name: getattr(ran, name) for name in told}
    return facts | {
        "extraction": execution.extraction if execution else None,
        "stdout_tail": ran.stdout[-STDOUT_TAIL:],
    }


class Metric(StrEnum):
    """What groups are ranked by: a number from 0 to 100 of each answer, and so of each group."""

    SOLVED = "solved"
    """100 for an answer that passes all unit tests, 0 for any other: the share of answers that do, in %."""
    SCORE = "score"
    """The points, which pay for parts of a solution as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation."""

    role: str
    """`system`, `user` or `assistant`."""
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A template rendered for one test case: what is sent to a model."""

    label: str
    messages: tuple[Message, ...]
    variables: Mapping[str, str]
    """What was filled in, by placeholder; stored beside the conversation."""
    template_hash: str
    template_version: str = "1.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A model's reply to one prompt."""

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    elapsed_seconds: float = 0.0
    cost: float | None = None
    """In USD; None where the price is unknown, never 0 for unknown."""
    finish_reason: str = ""
    retries: int = 0
    reasoning: str = ""
    """What the model said to itself before it answered, as far as the service tells. Kept, never judged."""
    reasoning_tokens: int | None = None
    """Those of `completion_tokens` that are not part of the answer; None where the service does not say."""


EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""How much a model can be asked to reason; each knows some of them."""

EMPTY: Final = "empty"
"""The rule of an extraction from an answer without text."""
CUT_SHORT: Final = frozenset(
    {
        "length",
        "max_tokens",
        "MAX_TOKENS",
        "max_output_tokens",
        "model_length",
        "model_context_window_exceeded",
    }
)
"""What services call the end of an answer that its longest length or the model's context has cut short."""
