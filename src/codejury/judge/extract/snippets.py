"""From an answer to the pieces of code in it: without reasoning, each with its language tag, in order."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from ...records import Snippet
from .fences import JULIA, CodeBlock, code_in_info, first_lines, language_of, read_blocks
from .lines import is_program
from .markup import Element, indented_code, tagged_code

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


def fenced_blocks(answer: str) -> list[CodeBlock]:
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


def _read(answer: str) -> tuple[str, list[CodeBlock], list[CodeBlock]]:
    text = first_lines(without_reasoning(_TOKEN_AFTER_FENCE.sub(r"\1\n", _normalised(answer))))
    return text, *read_blocks(text)


def _snippet(block: CodeBlock) -> Snippet:
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


# ---- What a model says to itself before it answers, and how to leave it out.

_OPENING: Final = re.compile(r"\s*<(think|thinking)>", re.IGNORECASE)
_CLOSING: Final = {name: re.compile(f"</{name}>", re.IGNORECASE) for name in ("think", "thinking")}
_REASONING_TAG: Final = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)


def without_reasoning(text: str) -> str:
    """Return the answer proper, without what the model said to itself.

    - An opening tag that starts the text: all up to its closing tag goes, whatever is between them, half a
      fence included. Then the same again: some models reason in several goes.
    - After that, tags inside a fence are code and stay. Outside, a pair of tags goes with what it encloses,
      and a closing tag alone takes all the text before it: the opening one was part of the prompt.
    - An opening tag that is never closed takes nothing away.

    "<think>a ```</think>b" -> "b"      "a</think>b" -> "b"      "a<think>b</think>c" -> "ac"
    """
    start = 0
    while opening := _OPENING.match(text, start):
        closing = _CLOSING[opening[1].lower()].search(text, opening.end())
        if closing is None:
            break
        start = closing.end()
    return _without_tagged_spans(text[start:])


def _without_tagged_spans(text: str) -> str:
    kept: list[str] = []
    position, opened = 0, None
    for tag in _tags_outside_fences(text):
        if not tag[1]:
            opened = tag.start() if opened is None else opened
            continue
        if opened is None:
            kept.clear()
        else:
            kept.append(text[position:opened])
        position, opened = tag.end(), None
    return "".join([*kept, text[position:]])


def _tags_outside_fences(text: str) -> Iterator[re.Match[str]]:
    if "</think" not in text.lower():
        return  # no closing tag: spares the parser
    line_starts = [0, *(newline.end() for newline in re.finditer("\n", text)), len(text)]
    fenced, _ = read_blocks(text)
    begins = [line_starts[block.first] for block in fenced]
    ends = [line_starts[block.after] for block in fenced]
    for tag in _REASONING_TAG.finditer(text):
        before = bisect_right(begins, tag.start()) - 1
        if before < 0 or ends[before] <= tag.start():
            yield tag
