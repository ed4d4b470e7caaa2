"""Mutants, cheats and repeats, on real Julia: what is found, and what is said about weak test cases."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from codejury.cli import run as run_cli
from codejury.judge.judge import Judge
from codejury.records import BlockKind, Ending, TestCase
from codejury.suite.save import save_definition
from codejury.suite.strength.measure import Options, Runs, measure_case, measure_suite
from codejury.suite.strength.mutants import Findings, Mutant, find_mutants
from codejury.suite.strength.report import Fate, StrengthReport
from codejury.suite.strength.stored import load, save
from fakes import a_case

EVERYTHING = r'''
using Dates

"""
A docstring with "quotes", a \$ and $(1 + 1).
"""
struct Shelf{T<:Real} <: AbstractVector{T}
    items::Vector{T}
    Shelf{T}(items) where {T} = new{T}(items)
end

Base.size(s::Shelf) = size(s.items)
Base.getindex(s::Shelf, i::Int) = s.items[i]
(s::Shelf)(x) = x .+ s.items

macro twice(ex)
    quote
        $(esc(ex))
        :($(1) + x)
    end
end

@inline function shelve(xs::AbstractVector{T}; by = identity, rev::Bool = false)::Shelf{T} where {T<:Real}
    kept = T[x for x in xs if !isnan(float(x)) && -1 < x^2 <= 10^6]
    sorted = sort(kept; by = by, rev)
    for (i, x) in enumerate(sorted), j in 1:2:3
        i == j == 1 || continue
        @assert x >= -1e6 "too small: $x, $(x + 1) \"quoted\" \\ \n"
    end
    total = let a = 0, b = 1
        while a < 3
            a += b
        end
        try
            a ÷ b
        catch e
            e isa DivideError ? nothing : rethrow()
        finally
            a = -a
        end
    end
    pairs = [a => b for a in 1:2 for b in 1:a]
    text = map(pairs) do (a, b)
        string(a, ' ', b, r"a\d+", 'x', 0x01, 1.5f0, :sym, :(a + $b))
    end
    matrix = [1 2; 3 -4]' .* 2
    named = (a = 1, b = "s")
    total == 3 && named.a == 1 && @.(matrix + 1)[1, end] == 7 && return Shelf{T}(sorted)
    return Shelf{T}(T[])
end
'''.replace(", rev)", ", rev = rev)")  # the short form came after Julia 1.5

CLAMP = """
function clamp_to(x, low, high)
    low > high && throw(ArgumentError("an empty interval"))
    if x < low
        return low
    elseif x > high
        return high
    end
    return x
end
"""


def clamp_case(
    *tests: str, solution: str = CLAMP, prompt: str = "Write `clamp_to(x, low, high)`."
) -> TestCase:
    return a_case(
        name="clamp_to",
        prompt=prompt,
        examples=("clamp_to(5, 1, 3)",),
        unit_tests=tests,
        reference_solution=solution,
    )


STRONG = (
    "@test clamp_to(5, 1, 3) === 3",
    "@test clamp_to(0, 1, 3) === 1",
    "@test clamp_to(2, 1, 3) === 2",
    "@test clamp_to(1.0, 1, 3) === 1.0",
    "@test clamp_to(3.0, 1, 3) === 3.0",
    "@test clamp_to(7, 4, 4) === 4",
    "@test_throws ArgumentError clamp_to(1, 3, 1)",
)
WEAK = ("@test clamp_to(5, 1, 3) == 3", "@test clamp_to(2, 1, 3) == 2")

LOOP = """
function count_down(n)
    steps = 0
    while n > 0
        n -= 1
        steps += 1
    end
    return steps
end
"""


@pytest.fixture(scope="module")
def found() -> dict[str, Findings]:
    """What one Julia says about several test cases."""
    cases = {
        "everything": a_case(
            name="shelve",
            unit_tests=("@test shelve([3, 1, 2]) == [1, 2, 3]", "@test shelve([1])(1) == [2]"),
            reference_solution=EVERYTHING,
            imports=("Dates",),
        ),
        "strong": clamp_case(*STRONG),
        "weak": clamp_case(*WEAK),
        "moved": clamp_case(
            *STRONG, solution=f"# A comment.\nhelper(x) = 1\n\n{CLAMP.replace('    ', '  ')}"
        ),
        "loop": a_case(
            name="count_down",
            examples=("count_down(2)",),
            unit_tests=("@test count_down(3) == 3", "@test count_down(0) == 0", "@test count_down(5) == 5"),
            reference_solution=LOOP,
        ),
        "yes": a_case(
            name="is_fine",
            examples=("is_fine(1)",),
            unit_tests=("@test is_fine(1) == true", "@test is_fine(2)"),
            reference_solution="is_fine(x) = x > 0",
        ),
        "asserted": a_case(unit_tests=("@assert double(22) == 44", "@test double(3) == 6")),
        "unsteady": a_case(
            name="one",
            prompt="Write `one_of(x)`.",
            examples=("one_of(1)",),
            unit_tests=(
                "seen = one_of(1)\n@test seen == 1",
                "@test seen == 1",
                "@test rand(1:10^9) != 5 && (rand(Bool) || one_of(1) == 1 && sum(rand(Bool, 9)) > 4)",
                "@test hidden_helper(1) == 2",
            ),
            reference_solution="one_of(x) = x\nhidden_helper(x) = x + 1",
        ),
    }
    return dict(zip(cases, find_mutants(list(cases.values())), strict=True)) | {
        f"case {name}": case
        for name, case in cases.items()  # type: ignore[dict-item]
    }


@pytest.fixture
def run(jury: Judge) -> Runs:
    return jury.execute_code


REPORTS: dict[tuple[str, int], StrengthReport] = {}
"""Measured once, and looked at by several tests."""


def measured(found: dict[str, Findings], name: str, run: Runs, *, repeats: int = 1) -> StrengthReport:
    if (name, repeats) not in REPORTS:
        chosen = Options(seconds=1, repeats=repeats, workers=2)
        case = found[f"case {name}"]
        REPORTS[name, repeats] = measure_case(case, found[name], run, chosen)  # type: ignore[arg-type]
    return REPORTS[name, repeats]


def after_lines(findings: Findings) -> set[str]:
    return {"\n".join(line.strip() for line in mutant.after) for mutant in findings.mutants}


# Mutants


def test_a_solution_with_all_of_julias_forms_is_printed_back_faithfully_and_still_passes(
    found: dict[str, Findings], jury: Judge
) -> None:
    findings = found["everything"]
    assert [form.line for form in findings.forms if not form.faithful] == []
    case: TestCase = found["case everything"]  # type: ignore[assignment]
    execution = jury.execute_code(findings.printed_solution, case)
    assert [block.ending for block in execution.of_kind(BlockKind.UNIT_TEST)] == [Ending.PASSED] * 2


@pytest.mark.parametrize(
    "line",
    [
        "if x <= low",  # boundary
        "if x >= low",  # negated comparison
        "elseif x < high",
    ],
)
def test_a_comparison_becomes_each_of_its_neighbours(found: dict[str, Findings], line: str) -> None:
    known = after_lines(found["strong"])
    assert line in known or line.replace("elseif x < high", "elseif x >= high") in known


@pytest.mark.parametrize(
    ("operator", "lines"),
    [
        ("other exception", 'low > high && throw(ErrorException(""))'),
        ("return nothing", "return"),
        ("dropped branch", ""),
        ("dropped statement", ""),
    ],
)
def test_statements_branches_exceptions_and_results_are_dropped(
    found: dict[str, Findings], operator: str, lines: str
) -> None:
    changed = [
        "\n".join(line.strip() for line in one.after)
        for one in found["strong"].mutants
        if one.operator == operator
    ]
    assert lines in changed


def test_the_words_of_an_error_and_the_types_of_a_signature_are_left_alone(
    found: dict[str, Findings],
) -> None:
    dropping = ("other exception", "dropped statement", "return nothing")
    kept = [mutant for mutant in found["strong"].mutants if mutant.operator not in dropping]
    assert all("an empty interval" in mutant.code for mutant in kept)
    assert all("function clamp_to(x, low, high)" in mutant.code for mutant in found["strong"].mutants)


SMALL_PROGRAMS = Path(__file__).with_name("mutants_of_small_programs.txt")


def test_small_programs_have_exactly_these_mutants() -> None:
    programs = SMALL_PROGRAMS.read_text().split("\n\n")[1:]  # the first part says what the file holds
    expected = [[line for line in text.splitlines() if line.startswith("=> ")] for text in programs]
    found = find_mutants([
        a_case(name="f", reference_solution=text.partition("\n=> ")[0], unit_tests=("@test f(1) == 1",))
        for text in programs
    ])  # fmt: skip
    assert [list(map(written, findings.mutants)) for findings in found] == expected
    (summing,) = (findings for findings in found if "s += x" in findings.forms[0].source)
    lines = {mutant.operator: mutant.line for mutant in summing.mutants}
    assert (lines["constant"], lines["arithmetic"], lines["return nothing"]) == (4, 5, 7)


def written(mutant: Mutant) -> str:
    """As a line of the file of small programs: the kind, the lines that go, and those that come."""
    before, after = ("; ".join(line.strip() for line in lines) for lines in (mutant.before, mutant.after))
    return f"=> {mutant.operator}: {before} -> {after}".rstrip()


def test_every_mutant_is_another_program_with_an_id_of_its_own(found: dict[str, Findings]) -> None:
    mutants = found["everything"].mutants
    assert len(mutants) > 50
    assert len({mutant.code for mutant in mutants}) == len({mutant.id for mutant in mutants}) == len(mutants)


def test_ids_outlast_new_code_elsewhere_other_indentation_and_comments(found: dict[str, Findings]) -> None:
    ids = {mutant.id for mutant in found["strong"].mutants}
    moved = {mutant.id: mutant for mutant in found["moved"].mutants}
    assert ids < moved.keys()
    line_of = {mutant.id: mutant.line for mutant in found["strong"].mutants}
    assert {moved[one].line - line_of[one] for one in ids} == {3}


# Strength


def test_strong_tests_kill_every_mutant_and_every_cheat(found: dict[str, Findings], run: Runs) -> None:
    report = measured(found, "strong", run)
    assert [one.mutant.after for one in report.survivors] == []
    assert report.strength == 100
    assert report.passing_cheats == ()
    assert report.unknown_names == report.unsteady == ()
    assert report.good_enough(85)


def test_weak_tests_leave_survivors_with_what_changed(found: dict[str, Findings], run: Runs) -> None:
    report = measured(found, "weak", run)
    assert report.strength is not None
    assert report.strength < 85
    assert not report.good_enough(85)
    boundary = next(one.mutant for one in report.survivors if one.mutant.after == ("    if x <= low",))
    assert (boundary.before, boundary.line) == (("    if x < low",), 4)


def test_a_test_that_no_mutant_needs_is_told(found: dict[str, Findings], run: Runs) -> None:
    report = measured(found, "strong", run)
    assert 2 in report.redundant  # the other tests notice all that it notices
    assert 6 not in report.redundant  # the only one about the exception


def test_a_mutant_that_hangs_is_killed(found: dict[str, Findings], run: Runs) -> None:
    report = measured(found, "loop", run, repeats=0)
    hanging = [one for one in report.mutants if one.timed_out]
    assert hanging
    assert {one.fate for one in hanging} == {Fate.KILLED}


def test_a_constant_that_passes_all_tests_is_told(found: dict[str, Findings], run: Runs) -> None:
    report = measured(found, "yes", run)
    assert "always true" in [cheat.name for cheat in report.passing_cheats]
    assert not report.good_enough(0)


def test_flaky_order_dependent_and_unexplained_tests_are_told(found: dict[str, Findings], run: Runs) -> None:
    report = measured(found, "unsteady", run, repeats=8)
    assert {(one.test, one.trouble.value) for one in report.unsteady} == {(1, "order"), (2, "flaky")}
    assert report.unknown_names == ((3, "hidden_helper"),)


def test_a_marked_mutant_leaves_the_count_and_false_marks_are_told(
    found: dict[str, Findings], run: Runs, tmp_path: Path
) -> None:
    plain = measured(found, "weak", run)
    survivor = plain.survivors[0].mutant.id
    killed = next(one.mutant.id for one in plain.mutants if one.fate is Fate.KILLED)
    marks = "".join(
        f'[[equivalent]]\nmutant = "{one}"\nreason = "because"\n' for one in (survivor, killed, "00000000")
    )
    (tmp_path / "equivalent_mutants.toml").write_text(marks)
    case = replace(found["case weak"], path=tmp_path / "definition.toml")  # type: ignore[type-var]
    report = measure_case(case, found["weak"], run, Options(seconds=1, repeats=0))  # type: ignore[arg-type]
    assert report.count(Fate.EQUIVALENT) == 1
    assert report.counted == plain.counted - 1
    assert (report.wrong_entries, report.stale_entries) == ((killed,), ("00000000",))


def test_a_faulty_file_of_marks_is_told_and_its_case_is_measured_without(
    found: dict[str, Findings], run: Runs, tmp_path: Path
) -> None:
    plain = measured(found, "weak", run)
    mark = f'[[equivalent]]\nmutant = "{plain.survivors[0].mutant.id}"\n'
    (tmp_path / "equivalent_mutants.toml").write_text(mark)
    case = replace(found["case weak"], path=tmp_path / "definition.toml")  # type: ignore[type-var]
    report = measure_case(case, found["weak"], run, Options(seconds=1, repeats=0))  # type: ignore[arg-type]
    (fault,) = report.faulty_entries
    assert "equivalent[0]: has no reason" in fault
    assert (report.count(Fate.EQUIVALENT), report.counted) == (0, plain.counted)
    assert not report.good_enough(0)
    save([report], tmp_path / "kept.json")
    assert load(tmp_path / "kept.json") == {}


def test_a_suite_is_measured_case_by_case_and_each_result_is_told_at_once(jury: Judge) -> None:
    right = a_case()
    blind = replace(right, name="blind", unit_tests=("@test double(0) == 0",))
    seen: list[str] = []
    reports = measure_suite(
        [right, blind],
        jury,
        Options(seconds=1, repeats=0),
        on_progress=lambda number, done, total: seen.append(f"case {number}"),
        on_report=lambda report: seen.append(report.name),
    )
    assert [report.name for report in reports] == ["double", "blind"]
    assert (reports[0].strength or 0) > (reports[1].strength or 0)
    assert seen.index("double") < seen.index("case 1") < seen.index("blind")


def test_what_an_assertion_expects_is_known_to_cheats_too(found: dict[str, Findings]) -> None:
    assert found["asserted"].expected == ("44", "6")


# The command


def test_the_command_shows_the_strength_of_a_weak_case_and_says_no(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "numbers" / "clamp_to" / "definition.toml"
    file.parent.mkdir(parents=True)
    save_definition(clamp_case(*WEAK), file)
    other = tmp_path / "badly_marked" / "clamp_to" / "definition.toml"
    other.parent.mkdir(parents=True)
    save_definition(clamp_case(*WEAK), other)
    other.with_name("equivalent_mutants.toml").write_text("[[equivalent]")
    kept = tmp_path / "strength.json"
    code = run_cli(
        [
            "validate",
            str(tmp_path),
            "--strength",
            "--json",
            "--repeats",
            "1",
            "--workers",
            "1",
            "--save",
            str(kept),
        ]
    )
    document = json.loads(capsys.readouterr().out)
    assert code == 1
    spoilt, case = document["strength"]["cases"]
    assert document["valid"]
    assert not document["strength"]["strong"]
    assert case["survived"] == len(case["survivors"]) > 0
    assert json.loads(kept.read_text())["numbers/clamp_to"]["strength"] == pytest.approx(
        case["strength"], abs=0.06
    )
    assert (spoilt["category"], case["category"]) == ("badly_marked", "numbers")
    assert "cannot be read" in spoilt["faulty_entries"][0]
