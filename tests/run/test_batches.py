"""Batches: asked once, at half the price, and collected whatever happens in between."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from batch_servers import PROVIDERS, SPEAKS, BatchServer, Taken
from benchmark_world import RIGHT, World
from codejury.cli import run as run_command
from codejury.configuration import Configuration, ModelTable, PriceTable
from codejury.errors import InputError
from codejury.models.batches.collect import MOST_LINES, portions
from codejury.models.batches.journal import SUBMITTING, BatchJob, Journal
from codejury.models.batches.model import number_of
from codejury.models.batches.services import Line
from codejury.models.spec import ModelSpec, service_of
from codejury.run.events import Answered, Batched, Noted, Planned, RequestFailed
from servers import Request
from services import Said

every_style = pytest.mark.parametrize("style", SPEAKS)
ANSWER = Said(text=RIGHT, read=1000, written=1000)


@pytest.fixture
def world(tmp_path: Path, definitions: Path) -> World:
    return World(tmp_path, definitions)


def configured(server: BatchServer, *, poll: float = 0.05) -> Configuration:
    table = ModelTable(
        base_url=server.base_url, provider=PROVIDERS[server.style], batch_poll_seconds=poll,
        price=PriceTable(input=1.0, output=1.0), tries=1, timeout_seconds=20.0,
    )  # fmt: skip
    return Configuration(models={"mine": table})


def ask(world: World, server: BatchServer, **options: Any) -> Any:
    options = {"max_tokens": 99, "configuration": configured(server), "batch": True} | options
    return world.run("mine", **options)


@every_style
def test_all_that_is_missing_goes_into_one_batch_and_is_asked_once(world, style):
    with BatchServer(style, lambda body: ANSWER) as server:
        evaluations = ask(world, server, samples=3)
        assert [len(batch.lines) for batch in server.batches] == [6]
        assert [e["outcome"] for e in evaluations] == ["pass"] * 6
        assert world.told(Batched)[-1].requests == 6
        ask(world, server, samples=3)
        assert len(server.batches) == 1, "what is stored is not asked again"
        ask(world, server, samples=4)
        assert [len(batch.lines) for batch in server.batches] == [6, 2]
        assert max(Counter(server.submitted).values()) == 1


@every_style
def test_the_services_own_types_take_the_requests(world, style):
    with BatchServer(style, lambda body: ANSWER) as server:
        ask(world, server, effort="high")
        for body in server.batches[0].lines.values():
            assert "stream" not in body
            headers = {"anthropic-version": "2026-10-21"}
            SPEAKS[style].check(
                Request(
                    path="", headers=headers, body=body | ({} if style == "google" else {"stream": False})
                )
            )


def test_a_provider_takes_half_for_a_batch_and_a_server_of_ones_own_what_its_price_says(world):
    for provider in ("openai", "anthropic", "google", "mistral"):
        service = service_of(ModelSpec(name="x", provider=provider, model="x"))
        assert service is not None
        assert service.batch_price == 0.5
    with BatchServer("anthropic", lambda body: ANSWER) as server:
        ask(world, server, case="double")
    assert world.told(Answered)[0].cost == pytest.approx(2000 / 1e6)


def test_half_the_price_is_what_is_expected_and_what_is_stored(monkeypatch, world):
    def half(order: ModelSpec) -> Any:
        service = service_of(order)
        return service and replace(service, batch_price=0.5)

    for user in ("models.batches.model", "run.resolved_models"):
        monkeypatch.setattr(f"codejury.{user}.service_of", half)
    with BatchServer("openai", lambda body: ANSWER) as server:
        ask(world, server, case="double")
    assert world.told(Answered)[0].cost == pytest.approx(1000 / 1e6)
    prompt = round(world.told(Planned)[0].cost["mine"] * 2e6) - 99
    assert 0 < prompt < 1000


@every_style
def test_results_may_come_in_any_order_doubled_or_with_strangers_among_them(world, style):
    def spoilt(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        stranger = json.loads(json.dumps(rows[0]).replace("cj-", "xx-"))
        return [stranger, *reversed(rows), *rows]

    with BatchServer(style, lambda body: ANSWER) as server:
        server.spoil = spoilt
        assert len(ask(world, server, samples=3)) == 6
    assert len(world.files("conversation__*")) == 6


@every_style
def test_requests_without_an_answer_are_asked_again_by_the_next_run_and_no_others(world, style):
    with BatchServer(style, lambda body: None if "double" in json.dumps(body) else ANSWER) as server:
        assert len(ask(world, server, samples=2)) == 2
        assert len(world.told(RequestFailed)) == 2
        server.answer = lambda body: ANSWER
        assert len(ask(world, server, samples=2)) == 4
        assert [len(batch.lines) for batch in server.batches] == [4, 2]
        assert all("double" in json.dumps(body) for body in server.batches[1].lines.values())


@every_style
def test_a_batch_that_was_cancelled_is_asked_again(world, style):
    with BatchServer(style, lambda body: ANSWER, looks=1) as server:
        server.meanwhile = lambda phase, method, path: cancelled(server)
        assert ask(world, server) == []
        server.meanwhile = lambda phase, method, path: None
        assert len(ask(world, server)) == 2
        assert len(server.batches) == 2


def cancelled(server: BatchServer) -> None:
    for batch in server.batches:
        batch.status = "cancelled"


def test_repairs_are_the_next_batch(world):
    def answer(body: dict[str, Any]) -> Said:
        return ANSWER if len(body["input"]) > 1 else Said(text="```julia\nwrong\n```")

    with BatchServer("openai", answer) as server:
        configuration = configured(server, poll=1.0)
        evaluations = ask(world, server, samples=2, strategy="repair", rounds=1, configuration=configuration)
        assert [len(batch.lines) for batch in server.batches] == [4, 4]
    assert Counter(e["outcome"] for e in evaluations) == {"fail": 4, "pass": 4}


@every_style
def test_a_submission_that_fails_after_it_arrived_is_found_and_not_repeated(world, style):
    is_submit = ("/batches", "/batch/jobs", "/messages/batches", ":batchGenerateContent")
    late = iter([500])

    def refuse(method: str, path: str) -> int:
        return next(late, 0) if method == "late" and path.endswith(is_submit) else 0

    with BatchServer(style, lambda body: ANSWER) as server:
        server.refuse = refuse
        assert len(ask(world, server, samples=2)) == 4
        assert len(server.batches) == 1
        assert next(late, None) is None, "the failure was met"


@every_style
def test_a_lost_submission_is_found_behind_hundreds_of_later_ones_of_others(world, style):
    late = iter([500])

    def others_submit(server: BatchServer) -> int:
        server.batches += [Taken(id=f"other{n}", tag="", lines={}) for n in range(250)]
        return 500

    with BatchServer(style, lambda body: ANSWER) as server:
        server.refuse = lambda method, path: (
            others_submit(server) if method == "late" and server.batches and next(late, 0) else 0
        )
        assert len(ask(world, server, samples=2)) == 4
        assert len([batch for batch in server.batches if batch.lines]) == 1
        assert next(late, None) is None, "the failure was met"


@every_style
def test_a_service_that_is_out_of_order_for_a_while_is_asked_again(world, style):
    troubles = iter([503] * 5)
    with BatchServer(style, lambda body: ANSWER) as server:
        server.refuse = lambda method, path: next(troubles, 0) if method != "late" else 0
        ask(world, server)
        assert len(ask(world, server)) == 2
        assert max(Counter(server.submitted).values()) == 1


def test_a_bad_key_fails_the_model_and_leaves_nothing_behind(world):
    with BatchServer("openai", lambda body: ANSWER) as server:
        server.refuse = lambda method, path: 401
        assert ask(world, server) == []
    assert Journal(world.save_dir).jobs() == []


def test_a_model_that_takes_no_batches_says_so(world):
    with pytest.raises(InputError, match="takes no batches"):
        world.run("groq/llama", batch=True)


def test_a_journal_that_cannot_be_read_stops_everything_that_might_be_paid_twice(world):
    with BatchServer("openai", lambda body: ANSWER) as server:
        ask(world, server, case="double")
        [file] = (world.save_dir / ".batches").iterdir()
        file.write_text("{", encoding="utf-8")
        ask(world, server, case="repeat")
        assert len(server.batches) == 1
    assert "knows what was paid for" in world.told(RequestFailed)[0].what


def test_a_job_that_never_reached_the_service_is_forgotten(world):
    with BatchServer("openai", lambda body: ANSWER) as server:
        lost = BatchJob(
            tag="codejury-lost", model="mine", base_url=server.base_url, created=0.0, requests=("cj-1",)
        )
        assert lost.status == SUBMITTING
        Journal(world.save_dir).write(lost)
        assert len(ask(world, server, case="double")) == 1
    assert [job.tag for job in Journal(world.save_dir).jobs() if job.tag == "codejury-lost"] == []


def test_a_batch_of_somebody_else_that_looks_like_ours_is_not_taken_for_it(world):
    with BatchServer("anthropic", lambda body: ANSWER) as server:
        ask(world, server, case="double")
        [job] = Journal(world.save_dir).jobs()
        number = job.requests[0]
        stranger = replace(
            server.batches[0], id="stranger", lines={"other-1": server.batches[0].lines[number]}
        )
        server.batches.append(stranger)
        Journal(world.save_dir).write(replace(job, status=SUBMITTING, id="", ended=False))
        for path in world.files("*__*.json"):
            path.unlink()
        assert len(ask(world, server, case="double")) == 1
        assert [batch.id for batch in server.batches] == ["b0", "stranger"], "ours was found behind it"


def test_a_run_without_batches_says_what_it_would_pay_twice(world):
    waits = BatchJob(
        tag="codejury-1", model="baseline/stub", base_url="x", created=0.0, requests=("cj-1", "cj-2")
    )
    Journal(world.save_dir).write(waits)
    world.run("baseline/stub")
    assert any("2 requests wait in batches" in noted.what for noted in world.told(Noted))


def test_jobs_are_no_larger_than_services_take():
    lines = [Line(number=str(n), body={"x": "y" * (200 if n else 16_000_000)}) for n in range(MOST_LINES + 2)]
    assert [len(job) for job in portions(lines)] == [1, MOST_LINES, 1]


def test_batches_are_listed_and_cancelled(world, monkeypatch, capsys, tmp_path):
    with BatchServer("anthropic", lambda body: ANSWER) as server:
        ask(world, server, case="double")
        [done] = Journal(world.save_dir).jobs()
        lines = {"cj-9": {}}
        server.batches.append(type(server.batches[0])(id="b9", tag="", lines=lines))
        Journal(world.save_dir).write(
            BatchJob(tag="codejury-9", model="mine", base_url=server.base_url, created=9e9,
                     requests=("cj-9",), status="submitted", id="b9")
        )  # fmt: skip
        config = tmp_path / "codejury.toml"
        config.write_text(f'[models.mine]\nprovider = "anthropic"\nbase_url = "{server.base_url}"\n')
        flags = ["--save-dir", str(world.save_dir), "--config", str(config)]
        rows = listed(capsys, flags)
        assert [(row["id"], row["state"]) for row in rows] == [(done.id, "ended"), ("b9", "in_progress")]
        listed(capsys, [*flags, "--cancel", "b9"])
        assert server.batches[-1].status == "cancelled"
        assert run_command(["batches", *flags, "--cancel", "nonsense"]) == 2


def listed(capsys: pytest.CaptureFixture[str], flags: list[str]) -> Any:
    assert run_command(["batches", *flags, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_request_that_an_earlier_version_submitted_is_known_by_its_number() -> None:
    assert number_of(("mine", 1), {"model": "x"}) == "cj-38b844e9b733a1d6dded0c6d49c2f0720fc31a1c3898ba2a"
