"""Judging again: what is due and nothing else, nothing lost, and every move has a reason."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from codejury.cli import run
from codejury.cli.rescore_tables import as_row, summary
from codejury.errors import InputError, SandboxError
from codejury.exchange.case_lookup import AnswerFilter, CaseLookup, lookup_for
from codejury.exchange.moves import RescoreSummary, direction
from codejury.exchange.reasons import TOLD, Quirk, Reason, quirk_behind
from codejury.exchange.rescore import Rescored, RescoreSelection, rescore, survey
from codejury.judge.score import assess
from codejury.records import Block, BlockKind, Ending, Evaluation, Execution, Extraction, Job
from codejury.store.convert import evaluation_record
from codejury.store.read import read_evaluation
from codejury.store.scan import find_samples
from codejury.store.schema import decode_evaluation
from codejury.store.write import earlier_evaluations
from codejury.suite.load import load_definition
from codejury.suite.save import save_definition
from fakes import a_case, a_judge, facts, honest, in_folders
from stored_trees import TIMESTAMP, Script, Tree, judging, published, rewrite, stored

JULIA = "1.10.0"
"""The one that the fake sandbox claims to be."""


@pytest.fixture
def tree(tmp_path: Path, definitions: Path) -> Tree:
    return Tree(tmp_path / "results", definitions)


def again(tree: Tree, script: Script = honest, *, workers: int = 1, **aim: Any) -> list[Rescored]:
    with judging(script, workers=workers) as judge:
        wanted = RescoreSelection(julia_version=JULIA, **aim)
        return list(rescore(tree.root, tree.lookup, wanted, judge))


def edit_definition(tree: Tree, case: str = "maths/double", **changes: Any) -> None:
    from dataclasses import replace

    path = tree.definitions / case / "definition.toml"
    save_definition(replace(load_definition(path), **changes), path)


def broken(_job: Job) -> Execution:
    raise SandboxError("out of order")


def passing_all(job: Job) -> Execution:
    return facts(job.test_case)


# What is judged


def test_verdicts_that_stand_are_left_alone(tree: Tree) -> None:
    tree.add("right")
    tree.add("half", "text/repeat")
    before = tree.files()
    assert again(tree) == []
    assert tree.files() == before


def test_an_answer_without_a_verdict_is_judged(tree: Tree) -> None:
    sample = tree.ask("right")
    (result,) = again(tree)
    assert result.reasons == result.causes == (Reason.UNJUDGED,)
    assert result.moved
    assert result.before is None
    assert read_evaluation(sample.evaluation).evaluation.score == 100


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"definition_hash": "other"}, Reason.DEFINITION),
        ({"rules_version": 0}, Reason.RULES),
        ({"julia_version": "1.9.4"}, Reason.JULIA),
    ],
)
def test_a_verdict_by_other_means_is_given_again_and_the_move_is_blamed_on_them(
    tree: Tree, change: dict[str, Any], reason: Reason
) -> None:
    sample = tree.add("half")
    rewrite(sample.evaluation, **change)
    old = sample.evaluation.read_bytes()
    (result,) = again(tree, passing_all)
    assert result.reasons == result.causes == (reason,)
    assert result.change == 12.5
    assert [path.read_bytes() for path in earlier_evaluations(sample)] == [old]
    assert again(tree, passing_all) == []


def test_a_changed_definition_is_noticed_without_a_changed_file_of_the_answer(tree: Tree) -> None:
    sample = tree.add("right")
    edit_definition(tree, unit_tests=("@test double(1) == 2", "@test double(2) == 4"))
    (result,) = again(tree)
    assert result.reasons == (Reason.DEFINITION,)
    assert not result.moved
    assert read_evaluation(sample.evaluation).evaluation.unit_tests_count == 2
    assert again(tree) == []


def test_several_causes_are_all_named(tree: Tree) -> None:
    sample = tree.add("half")
    rewrite(sample.evaluation, rules_version=0, julia_version="1.9.4")
    (result,) = again(tree, passing_all)
    assert result.causes == (Reason.RULES, Reason.JULIA)


def test_an_unknown_julia_is_no_reason(tree: Tree) -> None:
    tree.add("right")
    with judging() as judge:
        assert list(rescore(tree.root, tree.lookup, RescoreSelection(julia_version=""), judge)) == []


def test_a_verdict_that_cannot_be_read_is_given_again_and_kept(tree: Tree) -> None:
    sample = tree.add("right")
    sample.evaluation.write_text("{")
    (result,) = again(tree)
    assert result.causes == (Reason.UNREADABLE,)
    assert read_evaluation(sample.evaluation).evaluation.score == 100
    assert [path.read_text() for path in earlier_evaluations(sample)] == ["{"]


def test_all_judges_everything_but_writes_only_what_is_new(tree: Tree) -> None:
    tree.add("right")
    tree.add("half")
    before = tree.files()
    results = again(tree, everything=True)
    assert [result.reasons for result in results] == [(Reason.ASKED,)] * 2
    assert tree.files() == before
    (moved,) = (result for result in again(tree, passing_all, everything=True) if result.moved)
    assert moved.causes == (Reason.CHANCE,)


def test_a_time_out_explains_what_moves_although_nothing_changed(tree: Tree) -> None:
    def slow(job: Job) -> Execution:
        block = Block(kind=BlockKind.UNIT_TEST, index=0, ending=Ending.TIMED_OUT)
        run = facts(job.test_case, tests=(1, 2, 3))
        return facts(job.test_case, tests=(1, 2, 3), blocks=(*run.blocks, block))

    tree.add("right", script=slow)
    (result,) = again(tree, everything=True)
    assert result.causes == (Reason.TIME,)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"models": ("openai/*",)}, 1),
        ({"models": ("gpt-4", "openai/gpt-x")}, 2),
        ({"cases": ("double",)}, 1),
        ({"cases": ("text/*",)}, 1),
        ({"cases": ("maths/d*", "repeat")}, 2),
        ({"cases": ("*",), "not_cases": ("text/*",)}, 1),
        ({"prompts": ("In*",)}, 2),
    ],
)
def test_patterns_choose_models_prompts_and_test_cases(
    tree: Tree, wanted: dict[str, Any], found: int
) -> None:
    tree.ask("right")
    tree.ask("right", "text/repeat", model="gpt-4")
    assert len(again(tree, wanted=AnswerFilter(**wanted))) == found


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({"models": ("OPENAI/gpt-x",)}, "no model fits 'OPENAI/gpt-x'; did you mean `openai/gpt-x`?"),
        ({"prompts": ("InJulai",)}, "no prompt fits 'InJulai'; did you mean `InJulia`?"),
        ({"cases": ("repaet",)}, "no test case fits 'repaet'; did you mean `text/repeat`?"),
        ({"models": ("gpt-4",), "cases": ("double",)}, "no answer fits all of the patterns; leave one out"),
    ],
)
def test_patterns_that_choose_nothing_are_a_mistake(tree: Tree, wanted: dict[str, Any], told: str) -> None:
    tree.ask("right")
    tree.ask("right", "text/repeat", model="gpt-4")
    with pytest.raises(InputError, match=re.escape(told)):
        again(tree, wanted=AnswerFilter(**wanted))


# Void


def test_a_void_verdict_is_given_again(tree: Tree) -> None:
    sample = tree.add("right", script=broken)
    (result,) = again(tree)
    assert result.causes == (Reason.VOID,)
    assert direction(result) == "new"
    assert read_evaluation(sample.evaluation).evaluation.outcome == "pass"


def test_what_stays_void_for_the_same_reason_is_not_written_again(tree: Tree) -> None:
    tree.add("right", script=broken)
    before = tree.files()
    (result,) = again(tree, broken)
    assert not result.moved
    assert tree.files() == before


def test_a_void_verdict_never_takes_the_place_of_one_that_was_learned(tree: Tree) -> None:
    sample = tree.add("right")
    published_file = tree.add_published("right", "text/repeat", parsed=True)
    rewrite(sample.evaluation, rules_version=0)
    before = tree.files()
    results = again(tree, broken)
    assert all("its verdict stands: the sandbox failed" in result.problem for result in results)
    assert tree.files() == before
    assert [result.moved for result in results] == [False, False]
    assert len(again(tree)) == 2, "so it is tried again the next time"
    assert "codejury_schema" in stored(published_file)


def test_an_unjudged_answer_gets_a_void_verdict_if_that_is_all_there_is(tree: Tree) -> None:
    sample = tree.ask("right")
    again(tree, broken)
    assert read_evaluation(sample.evaluation).evaluation.outcome == "void"


# What cannot be judged


def test_a_missing_definition_is_told_of_and_the_others_go_on(tree: Tree) -> None:
    tree.add_published("right", "maths/unknown")
    tree.ask("right")
    skipped, judged = sorted(again(tree), key=lambda result: not result.problem)
    assert skipped.problem.startswith("there is no definition of maths/unknown")
    assert skipped.after is None
    assert judged.after is not None


def test_a_broken_definition_is_told_of_and_the_others_go_on(tree: Tree) -> None:
    tree.ask("right")
    tree.ask("right", "text/repeat")
    (tree.definitions / "maths/double/definition.toml").write_text("[code_generation]\n")
    skipped, judged = again(tree)
    assert "contributor" in skipped.problem
    assert judged.after is not None


def test_an_evaluation_without_a_conversation_cannot_be_judged_again(tree: Tree) -> None:
    sample = tree.add("right")
    sample.conversation.unlink()
    assert again(tree) == [], "it stands, so nobody needs the answer"
    rewrite(sample.evaluation, rules_version=0)
    (result,) = again(tree)
    assert "no conversation" in result.problem


def test_a_broken_conversation_is_told_of_by_name(tree: Tree) -> None:
    sample = tree.ask("right")
    sample.conversation.write_text("[]")
    (result,) = again(tree)
    assert str(sample.conversation) in result.problem


def test_a_file_whose_name_says_nothing_is_told_of(tree: Tree) -> None:
    folder = tree.root / "maths/double/gpt-4"
    folder.mkdir(parents=True)
    (folder / "conversation__x.json").write_text(json.dumps([{"content": "", "_type": "aimessage"}]))
    (result,) = again(tree)
    assert "not the name of a sample's file" in result.problem


# Which definitions


def test_the_definitions_in_the_tree_are_taken_before_the_bundled_ones(tmp_path: Path) -> None:
    root = in_folders(tmp_path / "tree", "maths/double")
    (sample,) = [Tree(tmp_path / "x", root).ask("right")]
    assert lookup_for(root).find(sample.request).path == root / "maths/double/definition.toml"
    assert ("arrays", "local_peaks") in lookup_for(tmp_path / "x").names()
    assert lookup_for(tmp_path / "x", root).names() == [("maths", "double")]


def test_a_name_in_two_categories_is_found_by_its_category(tmp_path: Path) -> None:
    root = in_folders(tmp_path / "tree", "a/double", "b/double")
    tree = Tree(tmp_path / "x", root)
    found = tree.lookup.find(tree.ask("right", "b/double").request)
    assert found.category == "b"
    (result,) = [problem for problem in again(tree) if problem]
    assert not result.problem
    tree.ask("right", "c/double", model="other")
    assert any("can be any of" in result.problem for result in again(tree))


# The predecessor's


def test_the_predecessors_tree_is_read_as_it_is_and_keeps_what_belongs_to_the_request(tree: Tree) -> None:
    path = tree.add_published("right", parsed=True, executed=True, unit_tests_passed=1, examples_executed=2)
    old = path.read_bytes()
    (result,) = again(tree)
    assert result.before is not None
    assert result.before.score == 25 * (1 + 1 + 0.25 + 1)
    assert result.reasons == (Reason.PREDECESSOR,)
    new = stored(path)
    kept = (
        "tokens",
        "elapsed_seconds",
        "cost",
        "device",
        "schema",
        "version_pt",
        "timestamp",
        "version_prompt",
    )
    assert {key: new[key] for key in kept} == {key: json.loads(old)[key] for key in kept}
    assert (new["score"], new["category"], new["julia_version"]) == (100, "maths", JULIA)
    assert path.with_name(f"superseded__InJulia__1SHOT__{TIMESTAMP}.1.json").read_bytes() == old
    assert again(tree) == []


def test_an_answer_in_another_models_folder_counts_for_the_model_it_names(tree: Tree) -> None:
    path = tree.add_published("right")
    rewrite(path, model="gpt-4--optim")
    (result,) = again(tree)
    assert result.sample.request.model == "gpt-4--optim"
    assert stored(path)["model"] == "gpt-4--optim"


ALL = {"parsed": True, "executed": True}
QUIRKS: list[tuple[Quirk, str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    # quirk, answer, what the predecessor said, how the code was found, changes of the definition
    (Quirk.TRIPLE_QUOTES, "```julia\nx\n```", {}, {"code": '"""doc"""\nf(x) = x'}, {}),
    (Quirk.FENCE, "```Julia\nf(x) = x\n```", {}, {}, {}),
    (Quirk.FENCE, "f(x) = x", {}, {}, {}),
    (Quirk.FENCE, "```julia\nf(x) = x", {}, {}, {}),
    (Quirk.TEST_QUOTES, "```julia\nx\n```", ALL, {}, {"examples": ('f("""a""")', "f(2)")}),
    (Quirk.KEPT_IMPORT, "```julia\nx\n```", {"parsed": True}, {"dropped_imports": ("Threads",)}, {}),
    (Quirk.LOST_IMPORT, "```julia\nx\n```", {"parsed": True}, {"code": "using Dates # dates\nf(x) = x"}, {}),
    (
        Quirk.LOST_BLOCK,
        "```julia\nstruct A\nend\n```\n```julia\nf(x) = A()\n```",
        {"parsed": True},
        {"blocks_used": (0, 1)},
        {},
    ),
    (Quirk.OTHER_BLOCKS, "```julia\nx\n```", {"parsed": True}, {"rule": "defining"}, {}),
    (Quirk.DEFINITION, "```julia\nx\n```", {"unit_tests_count": 3}, {}, {}),
    (Quirk.OTHER, "```julia\nx\n```", {"parsed": True}, {}, {}),
]


def predecessors(**changes: Any) -> Evaluation:
    """A verdict of the predecessor's, as it is read."""
    data = json.dumps(published("double", **changes)).encode()
    return evaluation_record(decode_evaluation(data), "maths").evaluation


@pytest.mark.parametrize(("quirk", "answer", "said", "found", "definition"), QUIRKS)
def test_the_predecessors_habits_are_recognised(
    quirk: Quirk, answer: str, said: dict[str, Any], found: dict[str, Any], definition: dict[str, Any]
) -> None:
    case = a_case(**definition)
    defaults = {"rule": "all", "blocks_found": 1, "blocks_used": (0,), "code": "f(x) = x"}
    verdict = assess(facts(case, extraction=Extraction(**defaults | found)), case)
    stored_verdict = predecessors(**said)
    assert quirk_behind(stored_verdict, verdict, case, answer) is quirk


def test_code_of_another_language_explains_a_fall_and_no_rise() -> None:
    case = a_case()
    nothing = Extraction(rule="none", blocks_found=1, blocks_used=())
    verdict = assess(facts(case, parsed=False, executed=False, extraction=nothing), case)
    stored_verdict = predecessors(parsed=True)
    assert quirk_behind(stored_verdict, verdict, case, "```scss\nf(x) = x\n```") is Quirk.LANGUAGE


def test_a_fall_is_never_blamed_on_triple_quotes() -> None:
    case = a_case(examples=('f("""a""")',))
    verdict = assess(facts(case, executed=False), case)
    stored_verdict = predecessors(examples_count=1, unit_tests_passed=4, **ALL)
    assert quirk_behind(stored_verdict, verdict, case, '```julia\n"""\n```') is Quirk.OTHER


def test_every_reason_can_be_told_and_is_in_the_docs() -> None:
    assert set(TOLD) == {*Reason, *Quirk}
    docs = (Path(__file__).parents[2] / "docs" / "stored-answers.md").read_text(encoding="utf-8")
    assert [reason for reason in TOLD if f"| `{reason}` |" not in docs] == []


# Sums


def test_the_board_compares_the_same_answers_before_and_after(tree: Tree) -> None:
    tree.add_published("right", model="a", parsed=True, timestamp="20230101_000000__001")
    tree.add_published("wrong", model="a", parsed=True, timestamp="20230101_000000__002")
    tree.ask("right", model="a")
    tree.ask("right", model="b")
    tree.add_published("right", "maths/unknown", model="a")
    board = RescoreSummary()
    for result in again(tree):
        board.add(result)
    a = board.models["a"]
    assert (a.judged, a.first, a.up, a.down, a.not_judged, a.comparable) == (3, 1, 1, 1, 1, 2)
    assert (a.mean_before, a.mean_after) == (25, 50)
    assert board.models["b"].mean_before is None
    assert board.causes[(Quirk.OTHER,), "down"] == 1
    assert board.causes[(Reason.UNJUDGED,), "new"] == 2
    assert board.problems.total() == 1


def test_a_survey_counts_reasons_per_model_and_touches_nothing(tree: Tree) -> None:
    tree.add("right")
    tree.ask("right")
    tree.add_published("right")
    tree.add_published("right", "maths/unknown")
    before = tree.files()
    planned = survey(tree.root, tree.lookup, RescoreSelection(julia_version=JULIA))
    assert (planned.samples, planned.to_judge) == (4, 2)
    assert planned.per_model == {"openai/gpt-x": 1, "gpt-4": 1}
    assert planned.reasons["gpt-4", Reason.PREDECESSOR] == 1
    assert planned.problems.total() == 1
    assert tree.files() == before


# Many, and stopped


def test_results_come_in_the_order_of_the_files_however_many_work(tree: Tree) -> None:
    for number in range(30):
        tree.ask("right" if number % 2 else "half", "text/repeat" if number % 3 else "maths/double")
    paths = [sample.evaluation for sample in find_samples(tree.root)]
    assert [result.sample.evaluation for result in again(tree, workers=4)] == paths


def test_what_was_judged_before_a_stop_is_not_judged_again(tree: Tree) -> None:
    for _ in range(10):
        tree.ask("right")
    with judging() as judge:
        running = rescore(tree.root, tree.lookup, RescoreSelection(julia_version=JULIA), judge)
        done = [next(running).sample for _ in range(4)]
        running.close()
    assert all(sample.evaluation.exists() for sample in done)
    rest = again(tree)
    assert len(rest) == 6
    assert {result.sample.tail for result in rest}.isdisjoint(sample.tail for sample in done)


def test_a_judge_that_fails_ends_the_rescore_with_its_error(tree: Tree) -> None:
    tree.ask("right")

    def cannot_start() -> Any:
        raise SandboxError("there is no Julia")

    from codejury.judge.judge import Judge

    judge = Judge(sandbox_factory=cannot_start)
    with pytest.raises(SandboxError, match="there is no Julia"):
        list(rescore(tree.root, tree.lookup, RescoreSelection(), judge))


def test_memory_does_not_grow_with_the_number_of_answers(tree: Tree) -> None:
    long, count = 100_000, 100
    for number in range(count):
        answer = "right" + "." * long
        tree.add_published(answer, model=f"m{number // 10}", timestamp=f"20230101_000000__{number:04d}")
    tracemalloc.start()
    with judging() as judge:
        judged = sum(1 for _ in rescore(tree.root, tree.lookup, RescoreSelection(julia_version=JULIA), judge))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert judged == count
    assert most < long * count / 2


# The command


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "codejury", "rescore", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def test_the_command_shows_what_moves_and_why(tree: Tree) -> None:
    tree.add_published("```Julia\ndouble(x) = 2x\n```")
    tree.add_published("```julia\nrepeat(x) = 3x\n```", "text/repeat", executed=True, examples_executed=2)
    tree.ask("```julia\ndouble(x) = 2x\n```")
    before = tree.files()
    done = command(tree.root, "--definitions", tree.definitions, "--dry-run")
    assert done.returncode == 0
    assert "3 of 3 answers to judge" in done.stdout
    assert tree.files() == before
    done = command(tree.root, "--definitions", tree.definitions, "--workers", "1")
    # On a busy machine lines of progress follow.
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        0, "3 of 3 answers to judge: 2 judged by the predecessor, 1 was not judged"
    )  # fmt: skip
    assert "+ 0 -> 100  maths/double/gpt-4/evaluation__" in done.stdout
    assert "predecessor: fence not seen" in done.stdout
    assert "* none -> 100  maths/double/openai/gpt-x/" in done.stdout
    done = command(tree.root, "--definitions", tree.definitions, "--json")
    assert (done.returncode, done.stderr) == (0, "0 of 3 answers to judge\n")
    assert json.loads(done.stdout)["judged"] == 0


def test_json_tells_all_of_each_answer_and_the_sums(tree: Tree) -> None:
    tree.add_published("right")
    tree.add_published("right", "maths/unknown")
    board = RescoreSummary()
    rows = []
    for result in again(tree):
        board.add(result)
        rows.append(json.loads(json.dumps(as_row(result, tree.root))))
    moved, skipped = rows
    assert moved["file"] == f"maths/double/gpt-4/evaluation__InJulia__1SHOT__{TIMESTAMP}.json"
    assert (moved["before"]["score"], moved["after"]["score"]) == (0, 100)
    assert (moved["direction"], moved["causes"]) == ("up", ["predecessor_fence"])
    assert skipped["after"] is skipped["direction"] is None
    sums = json.loads(json.dumps(summary(board)))
    assert (sums["models"]["gpt-4"]["mean_before"], sums["models"]["gpt-4"]["mean_after"]) == (0, 100)
    assert sums["causes"] == [{"causes": ["predecessor_fence"], "direction": "up", "count": 1}]
    assert list(sums["problems"].values()) == [1]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "nowhere: not a folder"),
        ([".", "--definitions", "nowhere"], "nowhere: there is no such file or folder"),
    ],
)
def test_bad_input_is_one_message(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    os.chdir(tmp_path)
    assert run(["rescore", *arguments]) == 2
    assert told in capsys.readouterr().err


def test_ctrl_c_ends_cleanly_and_the_same_command_goes_on(tree: Tree) -> None:
    for _ in range(40):
        tree.ask("```julia\nsleep(0.2)\ndouble(x) = 2x\n```")
    line = [sys.executable, "-m", "codejury", "rescore", tree.root, "--definitions", tree.definitions]
    process = subprocess.Popen(
        [*map(str, line), "--workers", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()  # the first verdict is stored
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "the same command goes on from there" in err
    assert "Traceback" not in err
    judged = [sample for sample in find_samples(tree.root) if sample.has_evaluation]
    assert 0 < len(judged) < 40
    assert all(not sample.problem for sample in judged)


def test_an_exam_knows_the_packages_of_what_was_asked_for(tmp_path: Path) -> None:
    root = in_folders(tmp_path / "tree", "maths/double", "text/repeat")
    from dataclasses import replace

    path = root / "maths/double/definition.toml"
    save_definition(replace(load_definition(path), imports=("Dates",)), path)
    tree = Tree(tmp_path / "x", root)
    lookup = tree.lookup
    assert lookup.packages.names == ()
    lookup.find(tree.ask("right").request)
    assert lookup.packages.names == ("Dates",)
    assert isinstance(lookup, CaseLookup)


def test_the_fake_judge_and_the_aim_speak_of_the_same_julia() -> None:
    with a_judge() as judge:
        assert judge.julia_version == JULIA
