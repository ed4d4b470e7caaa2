"""A run records what it wanted, and `verify` reads it: a subset is no fault, and what is missing is seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmark_world import World, told_judge
from codejury.errors import InputError
from codejury.exchange.case_lookup import lookup_for
from codejury.exchange.sample_checks import Fault, Finding
from codejury.exchange.verify import Review, verify
from codejury.options import RunOptions
from codejury.run.benchmark import Benchmark
from codejury.run.tally import RunTally
from codejury.store.wanted import read_wanted


@pytest.fixture
def world(tmp_path: Path, definitions: Path) -> World:
    return World(tmp_path, definitions)


def short(world: World, **review: Any) -> list[str]:
    """Where `verify` finds samples missing."""
    return [finding.where for finding in lacking(world, **review)]


def lacking(world: World, **review: Any) -> list[Finding]:
    lookup = lookup_for(world.save_dir, world.definitions)
    report = verify(Review(root=world.save_dir, lookup=lookup, pick=0, **review), lambda *_: told_judge())
    return [finding for finding in report.findings if finding.fault is Fault.SHORT]


def test_a_deliberate_subset_is_no_fault(world):
    world.run("baseline/reference", case="double", samples=2)
    assert short(world) == []
    assert short(world, expected=2) == ["baseline/reference InJulia 1SHOT"], "unless all are demanded"


def test_a_combination_that_is_missing_altogether_is_seen(world):
    world.run(["baseline/reference", "baseline/stub"])
    for file in world.files("*/*/baseline/stub/*"):
        file.unlink()
    assert short(world) == ["baseline/stub InJulia 1SHOT"]


def test_what_nobody_wants_any_more_can_be_taken_out_of_the_record_as_the_message_says(world):
    world.run(["baseline/reference", "baseline/stub"], samples=1)
    for file in world.files("*/*/baseline/stub/*"):
        file.unlink()
    (finding,) = lacking(world)
    assert "a run wanted them (wanted.json)" in finding.what
    assert "take out the entry if nobody wants them any more" in finding.what
    path = world.save_dir / "wanted.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["wanted"] = [entry for entry in document["wanted"] if entry["model"] != "baseline/stub"]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert lacking(world) == []
    (finding,) = lacking(world, expected=2)
    assert "wanted.json" not in finding.what, "nobody recorded that"


def test_a_limit_leaves_what_is_missing_to_be_seen(world):
    world.run("baseline/reference", samples=2, limit=3)
    assert short(world) == ["baseline/reference InJulia 1SHOT"]
    world.run("baseline/reference", samples=2)
    assert short(world) == []


def limited(world: World, **options: Any) -> RunTally:
    places = {"definitions": world.definitions, "save_dir": world.save_dir, "prompt": "AsIs"}
    benchmark = Benchmark(RunOptions.of(model="baseline/reference", **places, **options))
    with told_judge() as judge:
        return benchmark.run(benchmark.plan(), judge=judge)


def test_a_run_is_not_well_while_a_limit_leaves_samples_missing(world):
    assert not limited(world, limit=1).all_is_well
    assert limited(world, limit=1).all_is_well, "the second run asks for the last one"


def test_runs_add_to_what_is_wanted_and_take_nothing_away(world):
    world.run("baseline/reference", case="double", samples=3)
    world.run("baseline/reference", samples=1)
    world.run("baseline/stub", samples=1, case="repeat")
    assert [(w.model, dict(w.samples)) for w in read_wanted(world.save_dir)] == [
        ("baseline/reference", {"maths/double": 3, "text/repeat": 1}),
        ("baseline/stub", {"text/repeat": 1}),
    ]
    assert read_wanted(world.save_dir.parent) == read_wanted(world.save_dir), "also from the folder above"


@pytest.mark.parametrize("text", ["", "[]", '{"wanted": [{"model": 1}]}', '{"wanted": 3}'])
def test_a_record_that_cannot_be_read_is_a_message(world, text):
    world.save_dir.mkdir(parents=True)
    (world.save_dir / "wanted.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"wanted\.json: cannot be read"):
        read_wanted(world.save_dir)


def test_a_negative_number_of_samples_is_refused(world):
    world.run("baseline/stub", case="double")
    path = world.save_dir / "wanted.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["wanted"][0]["samples"]["maths/double"] = -1
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match="whole numbers above 0"):
        read_wanted(world.save_dir)
