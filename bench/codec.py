"""Fuzz the codec between candidates and the referee: values made up at random, and their messages, damaged.

    python bench/codec.py --minutes 10

Prints how many values were the same on the other side, how many damaged messages were refused or still gave
values, the slowest of them, and the process's memory at its end compared with that after the first round.
A value that changed, or bytes that do anything but be refused, end it with a trace and exit code 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "judge" / "sandbox"))

from codec_peer import CodecPeer

ROUND = 200


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    totals, worst, first_memory = [0, 0, 0], 0.0, 0
    end = time.monotonic() + 60 * options.minutes
    with CodecPeer() as peer:
        seed = options.seed
        while time.monotonic() < end:
            seed += 1
            reply = peer.ask(f"random {seed} {ROUND}").split()
            if not reply:
                print(f"failed with seed {seed}")
                return 1
            totals = [total + int(count) for total, count in zip(totals, reply[:3], strict=True)]
            worst = max(worst, float(reply[3]))
            memory = resident(peer.pid)
            first_memory = first_memory or memory
    sent, values, refused = totals
    print(f"{sent} values were the same on the other side (seeds {options.seed + 1} to {seed})")
    print(
        f"{refused} damaged messages were refused, {values} were other values; the slowest took {worst:.3f} s"
    )
    print(f"memory at the end / after the first round: {memory / first_memory:.2f} ({memory / 1e6:.0f} MB)")
    return 0


def resident(pid: int) -> int:
    """Bytes of memory of a process."""
    [line] = [
        line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")
    ]
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    sys.exit(main())
