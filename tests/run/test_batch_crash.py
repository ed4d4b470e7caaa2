"""Kills at every step of a batch: nothing is submitted twice, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from batch_crash import STAGES, batch_campaign

KILLS = 25
"""Of each format; `bench/crash.py --batches` makes more."""


@pytest.mark.parametrize("style", ["openai", "anthropic"])
def test_a_run_that_is_killed_again_and_again_submits_nothing_twice(
    tmp_path: Path, definitions: Path, style: str
) -> None:
    toll = batch_campaign(tmp_path / "results", definitions, style, kills=KILLS, seed=7)
    assert toll.kills == KILLS
    assert toll.submitted_twice == [], "a request was submitted twice"
    assert (toll.lost, toll.doubled) == ([], [])
    assert {where.partition(":")[0] for where in toll.where} == set(STAGES)
