"""Answers that several Julias have judged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from codejury.exchange.rescore import RescoreSelection, rescore
from fakes import honest
from stored_trees import Script, Tree, judging

HERE = "1.10.0"
"""The Julia that the fake sandbox claims to be, unless told otherwise."""


def on(version: str, script: Script = honest) -> Script:
    """The script, run by this Julia."""
    return lambda job: replace(script(job), julia_version=version)


def judged_by(tree: Tree, version: str, script: Script = honest, **aim: Any) -> int:
    """Let one Julia judge what it has no verdict on; return how many that were."""
    selection = RescoreSelection(julia_version=version, beside=True, **aim)
    with judging(on(version, script)) as judge:
        return sum(1 for _ in rescore(tree.root, tree.lookup, selection, judge))
