"""The site as files: what is in them, how large they are, and that a second build is a small one."""

from __future__ import annotations

import base64
import csv
import gzip
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from benchmark_world import RIGHT, told_judge
from codejury.cli import run
from codejury.errors import InputError
from codejury.records import CANARY
from codejury.report.site.archive import Packing
from codejury.report.site.board import as_csv, columns_for
from codejury.report.site.build import build_site
from codejury.report.site.changes import fingerprint
from codejury.report.site.formatting import (
    count,
    counted,
    moment,
    money,
    number,
    ranks,
    seconds,
    shade,
    share,
    things_to_know,
    times,
)
from codejury.report.site.inputs import load_world, make_groups
from codejury.report.site.news import news
from codejury.report.site.output import MANIFEST, SiteFolder
from codejury.report.site.pages import markdown, render, slug
from codejury.report.site.pairs import pair_data
from codejury.report.site.pictures import Chart, as_vega, recoloured
from codejury.report.site.serve import FolderWatch, serving
from codejury.report.site.shards import LIMIT, AnswerEntry, Group, conversation_file, write_group
from codejury.report.site.tables import FILTERS, board_of, combinations, failures_of
from codejury.results.failures.table import failure_table
from codejury.results.statistics.compare import compare
from codejury.run.benchmark import run_benchmark
from fakes import in_folders
from frames import by_case
from servers import HostileServer, says
from site_world import BAD, EVIL, FIX, GOOD, HALF, crowded_site, shared_site
from stored_trees import Tree, rewrite


@pytest.fixture(scope="module")
def tree() -> Tree:
    return shared_site()[0]


@pytest.fixture(scope="module")
def site() -> Path:
    return shared_site()[1]


def page(site: Path, name: str) -> str:
    return (site / name).read_text(encoding="utf-8")


def shard(path: Path) -> Any:
    match = re.fullmatch(r'Codejury\.deliver\("(answers/[^"]+)","([A-Za-z0-9+/=]+)"\);\n', path.read_text())
    assert match
    assert path.as_posix().endswith(f"{match[1]}.js")
    return json.loads(gzip.decompress(base64.b64decode(match[2])))


# Pages


def test_every_page_is_there_and_forbids_foreign_script(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    names = {file.relative_to(site).as_posix() for file in pages}
    assert {
        "index.html",
        "pictures.html",
        "cases.html",
        "compare.html",
        "method.html",
        "answer.html",
    } <= names
    assert {f"models/{slug(model)}.html" for model in (GOOD, HALF, BAD, EVIL)} <= names
    for file in pages:
        text = file.read_text()
        assert "script-src &#39;self&#39;" in text
        assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=", text), file


def test_every_link_and_file_a_page_names_is_there(site: Path) -> None:
    for file in site.rglob("*.html"):
        for name in re.findall(r'(?:href|src|srcset)="([^"#?]+)', file.read_text()):
            assert (file.parent / name).exists(), f"{file} names {name}"


def test_every_answer_has_an_address_that_leads_to_it(site: Path, tree: Tree) -> None:
    found = 0
    for file in (site / "models").iterdir():
        for case, model, part, name in re.findall(
            r'class="chip[^>]*answer\.html#([^/"]+)/([^/"]+)/(\d+)/([^"]+)"', file.read_text()
        ):
            ids = [answer["id"] for answer in shard(site / f"answers/{case}/{model}.{part}.js")["answers"]]
            assert name in ids
            found += 1
    assert found == len(list(tree.root.rglob("evaluation__*.json")))


def test_the_board_shows_scores_ranks_and_void_ones(site: Path) -> None:
    text = page(site, "index.html")
    row = text[text.index(f'id="row={slug(BAD)}"') :].partition("</tr>")[0]
    best = text[text.index(f'id="row={slug(GOOD)}"') :].partition("</tr>")[0]
    assert re.search(r'c-rank n">1 to 4<', best)
    assert "Not ranked, for want of answers" in text
    assert '<small class="lacks">lacks 3 of 4 test cases</small>' in text
    assert re.search(r'c-void n"><a[^>]*>1<', row)
    assert "<script>window.pwned" not in text


def test_the_method_page_counts_what_there_is(site: Path) -> None:
    text = page(site, "method.html")
    assert "1.10.0" in text  # the Julia of the fake sandbox
    assert "not recorded" in text  # the predecessor's
    assert "Nowhere&lt;b&gt;" in text  # why one is void
    assert "10,000 rounds" in text


def test_single_unit_tests_are_counted_by_the_definition_that_judged(site: Path) -> None:
    text = page(site, "cases/repeat.html")
    assert "The hardest is" in text
    assert "Each model on each unit test" in text


def test_a_folder_without_answers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no evaluations"):
        build_site(tmp_path / "empty", tmp_path / "site")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_build_that_fails_half_way_leaves_the_old_site_whole(tree: Tree, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    build_site(tree.root, folder, definitions=tree.definitions)
    (folder / "assets" / "vega.js").unlink()  # so that it has to be written again, and is too large
    before = contents(folder)
    words = ["site", "build", "--root", tree.root, "--definitions", tree.definitions, "--output", folder]
    done = subprocess.run(
        [sys.executable, "-m", "codejury", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000)),
    )
    assert done.returncode == 2, done.stderr
    assert "the site cannot be written: File too large" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert contents(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == ["site"], "nothing is left beside it"


def test_files_and_folders_whose_names_are_not_utf8_are_shown_and_stop_nothing(tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    odd.mkdir()
    tree = Tree(odd / "results", in_folders(odd / "cases", "maths/double"))
    sample = tree.add(RIGHT)
    shutil.copy(sample.evaluation, sample.folder / os.fsdecode(b"evaluation__\xe9.json"))
    built = build_site(tree.root, odd / "site", definitions=tree.definitions)
    assert built.answers == 1
    method = page(odd / "site", "method.html")
    assert "evaluation__\\udce9.json</code>: its path is not valid UTF-8; rename it" in method
    assert build_site(tree.root, odd / "site", definitions=tree.definitions).changed == 0


@pytest.mark.parametrize("absent", [["vl_convert"], ["vl_convert", "altair"]])
def test_without_the_plots_extra_there_are_no_pictures_and_it_says_so(
    absent: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_installed(name: str) -> str:
        raise PackageNotFoundError(name)

    cases = in_folders(tmp_path / "cases", "maths/double")
    asked = {"definitions": cases, "save_dir": tmp_path / "results", "prompt": "AsIs"}
    with told_judge() as judge, HostileServer(says(RIGHT)) as server:  # all pass: there is no failure to draw
        run_benchmark("mine", judge=judge, base_url=server.base_url, **asked)
    for name in absent:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr("codejury.report.site.pictures.version", not_installed)
    built = build_site(tmp_path / "results", tmp_path / "site", definitions=cases)
    assert built.note.startswith("There are no pictures")
    assert built.start.is_file()


# Shards


def test_a_shard_holds_the_conversation_and_every_verdict(site: Path, tree: Tree) -> None:
    document = shard(site / f"answers/repeat/{slug(HALF)}.1.js")
    (fixed,) = [answer for answer in document["answers"] if answer["strategy"] == FIX[0]]
    assert document["model"] == HALF
    assert document["tests"] == list(load_world(tree.root, tree.definitions).definitions["repeat"].unit_tests)
    assert [role for role, _ in fixed["messages"]] == ["system", "user", "assistant", "user", "assistant"]
    assert [block[2] for block in fixed["blocks"]] == [
        "passed"
    ] * 7  # the main code, two examples, four tests


def test_speed_stands_on_the_board_on_the_models_page_and_with_the_answer(site: Path) -> None:
    assert ">Speed</button>" in (site / "index.html").read_text()
    board = csv.DictReader((site / "board.csv").read_text().splitlines())
    (row,) = [row for row in board if row["model"] == GOOD]
    shown = {key: row[key] for key in ("speed", "speed_cases", "speed_noisy", "allocates_more", "inferred")}
    assert shown == {
        "speed": "2.0", "speed_cases": "1", "speed_noisy": "1.0", "allocates_more": "1.0", "inferred": "0.0",
    }  # fmt: skip
    assert "2.00 × in 1 test case, 100 % noisy" in (site / f"models/{slug(GOOD)}.html").read_text()
    first, _ = shard(site / f"answers/double/{slug(GOOD)}.1.js")["answers"]
    assert (first["performance"]["speed"], first["performance"]["statements"][0]["allocated"]) == (2.0, 1600)
    (unmeasured,) = shard(site / f"answers/shout/{slug(EVIL)}.1.js")["answers"]
    assert unmeasured["performance"]["failed"] == 1


def test_a_board_shows_no_column_that_tells_nothing(site: Path) -> None:
    crowd, ours = ((folder / "index.html").read_text() for folder in (crowded_site(), site))
    for column in ("Speed", "Void"):
        assert f">{column}</button>" not in crowd
        assert f">{column}</button>" in ours
    row = {"cost_per_solved": 0.5, "speed": None, "elapsed_median": 2.0, "void": 0}
    for free in (row, row | {"cost_per_solved": None}):
        shown = {column.key for column in columns_for([free]) if column.shown}
        assert ("cost_per_solved" in shown) == (free["cost_per_solved"] is not None)
        assert {"model", "solved", "elapsed_median"} <= shown


def test_a_shard_tells_the_page_which_blocks_end_later_than_commonmark_says(tmp_path: Path) -> None:
    answer = 'Here:\r\n```julia\r\n"""\r\n```\r\nf(1)\r\n```\r\n"""\r\nf(x) = x\r\n```\r\nDone.'
    group = big_group(tmp_path, [answer, "```julia\nf(x) = x\n```\n"])
    write_group(tmp_path, tmp_path / "site", group, "")
    first, second = shard(tmp_path / "site/answers/c/m.1.js")["answers"]
    assert first["extended_spans"] == {"0": [[1, 9]]}
    assert "extended_spans" not in second


def big_group(folder: Path, texts: list[str]) -> Group:
    """A group whose answers do not compress."""
    entries = []
    for index, text in enumerate(texts):
        name = f"evaluation__A__1SHOT__20240101_00000{index}__000.json"
        (folder / name).write_text(json.dumps({"name": "c", "prompt_label": "A", "unit_tests_count": 1}))
        (folder / conversation_file(name)).write_text(json.dumps([{"_type": "aimessage", "content": text}]))
        entries.append(
            AnswerEntry(id=str(index), file=name, prompt="A", strategy="1SHOT", outcome="fail", score=0.0)
        )
    return Group(
        key="c/m", test_case="c", category="k", model="m", entries=tuple(entries), before="", after=""
    )


def noise(size: int, seed: int) -> str:
    return base64.b64encode(random.Random(seed).randbytes(size)).decode()


def test_answers_too_large_for_one_shard_are_split_and_none_is_lost(tmp_path: Path) -> None:
    group = big_group(tmp_path, [noise(30_000, seed) for seed in range(5)])
    written = write_group(tmp_path, tmp_path / "site", group, "")
    files = sorted((tmp_path / "site/answers/c").iterdir())
    documents = [shard(file) for file in files]
    assert len(files) == len(written.parts) > 1
    assert max(file.stat().st_size for file in files) <= LIMIT
    assert [answer["id"] for one in documents for answer in one["answers"]] == ["0", "1", "2", "3", "4"]
    assert [one["first"] for one in documents] == [sum(written.parts[:n]) for n in range(len(files))]
    assert {(entry[0], entry[1]) for entry in documents[0]["list"]} == {
        (answer["id"], one["part"]) for one in documents for answer in one["answers"]
    }


def test_an_answer_no_shard_can_hold_is_shortened_and_says_so(tmp_path: Path) -> None:
    written = write_group(tmp_path, tmp_path / "site", big_group(tmp_path, [noise(400_000, 1)]), "")
    (answer,) = shard(tmp_path / "site/answers/c/m.1.js")["answers"]
    assert written.sizes[0] <= LIMIT
    assert answer["shortened"] is True
    assert answer["messages"][0][1].endswith("…")


def test_files_that_cannot_be_read_leave_a_word(tmp_path: Path) -> None:
    group = big_group(tmp_path, ["x"])
    (tmp_path / conversation_file(group.entries[0].file)).write_text("[{")
    write_group(tmp_path, tmp_path / "site", group, "")
    (answer,) = shard(tmp_path / "site/answers/c/m.1.js")["answers"]
    assert answer["problem"] == "the conversation cannot be read"


def test_failures_are_the_same_as_the_table_of_failures(tree: Tree, tmp_path: Path) -> None:
    world = load_world(tree.root, tree.definitions)
    groups = make_groups(world)
    with Packing(tree.root, SiteFolder(tmp_path / "site"), groups, {}) as packing:
        kinds = packing.wait().kinds
    ours, theirs = failures_of(world.frame, kinds), failure_table(world.frame, tree.root)
    assert ours.sort("model", "kind").equals(theirs.sort("model", "kind"))


# Numbers


def test_all_pairs_at_once_are_what_comparing_two_gives(tree: Tree) -> None:
    frame = load_world(tree.root, tree.definitions).frame
    models = sorted(frame["model"].unique().to_list())
    cases = sorted(frame["test_case"].unique().to_list())
    pairs = pair_data(board_of(frame), models, cases)["pairs"]
    for key, pair in pairs.items():
        first, second = (models[int(at)] for at in key.split("-"))
        one = compare(frame, first, second, seed=0)
        for name in ("difference", "low", "high", "p_value"):
            assert pair[name] == pytest.approx(getattr(one, name), abs=1e-3), (key, name)
        for name in ("wins_a", "wins_b", "ties", "cases_needed", "cases_fewest"):
            assert pair[name] == getattr(one, name), (key, name)


def test_a_test_case_with_void_answers_alone_leaves_a_pair_its_others() -> None:
    frame = by_case(a=[10, 100, None], b=[20, 70, None])
    data = pair_data(board_of(frame), ["a", "b"], ["case00", "case01", "case02"])
    assert data["scores"] == [[0, 100, None], [0, 0, None]]
    assert data["pairs"]["0-1"]["difference"] == 50


def test_numbers_are_written_as_people_read_them() -> None:
    assert (number(85.82), number(None), share(0.524), count(29701)) == ("85.8", "–", "52 %", "29,701")
    assert (times(1.347), times(None)) == ("1.35 ×", "–")
    assert (money(0.00123), money(1.5), money(0.0), money(None)) == ("$0.0012", "$1.50", "$0", "–")
    assert (seconds(12.34), seconds(754.0), seconds(None)) == ("12.3 s", "12 min 34 s", "–")
    assert (moment("20240201_195629__158"), moment("")) == ("2024-02-01 19:56", "–")
    assert (shade(None), shade(0.0), shade(100.0)) == ("none", "q0", "q10")
    assert (shade(34.0), shade(36.0), shade(-20.0), shade(140.0)) == ("q3", "q4", "q0", "q10")
    assert [money(value) for value in (1.0, 0.999, 0.5, -2.0, 1e-12)] == [
        "$1.00", "$1.00", "$0.50", "$-2.00", "$0.00000000",
    ]  # fmt: skip
    assert [seconds(value) for value in (0.0, 599.94, 600.0, 665.0, math.nan)] == [
        "0.0 s", "599.9 s", "10 min 00 s", "11 min 05 s", "–",
    ]  # fmt: skip
    assert (number(2.345, 2), number(math.inf), share(0.0), count(0)) == ("2.35", "–", "0 %", "0")
    assert [moment(text) for text in ("20240201_1956", "2024", "someday long ago")] == [
        "2024-02-01 19:56", "2024", "someday long ago",
    ]  # fmt: skip
    assert [ranks(*pair) for pair in ((1, 7), (3, 3), (None, 3), (3, None))] == ["1 to 7", "3", "–", "–"]
    assert [counted(amount, "answer") for amount in (0, 1, 1000)] == [
        "0 answers",
        "1 answer",
        "1,000 answers",
    ]
    assert (things_to_know(1), things_to_know(2)) == ("One thing to know", "2 things to know")


def test_a_name_that_a_spreadsheet_would_run_is_made_harmless() -> None:
    assert "'=1+1" in as_csv([{"model": "=1+1", "provider": "", "slug": "x", "score": 1.0}])


# Names


@pytest.mark.parametrize(
    "name", ["openai/gpt-4o", "OpenAI/GPT-4o", "openai gpt-4o", "openai-gpt-4o", "ü", "", ".."]
)
def test_a_slug_is_a_safe_part_of_an_address(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9_][a-z0-9_.-]*", slug(name))


def test_names_that_look_alike_have_different_slugs() -> None:
    names = ["a/b", "a-b", "A-b", "a b", "a.b", "a_b", "a/b ", slug("a/b"), slug(slug("a/b"))]
    assert len({slug(name) for name in names}) == len(names)
    assert slug("wrap_words") == "wrap_words"


def test_prompts_are_rendered_without_markup_of_their_own() -> None:
    text = str(markdown("<b>x</b> [a](javascript:x) [b](https://e.org) ![c](https://e.org/c.png)"))
    assert "<b>" not in text
    assert "<img" not in text
    assert 'href="javascript' not in text
    assert 'href="https://e.org" rel="noopener' in text


def test_a_template_escapes_what_it_is_given() -> None:
    text = render("compare.html", {"here": "", "answers": 1, "models": ["<script>"], "left_out": 0})
    assert "&lt;script&gt;" in text


def test_a_model_called_white_keeps_its_name_in_the_dark() -> None:
    spec = {"mark": {"color": "white"}, "data": {"values": [{"name": "white"}]}}
    assert recoloured(spec, {"white": "#000"}) == {
        "mark": {"color": "#000"},
        "data": {"values": [{"name": "white"}]},
    }


# Building again


def test_a_second_build_writes_only_what_changed_and_removes_what_is_gone(tree: Tree, tmp_path: Path) -> None:
    own, site = shutil.copytree(tree.root, tmp_path / "results"), tmp_path / "site"
    first = build_site(own, site, definitions=tree.definitions)
    assert build_site(own, site, definitions=tree.definitions).changed == 0
    for folder in own.glob("*/*/ollama/tinier:1b"):
        shutil.rmtree(folder)
    (site / "mine.txt").write_text("not of the site")
    only = shutil.copytree(tree.definitions / "maths/double", tmp_path / "cases/maths/double").parents[1]
    third = build_site(own, site, definitions=only)
    assert third.answers == first.answers - 5
    assert not (site / f"models/{slug(BAD)}.html").exists()
    assert not list(site.glob(f"answers/*/{slug(BAD)}.1.js"))
    assert (site / "mine.txt").exists()
    assert "The definition of this test case is not here" in page(site, "cases/shout.html")
    assert "Reference solution" in page(site, "cases/double.html")


def test_a_folder_of_somebody_else_is_refused(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("x")
    with pytest.raises(InputError, match="holds files that are not of a site"):
        build_site(tree.root, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["precious.txt"]


def test_a_forged_manifest_cannot_remove_files_outside(tmp_path: Path) -> None:
    site, outside = tmp_path / "site", tmp_path / "outside.txt"
    site.mkdir()
    outside.write_text("x")
    (site / MANIFEST).write_text(json.dumps({"schema": 2, "files": {"../outside.txt": [1, 1]}}))
    SiteFolder(site).finish({})
    assert outside.exists()


# Serving


def test_the_server_gives_pages_to_this_machine_only(site: Path) -> None:
    with serving(site, 0) as address:
        with urllib.request.urlopen(f"{address}index.html") as reply:
            assert b"Which models" in reply.read()
        other = urllib.request.Request(f"{address}index.html", headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(other)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{address}answers/")


def test_a_port_that_is_taken_gives_way_to_a_free_one(site: Path) -> None:
    with serving(site, 0) as first:
        port = int(first.rstrip("/").rpartition(":")[2])
        with serving(site, port) as second:
            assert second != first


def test_a_watch_sees_new_changed_and_vanished_answers(tmp_path: Path) -> None:
    file = tmp_path / "a/evaluation__x.json"
    file.parent.mkdir()
    marks = [fingerprint([tmp_path])]
    for change in (lambda: file.write_text("1"), lambda: file.write_text("22"), file.unlink):
        change()
        marks.append(fingerprint([tmp_path]))
    assert marks[0] == marks[3]
    assert len(set(marks)) == 3


def test_a_watch_tells_once_of_a_change(tmp_path: Path) -> None:
    told: list[int] = []
    with FolderWatch([tmp_path], lambda: told.append(1), poll=0.01):
        (tmp_path / "evaluation__x.json").write_text("{}")
        deadline = time.monotonic() + 20
        while not told and time.monotonic() < deadline:
            time.sleep(0.01)
    assert told == [1]


# The command line


def test_combinations_of_filters_are_in_the_same_order_every_time() -> None:
    whole = dict.fromkeys(("provider", "test_case", *FILTERS), "x")
    rows = [
        whole | {"category": category, "experiment": name} for category in ("", "a") for name in ("", "b")
    ]
    found = [
        {name: value for name, value in zip(FILTERS, choice, strict=True) if value is not None}
        for choice in combinations(pl.DataFrame(rows))
    ]
    assert found == [
        {}, {"experiment": ""}, {"experiment": "b"}, {"category": ""}, {"category": "a"},
        *({"category": category, "experiment": name} for category in ("", "a") for name in ("", "b")),
    ]  # fmt: skip


def test_two_filters_on_test_cases_that_leave_fewer_than_six_have_no_board() -> None:
    whole = dict.fromkeys(("provider", *FILTERS), "x")
    rows = [
        whole | {"test_case": f"{level}{kind}{number}", "level": level, "kind": kind}
        for level, kind, cases in (("core", "write", 6), ("hard", "fix", 5))
        for number in range(cases)
    ]
    found = [
        {name: value for name, value in zip(FILTERS, choice, strict=True) if value is not None}
        for choice in combinations(pl.DataFrame(rows))
    ]
    assert {"level": "hard"} in found
    assert {"level": "core", "kind": "write"} in found
    assert {"level": "hard", "kind": "fix"} not in found


def test_site_build_says_where_it_is(tree: Tree, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["site", "build", "--root", str(tree.root), "--output", str(tmp_path / "site")]
    assert run([*words, "--definitions", str(tree.definitions)]) == 0
    said = capsys.readouterr().out
    assert "5 models, 4 test cases" in said
    assert str(tmp_path / "site/index.html") in said


def test_site_build_names_the_files_that_it_cannot_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = Tree(tmp_path / "results", in_folders(tmp_path / "cases", "maths/double"))
    sample = tree.add(RIGHT)
    (sample.folder / "evaluation__InJulia__1SHOT__20240101_000000__000.json").write_text("{")
    words = ["site", "build", "--root", str(tree.root), "--output", str(tmp_path / "site")]
    assert run([*words, "--definitions", str(tree.definitions)]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "1 of 2 evaluations cannot be used, and are left out:" in said
    assert "20240101_000000__000.json" in said.replace(" ", "")


def test_site_build_of_nothing_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["site", "build", "--root", str(tmp_path / "no"), "--output", str(tmp_path / "site")]) == 2
    assert "no" in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


def test_site_serve_serves_until_it_is_interrupted(tree: Tree, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "codejury", "site", "serve", "--no-open", "--port", "0"]
    folders = ["--root", tree.root, "--output", tmp_path / "site", "--definitions", tree.definitions]
    with subprocess.Popen([*command, *map(str, folders)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        lines = iter(process.stdout.readline, "")
        address = next(line.split()[1] for line in lines if line.startswith("Serving"))
        with urllib.request.urlopen(address) as reply:
            assert reply.status == 200
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode == 0
    assert "Stopped." in rest


def test_every_page_carries_the_canary_of_the_suite() -> None:
    text = render("compare.html", {"here": "", "answers": 1, "models": [], "left_out": 0})
    assert f'<meta name="codejury-canary" content="{CANARY}">' in text


def test_what_a_model_thought_goes_to_its_answers_page_apart_from_the_answer(tmp_path):
    from codejury.report.site.answers import read_answer

    said = [
        {"_type": "usermessage", "content": "q"},
        {"_type": "aimessage", "content": "a", "reasoning": "hm"},
    ]
    conversation = tmp_path / "conversation.json"
    conversation.write_text(json.dumps(said), encoding="utf-8")
    answer, _ = read_answer("no such file", str(conversation))
    assert answer["messages"] == [["user", "q"], ["assistant", "a"]]
    assert answer["thoughts"] == {1: "hm"}


# What others see of it


def test_the_feed_tells_of_new_models_and_the_newest_stands_first(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results", in_folders(tmp_path / "cases", "maths/double"))
    for model, day in (("old/one", "20240101"), ("new/<two>", "20240302")):
        tree.add_published(RIGHT, model=model, timestamp=f"{day}_120000__000", unit_tests_passed=4)
    build_site(
        tree.root, tmp_path / "site", definitions=tree.definitions, address="https://example.org/board"
    )
    feed = ElementTree.fromstring(page(tmp_path / "site", "feed.xml"))
    items = feed.findall("channel/item")
    assert [item.findtext("title", "").partition(":")[0] for item in items] == ["new/<two>", "old/one"]
    assert items[0].findtext("link") == f"https://example.org/board/models/{slug('new/<two>')}.html"
    assert items[0].findtext("pubDate") == "Sat, 02 Mar 2024 00:00:00 +0000"
    news = page(tmp_path / "site", "news.html")
    assert news.index("2024-03-02") < news.index("2024-01-01")


def test_new_test_cases_and_more_answers_are_told_by_their_day() -> None:
    rows = [{"model": name, "slug": name, "solved": 50.0} for name in ("a", "b")]
    told = news(
        pl.DataFrame(
            {
                "model": ["a", "b", "a", "a", "a"],
                "test_case": ["x", "x", "y", "x", "x"],
                "timestamp": ["20240101_1", "20240102_1", "20240102_2", "20240102_3", "no date"],
            }
        ),
        rows,
    )
    assert [day.name for day in told] == ["2024-01-02", "2024-01-01"]
    assert [row["model"] for row in told[0].models] == ["b"]
    assert [(row["model"], answers) for row, answers in told[0].more] == [("a", 2)]
    assert told[0].cases == ["y"]
    assert told[1].cases == []


def test_a_link_to_the_site_shows_a_card_with_the_highest_models(tree: Tree, tmp_path: Path) -> None:
    where = "https://example.org/board/"
    build_site(tree.root, tmp_path / "site", definitions=tree.definitions, address=where)
    text = page(tmp_path / "site", "index.html")
    assert '<meta property="og:image" content="https://example.org/board/share.png">' in text
    assert '<meta property="og:title" content="Board · Codejury">' in text
    assert GOOD in page(tmp_path / "site", "share.svg")
    assert "<script" not in page(tmp_path / "site", "share.svg")
    data = (tmp_path / "site/share.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">II", data[16:24]) == (1200, 630)


def test_an_address_that_is_none_is_bad_input(tree: Tree, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="starts with https"):
        build_site(tree.root, tmp_path / "site", address="example.org")


# Little changed, little done


def test_a_build_of_the_same_is_over_before_anything_is_read(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, site = shutil.copytree(tree.root, tmp_path / "results"), tmp_path / "site"
    first = build_site(own, site, definitions=tree.definitions)
    monkeypatch.setattr("codejury.report.site.build.load_world", None)  # whoever loads anything fails
    again = build_site(own, site, definitions=tree.definitions)
    assert again == replace(first, changed=0)


@pytest.mark.parametrize("spoil", [Path.unlink, lambda page: page.write_text("mine")])
def test_a_page_that_somebody_changed_or_removed_is_made_again(
    spoil: Callable[[Path], object], tree: Tree, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    build_site(tree.root, site, definitions=tree.definitions)
    names = (f"models/{slug(GOOD)}.html", "cases/double.html", "index.html")
    before = [page(site, name) for name in names]
    for name in names:
        spoil(site / name)
    assert build_site(tree.root, site, definitions=tree.definitions).changed == len(names)
    assert [page(site, name) for name in names] == before


def test_another_option_or_a_changed_answer_is_a_reason_to_build(tree: Tree, tmp_path: Path) -> None:
    own, site = shutil.copytree(tree.root, tmp_path / "results"), tmp_path / "site"
    build_site(own, site, definitions=tree.definitions)
    assert build_site(own, site, definitions=tree.definitions, address="https://example.org").changed
    file = next(own.rglob(f"{HALF}/evaluation__*.json"))
    rewrite(file, elapsed_seconds=77.0)
    assert build_site(own, site, definitions=tree.definitions, address="https://example.org").changed
    assert not build_site(own, site, definitions=tree.definitions, address="https://example.org").changed


def test_only_the_pages_of_what_changed_are_made_again(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, site = shutil.copytree(tree.root, tmp_path / "results"), tmp_path / "site"
    build_site(own, site, definitions=tree.definitions)
    for file in own.rglob(f"{HALF}/evaluation__*.json"):
        rewrite(file, elapsed_seconds=77.0)
    made: list[str] = []

    def noted(template: str, context: Any, **how: Any) -> str:
        made.append(context["row"]["model"] if template == "model.html" else template)
        return render(template, context, **how)

    monkeypatch.setattr("codejury.report.site.build.render", noted)
    build_site(own, site, definitions=tree.definitions)
    assert HALF in made
    assert not {GOOD, BAD, EVIL} & {*made}


def test_only_what_shows_a_change_is_drawn_and_compared_again(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, site = shutil.copytree(tree.root, tmp_path / "results"), tmp_path / "site"
    build_site(own, site, definitions=tree.definitions)
    drawn: list[str] = []

    def noted(chart: Chart) -> Any:
        drawn.append(chart.name)
        return as_vega(chart)

    def compared(*arguments: Any) -> Any:
        drawn.append("pairs")
        return pair_data(*arguments)

    monkeypatch.setattr("codejury.report.site.pictures.as_vega", noted)
    monkeypatch.setattr("codejury.report.site.build.pair_data", compared)
    for file in own.rglob(f"{HALF}/evaluation__*.json"):
        rewrite(file, elapsed_seconds=77.0)
    build_site(own, site, definitions=tree.definitions)
    assert drawn == ["time"]
    before = contents(site)
    drawn.clear()
    for file in own.rglob(f"{HALF}/evaluation__*.json"):
        rewrite(file, parsed=False, executed=False, outcome="fail", score=0.0, unit_tests_passed=0)
    build_site(own, site, definitions=tree.definitions)
    assert {"ranking", "time", "heat", "failures", "pairs"} <= {*drawn}
    after = contents(site)
    for name in ("charts/ranking.light.svg", "charts/heat.dark.js", "data/compare.js", "pictures.html"):
        assert after[name] != before[name], name


def test_a_model_that_climbs_leaves_the_answers_of_the_others_alone(tree: Tree, tmp_path: Path) -> None:
    own, site = shutil.copytree(tree.root, tmp_path / "results"), tmp_path / "site"
    build_site(own, site, definitions=tree.definitions)
    before = contents(site)
    for file in own.rglob(f"{BAD}/evaluation__*.json"):
        every = {"parsed": True, "executed": True, "outcome": "pass", "score": 100.0}
        stored = json.loads(file.read_text())
        rewrite(file, **every, unit_tests_passed=stored["unit_tests_count"])
    build_site(own, site, definitions=tree.definitions)
    after = contents(site)
    assert after["board.csv"] != before["board.csv"]
    changed = {name for name in after if after[name] != before.get(name)}
    assert not {name for name in changed if name.startswith("answers/") and slug(BAD) not in name}


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("openai/gpt-4o", "openai-gpt-4o-abb375db"),
        ("A b", "a-b-a760b0e1"),
        ("é", "x-4a99557e"),
        ("x" * 100 + "/", f"{'x' * 60}-d0ca9e1f"),
    ],
)
def test_addresses_that_people_have_linked_to_stay_what_they_are(name: str, address: str) -> None:
    assert slug(name) == address
