"""Answers that could not be written in their place: each comes there once, whatever happens meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from codejury.errors import WriteError
from codejury.records import Completion, Message
from codejury.store.read import read_conversation
from codejury.store.samples import Request
from codejury.store.write import file_again, keep_unfiled, sample_folder, unfiled_folders, write_conversation

ASKED = (Message(role="user", content="Write `double`."),)


def request(model: str = "mine") -> Request:
    return Request(category="maths", name="double", model=model, prompt_label="InJulia")


def kept(folder: Path, text: str = "an answer", model: str = "mine") -> Path:
    return keep_unfiled(folder / "results", folder / "cache", request(model), ASKED, [Completion(text=text)])


def filed(folder: Path, *models: str) -> list[Path]:
    return file_again(folder / "results", folder / "cache", models or ("mine",))


def answers(folder: Path) -> list[str]:
    files = sorted((folder / "results").rglob("conversation__*.json"))
    return sorted(read_conversation(path).answer for path in files)


def test_what_was_kept_is_put_into_its_place_as_it_is(tmp_path):
    path = kept(tmp_path)
    data = path.read_bytes()
    place = sample_folder(tmp_path / "results", request()) / path.name
    assert filed(tmp_path) == [place]
    assert place.read_bytes() == data
    assert not path.parent.exists()
    assert filed(tmp_path) == []


def test_answers_of_models_that_are_not_asked_for_stay_where_they_are(tmp_path):
    mine, other = kept(tmp_path), kept(tmp_path, model="other")
    assert [path.name for path in filed(tmp_path, "mine")] == [mine.name]
    assert other.exists()
    assert [path.name for path in filed(tmp_path, "other")] == [other.name]


def test_a_mover_that_was_killed_half_way_doubles_nothing(tmp_path):
    path = kept(tmp_path)
    place = sample_folder(tmp_path / "results", request()) / path.name
    place.parent.mkdir(parents=True)
    place.write_bytes(path.read_bytes())
    assert filed(tmp_path) == [place]
    assert answers(tmp_path) == ["an answer"]


def test_an_answer_whose_name_is_taken_gets_another(tmp_path):
    path = kept(tmp_path, "second")
    first = write_conversation(tmp_path / "results", request(), ASKED, [Completion(text="first")])
    first.conversation.rename(first.folder / path.name)
    (place,) = filed(tmp_path)
    assert place.name != path.name
    assert answers(tmp_path) == ["first", "second"]
    assert not path.exists()


def test_what_still_cannot_be_put_into_its_place_stays_and_is_named(tmp_path):
    path = kept(tmp_path)
    (tmp_path / "results" / "maths").write_text("in the way")
    with pytest.raises(WriteError, match=r"cannot be written: .*; an answer that belongs there is kept in "):
        filed(tmp_path)
    assert path.exists()


def test_each_results_folder_has_its_own_place_in_the_cache(tmp_path):
    one, other = (unfiled_folders(tmp_path / name, tmp_path / "cache")[1] for name in ("one", "other"))
    assert one != other
    assert one.parent == other.parent == tmp_path / "cache" / "unfiled"


def test_answers_that_an_earlier_version_kept_in_the_cache_are_found() -> None:
    folders = unfiled_folders(Path("/results"), Path("/cache"))
    assert folders == (Path("/results/.unfiled"), Path("/cache/unfiled/6e59d036a832840d"))
