"""Services that take batches, on loopback: real HTTP, replies made of the services' own types.

    with BatchServer("openai", answer) as server:
        ...  # each batch ends when it was looked at `looks` times

`batches` is the log: every batch that was accepted, with the requests in it. `meanwhile` is called with each
request before and after it takes effect, and may kill whoever asks.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs

import anthropic.types.messages as claude_batches
from google.genai import types as gemini
from openai.types import Batch as OpenAIBatch
from openai.types import batch_create_params, batch_list_params

from services import SERVICES, Said, Service, plain, takes

CLAUDE, OPENAI, CHAT, GEMINI = SERVICES
SPEAKS: dict[str, Service] = {"openai": OPENAI, "anthropic": CLAUDE, "google": GEMINI, "mistral": CHAT}
PROVIDERS = {"openai": "openai", "anthropic": "anthropic", "google": "google", "mistral": "mistral"}

# The parameters by which a list of jobs can be asked for; mistralai, whose names these are, is not installed.
LISTED_BY = {
    "openai": set(batch_list_params.BatchListParams.__annotations__),
    "anthropic": set(claude_batches.batch_list_params.BatchListParams.__annotations__),
    "google": {"pageSize", "pageToken", "filter"},
    "mistral": {"page", "page_size", "model", "metadata", "created_after", "status", "order_by"},
}

Answers = Callable[[dict[str, Any]], Said | None]
"""What is said to a request; None for an error."""


@dataclass
class Taken:
    """A batch that was accepted."""

    id: str
    tag: str
    lines: dict[str, dict[str, Any]]
    created: float = field(default_factory=time.time)
    looks: int = 0
    status: str = "in_progress"


class BatchServer:
    def __init__(self, style: str, answer: Answers, *, looks: int = 1) -> None:
        self.style = style
        self.answer = answer
        self.looks = looks
        self.batches: list[Taken] = []
        self.meanwhile: Callable[[str, str, str], None] = lambda phase, method, path: None
        self.refuse: Callable[[str, str], int] = lambda method, path: 0
        self.spoil: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = lambda rows: rows
        self.ends_as = ""
        """In place of the usual word."""
        self._files: dict[str, list[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.handle(self, b"")

            def do_POST(self) -> None:
                outer.handle(self, self.rfile.read(int(self.headers.get("Content-Length", 0))))

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def submitted(self) -> list[str]:
        """The numbers of all requests of all batches."""
        return [number for batch in self.batches for number in batch.lines]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join(10)
        self._server.server_close()

    def handle(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        method, path = handler.command, handler.path.removeprefix("/v1")
        self.meanwhile("before", method, path)
        with self._lock:
            status = self.refuse(method, path)
            reply = b'{"error": {"message": "refused"}}' if status else self._reply(method, path, body)
        refused_late = 0 if status else self.refuse("late", path)
        self.meanwhile("after", method, path)
        try:
            handler.send_response(status or refused_late or 200)
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(reply)))
            handler.end_headers()
            handler.wfile.write(reply)
        except OSError:
            pass  # whoever asked is dead

    def _reply(self, method: str, path: str, body: bytes) -> bytes:
        if method == "POST" and path == "/files":
            [content] = re.findall(rb"application/jsonl\r\n\r\n(.*)\r\n--codejury\w+--", body, re.DOTALL)
            self._files[f"file-{len(self._files)}"] = [json.loads(line) for line in content.splitlines()]
            return json.dumps({"id": f"file-{len(self._files) - 1}"}).encode()
        if match := re.fullmatch(r"/files/(.+)/content", path):
            return self._rows(match[1].removeprefix("results-"))
        if match := re.fullmatch(r"/messages/batches/(.+)/results", path):
            return self._rows(match[1])
        if match := re.search(r"([\w-]+)[/:]cancel$", path):
            self._find(match[1]).status = "cancelled"
            return b"{}"
        if method == "POST":
            return json.dumps(self._shown(self._accepted(json.loads(body)))).encode()
        return json.dumps(self._looked_at(*path.partition("?")[::2])).encode()

    def _accepted(self, order: dict[str, Any]) -> Taken:
        tag, lines = getattr(self, f"_{self.style}_order")(order)
        batch = Taken(id=f"b{len(self.batches)}", tag=tag, lines=lines)
        self.batches.append(batch)
        return batch

    def _openai_order(self, order: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        takes(batch_create_params.BatchCreateParams, order)
        rows = self._files[order["input_file_id"]]
        assert all(row["url"] == order["endpoint"] == "/v1/responses" for row in rows)
        return order["metadata"]["codejury"], {row["custom_id"]: row["body"] for row in rows}

    def _mistral_order(self, order: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        assert set(order) <= {"endpoint", "input_files", "requests", "model", "metadata", "timeout_hours"}
        assert order["endpoint"] == "/v1/chat/completions"
        rows = self._files[order["input_files"][0]]
        assert all(set(row) == {"custom_id", "body"} for row in rows)
        bodies = {row["custom_id"]: {**row["body"], "model": order["model"]} for row in rows}
        return order["metadata"]["codejury"], bodies

    def _anthropic_order(self, order: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        takes(claude_batches.batch_create_params.BatchCreateParams, order)
        return "", {row["custom_id"]: row["params"] for row in order["requests"]}

    def _google_order(self, order: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        batch = order["batch"]
        rows = batch["inputConfig"]["requests"]["requests"]
        return batch["displayName"], {row["metadata"]["key"]: row["request"] for row in rows}

    def _looked_at(self, path: str, query: str) -> dict[str, Any]:
        name = path.rpartition("/")[2]
        if name in ("batches", "jobs"):
            asked = {name: value for name, [value] in parse_qs(query).items()}
            assert set(asked) <= LISTED_BY[self.style], query
            return self._page(asked)
        batch = self._find(name)
        batch.looks += 1
        if batch.looks > self.looks and batch.status == "in_progress":
            batch.status = "completed"
        return self._shown(batch, with_results=True)

    def _page(self, asked: dict[str, str]) -> dict[str, Any]:
        """A page of the list of jobs, the latest first, as long and where it was asked for."""
        size = int(asked.get("limit") or asked.get("page_size") or asked["pageSize"])
        latest = [batch.id for batch in reversed(self.batches)]
        behind = asked.get("after") or asked.get("after_id")
        begin = latest.index(behind) + 1 if behind else int(asked.get("pageToken", 0))
        begin += size * int(asked.get("page", 0))
        page = latest[begin : begin + size]
        shown = [self._shown(self._find(name)) for name in page]
        is_last = begin + size >= len(latest)
        if self.style == "google":
            return {"operations": shown} | ({} if is_last else {"nextPageToken": str(begin + size)})
        if self.style == "mistral":
            return {"data": shown, "total": len(latest), "object": "list"}
        return {"data": shown, "has_more": not is_last, "last_id": page[-1] if page else None}

    def _find(self, name: str) -> Taken:
        return next(batch for batch in self.batches if batch.id == name)

    def _shown(self, batch: Taken, *, with_results: bool = False) -> dict[str, Any]:
        shown: dict[str, Any] = getattr(self, f"_{self.style}_batch")(batch, with_results)
        return shown

    def _openai_batch(self, batch: Taken, with_results: bool) -> dict[str, Any]:
        over = batch.status != "in_progress"
        return plain(
            OpenAIBatch.model_validate(
                {
                    "id": batch.id, "completion_window": "24h", "created_at": int(batch.created),
                    "endpoint": "/v1/responses", "input_file_id": "f", "object": "batch",
                    "status": (self.ends_as or batch.status) if over else batch.status,
                    "output_file_id": f"results-{batch.id}" if over else None,
                    "metadata": {"codejury": batch.tag},
                    "request_counts": {"completed": 0, "failed": 0, "total": len(batch.lines)},
                }
            )
        )  # fmt: skip

    def _mistral_batch(self, batch: Taken, with_results: bool) -> dict[str, Any]:
        words = {"in_progress": "RUNNING", "completed": "SUCCESS", "cancelled": "CANCELLED"}
        over = batch.status != "in_progress"
        return {
            "id": batch.id, "object": "batch", "input_files": ["f"], "endpoint": "/v1/chat/completions",
            "model": "m", "errors": [], "status": words[batch.status], "created_at": int(batch.created),
            "metadata": {"codejury": batch.tag}, "total_requests": len(batch.lines),
            "completed_requests": len(batch.lines) if over else 0, "succeeded_requests": 0,
            "failed_requests": 0, "output_file": f"results-{batch.id}" if over else None, "error_file": None,
        }  # fmt: skip

    def _anthropic_batch(self, batch: Taken, with_results: bool) -> dict[str, Any]:
        over = batch.status != "in_progress"
        created = datetime.fromtimestamp(batch.created, UTC)
        counts = dict.fromkeys(("canceled", "errored", "expired", "processing", "succeeded"), 0)
        counts["succeeded" if over else "processing"] = len(batch.lines)
        url = f"{self.base_url}/messages/batches/{batch.id}/results"
        return plain(
            claude_batches.MessageBatch.model_validate(
                {
                    "id": batch.id, "type": "message_batch", "created_at": created, "expires_at": created,
                    "processing_status": "ended" if over else "in_progress", "request_counts": counts,
                    "results_url": url if over else None,
                }
            )
        )  # fmt: skip

    def _google_batch(self, batch: Taken, with_results: bool) -> dict[str, Any]:
        words = {"in_progress": "RUNNING", "completed": "SUCCEEDED", "cancelled": "CANCELLED"}
        about: dict[str, Any] = {"displayName": batch.tag, "state": f"JOB_STATE_{words[batch.status]}"}
        assert gemini.JobState(about["state"]).value == about["state"]
        if batch.status != "in_progress" and with_results:
            rows = json.loads(b"[" + self._rows(batch.id).replace(b"\n", b",") + b"]")
            about["output"] = {"inlinedResponses": {"inlinedResponses": rows}}
        return {"name": f"batches/{batch.id}", "metadata": about}

    def _rows(self, name: str) -> bytes:
        batch = self._find(name)
        given = {} if batch.status == "cancelled" else batch.lines
        rows = [getattr(self, f"_{self.style}_row")(number, body) for number, body in given.items()]
        return b"\n".join(json.dumps(row).encode() for row in self.spoil(rows))

    def _openai_row(self, number: str, body: dict[str, Any]) -> dict[str, Any]:
        said = self.answer(body)
        if said is None:
            return {"id": "r", "custom_id": number, "response": None, "error": {"code": "batch_expired"}}
        reply = {"status_code": 200, "request_id": "x", "body": SPEAKS[self.style].whole(said)}
        return {"id": "r", "custom_id": number, "response": reply, "error": None}

    _mistral_row = _openai_row

    def _anthropic_row(self, number: str, body: dict[str, Any]) -> dict[str, Any]:
        said = self.answer(body)
        result = {"type": "expired"} if said is None else {"type": "succeeded", "message": CLAUDE.whole(said)}
        row = {"custom_id": number, "result": result}
        return plain(claude_batches.MessageBatchIndividualResponse.model_validate(row))

    def _google_row(self, number: str, body: dict[str, Any]) -> dict[str, Any]:
        said = self.answer(body)
        error = {"code": 4, "message": "expired"}
        reply = {"error": error} if said is None else {"response": GEMINI.whole(said)}
        return {**reply, "metadata": {"key": number}}
