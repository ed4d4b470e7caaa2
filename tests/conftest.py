"""Fixtures for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes import in_folders


@pytest.fixture
def definitions(tmp_path: Path) -> Path:
    """A folder with two test cases: maths/double and text/repeat."""
    return in_folders(tmp_path / "cases", "maths/double", "text/repeat")
