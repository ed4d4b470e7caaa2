"""Validation: the shape first, then the reference solution sits its own exam.

The judge is mostly a stand-in that answers as told: what is tested is what validation makes of the answer.
The last section asks the real one.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from codejury.cli import run
from codejury.cli.validate import as_document, exit_code, show
from codejury.errors import DefinitionError, SandboxError
from codejury.judge.judge import Judge
from codejury.records import Block, BlockKind, Ending, Execution, Extraction, Packages, TestCase
from codejury.suite.check import check_definition
from codejury.suite.load import load_definition
from codejury.suite.save import save_definition
from codejury.suite.validate import validate_all, validate_definition
from codejury.suite.validation_report import RunProblem, ValidationReport, ValidationStatus
from definition_samples import GOOD, StandInJudge, run_of, write, write_text

WALK_THROUGH = Path(__file__).parents[2] / "examples" / "create_definition.py"

FAILED_TEST = Block(
    kind=BlockKind.UNIT_TEST,
    index=1,
    ending=Ending.FAILED,
    error_type="TestFailure",
    message="Evaluated: 3 == 0",
    line=1,
)


def answering(*failures: Block, **facts: Any) -> StandInJudge:
    return StandInJudge(lambda test_case: run_of(test_case, *failures, **facts))


def the_problem(report: ValidationReport) -> RunProblem:
    (problem,) = report.problems
    assert isinstance(problem, RunProblem)
    return problem


# One definition


def test_a_definition_whose_solution_passes_everything_is_valid(tmp_path: Path) -> None:
    judge = StandInJudge()
    report = validate_definition(write(tmp_path), judge=judge)
    assert report.valid
    assert report.problems == ()
    assert report.execution is not None
    assert judge.asked == [("count_vowels", GOOD["reference_solution"])]


def test_a_failing_unit_test_is_reported_with_code_error_and_line(tmp_path: Path) -> None:
    path = write(tmp_path)
    report = validate_definition(path, judge=answering(FAILED_TEST))
    problem = the_problem(report)
    assert report.status is ValidationStatus.WARNED
    assert (problem.file, problem.field, problem.line) == (path, "unit_tests[2]", 1)
    assert problem.code == GOOD["unit_tests"][1]
    assert "line 1: TestFailure: Evaluated: 3 == 0" in problem.what


def test_every_failing_block_is_reported_and_not_only_the_first(tmp_path: Path) -> None:
    blocks = [
        Block(kind=BlockKind.EXAMPLE, index=0, ending=Ending.ERRORED, error_type="MethodError"),
        Block(kind=BlockKind.UNIT_TEST, index=0, ending=Ending.TIMED_OUT),
        FAILED_TEST,
    ]
    report = validate_definition(write(tmp_path), judge=answering(*blocks))
    assert [problem.field for problem in report.problems] == ["examples[1]", "unit_tests[1]", "unit_tests[2]"]
    assert "--timeout" in report.problems[1].repair


def test_a_block_that_was_never_reported_counts_as_failed(tmp_path: Path) -> None:
    main = Block(kind=BlockKind.MAIN, index=0, ending=Ending.PASSED)
    report = validate_definition(write(tmp_path), judge=answering(blocks=(main,)))
    assert [problem.what for problem in report.problems] == ["was not run"] * 4


def test_a_solution_that_does_not_run_is_one_problem_and_not_one_for_each_block(tmp_path: Path) -> None:
    main = Block(kind=BlockKind.MAIN, index=0, ending=Ending.ERRORED, error_type="UndefVarError", line=3)
    report = validate_definition(write(tmp_path), judge=answering(blocks=(main,), executed=False))
    problem = the_problem(report)
    assert (problem.field, problem.line) == ("reference_solution", 3)
    assert "UndefVarError" in problem.what
    assert problem.code == GOOD["reference_solution"]


def test_a_solution_that_does_not_parse_is_told_so(tmp_path: Path) -> None:
    main = Block(kind=BlockKind.MAIN, index=0, ending=Ending.ERRORED, message="unexpected end")
    judge = answering(blocks=(main,), parsed=False, executed=False)
    problem = the_problem(validate_definition(write(tmp_path), judge=judge))
    assert problem.what.startswith("does not parse")
    assert "unexpected end" in problem.what


def test_a_solution_that_tampers_with_the_judge_is_refused(tmp_path: Path) -> None:
    problem = the_problem(validate_definition(write(tmp_path), judge=answering(tampering=("== redefined",))))
    assert "== redefined" in problem.what


def test_a_missing_package_is_not_a_failure_of_the_solution(tmp_path: Path) -> None:
    main = Block(kind=BlockKind.MAIN, index=0, ending=Ending.NOT_RUN)
    judge = answering(blocks=(main,), executed=False, missing_packages=("DataFrames",))
    report = validate_definition(write(tmp_path, imports=["DataFrames"]), judge=judge)
    assert report.status is ValidationStatus.UNCHECKED
    assert not report.valid
    assert report.problems == ()
    assert report.missing_packages == ("DataFrames",)
    assert "DataFrames" in report.unchecked_because


def test_a_package_that_only_the_solution_imports_is_missing_too(tmp_path: Path) -> None:
    dropped = Extraction(rule="all", blocks_found=1, blocks_used=(0,), dropped_imports=("JSON3",))
    report = validate_definition(write(tmp_path), judge=answering(FAILED_TEST, extraction=dropped))
    assert (report.status, report.missing_packages) == (ValidationStatus.UNCHECKED, ("JSON3",))


def test_a_dropped_import_that_nothing_needs_does_no_harm(tmp_path: Path) -> None:
    dropped = Extraction(rule="all", blocks_found=1, blocks_used=(0,), dropped_imports=("JSON3",))
    assert validate_definition(write(tmp_path), judge=answering(extraction=dropped)).valid


@pytest.mark.parametrize(
    ("field", "value"), [("criteria", ["parsed", "?"]), ("reference_solution", "f() = <FILL IN: result>")]
)
def test_nothing_runs_while_there_is_an_error_or_no_solution(tmp_path: Path, field: str, value: Any) -> None:
    judge = StandInJudge()
    report = validate_definition(write(tmp_path, **{field: value}), judge=judge)
    assert [problem.field.partition("[")[0] for problem in report.problems] == [field]
    assert (judge.asked, report.execution) == ([], None)


def test_a_definition_with_warnings_runs_and_both_are_told(tmp_path: Path) -> None:
    judge = answering(FAILED_TEST)
    report = validate_definition(write(tmp_path, version=1), judge=judge)
    assert [problem.field for problem in report.problems] == ["version", "unit_tests[2]"]
    assert (report.status, len(judge.asked)) == (ValidationStatus.WARNED, 1)
    (among_many,) = validate_all([write(tmp_path, version=1)], start_judge=starting(judge))
    assert among_many == report


def test_warnings_fail_unless_only_errors_count(tmp_path: Path) -> None:
    warned = validate_definition(write(tmp_path / "a", version=1), run=False)
    wrong = validate_definition(write(tmp_path / "b", criteria=[]), run=False)
    assert (exit_code([warned]), exit_code([warned], strict=False)) == (1, 0)
    assert (exit_code([wrong]), exit_code([wrong], strict=False)) == (1, 1)
    assert as_document([warned], strict=False)["valid"]
    assert not as_document([warned, wrong], strict=False)["valid"]


def test_what_cannot_be_checked_here_stays_so_where_only_errors_count(tmp_path: Path) -> None:
    judge = answering(executed=False, missing_packages=("DataFrames",))
    report = validate_definition(write(tmp_path, version=1, imports=["DataFrames"]), judge=judge)
    (row,) = as_document([report], strict=False)["files"]
    assert (row["status"], row["valid"]) == ("warned", None)


def test_nothing_runs_if_only_the_shape_is_asked_for(tmp_path: Path) -> None:
    judge = StandInJudge()
    assert validate_definition(write(tmp_path), judge=judge, run=False).valid
    assert judge.asked == []


def test_a_test_case_in_memory_can_be_validated_too(tmp_path: Path) -> None:
    case = load_definition(write(tmp_path))
    assert validate_definition(case, judge=StandInJudge()).valid
    assert not validate_definition(case, judge=answering(FAILED_TEST)).valid


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="No such file"):
        validate_definition(tmp_path / "nowhere.toml", judge=StandInJudge())


# Many definitions


def suite(root: Path, *names: str) -> list[Path]:
    case = load_definition(write(root / "seed"))
    paths = [root / "suite" / "text_processing" / name / "definition.toml" for name in names]
    for name, path in zip(names, paths, strict=True):
        save_definition(TestCase(**{**fields_of(case), "name": name, "prompt": f"Write {name}."}), path)
    return paths


def fields_of(case: TestCase) -> dict[str, Any]:
    return {name: getattr(case, name) for name in TestCase.__dataclass_fields__ if name != "path"}


def starting(judge: StandInJudge) -> Callable[[int, Sequence[str]], StandInJudge]:
    return lambda workers, packages: judge


def test_one_judge_runs_all_and_the_order_of_the_files_is_kept(tmp_path: Path) -> None:
    paths = suite(tmp_path, "alpha", "beta", "gamma")
    judge, started, progress = StandInJudge(), [], []

    def start(workers: int, packages: Sequence[str]) -> StandInJudge:
        started.append(workers)
        return judge

    reports = validate_all(
        [tmp_path / "suite"], start_judge=start, on_progress=lambda done, of: progress.append((done, of))
    )
    assert [report.path for report in reports] == paths
    assert sorted(name for name, _ in judge.asked) == ["alpha", "beta", "gamma"]
    assert len(started) == 1
    assert 1 <= started[0] <= 3
    assert judge.closed
    assert progress == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_file_named_twice_is_validated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path,) = suite(tmp_path, "alpha")
    monkeypatch.chdir(path.parent)
    judge = StandInJudge()
    reports = validate_all([Path("definition.toml"), path, path.parent], start_judge=starting(judge))
    assert (len(reports), len(judge.asked)) == (1, 1)


def test_good_files_run_though_others_are_bad_unreadable_or_missing(tmp_path: Path) -> None:
    (good,) = suite(tmp_path, "alpha")
    bad = write(tmp_path / "bad", criteria=[])
    broken = write_text(tmp_path / "broken", "[code_generation")
    judge = StandInJudge()
    reports = validate_all([bad, broken, tmp_path / "nowhere", good], start_judge=starting(judge))
    assert [report.status.value for report in reports] == ["invalid", "unreadable", "unreadable", "valid"]
    assert [name for name, _ in judge.asked] == ["alpha"]
    assert exit_code(reports) == 2


def test_no_judge_is_started_where_there_is_nothing_to_run(tmp_path: Path) -> None:
    def start(workers: int, packages: Sequence[str]) -> StandInJudge:
        raise AssertionError("started for nothing")

    validate_all([write(tmp_path, criteria=[])], start_judge=start)
    validate_all([write(tmp_path)], start_judge=start, run=False)


def test_a_broken_sandbox_leaves_one_file_unchecked_and_the_others_alone(tmp_path: Path) -> None:
    suite(tmp_path, "alpha", "beta")

    def answer(test_case: TestCase) -> Execution:
        if test_case.name == "alpha":
            raise SandboxError("the worker died twice")
        return run_of(test_case)

    alpha, beta = validate_all([tmp_path / "suite"], start_judge=starting(StandInJudge(answer)))
    assert (alpha.status, alpha.unchecked_because) == (ValidationStatus.UNCHECKED, "the worker died twice")
    assert beta.valid
    assert exit_code([alpha, beta]) == 1


class BrokenJudge(StandInJudge):
    @property
    def level(self) -> str:
        raise SandboxError("no sandbox can be had")


def test_a_judge_that_cannot_start_is_one_error_and_not_one_for_each_file(tmp_path: Path) -> None:
    suite(tmp_path, "alpha", "beta")
    judge = BrokenJudge()
    with pytest.raises(SandboxError, match="no sandbox can be had"):
        validate_all([tmp_path / "suite"], start_judge=starting(judge))
    assert (judge.asked, judge.closed) == ([], True)


def test_the_judge_is_told_which_packages_the_definitions_import(tmp_path: Path) -> None:
    told: list[str] = []

    def start(workers: int, packages: Packages) -> StandInJudge:
        told.extend(packages.names)
        return StandInJudge()

    write(tmp_path / "one", imports=["Dates", "Test"])
    write(tmp_path / "two", imports=["Base.Threads", "Dates"])
    validate_all([tmp_path], start_judge=start)
    assert told == ["Base.Threads", "Dates", "Test"]


def test_an_interrupt_ends_the_validation_and_closes_the_judge(tmp_path: Path) -> None:
    suite(tmp_path, "alpha", "beta")

    def answer(test_case: TestCase) -> Execution:
        raise KeyboardInterrupt

    judge = StandInJudge(answer)
    with pytest.raises(KeyboardInterrupt):
        validate_all([tmp_path / "suite"], start_judge=starting(judge))
    assert judge.closed


def test_the_bundled_suite_is_the_default() -> None:
    reports = validate_all([], start_judge=starting(StandInJudge()), run=False)
    assert len(reports) >= 6
    assert exit_code(reports) == 0


# The command line


class Shown(NamedTuple):
    exit_code: int
    stdout: str
    stderr: str


@pytest.fixture
def codejury(capsys: pytest.CaptureFixture[str]) -> Callable[..., Shown]:
    """Run a command line and tell how it ended."""

    def run_line(*arguments: object) -> Shown:
        code = run([str(argument) for argument in arguments])
        return Shown(code, *capsys.readouterr())

    return run_line


def test_a_valid_file_takes_one_line_and_exit_code_0(tmp_path: Path, codejury: Callable[..., Shown]) -> None:
    path = write(tmp_path)
    result = codejury("validate", "--no-run", path)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [f"valid  {path}", "1 definition: 1 valid"]
    assert result.stderr == ""


def test_problems_stand_below_their_file_and_the_exit_code_is_1(
    tmp_path: Path, codejury: Callable[..., Shown]
) -> None:
    result = codejury("validate", "--no-run", write(tmp_path, version=1, imports=["?"], unit_tests=["f()"]))
    assert result.exit_code == 1
    for line in ("not valid", "  version: is an integer, must be a string", '    -> put it in quotes: "1"'):
        assert line in result.stdout
    assert "  warning  unit_tests[1]: holds no @test" in result.stdout
    assert "  error  imports[1]: '?' is not a package or module" in result.stdout
    assert "f()" in result.stdout


def test_warnings_are_marked_and_fail_but_not_with_no_strict(
    tmp_path: Path, codejury: Callable[..., Shown]
) -> None:
    path = write(tmp_path, unit_tests=["@test true", "@test true"])
    strict = codejury("validate", "--no-run", path)
    lenient = codejury("validate", "--no-run", path, "--no-strict")
    first, second = strict.stdout.splitlines()[:2]
    assert first == f"with warnings  {path}"
    assert second == "  warning  unit_tests[2]: is the same as unit_tests[1]"
    assert strict.stdout.endswith("1 definition: 1 with warnings\n")
    assert (strict.exit_code, lenient.exit_code, lenient.stdout) == (1, 0, strict.stdout)


@pytest.mark.parametrize("text", ["[code_generation", b"\xff", None])
def test_what_cannot_be_read_gives_exit_code_2_and_no_traceback(
    tmp_path: Path, text: str | bytes | None, codejury: Callable[..., Shown]
) -> None:
    path = tmp_path / "nowhere.toml" if text is None else write_text(tmp_path, text)
    result = codejury("validate", "--no-run", path)
    assert result.exit_code == 2
    assert "cannot be read" in result.stdout


def test_a_test_case_of_the_suite_is_found_by_its_name(codejury: Callable[..., Shown]) -> None:
    for name in ("wrap_words", "strings_and_text/wrap_words"):
        result = codejury("validate", "--no-run", name)
        assert result.exit_code == 0
        assert "strings_and_text/wrap_words/definition.toml" in result.stdout
        assert "1 definition: 1 valid" in result.stdout
    wrong = codejury("validate", "--no-run", "wrap_wrds")
    assert wrong.exit_code == 2
    assert "did you mean `strings_and_text/wrap_words`?" in wrong.stdout


def test_the_json_form_is_one_document_with_every_problem(
    tmp_path: Path, codejury: Callable[..., Shown]
) -> None:
    path = write(tmp_path, version=1)
    result = codejury("validate", "--no-run", "--json", path, tmp_path / "nowhere")
    assert result.exit_code == 2
    document = json.loads(result.stdout)
    first, second = document["files"]
    assert document["valid"] is False
    assert (first["path"], first["valid"], first["missing_packages"]) == (str(path), False, [])
    assert first["problems"][0]["field"] == "version"
    assert set(first["problems"][0]) == {"severity", "field", "what", "repair", "code", "line"}
    assert (first["status"], first["problems"][0]["severity"]) == ("warned", "warning")
    assert second["status"] == "unreadable"


def test_a_failing_block_is_shown_with_its_code_and_the_failing_line_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, unit_tests=["@test true", "x = 1\n@test f(x) == [2]"])
    block = Block(kind=BlockKind.UNIT_TEST, index=1, ending=Ending.FAILED, message="3 == [2]", line=2)
    show([validate_definition(path, judge=answering(block))])
    shown = capsys.readouterr().out
    assert "unit_tests[2]: the reference solution fails it, line 2: 3 == [2]" in shown
    assert "        1 x = 1\n    >   2 @test f(x) == [2]\n" in shown


def test_a_missing_package_is_shown_as_such_in_both_forms(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = answering(executed=False, missing_packages=("DataFrames",))
    report = validate_definition(write(tmp_path, imports=["DataFrames"]), judge=judge)
    show([report])
    shown = capsys.readouterr().out
    assert shown.startswith("cannot be checked here")
    assert "DataFrames" in shown
    assert exit_code([report]) == 1
    (row,) = as_document([report])["files"]
    assert (row["valid"], row["missing_packages"], row["problems"]) == (None, ["DataFrames"], [])


def test_text_from_a_file_cannot_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "\x1b[2J[bold]x"
    changes = {"prompt": f"<FILL IN {evil}>", "unit_tests": [evil], evil: 1}
    show([validate_definition(write(tmp_path, **changes), run=False)])
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert shown.count("[bold]x") == 3


# The walk-through


def test_the_walk_through_goes_from_a_draft_to_a_validated_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = importlib.util.spec_from_file_location("create_definition", WALK_THROUGH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path = module.main(tmp_path, StandInJudge())
    told = capsys.readouterr().out
    assert load_definition(path).name == "run_lengths"
    assert "unit_tests[1]: holds no @test" in told
    assert "examples 2 of 2, unit tests 3 of 3" in told
    assert f"valid: {path}" in told


# The real judge


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge() as started:
        yield started


def test_a_good_definition_passes_its_own_exam(tmp_path: Path, judge: Judge) -> None:
    report = validate_definition(write(tmp_path), judge=judge)
    assert report.problems == ()
    assert report.valid
    assert report.execution is not None
    assert report.execution.unit_tests_passed == len(GOOD["unit_tests"])


def test_each_wrong_block_of_a_real_run_is_shown_with_error_and_line(tmp_path: Path, judge: Judge) -> None:
    tests = ['@test count_vowels("a") == 1', 'n = count_vowels("ab")\n@test n == 2']
    path = write(tmp_path, examples=['count_vowels("a")', "x = 1\nno_such_function(x)"], unit_tests=tests)
    example, test = validate_definition(path, judge=judge).problems
    assert isinstance(example, RunProblem)
    assert isinstance(test, RunProblem)
    assert (example.field, example.line, test.field, test.line) == ("examples[2]", 2, "unit_tests[2]", 2)
    assert "no_such_function" in example.what
    assert "1 == 2" in test.what
    assert test.code == tests[1]


def test_a_real_missing_package_leaves_the_definition_unchecked(tmp_path: Path, judge: Judge) -> None:
    path = write(tmp_path, imports=["Dates", "NoSuchPackageAnywhere"])
    report = validate_definition(path, judge=judge)
    assert (report.status, report.missing_packages) == (
        ValidationStatus.UNCHECKED,
        ("NoSuchPackageAnywhere",),
    )


@pytest.mark.parametrize(
    ("solution", "what"),
    [("count_vowels(text) = (", "does not parse"), ('x = 1\nerror("not today")', "not today")],
)
def test_a_solution_that_fails_for_real_is_one_problem(
    tmp_path: Path, judge: Judge, solution: str, what: str
) -> None:
    problem = the_problem(validate_definition(write(tmp_path, reference_solution=solution), judge=judge))
    assert problem.field == "reference_solution"
    assert what in problem.what


def test_the_command_runs_the_bundled_suite_and_all_of_it_is_valid(codejury: Callable[..., Shown]) -> None:
    shown = codejury("validate", "--json")
    document = json.loads(shown.stdout)
    assert [row for row in document["files"] if row["valid"] is False] == []
    assert all(row["missing_packages"] for row in document["files"] if row["valid"] is None)
    assert (shown.exit_code, len(document["files"]) >= 60) == (0, True)


def test_the_command_shows_what_a_real_run_brought_to_light(
    tmp_path: Path, codejury: Callable[..., Shown]
) -> None:
    shown = codejury("validate", write(tmp_path, unit_tests=['@test count_vowels("a") == 2']))
    assert shown.exit_code == 1
    assert "unit_tests[1]: the reference solution fails it, line 1" in shown.stdout
    assert '    >   1 @test count_vowels("a") == 2' in shown.stdout


def test_the_walk_through_runs_as_a_script(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, WALK_THROUGH, tmp_path], capture_output=True, text=True, check=False
    )
    assert ran.stderr == ""
    assert ran.returncode == 0
    assert "examples 2 of 2, unit tests 3 of 3" in ran.stdout
    assert f"valid: {tmp_path}" in ran.stdout


def test_a_missing_package_fails_no_validation_in_which_others_were_checked() -> None:
    valid = ValidationReport(path=Path("a"))
    lacking = ValidationReport(path=Path("b"), missing_packages=("X",), unchecked_because="not installed: X")
    broken = ValidationReport(path=Path("c"), unchecked_because="the sandbox failed")
    assert exit_code([valid, lacking]) == 0
    assert exit_code([lacking]) == 1
    assert exit_code([valid, broken]) == 1


# Given code


GIVEN = {
    "kind": "fix",
    "given": 'const VOWELS = "aeiou"\ncount_vowels(text) = count(in(VOWELS), text)\n',
    "unit_tests": ['@test count_vowels("Julia") == 3', '@test count_vowels("AEIOU") == 5'],
    "reference_solution": "count_vowels(text) = count(in(VOWELS), lowercase(text))\n",
}


@pytest.fixture(scope="module")
def real_judge() -> Iterator[Judge]:
    with Judge() as judge:
        yield judge


def test_a_fault_in_given_code_that_a_unit_test_shows_makes_a_good_case(tmp_path, real_judge):
    assert validate_definition(write(tmp_path, **GIVEN), judge=real_judge).problems == ()


def test_given_code_that_passes_every_unit_test_leaves_nothing_to_do(tmp_path, real_judge):
    path = write(tmp_path, **GIVEN | {"unit_tests": GIVEN["unit_tests"][:1]})
    (problem,) = validate_definition(path, judge=real_judge).problems
    assert (problem.field, problem.what) == (
        "given", "passes all 1 unit tests by itself, so there is nothing left to do"
    )  # fmt: skip
    assert "put a fault into it" in problem.repair


def test_given_code_that_does_not_run_is_told_with_its_line(tmp_path, real_judge):
    path = write(tmp_path, **GIVEN | {"given": "const VOWELS = 1\nmissing_function()\n"})
    (problem,) = validate_definition(path, judge=real_judge).problems
    assert problem.field == "given"
    assert "fails in line 2: UndefVarError" in problem.what


def test_a_definition_for_a_newer_julia_cannot_be_checked_here(tmp_path, real_judge):
    report = validate_definition(write(tmp_path, **GIVEN | {"julia": "99.0"}), judge=real_judge)
    assert report.status is ValidationStatus.UNCHECKED
    assert report.unchecked_because.startswith("needs Julia 99.0, and this is ")


@pytest.mark.parametrize("kind", ["fix", "extend", "speed"])
def test_a_kind_that_works_on_code_needs_given_code(tmp_path, kind):
    (problem,) = check_definition(write(tmp_path, kind=kind))
    assert problem.field == "kind"
    assert "there is none in given" in problem.what
