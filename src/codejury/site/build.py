"""From a folder of stored answers to a folder of pages.

world -> board -> shards of answers, in other processes -> pages and data -> the manifest
               -> views, profiles, pictures, meanwhile
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..definitions import Notes
from .archive import Packing
from .board import as_csv, board_data, script, view_data
from .cases import case_pages, cases_page
from .content import Content, arrange, board_page, method_page, model_pages, score_table
from .output import Output
from .pages import POLICY_OF_PICTURES, STATIC, render
from .pairing import MOST_MODELS, pair_data
from .pictures import Picture, board_charts, failure_charts, write_pictures
from .slugs import slug
from .swap import built_beside
from .tables import Profiles, View, board_of, failures_of, profiles_of, providers, views
from .world import World, load_world, make_groups

if TYPE_CHECKING:
    import polars as pl

Report = Callable[[str], None]
"""Told what is being done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What a build made."""

    folder: Path
    models: int
    cases: int
    answers: int
    files: int
    size: int
    """Bytes of all files."""
    changed: int
    """Files that are new or different."""
    largest_shard: int
    note: str
    """Something the reader of the terminal should know, or ""."""
    notes: Notes
    """What is to be said about the definitions."""

    @property
    def start(self) -> Path:
        return self.folder / "index.html"


def build_site(
    root: Path,
    folder: Path,
    *,
    definitions: Path | None = None,
    max_history: int | None = None,
    report: Report = lambda _: None,
) -> Built:
    """Build the site of all answers below `root`, or bring it up to date. One that fails changes nothing."""
    report("Loading evaluations")
    Output(folder)  # refuses a folder that is somebody's own
    world = load_world(root, definitions, max_history=max_history)
    with built_beside(folder) as beside:
        built = write_site(world, Output(beside), report)
    return replace(built, folder=folder)


def write_site(world: World, output: Output, report: Report = lambda _: None) -> Built:
    """Write the pages of a world."""
    report("Making the board")
    output.claim()
    board = board_of(world.frame)
    groups = make_groups(world, board.table["model"].to_list())
    with Packing(world.root, output, groups) as packing:
        made = list(views(world.frame, board))
        profiles = profiles_of(world.frame)
        report("Drawing pictures")
        pictures, note = write_pictures(output, board_charts(board))
        report("Packing answers")
        archive = packing.wait()
    report("Writing pages")
    content = arrange(world, board, groups, archive.addresses)
    failures = failures_of(world.frame, archive.kinds)
    _write_static(output)
    _write_board(output, content, made)
    _write_models(output, content, profiles, failures)
    _write_cases(output, content)
    _write_compare(output, content)
    output.write("method.html", render("method.html", method_page(content)))
    output.write("answer.html", render("answer.html", {"here": "", **content.shared}))
    pictures += write_pictures(output, failure_charts(world.frame, failures))[0]
    _write_gallery(output, content, pictures, note)
    output.finish(archive.notes)
    return Built(
        folder=output.folder, models=len(content.rows), cases=len(content.cases), answers=world.frame.height,
        files=len(output.written), size=sum(output.written.values()), changed=output.changed,
        largest_shard=archive.largest, note=note, notes=world.notes,
    )  # fmt: skip


def _write_static(output: Output) -> None:
    for file in sorted(STATIC.iterdir()):
        output.write(f"assets/{file.name}", file.read_bytes())


def _write_board(output: Output, content: Content, made: list[View]) -> None:
    known = providers(content.world.frame)
    for number, view in enumerate(made):
        output.write(f"data/view-{number}.js", script(f"data/view-{number}", view_data(view, known)))
    output.write("data/board.js", script("data/board", board_data(made)))
    output.write("index.html", render("board.html", board_page(content, made[0])))
    output.write("board.csv", as_csv(content.rows))


def _write_models(output: Output, content: Content, profiles: Profiles, failures: pl.DataFrame) -> None:
    for model, context in model_pages(content, profiles, failures).items():
        output.write(f"models/{slug(model)}.html", render("model.html", context, up="../"))


def _write_cases(output: Output, content: Content) -> None:
    output.write("cases.html", render("cases.html", cases_page(content)))
    for name, context in case_pages(content).items():
        output.write(f"cases/{slug(name)}.html", render("case.html", context, up="../"))


def _write_compare(output: Output, content: Content) -> None:
    models = [row["model"] for row in content.rows][:MOST_MODELS]
    cases = sorted(content.cases, key=lambda case: (case["category"], case["test_case"]))
    data: dict[str, Any] = {
        "models": [
            {"name": row["model"], "slug": slug(row["model"]), "lacks": row["lacks"]}
            for row in content.rows[:MOST_MODELS]
        ],
        "cases": [
            {"name": case["test_case"], "slug": slug(case["test_case"]), "category": case["category"]}
            for case in cases
        ],
        **pair_data(content.board, models, [case["test_case"] for case in cases]),
    }
    output.write("data/compare.js", script("data/compare", data))
    output.write(
        "compare.html", render("compare.html", {"here": "compare.html", "models": models, **content.shared})
    )


def _write_gallery(output: Output, content: Content, pictures: list[Picture], note: str) -> None:
    cases, table = score_table(content)
    context = {"pictures": pictures, "note": note, "cases": cases, "table": table, "here": "pictures.html"}
    page = render("pictures.html", {**context, **content.shared}, policy=POLICY_OF_PICTURES)
    output.write("pictures.html", page)
