"""Pictures: valid, complete, readable for everybody, and not to be broken by a name."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import vl_convert

from codejury.errors import CodejuryError, InputError
from codejury.report.plots import (
    CHART_KINDS,
    ENDINGS,
    Caption,
    caption_of,
    describe,
    failure_chart,
    heat_map,
    prompt_comparison,
    ranking,
    save_chart,
    score_against,
    score_by_parameter,
)
from codejury.report.plots.captions import shown_names
from codejury.report.plots.labels import Box, place_labels
from codejury.report.plots.style import OKABE_ITO
from codejury.report.plots.trade_offs import pareto_front
from codejury.results.failures.evidence import Kind
from stored_trees import Tree

ROOT = Path(__file__).parents[2]
CAPTION = Caption(samples=1234, cases=26, julia="Julia 1.10.4", source="results/demo")
HOSTILE = (
    "a.b[0]:c",
    "datum['x']",
    'quote"s \\ slash',
    "</script><b>",
    "__proto__",
    "",
    "x" * 300,
    "\x1b[31m\n",
)
MODELS = ("openai/gpt-x", "mistral:7b-instruct-q4_K_M", "accounts/f/models/dbrx[1]", "local.model")


def board(names: tuple[str, ...] = MODELS) -> pl.DataFrame:
    """A leaderboard of these models, from good to bad."""
    count = len(names)
    scores = [90 - 80 * place / count for place in range(count)]
    return pl.DataFrame({
        "model": names, "solved": scores, "low": [score - 5 for score in scores],
        "high": [score + 5 for score in scores], "rank_low": [1 + place // 2 * 2 for place in range(count)],
        "rank_high": [min(count, 2 + place // 2 * 2) for place in range(count)],
        "score": [score / 2 + 50 for score in scores], "samples": [10] * count,
        "cost": [0.00001 * (1 + place * 7 % 11) for place in range(count)],
        "elapsed": [1.0 + place * 5 % 13 for place in range(count)],
    })  # fmt: skip


def pivoted(
    names: tuple[str, ...] = MODELS, columns: tuple[str, ...] = ("wrap", "mean", "a.b[1]:c")
) -> pl.DataFrame:
    table = {
        column: [float((7 * row + 13 * place) % 101) for row in range(len(names))]
        for place, column in enumerate(columns)
    }
    return pl.DataFrame({"model": names} | table)


def by_temperature(names: tuple[str, ...] = MODELS) -> pl.DataFrame:
    rows = [(name, t / 10, 60.0 - t, 55.0 - t, 65.0 - t) for name in names for t in (1, 5, 9)]
    return pl.DataFrame(
        rows, schema=["model", "parameter.temperature", "solved", "low", "high"], orient="row"
    )


def failures(names: tuple[str, ...] = MODELS, kinds: int = len(Kind)) -> pl.DataFrame:
    rows = [
        {"model": name, "kind": kind.value, "label": kind.label, "count": place + 1, "of_failures": 0.1,
         "share": (place + 1) / 300, "points": (place + 1) / 3, "example": "x.json"}
        for name in names for place, kind in enumerate(list(Kind)[:kinds])
    ]  # fmt: skip
    return pl.DataFrame(rows)


# Each kind of picture: how it is drawn from names, and what its axes must say.
Names = tuple[str, ...]
PICTURES: dict[str, tuple[Callable[[Names], Any], Callable[[Names], pl.DataFrame], str]] = {
    "ranking": (lambda names: ranking(board(names), CAPTION), board, "points of 100"),
    "cost": (lambda names: score_against(board(names), "cost", CAPTION), board, "USD, logarithmic"),
    "elapsed": (lambda names: score_against(board(names), "elapsed", CAPTION), board, "seconds, logarithmic"),
    "heat_map": (lambda names: heat_map(pivoted(names), CAPTION), pivoted, "% of answers"),
    "prompts": (lambda names: prompt_comparison(pivoted(names), CAPTION), pivoted, "% of answers"),
    "parameter": (
        lambda names: score_by_parameter(by_temperature(names), caption=CAPTION),
        by_temperature, "% of answers",
    ),
    "failures": (lambda names: failure_chart(failures(names), CAPTION), failures, "of 100"),
}  # fmt: skip
SIXTY = tuple(f"vendor/model-{number}:{number}b[v{number}.1]" for number in range(60))


@cache
def svg(kind: str, names: tuple[str, ...] = MODELS) -> str:
    """The picture as vl-convert draws it: an error in the specification shows here."""
    draw, _, _ = PICTURES[kind]
    return str(vl_convert.vegalite_to_svg(draw(names).to_dict()))


def texts(picture: str) -> list[str]:
    found = re.findall(r"<text[^>]*>(.*?)</text>", picture, re.DOTALL)
    return [re.sub(r"<[^>]+>", "", text).replace("&amp;", "&") for text in found]


def test_every_kind_of_picture_is_tested_here() -> None:
    assert set(PICTURES) == set(CHART_KINDS)


@pytest.mark.parametrize("kind", PICTURES)
def test_a_picture_shows_marks_for_its_data(kind: str) -> None:
    marks = re.findall(r'class="mark-(?:symbol|rect|rule|line|text) role-mark', svg(kind))
    assert marks
    assert "NaN" not in svg(kind)
    drawn = re.findall(
        r'aria-roledescription="(?:point|bar|rect mark|rule mark|text mark|line mark|symbol)', svg(kind)
    )
    assert len(drawn) >= len(MODELS)


@pytest.mark.parametrize("kind", PICTURES)
def test_a_picture_says_what_of_how_much_whose_and_in_which_unit(kind: str) -> None:
    said = "\n".join(texts(svg(kind)))
    assert re.search(r"\b(1,234|40) answers to 26 test cases · Julia 1.10.4", said)
    assert "Source: results/demo" in said
    assert PICTURES[kind][2] in said
    spec = PICTURES[kind][0](MODELS).to_dict()
    assert spec["title"]["text"] in said
    assert len(spec["title"]["subtitle"]) == 3


@pytest.mark.parametrize("kind", PICTURES)
def test_every_model_is_named_in_the_picture(kind: str) -> None:
    said = texts(svg(kind))
    for model in MODELS:
        assert any(model in text for text in said), model


@pytest.mark.parametrize("kind", PICTURES)
def test_a_picture_has_its_text_alternative(kind: str) -> None:
    draw, table, _ = PICTURES[kind]
    described = draw(MODELS).to_dict()["description"]
    assert described
    assert described == describe(kind, table(MODELS))
    assert not re.search(r"nan|None|inf\b", described)


@pytest.mark.parametrize("kind", PICTURES)
def test_names_cannot_break_a_picture(kind: str) -> None:
    said = "\n".join(texts(svg(kind, HOSTILE)))
    assert "a.b[0]:c" in said
    assert "datum['x']" in said.replace("&#39;", "'").replace("&apos;", "'")
    assert "(no name)" in said
    assert "\x1b" not in said


@pytest.mark.parametrize("kind", PICTURES)
def test_a_field_is_never_named_after_a_model_or_a_test_case(kind: str) -> None:
    spec = json.dumps(without_data(PICTURES[kind][0](HOSTILE).to_dict()))
    fields = set(re.findall(r'"field": "([^"]+)"', spec))
    assert fields
    assert all(re.fullmatch(r"[a-z_0-9]+", field) for field in fields)
    assert not any(
        name in expression
        for expression in re.findall(r'"test": "([^"]+)"', spec)
        for name in HOSTILE
        if name
    )


def without_data(spec: Any) -> Any:
    if isinstance(spec, dict):
        return {key: without_data(value) for key, value in spec.items() if key not in ("datasets", "data")}
    return [without_data(value) for value in spec] if isinstance(spec, list) else spec


@pytest.mark.parametrize("kind", PICTURES)
def test_sixty_models_are_all_named_and_their_labels_apart(kind: str) -> None:
    picture = svg(kind, SIXTY)
    said = texts(picture)
    missing = [name for name in SIXTY if not any(name in text for text in said)]
    # Beside crowded points there is not always room for a name; the tooltip has it.
    assert len(missing) <= (6 if kind in ("cost", "elapsed") else 0)
    height = float(re.search(r'height="([\d.]+)"', picture)[1])  # type: ignore[index]
    assert height >= (600 if kind in ("cost", "elapsed") else 60 * 17 if kind != "parameter" else 800)


@pytest.mark.parametrize("kind", PICTURES)
def test_all_data_is_in_the_specification(kind: str) -> None:
    spec = json.dumps(PICTURES[kind][0](MODELS).to_dict())
    assert '"url"' not in spec


@pytest.mark.parametrize("kind", PICTURES)
def test_an_empty_table_is_an_error_that_says_so(kind: str) -> None:
    empty = PICTURES[kind][1](MODELS).clear()
    draw = {
        "ranking": ranking, "cost": score_against, "elapsed": lambda table: score_against(table, "elapsed"),
        "heat_map": heat_map, "prompts": prompt_comparison, "parameter": score_by_parameter,
        "failures": failure_chart,
    }[kind]  # fmt: skip
    with pytest.raises(InputError, match="nothing to draw"):
        draw(empty)
    assert describe(kind, empty)


# Colours


def test_colours_are_those_made_for_everybody() -> None:
    colours = set(re.findall(r'"(#[0-9A-Fa-f]{6})"', json.dumps(PICTURES["failures"][0](MODELS).to_dict())))
    assert colours - {"#BBBBBB", "#222222", "#767676", "#E3E3E3"} <= set(OKABE_ITO)
    heat = json.dumps(PICTURES["heat_map"][0](MODELS).to_dict())
    assert '"scheme": "cividis"' in heat


def test_pieces_of_a_bar_are_known_by_letters_as_well() -> None:
    said = texts(vl_convert.vegalite_to_svg(failure_chart(failures(kinds=3)).to_dict()))
    assert {"A", "B", "C"} <= set(said)


def test_rare_kinds_of_failure_are_put_together_and_nothing_is_lost() -> None:
    spec = failure_chart(failures()).to_dict()
    pieces = [row for rows in spec["datasets"].values() for row in rows] if "datasets" in spec else []
    pieces = pieces or spec["layer"][0]["data"]["values"]
    kinds = {piece["kind"] for piece in pieces}
    assert len(kinds) == 8
    assert any("all other kinds" in kind for kind in kinds)
    longest = max(piece["end"] for piece in pieces)
    assert longest == pytest.approx(failures().filter(pl.col("model") == MODELS[0])["points"].sum())


def test_prompts_and_parameters_differ_by_shape_as_well() -> None:
    for kind in ("prompts", "parameter"):
        assert '"shape"' in json.dumps(PICTURES[kind][0](MODELS).to_dict())


# Parts


def test_the_pareto_front_is_those_that_nobody_beats_in_both() -> None:
    points = [(1.0, 50.0), (2.0, 80.0), (3.0, 70.0), (2.0, 80.0), (0.5, 10.0), (2.0, 60.0)]
    assert pareto_front(points) == [True, True, False, True, True, False]


def test_models_without_a_price_are_left_out_and_counted() -> None:
    table = board().with_columns(pl.Series("cost", [0.001, None, 0.0, 0.002]))
    assert (
        "Not shown: 2 whose price is unknown or 0." in score_against(table).to_dict()["title"]["subtitle"][0]
    )


def test_where_no_price_is_known_there_is_no_picture_of_costs() -> None:
    with pytest.raises(InputError, match="every price is unknown or 0"):
        score_against(board().with_columns(pl.lit(None, dtype=pl.Float64).alias("cost")))


def test_an_unknown_axis_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="cost, elapsed"):
        score_against(board(), "colour")  # type: ignore[arg-type]


def test_labels_overlap_neither_each_other_nor_points() -> None:
    points = [(100.0 + 9 * (n % 5), 100.0 + 9 * (n // 5)) for n in range(20)]
    labels = [f"model-{n}" for n in range(20)]
    places = place_labels(points, labels, 400, 300)
    widths = {"left": 0.0, "center": 0.5, "right": 1.0}
    boxes = [
        Box(left=left, right=left + 5 * len(label), top=place.y - 5.9, bottom=place.y + 5.9)
        for place, label in zip(places, labels, strict=True)
        if place
        for left in [place.x - widths[place.align] * 5 * len(label)]
    ]
    assert len(boxes) >= 15
    assert not [1 for n, box in enumerate(boxes) for other in boxes[:n] if box.meets(other)]


def test_a_model_without_an_interval_is_drawn_without_one() -> None:
    table = board().with_columns(
        pl.lit(None, dtype=pl.Float64).alias("low"), pl.lit(None, dtype=pl.Int64).alias("rank_low")
    )
    picture = vl_convert.vegalite_to_svg(ranking(table).to_dict())
    assert "NaN" not in picture
    assert "n/a" not in picture


def test_a_ranking_shows_ranks_and_who_is_not_ranked() -> None:
    table = board().with_columns(
        pl.Series("rank_low", [1, 1, 3, None]), pl.Series("rank_high", [2, 2, 3, None]),
        pl.Series("lacks", [None, None, None, "4 of 14 test cases"]),
    )  # fmt: skip
    said = texts(str(vl_convert.vegalite_to_svg(ranking(table).to_dict())))
    assert [text for text in said if "rank" in text and "interval" not in text] == [
        *("rank 1 to 2", "rank 1 to 2", "rank 3", "not ranked"),
    ]
    bands = re.findall(r'"band": (\d)', json.dumps(ranking(table).to_dict()))
    assert bands[:4] == ["0", "0", "1", "0"]
    assert describe("ranking", table).endswith("2 models could be the best.")


def test_a_picture_counts_the_answers_that_it_draws() -> None:
    table = board().with_columns(pl.Series("cost", [0.1, 0.2, None, 0.0]))
    assert "20 answers to 26 test cases" in json.dumps(score_against(table, "cost", CAPTION).to_dict())
    assert "40 answers to 26 test cases" in json.dumps(ranking(table, CAPTION).to_dict())
    assert "40 answers" in json.dumps(ranking(table).to_dict())


def test_a_test_case_called_mean_is_not_taken_for_the_mean() -> None:
    said = texts(svg("heat_map"))
    assert {"mean", "mean (2)"} <= set(said)


def test_many_prompts_become_a_heat_map() -> None:
    table = pivoted(columns=tuple(f"Prompt{n}" for n in range(9)))
    assert "cividis" in json.dumps(prompt_comparison(table).to_dict())


def test_a_parameter_without_numbers_is_refused() -> None:
    table = by_temperature().with_columns(pl.lit("warm").alias("parameter.temperature"))
    with pytest.raises(InputError, match="no row has a number"):
        score_by_parameter(table)


def test_efforts_stand_in_their_order_and_by_their_names() -> None:
    efforts = {0.1: "low", 0.5: "medium", 0.9: "high"}
    column = pl.col("parameter.temperature")
    named = column.replace_strict(efforts, return_dtype=pl.String).alias("parameter.effort")
    table = by_temperature(MODELS[:2]).with_columns(named)
    said = texts(vl_convert.vegalite_to_svg(score_by_parameter(table, "parameter.effort").to_dict()))
    assert [text for text in said if text in efforts.values()] == ["low", "medium", "high"]
    assert "Effort" in said


def test_names_stay_different_when_they_are_shortened() -> None:
    long = ["x" * 100 + "a" + "y" * 100, "x" * 100 + "b" + "y" * 100]
    shown = shown_names(long)
    assert len(set(shown)) == 2
    assert max(map(len, shown)) < 60


def test_a_caption_counts_what_was_judged_and_names_every_julia() -> None:
    frame = pl.DataFrame({
        "outcome": ["pass", "fail", "void"], "test_case": ["a", "b", "c"],
        "julia_version": ["1.10.4", None, "1.9.0"],
    })  # fmt: skip
    assert caption_of(frame, "x").facts == "2 answers to 2 test cases · Julia 1.10.4, some not recorded"
    assert caption_of(frame.with_columns(pl.lit(None, dtype=pl.String).alias("julia_version"))).julia == (
        "Julia version not recorded"
    )


def test_there_is_no_text_for_a_picture_that_does_not_exist() -> None:
    with pytest.raises(InputError, match="ranking, cost"):
        describe("pie", board())


# Files


@pytest.mark.parametrize(
    ("ending", "starts"),
    [(".png", b"\x89PNG\r\n"), (".svg", b"<svg"), (".json", b"{"), (".SVG", b"<svg")],
)
def test_a_picture_is_saved_by_the_ending_of_its_name(tmp_path: Path, ending: str, starts: bytes) -> None:
    file = save_chart(ranking(board(), CAPTION), tmp_path / f"picture{ending}")
    assert file.read_bytes().lstrip().startswith(starts)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The HTML of a picture with hostile names; to make one takes seconds."""
    file = save_chart(ranking(board(HOSTILE), CAPTION), tmp_path_factory.mktemp("page") / "picture.html")
    return file.read_text(encoding="utf-8")


def test_the_html_needs_no_network(page: str) -> None:
    assert page.startswith("<!DOCTYPE html>")
    assert not re.search(r"<(?:script|link)[^>]+(?:src|href)=", page)
    assert "default-src 'none'" in page
    assert "vegaEmbed=" in page


def test_no_name_becomes_markup_in_the_html(page: str) -> None:
    assert len(re.findall("</script>", page)) == 2
    assert "<b>" not in page[page.rindex("<script>") :]
    assert "\\u003c/script" in page


def test_the_html_says_in_words_what_it_shows(page: str) -> None:
    caption = re.search(r"<figcaption>(.*?)</figcaption>", page)
    assert caption
    assert html.unescape(caption[1]) == describe("ranking", board(HOSTILE))


def test_the_json_is_the_specification(tmp_path: Path) -> None:
    chart = ranking(board())
    assert json.loads(save_chart(chart, tmp_path / "a.json").read_text(encoding="utf-8")) == chart.to_dict()


@pytest.mark.parametrize("name", ["picture.pdf", "picture", ".png"])
def test_another_ending_is_refused_with_the_possible_ones(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"\.png, \.svg, \.html, \.json"):
        save_chart(ranking(board()), tmp_path / name)


def test_a_folder_that_is_not_there_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing/a\.svg: cannot be written"):
        save_chart(ranking(board()), tmp_path / "missing" / "a.svg")


@pytest.mark.parametrize("package", ["altair", "vl_convert"])
def test_without_the_extra_the_message_says_what_to_install(package: str) -> None:
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from codejury.errors import CodejuryError\n"
        "try:\n    from codejury.report.plots import ranking, save_chart\n"
        "except CodejuryError as error:\n    print(error)\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'codejury[plots]'" in told.stdout
    assert package in told.stdout


def test_asking_for_words_and_captions_needs_no_altair() -> None:
    program = (
        "import sys; import codejury.report.plots as p; p.describe, p.Caption; print('altair' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"


def test_an_unknown_name_is_an_attribute_error() -> None:
    import codejury.report.plots

    assert issubclass(InputError, CodejuryError)
    with pytest.raises(AttributeError):
        codejury.report.plots.pie  # noqa: B018 - asking is the test


def test_the_code_of_the_docs_runs_as_it_stands(
    tmp_path: Path, definitions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results").mkdir()
    tree = Tree(tmp_path / "results" / "demo", definitions)
    for answer, case in (("half", "maths/double"), ("right", "text/repeat"), ("wrong", "text/repeat")):
        tree.add(answer, case)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CODEJURY_CACHE", str(tmp_path / "cache"))
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "plots.md").read_text(), re.DOTALL)
    exec(compile(code, "plots.md", "exec"), {})
    assert (tmp_path / "ranking.svg").stat().st_size > 1000
    assert (tmp_path / "cases.png").stat().st_size > 1000


def test_the_docs_name_every_picture_and_every_ending() -> None:
    text = (ROOT / "docs" / "plots.md").read_text(encoding="utf-8")
    assert all(f"`{kind}`" in text for kind in CHART_KINDS)
    assert all(f"`{ending}`" in text for ending in ENDINGS)
