"""The solutions beside a definition: right ones have to pass everything, wrong ones must not.

The judge is mostly a stand-in that knows which code fails where; the last section asks the real one.
"""

from __future__ import annotations

import json
import shutil
import threading
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codejury.cli import run as run_cli
from codejury.cli.validate import as_document, exit_code, show
from codejury.errors import SandboxError, Severity
from codejury.judge.judge import Judge
from codejury.records import CANARY, Block, BlockKind, Ending, Execution, Extraction, TestCase
from codejury.store.scan import find_samples
from codejury.suite import requirements as bars
from codejury.suite.load import load_definition
from codejury.suite.requirements import CANARY_LINE, below_bars
from codejury.suite.submissions import read_submissions
from codejury.suite.suite import bundled_suite, find_definitions
from codejury.suite.validate import validate_all, validate_definition
from codejury.suite.validation_report import RunProblem, ValidationReport, ValidationStatus
from definition_samples import GOOD, StandInJudge, run_of, write

FAILED_TEST = Block(
    kind=BlockKind.UNIT_TEST,
    index=1,
    ending=Ending.FAILED,
    error_type="TestFailure",
    message="3 == 0",
    line=1,
)
FAILED_EXAMPLE = Block(kind=BlockKind.EXAMPLE, index=0, ending=Ending.ERRORED, error_type="MethodError")
REFERENCE = GOOD["reference_solution"]
RIGHT, WRONG = "f() = 1  # right\n", "f() = 2  # wrong\n"


class KnowingJudge(StandInJudge):
    """Knows how each code does; code it does not know passes everything."""

    def __init__(self, *, raising: str = "", **facts: dict[str, Any]) -> None:
        super().__init__()
        self.raising = raising
        self.facts = facts

    def execute_code(
        self, code: str, test_case: TestCase, seconds: float | None = None, *, measure: bool = False
    ) -> Execution:
        super().execute_code(code, test_case)
        if code == self.raising:
            raise SandboxError("the worker died twice")
        known = self.facts.get({RIGHT: "right", WRONG: "wrong", REFERENCE: "reference"}.get(code, ""), {})
        return run_of(
            test_case, *known.get("failures", ()), **{k: v for k, v in known.items() if k != "failures"}
        )

    @property
    def codes(self) -> list[str]:
        return [code for _, code in self.asked]


FAILS: dict[str, Any] = {"failures": (FAILED_TEST,)}


def keep(definition: Path, place: str, text: str | bytes) -> Path:
    """A file below the submissions of a definition."""
    path = definition.parent / "submissions" / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.fixture
def definition(tmp_path: Path) -> Path:
    """A definition with one right and one wrong submission."""
    path = write(tmp_path)
    keep(path, "accepted/other.jl", RIGHT)
    keep(path, "wrong_answer/bad.jl", WRONG)
    return path


def starting(judge: StandInJudge) -> Callable[[int, Sequence[str]], StandInJudge]:
    return lambda workers, packages: judge


def both_ways(definition: Path, judge: KnowingJudge) -> ValidationReport:
    """Validate a file by itself and among many: both have to say the same."""
    alone = validate_definition(definition, judge=judge)
    (among_many,) = validate_all([definition], start_judge=starting(judge))
    assert alone == among_many
    return alone


# What their runs say


def test_a_definition_whose_right_one_passes_and_wrong_one_fails_is_valid(definition: Path) -> None:
    judge = KnowingJudge(wrong=FAILS)
    report = both_ways(definition, judge)
    assert report.valid
    assert [(one.name, one.kind, one.ok, one.passed, one.listed) for one in report.submissions] == [
        ("other.jl", "accepted", True, 2, 2),
        ("bad.jl", "wrong_answer", True, 1, 2),
    ]
    assert judge.codes[:3] == [REFERENCE, RIGHT, WRONG]


def test_each_block_that_a_right_one_fails_is_a_problem_of_its_file(definition: Path) -> None:
    judge = KnowingJudge(right={"failures": (FAILED_EXAMPLE, FAILED_TEST)}, wrong=FAILS)
    example, test = both_ways(definition, judge).problems
    assert isinstance(test, RunProblem)
    assert test.file == definition.parent / "submissions" / "accepted" / "other.jl"
    assert example.field == test.field == "submissions/accepted/other.jl"
    assert example.what == "examples[1]: the submission raises an exception: MethodError"
    assert test.what == "unit_tests[2]: the submission fails it, line 1: TestFailure: 3 == 0"
    assert (test.code, test.line) == (GOOD["unit_tests"][1], 1)
    assert "fix the submission" in test.repair


def test_a_right_one_that_does_not_run_is_one_problem_with_its_own_code(definition: Path) -> None:
    main = Block(kind=BlockKind.MAIN, index=0, ending=Ending.ERRORED, error_type="UndefVarError", line=1)
    judge = KnowingJudge(right={"blocks": (main,), "executed": False}, wrong=FAILS)
    (problem,) = both_ways(definition, judge).problems
    assert problem.code == RIGHT
    assert "UndefVarError" in problem.what


def test_a_wrong_one_that_passes_all_unit_tests_is_a_problem(definition: Path) -> None:
    report = both_ways(definition, KnowingJudge())
    (problem,) = report.problems
    assert report.status is ValidationStatus.WARNED
    assert (problem.field, problem.code) == ("submissions/wrong_answer/bad.jl", WRONG)
    assert problem.what.startswith("passes all 2 unit tests")
    assert "add a unit test that it fails" in problem.repair


def test_a_wrong_one_that_fails_only_an_example_still_needs_a_unit_test(definition: Path) -> None:
    judge = KnowingJudge(wrong={"failures": (FAILED_EXAMPLE,)})
    assert [problem.field for problem in both_ways(definition, judge).problems] == [
        "submissions/wrong_answer/bad.jl"
    ]


def test_a_test_that_the_definition_does_not_list_cannot_make_up_for_a_failed_one(definition: Path) -> None:
    unlisted = Block(kind=BlockKind.UNIT_TEST, index=7, ending=Ending.PASSED)
    report = both_ways(definition, KnowingJudge(wrong={"failures": (FAILED_TEST, unlisted)}))
    assert report.valid
    assert report.submissions[1].passed == 1


def test_a_wrong_one_that_tampers_with_the_judge_passes_nothing(definition: Path) -> None:
    report = both_ways(definition, KnowingJudge(wrong={"tampering": ("== redefined",)}))
    assert report.valid
    assert report.submissions[1].passed == 0


def test_a_right_one_that_tampers_with_the_judge_is_refused(definition: Path) -> None:
    report = both_ways(definition, KnowingJudge(right={"tampering": ("== redefined",)}, wrong=FAILS))
    assert ["== redefined" in problem.what for problem in report.problems] == [True]


def test_nothing_else_runs_if_the_reference_solution_fails(definition: Path) -> None:
    judge = KnowingJudge(reference=FAILS)
    report = both_ways(definition, judge)
    assert [problem.field for problem in report.problems] == ["unit_tests[2]"]
    assert report.submissions == ()
    assert set(judge.codes) == {REFERENCE}


@pytest.mark.parametrize(
    ("kind", "failure"), [("right", FAILED_TEST), ("wrong", FAILED_TEST), ("wrong", FAILED_EXAMPLE)]
)
def test_a_submission_that_lacks_a_package_leaves_the_definition_unchecked(
    definition: Path, kind: str, failure: Block
) -> None:
    dropped = Extraction(rule="all", blocks_found=1, blocks_used=(0,), dropped_imports=("JSON3",))
    lacking = {"failures": (failure,), "extraction": dropped}
    report = both_ways(definition, KnowingJudge(**{"wrong": FAILS, kind: lacking}))
    assert (report.status, report.missing_packages) == (ValidationStatus.UNCHECKED, ("JSON3",))
    assert [one.ok for one in report.submissions].count(None) == 1


def test_a_sandbox_that_breaks_on_a_submission_leaves_the_file_unchecked(definition: Path) -> None:
    judge = KnowingJudge(raising=RIGHT, wrong=FAILS)
    (report,) = validate_all([definition], start_judge=starting(judge))
    assert report.status is ValidationStatus.UNCHECKED
    assert report.unchecked_because == "submissions/accepted/other.jl: the worker died twice"


class TimingJudge(KnowingJudge):
    """Remembers the limit that each code got, and takes so many seconds for each part of the reference."""

    def __init__(self, seconds: float) -> None:
        super().__init__(wrong=FAILS)
        self.seconds = seconds
        self.limits: dict[str, float | None] = {}

    def execute_code(
        self, code: str, test_case: TestCase, seconds: float | None = None, *, measure: bool = False
    ) -> Execution:
        self.limits[code] = seconds
        execution = super().execute_code(code, test_case)
        return replace(execution, blocks=tuple(replace(b, seconds=self.seconds) for b in execution.blocks))


def test_a_wrong_submission_has_a_shorter_limit_that_grows_with_the_time_of_the_solution(
    definition: Path,
) -> None:
    quick, slow = TimingJudge(0.01), TimingJudge(3.0)
    assert validate_definition(definition, judge=quick).valid
    assert validate_definition(definition, judge=slow).valid
    assert quick.limits == {REFERENCE: None, RIGHT: None, WRONG: 2.0}
    assert slow.limits[WRONG] == 15.0


class ForgetfulJudge(KnowingJudge):
    """Fails the wrong submission but for one run, by luck."""

    def __init__(self, lucky_run: int = 0) -> None:
        super().__init__()
        self.lucky_run = lucky_run
        self.setups: list[str] = []
        self.one_at_a_time = threading.Lock()  # submissions run side by side

    def execute_code(
        self, code: str, test_case: TestCase, seconds: float | None = None, *, measure: bool = False
    ) -> Execution:
        with self.one_at_a_time:
            self.setups += [test_case.unit_tests_setup] if code == WRONG else []
            lucky = self.codes.count(WRONG) + 1 == self.lucky_run
            self.facts = {} if code == WRONG and lucky else {"wrong": FAILS}
            return super().execute_code(code, test_case)


def test_a_wrong_submission_that_passes_everything_in_one_of_its_runs_is_told(definition: Path) -> None:
    (report,) = validate_all([definition], start_judge=starting(ForgetfulJudge(3)), repeats=4)
    assert report == validate_definition(definition, judge=ForgetfulJudge(3), repeats=4)
    (problem,) = report.problems
    assert problem.field == "submissions/wrong_answer/bad.jl"
    assert problem.what.endswith("unit tests, though it is meant to be wrong (in run 3)")
    assert validate_definition(definition, judge=ForgetfulJudge(3), repeats=2).valid


def test_each_submission_runs_as_often_as_asked_and_each_time_with_other_random_numbers(
    definition: Path,
) -> None:
    judge = ForgetfulJudge()
    assert validate_definition(definition, judge=judge, repeats=3).valid
    assert (judge.codes.count(RIGHT), judge.codes.count(WRONG), judge.codes.count(REFERENCE)) == (3, 3, 1)
    assert len(set(judge.setups)) == 3


@pytest.mark.parametrize(
    ("options", "repeats"),
    [([], 1), (["--repeats", "7"], 7), (["--strength"], 5), (["--strength", "--repeats", "7"], 7)],
)
def test_the_command_runs_submissions_once_unless_it_looks_for_flaky_tests(
    monkeypatch: pytest.MonkeyPatch, options: list[str], repeats: int
) -> None:
    asked: list[int] = []

    def note(paths: object, *, repeats: int, **others: object) -> list[ValidationReport]:
        asked.append(repeats)
        return []

    monkeypatch.setattr("codejury.suite.validate.validate_all", note)
    run_cli(["validate", *options])
    assert asked == [repeats]


def test_submissions_count_in_the_progress_until_it_is_known_that_they_will_not_run(tmp_path: Path) -> None:
    keep(write(tmp_path / "one"), "accepted/other.jl", RIGHT)
    keep(write(tmp_path / "two", reference_solution="g() = 1"), "accepted/other.jl", RIGHT)
    progress: list[tuple[int, int]] = []

    def note(done: int, of: int) -> None:
        progress.append((done, of))

    validate_all([tmp_path], start_judge=starting(KnowingJudge()), on_progress=note)
    assert progress == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    progress.clear()
    validate_all([tmp_path], start_judge=starting(KnowingJudge(reference=FAILS)), on_progress=note)
    assert progress == [(0, 4), (1, 4), (2, 4), (3, 3)]


# Their files


@pytest.mark.parametrize(
    ("place", "text", "what"),
    [
        ("accepted/none.jl", "", "holds no code"),
        ("accepted/none.jl", "# nothing\n\n", "holds no code"),
        ("wrong_answer/latin.jl", b"f() = 1\n# \xff", "line 2 is not UTF-8 (byte 0xff)"),
        ("accepted/notes.md", "text", "is not a submission"),
        ("accepted/more", None, "is not a submission"),
        ("accepted/more.jl", None, "is not a submission"),
        ("accepted", "text", "is not a folder"),
        ("rejected", None, "is not a folder of submissions"),
        ("stray.jl", RIGHT, "is not a folder of submissions"),
    ],
)
def test_what_does_not_belong_there_is_a_fault_of_the_shape(
    tmp_path: Path, place: str, text: str | bytes | None, what: str
) -> None:
    path = write(tmp_path)
    if text is None:
        (path.parent / "submissions" / place).mkdir(parents=True)
    else:
        keep(path, place, text)
    (problem,) = validate_definition(path, run=False).problems
    assert (problem.field, problem.what) == (f"submissions/{place}", what)
    assert problem.repair


def test_a_file_in_the_place_of_the_folder_is_a_fault(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.with_name("submissions").write_text("text", encoding="utf-8")
    (problem,) = validate_definition(path, run=False).problems
    assert (problem.field, problem.what) == ("submissions", "is not a folder")


def test_a_link_to_nowhere_cannot_be_read(definition: Path) -> None:
    link = definition.parent / "submissions" / "accepted" / "gone.jl"
    link.symlink_to("nowhere.jl")
    (problem,) = validate_definition(definition, run=False).problems
    assert (problem.field, problem.file) == ("submissions/accepted/gone.jl", link)
    assert "No such file" in problem.what


def test_faults_of_both_the_definition_and_its_submissions_are_told_and_nothing_runs(tmp_path: Path) -> None:
    path = write(tmp_path, criteria=[])
    keep(path, "accepted/none.jl", "")
    judge = KnowingJudge()
    report = both_ways(path, judge)
    assert [problem.field for problem in report.problems] == ["criteria", "submissions/accepted/none.jl"]
    assert judge.asked == []


def test_a_submission_that_cannot_be_read_is_a_warning_and_the_others_run(definition: Path) -> None:
    keep(definition, "accepted/none.jl", "")
    judge = KnowingJudge(wrong=FAILS)
    report = both_ways(definition, judge)
    assert [problem.field for problem in report.problems] == ["submissions/accepted/none.jl"]
    assert (report.status, [one.ok for one in report.submissions]) == (ValidationStatus.WARNED, [True, True])


def test_hidden_files_and_missing_folders_do_no_harm(tmp_path: Path) -> None:
    path = write(tmp_path)
    keep(path, ".gitkeep", "")
    keep(path, "accepted/.DS_Store", b"\0")
    assert read_submissions(path) == ([], [])
    assert read_submissions(path.parent) == ([], [])


def test_nothing_below_submissions_is_taken_for_a_definition_or_a_stored_answer(
    definition: Path, tmp_path: Path
) -> None:
    shutil.copy(definition, definition.parent / "submissions" / "accepted")
    assert find_definitions(tmp_path) == [definition]
    assert list(find_samples(tmp_path)) == []


# Submissions for a newer Julia

MODERN = "# With a function that came later.\n# Needs: Julia 1.9.\nf() = stack([1])\n"


def test_a_submission_for_a_newer_julia_is_left_out_and_the_definition_stays_valid(
    definition: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(definition, "accepted/modern.jl", MODERN)
    judge = KnowingJudge(wrong=FAILS)
    report = both_ways(definition, judge)
    assert report.valid
    assert MODERN not in judge.codes
    (modern,) = [one for one in report.submissions if one.name == "modern.jl"]
    assert (modern.ok, modern.left_out_because) == (None, "needs Julia 1.9, and this is 1.5.3")
    show([report])
    assert "1 accepted, 1 wrong submissions, 1 for a newer Julia left out)" in capsys.readouterr().out


def test_it_runs_where_julia_is_new_enough(definition: Path) -> None:
    keep(definition, "accepted/modern.jl", MODERN)
    new = {"julia_version": "1.9.0"}
    judge = KnowingJudge(wrong=FAILS | new, reference=new, right=new)
    report = both_ways(definition, judge)
    assert [one.ok for one in report.submissions] == [True, True, True]
    assert MODERN in judge.codes


def test_only_the_comment_at_the_top_says_which_julia_is_needed(definition: Path) -> None:
    keep(definition, "accepted/late.jl", f"# In one line.\n{RIGHT}# Needs: Julia 1.9\n")
    submissions, _ = read_submissions(definition)
    assert [one.julia for one in submissions] == ["", "", ""]


# The command line


def test_a_valid_file_tells_what_was_run(definition: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(definition, "wrong_answer/worse.jl", WRONG)
    show([validate_definition(definition, judge=KnowingJudge(wrong=FAILS))])
    assert f"{definition} (2 tests, 1 accepted, 2 wrong submissions)\n" in capsys.readouterr().out
    shutil.rmtree(definition.parent / "submissions" / "wrong_answer")
    show([validate_definition(definition, judge=KnowingJudge())])
    assert f"{definition} (2 tests, 1 accepted submission)\n" in capsys.readouterr().out


def test_a_failing_submission_is_shown_with_field_error_and_code(
    definition: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = validate_definition(definition, judge=KnowingJudge(right=FAILS, wrong=FAILS))
    show([report])
    shown = capsys.readouterr().out
    assert "  submissions/accepted/other.jl: unit_tests[2]: the submission fails it, line 1" in shown
    assert f"    >   1 {GOOD['unit_tests'][1]}" in shown
    assert " accepted," not in shown
    assert exit_code([report]) == 1


def test_the_json_form_lists_the_submissions(definition: Path) -> None:
    report = validate_definition(definition, judge=KnowingJudge(wrong=FAILS))
    (row,) = json.loads(json.dumps(as_document([report])))["files"]
    assert row["submissions"] == [
        {
            "name": "other.jl",
            "kind": "accepted",
            "ok": True,
            "passed": 2,
            "listed": 2,
            "left_out_because": "",
        },
        {
            "name": "bad.jl",
            "kind": "wrong_answer",
            "ok": True,
            "passed": 1,
            "listed": 2,
            "left_out_because": "",
        },
    ]


# The bars of the bundled suite


@pytest.fixture
def bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A definition of the bundled suite that meets every bar."""
    tests = [f"@test count_vowels(string({number})) == 0" for number in range(6)]
    path = write(tmp_path / "suite", examples=["f(1)", "f(2)", "f(3)"], unit_tests=tests)
    path.write_text(f"{CANARY_LINE}\n# After: letters of both cases.\n{path.read_text()}", encoding="utf-8")
    keep(path, "accepted/other.jl", f"# In one line.\n{RIGHT}")
    keep(path, "wrong_answer/bad.jl", f"# == is turned around.\n{WRONG}")
    keep(path, "wrong_answer/worse.jl", f"#counts the consonants\n{WRONG}")
    monkeypatch.setattr(bars, "bundled_suite", lambda: tmp_path / "suite")
    return path


def below_the_bar(path: Path) -> tuple[str, str]:
    """The one bar that is missed, and how it is told."""
    (problem,) = validate_definition(path, run=False).problems
    assert problem.severity is Severity.WARNING
    return problem.field, f"{problem.what} ({problem.repair})"


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_case_that_meets_every_bar_is_valid(bundled: Path) -> None:
    assert validate_definition(bundled, run=False).valid


@pytest.mark.parametrize(
    ("old", "new", "field", "told"),
    [
        (', "f(3)"', "", "examples", "there are 2, at least 3 are needed"),
        (', "@test count_vowels(string(5)) == 0"', "", "unit_tests", "there are 5, at least 6 are needed"),
        ("# After", "# About", "# After", "no comment at the top says what the case is after"),
        (CANARY, "1234", "canary", f"put this line at the top: {CANARY_LINE}"),
    ],
)
def test_each_bar_of_the_definition_is_checked(
    bundled: Path, old: str, new: str, field: str, told: str
) -> None:
    change(bundled, old, new)
    assert below_the_bar(bundled)[0] == field
    assert told in below_the_bar(bundled)[1]


def test_each_bar_of_the_submissions_is_checked(bundled: Path) -> None:
    (bundled.parent / "submissions" / "accepted" / "other.jl").unlink()
    assert below_the_bar(bundled)[0] == "submissions/accepted"
    keep(bundled, "accepted/other.jl", RIGHT)
    assert below_the_bar(bundled) == (
        "submissions/accepted/other.jl",
        "the first line does not say what is different (begin with a comment that does)",
    )
    keep(bundled, "accepted/other.jl", f"# In one line.\n{RIGHT}")
    keep(bundled, "wrong_answer/bad.jl", f"#\n{WRONG}")
    assert below_the_bar(bundled)[0] == "submissions/wrong_answer/bad.jl"
    (bundled.parent / "submissions" / "wrong_answer" / "bad.jl").unlink()
    assert below_the_bar(bundled)[1].startswith("there is 1 solution, at least 2 are needed")


def test_a_submission_for_a_newer_julia_does_not_count_for_the_bar(bundled: Path) -> None:
    change(
        bundled.parent / "submissions/accepted/other.jl",
        "# In one line.",
        "# In one line.\n# Needs: Julia 1.9",
    )
    assert below_the_bar(bundled)[0] == "submissions/accepted"


def test_other_suites_have_no_such_bars(bundled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(bundled, "# After", "# About")
    monkeypatch.setattr(bars, "bundled_suite", lambda: bundled.parents[2] / "elsewhere")
    assert validate_definition(bundled, run=False).valid


def test_every_bundled_case_meets_the_bars() -> None:
    for file in find_definitions(bundled_suite()):
        submissions, problems = read_submissions(file)
        assert (problems, below_bars(file, submissions)) == ([], [])


def test_the_real_judge_tells_right_from_wrong(tmp_path: Path, jury: Judge) -> None:
    case = tmp_path / "strings_and_text" / "wrap_words"
    shutil.copytree(bundled_suite() / "strings_and_text" / "wrap_words", case)
    report = validate_definition(case / "definition.toml", judge=jury)
    assert report.problems == ()
    assert {one.kind.value for one in report.submissions} == {"accepted", "wrong_answer"}

    shutil.rmtree(case / "submissions")
    good, bad = load_definition(case).reference_solution, "wrap_words(text, width) = String[text]\n"
    keep(case / "definition.toml", "accepted/bad.jl", bad)
    keep(case / "definition.toml", "wrong_answer/good.jl", good)
    fields = {problem.field for problem in validate_definition(case / "definition.toml", judge=jury).problems}
    assert fields == {"submissions/accepted/bad.jl", "submissions/wrong_answer/good.jl"}


def test_the_wheel_carries_the_submissions(tmp_path: Path) -> None:
    from hatchling.builders.wheel import WheelBuilder

    root = Path(__file__).parents[2]
    (built,) = WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"])
    names = zipfile.ZipFile(built).namelist()
    kept = [
        one.path for file in find_definitions(root / "code_generation") for one in read_submissions(file)[0]
    ]
    assert {f"codejury/{path.relative_to(root).as_posix()}" for path in kept} <= set(names)
