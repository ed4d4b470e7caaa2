"""From a model's answer to the pieces of code in it. Reads text only: nothing here runs or parses Julia.

answer -> without reasoning -> CommonMark fences -> Snippets, in order, each with its language tag

Which snippets become the candidate is decided later, by Julia's own parser; blocks of other languages are
handed on with their tag. Raw HTML is read as text, unlike CommonMark: models wrap their answer in `<answer>`
or `<details>`, and a fence straight below such a line is meant as a fence.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from .records import Snippet

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

JULIA: Final = "julia"

# Lists and quotes nested deeper than this are read as text. The parser recurses once per level and scans the
# rest of the line on each: without a bound, a line of 100,000 `>` would end in a RecursionError.
_MAX_NESTING: Final = 20

_FENCE: Final = re.compile(r"```|~~~")
_TAG_WORD: Final = re.compile(r"""[^\s{}()\[\],;:="'|]+""")
_JULIA_TAG: Final = re.compile(
    r"(?:julia|julialang|ijulia|jl|jldoctest|jlcon)(?:[^a-z].*)?"  # jl, julia-repl, julia1.10
    r"|.+\.jl"  # a file name
    r"|@(?:example|repl|setup)"  # Documenter.jl
)
_CODE_IN_INFO: Final = re.compile(
    r"\s*\S+\s+((?:function|macro|module|using|import|const|(?:mutable\s+)?struct|abstract\s+type)\s.*)"
)
# A chat template's own tokens, such as <|im_end|>, behind a closing fence: servers leak them.
_TOKEN_AFTER_FENCE: Final = re.compile(r"^([ \t]*(?:`{3,}|~{3,}))[ \t]*(?=<\|\w{1,40}\|>)", re.MULTILINE)
_OPENING: Final = re.compile(r"\s*<(think|thinking)>", re.IGNORECASE)
_CLOSING: Final = {name: re.compile(f"</{name}>", re.IGNORECASE) for name in ("think", "thinking")}
_REASONING_TAG: Final = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)


def find_snippets(answer: str) -> tuple[Snippet, ...]:
    r"""Return the fenced blocks of an answer, or the whole answer as one unfenced snippet.

    "Sure:\n```julia\nf(x) = x\n```\n"  -> (Snippet(code="f(x) = x\n", language="julia"),)
    "f(x) = x"                          -> (Snippet(code="f(x) = x", fenced=False),)
    """
    text = without_reasoning(_TOKEN_AFTER_FENCE.sub(r"\1\n", _normalised(answer)))
    fences = _fences(text)
    if not fences:
        return (Snippet(code=text, fenced=False),)
    return tuple(_snippet(token.info, token.content) for token in fences)


def _snippet(info: str, content: str) -> Snippet:
    language = language_of(info)
    # Some models forget the line end after the tag. The first line of the code is then in the info string.
    code_in_info = _CODE_IN_INFO.fullmatch(info) if language == JULIA else None
    code = f"{code_in_info[1]}\n{content}" if code_in_info else content
    return Snippet(code=code, language=language)


def is_julia(snippet: Snippet) -> bool:
    """Whether the fence's tag says Julia."""
    return snippet.language == JULIA


def language_of(info: str) -> str:
    """Return the language of a fence's info string: "julia" for all of Julia's names, else as it stands.

    "{julia}", "jl", "julia-repl", 'Julia title="x"', "{.julia .numberLines}", "src/main.jl" -> "julia"
    "Python" -> "python"     "" -> ""
    """
    word = _TAG_WORD.search(info)
    tag = word.group().lower().lstrip(".#") if word else ""
    return JULIA if _JULIA_TAG.fullmatch(tag) else tag


def bare_code(code: str) -> tuple[Snippet, ...]:
    """Return the snippets of an answer that is nothing but Julia code: a fence in a docstring is none."""
    return (Snippet(code=_normalised(code), language=JULIA),)


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
    lines = [token.map for token in _fences(text) if token.map]
    begins = [line_starts[begin] for begin, _ in lines]
    ends = [line_starts[end] for _, end in lines]
    for tag in _REASONING_TAG.finditer(text):
        before = bisect_right(begins, tag.start()) - 1
        if before < 0 or ends[before] <= tag.start():
            yield tag


def _normalised(answer: str) -> str:
    """Return the answer with LF line ends, without a byte order mark, and fit to be written as UTF-8."""
    text = answer.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    # JSON can carry half a surrogate pair, which no UTF-8 file can.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _fences(text: str) -> list[Token]:
    if not _FENCE.search(text):
        return []  # most bare answers; spares the parser
    return [token for token in _parser().parse(text) if token.type == "fence"]


@cache
def _parser() -> MarkdownIt:
    """Return a CommonMark parser that finds blocks alone: no inline text, links or HTML."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": 2 * _MAX_NESTING})
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.disable(["reference", "html_block"])
    parser.block.ruler.before("code", "too_deep", _skip_line_if_too_deep)
    parser.parse("text")  # compiles the rules now: threads share this parser
    return parser


def _skip_line_if_too_deep(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """Give up one line, where the parser's own limit would give up the rest of the document."""
    if state.level < _MAX_NESTING:
        return False
    if not silent:
        state.line = start + 1
    return True
