"""A model that is asked in batches: to a run it looks like any other, and takes its time."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

from ...errors import ModelRefused
from ...records import Completion, Message, Prompt, TestCase
from ..hosted import HostedModel
from ..http import Clients
from ..protocol import Model, NotSent, Parameters
from ..providers import Provider
from ..replies import RequestFailure
from ..spec import ModelSpec, effective, service_of
from .collect import Jobs
from .journal import Journal
from .services import BATCH_SERVICES, BatchService, Caller, Line

if TYPE_CHECKING:
    from ..session import Session

POLL_SECONDS: Final = 30.0


def make(spec: ModelSpec, session: Session) -> Model:
    """ModelRefused where a service takes no batches."""
    service = service_of(spec)
    if service is None or not service.batches:
        raise ModelRefused(f"{spec.name}: takes no batches; leave --batch out")
    return BatchModel(spec, service, session)


def batch_service(hosted: HostedModel, spec: ModelSpec, service: Provider, clients: Clients) -> BatchService:
    caller = Caller(service.base_url, hosted.endpoint(""), clients, spec.policy)
    path = hosted.adapter.path(spec.model, streams=False)
    made: BatchService = BATCH_SERVICES[service.batches](caller, spec.model, path)
    return made


class BatchModel:
    """Puts each question into a job, and waits for its result."""

    def __init__(self, spec: ModelSpec, service: Provider, session: Session) -> None:
        assert session.batch_folder is not None
        self.name = spec.name
        self._spec = spec
        self._service = service
        self._session = session
        self._hosted = HostedModel(spec, service, session)
        self._journal = Journal(session.batch_folder)
        self._is_stopped = False

    def stop_sending(self) -> None:
        self._is_stopped = True
        self._jobs().stop()

    async def complete(
        self,
        prompt: Prompt,
        parameters: Parameters,
        *,
        test_case: TestCase,
        previous: tuple[Message, ...] = (),
        sample: int = 0,
    ) -> Completion:
        if self._is_stopped:
            raise NotSent(f"{self.name}: not sent: the run asks it nothing more")
        given = effective(self._spec, parameters)
        body = self._hosted.request((*prompt.messages, *previous), given, streams=False)
        body.pop("stream", None)
        asked = (self.name, test_case.category, test_case.name, prompt.label, sample)
        began = self._session.clock.now()
        reply = await self._jobs().ask(Line(number=number_of(asked, body), body=body))
        answer = reply if isinstance(reply, RequestFailure) else self._hosted.adapter.read(reply)
        seconds = self._session.clock.now() - began
        return self._hosted.outcome(answer, seconds, factor=self._service.batch_price)

    def _jobs(self) -> Jobs:
        return self._session.shared(("batches", self.name), self._new_jobs)

    def _new_jobs(self) -> Jobs:
        clients = self._session.clients(near=self._hosted.is_near)
        return Jobs(
            batch_service(self._hosted, self._spec, self._service, clients),
            self._journal,
            model=self.name,
            base_url=self._service.base_url,
            clock=self._session.clock,
            poll_seconds=self._spec.batch_poll_seconds or POLL_SECONDS,
            tell=lambda progress: self._session.on_batch(progress),
        )


def number_of(asked: tuple[str | int, ...], body: dict[str, Any]) -> str:
    """What a request is called: the same for the same question and sample, in every run."""
    text = json.dumps([*asked, body], sort_keys=True, ensure_ascii=False)
    return f"cj-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:48]}"
