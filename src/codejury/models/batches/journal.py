"""What was submitted: one file for each job, written before the service hears of it and after.

<save_dir>/.batches/<tag>.json

    submitting   about to be sent; whether the service has it is unknown until somebody asks for its tag
    submitted    the service has it, and calls it `id`
    gone         the service has no results any more

A job stays there when it has ended: its results can be fetched again, as long as the service keeps them.
`failed` lists the requests that had no answer; they are free to be asked again.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from ... import files
from ...errors import InputError, WriteError

FOLDER: Final = ".batches"
SUBMITTING: Final = "submitting"
SUBMITTED: Final = "submitted"
GONE: Final = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchJob:
    """Some requests that go to a service together."""

    tag: str
    """Ours, by which a service can be asked for it."""
    model: str
    """What the user calls it."""
    base_url: str
    created: float
    """Seconds since 1970."""
    requests: tuple[str, ...]
    """Their numbers."""
    status: str = SUBMITTING
    id: str = ""
    """The service's, once it is known."""
    ended: bool = False
    failed: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    """Batches that looked like it, and held other requests."""

    @property
    def open_requests(self) -> frozenset[str]:
        """Requests that may not be submitted again."""
        return frozenset() if self.status == GONE else frozenset(self.requests) - frozenset(self.failed)


def new_tag() -> str:
    return f"codejury-{secrets.token_hex(12)}"


class Journal:
    """The jobs of one results folder. `run` lets one process at a time ask a model for a folder."""

    def __init__(self, save_dir: Path) -> None:
        self._folder = save_dir / FOLDER

    def jobs(self, model: str = "") -> list[BatchJob]:
        """All, or those of one model, the oldest first; InputError if a file cannot be understood."""
        found = [job for job in self._read() if not model or job.model == model]
        return sorted(found, key=lambda job: (job.created, job.tag))

    def _read(self) -> Iterator[BatchJob]:
        for path in sorted(self._folder.glob("*.json")):
            try:
                values = json.loads(path.read_bytes())
                lists = {name: tuple(values[name]) for name in ("requests", "failed", "strangers")}
                yield BatchJob(**{**values, **lists})
            except (OSError, ValueError, TypeError, KeyError) as error:
                raise InputError(
                    f"{path}: cannot be read: {error}; it knows what was paid for, so nothing is asked "
                    "in batches here: fix it, or remove it if its batch is collected"
                ) from None

    def write(self, job: BatchJob) -> BatchJob:
        """Put a job on the disk; it is there when this returns."""
        path = self._folder / f"{job.tag}.json"
        data = json.dumps(asdict(job), indent=1).encode()
        try:
            (files.replace if path.exists() else files.create)(path, data)
        except OSError as error:
            raise WriteError(f"{path}: cannot be written: {error.strerror or error}") from None
        return job

    def remove(self, job: BatchJob) -> None:
        """Forget a job that the service has never heard of."""
        (self._folder / f"{job.tag}.json").unlink(missing_ok=True)

    def note_failed(self, job: BatchJob, requests: Iterable[str]) -> BatchJob:
        """Free these requests of a job to be asked again."""
        return self.write(replace(job, failed=tuple(dict.fromkeys([*job.failed, *requests]))))
