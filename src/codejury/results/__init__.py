"""Stored evaluations as tables: the index, statistics, and why answers fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .failures.table import classified as classified
    from .failures.table import failure_table as failure_table
    from .failures.table import void_table as void_table
    from .index.load import load_evaluations as load_evaluations
    from .index.load import load_results as load_results
    from .statistics.compare import compare as compare
    from .statistics.power import power as power
    from .statistics.power import spread_of as spread_of
    from .statistics.published import PUBLISHED_HISTORY as PUBLISHED_HISTORY
    from .statistics.published import published_table as published_table
    from .statistics.select import select as select
    from .statistics.tables import board as board
    from .statistics.tables import leaderboard as leaderboard
    from .statistics.tables import pairs as pairs
    from .statistics.tables import pivot as pivot

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "failures.table": ("classified", "failure_table", "void_table"),
        "index.load": ("load_evaluations", "load_results"),
        "statistics.compare": ("compare",),
        "statistics.power": ("power", "spread_of"),
        "statistics.published": ("PUBLISHED_HISTORY", "published_table"),
        "statistics.select": ("select",),
        "statistics.tables": ("board", "leaderboard", "pairs", "pivot"),
    },
)
