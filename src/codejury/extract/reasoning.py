"""What a model says to itself before it answers, and how to leave it out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from .fences import read_blocks

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
