"""Measure the site of a tree of the published size: how long a build takes, and how much a reader loads.

    python bench/site.py [--tree FOLDER] [--pairs N] [--keep FOLDER]

loading    what the site is made from, read once by the project's own readers: `load_evaluations` without an
           index, and `read_conversation` for every conversation.
build      the whole site into an empty folder: board, views, pages, pictures, all answers packed.
again      the same once more, with nothing changed.
one model  the same after each evaluation of one model was judged anew.
plot       `codejury leaderboard --plot`, as a PNG.

The bars: a build within 5 times the loading; with nothing changed at most 1 s over the program's start; with
one model changed at most a fifth of a whole build; a plot within 2 s, imports included; the first view of the
board at most 500 KB over the wire, as a server without compression sends it, plots aside; and no shard over
100 KB, so that any answer opens with one. The last three steps are commands in processes of their own, and
their bars are of processor time, all threads together: on a machine that does other things as well, the clock
would tell of those.

The tree is made in a temporary folder (see load_tree.py), or `--tree` names one, such as a copy of the
published data: some of its files are changed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from load_tree import PUBLISHED_PAIRS, make_tree

from codejury.report.site.build import build_site
from codejury.report.site.shards import conversation_file
from codejury.results.index.load import load_evaluations
from codejury.store.read import read_conversation

BUILD_BAR = 5.0
FIRST_VIEW_BAR = 500_000
SHARD_BAR = 100_000
AGAIN_BAR = 1.0
ONE_MODEL_BAR = 0.2
PLOT_BAR = 2.0


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


def command(*words: object) -> float:
    """Run a command of codejury as users have it, with its bytecode kept; the processor time that it took."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    arguments = [sys.executable, "-m", "codejury", *map(str, words)]
    quiet = subprocess.DEVNULL
    subprocess.run(arguments, check=True, env=environment, stdout=quiet, stderr=quiet)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def judge_again(root: Path) -> int:
    """Change every evaluation of one model; how many these are."""
    model = load_evaluations(root)["model"].min()
    files = list(root.glob(f"*/*/{model}/evaluation__*.json"))
    for file in files:
        stored = json.loads(file.read_bytes())
        file.write_text(json.dumps(stored | {"elapsed_seconds": stored["elapsed_seconds"] + 1}))
    return len(files)


def measure_commands(root: Path, folder: Path) -> dict[str, bool]:
    """How quick the commands are when little changed, and which bars they miss."""
    site = ("site", "build", "--root", root, "--output", folder / "quick")
    start = min(command("--version") for _ in range(3))
    whole = command(*site)
    again = min(command(*site) for _ in range(3))
    changed = judge_again(root)
    one = command(*site)
    plot = min(command("leaderboard", "--root", root, "--plot", folder / "plot.png") for _ in range(3))
    print(
        f"processor time: start {start:.2f} s, whole build {whole:.2f} s, nothing changed {again:.2f} s, ",
        end="",
    )
    print(
        f"{changed} evaluations of one model changed {one:.2f} s ({one / whole:.2f} of it), plot {plot:.2f} s"
    )
    return {
        f"with nothing changed it takes more than {AGAIN_BAR} s over the start": again - start > AGAIN_BAR,
        "with one model changed it takes more than a fifth of a whole build": one > ONE_MODEL_BAR * whole,
        f"a plot takes more than {PLOT_BAR} s": plot > PLOT_BAR,
    }


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
    with tempfile.TemporaryDirectory() as folder:
        quick = measure_commands(root, Path(folder))
    bars = quick | {
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
