"""From an answer to the pieces of code in it: without reasoning, each with its language tag, in order."""

from __future__ import annotations

import re
from typing import Final

from ..records import Snippet
from .fences import Block, first_lines, read_blocks
from .languages import JULIA, code_in_info, language_of
from .markup import Element, indented_code, tagged_code
from .reading import is_program
from .reasoning import without_reasoning

_FENCE: Final = re.compile(r"```|~~~")
# A chat template's own tokens, such as <|im_end|>, behind a closing fence: servers leak them.
_TOKEN_AFTER_FENCE: Final = re.compile(r"^([ \t]*(?:`{3,}|~{3,}))[ \t]*(?=<\|\w{1,40}\|>)", re.MULTILINE)


def find_snippets(answer: str) -> tuple[Snippet, ...]:
    r"""Return the fenced blocks of an answer, or the whole answer as one unfenced snippet.

    "Sure:\n```julia\nf(x) = x\n```\n"  -> (Snippet(code="f(x) = x\n", language="julia"),)
    "f(x) = x"                          -> (Snippet(code="f(x) = x", fenced=False),)

    Where no block is tagged as Julia, code between HTML tags and indented code follow.
    """
    text, fenced, indented = _read(answer)
    if fenced and is_program(text, {block.first for block in fenced}):  # they are all in its docstrings
        return (Snippet(code=text, fenced=False, extended=True),)
    tagged = tagged_code(text, fenced)
    in_tags = {line for element in tagged for line in element.inside}
    snippets = [_snippet(block) for block in fenced if block.first not in in_tags]
    snippets = snippets or [Snippet(code=text, fenced=False)]
    if not any(map(is_julia, snippets)):
        fences = {block.first for block in fenced}
        snippets += [_tagged_snippet(element, fences) for element in tagged]
        snippets += [Snippet(code=code, fenced=False, markup="indented") for code in indented_code(indented)]
    return tuple(snippets)


def _tagged_snippet(element: Element, fences: set[int]) -> Snippet:
    goes_on = not fences.isdisjoint(element.inside)
    return Snippet(code=element.code.strip("\n"), fenced=False, markup="html", extended=goes_on)


def fenced_blocks(answer: str) -> list[Block]:
    """Return the fenced blocks of an answer with what a snippet does not say: the whole tag, the end."""
    return _read(answer)[1]


def extended_spans(text: str) -> list[tuple[int, int]]:
    """Return the lines of the blocks that go on past a fence inside a string or a comment of theirs.

    Each as (line of the opening fence, line after the closing one), from 0: for those who draw the text and
    find blocks by CommonMark's rules alone. Reasoning is text here as all else.
    """
    if len(_FENCE.findall(text)) < 2:  # an opening fence, and one inside: without them, spare the parser
        return []
    return [(block.first, block.after) for block in read_blocks(_normalised(text))[0] if block.extended]


def _read(answer: str) -> tuple[str, list[Block], list[Block]]:
    text = first_lines(without_reasoning(_TOKEN_AFTER_FENCE.sub(r"\1\n", _normalised(answer))))
    return text, *read_blocks(text)


def _snippet(block: Block) -> Snippet:
    first_line = code_in_info(block.info)
    code = f"{first_line}\n{block.content}" if first_line else block.content
    return Snippet(code=code, language=language_of(block.info), extended=block.extended)


def is_julia(snippet: Snippet) -> bool:
    """Whether the fence's tag says Julia."""
    return snippet.language == JULIA


def bare_code(code: str) -> tuple[Snippet, ...]:
    """Return the snippets of an answer that is nothing but Julia code: a fence in a docstring is none."""
    return (Snippet(code=_normalised(code), language=JULIA),)


def _normalised(answer: str) -> str:
    """Return the answer with LF line ends, without a byte order mark, and fit to be written as UTF-8."""
    text = answer.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    # JSON can carry half a surrogate pair, which no UTF-8 file can.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
