"""Measure what the tables cost, as a multiple of loading the evaluations they are made of.

    python bench/analysis.py [--tree FOLDER] [--pairs N] [--rounds R]

load       the first load of the tree, without the index: find, read, decode
again      a load when nothing has changed, from the index
...        one line for each table: the leaderboard with intervals and ranks, pass@k, groupings, pivots, all
           pairs, a comparison, the spread for planning
all        the sum of the tables

Measured in turn, several rounds, and the best of each counts. The bar: all tables together cost no more than
twice the first load. The tree is made in a temporary folder (see load_tree.py), or `--tree` names one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
from load_tree import PUBLISHED_PAIRS, make_tree

from codejury.results.index.load import load_evaluations
from codejury.results.statistics.compare import compare
from codejury.results.statistics.mixtures import mixtures
from codejury.results.statistics.power import spread_of
from codejury.results.statistics.published import published_table
from codejury.results.statistics.tables import leaderboard, pairs, pivot

BAR = 2.0

Work = Callable[[], object]


def tables(frame: pl.DataFrame) -> dict[str, Work]:
    """Every table there is, as something to call."""
    first, second = frame["model"].unique().sort().to_list()[:2]
    return {
        "leaderboard by model": lambda: leaderboard(frame),
        "with pass@1 and pass@3": lambda: leaderboard(frame, passes=(1, 3)),
        "by prompt": lambda: leaderboard(frame, "prompt"),
        "by test case": lambda: leaderboard(frame, "test_case"),
        "by category": lambda: leaderboard(frame, "category"),
        "by model and prompt": lambda: leaderboard(frame, ("model", "prompt")),
        "by model and test case": lambda: leaderboard(frame, ("model", "test_case")),
        "pivot model x prompt": lambda: pivot(frame, "model", "prompt"),
        "pivot model x test case": lambda: pivot(frame, "model", "test_case"),
        "published table": lambda: published_table(frame),
        "all pairs": lambda: pairs(frame),
        "compare two": lambda: compare(frame, first, second),
        "spread": lambda: spread_of(frame),
        "what is mixed": lambda: mixtures(frame),
    }


def seconds(work: Work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def best(works: dict[str, Work], rounds: int) -> dict[str, float]:
    """The best time of each, in rounds that do all in turn: noise hits them alike."""
    times = [{name: seconds(work) for name, work in works.items()} for _ in range(rounds)]
    return {name: min(round_[name] for round_ in times) for name in works}


def measure(tree: Path, rounds: int) -> bool:
    """Print the table of costs; return whether the bar is met."""
    frame = load_evaluations(tree, cache=False)
    loads: dict[str, Work] = {
        "load": lambda: load_evaluations(tree, cache=False),
        "again": lambda: load_evaluations(tree),
    }
    costs = best({**loads, **tables(frame)}, rounds)
    load = costs["load"]
    counts = f"{frame['model'].n_unique()} models on {frame['test_case'].n_unique()} test cases"
    print(f"{frame.height:,} evaluations, {counts}; best of {rounds} rounds")
    for name, cost in costs.items():
        print(f"  {name:24} {cost:7.3f} s  {cost / load:6.3f} of a load")
    total = sum(cost for name, cost in costs.items() if name not in loads)
    print(f"  {'all':24} {total:7.3f} s  {total / load:6.3f} of a load (bar {BAR})")
    return total <= BAR * load


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tree", type=Path, help="a tree of evaluations, instead of a made one")
    parser.add_argument("--pairs", type=int, default=PUBLISHED_PAIRS, help="size of the made tree")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.tree:
        return int(not measure(options.tree, options.rounds))
    with tempfile.TemporaryDirectory(prefix="codejury-bench-") as folder:
        make_tree(Path(folder), options.pairs)
        return int(not measure(Path(folder), options.rounds))


if __name__ == "__main__":
    sys.exit(main())
