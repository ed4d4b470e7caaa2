"""The verdicts of several Julias on one answer.

evaluation__<PROMPT>__<STRATEGY>__<TIMESTAMP>.json      the present verdict, whichever Julia gave it
julia-1.10.4__<PROMPT>__<STRATEGY>__<TIMESTAMP>.json    the verdict of another Julia, kept beside it

Both have the same keys. The prefix hides the second from readers that look for `evaluation__*` in all
folders, so that no table mixes versions of Julia unless it was asked to.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from ..errors import InputError
from .read import read_evaluation
from .samples import StoredSample

# 1.10.4, 1.13.0-rc1, 1.14.0-DEV.123: it becomes a part of a file name.
_VERSION: Final = re.compile(r"[0-9][0-9A-Za-z.+-]*")


def by_julia(sample: StoredSample, version: str) -> StoredSample:
    """The sample with the verdict of this Julia: the present one if it gave that, else the one beside it.

    There need not be one yet; then it is where that verdict will be.
    """
    if not _VERSION.fullmatch(version):
        raise InputError(f"{version!r}: not a version of Julia; one looks like 1.10.4")
    if sample.has_evaluation and _judged_by(sample) == version:
        return sample
    beside = replace(sample, julia=version, has_evaluation=False, outcome="")
    return replace(beside, has_evaluation=beside.evaluation.exists())


def _judged_by(sample: StoredSample) -> str:
    """The Julia of a stored verdict; "" where it names none, or cannot be read."""
    try:
        return read_evaluation(sample.evaluation).evaluation.julia_version
    except InputError:
        return ""
