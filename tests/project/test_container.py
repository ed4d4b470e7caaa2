"""The recipe of the container image, as far as it can be checked without an engine."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from codejury.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
RECIPE = (ROOT / "Containerfile").read_text(encoding="utf-8")
LINES = re.sub(r"\\\n", " ", RECIPE)
PAGE = (ROOT / "docs/container.md").read_text(encoding="utf-8")


def steps(kind: str) -> list[str]:
    """What follows each RUN, COPY ... of the recipe."""
    return [line.removeprefix(f"{kind} ") for line in LINES.splitlines() if line.startswith(f"{kind} ")]


def test_all_that_is_copied_is_there_and_is_all_that_a_build_needs(tmp_path: Path) -> None:
    for copied in steps("COPY"):
        *sources, target = copied.split()
        for source in sources:
            place = tmp_path / target.removeprefix("/source/").rstrip("/")
            place = place / source if target.endswith("/") else place
            place.parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
            copy(ROOT / source, place)
    command = ["hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
    subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, check=True, capture_output=True)
    assert len([*(tmp_path / "dist").glob("codejury-*.whl")]) == 1


def test_its_extras_are_those_of_the_project() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(re.findall(r"/source\[([\w,]+)\]", RECIPE)) <= set(extras)


def test_debian_has_the_packages_that_it_installs() -> None:
    (install,) = (step for step in steps("RUN") if "apt-get install" in step)
    words = install.partition("--no-install-recommends")[2].partition("&&")[0].split()
    assert "bubblewrap" in words
    if shutil.which("apt-cache") is None:
        pytest.skip("no apt on this machine")
    known = subprocess.run(
        ["apt-cache", "pkgnames"], capture_output=True, text=True, check=True
    ).stdout.split()
    if "python3" not in known:
        pytest.skip("this machine has no lists of packages")
    assert set(words) <= set(known)


def test_it_ends_as_an_ordinary_user_after_setup() -> None:
    kinds = [line.split()[0] for line in LINES.splitlines() if line and line[0].isupper()]
    assert kinds.index("USER") < max(at for at, kind in enumerate(kinds) if kind == "RUN")
    assert steps("USER") == ["jury"]
    assert steps("RUN")[-1] == "codejury setup"
    assert steps("ENTRYPOINT") == ['["codejury"]']


@pytest.mark.parametrize("text", [RECIPE, PAGE], ids=["recipe", "page"])
def test_every_command_in_it_exists(text: str) -> None:
    run = re.findall(r"(?:podman|docker) run [^\n`]*?codejury (\w[\w-]*)", text)
    assert run
    assert set(run) <= set(COMMANDS)
