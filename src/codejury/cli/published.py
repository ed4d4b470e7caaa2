"""`codejury leaderboard --preset published`: the predecessor's tables, by its own rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import InputError
from .result_cells import plain_columns
from .result_output import FOR_PROGRAMS, Format, print_notes, print_plain, print_rows
from .results import tell

if TYPE_CHECKING:
    import polars as pl


def show_published(
    frame: pl.DataFrame,
    names: tuple[str, ...],
    style: Format,
    *,
    wide: bool,
    seed: int,
    passes: Sequence[int],
) -> None:
    """Print the table as it was published; for programs the usual columns, unrounded and without ranks."""
    from ..results.statistics.mixtures import mixtures
    from ..results.statistics.published import published_table
    from ..results.statistics.tables import pivot, pooled

    mixed = mixtures(frame, names)
    if style in FOR_PROGRAMS:
        print_rows(pooled(frame, names, seed=seed, passes=passes), style)
        tell(mixed)
        return
    if len(names) == 1:
        columns = plain_columns(published_table(frame, names), digits=None)  # it is rounded already
    else:
        columns = plain_columns(pivot(frame, names[0], names[1], "score", weighed=False))
    print_plain(columns, style, wide=wide)
    rules = ["By the rules of the published tables, and rounded as they are."]
    across = [f"Mean scores: {names[0]} down, {names[1]} across."] if len(names) == 2 else []
    (print_notes if style is Format.TABLE else tell)([*rules, *across, *mixed])


def published_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """The answers that its tables count."""
    from ..results.statistics.published import published_selection

    chosen = published_selection(frame)
    if chosen.is_empty():
        raise InputError("no result has one of the five prompts that the published tables count")
    return chosen
