"""The client for every server that speaks the OpenAI chat protocol: hosted, local, or the user's own.

One request is a ladder: wait for a place, send, read, understand, and if it failed in a way that
passes, wait and try again. Each rung has a bound.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import ModelError, ModelRefused, ModelUnavailable
from ..records import Completion, Message, Prompt, TestCase
from .keys import Scrubber, Secret
from .order import Order, effective, key_variables, price_of, service_of
from .patience import backoff, retry_after
from .protocol import Model, NotSent, Parameters, RequestRefused, Retry
from .providers import Provider
from .replies import Answer, Failure, Kind, read_answer, read_failure, shortened
from .shutter import Shut, Shutter
from .wire import Clients, Reply, Wire

if TYPE_CHECKING:
    from .limiter import AdaptiveLimiter
    from .session import Session


def make(order: Order, session: Session) -> Model:
    """A model of a known provider, or of the server at `order.base_url`."""
    service = service_of(order)
    assert service is not None, "the table leads here for nothing else"
    return ChatModel(order, service, session)


class ChatModel:
    """One model of one server."""

    def __init__(self, order: Order, provider: Provider, session: Session) -> None:
        self.name = order.name
        self._order = order
        self._names = provider.names
        self._secret = _key(order, session)
        self._scrub = Scrubber(self._secret)
        self._wire = Wire(provider.base_url, self._secret, order.patience)
        self._limiter = _limiter(order, provider, session)
        self._session = session
        self._price = price_of(order)
        self._price(0, 0)  # loads the price list now, not between two answers
        self._shutter = Shutter()
        self._server_names = session.names_at(provider.base_url)
        self._server_names.add(order.model)

    def stop_sending(self) -> None:
        """From now on nothing is sent; what was sent may still be answered."""
        self._shutter.close()

    async def complete(
        self,
        prompt: Prompt,
        parameters: Parameters,
        *,
        test_case: TestCase,
        previous: tuple[Message, ...] = (),
        sample: int = 0,
    ) -> Completion:
        body = self._body((*prompt.messages, *previous), effective(self._order, parameters))
        try:
            return await self._answered(body)
        except Shut:
            raise NotSent(f"{self.name}: not sent: the run asks it nothing more") from None

    async def _answered(self, body: bytes) -> Completion:
        """The answer, after as many tries as it takes or makes sense."""
        retry = 0
        while isinstance(outcome := await self._attempt(body), Failure):
            if not self._is_worth_another_try(outcome, retry) or not await self._waited(outcome, retry):
                raise self._error(outcome, tries=retry + 1)
            retry += 1
        return replace(outcome, retries=retry)

    def _is_worth_another_try(self, failure: Failure, retry: int) -> bool:
        patience = self._order.patience
        asks_too_much = (failure.retry_after or 0.0) > patience.longest_pause
        return not failure.is_final and not asks_too_much and retry + 1 < patience.tries

    def _body(self, messages: tuple[Message, ...], parameters: Parameters) -> bytes:
        named = {self._names.get(name, name): value for name, value in parameters.as_mapping().items()}
        named.pop("", None)  # what this service refuses to hear of
        turns = [{"role": message.role, "content": message.content} for message in messages]
        body = {**named, "model": self._order.model, "messages": turns, "stream": False}
        return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")

    async def _attempt(self, body: bytes) -> Completion | Failure:
        """One request, at the limiter's pace."""
        async with self._limiter.slot(self._shutter) as started:
            outcome = await self._exchange(body)
            if isinstance(outcome, Completion):
                self._limiter.succeeded()
            elif outcome.kind is Kind.OVERLOAD:
                pause = min(outcome.retry_after or 0.0, self._order.patience.longest_pause)
                self._limiter.overloaded(started, pause)
            return outcome

    async def _exchange(self, body: bytes) -> Completion | Failure:
        near, clock = self._wire.is_near, self._session.clock
        clients = self._session.shared(("http", near), lambda: Clients(near=near))
        began = clock.now()
        reply = await self._wire.post(clients, body)
        outcome = self._understood(reply) if isinstance(reply, Reply) else reply
        if isinstance(outcome, Failure):
            return replace(outcome, what=self._scrub.message(outcome.what))
        return self._completion(outcome, clock.now() - began)

    def _understood(self, reply: Reply) -> Answer | Failure:
        text = reply.body.decode("utf-8", errors="replace")
        if not 200 <= reply.status < 300:
            asked = retry_after(reply.headers, self._session.clock.wall())
            return read_failure(reply.status, self._scrub.message(text), asked)
        if reply.is_cut:  # not asked again: it would cost as much a second time
            most = self._order.patience.answer_bytes
            return Failure(
                kind=Kind.REQUEST, what=f"the answer is larger than {most:,} bytes and was cut off"
            )
        answer = read_answer(self._scrub.answer(text))
        if isinstance(answer, Answer) and self._server_names.is_anothers(self._order.model, answer.model):
            return Failure(kind=Kind.RETRY, what=f"the server sent an answer of {shortened(answer.model)}")
        return answer

    def _completion(self, answer: Answer, seconds: float) -> Completion:
        return Completion(
            text=self._scrub.answer(answer.text),
            prompt_tokens=answer.prompt_tokens,
            completion_tokens=answer.completion_tokens,
            elapsed_seconds=seconds,
            cost=self._price(answer.prompt_tokens, answer.completion_tokens),
            finish_reason=self._scrub.message(answer.finish_reason),
        )

    async def _waited(self, failure: Failure, retry: int) -> bool:
        """Whether it is time to try again; False where nothing more is to be sent."""
        clock = self._session.clock
        seconds = backoff(retry, clock.random(), self._order.patience, failure.retry_after)
        self._session.on_retry(Retry(model=self.name, what=failure.what, seconds=seconds))
        try:
            await self._shutter.unless_closed(clock.sleep(seconds))
        except Shut:
            return False
        return True

    def _error(self, failure: Failure, tries: int) -> ModelError:
        repairs = [failure.repair] if failure.repair else []
        if failure.kind is Kind.MODEL and self._secret:
            repairs.append(f"the key is read from {self._secret.name}")
        advice = f" ({'; '.join(repairs)})" if repairs else ""
        text = f"{self.name}: {failure.what}{advice}"
        if failure.kind is Kind.MODEL:
            return ModelRefused(text)
        if failure.kind is Kind.REQUEST:
            return RequestRefused(text)
        times = f"{tries} tries" if tries > 1 else "1 try"
        return ModelUnavailable(f"{text}; gave up after {times}", retry_after=failure.retry_after)


def _key(order: Order, session: Session) -> Secret | None:
    variables = key_variables(order)
    secret = session.keyring.find(variables)
    if secret is None and variables and not order.key_is_optional:
        names = " or ".join(variables)
        raise ModelRefused(f"{order.name}: no key: set {names} in the environment or in a .env file here")
    return secret


def _limiter(order: Order, provider: Provider, session: Session) -> AdaptiveLimiter:
    """One for all models of a service, unless a model's table sets limits of its own."""
    shared_by_all = not (order.max_connections or order.requests_per_minute)
    owner = provider.base_url if shared_by_all else order.name
    most = order.max_connections or session.max_connections or provider.max_connections
    return session.limiter(owner, most, order.requests_per_minute)
