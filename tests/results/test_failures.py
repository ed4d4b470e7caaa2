"""Where points are lost: one kind for each failure, with the evidence for it."""

from __future__ import annotations

from typing import Any

import pytest

from codejury.judge.judge import Judge
from codejury.records import Block, BlockKind, Ending, Evaluation, Execution, Extraction, Outcome
from codejury.results.failures.answers import cut_off, looks_like, pieces_of, without_strings
from codejury.results.failures.classify import classify
from codejury.results.failures.evidence import LABELS, Kind
from fakes import a_case


def block(kind: str = "unit_test", ending: str = "errored", error: str = "", message: str = "") -> Block:
    return Block(kind=BlockKind(kind), index=0, ending=Ending(ending), error_type=error, message=message)


def ours(
    *blocks: Block,
    code: str = "double(x) = 2x",
    rule: str = "all",
    dropped: tuple[str, ...] = (),
    tampering: tuple[str, ...] = (),
    **changes: Any,
) -> Evaluation:
    """An evaluation of ours in which these blocks went wrong."""
    main = bool(blocks) and blocks[0].kind is BlockKind.MAIN
    facts: dict[str, Any] = {"rules_version": 1, "executed": not main} | changes
    found = Extraction(rule=rule, blocks_found=1, blocks_used=(0,), code=code, dropped_imports=dropped)
    run = Execution(
        parsed=facts.get("parsed", True), executed=facts["executed"], extraction=found, blocks=blocks,
        tampering=tampering, julia_version="", sandbox="",
    )  # fmt: skip
    return predecessors(execution=run, **facts)


def unparsed(code: str, message: str = "unexpected end", **changes: Any) -> Evaluation:
    return ours(
        block("main", "errored", "ParseError", message), code=code, parsed=False, executed=False, **changes
    )


def without_code(**changes: Any) -> Evaluation:
    return unparsed("", "the answer holds no Julia code", rule="none", **changes)


def predecessors(**changes: Any) -> Evaluation:
    facts = {
        "name": "double", "outcome": Outcome.FAIL, "score": 50.0, "parsed": True, "executed": True,
        "unit_tests_count": 4, "unit_tests_passed": 2, "examples_count": 2, "examples_executed": 2,
        "rules_version": None,
    }  # fmt: skip
    return Evaluation(**facts | changes)


def kind_of(row: Evaluation, answer: str | None = None, finish_reason: str = "") -> Kind:
    failure = classify(row, answer, finish_reason=finish_reason)
    assert failure is not None
    assert failure.why.strip()
    return failure.kind


def raised(error: str, message: str, code: str = "f(x) = x", **changes: Any) -> Evaluation:
    return ours(block(error=error, message=message), code=code, **changes)


# What is no failure


@pytest.mark.parametrize(
    "row",
    [
        ours(outcome=Outcome.PASS, score=100.0, unit_tests_passed=4),
        ours(outcome=Outcome.VOID, score=None, executed=False),
        predecessors(outcome=Outcome.PASS, score=100.0, unit_tests_passed=4),
        ours(outcome=Outcome.PASS, score=99.99999999999999, unit_tests_passed=4),
    ],
    ids=["all passed", "void", "the predecessor's", "thirds that do not add up"],
)
def test_what_lost_nothing_or_is_void_has_no_kind(row: Evaluation) -> None:
    assert classify(row, "no code") is None


def test_an_answer_that_passed_its_tests_and_lost_an_example_has_a_kind() -> None:
    row = ours(block("example", error="DomainError"), outcome=Outcome.PASS, score=87.5, unit_tests_passed=4)
    assert kind_of(row) is Kind.EXCEPTION


# How a block ended


@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        ("failed", Kind.WRONG_RESULT),
        ("timed_out", Kind.TIME_OUT),
        ("out_of_memory", Kind.LIMIT),
        ("output_flood", Kind.LIMIT),
        ("died", Kind.PROCESS_ENDED),
    ],
)
def test_the_ending_of_a_block_is_its_kind(ending: str, kind: Kind) -> None:
    assert kind_of(ours(block(ending=ending))) is kind


@pytest.mark.parametrize(
    ("error", "message", "kind", "detail"),
    [
        ("UndefVarError", "`trim` is not defined", Kind.UNDEFINED_NAME, "trim"),
        ("MethodError", "no method matching double(::String)", Kind.METHOD_ERROR, "double"),
        ("KeyError", "key 3 not found", Kind.EXCEPTION, "KeyError"),
    ],
)
def test_an_exception_has_its_kind_and_says_what_it_is_about(
    error: str, message: str, kind: Kind, detail: str
) -> None:
    failure = classify(raised(error, message))
    assert failure is not None
    assert (failure.kind, failure.detail) == (kind, detail)


def test_a_name_of_an_older_julia_is_told_as_such() -> None:
    failure = classify(raised("UndefVarError", "`matchall` is not defined"))
    assert failure is not None
    assert "eachmatch" in failure.why


def test_a_forgotten_import_of_the_standard_library_is_named() -> None:
    failure = classify(raised("UndefVarError", "`mean` is not defined"))
    assert failure is not None
    assert "`using Statistics` is missing" in failure.why


def test_the_kind_that_most_blocks_share_is_told() -> None:
    wrong = block(ending="failed", error="TestFailed")
    assert kind_of(ours(block(error="MethodError"), wrong, wrong)) is Kind.WRONG_RESULT


def test_of_two_equally_frequent_kinds_the_first_is_told() -> None:
    wrong = block(ending="failed", error="TestFailed")
    assert kind_of(ours(block(error="MethodError"), wrong)) is Kind.METHOD_ERROR


def test_the_main_code_comes_before_all_else() -> None:
    wrong = block(ending="failed")
    assert kind_of(ours(block("main", error="MethodError"), wrong, wrong, wrong)) is Kind.METHOD_ERROR


def test_tampering_comes_before_everything() -> None:
    assert kind_of(without_code(tampering=("redefined Test.@test",))) is Kind.TAMPERING


# Python-isms


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def double(x):\n    return 2 * x", ""),
        ("function f(x)\nif x\n1\nelif y\n2\nend\nend", ""),
        ("function f(x)\n    if x > 1:\n        1\n    end\nend", ""),
        ("from math import sqrt\nf(x) = x", ""),
        ("f = lambda x: 2x", ""),
        ("f(x) = [a if a > 1 else 0 for a in x]", ""),
        ("function f(x)\nif not x\n1\nend\nend", ""),
        ("f(x) = x[1:]", 'missing last argument in "1:" range expression'),
        ("f(x) = x ** 2", 'use "x^y" instead of "x**y" for exponentiation'),
        ("f(x) = 'hello'", "character literal contains multiple characters"),
    ],
)
def test_python_in_code_that_does_not_parse_is_a_python_ism(code: str, message: str) -> None:
    assert kind_of(unparsed(code, message)) is Kind.PYTHON_ISM


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ('f(x) = "def g(x): elif"  # lambda x: not in\nend', ""),
        ("f(x) = x > 1 ? a : b\nend", ""),
        ("y = if x 1 else 2 end end", ""),
        ("g(x) = sub(x, 2:end)", 'missing last argument in "2:" range expression'),
        ("f(x) = 'a' + ' '", "unexpected end"),
        ("x = a ? b :\n c end", ""),
    ],
)
def test_julia_that_does_not_parse_is_not_taken_for_python(code: str, message: str) -> None:
    assert kind_of(unparsed(code, message)) is Kind.DOES_NOT_PARSE


@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        ("UndefVarError", "`len` is not defined", "f(x) = len(x)"),
        ("UndefVarError", "`None` is not defined", "f(x) = None"),
        ("UndefVarError", "UndefVarError: np not defined", "f(x) = np.sum(x)"),
        ("BoundsError", "attempt to access a Array{Int64,1} of length 3 at index (0,)", "f(x) = x[0]"),
        ("BoundsError", "attempt to access a 3-element Vector at index [-1]", "f(x) = x[-1]"),
        ("BoundsError", "attempt to access a String at index [0]", "for i in 0:length(s)-1\ns[i]\nend"),
        ("MethodError", "no method matching +(::String, ::String)", 's = ""\ns += "a"'),
        ("MethodError", "no method matching *(::String, ::Int64)", '"a" * 3'),
        ("MethodError", "no method matching range(::Int64)", "for i in range(3)\nend"),
        ("MethodError", "no method matching max(::Array{Int64,1})", "max(x)"),
        ("ErrorException", "type String has no field join", '", ".join(x)'),
        ("ErrorException", "type Array has no field append", "x.append(1)"),
    ],
)
def test_an_exception_that_a_python_habit_raises_is_a_python_ism(error: str, message: str, code: str) -> None:
    assert kind_of(raised(error, message, code)) is Kind.PYTHON_ISM


@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        ("BoundsError", "attempt to access a Array{Int64,1} of length 3 at index (0,)", "f(x, i) = x[i - 1]"),
        ("BoundsError", "attempt to access a Array{Int64,1} of length 3 at index (4,)", "f(x) = x[0]"),
        ("ErrorException", "type Point has no field z", "p.z"),
        ("MethodError", "no method matching +(::Int64, ::Array{Int64,1})", "1 + [1]"),
    ],
)
def test_an_error_that_julians_make_too_is_no_python_ism(error: str, message: str, code: str) -> None:
    assert kind_of(raised(error, message, code)) is not Kind.PYTHON_ISM


# Packages


@pytest.mark.parametrize(
    ("name", "package", "code"),
    [
        ("DataFrames", "DataFrames", "using DataFrames\nDataFrames.x"),
        ("nrow", "DataFrames", "using DataFrames\nf(x) = nrow(x)"),
        ("odd", "DataFrames", "using DataFrames: odd\nf(x) = odd(x)"),
        ("pool", "SuchPools", "using SuchPools\nf(x) = pool(x)"),
    ],
)
def test_a_name_of_a_package_that_is_not_there_is_a_missing_package(
    name: str, package: str, code: str
) -> None:
    row = raised("UndefVarError", f"`{name}` is not defined", code, dropped=(package,))
    failure = classify(row)
    assert failure is not None
    assert (failure.kind, failure.detail) == (Kind.MISSING_PACKAGE, package)


def test_a_part_of_base_that_was_imported_like_a_package_is_not_blamed() -> None:
    code = "using Threads\nf(x) = Threads.@spawnat x"
    row = raised("UndefVarError", "`@spawnat` is not defined", code, dropped=("Threads",))
    assert kind_of(row) is Kind.UNDEFINED_NAME


@pytest.mark.parametrize("name", ["trim", "isupper", "double"])
def test_a_dropped_import_is_not_blamed_for_other_names(name: str) -> None:
    row = raised("UndefVarError", f"`{name}` is not defined", dropped=("DataFrames",))
    assert kind_of(row) is Kind.UNDEFINED_NAME


# Answers whose code was not taken


def test_an_empty_answer_is_told_apart_from_one_that_holds_no_code() -> None:
    assert kind_of(without_code(), "  \n") is Kind.EMPTY_ANSWER
    assert kind_of(without_code(), "I cannot help with that.") is Kind.NO_CODE
    assert kind_of(without_code(), None) is Kind.NO_CODE


@pytest.mark.parametrize(
    ("answer", "language"),
    [
        ("```python\ndef double(x):\n    return 2 * x\n```", "Python"),
        ("```\ndef double(x):\n    return 2 * x\n```", "Python"),
        ("```r\ndouble <- function(x) 2 * x\n```", "R"),
        ("```\nfn double(x: i64) -> i64 { 2 * x }\n```", "Rust"),
        ("```js\nfunction double(x) { return 2 * x }\n```", "JavaScript"),
    ],
)
def test_an_answer_in_another_language_is_told_with_the_language(answer: str, language: str) -> None:
    failure = classify(without_code(), answer)
    assert failure is not None
    assert (failure.kind, failure.detail) == (Kind.OTHER_LANGUAGE, language)


def test_julia_among_prose_without_a_fence_was_lost() -> None:
    answer = "function double(x)\n    2x\nend\n\nThis function doubles the number that it is given."
    assert kind_of(without_code(), answer) is Kind.EXTRACTION_LOST


def test_julia_in_a_block_with_another_languages_tag_was_lost() -> None:
    assert kind_of(without_code(), "```python\nfunction double(x)\n    2x\nend\n```") is Kind.EXTRACTION_LOST


def test_julia_in_a_block_with_a_tag_that_nobody_knows_was_lost() -> None:
    assert kind_of(without_code(), "```jlcon\njulia> double(x) = 2x\n```") is Kind.EXTRACTION_LOST
    assert kind_of(without_code(), "```julia\n```") is Kind.NO_CODE


def test_a_block_without_a_tag_that_was_not_taken_does_not_parse() -> None:
    answer = "```\nfunction double(x)\n    return push! 2x\nend\n```"
    assert kind_of(without_code(), answer) is Kind.DOES_NOT_PARSE


def test_a_definition_that_is_in_the_answer_and_not_in_the_code_was_lost() -> None:
    answer = "```julia\nfunction double(x)\n    2x\nend\n\njulia> double(1)\n2\n```"
    row = ours(block("main", error="UndefVarError", message="`double` is not defined"), code="double(1)")
    assert kind_of(row, answer) is Kind.EXTRACTION_LOST
    assert kind_of(row, "```julia\ndouble(1)\n```") is Kind.UNDEFINED_NAME


def test_an_answer_that_stops_in_the_middle_was_cut_off() -> None:
    answer = "```julia\nfunction double(x)\n    2 *"
    row = unparsed("function double(x)\n    2 *", "incomplete: premature end of input")
    assert kind_of(row, answer) is Kind.CUT_OFF
    assert kind_of(row, answer + "\n```") is Kind.DOES_NOT_PARSE


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens"])
def test_an_answer_that_its_service_cut_short_hit_the_limit_whatever_its_code_did(reason) -> None:
    assert kind_of(without_code(), "", reason) is Kind.HIT_LIMIT
    assert kind_of(without_code(), "", "stop") is Kind.EMPTY_ANSWER


DOCUMENTED = '```julia\n"""\n```jldoctest\njulia> double(2)\n```\n"""\ndouble(x) = 2x\n'


def test_blocks_are_those_that_the_judge_reads() -> None:
    (piece,) = pieces_of(f"{DOCUMENTED}```\n\nDone.")
    assert (piece.code, piece.tag, piece.closed) == (DOCUMENTED.removeprefix("```julia\n"), "julia", True)
    assert cut_off(DOCUMENTED)
    assert not cut_off(f"{DOCUMENTED}```\n")
    row = ours(block("main", error="UndefVarError", message="`double` is not defined"), code="x = 1")
    assert kind_of(row, f"{DOCUMENTED}```\n") is Kind.EXTRACTION_LOST


# The predecessor's evaluations


def test_flags_alone_tell_how_far_it_got_and_no_more() -> None:
    assert kind_of(predecessors(parsed=False, executed=False)) is Kind.DOES_NOT_PARSE
    assert kind_of(predecessors(executed=False)) is Kind.RUN_UNKNOWN
    assert kind_of(predecessors()) is Kind.TESTS_UNKNOWN
    failure = classify(predecessors())
    assert failure is not None
    assert "2 of 4 unit tests" in failure.why


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("I would rather not.", Kind.NO_CODE),
        ("```python\ndef double(x):\n    return 2\n```", Kind.OTHER_LANGUAGE),
        ("```Julia\ndouble(x) = 2x\n```", Kind.EXTRACTION_LOST),
        ('```julia\n"""Doubles."""\ndouble(x) = 2x\n```', Kind.EXTRACTION_LOST),
        ("```julia\ndouble(x) = 2x\n", Kind.EXTRACTION_LOST),
        ("```julia\nfunction double(x)\nif x\n1\nelif\n2\nend\nend\n```", Kind.PYTHON_ISM),
        ("```julia\ndouble(x) = 2x)\n```", Kind.DOES_NOT_PARSE),
    ],
)
def test_the_answer_tells_why_the_predecessor_found_nothing_to_parse(answer: str, kind: Kind) -> None:
    assert kind_of(predecessors(parsed=False, executed=False), answer) is kind


def test_names_of_python_in_the_answer_tell_why_the_predecessors_tests_failed() -> None:
    assert kind_of(predecessors(), "```julia\ndouble(x) = len(x)\n```") is Kind.PYTHON_ISM
    own = "```julia\nlen(x) = length(x)\ndouble(x) = len(x)\n```"
    assert kind_of(predecessors(), own) is Kind.TESTS_UNKNOWN


# Parts


def test_strings_and_comments_are_emptied_and_lines_stay() -> None:
    code = 'x = "def" # elif\ny = """a\nb"""\nz = \'c\'\nt = A\'\n#= lambda =#'
    assert without_strings(code) == 'x = "" \ny = ""\n\nz = ""\nt = A\'\n'


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("function f(x::Vector{Int})\n    x\nend", "julia"),
        ("f(x) = 2x", "julia"),
        ("struct Point\n    x\nend", "julia"),
        ("class Point:\n    pass", "Python"),
        ("hello world", ""),
    ],
)
def test_code_is_known_by_its_looks(code: str, language: str) -> None:
    assert looks_like(code) == language


def test_every_kind_has_a_label_and_no_two_share_one() -> None:
    assert set(LABELS) == set(Kind)
    assert len(set(LABELS.values())) == len(LABELS)


@pytest.mark.parametrize(
    "text",
    ["`" * 50_000, "if " * 50_000, "x if y else " * 20_000, "#= " * 30_000, "A a a a a " * 10_000,
     '"""' * 9_999, "```\n" * 20_000, "def (" * 20_000],
    ids=str.split("ticks ifs ternaries comments prose quotes fences defs"),
)  # fmt: skip
def test_hostile_text_is_classified_like_any_other(text: str) -> None:
    """Patterns that backtrack would take hours here."""
    assert kind_of(without_code(), text) in Kind
    assert kind_of(unparsed(text)) in Kind
    assert kind_of(predecessors(), text) in Kind


# With a real judge


REAL = {
    "```julia\ndouble(x) = 2x\n": None,
    "```julia\nfunction double(x)\n    2x\n": Kind.CUT_OFF,
    "```julia\ndouble(x) = x\n```": Kind.WRONG_RESULT,
    "```julia\ndouble(x) = twice(x)\n```": Kind.UNDEFINED_NAME,
    "```julia\ndouble(x::String) = x\n```": Kind.METHOD_ERROR,
    "```julia\ndouble(x) = [x][2]\n```": Kind.EXCEPTION,
    "```julia\ndouble(x) = [x][0]\n```": Kind.PYTHON_ISM,
    "```julia\ndouble(x) = len(x)\n```": Kind.PYTHON_ISM,
    '```julia\ndouble(x) = "a" + "b"\n```': Kind.PYTHON_ISM,
    "```julia\ndouble(x) = [1, 2].append(x)\n```": Kind.PYTHON_ISM,
    "```julia\nfunction double(x)\n    [1, 2][1:]\nend\n```": Kind.PYTHON_ISM,
    "```julia\ndouble(x) = 2 ** x\n```": Kind.PYTHON_ISM,
    "```julia\ndouble(x) = 'two'\n```": Kind.PYTHON_ISM,
    "```julia\nusing NoSuchThing\ndouble(x) = NoSuchThing.twice(x)\n```": Kind.MISSING_PACKAGE,
    "```julia\ndouble(x) = 2x)\n```": Kind.DOES_NOT_PARSE,
    "```julia\ndouble(x) = exit()\n```": Kind.PROCESS_ENDED,
    "```python\ndef double(x):\n    return 2 * x\n```": Kind.OTHER_LANGUAGE,
    "Sorry.": Kind.NO_CODE,
}  # fmt: skip


@pytest.mark.parametrize(("answer", "kind"), REAL.items(), ids=[str(kind) for kind in REAL.values()])
def test_what_a_real_judge_finds_gets_the_right_kind(jury: Judge, answer: str, kind: Kind | None) -> None:
    failure = classify(jury.evaluate(answer, a_case()), answer)
    assert (failure.kind if failure else None) is kind
