"""Measure what a judge that stays warm saves: `codejury evaluate` of the same answer, cold and warm, in turn.

    python bench/warm.py [--rounds N]

cold    CODEJURY_WARM_MINUTES=0: the command starts Julia, and ends it
warm    served by the judge that an earlier command has left
bare    `codejury --version`: what any command of ours takes to start

Medians of the rounds, and the ratio of cold to warm. The sockets lie in a folder of the bench's own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

PROGRAM = (sys.executable, "-m", "codejury")
ANSWER = "```julia\nwrap_words(text, width) = String[]\n```\n"


def seconds(words: list[str], environ: dict[str, str]) -> float:
    """How long a command takes."""
    began = time.perf_counter()
    subprocess.run([*PROGRAM, *words], env=environ, check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "answer.md")
        answer.write_text(ANSWER)
        words = ["evaluate", "wrap_words", str(answer)]
        warm = os.environ | {"XDG_RUNTIME_DIR": folder, "CODEJURY_WARM_MINUTES": "10"}
        cold = warm | {"CODEJURY_WARM_MINUTES": "0"}
        try:
            first = seconds(words, warm)
            pairs = [
                (seconds(words, cold), seconds(words, warm), seconds(["--version"], cold))
                for _ in range(rounds)
            ]
        finally:
            seconds(["judge-server", "stop"], warm)
    cold_one, warm_one, bare = map(median, zip(*pairs, strict=True))
    print(f"first     {first:6.2f} s   it starts the judge that stays warm")
    print(f"cold      {cold_one:6.2f} s")
    print(f"warm      {warm_one:6.2f} s")
    print(f"bare      {bare:6.2f} s")
    print(f"cold / warm: {cold_one / warm_one:.1f}")


if __name__ == "__main__":
    main()
