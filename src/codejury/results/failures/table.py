"""A frame -> what failed in it and why. Reads, beside the frame, only the files of rows that lost points."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...errors import InputError
from ...records import Block, BlockKind, Ending, Evaluation, Execution, Extraction, Outcome
from ...store.read import read_conversation, read_evaluation
from .classify import explained, needs_answer
from .evidence import FULL_SCORE, Evidence, Failure, Kind, evidence_of

if TYPE_CHECKING:
    import polars


_THREADS: Final = 8
_LOOKED_AT: Final = (
    "test_case", "outcome", "score", "parsed", "executed", "unit_tests_count", "unit_tests_passed",
    "examples_count", "examples_executed", "rules_version", "extraction", "first_kind", "first_ending",
    "first_error_type", "first_message", "finish_reason", "file",
)  # fmt: skip
"""Columns that the rules look at: a frame can have a hundred."""
_RANK: Final = {kind.value: rank for rank, kind in enumerate(Kind)}


def classified(frame: polars.DataFrame, root: Path | str) -> polars.DataFrame:
    """Return the rows that lost points, with `kind`, `why`, `detail` and `points` (how many were lost).

    Files that cannot be read are no obstacle: then the frame alone tells.
    """
    import polars as pl

    lost = frame.filter(_lost_points())
    with ThreadPoolExecutor(_THREADS) as readers:
        rows = lost.select(_LOOKED_AT).iter_rows(named=True)
        failures = list(readers.map(lambda row: _failure(row, Path(root)), rows))
    return lost.with_columns(
        pl.Series("kind", [failure.kind.value for failure in failures], dtype=pl.String),
        pl.Series("why", [failure.why for failure in failures], dtype=pl.String),
        pl.Series("detail", [failure.detail for failure in failures], dtype=pl.String),
        (100.0 - pl.col("score")).alias("points"),
    )


def failure_table(
    frame: polars.DataFrame, root: Path | str, *, by: Sequence[str] = ("model",)
) -> polars.DataFrame:
    """Return how often each kind of failure occurs, by model or any other columns.

    Columns: `by`, then `kind`, `label`, `count`, `share` (of the judged answers), `of_failures` (of those
    that lost points), `points` (what it costs on average: all kinds together are what is missing to 100),
    `example` (the file of one). Sorted by what is lost in all, then by kind. Void ones are not in it.
    """
    return summarised(classified(frame, root), frame, by)


def summarised(
    failures: polars.DataFrame, frame: polars.DataFrame, by: Sequence[str] = ("model",)
) -> polars.DataFrame:
    """Return the table of `failure_table` from failures that are classified already, and all of the frame."""
    import polars as pl

    keys = list(by)
    counts = failures.group_by([*keys, "kind"]).agg(
        pl.len().cast(pl.Int64).alias("count"),
        pl.col("points").sum().alias("_points"),
        pl.col("file").sort().first().alias("example"),
    )
    totals = frame.filter(pl.col("outcome") != "void").group_by(keys).agg(pl.len().alias("_judged"))
    ranks = pl.col("kind").replace_strict(_RANK, return_dtype=pl.Int64)
    labels = {kind.value: kind.label for kind in Kind}
    return (
        counts.join(totals, on=keys, how="left")
        .with_columns(
            pl.col("kind").replace_strict(labels, return_dtype=pl.String).alias("label"),
            (pl.col("count") / pl.col("_judged")).alias("share"),
            (pl.col("count") / pl.col("count").sum().over(keys)).alias("of_failures"),
            (pl.col("_points") / pl.col("_judged")).alias("points"),
        )
        .with_columns(pl.col("points").sum().over(keys).alias("_lost"), ranks.alias("_rank"))
        .sort([pl.col("_lost"), *keys, pl.col("points"), pl.col("_rank")],
              descending=[True, *(False for _ in keys), True, False])
        .select([*keys, "kind", "label", "count", "share", "of_failures", "points", "example"])
    )  # fmt: skip


def spread_out(table: polars.DataFrame, value: str = "share") -> polars.DataFrame:
    """Return a failure table with a column for each kind, the costliest first; 0 where it does not occur."""
    import polars as pl

    keys = table.columns[: table.columns.index("kind")]
    kinds = (
        table.group_by("label").agg(pl.col("points").sum()).sort("points", "label", descending=[True, False])
    )
    wide = table.pivot("label", index=keys, values=value, aggregate_function="sum", sort_columns=False)
    return wide.select(*keys, *(pl.col(label).fill_null(0) for label in kinds["label"].to_list()))


def void_table(frame: polars.DataFrame, *, by: Sequence[str] = ("model",)) -> polars.DataFrame:
    """Return the reasons of void evaluations, with counts and the file of one. They are no failures."""
    import polars as pl

    return (
        frame.filter(pl.col("outcome") == "void")
        .with_columns(pl.col("void_reason").fill_null(""))
        .group_by([*by, "void_reason"])
        .agg(pl.len().cast(pl.Int64).alias("count"), pl.col("file").sort().first().alias("example"))
        .sort([*by, "count", "void_reason"], descending=[*(False for _ in by), True, False])
    )


def _lost_points() -> polars.Expr:
    """The same question as `evidence.lost_points`, of all rows at once."""
    import polars as pl

    return (pl.col("outcome") != "void") & (
        (pl.col("score") < FULL_SCORE) | (pl.col("unit_tests_passed") < pl.col("unit_tests_count"))
    )


def _failure(row: dict[str, Any], root: Path) -> Failure:
    """Read what this row needs, and classify it."""
    file = root / row["file"]
    evidence = _evidence(row, file)
    return explained(evidence.with_answer(_answer(file)) if needs_answer(evidence) else evidence)


def _evidence(row: dict[str, Any], file: Path) -> Evidence:
    """From the evaluation, where it tells more than the row and can be read."""
    if row["rules_version"] is not None:
        with suppress(InputError):
            stored = read_evaluation(file)
            return evidence_of(stored.evaluation, None, stored.completion.finish_reason)
    return evidence_of(_evaluation(row), None, row["finish_reason"] or "")


def _evaluation(row: dict[str, Any]) -> Evaluation:
    """As much of an evaluation as a row of the frame holds: of the blocks, the first that went wrong."""
    names = ("parsed", "executed", "unit_tests_count", "examples_count", "unit_tests_passed")
    return Evaluation(
        name=row["test_case"],
        **{name: row[name] for name in (*names, "examples_executed", "score", "rules_version")},
        outcome=Outcome(row["outcome"]),
        execution=_execution(row) if row["extraction"] else None,
    )


def _execution(row: dict[str, Any]) -> Execution:
    first = Block(
        kind=BlockKind(row["first_kind"] or BlockKind.MAIN),
        index=0,
        ending=Ending(row["first_ending"] or Ending.PASSED),
        error_type=row["first_error_type"] or "",
        message=row["first_message"] or "",
    )
    return Execution(
        parsed=row["parsed"],
        executed=row["executed"],
        extraction=Extraction(rule=row["extraction"], blocks_found=0, blocks_used=()),
        blocks=(first,),
        julia_version="",
        sandbox="",
    )


def _answer(evaluation: Path) -> str | None:
    """The text of the answer in the conversation beside an evaluation, if there is one."""
    beside = evaluation.with_name(evaluation.name.replace("evaluation__", "conversation__", 1))
    try:
        return read_conversation(beside).answer
    except InputError:
        return None
