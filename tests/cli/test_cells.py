"""What commands say of a judge, of a batch and of a model in one line of a list."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from codejury.cli import batches, judge_server
from codejury.cli.models import asked_as, key_of, price_of
from codejury.judge.warm.messages import Facts, ServerStatus
from codejury.models.batches.journal import BatchJob
from codejury.models.batches.manage import Seen
from codejury.models.catalogue import CatalogueEntry


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
