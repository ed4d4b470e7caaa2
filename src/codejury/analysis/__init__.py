"""Stored results as estimates: a table of evaluations in, tables with honest uncertainty out.

    select, mixtures              which evaluations count; what is mixed in them
    board, leaderboard            a ranking
    pivot, pairs                  other tables
    after_repairs                 samples as they stand after rounds of repair
    compare                       two models against each other
    power, spread_of              what a planned benchmark could resolve
    published_table               the predecessor's tables

Pure: reads no files, draws nothing, prints nothing; same frame and seed, same numbers. The frame is that of
`codejury.index.load_evaluations`. The estimators are plain functions on numpy arrays:

    intervals      bootstrap over test cases         signs      the exact sign-flip test
    ranks          which ranks are sure               passing    pass@k
    spread         between and within test cases      quantiles  normal and t
    completeness   who faced the same questions       cells      from the frame to matrices
"""

from .comparing import Comparison, compare
from .mixing import mixtures
from .planning import power
from .published import PUBLISHED_HISTORY, PUBLISHED_PROMPTS, published_selection, published_table
from .repairs import after_repairs
from .selecting import select
from .spread import TYPICAL, Spread, spread_of
from .tables import Board, board, leaderboard, pairs, pivot, pooled

__all__ = [
    "PUBLISHED_HISTORY",
    "PUBLISHED_PROMPTS",
    "TYPICAL",
    "Board",
    "Comparison",
    "Spread",
    "after_repairs",
    "board",
    "compare",
    "leaderboard",
    "mixtures",
    "pairs",
    "pivot",
    "pooled",
    "power",
    "published_selection",
    "published_table",
    "select",
    "spread_of",
]
