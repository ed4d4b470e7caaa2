"""A second version of Julia for tests: the one at hand, with another number in its image.

Everything else is the same, so a verdict differs where the answer itself asks for `VERSION`.
"""

from __future__ import annotations

import os
import shutil
import struct
from pathlib import Path

import pytest

from codejury.judge.toolchain.find import find_julia
from codejury.judge.toolchain.julia import ask
from codejury.settings import load_settings

LATER = 50
"""Added to the last number of the version: 1.5.3 -> 1.5.53."""


def another_julia(folder: Path) -> tuple[Path, str]:
    """Make it in an empty folder; return its launcher and its version."""
    julia = find_julia(load_settings())
    assert julia, "no Julia: run `codejury setup`"
    image = ask(julia.launcher).image
    # Debian's packages lie below the wrapper that starts them, an official build below its bin/julia.
    home = julia.launcher.parent if (julia.launcher.parent / "root").is_dir() else julia.bindir.parent
    launcher = julia.launcher if julia.launcher.parent == home else julia.executable
    shutil.copytree(home, folder, symlinks=True, copy_function=_linked, dirs_exist_ok=True)
    copy = folder / image.relative_to(home)
    copy.unlink()  # a link to the original, which must stay as it is
    copy.write_bytes(_with_other_version(image.read_bytes(), julia.version))
    major, minor, patch = julia.version.split(".")
    return folder / launcher.relative_to(home), f"{major}.{minor}.{int(patch) + LATER}"


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # on another file system
        shutil.copy2(source, target)


def _with_other_version(image: bytes, version: str) -> bytes:
    """Base.VERSION lies in the image as three numbers, a gap, and twice the pointer to an empty tuple."""
    numbers = [int(part) for part in version.split(".")]
    wanted = struct.pack("<4I", *numbers, 0)
    found = []
    at = image.find(wanted)
    while at >= 0:
        if at % 8 == 0 and image[at + 16 : at + 24] == image[at + 24 : at + 32]:
            found.append(at)
        at = image.find(wanted, at + 1)
    if len(found) != 1:
        pytest.skip(f"the version of this Julia's image was found {len(found)} times")
    changed = bytearray(image)
    struct.pack_into("<I", changed, found[0] + 8, numbers[2] + LATER)
    return bytes(changed)
