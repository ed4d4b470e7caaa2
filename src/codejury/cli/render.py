"""What commands have in common when they show something to a person.

safe_text           text of unknown origin, made harmless for a terminal
many                a number with its noun
tell_suite          which suite is used where none was named
tell_notes          definitions that are left out, and in one line those with warnings
show_evaluation     one verdict, with how it came about
"""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..judge.score import fractions_earned
from ..program import command
from ..records import (
    EMPTY,
    NOISY_ABOVE,
    Block,
    BlockKind,
    Criterion,
    Ending,
    Evaluation,
    Extraction,
    Outcome,
    Performance,
    TestCase,
)

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from ..suite.suite import SuiteNotes


# Control characters, invisible and bidirectional format characters, halves of surrogate pairs, line and
# paragraph separators: each can make a terminal show something else than what is there.
_HARMFUL: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})

NARROW: Final = 76
"""Columns below which a table leaves out what is not needed, so that no name is cut."""
_MOST_MESSAGE_LINES: Final = 6
_MOST_OUTPUT_LINES: Final = 10

_RULES: Final = {
    "all": "all Julia blocks of the answer, joined",
    "defining": "the blocks that define the function, with the types, constants and imports before them",
    "last_defining": "the last block that defines the function",
    "none": "there is no Julia code in the answer",
    EMPTY: "the answer is empty",
}

_STYLES: Final = {Ending.PASSED: "green", Ending.NOT_RUN: "dim"}
_KINDS: Final = {BlockKind.MAIN: "main code", BlockKind.EXAMPLE: "example", BlockKind.UNIT_TEST: "unit test"}
_OUTCOME_STYLES: Final = {Outcome.PASS: "bold green", Outcome.FAIL: "bold red", Outcome.VOID: "bold yellow"}


def safe_text(text: str, *, one_line: bool = False) -> str:
    r"""Return text in which nothing can steer a terminal or hide: such characters are shown as escapes.

    "\x1b[31mred" -> r"\x1b[31mred"     "a\u202eb" -> r"a\u202eb"

    Line ends and tabs stay, unless it is to be `one_line`.
    """
    return "".join(_safe(character, "" if one_line else "\n\t") for character in text)


def _safe(character: str, allowed: str) -> str:
    if unicodedata.category(character) not in _HARMFUL or character in allowed:
        return character
    return ascii(character)[1:-1]


def many(amount: int, noun: str, one: str = "", more: str = "") -> str:
    """1, "sample" -> 1 sample; 1200 -> 1,200 samples; with a verb: 1 sample is, 2 samples are."""
    verb = one if amount == 1 else more
    return f"{amount:,} {noun}{'s' * (amount != 1)}" + (f" {verb}" if verb else "")


def output_console() -> Console:
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def error_console() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def can_redraw(console: Console) -> bool:
    """Whether a line that is there can be written anew; a dumb terminal shows nothing of what tries to."""
    return console.is_terminal and not console.is_dumb_terminal


def tell_suite(results: Path | None = None) -> Path:
    """The suite that is used where none is named, after a line on stderr that says which one that is.

    Stored answers in `results` may have theirs beside them.
    """
    from ..suite.suite import bundled_suite, suite_in_use, suite_of_results

    folder = suite_of_results(results) if results else suite_in_use()
    ours = folder.resolve() == bundled_suite().resolve()
    name = "the one that comes with Codejury" if ours else safe_text(str(shown_path(folder)), one_line=True)
    error_console().print(f"Suite: {name}", style="dim")
    return folder


def tell_waiting(waiting: Mapping[str, int], environment: Path | None, julia: Path | None = None) -> None:
    """`6 answers wait for DataFrames: codejury setup --packages`; `julia` is named if there are several."""
    for name, count in sorted(waiting.items()):
        wait = many(count, "answer", "waits", "wait")
        install = install_command([name], environment, julia)
        error_console().print(f"{wait} for {name}: {install}", style="yellow", soft_wrap=True)


def install_command(names: Iterable[str], environment: Path | None, julia: Path | None = None) -> str:
    """What installs these packages: `CODEJURY_JULIA=~/julia-1.9/bin/julia codejury setup --packages`."""
    from ..suite.suite import setup_command

    chosen = f"CODEJURY_JULIA={shlex.quote(str(julia))} " if julia else ""
    return chosen + setup_command(names, environment)


def tell_notes(notes: SuiteNotes, *, warnings: bool = True) -> bool:
    """Name on stderr the definitions that are left out, and count the warnings; whether any is left out."""
    console = error_console()
    if count := notes.files_left_out:
        which, them = ("1 definition", "it") if count == 1 else (f"{count} definitions", "them")
        console.print(f"{which} left out; no answer can be judged by {them}:", style="red")
        for problem in notes.left_out:
            console.print(f"  {safe_text(str(problem), one_line=True)}", style="red")
    if warnings and notes.warnings:
        console.print(safe_text(warnings_line(notes), one_line=True), style="yellow")
    return bool(count)


def warnings_line(notes: SuiteNotes) -> str:
    """`3 warnings in 2 definitions: codejury validate code_generation`."""
    count, files = len(notes.warnings), notes.files_with_warnings
    told = f"{count} warning{'s' * (count != 1)} in {files} definition{'s' * (files != 1)}"
    return f"{told}: {command('validate', str(shown_path(notes.place)))}"


def shown_path(path: Path | None) -> Path | str:
    """The path from here if it is below this folder, as it is otherwise."""
    if path is None:
        return ""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def show_evaluation(console: Console, evaluation: Evaluation, test_case: TestCase) -> None:
    """Show one verdict: where it was judged, what was judged, each block, and the points."""
    console.print(_header(evaluation, test_case))
    if execution := evaluation.execution:
        for line in _extraction(execution.extraction):
            console.print(line)
        console.print(_blocks(evaluation, test_case))
        for line in _output(execution.stdout):
            console.print(line)
        if execution.tampering:
            console.print(_tampering(execution.tampering))
        for note in execution.notes:
            console.print(f"Note: {safe_text(note, one_line=True)}.")
        if execution.performance:
            console.print(_performance(execution.performance))
    console.print(_points(evaluation, test_case))


def _performance(performance: Performance) -> RenderableType:
    """How fast it is beside the reference solution, or why nobody knows."""
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    if performance.speed is None:
        return Text(f"Speed: not measured: {safe_text(performance.reason, one_line=True)}")
    title = f"Speed {performance.speed:.3g} of the reference solution{' (noisy)' * performance.noisy}"
    table = Table(title=title, title_justify="left", title_style="none", box=SIMPLE, pad_edge=False)
    for heading in ("Statement", "Speed", "Seconds", "Bytes", "Reference", "Inferred"):
        table.add_column(heading, justify="left" if heading == "Statement" else "right", overflow="fold")
    for one in performance.statements:
        table.add_row(
            Text(safe_text(one.statement, one_line=True)),
            f"{one.speed:.3g}{' ?' if one.spread > NOISY_ABOVE else ''}",
            f"{one.seconds:.3g}",
            f"{one.allocated:,}",
            f"{one.reference_allocated:,}",
            {True: "yes", False: "no", None: ""}[one.inferred],
        )
    return table


def _header(evaluation: Evaluation, test_case: TestCase) -> Text:
    from rich.text import Text

    name = f"{test_case.category}/{test_case.name}" if test_case.category else test_case.name
    header = Text(safe_text(name, one_line=True), style="bold")
    if execution := evaluation.execution:
        header.append(
            f"   Julia {execution.julia_version}   sandbox {execution.sandbox}", style="not bold dim"
        )
    return header


def _extraction(extraction: Extraction) -> Iterator[Text]:
    """Which code was taken from the answer, and what was left out of it."""
    from rich.text import Text

    found = f"{extraction.blocks_found} block{'s' * (extraction.blocks_found != 1)} in the answer"
    used = ", ".join(str(index + 1) for index in extraction.blocks_used) or "none"
    yield Text(f"Code: {_RULES.get(extraction.rule, extraction.rule)} (rule {extraction.rule})")
    yield Text(f"      {found}, used: {used}")
    if extraction.extended:
        numbers = ", ".join(str(index + 1) for index in extraction.extended)
        yield Text(f"      goes on past a fence inside a string or a comment: {numbers}")
    if extraction.dropped_imports:
        names = safe_text(", ".join(extraction.dropped_imports), one_line=True)
        yield Text(f"      imports dropped, for they are not installed: {names}")
    if extraction.dropped_tests:
        yield Text(f"      tests of its own, dropped: {extraction.dropped_tests}")


def _blocks(evaluation: Evaluation, test_case: TestCase) -> Table:
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE, pad_edge=False)
    for heading in ("Block", "Verdict", "Seconds", "Error"):
        table.add_column(heading, justify="right" if heading == "Seconds" else "left", overflow="fold")
    for blocks in _grouped(evaluation.execution.blocks if evaluation.execution else ()):
        block = blocks[0]
        style = _STYLES.get(block.ending, "red")
        table.add_row(
            _named(blocks),
            Text(block.ending.replace("_", " "), style=style),
            f"{block.seconds:.3f}" if block.was_run else "",
            _error(block, _code_of(block, evaluation, test_case)),
        )
    return table


def _grouped(blocks: Sequence[Block]) -> list[list[Block]]:
    """Each block by itself; of those that were not run there is nothing to say, so they share a row."""
    groups: list[list[Block]] = []
    for block in blocks:
        last = groups[-1][-1] if groups else None
        if last and not block.was_run and not last.was_run and block.kind is last.kind:
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def _named(blocks: Sequence[Block]) -> str:
    """`main code`, `unit test 3`, `unit tests 3 to 9`."""
    kind, first, last = _KINDS[blocks[0].kind], blocks[0].index + 1, blocks[-1].index + 1
    if blocks[0].kind is BlockKind.MAIN:
        return kind
    return f"{kind} {first}" if first == last else f"{kind}s {first} to {last}"


def _code_of(block: Block, evaluation: Evaluation, test_case: TestCase) -> str:
    if block.kind is BlockKind.MAIN:
        return evaluation.execution.extraction.code if evaluation.execution else ""
    codes = test_case.examples if block.kind is BlockKind.EXAMPLE else test_case.unit_tests
    return codes[block.index] if block.index < len(codes) else ""


def _error(block: Block, code: str) -> Text:
    """The error, and the line that failed as it stands in the code."""
    from rich.text import Text

    said = ": ".join(part for part in (block.error_type, block.message.strip()) if part)
    text = Text(_shortened(safe_text(said), _MOST_MESSAGE_LINES))
    lines = code.split("\n")
    if block.line and block.line <= len(lines):
        failing = safe_text(lines[block.line - 1].strip(), one_line=True)
        text.append(f"\nline {block.line}: " if said else f"line {block.line}: ", style="dim").append(
            failing, style="bold"
        )
    return text


def _shortened(text: str, most_lines: int) -> str:
    lines = text.split("\n")
    more = len(lines) - most_lines
    return text if more <= 0 else "\n".join([*lines[:most_lines], f"... {more} more lines"])


def _output(stdout: str) -> Iterator[Text]:
    from rich.text import Text

    if not stdout.strip():
        return
    lines = stdout.rstrip().split("\n")
    last = f"the last {_MOST_OUTPUT_LINES} of {len(lines)} lines" if len(lines) > _MOST_OUTPUT_LINES else ""
    yield Text(f"It printed{', ' * bool(last)}{last}:", style="dim")
    for line in lines[-_MOST_OUTPUT_LINES:]:
        yield Text(f"  {safe_text(line, one_line=True)}")


def _tampering(tampering: tuple[str, ...]) -> Text:
    from rich.text import Text

    told = safe_text("; ".join(tampering), one_line=True)
    return Text(f"Tampering with the judge: {told}. All unit tests count as failed.", style="bold red")


def _points(evaluation: Evaluation, test_case: TestCase) -> Text:
    """`PASS  100 points = 50 executed + 50 unit tests (4 of 4)`."""
    from rich.text import Text

    text = Text(evaluation.outcome.upper(), style=_OUTCOME_STYLES[evaluation.outcome])
    if evaluation.score is None:
        return text.append(f"  {safe_text(evaluation.void_reason)}", style="not bold")
    fractions = fractions_earned(evaluation, test_case)
    parts = (
        f"{number(100 * fraction / len(fractions))} {_criterion(criterion, evaluation)}"
        for criterion, fraction in fractions.items()
    )
    return text.append(f"  {number(evaluation.score)} of 100 points", style="bold default").append(
        f" = {' + '.join(parts)}", style="not bold default"
    )


def _criterion(criterion: Criterion, facts: Evaluation) -> str:
    match criterion:
        case Criterion.UNIT_TESTS:
            return f"unit tests ({facts.unit_tests_passed} of {facts.unit_tests_count})"
        case Criterion.EXAMPLES:
            return f"examples ({facts.examples_executed} of {facts.examples_count})"
        case _:
            return criterion.value


def number(value: float) -> str:
    """Two digits behind the point at most: 81.25, 33.33, 100."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
