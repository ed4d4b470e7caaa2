"""Files are created whole, also on a file system that has neither nameless files nor links."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from codejury import files


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that refuses all ways but the last."""

    def refused(_path: Path, _data: bytes) -> NoReturn:
        raise files.UnsupportedError("not here")

    monkeypatch.setattr(files, "create_unnamed", refused)
    monkeypatch.setattr(files, "create_linked", refused)


@pytest.mark.usefixtures("bare")
def test_where_nothing_else_works_a_file_is_renamed_into_its_reserved_place(tmp_path: Path) -> None:
    path = tmp_path / "new" / "answer.json"
    files.create(path, b"paid for")
    assert [(each.name, each.read_bytes()) for each in path.parent.iterdir()] == [(path.name, b"paid for")]
    with pytest.raises(FileExistsError):
        files.create(path, b"another")
    assert path.read_bytes() == b"paid for"


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_writing_leaves_no_descriptor_open(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    before = open_descriptors()
    for write in (files.create_unnamed, files.create_linked, files.create_reserved):
        write(path, b"first")
        files.replace(path, b"second")
        path.unlink()
    assert open_descriptors() == before
