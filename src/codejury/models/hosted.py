"""The client for every server, whatever its wire format: hosted, local, or the user's own.

One request is a ladder: wait for a place, send, read, understand, and if it failed in a way that
passes, wait and try again. Each rung has a bound.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, ModelRefused, ModelUnavailable
from ..records import Completion, Message, Prompt, TestCase
from .adapters import adapter_named
from .adapters.base import Question
from .http import Endpoint, Reply, Wire
from .keys import Scrubber, Secret
from .limits import SendingStopped, StopSignal, backoff, retry_after
from .prices import Usage
from .protocol import Model, NotSent, Parameters, RequestRefused, Retry
from .providers import Provider
from .replies import Answer, FailureKind, RequestFailure, read_document, read_failure, shortened
from .spec import ModelSpec, effective, key_variables, price_of, service_of
from .streams import StreamReader

if TYPE_CHECKING:
    from .limits import AdaptiveLimiter
    from .session import Session


def make(spec: ModelSpec, session: Session) -> Model:
    """A model of a known provider, or of the server at `spec.base_url`."""
    service = service_of(spec)
    assert service is not None, "the table leads here for nothing else"
    return HostedModel(spec, service, session)


class HostedModel:
    """One model of one server."""

    def __init__(self, spec: ModelSpec, provider: Provider, session: Session) -> None:
        self.name = spec.name
        self._spec = spec
        self._service = provider
        self.adapter = adapter_named(provider.adapter)
        self._secret = _key(spec, session)
        self._scrub = Scrubber(self._secret)
        path = self.adapter.path(spec.model, streams=provider.streams)
        self._wire = Wire(self.endpoint(path), spec.policy)
        self._limiter = _limiter(spec, provider, session)
        self._session = session
        self._price = price_of(spec)
        self._price(Usage(read=0, written=0))  # loads the price list now, not between two answers
        self._stop_signal = StopSignal()
        self._server_names = session.names_at(provider.base_url)
        self._server_names.add(spec.model)

    def endpoint(self, path: str) -> Endpoint:
        """The way to a path of this service."""
        return Endpoint(
            url=self._service.base_url.rstrip("/") + path,
            headers=self.adapter.headers,
            key_header=self.adapter.key_header,
            key_prefix=self.adapter.key_prefix,
            secret=self._secret,
        )

    @property
    def is_near(self) -> bool:
        return self._wire.is_near

    def stop_sending(self) -> None:
        """From now on nothing is sent; what was sent may still be answered."""
        self._stop_signal.set()

    async def complete(
        self,
        prompt: Prompt,
        parameters: Parameters,
        *,
        test_case: TestCase,
        previous: tuple[Message, ...] = (),
        sample: int = 0,
    ) -> Completion:
        body = self._body((*prompt.messages, *previous), effective(self._spec, parameters))
        try:
            return await self._answered(body)
        except SendingStopped:
            raise NotSent(f"{self.name}: not sent: the run asks it nothing more") from None

    async def _answered(self, body: bytes) -> Completion:
        """The answer, after as many tries as it takes or makes sense."""
        retry = 0
        while isinstance(outcome := await self._attempt(body), RequestFailure):
            if not self._is_worth_another_try(outcome, retry) or not await self._waited(outcome, retry):
                raise self._error(outcome, tries=retry + 1)
            retry += 1
        return replace(outcome, retries=retry)

    def _is_worth_another_try(self, failure: RequestFailure, retry: int) -> bool:
        policy = self._spec.policy
        asks_too_much = (failure.retry_after or 0.0) > policy.longest_pause
        return not failure.is_final and not asks_too_much and retry + 1 < policy.tries

    def request(
        self, messages: tuple[Message, ...], parameters: Parameters, *, streams: bool
    ) -> dict[str, Any]:
        """What is sent, with the parameters as they are."""
        question = Question(
            model=self._spec.model,
            messages=messages,
            parameters=parameters,
            service=self._service,
            streams=streams,
        )
        return self.adapter.body(question)

    def _body(self, messages: tuple[Message, ...], parameters: Parameters) -> bytes:
        body = self.request(messages, parameters, streams=self._service.streams)
        return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")

    def outcome(self, answer: Answer | RequestFailure, seconds: float, *, factor: float) -> Completion:
        """What became of a request that somebody else has sent; ModelError if it is no answer."""
        if isinstance(answer, RequestFailure):
            raise self._error(replace(answer, what=self._scrub.message(answer.what)), tries=1)
        completion = self._completion(answer, seconds)
        return replace(completion, cost=None if completion.cost is None else completion.cost * factor)

    async def _attempt(self, body: bytes) -> Completion | RequestFailure:
        """One request, at the limiter's pace."""
        async with self._limiter.slot(self._stop_signal) as started:
            outcome = await self._exchange(body)
            if isinstance(outcome, Completion):
                self._limiter.succeeded()
            elif outcome.kind is FailureKind.OVERLOAD:
                pause = min(outcome.retry_after or 0.0, self._spec.policy.longest_pause)
                self._limiter.overloaded(started, pause)
            return outcome

    async def _exchange(self, body: bytes) -> Completion | RequestFailure:
        clock = self._session.clock
        clients = self._session.clients(near=self.is_near)
        began = clock.now()
        stream = self._stream() if self._service.streams else None
        reply = await self._wire.post(clients, body, stream)
        outcome = self._understood(reply, stream) if isinstance(reply, Reply) else reply
        if isinstance(outcome, RequestFailure):
            return replace(outcome, what=self._scrub.message(outcome.what))
        return self._completion(outcome, clock.now() - began)

    def _stream(self) -> StreamReader:
        return StreamReader(self.adapter.collector(), most=self._spec.policy.answer_bytes)

    def _understood(self, reply: Reply, stream: StreamReader | None) -> Answer | RequestFailure:
        if not 200 <= reply.status < 300:
            text = reply.body.decode("utf-8", errors="replace")
            asked = retry_after(reply.headers, self._session.clock.wall())
            return read_failure(reply.status, self._scrub.message(text), asked)
        if reply.is_cut:  # not asked again: it would cost as much a second time
            most = self._spec.policy.answer_bytes
            return RequestFailure(
                kind=FailureKind.REQUEST, what=f"the answer is larger than {most:,} bytes and was cut off"
            )
        document = stream.document() if reply.is_streamed and stream else self._document(reply.body)
        answer = document if isinstance(document, RequestFailure) else self.adapter.read(document)
        if isinstance(answer, Answer) and self._server_names.is_anothers(self._spec.model, answer.model):
            return RequestFailure(
                kind=FailureKind.RETRY, what=f"the server sent an answer of {shortened(answer.model)}"
            )
        return answer

    def _document(self, body: bytes) -> dict[str, Any] | RequestFailure:
        return read_document(self._scrub.answer(body.decode("utf-8", errors="replace")))

    def _completion(self, answer: Answer, seconds: float) -> Completion:
        return Completion(
            text=self._scrub.answer(answer.text),
            prompt_tokens=answer.usage.read,
            completion_tokens=answer.usage.written,
            elapsed_seconds=seconds,
            cost=self._price(answer.usage),
            finish_reason=self._scrub.message(answer.finish_reason),
            reasoning=self._scrub.answer(answer.reasoning),
            reasoning_tokens=answer.usage.reasoning,
        )

    async def _waited(self, failure: RequestFailure, retry: int) -> bool:
        """Whether it is time to try again; False where nothing more is to be sent."""
        clock = self._session.clock
        seconds = backoff(retry, clock.random(), self._spec.policy, failure.retry_after)
        self._session.on_retry(Retry(model=self.name, what=failure.what, seconds=seconds))
        try:
            await self._stop_signal.or_stopped(clock.sleep(seconds))
        except SendingStopped:
            return False
        return True

    def _error(self, failure: RequestFailure, tries: int) -> ModelError:
        repairs = [failure.repair] if failure.repair else []
        if failure.kind is FailureKind.MODEL and self._secret:
            repairs.append(f"the key is read from {self._secret.name}")
        advice = f" ({'; '.join(repairs)})" if repairs else ""
        text = f"{self.name}: {failure.what}{advice}"
        if failure.kind is FailureKind.MODEL:
            return ModelRefused(text)
        if failure.kind is FailureKind.REQUEST:
            return RequestRefused(text)
        times = f"{tries} tries" if tries > 1 else "1 try"
        return ModelUnavailable(f"{text}; gave up after {times}", retry_after=failure.retry_after)


def _key(spec: ModelSpec, session: Session) -> Secret | None:
    variables = key_variables(spec)
    secret = session.keyring.find(variables)
    if secret is None and variables and not spec.key_is_optional:
        names = " or ".join(variables)
        raise ModelRefused(f"{spec.name}: no key: set {names} in the environment or in a .env file here")
    return secret


def _limiter(spec: ModelSpec, provider: Provider, session: Session) -> AdaptiveLimiter:
    """One for all models of a service, unless a model's table sets limits of its own."""
    shared_by_all = not (spec.max_connections or spec.requests_per_minute)
    owner = provider.base_url if shared_by_all else spec.name
    most = spec.max_connections or session.max_connections or provider.max_connections
    return session.limiter(owner, most, spec.requests_per_minute)
