"""What `codejury validate --strength` shows to a person, and what it tells them to do next.

Look        measures and shows as it goes
show_case   a section on one case, as soon as it is measured
show        the table at the end, and the verdict
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..program import command
from ..suite.strength.report import Bars, overall, strong_enough
from .render import output_console, safe_text, shown_path
from .strength import as_document, measure

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ..judge.judge import Judge
    from ..records import TestCase
    from ..suite.strength.measure import Options
    from ..suite.strength.report import MutantResult, StrengthReport


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthCommand:
    """One look at the strength of test cases, as the command line asks for it."""

    bars: Bars
    save: Path | None
    """Where to keep what was measured."""
    quiet: bool

    def measure(
        self, test_cases: Sequence[TestCase], options: Options, judge: Judge | None
    ) -> list[StrengthReport]:
        reports = measure(test_cases, options, judge, self._on_report)
        if not self.quiet:
            show(reports, self.bars)
        return reports

    def document(self, reports: Sequence[StrengthReport]) -> dict[str, Any]:
        """The JSON form."""
        return as_document(reports, self.bars)

    def satisfied(self, reports: Sequence[StrengthReport]) -> bool:
        return strong_enough(reports, self.bars)

    def _on_report(self, report: StrengthReport) -> None:
        from ..suite.strength.stored import save

        if self.save:
            save([report], self.save)  # `codejury suite` shows it
        if not self.quiet:
            show_case(report)


def show(reports: Sequence[StrengthReport], bars: Bars) -> None:
    """The table at the end, and the verdict."""
    if not reports:
        return
    console = output_console()
    console.print()
    console.print(_table(reports, bars))
    _show_verdict(console, reports, bars)


def show_case(report: StrengthReport) -> None:
    """A section on one case: its strength, each survivor, what else was found, and what to do next."""
    from rich.padding import Padding
    from rich.text import Text

    console = output_console()
    console.print()
    console.print(Text(_title(report), style="bold"))
    if report.unchecked_because:
        console.print(
            Text(f"  cannot be checked here: {safe_text(report.unchecked_because)}", style="yellow")
        )
        return
    console.print(Padding(Text(_summary(report)), (0, 0, 0, 2), expand=False))
    for result in report.survivors:
        _show_survivor(console, result)
    for line in _findings(report):
        console.print(line)
    for advice in _advice(report):
        console.print(Text(f"  -> {advice}", style="dim"))


def _title(report: StrengthReport) -> str:
    name = f"{report.category}/{report.name}" if report.category else report.name
    return safe_text(name, one_line=True)


def _summary(report: StrengthReport) -> str:
    """`strength 97.1 %: 66 of 68 mutants killed, 2 survive (2 marked equivalent); 24 cheats fail; 3.1 s`."""
    from ..suite.strength.report import Fate

    strength = "-" if report.strength is None else f"{report.strength:.1f} %"
    killed = report.count(Fate.KILLED)
    parts = [f"{killed} of {report.counted} mutants killed"]
    parts += [f"{count} {word}" for count, word in _asides(report) if count]
    return f"strength {strength}: {', '.join(parts)}; {report.seconds:.1f} s"


def _asides(report: StrengthReport) -> Iterator[tuple[int, str]]:
    from ..suite.strength.report import Fate

    yield report.count(Fate.EQUIVALENT), "marked equivalent"
    yield report.count(Fate.UNJUDGED), "not judged: the sandbox broke"
    yield report.left_out, "not drawn (see --max-mutants)"
    yield len(report.cheats) - len(report.passing_cheats), "cheats fail"


def _show_survivor(console: Console, result: MutantResult) -> None:
    from rich.padding import Padding
    from rich.text import Text

    mutant = result.mutant
    console.print(
        Text.assemble(
            ("  survives ", "bold red"), (mutant.id, "bold"), f"  line {mutant.line}, {mutant.operator}"
        )
    )
    for sign, lines, style in (("-", mutant.before, "red"), ("+", mutant.after, "green")):
        for line in _dedented(lines, mutant.before + mutant.after):
            text = Text(f"{sign} {safe_text(line)}", style=style)
            console.print(Padding(text, (0, 0, 0, 6), expand=False))


def _dedented(lines: Sequence[str], among: Sequence[str]) -> list[str]:
    indent = min((len(line) - len(line.lstrip()) for line in among if line.strip()), default=0)
    return [line[indent:] for line in lines]


def _findings(report: StrengthReport) -> Iterator[Text]:
    from rich.text import Text

    for cheat in report.passing_cheats:
        yield Text(f"  a cheat passes all tests: {safe_text(cheat.name, one_line=True)}", style="bold red")
    for one in report.unsteady:
        yield Text(f"  unit test {one.test + 1} {one.detail} ({one.trouble})", style="yellow")
    for test, name in report.unknown_names:
        yield Text(
            f"  unit test {test + 1} uses {safe_text(name)}, which the prompt never names", style="yellow"
        )
    for entry in report.stale_entries:
        yield Text(
            f"  equivalent_mutants.toml: {safe_text(entry)} matches no mutant any more", style="yellow"
        )
    for entry in report.wrong_entries:
        yield Text(
            f"  equivalent_mutants.toml: {safe_text(entry)} is killed, so not equivalent", style="yellow"
        )
    for fault in report.faulty_entries:
        yield Text(f"  {safe_text(fault)}", style="bold red")
    for line in report.unprintable:
        yield Text(f"  line {line}: cannot be printed back as it is, so it was not mutated", style="yellow")
    if report.redundant:
        yield Text(f"  no mutant needs unit test {_ranges(report.redundant)} of {report.tests}", style="dim")


def _ranges(tests: Sequence[int]) -> str:
    """Numbers from 0 as a person counts them: 0 1 2 5 -> `1-3, 6`."""
    runs: list[list[int]] = []
    for test in tests:
        if runs and test == runs[-1][-1] + 1:
            runs[-1].append(test)
        else:
            runs.append([test])
    return ", ".join(f"{run[0] + 1}-{run[-1] + 1}" if len(run) > 1 else f"{run[0] + 1}" for run in runs)


def _advice(report: StrengthReport) -> Iterator[str]:
    """What to do next, if anything."""
    from ..suite.strength.equivalents import FILE as EQUIVALENTS_FILE
    from ..suite.strength.equivalents import stanza

    if report.survivors:
        yield "add a unit test that only the solution passes (the prompt has to say it),"
        yield "or simplify the solution. If no test can tell them apart, add this to"
        yield f"{EQUIVALENTS_FILE} beside the definition, and say why:"
        yield from (f"  {line}" for line in stanza(report.survivors[0].mutant).splitlines())
    if report.passing_cheats:
        yield "add unit tests with other arguments and other results"
    if report.flaky:
        yield "make the flaky tests depend on nothing but their own code"
    if report.unknown_names:
        yield "name it in the prompt, or do without it in the tests"
    if report.stale_entries or report.wrong_entries:
        yield "remove those entries from equivalent_mutants.toml"
    if report.faulty_entries:
        yield "fix equivalent_mutants.toml: as it is, no mutant counts as equivalent"


def _table(reports: Sequence[StrengthReport], bars: Bars) -> Table:
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    from ..suite.strength.report import Fate

    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1), collapse_padding=True)
    table.add_column("Test case", overflow="fold", min_width=14)
    for heading in ("Strength", "Mutants", "Alive", "Equal", "Cheats", "Flaky", "Secs"):
        table.add_column(heading, justify="right")
    for report in reports:
        strength = "-" if report.strength is None else f"{report.strength:.1f} %"
        style = "green" if report.good_enough(bars.each) else "bold red"
        table.add_row(
            safe_text(report.name, one_line=True),
            Text(strength, style="dim" if report.unchecked_because else style),
            str(report.counted),
            str(len(report.survivors)),
            str(report.count(Fate.EQUIVALENT)),
            str(len(report.passing_cheats)),
            str(len(report.flaky)),
            f"{report.seconds:.1f}",
        )
    return table


def _next_steps(report: StrengthReport) -> Iterator[str]:
    """What is left before others see the test case."""
    from ..suite.requirements import is_bundled

    if report.path is None:
        return
    suite = str(shown_path(report.path.absolute().parents[2]))
    bundled = is_bundled(report.path)
    page = report.path.absolute().parents[3] / "docs" / "suite.md"  # of a checkout
    also = ", and write the page about the suite anew" if bundled and page.is_file() else ""
    yield f"Next: measure what an answer without content gets{also}:"
    yield f"  {command('suite', suite, '--stubs')}"
    if also:
        yield f"  {command('suite', suite, '--output', str(shown_path(page)))}"
    if bundled:
        yield "Then open a pull request."


def _show_verdict(console: Console, reports: Sequence[StrengthReport], bars: Bars) -> None:
    from rich.text import Text

    together = overall(reports)
    weak = [report for report in reports if not report.good_enough(bars.each)]
    if len(reports) > 1 and together is not None:
        console.print(Text(f"All together: {together:.1f} % (bar {bars.overall:g} %)", style="bold"))
    if weak:
        names = safe_text(", ".join(report.name for report in weak), one_line=True)
        console.print(Text(f"Not strong enough (bar {bars.each:g} %): {names}", style="bold red"))
    elif strong_enough(reports, bars):
        console.print(Text("Strong enough.", style="bold green"))
        if len(reports) == 1:
            for line in _next_steps(reports[0]):
                console.print(Text(safe_text(line), style="dim"), soft_wrap=True)
    else:
        console.print(Text("Each case is strong enough, but not all together.", style="bold red"))
