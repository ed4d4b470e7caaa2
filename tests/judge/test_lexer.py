"""Where Julia's strings and comments begin and end."""

from __future__ import annotations

from pathlib import Path

import pytest

from codejury.judge.extract import lexer
from codejury.judge.extract.lexer import Lexer
from codejury.judge.extract.lines import JuliaReader, quoted_commands
from codejury.judge.toolchain.find import find_julia
from codejury.settings import load_settings


def after(code: str) -> Lexer:
    found = Lexer()
    for line in code.split("\n"):
        found.feed(line)
    return found


@pytest.mark.parametrize(
    ("code", "literal"),
    [
        ('"a', '"'),
        ('"""\na "b" c', '"""'),
        ('x = "a\\"', '"'),
        ('raw"\\\\" * raw"a\\"', '"'),
        ("`ls", "`"),
        ("c = ```\nls", "```"),
        ("#= a #= b =#", "#="),
        ('md"""$(', '"""'),
        ('"a$(f("b', '"'),
        ('"$(', '"'),
        ('"""a\\"""', '"""'),
        ("\"$('\"')", '"'),
        ('x"""a"b""', '"""'),
        ("#=#", "#="),
        ("[x' \"", '"'),
    ],
)
def test_an_open_literal_is_known_by_what_began_it(code: str, literal: str) -> None:
    assert (after(code).in_literal, after(code).literal) == (True, literal)
    assert not after(code).complete


@pytest.mark.parametrize(
    "code",
    [
        "",
        "x = 1",
        '"a"',
        '""',
        '""""""',
        '"""\n"a" \\""" b\n"""',
        '"$x $(f("b", "$(y)")) $"',
        'raw"$(" * "x"',
        "`ls $(x)`",
        "```\nls```",
        "#= a #= b\n=# c =# x",
        "# \" ' ` #= (",
        "x = '\"'",
        "x = '\\''",
        "x = '''",
        "x = '`'",
        "x'",
        "x''",
        "f(x)' * \"'\"",
        "[1, 2]'",
        "x[end]'",
        "x.y'",
        "2.0'",
        "A'B' * 'c'",
        "['a' 'b'; x' y']",
        "c == '\\u00e9' || c=='\\x41'",
        "'\\\\' * '#'",
        "c≠'\"'",
        "∇'",
        "end_x = x.end + y.begin",
        ":end, :(if x; y; end)",
        "x[end]",
        "x[begin:end-1]",
        "x[min(end, 3)]",
        "if x y end",
        "(x for x in y if z)",
        "[x\n for x in y]",
        "(begin x end, if y 1 else 2 end)",
        "map(x) do y\n z\nend",
        "f(function (x) x end)",
        "abstract type A end",
        "primitive type A 8 end",
        "mutable struct A end",
        "struct A end; begin end",
        "let x = 1; x end",
        "try\ncatch\nend",
        "quote x end",
        "module A end",
        "@static if x 1 end",
        "(@static if x 1 end)",
        "for i in x[end] end",
        "while true end",
        "macro m() end",
        "f(x) = @show if x 1 end",
        "endx, xend",
        'r"a\\"b"i',
        'v"1.0" * b"\\x00"',
        'var"a b" = 1',
        '@doc raw"""\n$(\n""" f',
        "x = y ? 'a' : \"b'\"",
        "(a = 1, b = [2 3])",
        "Dict(\"a\" => Dict('b' => `c`))",
    ],
)
def test_a_complete_program_is_known_as_such(code: str) -> None:
    assert (after(code).in_literal, after(code).complete, after(code).nonsense) == (False, True, False)


@pytest.mark.parametrize(
    "code", ["(", ")", "(]", "begin", "end", "if x", "f(end)", "'ab'", "[begin x]", "function f(x)\n x"]
)
def test_code_with_an_end_or_a_bracket_too_many_or_too_few_is_not_complete(code: str) -> None:
    assert (after(code).in_literal, after(code).complete) == (False, False)


@pytest.mark.parametrize("code", ['"a"b', '"a""b"', '"""a"""b', '"$(x)"y'])
def test_strings_that_touch_something_are_nonsense(code: str) -> None:
    assert after(code).nonsense


@pytest.mark.parametrize("code", ["(" * 2000, '"$(' * 2000, "#=" * 2000, "() " * 40_000])
def test_a_text_that_is_meant_to_be_slow_is_given_up(code: str) -> None:
    assert after(code).hopeless
    assert not after(code).complete


@pytest.mark.parametrize(
    ("most", "one_more"),
    [("(" * 1000 + ")" * 1000, "(" * 1001 + ")" * 1001), ("()" * 15_000, "()" * 15_000 + '""')],
)
def test_a_text_is_read_up_to_a_depth_and_a_length_and_no_farther(most: str, one_more: str) -> None:
    assert after(most).complete
    assert after(one_more).hopeless


def test_every_file_of_julias_own_library_is_a_complete_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library holds every way to write a string, and docstrings with fences by the thousand."""
    monkeypatch.setattr(lexer, "_MOST_TOKENS", 10**9)
    files = [file for file in library() if file.stat().st_size < 200_000]
    if not files:
        pytest.skip("this Julia comes without the sources of its library")
    misread = [file.name for file in files if not read_well(file.read_text(encoding="utf-8"))]
    assert len(files) > 50
    assert misread == []


def library() -> list[Path]:
    julia = find_julia(load_settings())
    return sorted((julia.bindir.parent / "share/julia/base").rglob("*.jl")) if julia else []


def read_well(code: str) -> bool:
    reader = JuliaReader()
    reader.watch()
    for line in code.split("\n"):
        reader.read(line)
    return reader.complete and not reader.is_no_code


def test_prompts_and_commands_in_strings_and_comments_are_text() -> None:
    docstring, comment = '"""\njulia> f(1)\n]add X\n"""\n', "#=\n(@v1.5) pkg> st\n=#\n"
    code = f'{docstring}f(x) = x\n{comment}julia> f(2)\n"\njulia> "a\njulia> b"\n]add Y'
    assert quoted_commands(code) == [2, 3, 7, 12]
    assert quoted_commands("julia> f(x) = x\nf (generic function)\n\njulia> f(1)") == []
    assert quoted_commands('It is 5" wide:\n\njulia> f(1)') == []
