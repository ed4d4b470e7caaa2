"""What a link to the site shows elsewhere: a few words and a card, a picture of the highest rows.

The card is drawn as SVG and turned into a PNG, which is what other sites show. Without vl-convert (the extra
`plots`) there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import escape

from ..plots.captions import shown_names
from .formatting import counted, number
from .output import SiteFolder

Row = Mapping[str, Any]

CARD: Final = "share.png"
_SOURCE: Final = "share.svg"
_WIDTH, _HEIGHT = 1200, 630
_ROWS: Final = 6
_LEFT, _TOP, _TALL = 72, 276, 320
_BAR_LEFT, _BAR_WIDTH = 560, 460
_LONGEST_NAME: Final = 34


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """What each page says about the site."""

    words: str = ""
    """About the board: how much there is, and who is first."""
    address: str = ""
    """Where the site will be, ending in a slash, or "". Others need it to find the card."""
    card: str = ""
    """The file of the card, or "" if there is none."""


def share(output: SiteFolder, rows: Sequence[Row], *, cases: int, answers: int, address: str) -> Sharing:
    """Write the card of the board, and return what pages say."""
    ranked = [row for row in rows if row["lacks"] is None] or list(rows)
    facts = f"{counted(len(rows), 'model')}, {counted(cases, 'test case')}, {counted(answers, 'answer')}"
    words = f"{facts}. First: {ranked[0]['model']}, {number(ranked[0]['solved'])} % solved."
    return Sharing(words=words, address=address, card=_write_card(output, card(ranked[:_ROWS], facts)))


def _write_card(output: SiteFolder, picture: str) -> str:
    try:
        import vl_convert
    except ModuleNotFoundError:
        return ""
    changed = output.write(_SOURCE, picture)
    if changed or not output.keep(CARD):
        output.write(CARD, vl_convert.svg_to_png(picture))
    return CARD


def card(rows: Sequence[Row], facts: str) -> str:
    """The card as SVG."""
    names = shown_names([row["model"] for row in rows], _LONGEST_NAME)
    step = min(_TALL / max(len(rows), 1), 68)
    named = enumerate(zip(rows, names, strict=True))
    lines = [_line(row, name, _TOP + place * step) for place, (row, name) in named]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="Liberation Sans, Arial, sans-serif">'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fbfaf8"/>'
        f'<rect width="{_WIDTH}" height="12" fill="#3f5fc4"/>'
        f'<text x="{_LEFT}" y="92" font-size="30" font-weight="700" fill="#3f5fc4">Codejury</text>'
        f'<text x="{_LEFT}" y="158" font-size="56" font-weight="700" fill="#1d2127">'
        "Which models write good Julia?</text>"
        f'<text x="{_LEFT}" y="206" font-size="28" fill="#565d68">{escape(facts)}</text>'
        f"{''.join(lines)}</svg>\n"
    )


def _line(row: Row, name: str, y: float) -> str:
    """A row of the board: name, interval, and share solved."""
    solved = row["solved"] or 0.0
    low, high = (solved if row[end] is None else row[end] for end in ("low", "high"))
    x = _BAR_LEFT
    across = _BAR_WIDTH / 100
    return (
        f'<text x="{_LEFT}" y="{y + 9}" font-size="26" fill="#1d2127">{escape(name)}</text>'
        f'<rect x="{x}" y="{y - 1}" width="{_BAR_WIDTH}" height="2" fill="#d8d4cc"/>'
        f'<rect x="{x + low * across:.1f}" y="{y - 11}" width="{max(high - low, 0.5) * across:.1f}" '
        'height="22" fill="#b2bfe7"/>'
        f'<rect x="{x + solved * across - 3:.1f}" y="{y - 16}" width="6" height="32" fill="#3f5fc4"/>'
        f'<text x="{_WIDTH - _LEFT}" y="{y + 9}" font-size="28" font-weight="700" text-anchor="end" '
        f'fill="#1d2127">{number(row["solved"])} %</text>'
    )
