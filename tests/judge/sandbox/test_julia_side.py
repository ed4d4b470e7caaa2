"""The Julia side has tests of its own, in Julia; here they are only started."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from codejury.judge.toolchain.find import find_julia
from codejury.settings import load_settings

TESTS = Path(__file__).parent / "julia" / "runtests.jl"


def test_the_julia_side_passes_its_own_tests() -> None:
    julia = find_julia(load_settings())
    assert julia is not None, "no Julia: run `codejury setup`"
    done = subprocess.run(
        [julia.executable, "--startup-file=no", "-O0", TESTS],
        env={**os.environ, **julia.environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
