"""From an answer to the pieces of code in it."""

from __future__ import annotations

import sys
from types import FrameType

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from codejury.judge.extract import fences
from codejury.judge.extract.markup import tagged_code
from codejury.judge.extract.snippets import (
    bare_code,
    extended_spans,
    find_snippets,
    is_julia,
    language_of,
    without_reasoning,
)


def codes(answer: str) -> list[str]:
    return [snippet.code for snippet in find_snippets(answer)]


def fenced_codes(answer: str) -> list[str]:
    return [snippet.code for snippet in find_snippets(answer) if snippet.fenced]


# Fences


def test_a_fence_in_prose_is_found_with_its_language():
    (snippet,) = find_snippets("Sure!\n\n```julia\nf(x) = x\n```\nDone.")
    assert (snippet.code, snippet.language, snippet.fenced) == ("f(x) = x\n", "julia", True)
    assert is_julia(snippet)


def test_blocks_come_in_order_and_with_those_of_other_languages():
    answer = "```julia\na\n```\ntext\n```Python\nb\n```\n```\nc\n```\n~~~jl\nd\n~~~\n"
    found = [(snippet.code.strip(), snippet.language) for snippet in find_snippets(answer)]
    assert found == [("a", "julia"), ("b", "python"), ("c", ""), ("d", "julia")]


def test_without_a_fence_the_whole_answer_is_one_unfenced_snippet():
    (snippet,) = find_snippets("f(x) = x\n")
    assert (snippet.code, snippet.language, snippet.fenced) == ("f(x) = x\n", "", False)
    assert not is_julia(snippet)


def test_an_empty_answer_is_an_empty_unfenced_snippet():
    (snippet,) = find_snippets("")
    assert (snippet.code, snippet.fenced) == ("", False)


def test_an_unclosed_last_fence_runs_to_the_end():
    assert codes("```julia\na\n```\n```julia\nf(x) =\n  x") == ["a\n", "f(x) =\n  x"]


def test_a_longer_outer_fence_holds_shorter_ones():
    docstring = '"""\n```julia\ndouble(2)\n```\n"""\ndouble(x) = 2x\n'
    assert codes(f"````julia\n{docstring}````\n") == [docstring]


def test_blocks_that_go_on_past_a_fence_in_a_docstring_are_told_by_their_lines():
    text = 'First:\n```julia\n"""\n```julia\nf(1)\n```\n"""\nf(x) = x\n```\n\n```julia\ng(x) = x\n```\n'
    assert extended_spans(text) == [(1, 9)]
    assert extended_spans("```julia\nf(x) = x\n```\n") == []
    assert extended_spans("no fence") == []


def test_code_between_tags_is_told_by_its_lines_also_where_the_last_tag_is_missing():
    closed = "Here:\n<code>\nf(x) = x\n</code>\nDone."
    assert [(one.first, one.after) for one in tagged_code(closed, [])] == [(1, 4)]
    cut = "Here:\n<code>\nf(x) = x\ng(x) = 2x\n"
    assert [(one.first, one.after) for one in tagged_code(cut, [])] == [(1, 5)]


def test_tildes_hold_backticks_and_are_not_closed_by_them():
    assert codes("~~~julia\na\n```\nb\n~~~\n") == ["a\n```\nb\n"]


def test_a_fence_in_a_list_loses_the_list_s_indentation_and_no_more():
    first = "1. First:\n\n   ```julia\n   function f()\n       1\n   end\n   ```\n"
    second = "2. Then:\n   - deeper\n     ```julia\n     g()\n     ```\n"
    assert codes(first + second) == ["function f()\n    1\nend\n", "g()\n"]


def test_a_fence_in_a_quote_loses_the_quote_marks():
    assert codes("> ```julia\n> a\n>\n> b\n> ```\n") == ["a\n\nb\n"]


def test_a_fence_interrupts_a_paragraph_and_needs_no_blank_line():
    assert codes("Here:\n```julia\na\n```\nmore") == ["a\n"]


def test_inline_code_with_three_backticks_is_no_fence():
    (snippet,) = find_snippets("Use ```julia f(x)``` here.\n```julia f(x)``` too")
    assert not snippet.fenced


def test_indented_code_is_no_fence():
    (snippet,) = find_snippets("Text:\n\n    f(x) = x\n    ```julia\n")
    assert not snippet.fenced


@pytest.mark.parametrize("tag", ["<answer>", "<details>", "<div>", "<!-- the code -->", "<pre>"])
def test_a_fence_straight_below_an_html_tag_is_a_fence(tag):
    assert codes(f"{tag}\n```julia\na\n\nb\n```\n") == ["a\n\nb\n"]


def test_line_ends_become_lf_in_fences_and_without():
    assert codes("```julia\r\na\r\nb\r\n```\r\n") == ["a\nb\n"]
    assert codes("a\r\nb\rc") == ["a\nb\nc"]


def test_a_byte_order_mark_does_not_hide_the_first_fence():
    assert codes("\ufeff```julia\na\n```") == ["a\n"]


def test_tabs_and_empty_lines_in_the_code_stay():
    assert codes("```julia\nif x\n\t1\n\nend\n```") == ["if x\n\t1\n\nend\n"]


def test_code_can_be_written_as_utf8_even_from_half_a_surrogate_pair():
    for code in (*codes("```julia\n\ud83d \ud83d\ude00\n```"), *codes("x = '\udc00'")):
        code.encode()
    assert codes("\ud83d\ude00") == ["\U0001f600"]


def test_code_on_the_line_of_the_tag_belongs_to_the_code():
    assert codes("```julia function f(x)\n    x\nend\n```") == ["function f(x)\n    x\nend\n"]
    assert codes("```julia using Dates\nf()\n```") == ["using Dates\nf()\n"]
    assert codes('```julia title="using it"\nf()\n```') == ["f()\n"]
    assert codes("```python import os\nf()\n```") == ["f()\n"]


# Languages


@pytest.mark.parametrize(
    "info",
    [
        "julia", "jl", "Julia", "JULIA", " julia ", "{julia}", "{.julia}", "{ .julia }", "julia {cmd=true}",
        "{.julia .numberLines}", "{julia, echo=false}", 'julia title="x"', "julia,ignore", "julia; run",
        "julia:main.jl", "julia-repl", "julia_repl", "julia1.10", "julialang", "src/main.jl", "@example",
        "jldoctest", "jldoctest; setup = :(using Dates)", "jlcon",
    ],
)  # fmt: skip
def test_the_many_names_of_julia(info):
    assert language_of(info) == "julia"


@pytest.mark.parametrize(
    ("info", "language"),
    [("", ""), ("{}", ""), ("Python", "python"), ("c++", "c++"), ("rust,edition2018", "rust"), ("{r}", "r"),
     ("text", "text"), ("juliaset", "juliaset"), ("jlsomething", "jlsomething")],
)  # fmt: skip
def test_other_tags_are_kept_in_lower_case(info, language):
    assert language_of(info) == language


# Bare code


def test_bare_code_keeps_the_fences_of_its_docstrings():
    code = '"""\n```julia\nf(1)\n```\n"""\r\nf(x) = x'
    (snippet,) = bare_code(code)
    assert snippet.code == code.replace("\r", "")
    assert is_julia(snippet)


# Reasoning


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("<think>a</think>b", "b"),
        ("\n <thinking>\na\n</thinking>\nb", "\nb"),
        ("<THINK>a</THINK>b", "b"),
        ("<think>a</think>\n<think>b</think>c", "c"),
        ("<thinking>so </think> is a tag</thinking>b", "b"),
        ("a</think>b", "b"),  # the opening tag was part of the prompt
        ("a</think>b</thinking>c", "c"),
        ("a<think>b</think>c", "ac"),
        ("<think>a</think>b<think>c</think>d", "bd"),
        ("a<think>b<think>c</think>d", "ad"),
        ("<think>never closed", "<think>never closed"),
        ("a <think> b", "a <think> b"),
        ("no tags", "no tags"),
        ("</think>", ""),
    ],
)
def test_what_the_model_said_to_itself_goes(text, rest):
    assert without_reasoning(text) == rest


def test_half_a_fence_in_the_reasoning_does_not_swallow_the_answer():
    assert codes("<think>\nPerhaps\n```julia\nwrong(\n</think>\n```julia\nright\n```\n") == ["right\n"]


def test_fences_in_the_reasoning_do_not_count():
    assert codes("<think>\n```julia\ndraft\n```\n</think>\n```julia\nright\n```\n") == ["right\n"]
    assert codes("```julia\ndraft\n```\n</think>\n```julia\nright\n```\n") == ["right\n"]


def test_a_tag_inside_a_fence_is_code_and_takes_nothing_away():
    code = 'strip_tags(s) = split(s, "</think>")[end]\n'
    assert codes(f"```julia\n{code}```\n") == [code]
    assert codes(f"<think>a</think>\n```julia\n{code}```\n") == [code]
    assert codes(f"so</think>\n```julia\n{code}```\nand\n```julia\nb\n```") == [code, "b\n"]


def test_an_answer_that_is_all_reasoning_holds_no_code():
    assert codes("<think>\n```julia\ndraft\n```\n</think>") == [""]


# Hostile text


@pytest.mark.parametrize(
    "bomb", [">" * 100_000, "> " * 50_000, "- " * 50_000 + "x", "+ " * 50_000, "1. " * 30_000]
)
def test_deep_nesting_neither_overflows_nor_hides_what_follows(bomb):
    assert fenced_codes(f"{bomb}\n\n```julia\na\n```\n") == ["a\n"]
    assert fenced_codes(f"```julia\na\n```\n{bomb}") == ["a\n"]


def test_a_row_of_plus_signs_does_not_hide_what_follows():
    assert fenced_codes("+ + + + + + + + + + + + + + + +\n```julia\na\n```\n") == ["a\n"]


@pytest.mark.parametrize(
    "text",
    ["```julia\n", "`", "x", "<think>", "</think>", "\n"],
    ids=["openers", "backticks", "letters", "opening tags", "closing tags", "line ends"],
)
def test_a_megabyte_of_nonsense_is_taken_apart(text):
    assert len(find_snippets(text * (1_000_000 // len(text)))) == 1


PIECES = [
    "```", "~~~", "````", "julia", "`", ">", "> ", "- ", "+ ", "1. ", "\n", "\n\n", "    ", "\t", "\r\n", "a",
    "<think>", "</think>", "<thinking>", "</thinking>", "<!--", "<div>", "[a]: b", "---", "===", "#",
    "\x00", "\ud800", "\ufeff", "\u2028", "é",
]  # fmt: skip
hostile = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.one_of(hostile, st.text(), st.text(alphabet=st.characters())))
def test_whatever_the_text_there_is_a_snippet_and_it_is_utf8(text):
    snippets = find_snippets(text)
    assert snippets
    for snippet in snippets:
        snippet.code.encode()
        assert "\r" not in snippet.code


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(alphabet="ab`~ \n>-<thinkj/", max_size=200))
def test_code_in_a_long_fence_comes_out_as_it_went_in(code):
    assert codes(f"Text\n\n{'`' * 250}julia\n{code}\n{'`' * 250}\n") == [f"{code}\n"]


OF_JULIA = [
    '"',
    '"""',
    "'",
    "#=",
    "=#",
    "$(",
    "(",
    ")",
    "begin",
    "end ",
    "```julia\n",
    "\n```\n",
    "<code>",
    "julia> ",
]


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from([*PIECES, *OF_JULIA]), min_size=1, max_size=6).map("".join))
@example('```julia\n"\n```\n')
@example('```julia\n"""\n```\n')
@example("```julia\n#=\n```\n")
@example("```\n#=\n```\n")
@example("~~~julia\n#=\n~~~\n```julia\n")
@example('```julia\n"$(\n```\n')
def test_the_work_grows_in_step_with_the_text(piece):
    # 40 repeats are beyond the depth at which nesting is cut off, so from there on work must be linear. What
    # may be read in vain besides is a constant, and would hide the rest here.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fences, "_READ_IN_VAIN", 0)
        few, many = work(f"```\n```\n{piece * 40}"), work(f"```\n```\n{piece * 160}")
    assert many <= 4 * 1.25 * few + 2000


def work(text: str) -> int:
    """Return the number of Python lines run to take a text apart: the same on every machine."""
    count = 0

    def on_event(_frame: FrameType, event: str, _argument: object) -> object:
        nonlocal count
        count += event == "line"
        return on_event

    find_snippets("```\nwarm up\n```")
    before = sys.gettrace()
    sys.settrace(on_event)
    try:
        find_snippets(text)
    finally:
        sys.settrace(before)
    return count


def test_a_chat_templates_token_behind_a_closing_fence_does_not_keep_the_fence_open() -> None:
    answer = "```julia\nf(x) = 1\n```<|im_end|>\n<|im_start|>assistant"
    assert [snippet.code for snippet in find_snippets(answer)] == ["f(x) = 1\n"]


def test_the_same_token_inside_code_stays() -> None:
    answer = '```julia\nf() = "```"\ng() = "<|im_end|>"\n```\n'
    assert find_snippets(answer)[0].code == 'f() = "```"\ng() = "<|im_end|>"\n'
