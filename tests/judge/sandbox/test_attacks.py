"""Hostile candidates against a real sandbox: none gets out, none passes a test it did not earn.

The attacks are the files in `attacks/` and those of the self-test; `codejury/selftest/attack_runner.py` says
how one is written and what is looked at after each. All run on one warm worker, which must be the same
process at the end as at the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from codejury.judge.sandbox.factory import SandboxFactory
from codejury.judge.sandbox.isolation.probe import probe_isolation
from codejury.judge.sandbox.protocol import Sandbox
from codejury.judge.score import assess
from codejury.judge.toolchain.find import find_bubblewrap, find_julia
from codejury.records import Evaluation, Job, Limits, Snippet
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
