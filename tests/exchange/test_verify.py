"""A submission under review: every way to cheat or to forget something is seen, and honest ones pass."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from codejury.cli import run
from codejury.cli.verify import as_document
from codejury.errors import InputError, SandboxError
from codejury.exchange.case_lookup import AnswerFilter
from codejury.exchange.sample_checks import TOLD, Fault, Finding
from codejury.exchange.verify import ReservoirSample, Review, VerifyReport, verify
from codejury.judge.judge import Judge
from codejury.records import Block, BlockKind, Ending, Execution, Job
from codejury.store.samples import StoredSample
from fakes import facts, honest
from stored_trees import Script, Tree, rewrite, starts, stored


@pytest.fixture
def tree(tmp_path: Path, definitions: Path) -> Tree:
    return Tree(tmp_path / "results", definitions)


@pytest.fixture
def good(tree: Tree) -> Tree:
    """Two samples of both test cases, all of it in order."""
    for case in ("maths/double", "text/repeat"):
        for number, answer in enumerate(("right", "half")):
            tree.add(answer, case, sample=number)
    return tree


def review(tree: Tree, script: Script = honest, later: Script | None = None, **options: Any) -> VerifyReport:
    return verify(Review(root=tree.root, lookup=tree.lookup, **options), starts(script, later))


def faults(report: VerifyReport) -> dict[str, int]:
    return dict(Counter(finding.fault.value for finding in report.findings))


def only(report: VerifyReport) -> Finding:
    (finding,) = report.findings
    return finding


def first(tree: Tree) -> StoredSample:
    from codejury.store.scan import find_samples

    return next(iter(find_samples(tree.root)))


# Honest ones


def test_a_good_submission_has_no_faults_and_all_of_it_comes_out(good: Tree) -> None:
    report = review(good)
    assert report.findings == []
    assert (report.samples, report.reproducible, report.judged, report.reproduced) == (4, 4, 4, 4)
    assert report.models == {"openai/gpt-x"}


def test_nothing_is_written_by_a_review(good: Tree) -> None:
    before = good.files()
    review(good)
    assert good.files() == before


def test_a_rescored_answer_of_the_predecessor_is_good(tree: Tree) -> None:
    from codejury.exchange.rescore import RescoreSelection, rescore
    from stored_trees import judging

    tree.add_published("right")
    tree.add_published("half", "text/repeat")
    with judging() as judge:
        list(rescore(tree.root, tree.lookup, RescoreSelection(), judge))
    assert review(tree).findings == []


def test_an_empty_folder_is_no_good_submission(tree: Tree) -> None:
    with pytest.raises(InputError, match="holds no sample"):
        review(tree)


# Verdicts that do not come out


def claiming_all(job: Job) -> Execution:
    return facts(job.test_case)


def test_a_forged_verdict_is_found_out(tree: Tree) -> None:
    tree.add("wrong", script=claiming_all)
    tree.add("right", "text/repeat")
    report = review(tree)
    finding = only(report)
    assert finding.fault is Fault.DIFFERS
    assert finding.where.startswith("maths/double/openai/gpt-x/evaluation__InJulia__1SHOT__")
    assert "claimed parsed, executed, 4 of 4 unit tests, 2 of 2 examples, 100 points" in finding.what
    assert "found not parsed, not executed, 0 of 4 unit tests, 0 of 2 examples, 0 points" in finding.what
    assert (report.judged, report.reproduced) == (2, 1)


@pytest.mark.parametrize(
    ("change", "fault"),
    [({"julia_version": "1.9.4"}, Fault.OTHER_JULIA), ({"rules_version": 0}, Fault.OTHER_RULES)],
)
def test_a_difference_by_another_judge_is_named_as_such_and_still_a_fault(
    tree: Tree, change: dict[str, Any], fault: Fault
) -> None:
    sample = tree.add("wrong", script=claiming_all)
    tree.add("right", "text/repeat")
    rewrite(sample.evaluation, **change)
    assert only(review(tree)).fault is fault


def test_another_julia_that_says_the_same_is_no_fault(good: Tree) -> None:
    rewrite(first(good).evaluation, julia_version="1.9.4", rules_version=0)
    assert review(good).findings == []


def test_the_predecessors_verdict_differs_by_its_rules(tree: Tree) -> None:
    tree.add_published("right")
    tree.add("right", "text/repeat", model="gpt-4")
    finding = only(review(tree))
    assert finding.fault is Fault.OTHER_RULES
    assert "the predecessor's rules" in finding.what


def test_what_cannot_be_judged_here_is_not_verified(good: Tree) -> None:
    def broken(_job: Job) -> Execution:
        raise SandboxError("out of order")

    assert faults(review(good, broken)) == {"unverified": 4}


def test_an_answer_has_a_second_chance_to_come_out(good: Tree) -> None:
    report = review(good, script=claiming_all, later=honest)
    assert report.findings == []
    assert (report.reproduced, report.second_try) == (4, 2)


def timed_out(*indices: int, main: bool = False) -> Script:
    """A slow machine: these unit tests, or the main code, run out of time."""

    def script(job: Job) -> Execution:
        passed = [index for index in range(4) if index not in indices]
        run = facts(job.test_case, tests=passed, executed=not main)
        blocks = [_late(block, indices, main) for block in run.blocks]
        return facts(job.test_case, tests=passed, executed=not main, blocks=tuple(blocks))

    return script


def _late(block: Block, indices: tuple[int, ...], main: bool) -> Block:
    from dataclasses import replace

    late = main if block.kind is BlockKind.MAIN else block.index in indices and not main
    is_test = block.kind is not BlockKind.EXAMPLE
    return replace(block, ending=Ending.TIMED_OUT) if late and is_test else block


@pytest.mark.parametrize("slow", [timed_out(1, 2), timed_out(main=True)])
def test_a_claim_that_is_worse_for_want_of_time_stands(tree: Tree, slow: Script) -> None:
    tree.add("right", script=slow)
    tree.add("right", "text/repeat")
    report = review(tree)
    assert report.findings == []
    assert (report.reproduced, report.slower) == (2, 1)


def test_a_claim_that_is_better_than_a_time_out_gets_more_time_and_no_more(tree: Tree) -> None:
    tree.add("right")
    tree.add("right", "text/repeat")
    assert review(tree, script=timed_out(1), later=honest).findings == []
    report = review(tree, script=timed_out(1), later=timed_out(1))
    assert faults(report) == {"differs": 2}


def test_a_time_out_in_the_claim_does_not_excuse_another_lie(tree: Tree) -> None:
    tree.add("half", script=timed_out(0))  # says 1, 2 and 3 passed; in truth 0 and 1 do
    tree.add("right", "text/repeat")
    assert faults(review(tree)) == {"differs": 1}


# How much is judged


def test_a_seed_draws_the_same_answers_again(tree: Tree) -> None:
    for number in range(20):
        tree.add("right", sample=number)
        tree.add("right", "text/repeat", sample=number)

    def judged(seed: int) -> list[str]:
        seen: list[str] = []

        def note(job: Job) -> Execution:
            seen.append(job.test_case.name)
            return honest(job)

        assert review(tree, note, pick=10, seed=seed).judged == 10
        return seen

    assert judged(1) == judged(1)
    assert len({tuple(judged(seed)) for seed in range(5)}) > 1


def test_the_lottery_is_fair() -> None:
    wins: Counter[str] = Counter()
    for seed in range(2000):
        lottery = ReservoirSample(3, seed)
        for name in "abcdefghij":
            lottery.enter(Path(name))
        assert len(lottery.drawn) == 3
        wins.update(str(path) for path in lottery.drawn)
    assert min(wins.values()) > 500 < max(wins.values()) < 700  # 600 each, within four standard deviations


def test_all_are_drawn_where_there_are_few() -> None:
    lottery = ReservoirSample(5, 0)
    lottery.enter(Path("a"))
    assert lottery.drawn == {Path("a")}


def test_without_any_to_draw_only_the_files_are_checked(good: Tree) -> None:
    def start(*_: Any) -> Judge:
        raise AssertionError("no judge is needed")

    report = verify(Review(root=good.root, lookup=good.lookup, pick=0), start)
    assert (report.findings, report.judged) == ([], 0)


# Files


def test_malformed_files_are_named_with_all_that_is_wrong(good: Tree) -> None:
    sample = first(good)
    sample.conversation.write_text("[")
    rewrite(sample.evaluation, parsed="yes", tokens=[1])
    report = review(good)
    assert faults(report) == {"malformed": 2}
    told = {finding.where.split("/")[-1].split("__")[0]: finding.what for finding in report.findings}
    assert "is not valid JSON" in told["conversation"]
    assert "parsed must be `bool`" in told["evaluation"]
    assert "tokens must be" in told["evaluation"]


def test_a_file_with_a_name_of_its_own_is_malformed(good: Tree) -> None:
    sample = first(good)
    sample.evaluation.rename(sample.evaluation.with_name("evaluation__mine.json"))
    sample.conversation.rename(sample.conversation.with_name("conversation__mine.json"))
    assert faults(review(good)) == {"malformed": 1, "identity": 1}


@pytest.mark.parametrize(("missing", "told"), [("evaluation", "no evaluation"), ("conversation", "no conv")])
def test_half_a_sample_is_incomplete(good: Tree, missing: str, told: str) -> None:
    getattr(first(good), missing).unlink()
    finding = only(review(good))
    assert finding.fault is Fault.INCOMPLETE
    assert told in finding.what


def test_a_void_verdict_is_none(good: Tree) -> None:
    def broken(_job: Job) -> Execution:
        raise SandboxError("out of order")

    for case in ("maths/double", "text/repeat"):
        good.add("right", case, script=broken, sample=2)
    report = review(good)
    assert faults(report) == {"void": 2}
    assert report.reproducible == 4


# Doubles


def copied(sample: StoredSample, timestamp: str, /, **changes: Any) -> None:
    """The same answer once more under another name, its files made to agree with it."""
    label, strategy = sample.request.prompt_label, sample.request.prompt_strategy
    tail = f"{label}__{strategy}__{timestamp}.json"
    conversation = stored(sample.conversation)
    conversation[-1]["codejury"] |= {"timestamp": timestamp, **changes}
    (sample.folder / f"conversation__{tail}").write_text(json.dumps(conversation))
    evaluation = stored(sample.evaluation) | {"timestamp": timestamp, **changes}
    (sample.folder / f"evaluation__{tail}").write_text(json.dumps(evaluation))


def test_a_copy_under_another_name_and_number_is_a_double(good: Tree) -> None:
    copied(first(good), "20300101_000000__001", sample=7)
    good.add("half", "text/repeat", sample=7)
    finding = only(review(good))
    assert finding.fault is Fault.DOUBLED
    assert "20300101_000000__001" in finding.where
    assert first(good).tail in finding.what


def test_the_same_words_in_another_time_are_another_sample(tree: Tree) -> None:
    for case in ("maths/double", "text/repeat"):
        for number in range(3):
            tree.add("right", case, sample=number)
    assert review(tree).findings == []


def test_answers_without_a_time_are_told_apart_by_their_number(tree: Tree) -> None:
    for number in range(2):
        tree._elapsed = -0.5
        tree.add("right", sample=number)
        tree._elapsed = -0.5
        tree.add("right", "text/repeat", sample=number)
    assert review(tree).findings == []
    copied(first(tree), "20300101_000000__001")
    assert "doubled" in faults(review(tree))


def test_the_same_sample_in_two_folders_is_a_double(good: Tree) -> None:
    sample = first(good)
    shutil.copytree(sample.folder, sample.folder.with_name("copy"))
    report = review(good)
    assert faults(report)["doubled"] == 4
    assert faults(report)["identity"] == 2


# Identity


@pytest.mark.parametrize(
    "change",
    [
        {"model": "openai/gpt-y"},
        {"prompt_label": "AsIs"},
        {"prompt_strategy": "2SHOT"},
        {"timestamp": "20300101_000000__001"},
        {"category": "text"},
    ],
)
def test_an_evaluation_that_says_something_else_than_its_place_is_found(
    good: Tree, change: dict[str, Any]
) -> None:
    rewrite(first(good).evaluation, **change)
    told = [finding.what for finding in review(good).findings if finding.fault is Fault.IDENTITY]
    assert any("says its name is" in what or "says it belongs in" in what for what in told)
    (name,) = change
    assert any(f"says {name} is" in what for what in told), "and something else than its conversation"


@pytest.mark.parametrize(
    "change",
    [
        {"cost": 0.0}, {"tokens": [1, 2]}, {"elapsed_seconds": 9.0}, {"seed": 3}, {"sample": 9}, {"round": 1},
        {"parameters": {"temperature": 0.1}}, {"device": "x"}, {"experiment": "x"}, {"prompt_hash": "x"},
    ],
)  # fmt: skip
def test_an_evaluation_that_says_something_else_than_its_conversation_is_found(
    good: Tree, change: dict[str, Any]
) -> None:
    rewrite(first(good).evaluation, **change)
    report = review(good)
    (name,) = change
    told = [finding.what for finding in report.findings if finding.fault is Fault.IDENTITY]
    assert told
    spelt = {"tokens": "_tokens"}.get(name, name)
    assert all(f"{spelt} is" in what for what in told)


# Definition


def test_another_exam_is_named(good: Tree) -> None:
    rewrite(first(good).evaluation, unit_tests_count=5)
    finding = only(review(good))
    assert (finding.fault, finding.what) == (
        Fault.DEFINITION,
        "unit_tests_count is 5, and the definition has 4",
    )


def test_a_verdict_by_another_version_of_the_definition_is_named(good: Tree) -> None:
    rewrite(first(good).evaluation, definition_hash="0")
    finding = only(review(good))
    assert finding.fault is Fault.DEFINITION
    assert "rescore" in finding.what


def test_an_unknown_test_case_is_named(good: Tree) -> None:
    good.add_published("right", "maths/unknown")
    report = review(good)
    assert faults(report) == {"definition": 1}
    assert "there is no definition of maths/unknown" in report.findings[0].what


# Sums


@pytest.mark.parametrize(
    "change",
    [
        {"score": 99.0},
        {"outcome": "fail"},
        {"unit_tests_passed": 3},
        {"examples_executed": 0},
        {"extraction": None},
        {"tampering": ["redefined ="]},
        {"parsed": False},
        {"executed": False},
    ],
)
def test_a_verdict_that_does_not_follow_from_its_own_blocks_is_found(
    good: Tree, change: dict[str, Any]
) -> None:
    rewrite(first(good).evaluation, **change)
    assert "score" in faults(review(good, pick=0))


def test_blocks_that_do_not_fit_the_score_are_found(good: Tree) -> None:
    sample = first(good)
    blocks = stored(sample.evaluation)["blocks"]
    rewrite(sample.evaluation, blocks=blocks[:-1])
    assert faults(review(good, pick=0)) == {"score": 1}


def test_impossible_counts_of_the_predecessor_are_found(tree: Tree) -> None:
    tree.add_published("right", unit_tests_passed=2)
    tree.add_published("right", "text/repeat", executed=True)
    assert faults(review(tree, pick=0)) == {"score": 2}


# The denominator


def test_missing_samples_are_listed(good: Tree) -> None:
    good.add("right", sample=2)
    finding = only(review(good, pick=0))
    assert finding.fault is Fault.SHORT
    assert finding.where == "openai/gpt-x InJulia 1SHOT"
    assert finding.what == "1 of 2 test cases lack samples (due for each: 3): text/repeat has 2"


def test_a_test_case_without_any_answer_is_missing_too(tree: Tree) -> None:
    tree.add("right")
    assert "text/repeat has 0" in only(review(tree, pick=0)).what


def test_more_samples_can_be_asked_for(good: Tree) -> None:
    assert review(good, pick=0, expected=2).findings == []
    finding = only(review(good, pick=0, expected=3))
    assert "(due for each: 3): maths/double has 2, text/repeat has 2" in finding.what


def test_each_combination_has_its_own_denominator(good: Tree) -> None:
    for case in ("maths/double", "text/repeat"):
        good.add("right", case, prompt_label="AsIs")
        good.add("right", case, parameters={"temperature": 0.2})
    assert review(good, pick=0).findings == []
    good.add("right", parameters={"temperature": 0.7})
    assert only(review(good, pick=0)).where == 'openai/gpt-x InJulia 1SHOT {"temperature": 0.7}'


def test_rounds_of_repair_need_not_be_complete(good: Tree) -> None:
    good.add("right", prompt_strategy="1CODEFIXER__Plain", round=1)
    assert review(good, pick=0).findings == []


def test_a_part_of_a_tree_can_be_verified(good: Tree) -> None:
    good.add("right", model="other", sample=2)
    assert review(good, pick=0, wanted=AnswerFilter(models=("openai/*",))).findings == []
    assert review(good, pick=0, wanted=AnswerFilter(models=("other",), cases=("double",))).findings == []
    assert faults(review(good, pick=0)) == {"short": 1}


# The command


def test_every_fault_can_be_told_and_is_in_the_docs() -> None:
    assert set(TOLD) == set(Fault)
    docs = (Path(__file__).parents[2] / "docs" / "stored-answers.md").read_text(encoding="utf-8")
    assert [fault for fault in Fault if f"| `{fault}` |" not in docs] == []


def test_the_document_says_what_was_found(tree: Tree) -> None:
    tree.add("wrong", script=claiming_all)
    document = json.loads(json.dumps(as_document(review(tree, seed=7))))
    assert (document["good"], document["seed"]) == (False, 7)
    assert document["faults"] == {"short": 1, "differs": 1}
    assert {finding["fault"] for finding in document["findings"]} == {"short", "differs"}


def test_the_command_judges_again_and_says_no(tree: Tree) -> None:
    """What both verdicts claim is the same; it is true of one of them."""
    tree.add("```julia\ndouble(x) = 2x\n```", script=claiming_all)
    forged = tree.add("```julia\nrepeat(x) = 3x\n```", "text/repeat", script=claiming_all)
    rewrite(forged.evaluation, julia_version="")
    command = [sys.executable, "-m", "codejury", "verify", tree.root, "--definitions", tree.definitions]
    done = subprocess.run(
        [*map(str, command), "--workers", "1", "--seed", "3"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "differs" in done.stdout
    assert "text/repeat/openai/gpt-x/evaluation__" in done.stdout
    assert "2 judged again (seed 3): 1 came out." in done.stdout
    # On a busy machine there are lines of progress.
    assert all("judged again" in line for line in done.stderr.splitlines())


def test_the_command_without_runs_says_nothing_is_wrong(
    good: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", str(good.root), "--definitions", str(good.definitions), "--sample", "0"]) == 0
    assert "Nothing is wrong." in capsys.readouterr().out


def test_a_hostile_file_cannot_steer_the_terminal(good: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    rewrite(first(good).evaluation, experiment="\x1b[2J\u202e")
    assert run(["verify", str(good.root), "--definitions", str(good.definitions), "--sample", "0"]) == 1
    told = capsys.readouterr().out
    assert "\x1b[2J" not in told
    assert "\u202e" not in told
