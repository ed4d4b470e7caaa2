"""Stored results as estimates: a table of evaluations in, tables with honest uncertainty out.

    select, mixtures              which evaluations count; what is mixed in them
    leaderboard, pivot, pairs     the tables
    compare                       two models against each other
    power, spread_of              what a planned benchmark could resolve
    published_table               the predecessor's tables

Pure: reads no files, draws nothing, prints nothing; same frame and seed, same numbers. The frame is that of
`codejury.index.load_evaluations`. The estimators are plain functions on numpy arrays:

    intervals    bootstrap over test cases         signs      exact sign-flip tests, Holm, joint step-down
    passing      pass@k                            tiers      who shares a tier
    spread       between and within test cases     quantiles  normal and t
    cells        from the frame to matrices
"""

from .comparing import Comparison, compare
from .mixing import mixtures
from .planning import power
from .published import PUBLISHED_HISTORY, PUBLISHED_PROMPTS, published_selection, published_table
from .selecting import select
from .spread import TYPICAL, Spread, spread_of
from .tables import leaderboard, pairs, pivot

__all__ = [
    "PUBLISHED_HISTORY",
    "PUBLISHED_PROMPTS",
    "TYPICAL",
    "Comparison",
    "Spread",
    "compare",
    "leaderboard",
    "mixtures",
    "pairs",
    "pivot",
    "power",
    "published_selection",
    "published_table",
    "select",
    "spread_of",
]
