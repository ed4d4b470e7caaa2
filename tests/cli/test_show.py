"""One stored answer on the screen: all of it, with its verdict, and none of it in command of the terminal."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from codejury.cli import run
from codejury.cli.answer_text import answer_text
from codejury.cli.render import safe_text
from codejury.errors import SandboxError
from codejury.records import Execution, Job, Performance
from fakes import facts
from site_world import measured
from stored_trees import Tree, rewrite, stored

Capture = pytest.CaptureFixture[str]

HOSTILE = (
    "\x1b[2Jgone &#27;[31m &#8238;back\u202e\x07\n\n"
    "[link](http://a\x1b]8;;evil\x07) <script>hidden</script> <!-- comment -->\n\n"
    "[ref]: http://elsewhere 'title'\n\n"
    '```julia\nx = "\x1b[31m\u2066"\n```\n'
    "```&#27;[2J\nin a fence\x9b31m\n```\n"
)


@pytest.fixture
def tree(tmp_path: Path, definitions: Path) -> Tree:
    return Tree(tmp_path / "results", definitions)


def shown(tree: Tree, file: Path, capsys: Capture, *options: str) -> str:
    assert run(["show", str(file), "--definitions", str(tree.definitions), *options]) == 0
    return capsys.readouterr().out


def half(job: Job) -> Execution:
    return facts(job.test_case, tests=(0, 1), stdout="a line\n")


ANSWER = "# Solution\n\nUse *this*:\n\n```julia\ndouble(x) = 2x\n```\n\nDone."


@pytest.mark.parametrize("kind", ["evaluation", "conversation"])
def test_either_file_shows_the_conversation_the_code_and_every_block(
    tree: Tree, capsys: Capture, kind: str
) -> None:
    sample = tree.add(ANSWER, script=half, parameters={"temperature": 0.2})
    told = shown(tree, getattr(sample, kind), capsys)
    for text in (
        "openai/gpt-x   InJulia 1SHOT", "parameters {'temperature': 0.2}", "tokens [10, 20]", "cost 0.25",
        "system", "You are terse.", "user", "Write double.", "assistant", "Solution", "Use this:", "Done.",
        "1 double(x) = 2x", "a line",
        "FAIL  87.5 of 100 points = 25 parsed + 25 executed",
    ):  # fmt: skip
        assert text in told
    for block, verdict in (("unit test 2", "passed"), ("unit test 3", "failed"), ("example 1", "passed")):
        assert re.search(rf"^ *{block} +{verdict} ", told, re.MULTILINE)


def test_an_answer_that_is_not_judged_says_so(tree: Tree, capsys: Capture) -> None:
    assert "Not judged yet." in shown(tree, tree.ask(ANSWER).conversation, capsys)


def test_a_measured_answer_shows_its_speed_or_why_there_is_none(tree: Tree, capsys: Capture) -> None:
    told = shown(tree, tree.add(ANSWER, script=measured).evaluation, capsys)
    assert "Speed 2 of the reference solution (noisy)" in told
    assert re.search(r"^ *double\(x\) +2 \? +2.5e-05 +1,600 +0 +no", told, re.MULTILINE)

    def unmeasured(job: Job) -> Execution:
        return facts(job.test_case, performance=Performance(not_measured="it \x1b[2Jhung", failed=2))

    told = shown(tree, tree.add(ANSWER, script=unmeasured).evaluation, capsys)
    assert "Speed: not measured: statement 2: it " in told
    assert "\x1b[2J" not in told


def test_a_void_verdict_says_why(tree: Tree, capsys: Capture) -> None:
    def broken(_job: Job) -> Execution:
        raise SandboxError("out of order")

    told = shown(tree, tree.add(ANSWER, script=broken).evaluation, capsys)
    assert "VOID  the sandbox failed: out of order" in told


def test_an_empty_answer_is_seen_to_be_empty(tree: Tree, capsys: Capture) -> None:
    assert "(empty)" in shown(tree, tree.add("").evaluation, capsys)


def test_the_predecessors_verdict_is_shown_with_what_it_has(tree: Tree, capsys: Capture) -> None:
    path = tree.add_published(ANSWER, parsed=True, executed=True, unit_tests_passed=1)
    told = shown(tree, path, capsys)
    assert "parsed, executed, 1 of 4 unit tests, 0 of 2 examples, 56.25 points" in told
    assert "codejury rescore" in told


def test_a_superseded_verdict_can_be_shown(tree: Tree, capsys: Capture) -> None:
    from codejury.store.write import write_evaluation
    from codejury.suite.load import load_definition
    from fakes import a_judge

    sample = tree.add(ANSWER, script=half)
    with a_judge(lambda job: facts(job.test_case)) as judge:
        test_case = load_definition(tree.definitions / "maths/double")
        write_evaluation(sample, judge.evaluate(ANSWER, test_case))
    (old,) = sample.folder.glob("superseded__*.1.json")
    assert "FAIL  87.5" in shown(tree, old, capsys)
    assert "PASS  100" in shown(tree, sample.evaluation, capsys)


def test_without_its_conversation_the_verdict_is_shown_alone(tree: Tree, capsys: Capture) -> None:
    sample = tree.add(ANSWER, script=half)
    sample.conversation.unlink()
    told = shown(tree, sample.evaluation, capsys)
    assert "There is no conversation beside it." in told
    assert "FAIL  87.5" in told


@pytest.mark.parametrize("change", [{"definition_hash": "0"}, {"name": "unknown"}])
def test_without_its_definition_the_verdict_is_shown_without_points_per_criterion(
    tree: Tree, capsys: Capture, change: dict[str, Any]
) -> None:
    sample = tree.add(ANSWER, script=half)
    rewrite(sample.evaluation, **change)
    told = shown(tree, sample.evaluation, capsys)
    assert "unit test 3: failed" in told
    assert "FAIL  87.5 of 100 points" in told
    assert "The definition is not shown" in told


def test_the_definition_above_the_answer_is_found(tree: Tree, capsys: Capture) -> None:
    sample = Tree(tree.root / "x", tree.definitions).ask(ANSWER)
    place = tree.definitions / "maths/double/openai/gpt-x"
    place.mkdir(parents=True)
    judged = tree.add(ANSWER, script=half)
    moved = judged.evaluation.rename(place / judged.evaluation.name)
    assert run(["show", str(moved)]) == 0
    assert "87.5 of 100 points = 25 parsed" in capsys.readouterr().out
    assert sample.conversation.exists()


def test_json_is_both_files(tree: Tree, capsys: Capture) -> None:
    sample = tree.add(HOSTILE, script=half)
    told = shown(tree, sample.evaluation, capsys, "--json")
    document = json.loads(told)
    assert document["evaluation"] == stored(sample.evaluation)
    assert document["conversation"][-1] == {"role": "assistant", "content": HOSTILE}
    assert told.isascii()
    assert json.loads(shown(tree, tree.ask("x").conversation, capsys, "--json"))["evaluation"] is None


# Hostile


def test_a_hostile_answer_is_shown_and_obeyed_in_nothing(tree: Tree, capsys: Capture) -> None:
    sample = tree.add(HOSTILE, script=lambda job: facts(job.test_case, stdout=HOSTILE))
    rewrite(sample.evaluation, void_reason="\x1b[2J", experiment="\x1b[2J\u202e")
    told = shown(tree, sample.evaluation, capsys)
    assert safe_text(told) == told
    for text in (r"\x1b[2Jgone", "&#27;[31m", "&#8238;back", "<script>hidden</script>", "<!-- comment -->"):
        assert text in told
    assert "[ref]: http://elsewhere" in told
    assert r"in a fence\x9b31m" in told


def rendered(text: str, **options: Any) -> str:
    console = Console(file=io.StringIO(), width=60, highlight=False, markup=False, emoji=False, **options)
    console.print(answer_text(text))
    return str(console.file.getvalue())  # type: ignore[attr-defined]


@settings(deadline=None, derandomize=True, max_examples=200)
@given(st.text(alphabet="ab\x1b\x07\x9b\u202e\ud800[]()<>!&#;0123456789x*_`~|-\\:/\n\t \"'", max_size=80))
def test_no_text_gets_through_to_the_terminal(text: str) -> None:
    told = rendered(text)
    assert safe_text(told) == told


def test_a_terminal_gets_colours_and_nothing_of_the_model() -> None:
    told = rendered(HOSTILE + "\n[good](http://x.y)\n![i](http://z)", force_terminal=True)
    assert "\x1b[" in told, "our own colours"
    assert "\x1b[2J" not in told
    assert "\x1b]8" not in told, "no hyperlinks: what is clicked on must be what is read"
    assert "http://x.y" in told


WORDS = st.sampled_from(["one", "two", "three", "four", "five", "six"])
MARKS = st.sampled_from(
    [
        " ", "\n", "\n\n", "# ", "> ", "- ", "1. ", "```", "```julia\n", "~~~", "|", "|-|\n", "[", "](", ")",
        "![", "]: ", "<", ">", "</", "<!--", "-->", "*", "__", "`", "~~", "&", ";", "    ", "---\n", "===\n",
        "\\", "<?",
    ]
)  # fmt: skip


@settings(deadline=None, derandomize=True, max_examples=500)
@given(st.lists(st.one_of(WORDS, MARKS), max_size=40))
def test_no_word_is_hidden(parts: list[str]) -> None:
    text = "".join(parts)
    told = rendered(text)
    for word in ("one", "two", "three", "four", "five", "six"):
        assert told.count(word) == text.count(word)


@pytest.mark.parametrize(
    "text",
    [
        "a [b](hidden) c",
        "a [b](c 'hidden') d",
        "a ![b](hidden) c",
        "[a]: hidden",
        "a <b hidden> c",
        "<!-- hidden -->",
        "<div>\nhidden\n</div>",
        "|a|b|\n|-|-|\n|c|d|hidden|",
        "```julia hidden\nx\n```",
        "&hidden;",
        ">" * 90 + " hidden",
    ],
)
def test_what_renderers_leave_out_is_shown(text: str) -> None:
    assert "hidden" in rendered(text)


@pytest.mark.parametrize(
    "text", [">" * 50_000, "- " * 20_000, "[" * 20_000, "`" * 20_000 + "a", "*a" * 9_000]
)
def test_deep_and_endless_texts_are_shown_to_the_end(text: str) -> None:
    told = rendered(f"{text}\n\nthe end")
    assert told.rstrip().endswith("the end")


# Bad input, pipes


def test_a_block_is_shown_as_long_as_the_judge_takes_it() -> None:
    code = '"""\n```jldoctest\njulia> f(1)\n```\n"""\nf(x) = "*not emphasis*"\n'
    lines = [line.strip() for line in rendered(f"```julia\n{code}```\n*emphasis*").splitlines()]
    assert [line for line in lines if line] == ["```julia", *code.split("\n")[:-1], "emphasis"]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("definition.toml", "", "is no stored answer"),
        ("evaluation__x.json", "", "not the name of a sample's file"),
        ("evaluation__A__1SHOT__20240101_000000__001.json", None, "cannot be read"),
        ("evaluation__A__1SHOT__20240101_000000__001.json", "{}", "name is missing"),
        ("conversation__A__1SHOT__20240101_000000__001.json", "[]", "must be a JSON array"),
    ],
)
def test_a_file_that_is_none_is_told_of(
    tmp_path: Path, capsys: Capture, name: str, content: str | None, told: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    assert run(["show", str(tmp_path / name)]) == 2
    assert told in capsys.readouterr().err


def test_a_pipe_gets_plain_text_and_may_close_early(tree: Tree) -> None:
    sample = tree.add("line\n\n" * 5000, script=half)
    command = f"{sys.executable} -m codejury show '{sample.evaluation}' | head -1"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("openai/gpt-x")
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_what_a_model_thought_is_shown_as_not_judged(tree: Tree, capsys: Capture) -> None:
    sample = tree.add(ANSWER, script=half)
    messages = json.loads(sample.conversation.read_text(encoding="utf-8"))
    messages[-1]["reasoning"] = "Twice x, surely.\x1b[2J"
    sample.conversation.write_text(json.dumps(messages), encoding="utf-8")
    told = shown(tree, sample.evaluation, capsys)
    assert told.index("reasoning, not judged") < told.index("Twice x, surely.") < told.index("Solution")
    assert "\x1b[2J" not in told
