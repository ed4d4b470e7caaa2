"""What a picture is about, for the lines below its title. Taken from the frame its table was made from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars


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
