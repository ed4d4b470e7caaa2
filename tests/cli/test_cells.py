"""What commands say in one line of a list: of a judge, of a batch, of a model, of a block."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from codejury.cli import batches, judge_server, render
from codejury.cli.models import asked_as, key_of, price_of
from codejury.judge.warm.messages import Facts, ServerStatus
from codejury.models.batches.journal import BatchJob
from codejury.models.batches.manage import Seen
from codejury.models.catalogue import CatalogueEntry
from codejury.records import Block, BlockKind, Ending, Extraction


def a_server(**changes: Any) -> ServerStatus:
    fields = {
        "pid": 4711, "up_seconds": 900.0, "idle_seconds": 120.0, "minutes": 10.0, "busy": False,
        "sandboxes": 1, "judged": 3,
    }  # fmt: skip
    return ServerStatus(**fields | changes)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "starting Julia, 1 sandbox, 3 candidates judged, idle for 2 of 10 minutes"),
        ({"busy": True, "sandboxes": 2}, "starting Julia, 2 sandboxes, 3 candidates judged, in use"),
        ({"judged": 1}, "starting Julia, 1 sandbox, 1 candidate judged, idle for 2 of 10 minutes"),
        (
            {
                "facts": Facts(julia_version="1.10.4", level="L3", packages={}),
                "names": ("Dates", "Test"),
                "judged": 0,
            },
            "Julia 1.10.4, L3, with Dates, Test, 1 sandbox, 0 candidates judged, idle for 2 of 10 minutes",
        ),
    ],
)
def test_a_warm_judge_is_told_in_one_line(changes: dict[str, Any], told: str) -> None:
    assert judge_server.in_words(a_server(**changes)) == f"process 4711: {told}"


JOB = BatchJob(
    tag="codejury-1", model="mine", base_url="", created=1_700_000_000.0, requests=("0", "1"), failed=("1",)
)


def test_batches_are_a_table_with_what_is_not_known_left_empty(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    batches._show([Seen(job=JOB, state="is not known\n"), Seen(job=JOB, state="ended", done=1)])
    heading, unknown, ended = (line.split() for line in capsys.readouterr().out.splitlines())
    assert heading == ["batch", "model", "submitted", "requests", "answered", "state"]
    moment = f"{datetime.fromtimestamp(JOB.created).astimezone():%Y-%m-%d %H:%M}".split()
    assert unknown[:6] == ["codejury-1", "mine", *moment, "2", "requests"]
    assert ended == ["codejury-1", "mine", *moment, "2", "requests", "1", "ended"]


def test_a_batch_that_its_service_has_named_goes_by_that_name(capsys: pytest.CaptureFixture[str]) -> None:
    named = BatchJob(tag="t", model="m", base_url="", created=0.0, requests=("0",), id="batch_9")
    batches._show([Seen(job=named, state="ended")])
    assert "batch_9" in capsys.readouterr().out
    batches._show([])
    assert capsys.readouterr().out == "No batches here.\n"


def test_a_batch_for_programs_counts_its_requests() -> None:
    row = json.loads(json.dumps(batches._row(Seen(job=JOB, state="ended", done=1))))
    assert (row["requests"], row["failed"], row["state"], row["done"]) == (2, 1, "ended", 1)
    assert (row["tag"], row["created"]) == ("codejury-1", JOB.created)


@pytest.mark.parametrize(
    ("price", "name", "told"),
    [
        (None, "openai/...", ""),
        (None, "mine", "n/a"),
        ((0.0, 0.0), "mine", "free"),
        ((0.0, 1.5), "mine", "0 in, 1.5 out"),
        ((2.5, 0.0), "mine", "2.5 in, 0 out"),
    ],
)
def test_a_price_is_free_or_unknown_or_told(price: tuple[float, float] | None, name: str, told: str) -> None:
    assert price_of(CatalogueEntry(name=name, kind="configured", note="", usd_per_million=price)) == told


@pytest.mark.parametrize(("has", "told"), [(None, ""), (True, "A or B: set"), (False, "A or B: not set")])
def test_a_key_is_told_by_its_name(has: bool | None, told: str) -> None:
    entry = CatalogueEntry(name="x", kind="provider", note="", key_variables=("A", "B"), has_key=has)
    assert key_of(entry) == told


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, ""),
        ({"adapter": "chat"}, "chat"),
        ({"adapter": "chat", "batches": True}, "chat; batches"),
        ({"adapter": "messages", "reasoning": "effort"}, "messages; reasons by effort"),
    ],
)
def test_how_a_service_is_asked_is_told_by_its_parts(fields: dict[str, Any], told: str) -> None:
    assert asked_as(CatalogueEntry(name="x", kind="provider", note="", **fields)) == told


# Verdicts


def test_a_long_message_is_told_up_to_six_lines_and_what_it_printed_up_to_ten() -> None:
    lines = [f"line {number}" for number in range(1, 12)]
    assert render._shortened("\n".join(lines[:6]), 6) == "\n".join(lines[:6])
    assert render._shortened("\n".join(lines[:8]), 6).split("\n")[5:] == ["line 6", "... 2 more lines"]
    assert [text.plain for text in render._output("\n".join(lines[:10]) + "\n")] == [
        "It printed:",
        *(f"  {line}" for line in lines[:10]),
    ]
    assert [text.plain for text in render._output("\n".join(lines))] == [
        "It printed, the last 10 of 11 lines:",
        *(f"  {line}" for line in lines[1:]),
    ]
    assert [*render._output(" \n")] == []


def a_block(kind: BlockKind, index: int, ending: Ending, **changes: Any) -> Block:
    return Block(kind=kind, index=index, ending=ending, **changes)


def test_blocks_that_were_not_run_share_a_row_with_those_of_their_kind() -> None:
    example, test = BlockKind.EXAMPLE, BlockKind.UNIT_TEST
    blocks = [
        a_block(BlockKind.MAIN, 0, Ending.PASSED),
        a_block(example, 0, Ending.NOT_RUN),
        a_block(example, 1, Ending.NOT_RUN),
        a_block(test, 0, Ending.NOT_RUN),
        a_block(test, 1, Ending.FAILED),
        a_block(test, 2, Ending.FAILED),
        a_block(test, 3, Ending.NOT_RUN),
    ]
    named = [render._named(group) for group in render._grouped(blocks)]
    assert named == [
        "main code", "examples 1 to 2", "unit test 1", "unit test 2", "unit test 3", "unit test 4",
    ]  # fmt: skip
    assert render._grouped([]) == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, ""),
        ({"message": " no \n"}, "no"),
        ({"error_type": "E", "message": "no"}, "E: no"),
        ({"error_type": "E", "line": 2}, "E\nline 2: f(x)"),
        ({"line": 1}, "line 1: x = 1"),
        ({"message": "no", "line": 3}, "no"),
    ],
)
def test_an_error_is_told_with_the_line_that_failed_if_there_is_one(
    changes: dict[str, Any], told: str
) -> None:
    block = a_block(BlockKind.EXAMPLE, 0, Ending.ERRORED, **changes)
    assert render._error(block, "x = 1\n  f(x)").plain == told


def test_what_was_taken_from_an_answer_is_told_by_numbers_from_one() -> None:
    extraction = Extraction(rule="all", blocks_found=3, blocks_used=(0, 2))
    assert [text.plain for text in render._extraction(extraction)] == [
        "Code: all Julia blocks of the answer, joined (rule all)",
        "      3 blocks in the answer, used: 1, 3",
    ]
    odd = Extraction(
        rule="odd",
        blocks_found=1,
        blocks_used=(),
        extended=(0, 1),
        dropped_imports=("A", "B"),
        dropped_tests=2,
    )
    assert [text.plain for text in render._extraction(odd)] == [
        "Code: odd (rule odd)",
        "      1 block in the answer, used: none",
        "      goes on past a fence inside a string or a comment: 1, 2",
        "      imports dropped, for they are not installed: A, B",
        "      tests of its own, dropped: 2",
    ]


def test_amounts_have_their_noun_and_verb() -> None:
    assert (render.many(1, "sample"), render.many(1200, "sample")) == ("1 sample", "1,200 samples")
    assert render.many(1, "sample", "is", "are") == "1 sample is"
    assert render.many(0, "sample", "is", "are") == "0 samples are"
    assert [render.number(value) for value in (81.25, 100 / 3, 100.0, 0.0)] == ["81.25", "33.33", "100", "0"]
