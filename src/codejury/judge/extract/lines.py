"""Lines of an answer read as Julia: which begin inside a string or comment, which are a prompt, which prose.

In a REPL transcript, what stands between an input and the next prompt is output: no code, whatever is in it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from .lexer import Lexer

_PROMPT: Final = "julia> "
# All that the reduction of transcripts (`without_prompts` on the Julia side) takes for a command, and more.
_LIKE_A_COMMAND: Final = re.compile(rf"{_PROMPT}|\]|[^\n]*pkg>")
_LIKE_A_FENCE: Final = re.compile(r"[ \t]*(?:`{3}|~{3})")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_FENCE_BEHIND_QUOTES: Final = re.compile(r'(?:"|#=)[ \t]*(`{3,}|~{3,})[ \t]*([^`"\n]*)$')
_TAG: Final = re.compile(r"\s*</?[A-Za-z]\w*[^<>\n]{0,200}>")
# Two words side by side: prose. Behind a keyword or a macro anything can stand, and in a matrix.
_BEFORE_BRACKETS: Final = re.compile(r'[^"`#@(\[{=\n]*')
_TWO_WORDS: Final = re.compile(r"(?<![^\s*])([^\W\d]\w*)[ \t]+([^\W\d]\w*)")
_KEYWORDS: Final = frozenset({
    "abstract", "as", "baremodule", "begin", "break", "catch", "const", "continue", "do", "else", "elseif",
    "end", "export", "finally", "for", "function", "global", "if", "import", "in", "isa", "let", "local",
    "macro", "module", "mutable", "outer", "primitive", "public", "quote", "return", "struct", "try", "type",
    "using", "where", "while",
})  # fmt: skip


class JuliaReader:
    """Reads lines of code, or of a transcript, and says what it knows before and after each."""

    def __init__(self) -> None:
        self._lexer = Lexer()
        self._transcript = False
        self._watching = False
        self._prose = False
        self._inner: tuple[str, str] | None = None
        """The fence that is open inside the open literal, and its tag."""
        self.next_block = False
        """Whether the last line begins another block of the markdown, so that this one ended before."""

    @property
    def in_literal(self) -> bool:
        return self._lexer.in_literal

    @property
    def literal(self) -> str:
        """What began the string, command or comment that is open."""
        return self._lexer.literal

    @property
    def complete(self) -> bool:
        return self._lexer.complete

    @property
    def hopeless(self) -> bool:
        return self._lexer.hopeless

    @property
    def is_no_code(self) -> bool:
        """Whether there was prose since `watch`, or a fence of the markdown; or it cannot be read at all."""
        return self._prose or self.next_block or self.hopeless

    def watch(self) -> None:
        """Look for prose from here on."""
        self._watching, self._lexer.nonsense = True, False

    def read(self, line: str) -> None:
        lexer = self._lexer
        if not lexer.in_literal:
            if line.startswith(_PROMPT):
                self._transcript = True
                self._lexer = lexer = Lexer()
                line = line[len(_PROMPT) :]
            elif self._transcript and not lexer.is_open:
                return  # output
            elif _LIKE_A_FENCE.match(line):  # three backticks that begin a line are no command of Julia's
                self._prose |= self._watching
                return
            elif self._watching and not lexer.in_matrix:
                self._prose |= _reads_as_prose(line)
        was_in_literal = lexer.in_literal
        lexer.feed(line)
        self._prose |= self._watching and lexer.nonsense
        if not lexer.in_literal:
            self._inner = None
        elif fence := _FENCE.match(line) if was_in_literal else _FENCE_BEHIND_QUOTES.search(line):
            self._on_inner_fence(fence[1], fence[2].strip())

    def _on_inner_fence(self, mark: str, tag: str) -> None:
        """Fences in a literal come in pairs, and only the first has a tag.

        One without, and the next with a tag: no pair, but the end of this block and the begin of another. The
        literal was never closed.
        """
        if self._inner is None:
            self._inner = mark, tag
            return
        opening, its_tag = self._inner
        if not mark.startswith(opening):
            return
        if not tag:
            self._inner = None
        elif not its_tag:
            self.next_block = True


def _reads_as_prose(line: str) -> bool:
    """Whether an HTML tag begins it, or two words stand side by side: "Here is how", not "x isa Int"."""
    if _TAG.match(line):
        return True
    code = _BEFORE_BRACKETS.match(line)
    words = _TWO_WORDS.search(code[0]) if code else None
    return words is not None and _KEYWORDS.isdisjoint(words.groups())


def may_be_code(text: str, fences: Collection[int] = ()) -> bool:
    """Whether a text holds no line of prose, and no fence outside strings and comments.

    `fences` are lines, from 0, that are fences where code is not looked for: "> ```" is code of a kind.
    """
    return _read_throughout(text, fences) is not None


def is_program(text: str, fences: Collection[int]) -> bool:
    """Whether a text may be code, and if so is complete."""
    reader = _read_throughout(text, fences)
    return reader is not None and reader.complete


def _read_throughout(text: str, fences: Collection[int]) -> JuliaReader | None:
    reader = JuliaReader()
    reader.watch()
    for number, line in enumerate(text.split("\n")):
        if number in fences and not reader.in_literal:
            return None
        reader.read(line)
        if reader.is_no_code:
            return None
    return reader


def quoted_commands(code: str) -> list[int]:
    """The lines, from 1, that look like a prompt or a command to the package manager, and are text.

    They stand in a docstring, another string or a comment, where they show how something is used. In a
    string that is never closed nothing is certain: there they are taken for what they look like.
    """
    if not any(sign in code for sign in (_PROMPT, "pkg>", "\n]")):
        return []
    reader = JuliaReader()
    quoted: list[int] = []
    in_open_literal: list[int] = []
    for number, line in enumerate(code.split("\n"), start=1):
        if reader.in_literal and _LIKE_A_COMMAND.match(line):
            in_open_literal.append(number)
        reader.read(line)
        if not reader.in_literal:
            quoted += in_open_literal
            in_open_literal.clear()
    return quoted
