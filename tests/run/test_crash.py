"""A run that is killed at any moment loses nothing that had reached the disk, and asks for none of it again.

A short campaign of `bench/crash.py`, which tells how it is done; run that for the long one.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from crash import campaign

KILLS = 30
SEED = 20240201


def test_a_run_killed_many_times_ends_with_every_sample_once_and_none_paid_for_twice(tmp_path):
    toll = campaign(tmp_path, KILLS, SEED)
    assert (toll.lost, toll.doubled, toll.asked_twice) == ([], [], [])
    assert KILLS < toll.survived < toll.wanted, "the kills came in the middle of the work"
