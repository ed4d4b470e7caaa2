"""The files of the project: targets work, versions are pinned, and nothing of one machine is in them."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from codejury.judge.toolchain import official

ROOT = Path(__file__).resolve().parents[2]

# Written in pieces, or this file would be found by its own search.
REGISTRIES = [
    "pypi" + ".org",
    "files." + "pythonhosted",
    "deb." + "debian.org",
    "snapshot." + "debian.org",
    "registry." + "npmjs",
    "julialang-s3" + ".",
]
# Absolute, so that `$root/usr` and `code/work/x` are none.
MACHINE_PATH = re.compile(
    r"(?<![\w$}).*/~-])/(?:work|root/\.\w+|opt/wheels|opt/pypi|tmp/jl)(?=[/\s\"'`,;)]|$)"
)
BINARY = {".gz", ".png", ".ico", ".gguf", ".parquet", ".woff2"}


def project_files() -> list[Path]:
    """Every file that belongs to the project: those git knows, or would take."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return [path for path in paths if path.is_file() and path.suffix not in BINARY]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in project_files()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_message_names_a_file_that_only_a_checkout_has() -> None:
    """Who installed by pip has neither docs/ nor CONTRIBUTING.md; the help of a command is its docstring."""
    for file in sorted((ROOT / "src/codejury").rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            told = isinstance(node, ast.Constant) and (id(node) not in inner or file.parent.name == "cli")
            if told and isinstance(node.value, str):
                found = re.findall(r"docs/[\w-]+\.md|CONTRIBUTING|README\.md", node.value)
                assert not found, f"{file.name}:{node.lineno}: {node.value}"


def test_no_file_names_a_package_registry_or_a_mirror() -> None:
    assert lines_with(re.compile("|".join(map(re.escape, REGISTRIES)))) == []


def test_no_file_names_a_path_of_one_machine() -> None:
    assert lines_with(MACHINE_PATH) == []


@pytest.mark.parametrize("line", ["see /ro" + "ot/.julia", 'Path("/wo' + 'rk")', "cd /wo" + "rk/main"])
def test_the_search_for_machine_paths_finds_them(line: str) -> None:
    assert MACHINE_PATH.search(line)


@pytest.mark.parametrize("line", ['exec "$root/usr/bin/julia"', "folder/root/usr", "{root}/work/x"])
def test_the_search_for_machine_paths_leaves_others_alone(line: str) -> None:
    assert not MACHINE_PATH.search(line)


# Make targets


def test_the_readme_names_the_two_commands_and_ci_runs_the_tests_by_the_same_one() -> None:
    readme = text("README.md")
    assert "make demo" in readme
    assert "make test" in readme
    steps = [line.strip() for line in text(".ci/run").splitlines()]
    assert "set -euo pipefail" in steps
    # `wait` gives the result of the linters, which run beside the tests: without it CI would not hear of it.
    assert steps[-3:] == ["make lint &", "make test", "wait $!"]
    assert ".ci/run" in text(".github/workflows/ci.yml")


def test_every_target_that_is_documented_exists_and_the_reverse() -> None:
    makefile = text("Makefile")
    documented = set(re.findall(r"^#   make (\w+)", makefile, re.MULTILINE))
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    assert documented == targets


@pytest.mark.parametrize("target", ["setup", "demo", "test", "julia", "browser", "lint", "constraints"])
def test_make_understands_every_target(target: str) -> None:
    if shutil.which("make") is None:
        pytest.skip("no make on this machine")
    done = subprocess.run(
        ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_tests_of_the_judge_on_another_julia_are_all_there() -> None:
    if shutil.which("make") is None:
        pytest.skip("no make on this machine")
    shown = subprocess.run(
        ["make", "--dry-run", "julia"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    named = re.findall(r"tests/\S+", shown.stdout)
    assert {"tests/judge/sandbox", "tests/judge/test_judge.py", "tests/selftest"} <= set(named)
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_ci_runs_all_tests_on_every_julia_that_people_have() -> None:
    workflow = text(".github/workflows/ci.yml")
    versions = re.findall(r"julia: \"([^\"]+)\"", workflow)
    assert versions == ["1.5", "1.10", "1.11", "1.12", "~1.13.0-0", "pre"]
    assert {"3.11", "3.12", "3.13"} <= set(re.findall(r"python: \"([^\"]+)\"", workflow))
    assert "julia-actions/setup-julia@v2" in workflow
    assert "CODEJURY_JULIA: julia\n" in workflow, "the one that was set up, whatever else the machine has"


def test_scripts_can_be_executed() -> None:
    scripts = [*(ROOT / "scripts").iterdir(), ROOT / ".ci/run"]
    assert [path for path in scripts if not os.access(path, os.X_OK)] == []


def test_make_venv_says_what_to_do_where_python_is_too_old(tmp_path: Path) -> None:
    for name in ("python3", "python3.11", "python3.12", "python3.13", "python", "uv"):
        old = tmp_path / name
        old.write_text("#!/bin/sh\nexit 1\n")
        old.chmod(0o755)
    for name in ("dirname", "rm"):
        (tmp_path / name).symlink_to(shutil.which(name) or "/bin/false")
    copy = tmp_path / "project/scripts/make-venv"
    copy.parent.mkdir(parents=True)
    shutil.copy(ROOT / "scripts/make-venv", copy)
    environment = {"PATH": str(tmp_path)}
    done = subprocess.run(["/bin/sh", copy], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "Codejury needs Python 3.11 or newer" in done.stderr
    assert not (tmp_path / "project/.venv").exists()


# Versions


def test_the_version_has_a_section_in_the_changelog_and_is_the_one_to_cite() -> None:
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert re.search(rf"^## {re.escape(version)}\b", text("CHANGELOG.md"), re.MULTILINE)
    assert f"\nversion: {version}\n" in text("CITATION.cff")


def test_the_page_for_those_who_install_by_pip_needs_no_checkout() -> None:
    page = text(tomllib.loads(text("pyproject.toml"))["project"]["readme"])
    assert "pip install codejury" in page
    assert not re.search(r"\bmake \w+|\.venv|\]\(\w", page), "no checkout, and no link to a file"


def test_every_extra_is_documented_where_people_install() -> None:
    extras = tomllib.loads(text("pyproject.toml"))["project"]["optional-dependencies"]
    for page in ("docs/pip.md", "docs/installation.md"):
        assert [extra for extra in extras if f"codejury[{extra}]" not in text(page)] == []


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required() -> set[str]:
    """Every package pyproject.toml asks for, for whatever purpose."""
    project = tomllib.loads(text("pyproject.toml"))
    asked = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for group in (
        *project["dependency-groups"].values(),
        *project["project"].get("optional-dependencies", {}).values(),
    ):
        asked += [entry for entry in group if isinstance(entry, str)]
    names = {normalised(re.split(r"[^\w.-]", entry, maxsplit=1)[0]) for entry in asked}
    return names - {"codejury"}  # an extra may name other extras of its own


def pinned() -> dict[str, list[str]]:
    """Hashes by `name==version` of constraints.txt."""
    found: dict[str, list[str]] = {}
    for line in text("constraints.txt").splitlines():
        if line.strip().startswith("--hash="):
            found[list(found)[-1]].append(line.strip(" \\"))
        else:
            found[line.strip(" \\")] = []
    return found


def test_constraints_cover_every_dependency() -> None:
    names = {normalised(entry.partition("==")[0]) for entry in pinned()}
    assert required() - names == set()


def test_every_constraint_is_an_exact_version_with_hashes_and_nothing_else() -> None:
    for entry, hashes in pinned().items():
        assert re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; [\w.<>='\" ()!]+)?", entry), entry
        assert hashes, entry
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", found) for found in hashes), entry


def test_juliapkg_has_one_version_everywhere() -> None:
    assert official.JULIAPKG in text("pyproject.toml")
    assert official.JULIAPKG in pinned()


def test_a_test_that_waits_for_ever_ends_the_run_and_is_named(tmp_path: Path) -> None:
    hanging = tmp_path / "test_hanging.py"
    hanging.write_text("def test_hangs():\n    import threading\n    threading.Event().wait()\n")
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "--rootdir", tmp_path]
    done = subprocess.run(
        [*command, "-o", "faulthandler_timeout=1", hanging],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "in test_hangs" in done.stderr
    assert tomllib.loads(text("pyproject.toml"))["tool"]["pytest"]["ini_options"]["faulthandler_timeout"] > 0


def test_every_package_has_tests_that_its_mutants_run_against() -> None:
    bench = load_bench("mutants")
    tests = bench.TESTS
    packages = {path.parent.name for path in (ROOT / "src/codejury").glob("*/__init__.py")}
    assert packages <= tests.keys()
    named = [name for names in (*tests.values(), *bench.BESIDE.values()) for name in names]
    assert [name for name in named if not (ROOT / "tests" / name).exists()] == []


def test_a_mutant_is_its_file_with_one_fault_that_can_be_read_from_it() -> None:
    source = '"""Words."""\nLIMIT: int = 3\n\ndef f(x: Literal[1]) -> bool:\n'
    source += "    if x < LIMIT:\n        stop(x)\n    return not x\n"
    mutants = load_bench("mutants").mutants_of(Path("src/codejury/x.py"), source)
    assert [(one.line, one.before, one.after) for one in mutants] == [
        (2, "3", "(4)"),
        (5, "x < LIMIT", "(not (x < LIMIT))"),
        (5, "x < LIMIT", "(x <= LIMIT)"),
        (6, "stop(x)", "pass"),
        (7, "return not x", "return None"),
        (7, "not x", "(x)"),
    ]
    assert mutants[2].text == source.replace("x < LIMIT", "(x <= LIMIT)")


def test_a_mutant_is_noticed_by_the_test_that_fails_for_it_alone() -> None:
    bench = load_bench("mutants")
    file, tests = Path("src/codejury/program.py"), "tests/cli/test_program.py"
    source = (ROOT / file).read_text()
    found = bench.mutants_of(file, source)
    noticed = next(one for one in found if (one.function, one.after) == ("start_words", "return None"))
    assert bench.notices(noticed, tests).startswith(f"{tests}::test_")
    unnoticed = replace(noticed, after=noticed.before)
    assert bench.notices(unnoticed, tests) == ""
    assert (ROOT / file).read_text() == source


def load_bench(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"bench_{name}", ROOT / "bench" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module
