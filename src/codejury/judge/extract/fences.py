"""The fenced and indented blocks of a text in markdown. CommonMark proposes their ends; Julia decides.

A docstring often holds a fence of its own, with an example:

    ```julia
    \"\"\"
    ```jldoctest
    julia> double(2)
    4
    ```                  <- CommonMark ends the block here
    \"\"\"
    double(x) = 2x
    ```                  <- its author ends it here

A closing fence inside a string or a comment does not end a block of Julia; the next one that is not inside
does. Where that leads nowhere, because a quotation mark is missing or the rest is prose, CommonMark's end
stays.

Raw HTML is read as text, unlike CommonMark: models wrap their answer in `<answer>` or `<details>`, and a
fence straight below such a line is meant as a fence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from .lines import JuliaReader

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token


# Lists and quotes nested deeper than this are read as text. The parser recurses once per level and scans the
# rest of the line on each: without a bound, a line of 100,000 `>` would end in a RecursionError.
_MAX_NESTING: Final = 20
# What comes after so many lines is not read. Answers have some hundred; each line costs the parser a while,
# however short, so a text of nothing but fences would take ten times as long as prose of the same size.
_MOST_LINES: Final = 10_000
# How much may be read in vain, behind blocks whose strings are never closed, beyond the length of the text:
# each such block could send us to the end of it.
_READ_IN_VAIN: Final = 100_000
# What is begun on purpose, while a lone quotation mark or backtick may just be a slip.
_LONG: Final = frozenset({'"""', "#="})


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A block of code, and where in the text it is."""

    info: str
    """What stands behind the opening fence."""
    content: str
    first: int
    """The line of the opening fence, from 0; of an indented block, its first line."""
    after: int
    """The line after the closing fence."""
    closed: bool = True
    """Whether a fence ends it, or the text does."""
    extended: bool = False
    """Whether it goes on behind the fence at which CommonMark ends it."""


def read_blocks(text: str) -> tuple[list[CodeBlock], list[CodeBlock]]:
    """Return the fenced and the indented blocks of a text."""
    tokens = _parser().parse(first_lines(text))
    fenced = [_block(token) for token in tokens if token.type == "fence"]
    return fenced, [_block(token) for token in tokens if token.type == "code_block"]


def first_lines(text: str) -> str:
    """Return as much of a text as is read."""
    lines = text.split("\n", _MOST_LINES)
    return text if len(lines) <= _MOST_LINES else "\n".join(lines[:_MOST_LINES])


def _block(token: Token) -> CodeBlock:
    first, after = token.map or (0, 0)
    return CodeBlock(token.info, token.content, first, after, **token.meta)


@cache
def _parser() -> MarkdownIt:
    """Return a CommonMark parser that finds blocks alone: no inline text, links or HTML."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": 2 * _MAX_NESTING})
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.disable(["reference", "html_block"])
    parser.block.ruler.before("code", "too_deep", _skip_line_if_too_deep)
    end_blocks_as_julia_does(parser)
    parser.parse("text")  # compiles the rules now: threads share this parser
    return parser


def _skip_line_if_too_deep(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """Give up one line, where the parser's own limit would give up the rest of the document."""
    if state.level < _MAX_NESTING:
        return False
    if not silent:
        state.line = start + 1
    return True


def end_blocks_as_julia_does(parser: MarkdownIt) -> None:
    """Make a parser of markdown end blocks of Julia where the code ends."""
    parser.block.ruler.at("fence", _fence, {"alt": ["paragraph", "reference", "blockquote", "list"]})


# The rest is one rule of the parser. `state` holds for every line where it begins (`bMarks`) and ends
# (`eMarks`), how many blanks it begins with (`tShift`) and how many columns these are (`sCount`), without the
# marks of the lists and quotes it is in.

_IN_VAIN: Final = "codejury_read_in_vain"


@dataclass(frozen=True, slots=True)
class _End:
    """Where the content of a block stops, and whether a closing fence stands there."""

    line: int
    closed: bool


def _fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A fenced code block, as in CommonMark but for the end of Julia code."""
    begin = state.bMarks[start] + state.tShift[start]
    marker = state.src[begin : begin + 1]
    if marker not in ("`", "~") or state.is_code_block(start):
        return False
    info_at = state.skipCharsStr(begin, marker)
    info = state.src[info_at : state.eMarks[start]]
    if info_at - begin < 3 or (marker == "`" and marker in info):
        return False
    if silent:
        return True
    opening = _Opening(state, start, end, state.src[begin:info_at], info)
    proposed = opening.next_end(start + 1)
    ends = opening.end_of_code(proposed) if opening.may_be_julia else proposed
    state.line = ends.line + ends.closed
    token = state.push("fence", "code", 0)
    token.info = info
    token.content = state.getLines(start + 1, ends.line, state.sCount[start], True)
    token.markup = opening.markup
    token.map = [start, state.line]
    token.meta = {"closed": ends.closed, "extended": ends != proposed}
    return True


@dataclass(frozen=True, slots=True)
class _Opening:
    """An opening fence, and the lines behind it in the same container."""

    state: StateBlock
    start: int
    end: int
    markup: str
    info: str

    @property
    def may_be_julia(self) -> bool:
        return language_of(self.info) in (JULIA, "")

    def next_end(self, line: int) -> _End:
        """The first closing fence from a line on, or where the list item, the quote or the text ends."""
        while line < self.end and not self._leaves_container(line):
            if self._closes(line):
                return _End(line, closed=True)
            line += 1
        return _End(line, closed=False)

    def _leaves_container(self, line: int) -> bool:
        state = self.state
        return state.sCount[line] < state.blkIndent and not state.isEmpty(line)

    def _closes(self, line: int) -> bool:
        """Whether a line is a fence as long as ours, not indented too far, and with nothing behind it."""
        state = self.state
        begin = state.bMarks[line] + state.tShift[line]
        if not state.src.startswith(self.markup, begin) or state.is_code_block(line):
            return False
        return state.skipSpaces(state.skipCharsStr(begin, self.markup[0])) >= state.eMarks[line]

    def end_of_code(self, proposed: _End) -> _End:
        """The proposed end, unless it is inside a string or a comment of Julia's that ends further down."""
        if not proposed.closed or not self._may_hold_literals(proposed.line):
            return proposed
        reader = JuliaReader()
        reader.read(code_in_info(self.info))
        for line in range(self.start + 1, proposed.line):
            reader.read(self._text(line))
        if not reader.in_literal:
            return proposed
        return self._end_outside_literals(reader, proposed)

    def _may_hold_literals(self, stop: int) -> bool:
        begin, end = self.state.eMarks[self.start], self.state.bMarks[stop]
        return any(self.state.src.find(mark, begin, end) >= 0 for mark in ('"', "`", "#="))

    def _end_outside_literals(self, reader: JuliaReader, proposed: _End) -> _End:
        """The first end that is in no literal; the proposed one, if there is none or it is doubtful."""
        on_purpose = reader.literal in _LONG
        inside, reached = self._read_on(reader, proposed, patient=on_purpose)
        if reader.next_block:
            end = inside  # a block begins below it, so it ends this one, whose literal was never closed
        elif reader.in_literal or reader.hopeless:
            end = proposed
        elif on_purpose and reached.closed:
            end = reached  # what follows a docstring belongs to it, be it broken or no Julia at all
        elif reader.is_no_code or not (on_purpose or reader.complete):
            end = proposed
        else:
            end = reached
        self.state.env[_IN_VAIN] -= self._size(end, reached)
        return end

    def _read_on(self, reader: JuliaReader, proposed: _End, *, patient: bool) -> tuple[_End, _End]:
        """Read on to an end outside of literals: the last closing fence inside one, and where it stopped.

        Prose is a reason to stop, unless one is `patient`.
        """
        left = self.state.env.setdefault(_IN_VAIN, len(self.state.src) + _READ_IN_VAIN)
        reader.watch()
        inside = reached = proposed
        while reached.closed and reader.in_literal and self._size(proposed, reached) <= left:
            inside, reached = reached, self.next_end(reached.line + 1)
            for line in range(inside.line, reached.line):
                reader.read(self._text(line))
                if reader.next_block or (reader.is_no_code and not patient):
                    return inside, reached
        return inside, reached

    def _size(self, first: _End, last: _End) -> int:
        return self.state.bMarks[last.line] - self.state.bMarks[first.line]

    def _text(self, line: int) -> str:
        """A line without the indentation of its container and of the opening fence."""
        state = self.state
        blanks = min(state.tShift[line], state.sCount[self.start])
        return state.src[state.bMarks[line] + blanks : state.eMarks[line]]


# ---- What the words behind an opening fence say about the code below.

JULIA: Final = "julia"

_TAG_WORD: Final = re.compile(r"""[^\s{}()\[\],;:="'|]+""")
_JULIA_TAG: Final = re.compile(
    r"(?:julia|julialang|ijulia|jl|jldoctest|jlcon)(?:[^a-z].*)?"  # jl, julia-repl, julia1.10
    r"|.+\.jl"  # a file name
    r"|@(?:example|repl|setup)"  # Documenter.jl
)
_CODE_IN_INFO: Final = re.compile(
    r"\s*\S+\s+((?:function|macro|module|using|import|const|(?:mutable\s+)?struct|abstract\s+type)\s.*)"
)


def language_of(info: str) -> str:
    """Return the language of a fence's info string: "julia" for all of Julia's names, else as it stands.

    "{julia}", "jl", "julia-repl", 'Julia title="x"', "{.julia .numberLines}", "src/main.jl" -> "julia"
    "Python" -> "python"     "" -> ""
    """
    word = _TAG_WORD.search(info)
    tag = word.group().lower().lstrip(".#") if word else ""
    return JULIA if _JULIA_TAG.fullmatch(tag) else tag


def code_in_info(info: str) -> str:
    """Return the code on the line of a Julia tag, "" if there is none: some models forget the line end.

    "julia function f(x)" -> "function f(x)"
    """
    code = _CODE_IN_INFO.fullmatch(info) if language_of(info) == JULIA else None
    return code[1] if code else ""
