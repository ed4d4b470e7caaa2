"""What the words behind an opening fence say about the code below."""

from __future__ import annotations

import re
from typing import Final

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
