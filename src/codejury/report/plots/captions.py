"""The texts in pictures: names that fit and stay different, and what a picture is about. Needs no altair."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from ...errors import InputError

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """How pictures speak of a metric of the board."""

    axis: str
    mean: str
    """In a sentence: `by ...`, `... of 3 models`."""
    unit: str
    title: str


MEASURES: Final[Mapping[str, Measure]] = {
    "solved": Measure(
        axis="Solved (% of answers)", mean="share of answers that solve the task", unit="%", title="Solved"
    ),
    "score": Measure(axis="Mean score (points of 100)", mean="mean score", unit="points", title="Score"),
}


def need_columns(table: Any, columns: Iterable[str], picture: str) -> None:
    """InputError if a table is empty or lacks what a picture shows."""
    if missing := [name for name in columns if name not in table.columns]:
        raise InputError(f"{picture}: the table has no column {', '.join(missing)}")
    if table.is_empty():
        raise InputError(f"{picture}: there is nothing to draw, the table has no rows")


def label_columns(table: Any, measures: Sequence[str]) -> list[str]:
    """Return the columns in front of the first measure: what the rows of a leaderboard are grouped by."""
    columns = list(table.columns)
    ends = [columns.index(name) for name in measures if name in columns]
    return columns[: min(ends, default=1)] or columns[:1]


def row_names(table: Any, columns: Sequence[str]) -> list[str]:
    """Return one readable, unique name for each row."""
    parts = zip(*(table[name].to_list() for name in columns), strict=True)
    return shown_names([" · ".join("" if part is None else str(part) for part in row) for row in parts])


def number(value: float | None, digits: int = 1) -> str:
    return "n/a" if value is None else f"{value:.{digits}f}"


# ---- Names as they are shown: on one line, not too long, with nothing hidden in them, and all different.

LONGEST_NAME: Final = 44
_UNSAFE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def shown_names(names: Sequence[str], longest: int = LONGEST_NAME) -> list[str]:
    r"""Return names as they are shown: one line, not too long, and still different from each other.

    "a\x1b[31m" -> r"a\x1b[31m"     "" -> "(no name)"
    """
    shown: dict[str, None] = {}
    for name in (shown_name(name, longest) for name in names):
        others = (f"{name} ({number})" for number in count(2))
        shown[name if name not in shown else next(other for other in others if other not in shown)] = None
    return list(shown)


def by_name(names: Sequence[str], longest: int = LONGEST_NAME) -> Mapping[str, str]:
    """Return how each of some different names is shown."""
    return dict(zip(names, shown_names(names, longest), strict=True))


def shown_name(name: str, longest: int = LONGEST_NAME) -> str:
    """Return one name as it is shown."""
    return _shortened(_harmless(name) or "(no name)", longest)


def _harmless(name: str) -> str:
    return "".join(ascii(c)[1:-1] if unicodedata.category(c) in _UNSAFE else c for c in name).strip()


def _shortened(name: str, longest: int) -> str:
    """Long names lose their middle: both ends tell them apart, as in `accounts/…/dbrx-instruct`."""
    if len(name) <= longest:
        return name
    head = longest // 3
    return f"{name[:head]}…{name[-(longest - head - 1) :]}"


# ---- What a picture is about, for the lines below its title. Taken from the frame its table was made from


@dataclass(frozen=True, slots=True, kw_only=True)
class Caption:
    """The facts below a title. What is None or "" is left out."""

    samples: int | None = None
    cases: int | None = None
    julia: str = ""
    """Such as `Julia 1.10.4`."""
    source: str = ""
    """Whose results, such as a folder's name."""

    @property
    def facts(self) -> str:
        """`1,234 answers to 26 test cases · Julia 1.10.4`."""
        answers = "" if self.samples is None else f"{self.samples:,} answer{'s' * (self.samples != 1)}"
        cases = "" if self.cases is None else f"{self.cases:,} test case{'s' * (self.cases != 1)}"
        return " · ".join(part for part in (" to ".join(filter(None, (answers, cases))), self.julia) if part)


def caption_of(frame: polars.DataFrame, source: str = "") -> Caption:
    """Return the caption for pictures of a frame of evaluations. Void ones are not counted."""
    judged = frame.filter(frame["outcome"] != "void") if "outcome" in frame.columns else frame
    return Caption(
        samples=len(judged),
        cases=judged["test_case"].n_unique() if "test_case" in judged.columns else None,
        julia=_julia(judged),
        source=source,
    )


def caption_for(table: polars.DataFrame, caption: Caption | None) -> Caption:
    """The caption of a picture of these rows of a leaderboard: it counts the answers that are drawn."""
    known = caption or Caption()
    return replace(known, samples=int(table["samples"].sum())) if "samples" in table.columns else known


def _julia(frame: polars.DataFrame) -> str:
    """Which Julia judged: all versions there are, and whether some are not on record."""
    if "julia_version" not in frame.columns or frame.is_empty():
        return ""
    versions = frame["julia_version"].fill_null("").unique().sort().to_list()
    known = [version for version in versions if version]
    if not known:
        return "Julia version not recorded"
    unknown = ", some not recorded" if len(known) < len(versions) else ""
    return f"Julia {', '.join(known)}{unknown}"
