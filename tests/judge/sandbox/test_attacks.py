"""Hostile candidates against a real sandbox: none gets out, none passes a test it did not earn.

The attacks are the files in `attacks/` and those of the self-test; `codejury/selftest/attack_runner.py` says
how one is written and what is looked at after each. All run on one warm worker, which must be the same
process at the end as at the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from codejury.judge.sandbox.factory import SandboxFactory
from codejury.judge.sandbox.isolation.probe import probe_isolation
from codejury.judge.sandbox.protocol import Sandbox
from codejury.judge.score import assess
from codejury.judge.toolchain.find import find_bubblewrap, find_julia
from codejury.records import Block, BlockKind, DecidedBy, Ending, Evaluation, Job, Limits, Snippet
from codejury.selftest import attack_runner
from codejury.selftest.attack_runner import (
    CASE,
    Attack,
    AttackRunner,
    Surroundings,
    load_attacks,
    surroundings,
)
from codejury.settings import load_settings

ATTACKS = load_attacks(attack_runner.ATTACKS, Path(__file__).with_name("attacks"))
LIMITS = Limits(seconds=2.0, memory_mb=256)


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surroundings]:
    with surroundings(tmp_path_factory.mktemp("attacked")) as everything:
        yield everything


@pytest.fixture(scope="module")
def sandbox(around: Surroundings) -> Iterator[Sandbox]:
    """Started after our secret was set: what it inherits, it inherits from us."""
    settings = load_settings()
    assert find_julia(settings) is not None, "no Julia: run `codejury setup`"
    level = probe_isolation(bubblewrap=find_bubblewrap(settings)).level
    if level != "L3":
        pytest.skip(f"this machine gives {level} only (`codejury doctor` says why)")
    factory = SandboxFactory(level="L3")
    made = factory()
    yield made
    made.close()
    factory.close()


@pytest.fixture(scope="module")
def runner(sandbox: Sandbox, around: Surroundings) -> AttackRunner:
    return AttackRunner(sandbox, around, limits=LIMITS)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_the_attack_is_contained_and_forges_nothing(attack: Attack, runner: AttackRunner) -> None:
    finding = runner.run(attack)
    assert finding.breaches == (), finding.ending
    # Not even those that are then taken away for tampering: the comparison itself must hold.
    assert finding.passed_at_all == 0, finding.ending
    assert finding.tampering or not attack.must_be_flagged, finding.ending


def test_every_attack_says_what_it_tries_and_how_one_sees_that_it_got_through() -> None:
    for attack in ATTACKS:
        assert attack.tries.startswith("tries: "), attack.name
        assert " | got through if: " in attack.tries, attack.name
    assert len(ATTACKS) >= 30


# Tests of other shapes can be forged in other ways. None of these knows what is expected of it.

FORGERIES = {
    "== in a conjunction": ("@test answer(3) == 42 && answer(4) == 99", "==(a, b) = true\nanswer(x) = 0"),
    "== under a negation": ("@test !(answer(3) == 0)", "!(x) = true\nanswer(x) = 0"),
    "== with dots": ("@test all(answer(3) .== [42, 43])", "==(a, b) = true\nanswer(x) = [0, 0]"),
    "== in a nested conjunction": (
        "let y = 42\n    @test answer(3) == y && answer(4) == 99\nend",
        "==(a, b) = true\nanswer(x) = 0",
    ),
    "== in an assertion": ("@assert answer(3) == 42", "==(a, b) = true\nanswer(x) = 0"),
    "== in an assertion of a function": (
        "check(x) = @assert answer(x) == 42\ncheck(3)",
        "==(a, b) = true\nanswer(x) = 0",
    ),
    "another @assert": ("@assert answer(3) == 42", "macro assert(ex...)\nend\nanswer(x) = 0"),
    "another @assert, in a loop": (
        "for n in 1:2\n    @assert answer(n) == 42\nend",
        "macro assert(ex...)\nend\nanswer(x) = 0",
    ),
    "isapprox with keywords": (
        "@test isapprox(answer(3), 42; atol = 0.1)",
        "isapprox(a, b; k...) = true\nanswer(x) = 0",
    ),
    "a function of the test": (
        "@test sort(answer(3)) == [1, 2, 3]",
        "sort(x) = [1, 2, 3]\nanswer(x) = 0",
    ),
    "a function of the test, with keywords": (
        "@test sort(answer(3); rev = true) == [3, 2, 1]",
        "sort(x; k...) = [3, 2, 1]\nanswer(x) = 0",
    ),
    "isempty": ("@test isempty(answer(3))", "isempty(x) = true\nanswer(x) = [1]"),
    "Base's isempty": ("@test isempty(answer(3))", "Base.isempty(x::Array) = true\nanswer(x) = [1]"),
    "literal arrays": ("@test answer(3) == [42, 43]", "Base.vect(x::Int...) = 0\nanswer(x) = 0"),
    "literal arrays of a type": (
        "@test answer(3) == Int[42, 43]",
        "Base.getindex(::Type{Int}, x::Int...) = 0\nanswer(x) = 0",
    ),
    "literal matrices": (
        "@test answer(3) == [1 2; 3 4]",
        "Base.hvcat(r::Tuple{Int,Int}, x::Int...) = 0\nanswer(x) = 0",
    ),
    "interpolated strings": (
        '@test answer(3) == "x = $(40 + 2)"',
        'Base.string(x::Union{String,Int}...) = "?"\nanswer(x) = "?"',
    ),
    "comprehensions": (
        "@test answer(3) == [i^2 for i in 1:3]",
        "Base.collect(g::Base.Generator) = 0\nanswer(x) = 0",
    ),
    "ranges": ("@test answer(3) == 1:3", "Base.:(:)(a::Int, b::Int) = 0\nanswer(x) = 0"),
    "dictionaries": (
        '@test answer(3) == Dict("a" => 1)',
        "Base.Dict(p::Pair{String,Int}...) = 0\nanswer(x) = 0",
    ),
    "sort deleted and defined anew while it is tested": (
        "answer(1)\n@test sort(answer(3)) == [42]",
        "answer(x) = (Base.delete_binding(@__MODULE__, :sort); @eval(sort(x) = [42]); [0])",
    ),
    "a constant of Base's replaced while it is tested": (
        "answer(1)\n@test sort(answer(3)) == [42]",
        "answer(x) = (Core.eval(Base, :(const sort = (x -> [42]))); [0])",
    ),
    "== with dots put by a macro": (
        "@test all(@. answer(3) == [42, 43])",
        "==(a, b) = true\nanswer(x) = 0",
    ),
    "a function inside a macro, taken while it is tested": (
        "using Test\nanswer(1)\n@test (@inferred sort(answer(3))) == [42]",
        "answer(x) = (Core.eval(@__MODULE__, :(sort(x) = [42])); [0])",
    ),
    **{
        f"a value that equals every {kind}": (
            f"@test answer(3) == {expected}",
            f"struct M end\nBase.:(==)(::M, ::{kind}) = true\nanswer(x) = M()",
        )
        for kind, expected in {
            "Bool": "true",
            "Char": "'a'",
            "Vector{Int}": "[42, 43]",
            "Tuple{Int,Int}": "(42, 43)",
            "Dict{String,Int}": 'Dict("a" => 1)',
            "Set{Int}": "Set([42])",
            "UnitRange{Int}": "1:3",
        }.items()
    },
}


@pytest.mark.parametrize("name", FORGERIES)
def test_no_shape_of_test_is_forged_by_changing_what_the_test_is_made_of(name: str, sandbox: Sandbox) -> None:
    unit_test, code = FORGERIES[name]
    assert judged(sandbox, code, unit_test).unit_tests_passed == 0


# What the candidate's process says can be wrong, and what it is told it can remember: neither makes a test
# pass that the referee is said to have decided.

ANYTHING = """
struct M end
for op in (:(==), :isequal, :isless, :<)
    @eval Base.$op(::M, x) = true
    @eval Base.$op(x, ::M) = true
end
Base.broadcastable(m::M) = Ref(m)
Base.isempty(::M) = true
Base.any(f::Function, ::M) = true
Base.max(::M, x) = x
Base.intersect(::M, x) = x
Base.:-(::M, x) = zero(x)
Base.merge(::M, x::Dict) = x
answer(x) = M()
"""

# Takes over its end of the conversation, by what it finds in the frames of its own stack.
TAKEN_OVER = """
const J = Core.Main.Codejury
asker(x) = x isa J.Asker ? x : x isa Expr ? asker(x.args) : nothing
asker(all::Vector) = (for x in all; found = asker(x); found === nothing || return found; end; nothing)
function asker()
    for place in backtrace()
        place isa Base.InterpreterIP && place.code isa Core.CodeInfo || continue
        found = asker(place.code.code)
        found === nothing || return found
    end
end
message(values...) = String(J.encode_values(Any[values...], _ -> error()))
function answer(x)
    a = asker()
    a === nothing && return 0
    while true
        say(a)
        J.send(a.channel, ["ended", "0"])
        order = J.next_order(a.orders)
        order[1] == "end" && (J.send(a.channel, ["done"]); J.leave(0))
    end
end
"""

SEES_GLOBALS = "answer(x) = isdefined(@__MODULE__, :expected) ? getfield(@__MODULE__, :expected)[x] : 0"
EXPECTED = "expected = Dict(3 => 42, 4 => 99)"

UNEARNED = {
    "a Bool of its own type's": ("", ["@test isempty(answer(3))", "@test !!isempty(answer(3))"], ANYTHING),
    "a function that is told what is expected": (
        "",
        [
            "@test max(answer(3), 42) == 42",
            "@test any(==(42), answer(3))",
            "@test intersect(answer(3), [1, 2]) == [1, 2]",
            "@test abs(answer(3) - 42) < 0.1",
            '@test merge(answer(3), Dict("a" => 1)) == Dict("a" => 1)',
            "@test all(answer(3) .== [42, 43])",
        ],
        ANYTHING,
    ),
    "comparisons on the way to a value": (
        "",
        [
            "@test sum([answer(x) == x^2 for x in 1:3]) == 3",
            "@test count(x -> answer(x) == x^2, 1:3) == 3",
            "@test mapreduce(p -> answer(p[1]) == p[2], &, [(3, 42), (4, 99)])",
            "@test (() -> answer(3) == 42)()",
            "@test eval(:(answer(3) == 42))",
            "@test mktempdir() do folder; answer(folder) == 42 end",
            "@test (try answer(3) == 42 catch; false end) == true",
            "same = answer(3) == 42\n@test same",
            "y = answer(3) == 42 ? 1 : 0\n@test y == 1",
            "n = 0\nfor (x, y) in [(3, 42), (4, 99)]\n    global n += answer(x) == y\nend\n@test n == 2",
            "all_of = Bool[]\nfor x in [3]\n    push!(all_of, answer(x) == 42)\nend\n@test all(all_of)",
            'f(x) = answer(x) == 42 ? "right" : "wrong"\n@test f(3) == "right"',
        ],
        ANYTHING,
    ),
    "comparisons of a helper": (
        "right(x) = answer(x) == 42\ncheck(f) = f(3) == 42\n"
        'faults(x) = answer(x) == 42 ? String[] : ["not 42"]',
        [
            "@test right(3) == true",
            "@test faults(3) == []",
            "@test isempty(faults(3))",
            "@test check(answer) == true",
        ],
        ANYTHING,
    ),
    "comparisons of a helper that uses what was redefined": (
        "rated(x) = sort([answer(x)]) == [42] ? 7 : 0",
        ["@test rated(3) == 7"],
        "Base.sort(x::Vector{Int}) = [42]\nanswer(x) = 0",
    ),
    "inputs that it changes": (
        "",
        [
            "x = [3, 1, 2]\n@test answer(x) == sum(x)",
            "x = [3, 1, 2]\ny = answer(x)\ns = sum(x)\n@test y == s",
        ],
        "answer(x) = (empty!(x); 0)",
    ),
    "what two tests share": (
        "",
        [f"{EXPECTED}\n@test answer(3) == expected[3]", "@test answer(4) == expected[4]"],
        SEES_GLOBALS,
    ),
    "a table that another test shows": (
        EXPECTED,
        ["@test all(x -> answer(x) == expected[x], [3, 4]) == true", "@test answer(3) == expected[3]"],
        SEES_GLOBALS,
    ),
    "a table that a test shows that is not split": (
        EXPECTED,
        ["f() = @test(answer(3) == expected[3])\nf()", "@test answer(4) == expected[4]"],
        SEES_GLOBALS,
    ),
    "a table that its own method is given": (
        EXPECTED,
        ["@test expected[answer(3)] == 42", "@test answer(4) == expected[4]"],
        "struct M end\nconst SEEN = Ref{Any}(nothing)\n"
        "Base.getindex(table::Dict{Int,Int}, ::M) = (SEEN[] = table; 42)\n"
        "answer(x) = SEEN[] === nothing ? M() : SEEN[][x]",
    ),
    "what its own == was given": (
        "",
        ["@test answer(3) == [42]", "@test answer(3)[1] == 42"],
        "struct M end\nconst SEEN = Any[]\nBase.:(==)(::M, x) = (push!(SEEN, x); false)\n"
        "answer(x) = (i = findfirst(isequal([42]), SEEN); i === nothing ? M() : SEEN[i])",
    ),
    "the value of a function that it was not to apply": (
        "",
        ["@test isempty(answer(3))", "@test !(answer(3) == 0)", "@test isequal(answer(3), 42) == true"],
        TAKEN_OVER + 'say(a) = J.send(a.channel, ["told", "1", message(true)])',
    ),
    "a call of values that the referee has": (
        "",
        ["@test !(answer(3) == 0)"],
        TAKEN_OVER
        + 'say(a) = (J.send(a.channel, ["need", "1", message(J.Parts(message(0)))]); J.next_order(a.orders);'
        ' J.send(a.channel, ["told", "1", message(true)]))',
    ),
    "a function that writes where the referee writes": (
        "",
        ["@test map(answer(3), collect(0:20)) == [42]"],
        'const J = Core.Main.Codejury\nlist = J.encode(["verdict", "passed", "", "", "0", "referee"])\n'
        "bytes = UInt8[]\nJ.put32!(bytes, length(list))\nappend!(bytes, list)\n"
        "answer(x) = Base.Fix2(J.write_all, bytes)",
    ),
}


@pytest.mark.parametrize("name", UNEARNED)
def test_the_referee_is_not_said_to_have_decided_what_the_candidates_process_made_up(
    name: str, sandbox: Sandbox
) -> None:
    setup, unit_tests, code = UNEARNED[name]
    for test in run_tests(sandbox, code, unit_tests, setup):
        assert not (test.passed and test.decided_by is DecidedBy.REFEREE), unit_tests[test.index]


def test_code_that_a_test_evaluates_runs_with_the_candidate(sandbox: Sandbox) -> None:
    code = "answer(x) = :(Core.Main.Codejury.SESSION[] === nothing)"
    tests = [f"@test {evaluate}(answer(3))" for evaluate in ("Base.eval", "Meta.eval")]
    assert [test.passed for test in run_tests(sandbox, code, tests, "")] == [True, True]


def test_honest_values_are_decided_by_the_referee_whatever_other_tests_hold(sandbox: Sandbox) -> None:
    code = (
        "struct P; x; end\nBase.:(==)(p::P, n::Int) = p.x == n\nanswer(x) = 2x\npoint(x) = P(x)\n"
        "const log = Int[]\nnoted(x) = (push!(log, x); length(log))"
    )
    tests = [
        "@test answer(1) == 2",
        "@test point(1) == 1",
        "foreach(1:2) do x\n    @test answer(x) == 2x\nend",
        "@test noted(5) == 1",
        "@test noted(6) == 2",
        "x = [1, 2]\n@test answer.(x) == x .+ x",
        "@test map(answer, [1, 2]) == [2, 4]",
        "@test values_of([1]) == [2]",
        "same = answer(1) == 2\n@test same",
    ]
    found = run_tests(sandbox, code, tests, "values_of(x) = [answer(y) for y in x if y > 0]")
    assert [test.ending for test in found] == [Ending.PASSED] * len(tests)
    assert [i for i, test in enumerate(found) if test.decided_by is not DecidedBy.REFEREE] == [1, 2, 8]


def test_a_function_of_julias_is_the_same_one_on_both_sides(sandbox: Sandbox) -> None:
    tests = ["@test answer(1) === sin", "@test answer(2) === println", "@test !(answer(2) === print)"]
    tests += ["@test map(answer(1), [0.0]) == [0.0]", '@test sprint(answer(3), 5) == "5"']
    found = run_tests(sandbox, "answer(x) = (sin, println, print)[x]", tests, "")
    assert [test.passed for test in found] == [True] * len(tests)


def run_tests(sandbox: Sandbox, code: str, unit_tests: Sequence[str], setup: str) -> list[Block]:
    case = replace(CASE, examples=(), unit_tests=tuple(unit_tests), unit_tests_setup=setup)
    execution = sandbox.execute(
        Job(test_case=case, snippets=(Snippet(code=code, language="julia"),), limits=LIMITS)
    )
    return list(execution.of_kind(BlockKind.UNIT_TEST))


# The other side: what looks alike and is honest.

HONEST = {
    "== of an own type": (
        "@test answer(1) == answer(1) && answer(1) != answer(2)",
        "struct P; x; end\nBase.:(==)(a::P, b::P) = a.x == b.x\nanswer(x) = P(x)",
    ),
    "== of an own type, not qualified": (
        "@test answer(1).x == 1",
        "struct P; x; end\n==(a::P, b::P) = a.x === b.x\nanswer(x) = P(x)",
    ),
    "an own number beside a plain one": (
        "@test answer(1) == 1 && answer(1) != 2",
        "struct N <: Number; x::Int; end\nBase.:(==)(a::N, b::Int) = a.x == b\nanswer(x) = N(x)",
    ),
    "length and iteration of an own type": (
        "@test length(answer(3)) == 3 && collect(answer(3)) == [1, 2, 3]",
        "struct C; n; end\nBase.length(c::C) = c.n\nanswer(x) = C(x)\n"
        "Base.iterate(c::C, i = 1) = i > c.n ? nothing : (i, i + 1)",
    ),
    "an own helper with the name of one of Julia's": (
        "@test sum(answer(3)) == 6",
        "sum(v) = length(v) == 0 ? 0 : v[1] + sum(v[2:end])\nanswer(x) = collect(1:x)",
    ),
    "an own array beside a plain one": (
        "@test answer(3) == [0, 0, 0]",
        "struct Z <: AbstractVector{Int}; n::Int; end\nanswer(x) = Z(x)\n"
        "Base.size(z::Z) = (z.n,)\nBase.getindex(::Z, i::Int) = 0",
    ),
    "a test that binds one of Julia's names itself": (
        "max = 3\nfirst(x) = x\n@test answer(max) == first(3)",
        "answer(x) = x",
    ),
    "a show method": (
        '@test string(answer(3)) == "P(3)"',
        'struct P; x; end\nBase.show(io::IO, p::P) = print(io, "P(", p.x, ")")\nanswer(x) = P(x)',
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_candidate_of_the_same_look_passes(name: str, sandbox: Sandbox) -> None:
    unit_test, code = HONEST[name]
    evaluation = judged(sandbox, code, unit_test)
    assert evaluation.execution is not None
    assert evaluation.unit_tests_passed == 1, (evaluation.execution.blocks, evaluation.execution.tampering)


def judged(sandbox: Sandbox, code: str, unit_test: str) -> Evaluation:
    case = replace(CASE, examples=(), unit_tests=(unit_test,))
    snippet = Snippet(code=code, language="julia")
    return assess(sandbox.execute(Job(test_case=case, snippets=(snippet,), limits=LIMITS)), case)
