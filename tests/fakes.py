"""A small world to judge in without Julia: a test case, facts about a run of it, and a judge told of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from codejury.judge.judge import Judge
from codejury.records import Block, BlockKind, Ending, Execution, Extraction, Job, TestCase
from codejury.testing import FakeSandbox


def a_case(**changes: Any) -> TestCase:
    """Two examples and four unit tests on all four criteria, unless told otherwise."""
    fields: dict[str, Any] = {
        "name": "double",
        "contributor": "ada",
        "criteria": ("parsed", "executed", "passed_unit_tests", "executed_examples"),
        "prompt": "Write a function `double`.",
        "version": "1.0",
        "examples": ("double(1)", "double(2)"),
        "unit_tests": tuple(f"@test double({n}) == {2 * n}" for n in range(1, 5)),
        "imports": (),
        "reference_solution": "double(x) = 2x",
    }
    return TestCase(**fields | changes)


def facts(
    case: TestCase,
    *,
    tests: Sequence[int] | None = None,
    examples: Sequence[int] | None = None,
    parsed: bool = True,
    executed: bool = True,
    **more: Any,
) -> Execution:
    """What a run found: the tests and examples with these indices passed; all, unless told otherwise."""
    blocks = [Block(kind=BlockKind.MAIN, index=0, ending=Ending.PASSED if executed else Ending.ERRORED)]
    wanted = ((BlockKind.EXAMPLE, case.examples, examples), (BlockKind.UNIT_TEST, case.unit_tests, tests))
    for kind, codes, passed in wanted:
        indices = range(len(codes)) if passed is None else passed
        for index in range(len(codes)):
            ending = Ending.PASSED if index in indices else Ending.FAILED
            blocks.append(Block(kind=kind, index=index, ending=ending if executed else Ending.NOT_RUN))
    fields: dict[str, Any] = {
        "blocks": tuple(blocks),
        "extraction": Extraction(rule="all", blocks_found=1, blocks_used=(0,), code="double(x) = 2x"),
        "julia_version": "1.10.0",
        "sandbox": "fake",
    }
    return Execution(parsed=parsed, executed=executed, **fields | more)


def code_of(job: Job) -> str:
    return "\n".join(snippet.code for snippet in job.snippets)


def honest(job: Job) -> Execution:
    """A sandbox's script: code with `right` in it passes all, with `half` two tests of four, other none."""
    code = code_of(job)
    if "right" in code:
        return facts(job.test_case)
    if "half" in code:
        return facts(job.test_case, tests=(0, 1))
    return facts(job.test_case, parsed=False, executed=False)


def a_judge(script: Callable[[Job], Execution] = honest, *, workers: int = 1) -> Judge:
    return Judge(workers=workers, sandbox_factory=lambda: FakeSandbox(script))


def in_folders(root: Path, *names: str) -> Path:
    """A folder of definitions, each `category/name`."""
    from codejury.suite.save import save_definition

    for name in names:
        category, _, case = name.rpartition("/")
        path = root / category / case / "definition.toml"
        path.parent.mkdir(parents=True)
        save_definition(a_case_named(case), path)
    return root


def a_case_named(name: str) -> TestCase:
    return a_case(
        name=name,
        prompt=f"Write a function `{name}`.",
        examples=(f"{name}(1)", f"{name}(2)"),
        unit_tests=tuple(f"@test {name}({n}) == {2 * n}" for n in range(1, 5)),
        reference_solution=f"{name}(x) = 2x",
    )
