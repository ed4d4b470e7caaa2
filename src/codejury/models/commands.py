"""`command/NAME`: a program of the user's as a model, such as an agent's command line or a script.

    [models."command/agent"]
    command = ["my-agent", "--print"]

It gets the prompt on stdin, and what it writes to stdout is the answer. It runs in a folder of its own, with
`request.json` (messages, parameters, sample) and is removed afterwards. What it has to say about
itself is one JSON object, the last line that it writes to stderr: `cost`, `prompt_tokens`,
`completion_tokens`, `reasoning_tokens`, `finish_reason`, `reasoning`, each if it is known.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..errors import ModelRefused, ModelUnavailable
from ..records import Completion, Message, Prompt, TestCase
from .limits import SendingStopped, StopSignal
from .prices import usage
from .protocol import Model, NotSent, Parameters, RequestRefused
from .replies import mapping, parsed, shortened, text_of
from .spec import ModelSpec, effective, price_of

if TYPE_CHECKING:
    from .session import Session

AT_ONCE: Final = 2
"""Programs at the same time, unless the table says otherwise: an agent can be heavy."""
LAST_WORDS: Final = 64_000
"""Bytes of stderr that are kept, from the end."""
CHUNK: Final = 65_536
MOMENT: Final = 0.02


def make(spec: ModelSpec, session: Session) -> Model:
    if not spec.command:
        raise ModelRefused(f'{spec.name}: name its program under [models."{spec.name}"]: command = ["..."]')
    program = shutil.which(spec.command[0])
    if program is None:
        raise ModelRefused(f"{spec.name}: there is no program {spec.command[0]}; check its path")
    # It runs in another folder, where a relative path would lead nowhere.
    return CommandModel(spec, (str(Path(program).resolve()), *spec.command[1:]), session)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a program ended, and what it wrote."""

    code: int
    stdout: bytes
    stderr: bytes
    is_cut: bool


class CommandModel:
    """Runs the program once for each question."""

    def __init__(self, spec: ModelSpec, command: Sequence[str], session: Session) -> None:
        self.name = spec.name
        self._spec = spec
        self._command = command
        self._session = session
        self._price = price_of(spec)
        self._limiter = session.limiter(spec.name, spec.max_connections or AT_ONCE, spec.requests_per_minute)
        self._stop_signal = StopSignal()

    def stop_sending(self) -> None:
        """Start no program any more; those that run may end."""
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
        messages = (*prompt.messages, *previous)
        sent = effective(self._spec, parameters).as_mapping()
        request = {"messages": [asdict(m) for m in messages], "parameters": sent, "sample": sample}
        try:
            async with self._limiter.slot(self._stop_signal):
                clock = self._session.clock
                began = clock.now()
                ended = await self._run(as_text(messages), json.dumps(request, ensure_ascii=False))
                return self._completion(ended, clock.now() - began)
        except SendingStopped:
            raise NotSent(f"{self.name}: not started: the run asks it nothing more") from None

    async def _run(self, text: str, request: str) -> Ended:
        with tempfile.TemporaryDirectory(prefix="codejury-command-", ignore_cleanup_errors=True) as folder:
            Path(folder, "request.json").write_text(request, encoding="utf-8", errors="replace")
            try:
                process = await asyncio.create_subprocess_exec(
                    *self._command,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    cwd=folder,
                    start_new_session=True,  # Ctrl-C is for us; and all that it starts ends with it
                )
            except OSError as error:
                raise ModelRefused(f"{self.name}: cannot be started: {error.strerror or error}") from None
            try:
                return await self._followed(process, text)
            finally:
                await _ended_for_good(process)

    async def _followed(self, process: asyncio.subprocess.Process, text: str) -> Ended:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        seconds = self._spec.policy.seconds_for(streams=False)
        most = self._spec.policy.answer_bytes
        try:
            async with asyncio.timeout(seconds):
                _, stdout, stderr, code = await asyncio.gather(
                    _tell(process.stdin, text),
                    _head(process.stdout, most + 1, lambda: _kill(process)),
                    _tail(process.stderr),
                    _exit_code(process),
                )
        except TimeoutError:
            raise ModelUnavailable(f"{self.name}: not done within {seconds:g} s, and was ended") from None
        return Ended(code=code, stdout=stdout, stderr=stderr, is_cut=len(stdout) > most)

    def _completion(self, ended: Ended, seconds: float) -> Completion:
        if ended.is_cut:
            most = self._spec.policy.answer_bytes
            raise RequestRefused(f"{self.name}: wrote more than {most:,} bytes, and was ended")
        errors = ended.stderr.decode("utf-8", "replace")
        if ended.code:
            said = shortened(errors[-400:]) or "it said nothing on stderr"
            raise ModelUnavailable(f"{self.name}: ended with code {ended.code}: {said}")
        report = _report(errors)
        counted = usage(
            report.get("prompt_tokens"),
            report.get("completion_tokens"),
            reasoning=report.get("reasoning_tokens"),
        )
        return Completion(
            text=text_of(ended.stdout.decode("utf-8", "replace")),
            prompt_tokens=counted.read,
            completion_tokens=counted.written,
            elapsed_seconds=seconds,
            cost=_amount(report.get("cost"), self._price(counted)),
            finish_reason=text_of(report.get("finish_reason"))[:64],
            reasoning=text_of(report.get("reasoning")),
            reasoning_tokens=counted.reasoning,
        )


def as_text(messages: Sequence[Message]) -> str:
    """What a program reads: the prompt; in a repair with a heading for each turn."""
    if all(message.role != "assistant" for message in messages):
        return "\n\n".join(message.content for message in messages) + "\n"
    return "\n\n".join(f"[{message.role}]\n{message.content}" for message in messages) + "\n"


def _report(errors: str) -> Mapping[str, Any]:
    """The last line of stderr, if it is a JSON object."""
    lines = errors.strip().splitlines()
    return mapping(parsed(lines[-1])) if lines else {}


def _amount(value: Any, otherwise: float | None) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and isfinite(value) and value >= 0 else otherwise


async def _tell(stdin: asyncio.StreamWriter, text: str) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):  # it need not read what it does not want to know
        stdin.write(text.encode("utf-8", "replace"))
        await stdin.drain()
        stdin.close()


async def _head(stream: asyncio.StreamReader, most: int, end: Callable[[], None]) -> bytes:
    """The first bytes; a program that writes more is ended."""
    content = bytearray()
    while chunk := await stream.read(CHUNK):
        content += chunk
        if len(content) >= most:
            end()
            break
    return bytes(content[:most])


async def _tail(stream: asyncio.StreamReader) -> bytes:
    content = bytearray()
    while chunk := await stream.read(CHUNK):
        content += chunk
        del content[:-LAST_WORDS]
    return bytes(content)


async def _exit_code(process: asyncio.subprocess.Process) -> int:
    """Wait for the program itself, then end what it has left behind, which may hold its output open."""
    while process.returncode is None:  # `wait` may wait for the output, too
        await asyncio.sleep(MOMENT)
    _kill(process)
    return process.returncode


def _kill(process: asyncio.subprocess.Process) -> None:
    """End the program and all that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


async def _ended_for_good(process: asyncio.subprocess.Process) -> None:
    """Read on what is left in the pipes: else `wait` would wait for somebody to take it."""
    _kill(process)
    await process.communicate()
