"""Summarise stored results through the library: a ranking, a pivot, a comparison, a plan.

    python examples/summarize_results.py [FOLDER]

FOLDER holds stored evaluations, Codejury's or the predecessor's: `results/code_generation` if left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

from codejury import CodejuryError, compare, load_evaluations
from codejury.results import board, pivot, power, spread_of


def main(folder: Path) -> pl.DataFrame:
    """Walk from files to conclusions; returns the ranking."""
    print("1. Load. Every evaluation is a row; the frame is plain polars, to filter as you like.")
    frame = load_evaluations(folder).filter(pl.col("strategy") == "1SHOT")
    print(f"   {frame.height:,} answers, {(frame['outcome'] == 'void').sum()} of them void")

    print("2. Rank. With 95 % confidence all true ranks are in these ranges.")
    whole = board(frame, seed=1)
    table = whole.table
    for sentence in whole.notes:
        print(f"   {sentence}")
    for row in table.head(10).iter_rows(named=True):
        print(f"   {_ranks(row):8}  {row['model']:40} {_solved(row)}  {row['samples']:,} answers")

    print("3. Look closer: does the prompt matter?")
    print(pivot(frame, "model", "prompt").head(5))

    print("4. Is the first really better than the second?")
    if table.height > 1:
        _compare(frame, *table["model"].head(2))

    print("5. What would a larger benchmark resolve? In points, found in 80 % of all cases:")
    if table.height > 1 and frame["test_case"].n_unique() > 2:
        print(power([10, 30, 100], [1, 5, 25], spread=spread_of(frame)).pivot("samples", index="cases"))
    return table


def _ranks(row: dict[str, int | None]) -> str:
    """`1 to 3`; who lacks answers is not ranked."""
    return "-" if row["rank_low"] is None else f"{row['rank_low']} to {row['rank_high']}"


def _solved(row: dict[str, float | None]) -> str:
    """`77.6 % (65.3 to 86.5)`; a single test case has no interval, and nothing is known of void answers."""
    if row["solved"] is None:
        return "-"
    known = row["low"] is not None and row["high"] is not None
    return f"{row['solved']:5.1f} %" + (f" ({row['low']:.1f} to {row['high']:.1f})" if known else "")


def _compare(frame: pl.DataFrame, a: str, b: str) -> None:
    result = compare(frame, a, b, seed=1)
    print(f"   {a} - {b}: {result.difference:+.1f} points, p = {result.p_value:.2g}")
    print(f"   wins {result.wins_a} to {result.wins_b} on {result.cases} test cases, {result.ties} tied")
    if not result.separated:
        print(f"   test cases needed to separate them: {result.cases_needed or 'no number will do'}")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else "results/code_generation"))
    except CodejuryError as exc:
        sys.exit(f"error: {exc}")
