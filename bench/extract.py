"""Measure how long it takes to read an answer, as a multiple of prose of the same size.

    python bench/extract.py [--megabytes N] [--rounds R]

Prose with one block of code in it is the measure. The others are what could make reading slow: fences,
quotes, backticks, brackets and comments, by themselves, inside a block, and behind a fence inside a
docstring, where the reader looks for the end of the block. Measured in turn, several rounds, and the best
of each counts. The bar: none takes longer than three times as long as prose.
"""

from __future__ import annotations

import argparse
import sys
import time

from codejury.judge.extract.snippets import find_snippets

BAR = 3.0
PROSE = "Some words of prose in a line of usual length, as they are written by most models.\n"
ALONE = (
    "```julia\n", "```\n", "~~~\n", '```julia\n"\n```\n', '```julia\n"""\n```\n', "```julia\n#=\n```\n",
    '```julia\nf("a") = x\n```\n', '```julia\nx = "$(\n```\n', '"', '"""', "`", "'", "#=", "$(", "(",
    "> a\n", "\n", "<think>", "</think>", "<pre><code>x</code></pre>\n", "    x\n", "julia> \n",
)  # fmt: skip
INSIDE = (
    '"', "`", "'", "#=", "#= =# ", '"$(', '"$(a)"', '"""', "(", "()", "begin ", "end ", "(x for ", '"a" ',
    "\\", "'a'", '"\n```\n', '"""\n```\n', 'julia> "\n', "```julia\n",
)  # fmt: skip
WRAPPINGS = {
    "in a block": ("```julia\n", "\n```\nx\n```\n"),
    "in a comment": ("```julia\n#=\n```\n", "\n```\nx\n```\n"),
    "in a docstring": ('```julia\n"""\n```\n', "\n```\nx\n```\n"),
    "behind a docstring": ('```julia\n"""\n```\n"""\n', "\n```\nx\n```\n"),
}


def texts(size: int) -> dict[str, str]:
    """All that is measured, by name; prose first."""
    made = {"prose": filled(PROSE, size) + "\n```julia\nf(x) = x\n```\n"}
    made |= {repr(piece): filled(piece, size) for piece in ALONE}
    for name, (before, after) in WRAPPINGS.items():
        made |= {f"{piece!r} {name}": before + filled(piece, size) + after for piece in INSIDE}
    return made


def filled(piece: str, size: int) -> str:
    return (piece * (size // len(piece) + 1))[:size]


def seconds(text: str) -> float:
    started = time.perf_counter()
    find_snippets(text)
    return time.perf_counter() - started


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    measured = texts(int(options.megabytes * 1_000_000))
    rounds = [{name: seconds(text) for name, text in measured.items()} for _ in range(options.rounds)]
    best = {name: min(one[name] for one in rounds) for name in measured}
    measure = best["prose"]
    for name, taken in sorted(best.items(), key=lambda one: one[1]):
        print(f"{taken / measure:6.2f}  {taken:.3f} s  {name}")
    worst = max(best.values()) / measure
    print(f"\nThe slowest takes {worst:.1f} times as long as prose; the bar is {BAR:g}.")
    return 0 if worst <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
