"""How services take batches: submit, find, look, fetch, cancel. One class for each way; no state of its own.

Each call sends one request, but for a search in a long list. What goes wrong is raised as a Trouble, with
the Failure that it is.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol
from urllib.parse import quote, urlencode, urlsplit

from ..http import Clients, Endpoint, Reply, Wire
from ..limits import RequestPolicy
from ..replies import (
    FailureKind,
    RequestFailure,
    mapping,
    parsed,
    read_document,
    read_failure,
    shortened,
    text_of,
)
from .journal import BatchJob

RESULT_BYTES: Final = 500_000_000
TAG: Final = "codejury"
PAGE: Final = 100
MOST_PAGES: Final = 1000
"""A service that always says that there is more would be asked for ever."""


class Trouble(Exception):  # noqa: N818 - it carries the failure, which says whose it is
    """A call to a service that failed."""

    def __init__(self, failure: RequestFailure) -> None:
        self.failure = failure
        super().__init__(failure.what)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One request of a batch."""

    number: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How far a job is."""

    word: str
    """The service's own."""
    ended: bool
    done: int | None = None
    results: tuple[str, ...] = ()
    """Where the results are, once it has ended."""


Result = tuple[str, dict[str, Any] | RequestFailure]
"""The number of a request, and the reply that it got."""


class Caller:
    """Sends single requests to one service, and hides its key."""

    def __init__(self, base_url: str, endpoint: Endpoint, clients: Clients, policy: RequestPolicy) -> None:
        self.base_url = base_url.rstrip("/")
        self._endpoint = endpoint
        self._clients = clients
        self._policy = policy

    @property
    def prefix(self) -> str:
        """The path of the service's address: `/v1`."""
        return urlsplit(self.base_url).path

    async def get(self, path: str) -> dict[str, Any]:
        return _document(await self._send("GET", path))

    async def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        return _document(await self._send("POST", path, content))

    async def upload(self, path: str, lines: bytes) -> dict[str, Any]:
        """A file of lines for a batch, as a form."""
        boundary = f"codejury{secrets.token_hex(16)}"
        parts = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="batch.jsonl"\r\n'
            "Content-Type: application/jsonl\r\n\r\n"
        )
        content = parts.encode() + lines + f"\r\n--{boundary}--\r\n".encode()
        return _document(await self._send("POST", path, content, f"multipart/form-data; boundary={boundary}"))

    async def lines(self, path: str) -> list[dict[str, Any]]:
        """A file of JSON objects, one a line; other lines are left out."""
        reply = await self._send("GET", path)
        documents = (parsed(line) for line in reply.body.decode("utf-8", "replace").splitlines())
        return [document for document in documents if isinstance(document, dict)]

    async def _send(
        self, method: str, path: str, content: bytes = b"", content_type: str = "application/json"
    ) -> Reply:
        url = path if path.startswith("http") else self.base_url + path
        if urlsplit(url).netloc != urlsplit(self.base_url).netloc:
            raise Trouble(
                RequestFailure(
                    kind=FailureKind.MODEL, what=f"the service points to another one: {shortened(url)}"
                )
            )
        wire = Wire(self._endpoint.at(url), self._policy)
        reply = await wire.send(self._clients, method, content, content_type=content_type, most=RESULT_BYTES)
        if isinstance(reply, RequestFailure):
            raise Trouble(reply)
        if not 200 <= reply.status < 300:
            raise Trouble(read_failure(reply.status, reply.body.decode("utf-8", "replace")))
        if reply.is_cut:
            raise Trouble(
                RequestFailure(
                    kind=FailureKind.REQUEST, what=f"the results are larger than {RESULT_BYTES:,} bytes"
                )
            )
        return reply


def _document(reply: Reply) -> dict[str, Any]:
    document = read_document(reply.body.decode("utf-8", "replace"))
    if isinstance(document, RequestFailure):
        raise Trouble(document)
    return document


class BatchService(Protocol):
    """One way to take batches."""

    async def submit(self, job: BatchJob, lines: Sequence[Line]) -> str:
        """Hand a job over; gives the service's name of it."""

    async def find(self, job: BatchJob, known: Collection[str]) -> str:
        """The service's name of a job that may have been handed over; "" if it has none like it.

        `known` are those of other jobs.
        """

    async def state(self, identifier: str) -> State: ...

    async def results(self, state: State) -> list[Result]:
        """What became of the requests: in any order, and perhaps not of all."""

    async def cancel(self, identifier: str) -> None: ...


def _listed(document: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    items = document.get(key)
    return (mapping(item) for item in (items if isinstance(items, list) else []))


NextPage = Callable[[Mapping[str, Any], int], Mapping[str, Any]]
"""Of a page of a list, and the number of pages before it: what asks for the next; empty after the last."""


async def _jobs(caller: Caller, path: str, key: str, following: NextPage) -> AsyncIterator[Mapping[str, Any]]:
    """All jobs that a service lists, the latest first, so that a lost one is found among thousands."""
    asked = path
    for number in range(MOST_PAGES):
        document = await caller.get(asked)
        for job in _listed(document, key):
            yield job
        if not (more := following(document, number)):
            return
        asked = f"{path}&{urlencode(more)}"


def _after_last(parameter: str) -> NextPage:
    """Lists that say `has_more`, and go on behind the last job of a page."""

    def following(document: Mapping[str, Any], number: int) -> Mapping[str, Any]:
        *_, last = ("", *(text_of(job.get("id")) for job in _listed(document, "data")))
        return {parameter: last} if document.get("has_more") is True and last else {}

    return following


def _by_number(document: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    """Lists that count their pages from 0, and say how many jobs there are."""
    total = document.get("total")
    more = type(total) is int and total > (number + 1) * PAGE and any(_listed(document, "data"))
    return {"page": number + 1} if more else {}


def _by_token(document: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    token = text_of(document.get("nextPageToken"))
    return {"pageToken": token} if token else {}


def _identifier(document: Mapping[str, Any], key: str = "id") -> str:
    if not (identifier := text_of(document.get(key))):
        raise Trouble(
            RequestFailure(kind=FailureKind.RETRY, what="the service did not say what it calls the batch")
        )
    return identifier


class OpenAIBatches:
    """A file is uploaded, and a batch made of it; its results are files, too."""

    jobs: str = "/batches"
    over: Mapping[str, str] = {
        "completed": "completed", "failed": "failed", "expired": "expired", "cancelled": "cancelled",
    }  # fmt: skip
    result_files = ("output_file_id", "error_file_id")
    newest: str = f"limit={PAGE}"
    """Asks for the list of the latest jobs."""
    following: NextPage = staticmethod(_after_last("after"))

    def __init__(self, caller: Caller, model: str, path: str) -> None:
        self._caller = caller
        self._model = model
        self._endpoint = caller.prefix + path

    async def submit(self, job: BatchJob, lines: Sequence[Line]) -> str:
        rows = [json.dumps(self._row(line), ensure_ascii=False) for line in lines]
        content = "\n".join(rows).encode("utf-8", "replace")
        file = _identifier(await self._caller.upload("/files", content))
        return _identifier(await self._caller.post(self.jobs, self._spec(job, file)))

    def _row(self, line: Line) -> dict[str, Any]:
        return {"custom_id": line.number, "method": "POST", "url": self._endpoint, "body": line.body}

    def _spec(self, job: BatchJob, file: str) -> dict[str, Any]:
        spec = {"input_file_id": file, "endpoint": self._endpoint, "completion_window": "24h"}
        return {**spec, "metadata": {TAG: job.tag}}

    async def find(self, job: BatchJob, known: Collection[str]) -> str:
        async for item in _jobs(self._caller, f"{self.jobs}?{self.newest}", "data", self.following):
            if mapping(item.get("metadata")).get(TAG) == job.tag:
                return _identifier(item)
        return ""

    async def state(self, identifier: str) -> State:
        job = await self._caller.get(f"{self.jobs}/{quote(identifier)}")
        word = text_of(job.get("status"))
        files = tuple(text_of(job.get(key)) for key in self.result_files if job.get(key))
        done = mapping(job.get("request_counts")).get("completed", job.get("succeeded_requests"))
        return State(word=word, ended=word in self.over, done=done, results=files)

    async def results(self, state: State) -> list[Result]:
        found: list[Result] = []
        for file in state.results:
            rows = await self._caller.lines(f"/files/{quote(file)}/content")
            found += [(text_of(row.get("custom_id")), _openai_reply(row)) for row in rows]
        return found

    async def cancel(self, identifier: str) -> None:
        await self._caller.post(f"{self.jobs}/{quote(identifier)}/cancel", {})


def _openai_reply(row: Mapping[str, Any]) -> dict[str, Any] | RequestFailure:
    reply = mapping(row.get("response"))
    status, body = reply.get("status_code"), reply.get("body")
    if status == 200 and isinstance(body, dict):
        return body
    said = json.dumps(body or {"error": row.get("error") or "no reply"})
    return read_failure(status if type(status) is int and status >= 400 else 500, said)


class MistralBatches(OpenAIBatches):
    """As OpenAI's, with other words; the model is named once."""

    jobs = "/batch/jobs"
    over: Mapping[str, str] = {
        "SUCCESS": "completed", "FAILED": "failed", "TIMEOUT_EXCEEDED": "expired", "CANCELLED": "cancelled",
    }  # fmt: skip
    result_files = ("output_file", "error_file")
    newest = f"page_size={PAGE}&order_by=-created"
    following = staticmethod(_by_number)

    def _row(self, line: Line) -> dict[str, Any]:
        body = {name: value for name, value in line.body.items() if name != "model"}
        return {"custom_id": line.number, "body": body}

    def _spec(self, job: BatchJob, file: str) -> dict[str, Any]:
        spec = {"input_files": [file], "endpoint": self._endpoint, "model": self._model}
        return {**spec, "metadata": {TAG: job.tag}}


class AnthropicBatches:
    """All requests in one call. A batch carries no tag of ours: a lost one is told by when it was made."""

    def __init__(self, caller: Caller, model: str, path: str) -> None:
        self._caller = caller

    async def submit(self, job: BatchJob, lines: Sequence[Line]) -> str:
        requests = [{"custom_id": line.number, "params": line.body} for line in lines]
        return _identifier(await self._caller.post("/messages/batches", {"requests": requests}))

    async def find(self, job: BatchJob, known: Collection[str]) -> str:
        """A batch of as many requests, made after the job was written down, that no other job has.

        Its results name our requests; those of a stranger's batch would name others, and be no answers.
        """
        path = f"/messages/batches?limit={PAGE}"
        async for item in _jobs(self._caller, path, "data", _after_last("after_id")):
            counts = mapping(item.get("request_counts")).values()
            total = sum(count for count in counts if type(count) is int)
            is_new = _seconds(item.get("created_at")) >= job.created - CLOCKS_DIFFER
            if total == len(job.requests) and is_new and item.get("id") not in known:
                return _identifier(item)
        return ""

    async def state(self, identifier: str) -> State:
        job = await self._caller.get(f"/messages/batches/{quote(identifier)}")
        word, counts = text_of(job.get("processing_status")), mapping(job.get("request_counts"))
        done = counts.get("succeeded")
        url = text_of(job.get("results_url"))
        return State(word=word, ended=word == "ended", done=done, results=(url,) if url else ())

    async def results(self, state: State) -> list[Result]:
        rows = [row for url in state.results for row in await self._caller.lines(url)]
        return [(text_of(row.get("custom_id")), _anthropic_reply(mapping(row.get("result")))) for row in rows]

    async def cancel(self, identifier: str) -> None:
        await self._caller.post(f"/messages/batches/{quote(identifier)}/cancel", {})


CLOCKS_DIFFER: Final = 60.0
"""Seconds that the clock of a service may be behind ours."""


def _seconds(moment: Any) -> float:
    try:
        return datetime.fromisoformat(moment).timestamp()
    except (TypeError, ValueError):
        return 0.0


def _anthropic_reply(result: Mapping[str, Any]) -> dict[str, Any] | RequestFailure:
    if result.get("type") == "succeeded":
        return dict(mapping(result.get("message")))
    error = mapping(result.get("error"))
    said = error.get("error") or error or {"message": f"the request is {text_of(result.get('type'))}"}
    return read_failure(500, json.dumps({"error": said}))


class GoogleBatches:
    """All requests in one call, with a name of ours; the results are part of the job."""

    def __init__(self, caller: Caller, model: str, path: str) -> None:
        self._caller = caller
        self._model = model

    async def submit(self, job: BatchJob, lines: Sequence[Line]) -> str:
        requests = [{"request": line.body, "metadata": {"key": line.number}} for line in lines]
        batch = {"displayName": job.tag, "inputConfig": {"requests": {"requests": requests}}}
        path = f"/models/{quote(self._model)}:batchGenerateContent"
        return _identifier(await self._caller.post(path, {"batch": batch}), "name")

    async def find(self, job: BatchJob, known: Collection[str]) -> str:
        async for item in _jobs(self._caller, f"/batches?pageSize={PAGE}", "operations", _by_token):
            if mapping(item.get("metadata")).get("displayName") == job.tag:
                return _identifier(item, "name")
        return ""

    async def state(self, identifier: str) -> State:
        job = await self._caller.get(f"/{quote(identifier)}")
        about = mapping(job.get("metadata"))
        word = text_of(about.get("state"))
        end = word.rpartition("STATE_")[2]
        ended = end in ("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED", "PARTIALLY_SUCCEEDED")
        done = mapping(about.get("batchStats")).get("successfulRequestCount")
        count = int(done) if isinstance(done, str) and done.isdecimal() else None
        return State(word=end.lower(), ended=ended, done=count, results=(identifier,) if ended else ())

    async def results(self, state: State) -> list[Result]:
        found: list[Result] = []
        for name in state.results:
            job = await self._caller.get(f"/{quote(name)}")
            output = mapping(mapping(job.get("metadata")).get("output"))
            inlined = mapping(output.get("inlinedResponses"))
            items = _listed(inlined, "inlinedResponses")
            found += [(text_of(mapping(i.get("metadata")).get("key")), _google_reply(i)) for i in items]
        return found

    async def cancel(self, identifier: str) -> None:
        await self._caller.post(f"/{quote(identifier)}:cancel", {})


def _google_reply(item: Mapping[str, Any]) -> dict[str, Any] | RequestFailure:
    reply = item.get("response")
    if isinstance(reply, dict):
        return reply
    return read_failure(500, json.dumps({"error": item.get("error") or "no reply"}))


BATCH_SERVICES: Final[Mapping[str, Any]] = {
    "openai": OpenAIBatches,
    "mistral": MistralBatches,
    "anthropic": AnthropicBatches,
    "google": GoogleBatches,
}
"""By the name that `providers.toml` gives under `batches`; each is made of a caller, a model and a path."""
