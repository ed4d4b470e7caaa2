"""Measure how long it takes to load stored evaluations, against reading their bytes alone.

    python bench/load.py [--kind KIND] [--sizes N ...] [--rounds R] [--tree FOLDER] [--keep FOLDER]

floor      find the evaluation files and read their bytes, nothing more: the fastest way found, with one
           thread or with as many as the loader uses, whichever is quicker. A folder is opened once, a file
           by its short name; it is asked for its size, and one call reads it. (Plain `Path.read_bytes`
           takes about twice as long.)
build      the first load: find, read, decode, judge what is broken, write the index.
refresh    a load when nothing has changed: find, compare, take all from the index.

All are measured in turn, for several rounds, and the best of each counts: what else the machine does slows
a round, and nothing makes one faster. For the same reason the bars are held against the processor time of all
threads; the files are in memory by then, so there is nothing to wait for. The time on the clock stands beside
it. The bars are ratios to the floor of the same run. With several sizes the cost of a file must not grow with
their number.

The tree is made in a temporary folder (see load_tree.py), or `--tree` names one. The bars are those of a tree
like the published one. Our own evaluations are larger and take longer to decode: `--kind mixed` and `--kind
ours` measure them, and miss the bar of the build.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from load_tree import PUBLISHED_PAIRS, make_tree

from codejury.results.index.load import load_results

BARS = {"build": 2.5, "refresh": 1.0}
GROWTH_BAR = 1.5
THREADS = 2
SETTLE_SECONDS = 3.0

Folder = tuple[str, list[str]]


@dataclass(frozen=True)
class Seconds:
    """What one kind of work took: of all threads' processor time, and on the clock."""

    processor: float
    clock: float

    def __str__(self) -> str:
        return f"{self.processor:6.3f} s ({self.clock:.3f} on the clock)"


@dataclass(frozen=True)
class Cost:
    """The best of each kind of work, for one tree."""

    files: int
    megabytes: float
    floor: Seconds
    build: Seconds
    refresh: Seconds

    def ratio(self, what: str) -> float:
        return self.seconds(what) / self.floor.processor

    def each(self, what: str) -> float:
        """Microseconds for a file."""
        return 1e6 * self.seconds(what) / self.files

    def seconds(self, what: str) -> float:
        taken: Seconds = getattr(self, what)
        return taken.processor

    def __str__(self) -> str:
        lines = [f"{self.files:,} files, {self.megabytes:.1f} MB", f"  floor    {self.floor}"]
        lines += [
            f"  {what:8} {getattr(self, what)}  {self.ratio(what):5.2f}x  {self.each(what):6.1f} us/file"
            for what in BARS
        ]
        return "\n".join(lines)


# The floor


def find(root: str) -> list[Folder]:
    """Folders and the evaluations in them."""
    found, below = [], [root]
    while below:
        folder = below.pop()
        names = []
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("evaluation__"):
                    names.append(entry.name)
                elif not entry.name.endswith(".json") and entry.is_dir(follow_symlinks=False):
                    below.append(entry.path)
        if names:
            found.append((folder, names))
    return found


def read_folder(item: Folder) -> list[bytes]:
    place, names = item
    contents = []
    folder = os.open(place, os.O_RDONLY)
    for name in names:
        file = os.open(name, os.O_RDONLY, dir_fd=folder)
        contents.append(os.read(file, os.fstat(file).st_size + 1))
        os.close(file)
    os.close(folder)
    return contents


def floor(root: str, threads: int) -> tuple[int, int]:
    """How many files there are, and how many bytes in them."""
    folders = find(root)
    if threads == 1:
        contents = [data for folder in folders for data in read_folder(folder)]
    else:
        with ThreadPoolExecutor(threads) as pool:
            contents = [data for found in pool.map(read_folder, folders) for data in found]
    return len(contents), sum(map(len, contents))


# The measurement


def timed(work: Callable[[], object]) -> Seconds:
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return Seconds(time.process_time() - processor, time.perf_counter() - clock)


def best(taken: list[Seconds]) -> Seconds:
    return Seconds(min(one.processor for one in taken), min(one.clock for one in taken))


def measure(root: Path, rounds: int) -> Cost:
    files, size = floor(str(root), 1)
    floors, builds, refreshes = [], [], []
    for _ in range(rounds):
        floors += [timed(lambda threads=threads: floor(str(root), threads)) for threads in (1, THREADS)]
        with tempfile.TemporaryDirectory() as cache:
            os.environ["CODEJURY_CACHE"] = cache
            builds.append(timed(lambda: check(load_results(root).files, files)))
            refreshes.append(timed(lambda: check(load_results(root).files, files)))
    return Cost(files, size / 1e6, best(floors), best(builds), best(refreshes))


def check(found: int, wanted: int) -> None:
    if found != wanted:
        raise SystemExit(f"{found} files loaded, {wanted} are there")


def made(folder: Path, pairs: int, kind: str) -> Path:
    root = folder / f"{kind}-{pairs}"
    if not root.is_dir():
        root.mkdir(parents=True)
        seconds = timed(lambda: make_tree(root, pairs, kind=kind)).clock
        print(f"made {pairs:,} pairs in {seconds:.0f} s", flush=True)
        time.sleep(SETTLE_SECONDS)  # the index does not trust the marks of a file that has just changed
    return root


def missed(costs: list[Cost]) -> list[str]:
    """Bars that were not met."""
    misses = [
        f"{what} of {cost.files:,} files: {cost.ratio(what):.2f}x, bar {bar}x"
        for cost in costs
        for what, bar in BARS.items()
        if cost.ratio(what) > bar
    ]
    for what in BARS:
        growth = costs[-1].each(what) / costs[0].each(what)
        if growth > GROWTH_BAR:
            misses.append(
                f"{what} of a file costs {growth:.2f}x as much in the largest tree, bar {GROWTH_BAR}x"
            )
    return misses


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tree", type=Path, help="a tree that exists, instead of one that is made")
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[PUBLISHED_PAIRS], help="pairs of the trees made"
    )
    parser.add_argument("--kind", choices=("published", "ours", "mixed"), default="published")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--keep", type=Path, help="make the trees here, and use them again the next time")
    options = parser.parse_args()
    costs = []
    with tempfile.TemporaryDirectory() as temporary:
        for size in [0] if options.tree else sorted(options.sizes):
            root = options.tree or made(options.keep or Path(temporary), size, options.kind)
            costs.append(measure(root, options.rounds))
            print(costs[-1], flush=True)
    if misses := missed(costs):
        sys.exit("missed: " + "; ".join(misses))


if __name__ == "__main__":
    main()
