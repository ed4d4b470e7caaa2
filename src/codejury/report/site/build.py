"""From a folder of stored answers to a folder of pages.

world -> board -> shards of answers, in other processes -> pages and data -> the manifest
               -> views, profiles, pictures, meanwhile
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...errors import InputError
from ...suite.suite import SuiteNotes, suite_of_results
from .archive import Packing
from .board import as_csv, board_data, script, view_data
from .cases import case_pages, cases_page
from .changes import Stamps, content_mark, fingerprint_of, stamps
from .content import (
    Content,
    arrange,
    board_page,
    method_page,
    model_pages,
    row_details,
    score_table,
    with_chips,
)
from .inputs import World, load_world, make_groups
from .news import MOST_DAYS, feed_items, news, standing
from .output import SiteFolder, built_beside
from .pages import POLICY_OF_PICTURES, STATIC, render, slug
from .pairs import MOST_MODELS, pair_data, pair_mark
from .pictures import Picture, board_charts, failure_charts, write_pictures
from .sharing import Sharing, share
from .tables import (
    MOST_VIEWS,
    Profiles,
    View,
    board_of,
    combinations,
    failures_of,
    occurring,
    profiles_of,
    providers,
    views,
)

if TYPE_CHECKING:
    import polars as pl

    from ...results.index.load import BrokenFile


Report = Callable[[str], None]
"""Told what is being done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What a build made."""

    folder: Path
    models: int
    cases: int
    answers: int
    broken: tuple[BrokenFile, ...]
    """Evaluations that could not be used."""
    copies: int
    """Evaluations that are copies of others, and left out."""
    found: int
    """Evaluations in all, those included."""
    files: int
    size: int
    """Bytes of all files."""
    changed: int
    """Files that are new or different."""
    largest_shard: int
    note: str
    """Something the reader of the terminal should know, or ""."""
    notes: SuiteNotes
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
    address: str = "",
    report: Report = lambda _: None,
) -> Built:
    """Build the site of all answers below `root`, or bring it up to date. One that fails changes nothing.

    `address` is where it will be on the web; the feed and the card that other sites show name it.
    """
    home = _checked(address)
    report("Looking for changes")
    existing = SiteFolder(folder)  # refuses a folder that is somebody's own
    # Before anything is read: what changes from here on is seen by the next build.
    suite = suite_of_results(root, definitions)
    found = stamps([root, suite])
    mark = _mark(root, suite, found, (max_history, home))
    if same := _built_before(existing, mark):
        return same
    report("Loading evaluations")
    with _without_collecting():
        world = load_world(root, definitions, max_history=max_history)
        with built_beside(folder) as beside:
            built = write_site(world, SiteFolder(beside), found, report, address=home, mark=mark)
    return replace(built, folder=folder)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """What a build makes stays until its end: looking through it for cycles again and again finds none."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _mark(root: Path, suite: Path, found: Stamps, options: tuple[Any, ...]) -> str:
    """Of everything a site is made from."""
    return content_mark(str(root.absolute()), str(root), str(suite), fingerprint_of(found), options)


_FACTS: Final = ("models", "cases", "answers", "copies", "found", "files", "size", "largest_shard")


def _built_before(existing: SiteFolder, mark: str) -> Built | None:
    """What the last build said, if it was made of the same and nobody has touched it since."""
    import msgspec

    made = existing.unchanged_since(mark)
    if made is None:
        return None
    try:
        facts = msgspec.convert({name: made.get(name) for name in _FACTS}, dict[str, int])
        broken = msgspec.convert(made.get("broken"), list[tuple[str, str]])
        notes = msgspec.convert(made.get("notes"), SuiteNotes, dec_hook=lambda kind, value: kind(value))
        note = msgspec.convert(made.get("note"), str)
    except msgspec.ValidationError:
        return None
    return Built(
        folder=existing.folder, changed=0, broken=_broken(broken), notes=notes, note=note, **facts
    )  # fmt: skip


def _broken(told: list[tuple[str, str]]) -> tuple[BrokenFile, ...]:
    if not told:  # as nearly always: the module takes a while to import
        return ()
    from ...results.index.load import BrokenFile

    return tuple(BrokenFile(path=Path(path), reason=reason) for path, reason in told)


def _told(built: Built, mark: str) -> dict[str, Any]:
    """A build as plain values for the manifest."""
    import msgspec

    return {
        "mark": mark,
        **{name: getattr(built, name) for name in _FACTS},
        "broken": [(str(one.path), one.reason) for one in built.broken],
        "notes": msgspec.to_builtins(built.notes, enc_hook=str),
        "note": built.note,
    }


def _checked(address: str) -> str:
    """The address with a slash at its end."""
    if address and not address.startswith(("https://", "http://")):
        raise InputError(f"--address {address}: is no address of a web site; it starts with https://")
    return f"{address.rstrip('/')}/" if address else ""


def write_site(
    world: World, output: SiteFolder, found: Stamps, report: Report, *, address: str, mark: str
) -> Built:
    """Write the pages of a world."""
    report("Making the board")
    output.claim()
    board = board_of(world.frame)
    groups = make_groups(world)
    with Packing(world.root, output, groups, found) as packing:
        wanted = combinations(world.frame)
        made = list(views(world.frame, board, wanted[:MOST_VIEWS]))
        profiles = profiles_of(world.frame)
        report("Drawing pictures")
        pictures, note = write_pictures(output, board_charts(board))
        report("Packing answers")
        archive = packing.wait()
    report("Writing pages")
    content = arrange(world, board, groups, archive)
    content = replace(content, sharing=_share(output, content, address))
    failures = failures_of(world.frame, archive.kinds)
    _write_static(output)
    _write_board(output, content, made, len(occurring(world.frame)) - len(made))
    details = row_details(content, profiles, failures)
    output.write("data/rows.js", script("data/rows", details))
    _write_models(output, content, profiles, failures)
    _write_cases(output, content)
    _write_compare(output, content)
    _write_news(output, content)
    output.write("method.html", render("method.html", method_page(content)))
    output.write("answer.html", render("answer.html", {"here": "", **content.shared}))
    pictures += write_pictures(output, failure_charts(world.frame, failures))[0]
    _write_gallery(output, content, pictures, note)
    built = Built(
        folder=output.folder, models=len(content.rows), cases=len(content.cases), answers=world.frame.height,
        broken=world.broken, copies=world.copies, found=world.files,
        files=len(output.written), size=sum(output.written.values()), changed=output.changed,
        largest_shard=archive.largest, note=note, notes=world.notes,
    )  # fmt: skip
    output.finish(archive.notes, _told(built, mark))
    return built


def _write_static(output: SiteFolder) -> None:
    for file in sorted(STATIC.iterdir()):
        output.write(f"assets/{file.name}", file.read_bytes())


def _write_board(output: SiteFolder, content: Content, made: list[View], left_out: int) -> None:
    known = providers(content.world.frame)
    for number, view in enumerate(made):
        output.write(f"data/view-{number}.js", script(f"data/view-{number}", view_data(view, known)))
    output.write("data/board.js", script("data/board", board_data(made, left_out)))
    output.write("index.html", render("board.html", board_page(content, made[0])))
    output.write("board.csv", as_csv(content.rows))


def _write_models(output: SiteFolder, content: Content, profiles: Profiles, failures: pl.DataFrame) -> None:
    for model, context in model_pages(content, profiles, failures).items():
        page = partial(_model_page, content, context)
        output.write_page(f"models/{slug(model)}.html", content_mark(context), page)


def _model_page(content: Content, context: dict[str, Any]) -> str:
    return render("model.html", with_chips(content, context), up="../")


def _write_cases(output: SiteFolder, content: Content) -> None:
    output.write("cases.html", render("cases.html", cases_page(content)))
    for name, context in case_pages(content).items():
        file, page = f"cases/{slug(name)}.html", partial(render, "case.html", context, up="../")
        output.write_page(file, content_mark(context), page)


def _write_compare(output: SiteFolder, content: Content) -> None:
    models = [row["model"] for row in content.rows][:MOST_MODELS]
    cases = sorted(content.cases, key=lambda case: (case["category"], case["test_case"]))
    names: dict[str, Any] = {
        "models": [
            {"name": row["model"], "slug": slug(row["model"]), "lacks": row["lacks"]}
            for row in content.rows[:MOST_MODELS]
        ],
        "cases": [
            {"name": case["test_case"], "slug": slug(case["test_case"]), "category": case["category"]}
            for case in cases
        ],
    }

    def data() -> str:
        pairs = pair_data(content.board, models, [case["test_case"] for case in cases])
        return script("data/compare", {**names, **pairs})

    output.write_page("data/compare.js", content_mark(names, pair_mark(content.board)), data)
    context = {"here": "compare.html", "models": models, "left_out": len(content.rows) - len(models)}
    output.write("compare.html", render("compare.html", {**context, **content.shared}))


def _share(output: SiteFolder, content: Content, address: str) -> Sharing:
    answers = content.world.frame.height
    return share(output, content.rows, cases=len(content.cases), answers=answers, address=address)


def _write_news(output: SiteFolder, content: Content) -> None:
    days = news(content.world.frame, content.rows)
    shown, older = days[:MOST_DAYS], len(days[MOST_DAYS:])
    context = {"here": "news.html", "days": shown, "older": older, "standing": standing}
    output.write("news.html", render("news.html", {**context, **content.shared}))
    feed = {"items": feed_items(days), "address": content.sharing.address}
    output.write("feed.xml", render("feed.xml", feed))


def _write_gallery(output: SiteFolder, content: Content, pictures: list[Picture], note: str) -> None:
    cases, table = score_table(content)
    context = {"pictures": pictures, "note": note, "cases": cases, "table": table, "here": "pictures.html"}
    page = render("pictures.html", {**context, **content.shared}, policy=POLICY_OF_PICTURES)
    output.write("pictures.html", page)
