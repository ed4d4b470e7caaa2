"""The GitHub Action: what its script does, and that its description fits it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from codejury.settings import load_settings
from definition_samples import write

ROOT = Path(__file__).resolve().parents[2]


def act(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the script as the action does, with its defaults."""
    described = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    values = {name.upper(): str(one.get("default", "")) for name, one in described.items()}
    environ = {**os.environ, **values, **{name.upper(): value for name, value in inputs.items()}}
    environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environ['PATH']}"
    environ["CODEJURY_CACHE"] = str(load_settings().cache)
    return subprocess.run(
        [ROOT / "scripts/action"], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )


def test_test_cases_are_validated(tmp_path: Path) -> None:
    write(tmp_path / "code_generation")
    assert act(tmp_path, task="validate").returncode == 0
    write(tmp_path / "code_generation", unit_tests=["@test count_vowels(0) == 1"])
    assert act(tmp_path, task="validate").returncode == 1
    assert act(tmp_path, task="validate", options="--no-run --no-strict").returncode == 0


def test_a_submission_is_verified_and_becomes_a_site(tmp_path: Path) -> None:
    write(tmp_path / "code_generation")
    command = [Path(sys.executable).with_name("codejury"), "run", "--model", "baseline/reference"]
    command += ["--prompt", "AsIs", "--save-dir", "results"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    done = act(tmp_path, task="verify", options="--full")
    assert done.returncode == 0, done.stdout + done.stderr
    assert act(tmp_path, task="site").returncode == 0
    assert "baseline/reference" in (tmp_path / "site/index.html").read_text(encoding="utf-8")
    (stored,) = (tmp_path / "results").rglob("evaluation__*.json")
    stored.write_text(re.sub(r'"score": *100(\.0)?', '"score": 50.0', stored.read_text()))
    assert act(tmp_path, task="verify").returncode == 1


@pytest.mark.parametrize("task", ["", "deploy", "validate; echo gotcha"])
def test_an_unknown_task_is_refused(tmp_path: Path, task: str) -> None:
    done = act(tmp_path, task=task)
    assert done.returncode == 2
    assert "is none of validate, verify, site" in done.stderr
    assert "gotcha" not in done.stdout


def test_no_input_is_pasted_into_a_script() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert [step["run"] for step in action["runs"]["steps"] if "${{" in step.get("run", "")] == []


def test_the_example_asks_for_what_the_action_offers() -> None:
    inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    workflow = yaml.safe_load((ROOT / "examples/community-board/.github/workflows/board.yml").read_text())
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    asked = [step["with"] for step in steps if "/codejury@" in step.get("uses", "")]
    assert {one["task"] for one in asked} == {"validate", "verify", "site"}
    assert [name for one in asked for name in one if name not in inputs] == []
    page = (ROOT / "docs/community-board.md").read_text()
    assert [name for name in inputs if f"`{name}`" not in page] == []
