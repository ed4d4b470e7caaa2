"""Pictures: drawn by `report.plots`, kept as SVG for light and dark pages, and as data for the browser.

Without altair and vl-convert (the extra `plots`) the site has no pictures, and says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...errors import CodejuryError
from ...files import overwrite
from ...settings import load_settings
from .board import script
from .changes import content_mark
from .output import SiteFolder
from .tables import SEED, matrix

if TYPE_CHECKING:
    import polars as pl

    from ...results.statistics.tables import Board
    from ..plots import Caption


# The colours of codejury.report.plots on a dark page. Those of the data are light enough as they are.
DARK: Final[Mapping[str, str]] = {
    "white": "#1b1e24", "#222222": "#e6e4df", "#767676": "#a3a8b2", "#EDF1F5": "#262d3a",
    "#E3E3E3": "#2f343d", "#000000": "#e6e4df", "#0072B2": "#6bb3ea", "#555555": "#b4b9c3",
    "#B5B5B5": "#5a616d",
}  # fmt: skip
_EFFORT: Final = "parameter.effort"
_SIZE: Final = re.compile(r'<svg[^>]*?\bwidth="([\d.]+)"[^>]*?\bheight="([\d.]+)"')
_SNIPPET: Final = "window.vegaEmbed = vegaEmbed;"
_BANNER: Final = "/* Vega, Vega-Lite, Vega-Embed: BSD 3-Clause, University of Washington; {} */"

_RANKED: Final = ("model", "solved", "low", "high", "rank_low", "rank_high", "score", "lacks", "samples")
"""What pictures of the board show of it; cost and time on top of that where they are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """What a picture is made from: building a chart takes as long as drawing it, and most stay the same."""

    name: str
    """Of its files."""
    title: str
    kind: str
    """For the words that describe it."""
    table: pl.DataFrame
    """All it shows: the same table makes the same picture."""
    caption: Caption
    draw: Callable[[pl.DataFrame, Caption], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture on the page."""

    name: str
    title: str
    words: str
    """What it shows, for those who cannot see it."""
    width: int
    height: int


def write_pictures(output: SiteFolder, charts: Iterable[Chart]) -> tuple[list[Picture], str]:
    """Write pictures. Returns them, and why there are none."""
    try:
        pictures = [_write(output, chart) for chart in charts]
        _write_vega(output)
    except (CodejuryError, ModuleNotFoundError) as error:
        return [], f"There are no pictures: {error}"
    return pictures, ""


def board_charts(whole: Board) -> Iterator[Chart]:
    """What the board shows in numbers; a chart that would have nothing to show is left out."""
    from ...results.statistics.tables import leaderboard, pivot
    from .. import plots

    frame, board = whole.answers, whole.table
    caption, by_prompt = plots.caption_of(frame), pivot(frame, "model", "prompt")
    chart = partial(Chart, caption=caption)
    ranked = board.select(_RANKED)
    yield chart(
        name="ranking", title="Ranking with intervals", kind="ranking", table=ranked,
        draw=lambda table, caption: plots.ranking(table, caption),
    )  # fmt: skip
    if _several(board["cost"]):
        yield chart(
            name="cost", title="Solved against cost", kind="cost", table=board.select(*_RANKED, "cost"),
            draw=lambda table, caption: plots.score_against(table, "cost", caption),
        )  # fmt: skip
    if _several(board["elapsed"]):
        yield chart(
            name="time", title="Solved against time", kind="elapsed", table=board.select(*_RANKED, "elapsed"),
            draw=lambda table, caption: plots.score_against(table, "elapsed", caption),
        )  # fmt: skip
    if by_prompt.width > 2:
        yield chart(
            name="prompts", title="Prompts", kind="prompts", table=by_prompt,
            draw=lambda table, caption: plots.prompt_comparison(table, caption),
        )  # fmt: skip
    if _EFFORT in frame.columns and frame[_EFFORT].n_unique() > 1:
        by_effort = leaderboard(frame.filter(frame[_EFFORT].is_not_null()), ("model", _EFFORT), seed=SEED)
        yield chart(
            name="effort", title="Solved by effort", kind="parameter", table=by_effort,
            draw=lambda table, caption: plots.score_by_parameter(table, _EFFORT, caption),
        )  # fmt: skip
        if _several(by_effort["cost"]):
            yield chart(
                name="effort-cost", title="Effort against cost", kind="cost", table=by_effort,
                draw=lambda table, caption: plots.score_against(table, "cost", caption),
            )  # fmt: skip
    yield chart(
        name="heat", title="Models and test cases", kind="heat_map", table=matrix(frame),
        draw=lambda table, caption: plots.heat_map(table, caption),
    )  # fmt: skip


def failure_charts(frame: pl.DataFrame, failures: pl.DataFrame) -> Iterator[Chart]:
    from .. import plots

    if failures.height:
        yield Chart(
            name="failures", title="What went wrong", kind="failures", table=failures.drop("example"),
            caption=plots.caption_of(frame),
            draw=lambda table, caption: plots.failure_chart(table, caption),
        )  # fmt: skip


def _several(values: pl.Series) -> bool:
    """Whether at least two are known and can stand on a logarithmic axis."""
    return int((values > 0).sum()) > 1


def _write(output: SiteFolder, chart: Chart) -> Picture:
    from ..plots import describe

    mark = content_mark(_steady(chart.table), chart.caption, version("vl-convert-python"))
    light = cache(lambda: as_vega(chart))
    dark = cache(lambda: darkened(light()))
    for theme, own in (("light", light), ("dark", dark)):
        file = f"charts/{chart.name}.{theme}"
        output.write_page(f"{file}.js", mark, partial(_as_script, file, own))
        output.write_page(f"{file}.svg", mark, partial(_drawn, own))
    match = _SIZE.search(output.read(f"charts/{chart.name}.light.svg"))
    width, height = (round(float(size)) for size in match.groups()) if match else (0, 0)
    words = describe(chart.kind, chart.table)
    return Picture(name=chart.name, title=chart.title, words=words, width=width, height=height)


def _steady(table: pl.DataFrame) -> str:
    """A table as text that is the same for the same picture: without digits that nobody can see."""
    import polars.selectors as cs

    return table.with_columns(cs.float().round_sig_figs(9)).write_json()


def as_vega(chart: Chart) -> Any:
    """A chart for Vega. Names of its data are the same each time it is drawn."""
    import vl_convert

    drawn = chart.draw(chart.table, chart.caption)
    spec = drawn.to_dict(validate=False)  # tests do that, and it takes as long as the drawing
    text = json.dumps(spec)
    for number, name in enumerate(spec.get("datasets", {})):
        text = text.replace(name, f"data-{number}")
    return vl_convert.vegalite_to_vega(json.loads(text))


def _as_script(name: str, vega: Callable[[], Any]) -> str:
    return script(name, vega())


def _drawn(vega: Callable[[], Any]) -> str:
    import vl_convert

    return str(vl_convert.vega_to_svg(vega()))


def darkened(vega: dict[str, Any]) -> dict[str, Any]:
    """A chart for dark pages. Legends have no colour of their own in it, and would be black."""
    dark: dict[str, Any] = recoloured(vega, DARK)
    config = dict(dark.get("config") or {})
    ink = {"labelColor": DARK["#222222"], "titleColor": DARK["#222222"]}
    config["legend"] = {**(config.get("legend") or {}), **ink}
    return {**dark, "config": config}


def recoloured(spec: Any, colours: Mapping[str, str]) -> Any:
    """A chart in other colours. The data are left alone: a model may be called `white`.

    So is a colour that depends on a datum: it was chosen for the colour it stands on.
    """
    if isinstance(spec, dict):
        return {
            key: value if key in ("values", "domain", "description") else recoloured(value, colours)
            for key, value in spec.items()
        }
    if isinstance(spec, list):
        if any(isinstance(value, dict) and "test" in value for value in spec):
            return spec
        return [recoloured(value, colours) for value in spec]
    return colours.get(spec, spec) if isinstance(spec, str) else spec


def _write_vega(output: SiteFolder) -> None:
    """Vega as one script. Making it takes seconds, so it is kept in the user's cache."""
    name = f"vega-{version('vl-convert-python')}.js"
    if not output.read("assets/vega.js").startswith(_BANNER.format(name)):
        output.write("assets/vega.js", _cached(load_settings().cache / "site" / name))
    output.keep("assets/vega.js")


def _cached(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        script = _vega(file.name)
    with suppress(OSError):  # a cache that cannot be written only costs time
        file.parent.mkdir(parents=True, exist_ok=True)
        overwrite(file, script.encode())
    return script


def _vega(name: str) -> str:
    """In braces, so that its hundreds of names stay its own."""
    import vl_convert

    return f'{_BANNER.format(name)}\n"use strict";{{{vl_convert.javascript_bundle(_SNIPPET)}}}\n'
