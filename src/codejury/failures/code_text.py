r"""Code as text: what is left of it without strings and comments, and which language it looks like.

Nothing here parses. These are guesses about code that no parser accepted, made from what is typical.
"""

from __future__ import annotations

import re
from typing import Final

_STRINGS_AND_COMMENTS: Final = re.compile(
    r'"""[\s\S]*?"""'
    r"|'''[\s\S]*?'''"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![\w)\]}'.])'(?:\\.|[^'\\\n])*'"  # not the transpose of x'
    r"|\#=[\s\S]*?=\#"
    r"|\#[^\n]*"
)

JULIA: Final = "julia"
PYTHON: Final = "Python"

_PYTHON: Final = re.compile(
    r"^\s*(?:"
    r"def\s+\w+\s*\(.*\)[^\n]*:\s*$"
    r"|from\s+[\w.]+\s+import\s|import\s+(?:re|sys|os|math|numpy|pandas|datetime|typing|threading)\b"
    r"|class\s+\w+[^\n{]*:\s*$"
    r"|(?:if|for|while|elif|else|try|except|with)\b[^\n{]*:\s*$"
    r"|>>> )",
    re.MULTILINE,
)
_JULIA_FUNCTION: Final = re.compile(
    r"^[ \t>]*(?:@\w+\s+)?function\s+[\w.!]+\s*(?:\{[^}\n]*\})?\([^\n]*(?<![{;])$", re.MULTILINE
)
_JULIA_OTHER: Final = re.compile(
    r"^[ \t]*[Jj]ulia> "
    r"|^[ \t]*(?:mutable\s+)?struct\s+\w+[^{\n;]*$|^[ \t]*using\s+[A-Z]\w*|^[ \t]*abstract\s+type\s"
    r"|^[ \t]*[\w.!]+\([^\n)]*\)(?:::\w+)?\s*=(?![=>])",
    re.MULTILINE,
)
_JULIA_END: Final = re.compile(r"end(?<![^\s;]end)\s*;?\s*$", re.MULTILINE)
# (language, what gives it away)
_OTHERS: Final = (
    ("R", re.compile(r"<-\s*function\s*\(|^\s*library\(", re.MULTILINE)),
    ("Rust", re.compile(r"^\s*(?:pub\s+)?fn\s+\w+|^\s*impl\s|\blet mut\b", re.MULTILINE)),
    ("Swift", re.compile(r"^\s*(?:extension|func)\s+\w+|^\s*(?:let|var)\s+\w+\s*:", re.MULTILINE)),
    ("C or Java", re.compile(r"^\s*#include\b|^\s*public\s+(?:static|class|\w+\s)|\bstd::", re.MULTILINE)),
    ("JavaScript", re.compile(r"^\s*(?:const|let|var)\s+\w+\s*=|function\s*\w*\([^)\n]*\)\s*\{", re.M)),
    ("Ruby", re.compile(r"^\s*def\s+[\w?!.]+[^\n:]*$|\.each do \|", re.MULTILINE)),
)  # fmt: skip


def without_strings(code: str) -> str:
    """Return the code with every string and comment emptied; line ends stay.

    'x = "elif" # def' -> 'x = "" '
    """
    return _STRINGS_AND_COMMENTS.sub(_emptied, code)


def _emptied(found: re.Match[str]) -> str:
    text = found[0]
    quotes = "" if text.startswith("#") else '""'
    return quotes + "\n" * text.count("\n")


def looks_like(code: str) -> str:
    """Return the language that code looks like: `julia`, `Python`, another's name, or "" if nothing tells."""
    bare = without_strings(code)
    if _PYTHON.search(bare):
        return PYTHON
    if _JULIA_FUNCTION.search(bare) and _JULIA_END.search(bare):
        return JULIA
    for language, telltale in _OTHERS:
        if telltale.search(bare):
            return language
    return JULIA if _JULIA_OTHER.search(bare) else ""


def defines(code: str, name: str) -> bool:
    """Whether code seems to define a function, a type or a macro of this name."""
    word = re.escape(name)
    return bool(
        re.search(
            rf"^[ \t]*(?:@\w+\s+)?(?:function|macro|(?:mutable\s+)?struct)\s+(?:\w+\.)?{word}\b"
            rf"|^[ \t]*(?:@\w+\s+)?{word}\([^\n]*\)[^\n=]*=(?![=>])"
            rf"|^[ \t]*(?:const\s+)?{word}\s*=(?!=)",
            code,
            re.MULTILINE,
        )
    )
