"""Sandboxes that other packages bring, by their entry point."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from codejury.errors import InputError
from codejury.judge.sandbox.factory import SandboxFactory
from codejury.settings import load_settings


@pytest.fixture
def installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package on the path that offers a sandbox named `paper`."""
    (tmp_path / "paper_sandbox.py").write_text(
        "class Paper:\n    level = 'paper'\n    julia_version = '1.0'\n    def close(self): pass\n"
    )
    metadata = tmp_path / "paper_sandbox-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: paper_sandbox\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[codejury.sandboxes]\npaper = paper_sandbox:Paper\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "paper_sandbox", raising=False)


@pytest.mark.usefixtures("installed_package")
def test_a_sandbox_of_another_package_is_used_when_asked_for() -> None:
    settings = load_settings({"CODEJURY_SANDBOX": "paper"})
    assert SandboxFactory(settings=settings)().level == "paper"


@pytest.mark.usefixtures("installed_package")
def test_an_unknown_sandbox_is_an_error_that_names_the_known_ones() -> None:
    settings = load_settings({"CODEJURY_SANDBOX": "papr"})
    with pytest.raises(InputError, match="no sandbox 'papr' is installed; installed: paper"):
        SandboxFactory(settings=settings)()
