"""The page about a suite: every test case with what it is after, how strong it is, and how it fares.

read_suite     definitions and stored strengths -> SuiteCase for each
item_values    evaluations -> how hard each case is, and how well it separates models
suite_page     both -> the markdown of docs/suite.md
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ...judge.toolchain.environment import dependencies
from ...records import CANARY, Level, TestCase
from ..requirements import aim_of, run_with
from ..suite import Suite
from .stored import FILE, StoredStrength, fingerprint, load

if TYPE_CHECKING:
    import polars as pl


_FEWEST_MODELS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCase:
    """One test case as the page shows it."""

    category: str
    name: str
    aim: str
    """What its author is after: a comment at the top of the file."""
    level: str
    kind: str
    tests: int
    examples: int
    lines: int
    """Of the reference solution, without blank ones and comments."""
    strength: StoredStrength | None
    current: bool
    """The strength was measured on the definition as it is now."""
    packages: tuple[str, ...] = ()
    """Those of its imports that Julia does not bring along."""
    run_with: str = ""
    """Where it needs packages: what it has been run with, a comment at the top of the file; "" if never."""

    @property
    def key(self) -> str:
        return f"{self.category}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemValue:
    """How a test case fared with models."""

    mean_score: float
    item_rest: float | None
    """Correlation, over models, of the score here with the score on all other cases; None if unknown."""
    models: int


def read_suite(root: Path, suite: Suite | None = None) -> list[SuiteCase]:
    """The test cases below a folder, with the strengths kept in it; without those that cannot be used.

    Which those are is in the notes of the `suite`, if one is given.
    """
    strengths = load(root / FILE)
    installable = dependencies(root)
    found = (suite or Suite.below(root)).usable()
    return [_suite_case(case, case.path, strengths, installable) for case in found if case.path]


def _suite_case(
    case: TestCase, file: Path, strengths: Mapping[str, StoredStrength], installable: frozenset[str]
) -> SuiteCase:
    strength = strengths.get(f"{case.category}/{case.name}")
    text = file.read_text(encoding="utf-8")
    return SuiteCase(
        category=case.category,
        name=case.name,
        aim=aim_of(text),
        level=case.level,
        kind=case.kind,
        tests=len(case.unit_tests),
        examples=len(case.examples),
        lines=_code_lines(case),
        strength=strength,
        current=strength is not None and strength.fingerprint == fingerprint(case),
        packages=tuple(name for name in case.imports if name in installable),
        run_with=run_with(text),
    )


def _code_lines(case: TestCase) -> int:
    lines = (line.strip() for line in case.reference_solution.splitlines())
    return sum(bool(line) and not line.startswith("#") for line in lines)


def item_values(frame: pl.DataFrame) -> dict[str, ItemValue]:
    """For each test case, by name: its mean score over models, and how it goes with all the others.

    Two models or fewer, or a case on which all score alike, give no correlation.
    """
    import polars as pl

    means = (
        frame.filter(pl.col("score").is_not_null())
        .group_by("test_case", "model")
        .agg(pl.col("score").mean())
        .sort("test_case", "model")
    )
    scores: dict[str, dict[str, float]] = {}
    for test_case, model, score in means.iter_rows():
        scores.setdefault(test_case, {})[model] = score
    return {name: _item_value(name, scores) for name in scores}


def _item_value(name: str, scores: Mapping[str, Mapping[str, float]]) -> ItemValue:
    own = scores[name]
    pairs = []
    for model, score in own.items():
        rest = [others[model] for case, others in scores.items() if case != name and model in others]
        if rest:
            pairs.append((score, sum(rest) / len(rest)))
    return ItemValue(
        mean_score=sum(own.values()) / len(own),
        item_rest=_correlation(pairs) if len(pairs) >= _FEWEST_MODELS else None,
        models=len(own),
    )


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Pearson's; None where one side never varies."""
    from statistics import StatisticsError, correlation

    try:
        return correlation([one for one, _ in pairs], [other for _, other in pairs])
    except StatisticsError:
        return None


def suite_page(
    cases: Sequence[SuiteCase], items: Mapping[str, ItemValue] | None = None, *, linked: bool = True
) -> str:
    """The page in markdown, with links to the pages of the documentation beside it, or without."""
    parts = [_head(cases, items or {}, linked=linked)]
    by_category = sorted(cases, key=lambda case: (case.category, case.name))
    for category, members in groupby(by_category, key=lambda case: case.category):
        parts.append("\n".join([f"## {category.replace('_', ' ')}", "", *_table(list(members), items or {})]))
    if needing := [case for case in by_category if case.packages]:
        parts.append("\n".join(_packages(needing)))
    return "\n\n".join(parts) + "\n"


def _packages(cases: Sequence[SuiteCase]) -> Iterator[str]:
    yield "## Test cases that need packages"
    yield ""
    yield "Where a package is not installed they are void: `codejury setup --packages` installs them."
    yield ""
    yield _row(["Test case", "Packages", "Run with"])
    yield _row(["---", "---", "---"])
    for case in cases:
        yield _row([case.name, ", ".join(case.packages), case.run_with or "not yet run"])


def _head(cases: Sequence[SuiteCase], items: Mapping[str, ItemValue], *, linked: bool) -> str:
    more = ": [strength.md](strength.md)" if linked else ""
    measured = [case.strength for case in cases if case.strength]
    counted = sum(one.killed + one.survived for one in measured)
    killed = sum(one.killed for one in measured)
    categories = len({case.category for case in cases})
    strength = f"Together they kill {100 * killed / counted:.1f} % of {counted:,} mutants." if counted else ""
    lines = [
        "# The suite",
        "",
        "This page is made by `codejury suite`; do not edit it.",
        "",
        f"Not for training. Codejury canary: {CANARY}",
        "",
        f"{len(cases)} test cases in {categories} categories. {strength}".rstrip(),
        "",
        "Strength is the share of mutants (the solution with one small fault) that the unit tests notice,",
        f"without those marked equivalent{more}. Lines are those of the solution.",
        "",
        f"{_levels(cases)}.{' How they got their levels: [calibration.md](calibration.md).' * linked}",
    ]
    if items:
        lines += [
            "Mean score is that of all models asked. Separation is the item-rest correlation: how the score",
            "here goes, over models, with the score on all other cases; near 0, a case says little.",
        ]
    return "\n".join(lines)


def _levels(cases: Sequence[SuiteCase]) -> str:
    """`12 are basic, 100 core and 11 hard`."""
    counts = Counter(case.level for case in cases)
    told = [f"{counts[level.value]} {level.value}" for level in Level]
    return f"By level: {', '.join(told)}"


def _table(cases: Sequence[SuiteCase], items: Mapping[str, ItemValue]) -> Iterator[str]:
    headings = ["Test case", "After", "Level", "Kind", "Strength", "Mutants", "Tests", "Examples", "Lines"]
    headings += ["Mean score", "Separation"] * bool(items)
    yield _row(headings)
    yield _row(["---", "---", "---", "---", *["---:"] * (len(headings) - 4)])
    for case in cases:
        yield _row([*_cells(case), *(_item_cells(items.get(case.name)) if items else ())])


def _cells(case: SuiteCase) -> list[str]:
    folder = f"../code_generation/{case.key}/definition.toml"
    strength = case.strength
    value = "-" if strength is None or strength.strength is None else f"{strength.strength:.1f} %"
    return [
        f"[{case.name}]({folder})",
        case.aim.replace("|", "\\|"),
        case.level,
        case.kind,
        value if case.current or strength is None else f"{value} (older)",
        str(strength.killed + strength.survived) if strength else "-",
        str(case.tests),
        str(case.examples),
        str(case.lines),
    ]


def _item_cells(item: ItemValue | None) -> list[str]:
    if item is None:
        return ["-", "-"]
    return [f"{item.mean_score:.1f}", "-" if item.item_rest is None else f"{item.item_rest:.2f}"]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
