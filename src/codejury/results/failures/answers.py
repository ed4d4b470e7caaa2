"""What an answer holds besides the code that was judged: other languages, or Julia that was not taken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ...judge.extract.fences import language_of
from ...judge.extract.snippets import fenced_blocks

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


# ---- What an answer holds besides the code that was judged: other languages, or Julia that was not taken.

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


# ---- Python habits in Julia code, each with a name. Told only where they explain the failure.
#
# in_syntax    code that does not parse: words and forms that Python has and Julia has not
# in_error     an exception that a Python habit raises: `len(x)`, `s.split()`, `x[0]`, `"a" + "b"`
# in_code      code of which no error is known: names that Julia has not, so it must fail where they are used

# Names that every Python program knows, and Julia does not.
_NAMES: Final = frozenset({
    "len", "None", "True", "False", "str", "int", "list", "dict", "bool", "tuple", "type", "isinstance",
    "hasattr", "getattr", "sorted", "ord", "chr", "xrange", "raw_input", "splitlines", "lambda", "elif",
    "self", "np", "numpy", "pd", "pandas", "re", "math", "datetime", "timedelta", "ValueError", "IndexError",
    "Exception", "NotImplementedError", "@f_str",
})  # fmt: skip
# Names that nobody gives to something of his own: they tell even where no error names them.
_CERTAIN_CALLS: Final = ("len", "str", "int", "isinstance", "sorted", "ord", "chr")
_METHODS: Final = frozenset({
    "append", "extend", "insert", "remove", "pop", "index", "count", "sort", "reverse", "lower", "upper",
    "capitalize", "title", "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "join", "replace",
    "startswith", "endswith", "find", "rfind", "format", "isupper", "islower", "isalpha", "isdigit",
    "isalnum", "isspace", "items", "keys", "values", "get", "update", "add", "copy", "group", "groups",
    "year", "month", "day", "hour", "minute", "second", "shape", "dtype", "read", "write", "readlines",
    "encode", "decode",
})  # fmt: skip

_SYNTAX: Final = (
    ("`def`", r"^[ \t]*def\s+\w+\s*\("),
    ("`elif`", r"^[ \t]*elif\b"),
    ("`class`", r"^[ \t]*class\s+\w+[^\n{]*:[ \t]*$"),
    (
        "a colon that opens a block",
        r"^[ \t]*(?:if|for|while|else|elseif|try|except|with|function)\b[^\n{?]*(?<!:):[ \t]*$",
    ),
    ("`from ... import`", r"^[ \t]*from\s+[\w.]+\s+import\b"),
    ("`import numpy`", r"^[ \t]*import\s+(?:numpy|pandas|re|sys|math|datetime)\b"),
    ("`lambda`", r"\blambda\s+[\w, ]+:"),
    ("`not`", r"\b(?:if|while|elseif|return|and|or|=)[ \t]+not[ \t]+\w|\bis[ \t]+not\b|\bnot[ \t]+in\b"),
    ("`and`, `or`", r'^[ \t]*(?:if|while|elseif|return)\b[^\n]*[\w)\]"][ \t]+(?:and|or)[ \t]+[\w("!]'),
    ("`x if c else y`", r'^(?![^\n]*\bend\b)[^\n]*[\w)\]"][ \t]+if[ \t][^\n]+[ \t]else\b'),
)
# (habit, what the parser says, what the code must show: the same message can have another cause)
_SYNTAX_MESSAGES: Final = (
    ("an open slice such as `x[1:]`", r"missing last argument in .*range", r":\s*\]"),
    ("`**`", r"use .*\^.* instead of .*\*\*", r"\*\*"),
    ("text in single quotes", r"character literal", r"''|'[^'\\\n]{2,}'"),
    (
        "an annotation with one colon",
        r"not a valid function argument name",
        r"(?m)^[ \t]*function\s+[\w.!]+\([^)\n]*\w:\s*[A-Za-z]",
    ),
)

_STRING: Final = r"::(?:Sub)?String(?:\{String\})?"
# (type of the exception, habit, what it says)
_ERRORS: Final = (
    ("MethodError", "`+` on strings", rf"matching \+\({_STRING}, |matching \+\([^)]*, {_STRING}\)"),
    ("MethodError", "a string times a number",
     rf"matching \*\({_STRING}, ::Int\d+\)|\*\(::Int\d+, {_STRING}\)"),
    ("MethodError", "`range(n)`", r"matching range\(::Int\d+\)"),
    ("MethodError", "`round(x, n)`", r"matching round\(::Float\d+, ::Int\d+\)"),
    ("MethodError", "`max` or `min` of a list", r"matching (?:max|min)\(::(?:Array|Vector)\{[^()]*\}\)"),
    ("MethodError", "`enumerate(x, start)`", r"matching enumerate\(::.+, ::Int\d+\)"),
    ("ArgumentError", "an open slice such as `x[:n]`", r"invalid index: :\w+ of type Symbol"),
)  # fmt: skip
_NO_FIELD: Final = re.compile(r"type (\w+)\S* has no field (\w+)")
_AT_INDEX: Final = re.compile(r"at index [\[(]?(-?\d+)")
_ZERO_BASED: Final = re.compile(r"[\w\])]\[\s*0\s*[\],:]|[=(,\[]\s*0\s*:\s*(?!0)|\bin\s+0:|\brange\(\s*0\s*,")
_NEGATIVE: Final = re.compile(r"[\w\])]\[\s*-\s*\d+\s*\]")
_CONSTANTS: Final = ("None", "True", "False")
_CONSTANT: Final = re.compile(rf"(?<![\w.:])({'|'.join(_CONSTANTS)})(?![\w(])")
_CERTAIN_METHODS: Final = r"\.(append|lower|upper|strip|split|join|startswith|isupper)\("
_METHOD_CALL: Final = re.compile(rf'(?:\b[a-z_]\w*|[\])"]){_CERTAIN_METHODS}')


def in_syntax(code: str, message: str) -> str:
    """Return the Python habit in code that does not parse, or ""."""
    bare = without_strings(code)
    for habit, pattern in _SYNTAX:
        if re.search(pattern, bare, re.MULTILINE):
            return habit
    for habit, said, shown in _SYNTAX_MESSAGES:
        if re.search(said, message) and re.search(shown, code):
            return habit
    return ""


def in_error(error_type: str, message: str, code: str) -> str:
    """Return the Python habit that raises this exception, or ""."""
    if error_type == "BoundsError":
        return _in_index(message, without_strings(code))
    if error_type == "UndefVarError":
        name = undefined_name(message)
        return f"`{name}`" if name in _NAMES else ""
    field = _NO_FIELD.search(message)
    if field and field[2] in _METHODS:
        return f"`x.{field[2]}`"
    known = (habit for kind, habit, said in _ERRORS if kind == error_type and re.search(said, message))
    return next(known, "")


def in_code(code: str) -> str:
    """Return a name of Python that the code uses and does not define, or "".

    What is plain text in each pattern is looked for first: hardly any code has it, and that is much faster.
    """
    bare = without_strings(code)
    for name in _CERTAIN_CALLS:
        called = f"{name}(" in bare and re.search(rf"(?<![\w.!@]){name}\(", bare)
        if called and not defines(bare, name):
            return f"`{name}`"
    constant = _CONSTANT.search(bare) if any(name in bare for name in _CONSTANTS) else None
    if constant and not defines(bare, constant[1]):
        return f"`{constant[1]}`"
    method = _METHOD_CALL.search(bare) if re.search(_CERTAIN_METHODS, bare) else None
    return f"`x.{method[1]}`" if method else ""


def undefined_name(message: str) -> str:
    """Return the name in the message of an UndefVarError.

    "`len` is not defined" -> "len"
    """
    found = re.search(r"`?([^\s`:]+)`? (?:is )?not defined", message)
    return found[1] if found else ""


def _in_index(message: str, bare: str) -> str:
    """An index of 0 or -1 can come from arithmetic too, so the code must show that it was meant."""
    found = _AT_INDEX.search(message)
    index = int(found[1]) if found else 1
    if index == 0 and _ZERO_BASED.search(bare):
        return "0-based indexing"
    if index < 0 and _NEGATIVE.search(bare):
        return "a negative index"
    return ""
