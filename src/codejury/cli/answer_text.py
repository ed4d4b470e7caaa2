"""A model's text on a terminal: markdown rendered, code highlighted, nothing obeyed and nothing hidden.

Usual renderers of markdown leave out what a reader need not see: HTML, link targets, the tag of a fence,
whatever is nested too deeply. Here somebody checks what a model wrote, so all of that stays, as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from .render import safe_text

if TYPE_CHECKING:
    from markdown_it.token import Token
    from rich.console import Console, RenderableType


# Rules that would take text away: raw HTML, decoded entities, the targets and titles of links, and their
# definitions. Tables are not even on: they drop cells beyond their columns.
_HIDING: Final = ["html_block", "html_inline", "entity", "reference", "link", "image"]
_DEEPEST: Final = 40


def answer_text(text: str) -> RenderableType:
    """The text, rendered; as it stands where it cannot be."""
    from rich.text import Text

    text = safe_text(text)
    if not text.strip():
        return Text("(empty)", style="dim")
    try:
        tokens = _parsed(text)
    except RecursionError:
        return Text(text)
    if any(token.level >= _DEEPEST for token in tokens):
        return Text(text)  # deeper than this the parser gives up, and drops the rest
    return _Harmless(_rendered(tokens))


def _parsed(text: str) -> list[Token]:
    from markdown_it import MarkdownIt

    from ..judge.extract.fences import end_blocks_as_julia_does

    parser = MarkdownIt("commonmark", {"maxNesting": 2 * _DEEPEST}).enable("strikethrough")
    end_blocks_as_julia_does(parser)
    return parser.disable(_HIDING, ignoreInvalid=True).parse(text)


def _rendered(tokens: list[Token]) -> RenderableType:
    from rich.markdown import Markdown

    markdown = Markdown("", code_theme="ansi_dark", hyperlinks=False)
    markdown.parsed = [shown for token in tokens for shown in _shown(token)]
    return markdown


def _shown(token: Token) -> Iterator[Token]:
    """The token, with the tag of a fence before it, and with the lines of a paragraph kept apart."""
    from markdown_it.token import Token

    if token.type == "fence" and token.info.strip():
        tag = Token("text", "", 0, content=f"{token.markup}{token.info}")
        yield Token("paragraph_open", "p", 1, level=token.level)
        yield Token("inline", "", 0, level=token.level + 1, children=[tag])
        yield Token("paragraph_close", "p", -1, level=token.level)
    for child in token.children or ():
        if child.type == "softbreak":
            child.type = "hardbreak"
    yield token


class _Harmless:
    """Whatever a renderable makes of a text, only harmless characters and styles leave it."""

    def __init__(self, inner: RenderableType) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: Any) -> Iterator[Any]:
        from rich.segment import Segment

        for segment in console.render(self._inner, options):
            if not segment.control:
                style = segment.style.update_link(None) if segment.style else None
                yield Segment(safe_text(segment.text), style)
