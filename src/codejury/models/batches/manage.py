"""Looking at batches and cancelling them, without a run."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import CodejuryError, InputError, suggestion
from ..hosted import HostedModel
from ..keys import Scrubber
from ..session import Session
from ..spec import key_variables, service_of
from .journal import SUBMITTED, BatchJob, Journal
from .model import batch_service
from .services import BatchService, Trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A job, and what its service says of it."""

    job: BatchJob
    state: str
    """The service's word, or why it is not known."""
    done: int | None = None


async def look(journal: Journal, session: Session) -> list[Seen]:
    """All jobs of a results folder, the oldest first. Those that have ended are not asked about again."""
    return [await _seen(job, session) for job in journal.jobs()]


async def _seen(job: BatchJob, session: Session) -> Seen:
    if job.ended:
        return Seen(job=job, state="ended", done=len(job.requests) - len(job.failed))
    if job.status != SUBMITTED:
        return Seen(job=job, state=job.status)
    try:
        state = await _service(job, session).state(job.id)
    except Trouble as trouble:
        return Seen(job=job, state=f"unknown: {_scrubbed(job, session, trouble)}")
    except CodejuryError as error:
        return Seen(job=job, state=f"unknown: {error}")
    return Seen(job=job, state=state.word, done=state.done)


async def cancel(journal: Journal, session: Session, name: str) -> BatchJob:
    """Ask the service to end a job, by its name or ours; what is answered already can still be collected."""
    fitting = [job for job in journal.jobs() if name in (job.id, job.tag)]
    if not fitting:
        known = suggestion(name, [job.id or job.tag for job in journal.jobs()])
        raise InputError(f"no batch {name!r}; {known}")
    [job] = fitting
    if job.ended or not job.id:
        raise InputError(f"{name}: cannot be cancelled: it is {'over' if job.ended else job.status}")
    try:
        await _service(job, session).cancel(job.id)
    except Trouble as trouble:
        raise InputError(f"{name}: cannot be cancelled: {_scrubbed(job, session, trouble)}") from None
    return job


def _service(job: BatchJob, session: Session) -> BatchService:
    spec = session.spec_of(job.model)
    service = service_of(spec)
    if service is None or not service.batches:
        raise InputError(f"{job.model}: is not known here, or takes no batches")
    if service.base_url != job.base_url:
        raise InputError(f"{job.model}: is at another address now than when it was asked ({job.base_url})")
    hosted = HostedModel(spec, service, session)
    return batch_service(hosted, spec, service, session.clients(near=hosted.is_near))


def _scrubbed(job: BatchJob, session: Session, trouble: Trouble) -> str:
    secret = session.keyring.find(key_variables(session.spec_of(job.model)))
    return Scrubber(secret).message(trouble.failure.what)
