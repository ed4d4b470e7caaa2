"""Code that stands in an answer without a fence: between HTML tags, or indented by four spaces.

It is taken only where nothing better is there, and only if it parses. What holds a line of prose is not even
offered.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from .fences import Block
from .languages import JULIA, language_of
from .reading import may_be_code

_TAG: Final = re.compile(
    r"<(?P<closing>/?)(?P<name>pre|code|julia|answer)\b(?P<attributes>[^<>\n]{0,200})>", re.IGNORECASE
)
# In these `&lt;` means `<`. They also stand in the middle of sentences, around a single name, so they count
# only where they begin a line.
_HTML: Final = frozenset({"pre", "code"})
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z]\w{1,31});")
_LANGUAGE: Final = re.compile(r"""\b(?:class|lang|language)\s*=\s*["']?\s*(?:language-|lang-)?([\w+#.-]+)""")


def tagged_code(text: str, fenced: Sequence[Block]) -> list[str]:
    """Return what stands between `<pre>`, `<code>`, `<julia>` or `<answer>` tags, outside of fences.

    "<pre><code>f(x) = x &lt; 1</code></pre>" -> ["f(x) = x < 1"]
    """
    return [code for code in _elements(_outside(text, fenced)) if code.strip() and may_be_code(code)]


def indented_code(indented: Iterable[Block]) -> list[str]:
    """Return the content of the indented blocks that may be code."""
    return [block.content for block in indented if may_be_code(block.content)]


def _outside(text: str, fenced: Sequence[Block]) -> str:
    """Return the text with its fenced lines emptied."""
    lines = text.split("\n")
    for block in fenced:
        lines[block.first : block.after] = [""] * (block.after - block.first)
    return "\n".join(lines)


def _elements(text: str) -> Iterator[str]:
    """Yield the content of elements that hold no other; the last may lack its closing tag."""
    opened: re.Match[str] | None = None
    begins_line, behind, found = True, 0, False
    for tag in _TAG.finditer(text):
        _, line_end, blanks = text[behind : tag.start()].rpartition("\n")
        begins_line = not blanks.strip() and (begins_line or bool(line_end))
        behind = tag.end()
        if not tag["closing"]:
            counts = begins_line or tag["name"].lower() not in _HTML
            opened = tag if counts and not _says_another_language(tag) else None
        elif opened and tag["name"].lower() == opened["name"].lower():
            yield _content(opened, text[opened.end() : tag.start()])
            opened, found = None, True
    if opened and not found:
        yield _content(opened, text[opened.end() :])


def _says_another_language(tag: re.Match[str]) -> bool:
    language = _LANGUAGE.search(tag["attributes"])
    return language is not None and language_of(language[1]) != JULIA


def _content(tag: re.Match[str], text: str) -> str:
    if tag["name"].lower() not in _HTML:
        return text
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
