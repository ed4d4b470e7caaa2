"""First tries and rounds of repair: never averaged with each other.

first_tries       what a board counts
after_repairs     each sample as it stands after so many rounds, in place of its first try
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

from ...errors import InputError
from ...program import command
from .mixtures import number_of

_APART: Final = ("strategy", "round")
_NUMBERED: Final = ("model", "test_case", "prompt", "experiment", "parameters", "definition_hash", "sample")
_CHAIN: Final = (*_NUMBERED, "_turn")
_SPENT: Final = ("prompt_tokens", "completion_tokens", "reasoning_tokens", "elapsed", "cost")


def first_tries(frame: pl.DataFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """Without rounds of repair, unless these are grouped by and so stand apart."""
    return frame if any(name in by for name in _APART) else frame.filter(pl.col("round") == 0)


def without_repairs(frame: pl.DataFrame, by: Sequence[str]) -> Iterator[str]:
    """Say that rounds of repair are left out."""
    if repairs := frame.height - first_tries(frame, by).height:
        are = "is" if repairs == 1 else "are"
        yield (
            f"First tries only: {number_of(repairs, 'answer')} of repair rounds {are} left out; "
            "--after-repair N counts what the first N rounds came to."
        )


def after_repairs(frame: pl.DataFrame, rounds: int) -> pl.DataFrame:
    """Every sample as it stands after at most so many rounds: its last judged answer up to there.

    A sample that passes is not repaired, so its first try stands. Tokens, time and cost are those of all its
    answers up to there; unknown if one of them is.
    """
    if not (frame["round"] > 0).any():
        raise InputError(f"no result is a round of repair; `{command('run', '--repair', 'N')}` makes some")
    # The predecessor did not number its samples, so nobody knows which first try was repaired.
    chains = frame.filter((pl.col("round") <= rounds) & pl.col("sample").is_not_null())
    # Runs with other words can number their samples alike; then the first of them goes with the first repair.
    turn = pl.col("timestamp").rank("ordinal").over(*_NUMBERED, "round")
    chains = chains.with_columns(turn.alias("_turn"))
    judged = chains.filter(pl.col("outcome") != "void")
    last = pl.col("round") == pl.col("round").max().over(_CHAIN)
    spent = judged.group_by(_CHAIN).agg(
        *(pl.when(pl.col(name).is_not_null().all()).then(pl.col(name).sum()).alias(name) for name in _SPENT)
    )
    standing = (
        judged.filter(last).drop(_SPENT).join(spent, on=_CHAIN, nulls_equal=True, maintain_order="left")
    )
    void = chains.filter(pl.col("round") == 0).join(judged, on=_CHAIN, how="anti", nulls_equal=True)
    unnumbered = frame.filter((pl.col("round") == 0) & pl.col("sample").is_null())
    whole = pl.concat([part.select(frame.columns) for part in (standing, void, unnumbered)])
    return whole.with_columns(
        round=pl.lit(0, pl.Int64), strategy=pl.lit(f"after {number_of(rounds, 'repair')}")
    )
