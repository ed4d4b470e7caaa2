"""Code that stands in an answer without a fence: between HTML tags, or indented by four spaces.

It is taken only where nothing better is there, and only if it parses. What holds a line of prose is not even
offered.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from .fences import JULIA, CodeBlock, language_of
from .lines import may_be_code

_TAG: Final = re.compile(
    r"<(?P<closing>/?)(?P<name>pre|code|julia|answer)\b(?P<attributes>[^<>\n]{0,200})>", re.IGNORECASE
)
# In these `&lt;` means `<`. They also stand in the middle of sentences, around a single name, so they count
# only where they begin a line.
_HTML: Final = frozenset({"pre", "code"})
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z]\w{1,31});")
_LANGUAGE: Final = re.compile(r"""\b(?:class|lang|language)\s*=\s*["']?\s*(?:language-|lang-)?([\w+#.-]+)""")


@dataclass(frozen=True, slots=True)
class Element:
    """What stands between an opening and a closing tag."""

    code: str
    first: int
    """The line of the opening tag, from 0."""
    after: int
    """The line after the closing tag."""

    @property
    def inside(self) -> range:
        """The lines behind the opening tag. As this is code, fences that begin there are in its strings."""
        return range(self.first + 1, self.after)


def tagged_code(text: str, fenced: Sequence[CodeBlock]) -> list[Element]:
    """Return what stands between `<pre>`, `<code>`, `<julia>` or `<answer>` tags, outside of fences.

    "<pre><code>f(x) = x &lt; 1</code></pre>" -> [Element("f(x) = x < 1", 0, 1)]
    """
    in_fences = {line for block in fenced for line in range(block.first, block.after)}
    fences = {block.first for block in fenced}
    return [
        element
        for element in _elements(text)
        if element.first not in in_fences and element.code.strip() and _may_be_code(element, fences)
    ]


def _may_be_code(element: Element, fences: set[int]) -> bool:
    return may_be_code(element.code, {line - element.first for line in element.inside if line in fences})


def indented_code(indented: Iterable[CodeBlock]) -> list[str]:
    """Return the content of the indented blocks that may be code."""
    return [block.content for block in indented if may_be_code(block.content)]


def _elements(text: str) -> Iterator[Element]:
    """Yield the elements that hold no other; the last may lack its closing tag."""
    opened: re.Match[str] | None = None
    begins_line, behind, found, line, first = True, 0, False, 0, 0
    for tag in _TAG.finditer(text):
        between = text[behind : tag.start()]
        behind, line = tag.end(), line + between.count("\n")
        begins_line = not between.rpartition("\n")[2].strip() and (begins_line or "\n" in between)
        if not tag["closing"]:
            counts = begins_line or tag["name"].lower() not in _HTML
            opened, first = (tag if counts and not _says_another_language(tag) else None), line
        elif opened and tag["name"].lower() == opened["name"].lower():
            yield Element(_content(opened, text[opened.end() : tag.start()]), first, line + 1)
            opened, found = None, True
    if opened and not found:
        yield Element(_content(opened, text[opened.end() :]), first, line + text.count("\n", behind) + 1)


def _says_another_language(tag: re.Match[str]) -> bool:
    language = _LANGUAGE.search(tag["attributes"])
    return language is not None and language_of(language[1]) != JULIA


def _content(tag: re.Match[str], text: str) -> str:
    if tag["name"].lower() not in _HTML:
        return text
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
