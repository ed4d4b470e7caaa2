"""`codejury leaderboard`, `compare` and `power` as a user meets them."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from codejury.cli import run as command_line
from codejury.cli.result_cells import broken
from codejury.cli.results import default_root
from codejury.judge.score import definition_hash
from codejury.suite.load import load_definition
from codejury.suite.save import save_definition
from codejury.suite.stubs import save_stubs
from fakes import a_case_named, honest
from site_world import measured
from stored_trees import Tree

CASES = [f"case_{letter}" for letter in "abcdefgh"]
STRONG = [4, 4, 3, 4, 2, 4, 4, 3]
"""Unit tests passed of four."""
WEAK = [1, 0, 1, 2, 0, 1, 0, 1]
SUITE = "Suite: the one that comes with Codejury\n"


def publish(root: Path, model: str, case: str, passed: int, number: int = 1, **changes: Any) -> Path:
    """One evaluation as the predecessor wrote it: 75 points and a share of 25."""
    prompt = changes.get("prompt_label", "InJulia")
    stamp = changes.get("timestamp", f"20240501_120000__{number:03}")
    file = root / "text" / case / model / f"evaluation__{prompt}__1SHOT__{stamp}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "name": case, "parsed": True, "executed": True, "unit_tests_count": 4, "examples_count": 2,
        "unit_tests_passed": passed, "examples_executed": 2, "tokens": [11, 22], "elapsed_seconds": 1.5,
        "cost": 0.001, "model": model, "timestamp": stamp, "prompt_strategy": "1SHOT", "prompt_label": prompt,
        "device": "d", "version_prompt": "1.0", "schema": "OpenAISchema()", "version_pt": "0.9.0",
        "parameters": {}, "experiment": "",
    }  # fmt: skip
    file.write_text(json.dumps(content | changes))
    return file


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two models on eight test cases, the second with a name that is long and a little hostile."""
    folder = tmp_path / "tree"
    for model, results in (("strong", STRONG), ("hosted/models/weak|<b>-instruct-q4_K_M", WEAK)):
        for case, passed in zip(CASES, results, strict=True):
            publish(folder, model, case, passed)
    return folder


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("CODEJURY_CACHE", str(tmp_path / "cache"))


Run = Any


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line; return its exit code, output and errors."""

    def call(*arguments: object) -> tuple[int, str, str]:
        code = command_line([str(argument) for argument in arguments])
        return (code, *capsys.readouterr())

    return call


def rows_of(run: Run, *arguments: object) -> list[dict[str, Any]]:
    code, out, err = run("leaderboard", *arguments, "--format", "json")
    assert code == 0, err
    return json.loads(out)


# Formats


def test_json_rows_have_the_documented_keys_unrounded_and_null_where_unknown(run, root):
    rows = rows_of(run, "--root", root)
    assert list(rows[0]) == [
        *("model", "solved", "low", "high", "rank_low", "rank_high", "score", "lift", "near", "samples"),
        *("void", "zero", "full", "std", "median", "elapsed", "elapsed_median", "prompt_tokens"),
        *("completion_tokens", "reasoning_tokens", "cost", "cost_per_solved", "elapsed_per_solved"),
        *("cut_short", "empty", "lacks"),
        *("speed", "speed_cases", "speed_noisy", "allocates_more", "inferred"),
    ]
    assert rows[0]["model"] == "strong"
    assert rows[0]["score"] == 75 + 25 * sum(STRONG) / 4 / 8
    assert rows[0]["solved"] == 100 * 5 / 8
    assert rows[0]["near"] == 100 * 3 / 8
    assert rows[0]["lift"] is None
    assert rows[0]["low"] < rows[0]["solved"] < rows[0]["high"]
    by_score = rows_of(run, "--root", root, "--metric", "score")
    assert [(row["rank_low"], row["rank_high"]) for row in by_score] == [(1, 1), (2, 2)]
    assert by_score[0]["low"] < by_score[0]["score"] < by_score[0]["high"]


def test_csv_is_the_same_table(run, root):
    _, out, _ = run("leaderboard", "--root", root, "--format", "csv")
    (first, _) = csv.DictReader(io.StringIO(out))
    assert float(first["score"]) == rows_of(run, "--root", root)[0]["score"]


def test_markdown_and_html_survive_hostile_names(run, root):
    _, markdown, _ = run("leaderboard", "--root", root, "--format", "markdown")
    lines = markdown.strip().splitlines()
    assert len(lines) == 4
    assert {line.replace("\\|", "").count("|") for line in lines} == {lines[0].count("|")}
    _, html, _ = run("leaderboard", "--root", root, "--format", "html")
    assert "weak|&lt;b&gt;" in html
    seen: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: seen.append(tag)  # type: ignore[method-assign]
    parser.feed(html)
    assert set(seen) == {"table", "thead", "tbody", "tr", "th", "td"}


def test_the_table_fits_eighty_columns_and_says_what_it_left_out(run, root):
    code, out, err = run("leaderboard", "--root", root)
    assert (code, err) == (0, SUITE)
    assert max(map(len, out.splitlines())) <= 80
    assert "strong" in out
    assert "95 % interval" in out
    assert "--wide shows all" in out
    assert "bootstrap over 8 test cases, seed 0" in out


def test_the_wide_table_has_every_column_on_one_line(run, root):
    _, out, _ = run("leaderboard", "--root", root, "--wide")
    heading = next(line for line in out.splitlines() if "score" in line)
    for word in ("rank", "samples", "void", "zero", "full", "std", "median"):
        assert word in heading
    assert "hosted/models/weak|<b>-instruct-q4_K_M" in out
    assert "0.001 USD" in out


def test_a_name_breaks_at_its_joints():
    assert broken("hosted/models/some-instruct", 15) == "hosted/models/\nsome-instruct"
    assert broken("JuliaExpertCoTTask", 12) == "JuliaExpert\nCoTTask"
    assert broken("abcdefgh", 3) == "abc\ndef\ngh"
    assert broken("Score Median", 8) == "Score\nMedian"
    assert broken("", 5) == ""


def test_speed_is_a_column_where_something_was_measured(run, root, tmp_path, definitions):
    tree = Tree(tmp_path / "measured", definitions)
    for model in ("quick", "unknown"):
        tree.add("right(x) = 2x", model=model, script=measured if model == "quick" else honest)
    _, table, _ = run("leaderboard", "--root", tree.root, "--wide")
    assert "speed" in table
    assert "quick (1)" in table
    assert [(row["model"], row["speed"]) for row in rows_of(run, "--root", tree.root)] == [
        ("quick", 2.0),
        ("unknown", None),
    ]
    _, without, _ = run("leaderboard", "--root", root, "--wide")
    assert "speed" not in without


def test_two_groupings_make_a_pivot_for_people_and_rows_for_programs(run, root):
    _, out, _ = run("leaderboard", "--root", root, "--by", "model", "--by", "test_case")
    assert max(map(len, out.splitlines())) <= 80
    assert "Solved, % of answers: model down, test_case across." in out
    rows = rows_of(run, "--root", root, "--by", "model", "--by", "test_case")
    assert len(rows) == 16
    assert list(rows[0])[:3] == ["model", "test_case", "solved"]


def test_pass_at_k_is_a_column_and_null_for_too_few_samples(run, root):
    rows = rows_of(run, "--root", root, "--pass-at", 1, "--pass-at", 2)
    assert rows[0]["pass@1"] == 5 / 8
    assert rows[0]["pass@2"] is None


# Which results


def test_filters_take_patterns_repeated_or_with_commas(run, root):
    assert [row["model"] for row in rows_of(run, "--root", root, "--model", "str*")] == ["strong"]
    assert rows_of(run, "--root", root, "--case", "case_a", "--case", "text/case_b")[0]["samples"] == 2
    both = rows_of(run, "--root", root, "--case", "case_[ab]")[0]["samples"]
    assert both == rows_of(run, "--root", root, "--case", "case_[abc]", "--not-case", "*c")[0]["samples"] == 2
    assert rows_of(run, "--root", root, "--where", "unit_tests_passed = 4")[0]["samples"] == 5
    assert rows_of(run, "--root", root, "--experiment", "")[0]["samples"] == 8
    assert rows_of(run, "--root", root, "--since", "2024-05-01")[0]["samples"] == 8


def test_the_last_answers_count_with_max_history(run, root):
    publish(root, "strong", "case_a", 0, number=2)
    assert rows_of(run, "--root", root)[0]["samples"] == 9
    rows = rows_of(run, "--root", root, "--max-history", 1)
    assert rows[0]["samples"] == 8
    assert rows[0]["score"] == 75 + 25 * (sum(STRONG) - 4) / 4 / 8


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--where", "nope > 1"], "nope"),
        (["--by", "nope"], "cannot group by 'nope'; there are: model"),
        (["--by", "model", "--by", "prompt", "--by", "device"], "twice at most"),
        (["--by", "model", "--by", "model"], "the same column twice"),
        (["--model", "nope"], "no model fits 'nope'; known: hosted"),
        (["--since", "soon"], "is no date"),
        (["--since", "2030-01-01"], "none of the 16 results"),
        (["--plot", "x.docx"], "x.docx"),
        (["--plot", "x.png", "--plot-kind", "temperature"], "temperature"),
        (["--plot", "x.png", "--plot-kind", "effort"], "no answer was asked for with an effort"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(run, root, arguments, said):
    code, out, err = run("leaderboard", "--root", root, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_no_results_is_a_message_that_says_what_to_do(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    for arguments in ([], ["--root", "empty"], ["--root", "missing"]):
        code, out, err = run("leaderboard", *arguments)
        assert (code, out) == (2, "")
        assert "`codejury run` makes results" in err


def test_without_a_root_the_results_of_this_folder_are_taken(run, root, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert default_root() == Path("results/code_generation")
    (tmp_path / "codejury.toml").write_text('[run]\nsave_dir = "tree"\n')
    assert rows_of(run)[0]["model"] == "strong"


def test_broken_files_are_counted_and_named_and_the_rest_counts(run, root):
    for number in range(2, 7):
        publish(root, "strong", "case_a", 4, number=number).write_text("{")
    code, out, err = run("leaderboard", "--root", root, "--format", "json")
    assert code == 0
    assert json.loads(out)[0]["samples"] == 8
    assert "5 of 21 evaluations cannot be used" in err
    assert err.count("evaluation__InJulia") == 3
    assert "and 2 more" in err


def test_what_is_mixed_is_said_below_the_table_and_on_stderr_for_programs(run, root):
    publish(root, "strong", "case_z", 4)
    _, out, err = run("leaderboard", "--root", root)
    assert "Not ranked, for want of answers" in out
    assert "1 of 9 test cases" in out
    assert err == SUITE
    _, out, err = run("leaderboard", "--root", root, "--format", "csv")
    assert "Not ranked" not in out
    assert "Not ranked, for want of answers: hosted/models/weak" in err


def test_who_lacks_answers_is_shown_apart_or_all_are_compared_on_what_all_have(run, root):
    publish(root, "strong", "case_z", 0)
    _, out, _ = run("leaderboard", "--root", root, "--wide")
    above, _, below = out.partition("Not ranked, for want of answers:")
    assert "strong" in above
    assert "hosted" not in above
    assert "1 of 9 test cases" in below
    rows = rows_of(run, "--root", root, "--common")
    assert rows[0]["score"] == 75 + 25 * sum(STRONG) / 4 / 8
    assert [(row["rank_low"], row["lacks"]) for row in rows] == [(1, None), (2, None)]


def test_the_board_says_who_could_be_the_best_and_draws_a_line_where_the_order_is_sure(run, root):
    for case, passed in zip(CASES, [*STRONG[1:], STRONG[0]], strict=True):
        publish(root, "rival", case, passed)
    _, out, _ = run("leaderboard", "--root", root, "--wide", "--metric", "score")
    words = " ".join(out.split())
    assert "the first 2 could be the best. Values of score more than" in words
    firsts = [line.split()[0] for line in out.splitlines() if line.strip()]
    assert (firsts[2:4], set(firsts[4]), firsts[5]) == (["1", "1"], {"─"}, "3")


def test_compare_says_why_the_board_may_say_less(run, root):
    for case, passed in zip(CASES, [3, 3, 3, 3, 1, 4, 3, 3], strict=True):
        publish(root, "rival", case, passed)
    _, out, _ = run("compare", "strong", "rival", "--root", root)
    words = " ".join(out.split())
    assert (
        "That is of this pair alone. On the board of 3 models, corrected for all pairs, their order is"
        in words
    )
    rows = {row["model"]: row["solved"] for row in rows_of(run, "--root", root)}
    assert f"A {rows['strong']:.1f} % solved strong B {rows['rival']:.1f} % solved rival" in words


def test_a_copied_file_is_not_counted_twice(run, root):
    import shutil

    before = rows_of(run, "--root", root)
    (root / "backup").mkdir()
    copied = next(root.rglob("evaluation__*.json"))
    shutil.copy(copied, root / "backup" / copied.name)
    code, out, err = run("leaderboard", "--root", root, "--format", "json")
    assert code == 0
    for row, known in zip(json.loads(out), before, strict=True):
        assert row == pytest.approx(known)
    assert "1 evaluation is left out: a copy of another file" in err


def test_the_preset_has_no_options_of_the_board(run, root):
    code, _, err = run("leaderboard", "--root", root, "--preset", "published", "--common")
    assert code == 2
    assert "rules of its own" in err


def test_after_repair_needs_rounds_of_repair(run, root):
    code, _, err = run("leaderboard", "--root", root, "--after-repair", 1)
    assert code == 2
    assert "no result is a round of repair" in err


def test_a_seed_gives_the_same_numbers_again(run, root):
    first = rows_of(run, "--root", root, "--seed", 1)
    assert first == rows_of(run, "--root", root, "--seed", 1)
    assert first != rows_of(run, "--root", root, "--seed", 2)


# The predecessor's tables


def test_the_published_preset_counts_five_prompts_and_the_last_five_answers(run, tmp_path):
    tree = tmp_path / "published"
    for number in range(1, 8):
        publish(tree, "m", "case_a", min(number - 1, 4), number=number, cost=0.000425)
    publish(tree, "m", "case_a", 0, prompt_label="AsIs")
    # The last five of seven: 2, 3, 4, 4, 4 tests of four passed: 87.5, 93.75 and three times 100.
    (row,) = rows_of(run, "--root", tree, "--preset", "published")
    assert (row["samples"], row["full"]) == (5, 3)
    assert row["score"] == pytest.approx(96.25)
    assert row["std"] == pytest.approx(math.sqrt((8.75**2 + 2.5**2 + 3 * 3.75**2) / 4))
    _, out, _ = run("leaderboard", "--root", tree, "--preset", "published", "--format", "markdown")
    heading, _, line = out.strip().splitlines()
    assert [cell.strip() for cell in heading.strip("|").split("|")] == [
        *("model", "Elapsed", "Elapsed Median", "Score", "Score Median", "Score Std Deviation"),
        *("Count Zero Score", "Count Full Score", "Cost Cents"),
    ]
    # 962.5 rounds half to even: 96.2.
    assert [cell.strip() for cell in line.strip("|").split("|")] == [
        *("m", "1.5", "1.5", "96.2", "100.0", "5.6", "0", "3", "0.04"),
    ]
    assert rows_of(run, "--root", tree, "--preset", "published", "--max-history", 7)[0]["samples"] == 7


def test_the_preset_says_so_where_no_prompt_counts(run, tmp_path):
    publish(tmp_path / "t", "m", "case_a", 1, prompt_label="AsIs")
    code, _, err = run("leaderboard", "--root", tmp_path / "t", "--preset", "published")
    assert code == 2
    assert "five prompts" in err


# Pictures


@pytest.mark.parametrize("arguments", [[], ["--by", "model", "--by", "test_case"], ["--plot-kind", "time"]])
def test_a_plot_is_written_beside_the_table(run, root, tmp_path, arguments):
    pytest.importorskip("altair")
    file = tmp_path / "picture.svg"
    code, out, err = run("leaderboard", "--root", root, "--plot", file, *arguments)
    assert code == 0, err
    assert "strong" in out
    assert file.read_text().startswith("<svg")


# Comparing


def test_compare_tells_the_difference_the_wins_and_what_it_means(run, root):
    weak = "hosted/models/weak|<b>-instruct-q4_K_M"
    code, out, _ = run("compare", "strong", weak, "--root", root, "--metric", "score")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "A wins 8, B wins 0, 0 tied" in out
    assert "p = 0.0078" in out  # 2 / 2^8
    assert "The two differ" in out


def test_compare_as_json_has_the_test_cases_as_rows(run, root):
    weak = "hosted/models/weak|<b>-instruct-q4_K_M"
    _, out, _ = run("compare", weak, "strong", "--root", root, "--metric", "score", "--format", "json")
    document = json.loads(out)
    assert document["difference"] < 0
    assert document["p_value"] == 2 / 2**8
    assert document["separated"] is True
    assert len(document["per_case"]) == 8
    assert set(document["per_case"][0]) == {"test_case", "a", "b", "difference"}


def test_compare_says_what_would_separate_two_models(run, root):
    for case, passed in zip(CASES, [*STRONG[1:], 3], strict=True):
        publish(root, "rival", case, passed)
    _, out, _ = run("compare", "strong", "rival", "--root", root)
    assert "cannot be told apart" in out
    assert "test cases like these" in out
    assert "no question was answered twice" in out


def test_compare_with_a_model_that_is_not_there_names_others(run, root):
    code, out, err = run("compare", "stronk", "x", "--root", root)
    assert (code, out) == (2, "")
    assert "strong" in err


# Levels and kinds


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Definitions of the eight test cases: the first two are hard, one of them to be fixed."""
    folder = tmp_path / "suite"
    for case in CASES:
        path = folder / "text" / case / "definition.toml"
        path.parent.mkdir(parents=True)
        level = "hard" if case in CASES[:2] else "basic"
        kind = "fix" if case == CASES[0] else "write"
        save_definition(replace(a_case_named(case), level=level, kind=kind), path)
    return folder


def test_the_board_has_parts_by_level_and_kind(run, root, suite):
    _, out, _ = run("leaderboard", "--root", root, "--definitions", suite)
    assert max(map(len, out.splitlines())) <= 80
    words = " ".join(out.split())
    assert "Solved by level of the test cases, and how many there are:" in words
    assert "model basic (6) hard (2) strong 50.0 100.0" in words
    assert "model write (7) fix (1) strong" in words


def test_one_level_or_kind_has_a_board_of_its_own(run, root, suite):
    rows = rows_of(run, "--root", root, "--definitions", suite, "--level", "hard")
    assert [(row["solved"], row["samples"]) for row in rows] == [(100, 2), (0, 2)]
    (first, _) = rows_of(run, "--root", root, "--definitions", suite, "--kind", "fix", "--by", "model")
    assert first["samples"] == 1
    code, _, err = run("leaderboard", "--root", root, "--definitions", suite, "--level", "impossible")
    assert code == 2
    assert "no level fits 'impossible'; known: basic, hard" in err


def test_lift_is_shown_where_the_suite_keeps_the_scores_of_a_stub(run, root, suite):
    cases = [load_definition(suite / "text" / case) for case in CASES]
    stubs = {f"text/{case.name}": {"definition_hash": definition_hash(case), "score": 80.0} for case in cases}
    stubs["text/case_a"]["definition_hash"] = "of another time"
    save_stubs(stubs, suite)
    (strong, weak) = rows_of(run, "--root", root, "--definitions", suite)
    lifts = [max(75 + 25 * tests / 4 - 80, 0) / 20 for tests in STRONG[1:]]
    assert strong["lift"] == pytest.approx(100 * sum(lifts) / 7)
    assert 0 < weak["lift"] < strong["lift"]


def test_compare_and_power_can_keep_to_a_level(run, root, suite):
    weak = "hosted/models/weak|<b>-instruct-q4_K_M"
    _, out, _ = run("compare", "strong", weak, "--root", root, "--definitions", suite, "--level", "basic")
    assert "of 6 test cases" in " ".join(out.split())
    code, _, err = run(
        "power", "--root", root, "--definitions", suite, "--level", "basic", "--format", "json"
    )
    assert code == 0
    assert "2 models on 6 test cases" in err
    assert "Points of difference in solved" in err
    code, _, err = run("power", "--level", "hard")
    assert code == 2
    assert "name a folder of results with --root" in err


# Planning


def test_power_shows_a_table_of_resolvable_differences(run):
    code, out, _ = run("power")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    told = " ".join(out.split())
    assert "typical of the published local models" in told
    assert "Points of difference in score found with 80 % probability." in told
    assert "n/a: with five test cases or fewer" not in told
    told = " ".join(run("power", "--cases", 5, "--samples", 1, "--samples", 2, "--power", 0.9)[1].split())
    assert "found with 90 % probability" in told
    assert "n/a: with five test cases or fewer" in told
    assert "test cases 1 sample 2 samples 5 n/a n/a" in told


def test_power_without_results_knows_the_score_of_all_test_cases_alone(run):
    for arguments in (["--level", "hard"], ["--kind", "fix"], ["--metric", "solved", "--between", 10]):
        code, _, err = run("power", *arguments)
        assert (code, "typical spreads are known for the score of all test cases alone" in err) == (2, True)
    assert run("power", "--metric", "solved", "--between", 10, "--within", 20)[0] == 0


def test_power_for_programs_is_a_row_for_each_plan(run):
    code, out, err = run("power", "--cases", 5, "--cases", 20, "--samples", 5, "--format", "json")
    assert code == 0
    rows = json.loads(out)
    assert [row["cases"] for row in rows] == [5, 20]
    assert rows[0]["difference"] is None
    assert rows[1]["difference"] == pytest.approx(14.4, abs=0.1)
    assert "Spread: 15.0 between test cases, 25.0 between answers" in err


def test_power_takes_the_spread_from_results_or_from_the_command_line(run, root):
    _, out, _ = run("power", "--root", root, "--cases", 20, "--samples", 5)
    assert "2 models on 8 test cases" in " ".join(out.split())
    _, out, _ = run("power", "--between", 0, "--within", 0, "--cases", 20, "--samples", 1, "--format", "csv")
    assert out.splitlines()[1] == "20,1,0.0"
