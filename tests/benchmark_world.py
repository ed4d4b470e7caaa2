"""A small world for benchmarks: test cases, a chat server that answers by what it is asked, a told judge."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from codejury.configuration import Configuration, ModelTable, PriceTable
from codejury.judge.judge import Judge
from codejury.records import Execution, Job
from codejury.run.benchmark import run_benchmark
from codejury.run.events import Event
from codejury.store.samples import StoredSample
from codejury.store.scan import find_samples
from codejury.testing import FakeSandbox
from fakes import honest
from servers import Act, HostileServer, Request, says, status

RIGHT = "```julia\nright\n```"
WRONG = "```julia\nwrong\n```"

Reply = str | Act
"""An answer, or what to do instead of answering."""


def replies(choose: Callable[[Request], Reply], *, after: float = 0.0, usage: Any = None) -> Act:
    """Answers each request by what is in it."""

    async def act(writer: asyncio.StreamWriter, request: Request) -> None:
        reply = choose(request)
        answer = says(reply, after=after, usage=usage) if isinstance(reply, str) else reply
        await answer(writer, request)

    return act


def always(reply: Reply, **details: Any) -> HostileServer:
    return HostileServer(replies(lambda request: reply, **details))


def last_message(request: Request) -> str:
    return str(request.body["messages"][-1]["content"])


def told_judge(
    script: Callable[[Job], Execution] = honest, workers: int = 2, *, julia_version: str = "1.10.0"
) -> Judge:
    return Judge(workers=workers, sandbox_factory=lambda: FakeSandbox(script, julia_version=julia_version))


def priced(server: HostileServer, *names: str, usd: float = 1.0, **table: Any) -> Configuration:
    """Models of this server at `usd` for a million tokens, read or written."""
    price = PriceTable(input=usd, output=usd)
    tables = {
        name: ModelTable(base_url=server.base_url, price=price, **{"tries": 1, **table}) for name in names
    }
    return Configuration(models=tables)


class World:
    """Definitions, a folder for results, and all events of the runs in it."""

    def __init__(self, folder: Path, definitions: Path) -> None:
        self.save_dir = folder / "results"
        self.definitions = definitions
        self.events: list[Event] = []

    def run(self, model: str | list[str], judge: Any = None, **options: Any) -> list[dict[str, Any]]:
        """One run; by default one prompt, and a judge that believes what it reads."""
        self.events.clear()
        options = {"prompt": "InJulia", "definitions": self.definitions, "save_dir": self.save_dir} | options
        if judge is not None:
            return run_benchmark(model, judge=judge, on_event=self.events.append, **options)
        with told_judge() as own:
            return run_benchmark(model, judge=own, on_event=self.events.append, **options)

    def told(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def samples(self) -> list[StoredSample]:
        return list(find_samples(self.save_dir)) if self.save_dir.exists() else []

    def files(self, pattern: str) -> list[Path]:
        return sorted(self.save_dir.rglob(pattern))

    def conversations(self) -> Iterator[list[dict[str, Any]]]:
        return (json.loads(path.read_text(encoding="utf-8")) for path in self.files("conversation__*"))


def refuses(request: Request) -> Act:
    return status(401, {"error": {"message": f"no such key for {request.body['model']}"}})
