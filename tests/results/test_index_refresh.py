"""The index saves time and nothing else: never needed, never stale, never believed when it is damaged.

Files that were just written are not trusted to the index, so the trees here are made first, and get old
together.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from codejury.results.index.cache import IndexCache
from codejury.results.index.load import _KEPT, _SETTLED_NS, load_evaluations, load_results
from stored_trees import published

NAMES = ("a", "b", "c")


def write(root: Path, name: str, **changes: object) -> Path:
    path = root / "maths" / "double" / "gpt-4" / f"evaluation__{name}__1SHOT__20240101_000000__1.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps(published("double", **{"prompt_label": name, "elapsed_seconds": 1.0} | changes))
    )
    return path


@pytest.fixture(scope="module")
def grove(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Trees that are old enough."""
    folder = tmp_path_factory.mktemp("grove")
    for number in range(24):
        for name in NAMES:
            write(folder / f"tree{number:02d}", name)
    time.sleep(_SETTLED_NS / 1e9 + 0.1)
    return folder


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CODEJURY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def root(grove: Path, tmp_path: Path, cache: Path) -> Path:
    """An old tree that no other test touches, with an index."""
    tree = min(path for path in grove.iterdir() if path.name.startswith("tree"))
    tree = tree.rename(grove / f"used-{tree.name}")
    assert len(load_evaluations(tree)) == len(NAMES)
    return tree


def kept(cache: Path) -> Path:
    (path,) = (cache / "index").iterdir()
    return path


def mark_index(root: Path) -> None:
    """Make the index tell another time than the files, to see which of the two was believed."""
    shelf = IndexCache(str(root.resolve()), _KEPT)
    known = shelf.load()
    assert known is not None
    assert shelf.save(known.with_columns(elapsed=pl.lit(-1.0)))


def believed(root: Path) -> list[str]:
    """The prompts of the files that were not read again."""
    return load_evaluations(root).filter(elapsed=-1.0)["prompt"].to_list()


def file_of(root: Path, name: str) -> Path:
    return next(root.rglob(f"evaluation__{name}__*"))


def test_unchanged_files_are_not_read_again(root):
    mark_index(root)
    assert believed(root) == list(NAMES)


def test_frames_with_the_index_without_it_and_after_its_end_are_equal(root, cache):
    file_of(root, "b").write_text("broken")
    fresh = load_results(root, cache=False)
    first, second = load_results(root), load_results(root)
    shutil.rmtree(cache)
    after = load_results(root)
    assert len(fresh.broken) == 1
    for results in (first, second, after):
        assert results.frame.equals(fresh.frame)
        assert (results.broken, results.files) == (fresh.broken, fresh.files)


def test_without_the_cache_nothing_is_believed_or_written(root, cache):
    mark_index(root)
    before = kept(cache).read_bytes()
    assert load_evaluations(root, cache=False).filter(elapsed=-1.0).is_empty()
    assert kept(cache).read_bytes() == before


def test_an_edited_file_is_read_again_and_only_that(root):
    mark_index(root)
    write(root, "b", elapsed_seconds=22.5)
    assert believed(root) == ["a", "c"]
    assert load_evaluations(root).filter(prompt="b")["elapsed"].item() == 22.5


def test_a_file_replaced_by_one_of_the_same_size_and_date_is_read_again(root):
    mark_index(root)
    path = file_of(root, "b")
    status = path.stat()
    other = path.with_name("other")
    other.write_text(path.read_text().replace('s": 1.0', 's": 7.0'))
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)
    assert load_evaluations(root).filter(prompt="b")["elapsed"].item() == 7.0


def test_a_file_edited_in_place_with_its_date_put_back_is_read_again(root):
    mark_index(root)
    path = file_of(root, "b")
    status = path.stat()
    path.write_text(path.read_text().replace('s": 1.0', 's": 7.0'))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert load_evaluations(root).filter(prompt="b")["elapsed"].item() == 7.0


def test_new_files_come_and_removed_ones_go(root):
    mark_index(root)
    write(root, "d")
    file_of(root, "a").unlink()
    assert load_evaluations(root)["prompt"].to_list() == ["b", "c", "d"]
    assert believed(root) == ["b", "c"]


def test_a_renamed_file_is_known_by_its_new_name(root):
    path = file_of(root, "a")
    moved = path.rename(path.with_name("evaluation__z.json"))
    files = load_evaluations(root)["file"].to_list()
    assert moved.relative_to(root).as_posix() in files
    assert len(files) == len(NAMES)


def test_a_broken_file_is_remembered_as_broken_until_it_is_mended(root):
    path = file_of(root, "b")
    good = path.read_text()
    path.write_text(good[:-1])
    assert [load_results(root).broken[0].path for _ in range(2)] == [path.resolve()] * 2
    path.write_text(good)
    assert load_results(root).broken == ()


def test_a_file_that_was_just_written_is_not_left_to_the_index(root):
    write(root, "d")
    load_evaluations(root)
    mark_index(root)
    assert believed(root) == list(NAMES)


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "noise", "foreign"])
def test_a_damaged_index_is_made_anew(root, cache, damage):
    whole = load_evaluations(root)
    path = kept(cache)
    data = path.read_bytes()
    path.unlink()
    match damage:
        case "cut":
            path.write_bytes(data[:-100])
        case "flip":
            path.write_bytes(data[:200] + bytes([data[200] ^ 1]) + data[201:])
        case "empty":
            path.touch()
        case "noise":
            path.write_bytes(bytes(range(256)) * 10)
        case "foreign":
            pl.DataFrame({"x": [1]}).write_parquet(path)
    assert load_evaluations(root).equals(whole)
    assert IndexCache(str(root.resolve()), _KEPT).load() is not None


def test_an_index_of_other_columns_is_not_used(root):
    shelf = IndexCache(str(root.resolve()), {"file": pl.String()})
    assert shelf.save(pl.DataFrame({"file": ["x"]}))
    assert len(load_evaluations(root)) == len(NAMES)


def test_an_index_serves_only_its_own_root(root, cache, grove):
    mark_index(root)
    copy = shutil.copytree(root, grove / f"copy-{root.name}")
    assert believed(copy) == []
    assert len(list((cache / "index").iterdir())) == 2


def test_there_is_one_index_for_a_root_however_it_is_written(root, cache, monkeypatch):
    monkeypatch.chdir(root.parent)
    link = root.parent / f"link-{root.name}"
    link.symlink_to(root)
    mark_index(root)
    assert believed(Path(root.name)) == believed(link) == list(NAMES)
    kept(cache)


@pytest.mark.parametrize("obstacle", ["file", "beneath a file"])
def test_a_cache_that_cannot_be_written_is_no_error(grove, tmp_path, monkeypatch, obstacle):
    blocked = tmp_path / "blocked"
    blocked.touch()
    monkeypatch.setenv("CODEJURY_CACHE", str(blocked if obstacle == "file" else blocked / "cache"))
    tree = next(path for path in grove.iterdir() if path.name.startswith(("tree", "used")))
    assert len(load_evaluations(tree)) >= 1


def test_two_processes_at_once_see_the_same(root, cache):
    shutil.rmtree(cache)
    code = f"from codejury import load_evaluations; print(len(load_evaluations({str(root)!r})))"
    running = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(2)]
    assert [process.communicate()[0].strip() for process in running] == [b"3"] * 2
    assert [path.suffix for path in (cache / "index").iterdir()] in ([".parquet"], [])
    assert len(load_evaluations(root)) == len(NAMES)


def test_the_package_is_imported_without_polars():
    code = "import sys, codejury, codejury.cli; sys.exit('polars' in sys.modules or 'msgspec' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
