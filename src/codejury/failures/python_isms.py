"""Python habits in Julia code, each with a name. Told only where they explain the failure.

in_syntax    code that does not parse: words and forms that Python has and Julia has not
in_error     an exception that a Python habit raises: `len(x)`, `s.split()`, `x[0]`, `"a" + "b"`
in_code      code of which no error is known: names that Julia has not, so it must fail where they are used
"""

from __future__ import annotations

import re
from typing import Final

from .code_text import defines, without_strings

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
