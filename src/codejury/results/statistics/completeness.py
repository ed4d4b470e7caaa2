"""Who faced the same questions: what may be ranked, and what each of the others lacks.

A mean over easy test cases is no better than one over all of them, it only looks so. So groups are ranked by
questions that all the ranked ones have; a question is a test case under a prompt (of a model, where models
are not what is grouped by).

    counted(frame, by)                 the questions that at least half of the groups have an answer to; who
                                       lacks one of them, or too many samples, is not ranked
    counted(frame, by, common=True)    the questions that all groups have

A void answer is none. A group lacks samples where more than one in twenty is missing: void, or fewer than it
has on half of its own questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from ...errors import InputError
from .mixtures import listed, noun, number_of

_PARTS: Final = ("test_case", "prompt", "model")
_HOLDERS: Final = {
    "category": "test_case", "level": "test_case", "kind": "test_case", "provider": "model"
}  # fmt: skip
"""What belongs to one group by its nature, and so is not lacking in the others."""
_MOST_MISSING: Final = 0.05
_NAMED: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The answers that count for a board."""

    frame: pl.DataFrame
    """Those to the questions that count."""
    lacks: Mapping[tuple[object, ...], str] = field(default_factory=dict)
    """Of each group that cannot be ranked: what it lacks."""
    notes: tuple[str, ...] = ()
    """What is left out for everybody."""


def counted(frame: pl.DataFrame, by: Sequence[str], *, common: bool = False) -> Counted:
    """Choose the questions that count, and find out who lacks answers to them."""
    parts = _parts(by)
    answered = _per_question(frame, by, parts)
    judged = answered.filter(pl.col("judged") > 0)
    if judged.is_empty() or not parts:
        return Counted(frame=frame)
    present = judged.select(by).n_unique()
    least = present if common else (present + 1) // 2
    chosen = judged.group_by(parts).agg(pl.len().alias("groups")).filter(pl.col("groups") >= least)
    if chosen.is_empty():
        what = " and ".join(noun(part) for part in parts)
        raise InputError(
            f"no {what} has an answer of all {present} {noun(by[0])}s; "
            "--model, --prompt and --case leave some out"
        )
    notes = list(_left_out(judged, chosen, by, parts, common=common))
    frame = frame.join(chosen, on=parts, how="semi", nulls_equal=True)
    answered = answered.join(chosen, on=parts, how="semi", nulls_equal=True)
    return Counted(
        frame=frame, lacks=dict(_lacking(answered, chosen, by, parts, common=common)), notes=tuple(notes)
    )


def _parts(by: Sequence[str]) -> list[str]:
    """What a question consists of: all that is neither grouped by nor belongs to a group by its nature."""
    own = {_HOLDERS[name] for name in by if name in _HOLDERS}
    return [name for name in _PARTS if name not in by and name not in own]


def _per_question(frame: pl.DataFrame, by: Sequence[str], parts: Sequence[str]) -> pl.DataFrame:
    """For each group and question: `asked` and `judged`, the numbers of its answers."""
    return frame.group_by([*by, *parts]).agg(
        pl.len().cast(pl.Int64).alias("asked"), pl.col("score").count().cast(pl.Int64).alias("judged")
    )


def _left_out(
    judged: pl.DataFrame, chosen: pl.DataFrame, by: Sequence[str], parts: Sequence[str], *, common: bool
) -> Iterator[str]:
    """Which questions count for nobody, by the part that tells most: the fewest names."""
    rare = judged.join(chosen, on=list(parts), how="anti", nulls_equal=True)
    if rare.is_empty():
        return
    questions, kept = rare.select(parts).n_unique(), chosen.height
    who = f"all {noun(by[0])}s" if common else f"half of the {noun(by[0])}s"
    gone = [
        f"{noun(part)} {listed(sorted(names, key=str), _NAMED)}"
        for part in parts
        if (names := {*rare[part]} - {*chosen[part]})
    ]
    told = f": {'; '.join(gone)}" if gone else ""
    yield (
        f"Only what {who} answered counts: {number_of(kept, _question(parts))} of {kept + questions:,}{told}."
    )


def _question(parts: Sequence[str]) -> str:
    return noun(parts[0]) if len(parts) == 1 else "question"


def _lacking(
    answered: pl.DataFrame, chosen: pl.DataFrame, by: Sequence[str], parts: Sequence[str], *, common: bool
) -> Iterator[tuple[tuple[object, ...], str]]:
    """Each group that lacks something, and what. Where common questions count, nobody lacks samples."""
    wanted = pl.col("asked").quantile(0.5, "higher").over(by)
    per_group = (
        answered.with_columns(wanted.alias("wanted"))
        .group_by(by)
        .agg(
            (pl.col("judged") > 0).sum().cast(pl.Int64).alias("questions"),
            pl.col("wanted").sum().cast(pl.Int64),
            pl.min_horizontal("judged", "wanted").sum().cast(pl.Int64).alias("there"),
            (pl.col("asked") - pl.col("judged")).sum().alias("void"),
        )
    )
    for row in per_group.iter_rows(named=True):
        group = tuple(row[name] for name in by)
        if row["questions"] < chosen.height:
            own = answered.filter(*(pl.col(name).eq_missing(row[name]) for name in by), pl.col("judged") > 0)
            void = f"; {number_of(row['void'], 'sample')} void" if row["void"] else ""
            yield group, _missing_questions(own, chosen, parts) + void
        elif not common and row["there"] < (1 - _MOST_MISSING) * row["wanted"]:
            missing = row["wanted"] - row["there"]
            void = f" ({row['void']:,} void)" if row["void"] else ""
            yield group, f"{missing:,} of {row['wanted']:,} samples{void}"


def _missing_questions(own: pl.DataFrame, chosen: pl.DataFrame, parts: Sequence[str]) -> str:
    """`4 of 14 test cases`, or what else says it shortest."""
    if own.is_empty():
        return "every answer"
    for part in parts:
        there, all_of_them = own[part].n_unique(), chosen[part].n_unique()
        if there < all_of_them:
            return f"{all_of_them - there:,} of {number_of(all_of_them, noun(part))}"
    missing = chosen.join(own, on=list(parts), how="anti", nulls_equal=True)
    if list(parts) == ["test_case", "prompt"]:
        cases = number_of(missing["test_case"].n_unique(), "test case")
        return f"{listed(sorted({*missing['prompt']}), _NAMED)} on {cases}"
    return f"{missing.height:,} of {chosen.height:,} questions"
