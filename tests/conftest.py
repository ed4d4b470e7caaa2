"""Fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codejury.judge import Judge
from codejury.records import Limits
from fakes import in_folders


@pytest.fixture
def definitions(tmp_path: Path) -> Path:
    """A folder with two test cases: maths/double and text/repeat."""
    return in_folders(tmp_path / "cases", "maths/double", "text/repeat")


@pytest.fixture(scope="session")
def jury() -> Iterator[Judge]:
    """A real judge with two warm workers, started once for all tests that only ask for verdicts."""
    with Judge(workers=2, limits=Limits(seconds=5)) as judge:
        yield judge
