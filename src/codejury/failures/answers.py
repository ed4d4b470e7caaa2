"""What an answer holds besides the code that was judged: other languages, or Julia that was not taken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ..extract import fenced_blocks, language_of
from .code_text import JULIA, PYTHON, defines, looks_like

_PUBLISHED_OPENER: Final = re.compile(r"^```julia[ \n]", re.MULTILINE)
# Tags that say nothing about a programming language.
_PLAIN_TAGS: Final = frozenset({
    "", "text", "txt", "plaintext", "code", "output", "markdown", "md", "bash", "sh", "shell", "console",
    "toml", "json", "yaml",
})  # fmt: skip
# Five words and no `=`, or a mark.
_PROSE: Final = re.compile(
    r"^[ \t]*(?:[-*\d.]+[ \t]+)?[A-Z`][\w'`]*(?:,?[ \t]+[\w'`()-]+){4,}[^\n=]*[.:!]?[ \t]*$"
    r"|^[ \t]*[<\[]{1,2}/?\w+[>\]]{1,2}[ \t]*$",
    re.MULTILINE,
)
_LANGUAGES: Final = {
    "python": PYTHON, "python3": PYTHON, "py": PYTHON, "r": "R", "javascript": "JavaScript",
    "js": "JavaScript", "typescript": "TypeScript", "rust": "Rust", "ruby": "Ruby", "java": "Java", "c": "C",
    "cpp": "C++", "c++": "C++", "csharp": "C#", "c#": "C#", "go": "Go", "swift": "Swift", "matlab": "MATLAB",
    "lua": "Lua", "haskell": "Haskell", "sql": "SQL", "kotlin": "Kotlin",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A fenced block, or the whole answer where it has none."""

    code: str
    tag: str = ""
    fenced: bool = True
    closed: bool = True

    @property
    def language(self) -> str:
        """What the tag says, else what it looks like."""
        tag = self._tag_word
        if language_of(self.tag) == JULIA:
            return JULIA
        return _LANGUAGES.get(tag, tag) if self._tag_tells else looks_like(self.code)

    @property
    def says_another_language(self) -> bool:
        return self._tag_tells and self.language != JULIA

    @property
    def _tag_word(self) -> str:
        return self.tag.split()[0].split(",")[0].lower() if self.tag.split() else ""

    @property
    def _tag_tells(self) -> bool:
        return self._tag_word not in _PLAIN_TAGS and bool(re.fullmatch(r"[\w+#.-]+", self._tag_word))


def pieces_of(answer: str) -> tuple[Piece, ...]:
    """Return the fenced blocks of an answer as the judge reads them, or the whole answer as one piece."""
    pieces = tuple(
        Piece(code=block.content, tag=block.info.strip(), closed=block.closed)
        for block in fenced_blocks(answer)
    )
    return pieces or (Piece(code=answer.replace("\r\n", "\n"), fenced=False),)


def cut_off(answer: str) -> bool:
    """Whether the last fence of an answer was never closed."""
    return not pieces_of(answer)[-1].closed


def unused_definition(answer: str, code: str, name: str) -> Piece | None:
    """Return the piece of the answer that defines a name which the judged code does not define."""
    if defines(code, name):
        return None
    pieces = (piece for piece in pieces_of(answer) if piece.language in (JULIA, ""))
    return next((piece for piece in pieces if defines(piece.code, name)), None)


def lost_by_the_predecessor(answer: str) -> str:
    r"""Return why the predecessor did not see or spoilt the code of an answer; "" if it did neither.

    Its fences open with exactly three backticks and `julia`, and must close; it pasted the code between
    triple quotes.
    """
    julia = [piece for piece in pieces_of(answer) if piece.fenced and piece.language == JULIA]
    if not julia:
        return ""
    if not _PUBLISHED_OPENER.search(answer.replace("\r\n", "\n")) or "```julia\r" in answer:
        return "it saw only fences that open with ```julia"
    if any('"""' in piece.code for piece in julia):
        return 'it pasted the code between triple quotes, and the code has """ in it'
    if not julia[-1].closed and len(julia) == 1:
        return "the fence does not close, so it found no code"
    return ""


def other_language(answer: str) -> str:
    """Return the language of an answer without Julia code, "" if it holds no code of any language."""
    languages = [piece.language for piece in pieces_of(answer)]
    return next((language for language in languages if language and language != JULIA), "")


def julia_within(answer: str) -> Piece | None:
    """Return the first piece that is tagged as Julia or looks like it, if there is one."""
    julia = (
        piece for piece in pieces_of(answer) if piece.language == JULIA or looks_like(piece.code) == JULIA
    )
    return next(julia, None)


def stands_among_prose(text: str) -> bool:
    """Whether text without a fence has lines that are no code: sentences, or marks such as `[PYTHON]`."""
    return bool(_PROSE.search(text))
