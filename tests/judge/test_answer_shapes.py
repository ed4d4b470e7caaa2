"""Answers as models write them, and the code that a careful reader takes from them.

The shapes are in `answer_shapes.txt`. The real judge reads each; then the same in every wrapping, and
programs made at random, are read without one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.judge.extract.snippets import bare_code, find_snippets, is_julia
from codejury.judge.judge import Judge
from codejury.records import Snippet
from fakes import a_case

DOUBLE = a_case()


@dataclass(frozen=True)
class Shape:
    name: str
    answer: str
    rule: str
    extended: bool
    code: str


def read_shapes() -> list[Shape]:
    text = (Path(__file__).parent / "answer_shapes.txt").read_text(encoding="utf-8")
    parts = re.findall(r"^%%% (.+)\n((?:(?!%%)[^\n]*\n)*)%%> (\w+)(\+?)\n((?:(?!%%)[^\n]*\n)*)", text, re.M)
    return [Shape(name, answer, rule, plus == "+", code) for name, answer, rule, plus, code in parts]


SHAPES = read_shapes()
FENCED = [
    shape for shape in SHAPES if shape.rule == "all" and any(map(is_julia, find_snippets(shape.answer)))
]


def julia_codes(answer: str) -> list[str]:
    return [snippet.code for snippet in find_snippets(answer) if is_julia(snippet)]


def test_every_shape_is_read_and_there_are_many() -> None:
    text = (Path(__file__).parent / "answer_shapes.txt").read_text(encoding="utf-8")
    names = [shape.name for shape in SHAPES]
    assert names == re.findall(r"^%%% (.+)", text, re.M)
    assert len(set(names)) == len(names) >= 60


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_the_judge_takes_the_code_that_a_careful_reader_takes(jury: Judge, shape: Shape) -> None:
    evaluation = jury.evaluate(shape.answer, DOUBLE)
    assert evaluation.execution is not None
    extraction = evaluation.execution.extraction
    assert extraction.code.rstrip() == shape.code.rstrip()
    assert (extraction.rule, bool(extraction.extended)) == (shape.rule, shape.extended)
    assert evaluation.score == 100


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_bare_code_is_judged_as_it_is_whatever_its_docstrings_hold(jury: Judge, shape: Shape) -> None:
    (snippet,) = bare_code(shape.code)
    execution = jury.execute_code(shape.code, DOUBLE)
    assert snippet.code == execution.extraction.code == shape.code
    assert execution.unit_tests_passed == len(DOUBLE.unit_tests)


@pytest.mark.parametrize("shape", FENCED, ids=lambda shape: shape.name)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '\n\nIt\'s "done".\n'),
        ("Here's the code; it isn't \"long\":\n\n", "\n```python\nprint('''\"''')\n```\n"),
        ("<answer>\n", "\n</answer>\n"),
        ("<details><summary>Code</summary>\n", "\n</details>\n<|im_end|>"),
        ("```bash\necho \"it's\n```\n", "\n```\nit's \"4\n```\n"),
        ("# Title\n\n---\n\n", "\n\n***\n\n- a\n- b\n"),
    ],
    ids=["prose after", "prose before", "answer tags", "details", "odd quotes around", "rules and lists"],
)
def test_what_stands_around_the_code_changes_nothing(shape: Shape, before: str, after: str) -> None:
    if "unclosed last block" in shape.name:
        after = ""
    assert julia_codes(f"{before}{shape.answer}{after}") == julia_codes(shape.answer)


@pytest.mark.parametrize("shape", FENCED, ids=lambda shape: shape.name)
def test_line_ends_lists_and_quotes_change_nothing(shape: Shape) -> None:
    codes = julia_codes(shape.answer)
    assert julia_codes(shape.answer.replace("\n", "\r\n")) == codes
    if "reasoning" in shape.name:
        return  # a list item does not start with reasoning
    in_item = "1. Code:\n\n" + "".join(f"   {line}".rstrip(" ") for line in shape.answer.splitlines(True))
    assert julia_codes(in_item) == codes
    if "unclosed last block" not in shape.name:
        assert julia_codes("".join(f"> {line}" for line in shape.answer.splitlines(True))) == codes


# What is not extended


@pytest.mark.parametrize(
    "answer",
    [
        '```julia\nf(x) = "\n```\nSay "a" and "b".\n```julia\nf(x) = "a"\n```\n',
        '```julia\nf(x) = "\n```\nSay "a.\n```julia\nf(x) = "a"\n```\n',
        '```julia\nprint("hi)\n```\nIt prints "hi":\n```\nhi\n```\n',
        "```julia\nf(s) = split(s, \",)\n```\nOr:\n```julia\ng(s) = count(==('\"'), s)\n```\n",
        "```julia\nf(s) = g(s, \",)\n```\n\n```\ng(==('\"'))\n```\n",
        "```julia\nf(x) = `a\n```\nOr `b`:\n```julia\nf(x) = `a`\n```\n",
        '```julia\nf(x) = x"\n```\n\n```julia\nf(x) = x"\n```\n',
        '```julia\n"""\n```\nThe end is missing:\n```julia\n"""\n```\n',
        "```julia\n#= never closed\n```\n\n```julia\nf(x) = x\n```\n",
        '```julia\n"""\nnever closed\n```\n\nSome prose.\n\n```julia\n"""\nf\n"""\nf(x) = x\n```\n',
        '```julia\nf(x) = x\n```julia\ng(x) = "`"\n```\n',
        '```python\n"""\n```\nx\n```\n"""\n```\n',
        '```\nHe said "hello\n```\n\n```\nand "bye\n```\n',
    ],
)
def test_a_fault_in_a_string_takes_nothing_of_what_follows(answer: str) -> None:
    from markdown_it import MarkdownIt

    by_commonmark = [token.content for token in MarkdownIt().parse(answer) if token.type == "fence"]
    assert [snippet.code for snippet in find_snippets(answer) if snippet.fenced] == by_commonmark
    assert not any(snippet.extended for snippet in find_snippets(answer))


def test_what_comes_after_very_many_lines_is_not_read() -> None:
    assert julia_codes("x\n" * 9_990 + "```julia\na\n```\n") == ["a\n"]
    assert julia_codes("x\n" * 10_000 + "```julia\na\n```\n") == []
    assert len(find_snippets("x = 1\n" * 20_000)[0].code.splitlines()) == 10_000


def test_an_answer_of_prose_is_not_a_program_because_a_quotation_mark_is_odd() -> None:
    answer = 'It is 5" wide.\n```julia\nf(x) = "a"\n```\n'
    assert julia_codes(answer) == ['f(x) = "a"\n']


@pytest.mark.parametrize(
    "answer",
    [
        "It uses <code>f(x) = x</code> inside.",
        '<pre><code class="language-python">f = 1</code></pre>',
        "<code>\nHere is some prose in it.\n</code>",
        "```html\n<code>\nf(x) = x\n</code>\n```",
        "```julia\nf(x) = x\n```\n\n<pre><code>g(x) = x</code></pre>\n\n    h(x) = x\n",
        "Words:\n\n    these are words\n",
    ],
)
def test_tags_and_indentation_that_hold_no_code_are_not_read(answer: str) -> None:
    assert not any(snippet.markup for snippet in find_snippets(answer))


def test_code_in_tags_and_indented_code_follow_what_is_better() -> None:
    answer = (
        "<pre>a &lt;&#61; b &amp;& c</pre>\n\nand\n\n    f(x) = x\n\n```\ng(x) = x\n```\n<answer>\nh(x) = x"
    )
    assert find_snippets(answer)[1:] == (
        Snippet(code="a <= b && c", fenced=False, markup="html"),
        Snippet(code="f(x) = x\n", fenced=False, markup="indented"),
    )
    assert find_snippets("Sure.\n<answer>\nh(x) = x")[1].code == "h(x) = x"


# Programs with docstrings, wrapped at random

words = st.lists(
    st.sampled_from(["Twice", "it's", '"so"', "`x`", "2x", "a'", "$x", "# no", "julia> f(1)", "|"])
)
inner_tag = st.sampled_from(
    ["", "julia", "jldoctest", "jldoctest; setup = :(using Dates)", "text", "markdown"]
)
plain_code = st.sampled_from(
    [
        "x = 1",
        "A = B' * 'a'",
        "q = '\"'",
        't = "```"',
        's = "a$("b")c"',
        "# don't \"",
        '#= " =#',
        "y = x[end]'",
        "c = `ls`",
        'r = r"\\""',
        "function g(x)\n    for i in 1:2\n        x\n    end\nend",
        "z = [i for i in 1:2 if i > 1]",
        'm = """\n~~~\n"""',
        "@show :end, x'",
        "k = ''' * '\\''",
        "struct P end",
        "",
        "v = x ? 'a' : '\"'",
    ]
)


@st.composite
def docstrings(draw: st.DrawFn) -> str:
    mark = draw(st.sampled_from(["```", "~~~", "````"]))
    parts = [" ".join(draw(words)), f"{mark}{draw(inner_tag)}", " ".join(draw(words))]
    if draw(st.booleans()):
        parts.append(mark)
    text = "\n".join(parts + draw(st.lists(st.just(""), max_size=2)))
    return draw(
        st.sampled_from(
            [f'"""\n{text}\n"""', f'@doc raw"""\n{text}\n"""', f"#=\n{text}\n=#", f'md"""\n{text}\n"""']
        )
    )


programs = st.lists(st.one_of(docstrings(), plain_code), min_size=1, max_size=6).map(
    lambda parts: "\n".join([*parts, "double(x) = 2x"])
)
fences = st.sampled_from(["```", "~~~", "````", "~~~~~"])
around = st.sampled_from(
    ["", 'Here it\'s, "so":\n', "- a\n- b\n\n", "<answer>\n", "# Title\n\n", "> quoted\n\n"]
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(programs, min_size=1, max_size=3), fences, around, around, st.integers(0, 3), st.booleans())
def test_a_program_with_docstrings_comes_out_as_it_went_in(
    codes: list[str], fence: str, before: str, between: str, indent: int, crlf: bool
) -> None:
    margin = " " * indent
    blocks = [f"{fence}julia\n{code}\n{fence}\n" for code in codes]
    answer = before + f"\n{between}".join(
        "".join(f"{margin}{line}" for line in block.splitlines(True)) for block in blocks
    )
    answer = answer.replace("\n", "\r\n") if crlf else answer
    assert julia_codes(answer) == [f"{code}\n" for code in codes]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(programs, fences)
def test_a_program_in_a_list_item_or_a_quote_comes_out_as_it_went_in(code: str, fence: str) -> None:
    block = f"{fence}julia\n{code}\n{fence}\n"
    in_item = "- Code:\n\n" + "".join(f"  {line}" for line in block.splitlines(True))
    assert julia_codes(in_item) == [f"{code}\n"]
    assert julia_codes("".join(f"> {line}" for line in block.splitlines(True))) == [f"{code}\n"]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(programs)
def test_a_program_without_a_fence_around_is_one_piece(code: str) -> None:
    (snippet,) = find_snippets(code)
    assert (snippet.code, snippet.fenced) == (code, False)
