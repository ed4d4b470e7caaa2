"""What a table mixes that should not be mixed unawares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

_NAMED: Final = 4
_NOUNS: Final = {"test_case": "test case", "prompt": "prompt", "model": "model"}


def mixtures(frame: pl.DataFrame, by: Sequence[str] = ("model",), *, best: Sequence[str] = ()) -> list[str]:
    """Sentences on what the rows of a table have not in common; none if all is alike.

    What is grouped by (or filtered by) is not mixed. Names stand in the order of `best`, the first of a
    ranking first, then by letter.
    """
    scored = frame.filter(pl.col("score").is_not_null())
    if not scored.height:
        return []
    return [
        *(() if "rules_version" in by else _judges(scored)),
        *_versions(scored, "julia_version", "versions of Julia", by),
        *_packages(scored, by),
        *_versions(scored, "strategy", "strategies", by),
        *_versions(scored, "experiment", "experiments", by),
        *_hashes(scored, "definition_hash", "test_case", "judged with several versions of the definition"),
        *_hashes(scored, "prompt_hash", "prompt", "asked in several wordings"),
        *_hashes(scored, "parameters", "model", "asked with several sets of parameters", by, best),
        *(_gaps(scored, by) if len(by) > 1 else ()),  # of one grouping `completeness` tells more
    ]


def _judges(scored: pl.DataFrame) -> Iterator[str]:
    """The predecessor recorded no version of its rules."""
    counts = _counts(scored, "rules_version")
    if len(counts) < 2:
        return
    names = [
        f"{'the predecessor' if name is None else f'version {name}'} ({count:,})" for name, count in counts
    ]
    yield f"Mixes verdicts by different judging rules: {', '.join(names)}."


def _versions(scored: pl.DataFrame, column: str, what: str, by: Sequence[str]) -> Iterator[str]:
    counts = [(name, count) for name, count in _counts(scored, column) if name is not None]
    if len(counts) < 2 or column in by:
        return
    named = ", ".join(f"{name or '(none)'} ({count:,})" for name, count in counts[:_NAMED])
    more = f" and {len(counts) - _NAMED} more" if len(counts) > _NAMED else ""
    yield f"Mixes {what}: {named}{more}."


def _packages(scored: pl.DataFrame, by: Sequence[str]) -> Iterator[str]:
    """One Julia package in several versions; verdicts that had no packages at hand say nothing."""
    if "packages" in by:
        return
    seen: dict[str, Counter[str]] = {}
    for listed_packages, count in _counts(scored.filter(pl.col("packages").is_not_null()), "packages"):
        for package in str(listed_packages).split(", "):
            name, _, version = package.rpartition(" ")
            seen.setdefault(name, Counter())[version] += count
    differing = [
        f"{name} " + ", ".join(f"{version} ({count:,})" for version, count in counts.most_common(_NAMED))
        for name, counts in sorted(seen.items())
        if len(counts) > 1
    ]
    if differing:
        yield f"Mixes versions of Julia packages: {listed(differing)}."


def _counts(scored: pl.DataFrame, column: str) -> list[tuple[object, int]]:
    """Each value with its number of samples, most frequent first."""
    counted = scored.group_by(column).len().sort(["len", column], descending=[True, False])
    return [(name, int(count)) for name, count in counted.iter_rows()]


def _hashes(
    scored: pl.DataFrame,
    column: str,
    within: str,
    what: str,
    by: Sequence[str] = (),
    best: Sequence[str] = (),
) -> Iterator[str]:
    """One name, several contents. A repair round has another wording by its nature."""
    if any(name == column or name.startswith("parameter.") for name in by):
        return
    keys = [within] if column != "prompt_hash" else [within, "strategy"]
    several = (
        scored.filter(pl.col(column).is_not_null())
        .group_by(keys)
        .agg(pl.col(column).n_unique().alias("n"))
        .filter(pl.col("n") > 1)
    )
    place = {name: number for number, name in enumerate(best)}
    names = sorted({*several[within]}, key=lambda name: (place.get(name, len(place)), name))
    if names:
        were = f"1 {_NOUNS[within]} was" if len(names) == 1 else f"{len(names)} {_NOUNS[within]}s were"
        yield f"{were} {what}: {listed(names)}."


def _gaps(scored: pl.DataFrame, by: Sequence[str]) -> Iterator[str]:
    """Groups that did not face the same questions have means of different things."""
    for column in ("test_case", "prompt"):
        nested = column == "test_case" and not {"category", "level", "kind"}.isdisjoint(by)
        if column in by or nested:
            continue
        total = scored[column].n_unique()
        counted = scored.group_by(list(by)).agg(pl.col(column).n_unique().alias("n")).sort(list(by))
        short = counted.filter(pl.col("n") < total)
        if short.height:
            names = [
                f"{' / '.join(str(part) for part in row[:-1])} ({row[-1]} of {total})"
                for row in short.iter_rows()
            ]
            yield f"Not everybody faced the same {_NOUNS[column]}s: {listed(names)}."


# ---- Words for notes: columns as nouns, numbers with them, and lists that end.


def noun(column: str) -> str:
    """test_case -> test case; parameter.temperature -> temperature."""
    return column.removeprefix("parameter.").replace("_", " ")


def number_of(amount: int, what: str) -> str:
    """1, "sample" -> 1 sample; 1200 -> 1,200 samples; category -> categories."""
    if amount == 1:
        return f"1 {what}"
    return f"{amount:,} {what[:-1]}ies" if what.endswith("y") else f"{amount:,} {what}s"


def listed(names: Sequence[object], most: int = 4) -> str:
    """a, b, c, d and 3 more."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(str(name) for name in names[:most]) + more
