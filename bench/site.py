"""Measure the site of a tree of the published size: how long a build takes, and how much a reader loads.

    python bench/site.py [--tree FOLDER] [--pairs N] [--keep FOLDER]

loading    what the site is made from, read once by the project's own readers: `load_evaluations` without an
           index, and `read_conversation` for every conversation.
build      the whole site into an empty folder: board, views, pages, pictures, all answers packed.
again      the same once more, with nothing changed.

The bars: a build within 5 times the loading; the first view of the board at most 500 KB over the wire, as a
server without compression sends it, plots aside; and no shard over 100 KB, so that any answer opens with one.

The tree is made in a temporary folder (see load_tree.py), or `--tree` names one, such as the published data.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from load_tree import PUBLISHED_PAIRS, make_tree

from codejury.index import load_evaluations
from codejury.site import build_site
from codejury.site.shards import conversation_file
from codejury.store import read_conversation

BUILD_BAR = 5.0
FIRST_VIEW_BAR = 500_000
SHARD_BAR = 100_000


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def load(root: Path) -> int:
    """What is in the tree, decoded; the number of messages."""
    messages = 0
    for file in load_evaluations(root, cache=False)["file"]:
        conversation = root / conversation_file(file)
        if conversation.exists():
            messages += len(read_conversation(conversation).messages)
    return messages


def first_view(site: Path) -> int:
    """Bytes of the board's page and of everything it loads by itself."""
    page = (site / "index.html").read_text(encoding="utf-8")
    files = set(re.findall(r'<(?:script|link)\b[^>]*?(?:src|href)="([^"]+)"', page))
    return len(page.encode()) + sum((site / file).stat().st_size for file in files)


def measure(root: Path, site: Path) -> bool:
    evaluations = timed(lambda: load_evaluations(root, cache=False))
    loading = timed(lambda: load(root))
    steps: list[tuple[float, str]] = []
    start = time.perf_counter()
    built = build_site(root, site, report=lambda step: steps.append((time.perf_counter() - start, step)))
    build = time.perf_counter() - start
    again = timed(lambda: build_site(root, site))
    shards = [file.stat().st_size for file in (site / "answers").rglob("*.js")]
    view = first_view(site)
    print(f"{built.answers:,} answers, {built.files:,} files, {built.size / 1e6:.1f} MB")
    print(f"loading {loading:7.2f} s (evaluations alone {evaluations:.2f} s)")
    print(f"build   {build:7.2f} s {build / loading:5.2f}x ({build / evaluations:.2f}x of evaluations alone)")
    for at, step in steps:
        print(f"        {at:7.2f} s {step}")
    print(f"again   {again:7.2f} s")
    print(f"first view {view / 1e3:.0f} KB; {len(shards):,} shards, the largest {max(shards) / 1e3:.1f} KB")
    bars = {
        f"the build takes more than {BUILD_BAR:.0f} times the loading": build > BUILD_BAR * loading,
        "the first view is over 500 KB": view > FIRST_VIEW_BAR,
        "a shard is over 100 KB": max(shards) > SHARD_BAR,
    }
    for text in (text for text, missed in bars.items() if missed):
        print(f"MISSED: {text}")
    return not any(bars.values())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--pairs", type=int, default=PUBLISHED_PAIRS)
    parser.add_argument("--keep", type=Path, help="where the site is left, to be looked at")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = options.tree
        if root is None:
            root = Path(temporary, "tree")
            root.mkdir()
            print(
                f"made {options.pairs:,} pairs in {timed(lambda: make_tree(root, options.pairs)):.0f} s",
                flush=True,
            )
        return 0 if measure(root, options.keep or Path(temporary, "site")) else 1


if __name__ == "__main__":
    sys.exit(main())
