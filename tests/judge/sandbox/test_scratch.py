"""Folders that candidates write to: nobody's are touched, and none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from codejury.judge.sandbox import scratch
from codejury.judge.sandbox.scratch import PREFIX, HostScratch, sweep_up

OWNER = """
import time
from codejury.judge.sandbox.scratch import HostScratch
print(HostScratch().folder, flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands for /tmp, where nothing is too young to be looked at."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "NEWBORN_SECONDS", -60.0)
    return tmp_path


def test_a_scratch_goes_with_all_that_is_in_it(own_folder: Path) -> None:
    made = HostScratch()
    closed = made.folder / "closed"
    closed.mkdir()
    (closed / "file").touch()
    closed.chmod(0)
    made.close()
    assert list(own_folder.iterdir()) == []


def test_what_a_killed_process_left_is_swept_up_but_never_what_is_in_use(own_folder: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(own_folder)},
    )
    assert owner.stdout
    folder = Path(owner.stdout.readline().strip())
    (folder / "left").touch()
    sweep_up()
    assert (folder / "left").exists(), "its owner was alive"
    owner.send_signal(signal.SIGKILL)
    owner.communicate()
    made = HostScratch()
    assert [made.folder.parent] == list(own_folder.iterdir())
    made.close()


def test_a_scratch_that_is_just_being_made_is_let_be(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "NEWBORN_SECONDS", 60.0)
    newborn = Path(tempfile.mkdtemp(prefix=PREFIX))
    sweep_up()
    assert newborn.exists()
    long_ago = time.time() - 3600
    os.utime(newborn, (long_ago, long_ago))
    sweep_up()
    assert not newborn.exists()


def test_what_only_bears_such_a_name_is_nothing_of_ours(own_folder: Path) -> None:
    results, elsewhere, file = (own_folder / name for name in (f"{PREFIX}results", "else", f"{PREFIX}file"))
    (results / "model").mkdir(parents=True)
    (elsewhere / "scratch").mkdir(parents=True)
    (own_folder / f"{PREFIX}link").symlink_to(elsewhere)
    file.touch()
    sweep_up()
    assert [path.exists() for path in (results / "model", elsewhere / "scratch", file)] == [True] * 3
