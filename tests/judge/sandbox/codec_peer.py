"""A Julia that sends values through the judge's codec, for tests and benches that make them up."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from codejury.judge import sandbox
from codejury.judge.toolchain.find import find_julia
from codejury.settings import load_settings

PROGRAM = Path(__file__).parent / "julia" / "codec_peer.jl"
JULIA_SIDE = Path(sandbox.__file__).parent / "julia"


class CodecPeer:
    """`julia/codec_peer.jl`, which says what it understands."""

    def __init__(self) -> None:
        julia = find_julia(load_settings())
        assert julia is not None, "no Julia: run `codejury setup`"
        self._process = subprocess.Popen(
            [julia.executable, "--startup-file=no", "-O1", PROGRAM, JULIA_SIDE],
            env={**os.environ, **julia.environment},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, request: str) -> str:
        """The reply to one request; "" if it died over it, and ever after."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(f"{request}\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return ""
        return self._process.stdout.readline().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=60)
