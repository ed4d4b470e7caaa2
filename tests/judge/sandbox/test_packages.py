"""Julia packages of a suite: installed by the real Pkg from a registry of our own, and used by candidates."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from codejury.cli.render import tell_waiting
from codejury.errors import InputError, SandboxError, ToolchainError
from codejury.judge.judge import Judge
from codejury.judge.sandbox.by_packages import SandboxesByPackages
from codejury.judge.sandbox.compiled import compile_judge
from codejury.judge.sandbox.factory import SandboxFactory
from codejury.judge.sandbox.isolation.probe import probe_isolation
from codejury.judge.sandbox.packages import install_packages
from codejury.judge.score import decided_by_referee
from codejury.judge.toolchain.environment import (
    Environment,
    Installed,
    dependencies,
    environment_above,
    find_installed,
    read_environment,
    seal_of,
    with_dependencies,
)
from codejury.judge.toolchain.find import find_bubblewrap, find_julia
from codejury.judge.toolchain.julia import JuliaInstall
from codejury.records import Evaluation, Execution, Job, Outcome, Packages
from codejury.settings import Settings, load_settings
from codejury.suite.load import load_definition
from codejury.suite.save import save_definition
from codejury.suite.suite import Suite, bundled_suite, packages_of
from fakes import a_case, facts, in_folders
from package_server import Package, PackageServer, served, tree_hash, uuid_of
from stored_trees import Tree

SETTINGS = load_settings()
BUBBLEWRAP = find_bubblewrap(SETTINGS)
LEVEL = probe_isolation(bubblewrap=BUBBLEWRAP).level

pytestmark = pytest.mark.skipif(
    LEVEL not in ("L3", "L2.5"), reason="packages are installed inside bubblewrap, which does not work here"
)

WORDS = {"words.txt": b"words of an artifact\n"}
ARTIFACTS = f"""
[words]
git-tree-sha1 = "{tree_hash(WORDS)}"
    [[words.download]]
    url = "https://packages.invalid/words.tar.gz"
    sha256 = "{"0" * 64}"
"""
# What Julia 1.9 and later load when both packages are there; earlier ones know nothing of it.
EXTENSION = """
[weakdeps]
Plain = "{plain}"
[extensions]
PlainExtension = "Plain"
"""
# What a package's own code may find out and do. The listener and the canary are real, and on this machine.
PRYING = """
reached = try connect(IPv4("127.0.0.1"), {port}); "yes" catch; "no" end
read_it = isfile("{canary}") ? "yes" : "no"
wrote_it = try write("{canary}", "changed"); "yes" catch; "no" end
"network $reached, canary read $read_it, written $wrote_it"
"""


@dataclass(frozen=True)
class World:
    """A suite with an environment, installed."""

    environment: Path
    settings: Settings
    julia: JuliaInstall
    installed: Installed
    canary: Path
    offered: list[Package]

    @property
    def packages(self) -> Packages:
        return Packages(("Plain", "Left", "Right", "Dates"), self.environment)


def installable(canary: Path, port: int) -> list[Package]:
    prying = PRYING.format(port=port, canary=canary)
    return [
        Package(name="Plain", version="0.2.1", code="const WARM = Ref(false)\nplain() = 21"),
        Package(name="Plain", version="0.1.0", code="plain() = 10"),
        Package(name="Plain", version="0.3.0", code="plain() = 30"),
        Package(name="Leaning", code="using Plain\nlean() = 2 * Plain.plain()", needs=("Plain",)),
        Package(
            name="Wordy",
            needs=("Pkg",),
            code='using Pkg.Artifacts\nwords() = read(joinpath(artifact"words", "words.txt"), String)',
            files={"Artifacts.toml": ARTIFACTS},
        ),
        Package(
            name="Reading",
            code='const SEEN = Ref("")\n'
            '__init__() = (SEEN[] = read(joinpath(@__DIR__, "..", "data", "seen.txt"), String); nothing)',
            files={"data/seen.txt": "read at the start"},
        ),
        Package(
            name="Building",
            needs=("Sockets",),
            code='const FOUND = read(joinpath(@__DIR__, "..", "deps", "found.txt"), String)',
            files={
                "deps/build.jl": f"using Sockets\nfound = begin{prying}end\n"
                'write(joinpath(@__DIR__, "found.txt"), found)'
            },
        ),
        # Its constants are made while it is compiled, and kept with what was compiled.
        Package(
            name="Prying",
            needs=("Sockets",),
            code=f"using Sockets\nconst FOUND = let{prying}end\n"
            "const COMPILED = ccall(:jl_generating_output, Cint, ()) == 1",
        ),
        Package(
            name="Extending",
            code="function with_plain end\n"
            'extended() = isempty(methods(with_plain)) ? "alone" : with_plain()',
            extra=EXTENSION.format(plain=uuid_of("Plain")),
            weak=("Plain",),
            files={
                "ext/PlainExtension.jl": "module PlainExtension\nusing Extending, Plain\n"
                'Extending.with_plain() = "with Plain $(Plain.plain())"\nend\n'
            },
        ),
        Package(
            name="Stony",
            code="export Stone, Pebble, Crumbled\nabstract type Mineral end\n"
            "struct Stone <: Mineral; weights::Vector{Int}; end\nstruct Pebble <: Mineral end\n"
            "Base.:(==)(a::Stone, b::Stone) = a.weights == b.weights\n"
            "struct Crumbled <: Exception; why::String; end",
        ),
        # Neither can be loaded where the other is.
        *(
            Package(
                name=name,
                code="__init__() = any(id -> id.name == "
                f'"{other}", keys(Base.loaded_modules)) && error("not beside {other}")',
            )
            for name, other in (("Left", "Right"), ("Right", "Left"))
        ),
        Package(name="Breaking", code='error("this package cannot be compiled")'),
        Package(name="Tomorrow", julia="1.99"),
    ]


def project(*names: str, compat: str = "") -> str:
    deps = "".join(f'{name} = "{uuid_of(name)}"\n' for name in names)
    return f"# Ours.\n[deps]\n{deps}\n[compat]\n{compat}"


def install(
    folder: Path, settings: Settings, *, also: tuple[str, ...] = (), keep: bool = True, force: bool = False
) -> Installed:
    assert BUBBLEWRAP
    return install_packages(
        folder, the_julia(), BUBBLEWRAP, settings, lambda *_: None, also=also, keep=keep, force=force
    )


def the_julia() -> JuliaInstall:
    julia = find_julia(SETTINGS)
    assert julia
    return julia


def with_cache(cache: Path, url: str) -> Settings:
    """A cache of its own, for a Julia and a bubblewrap that are elsewhere."""
    assert BUBBLEWRAP
    return replace(
        SETTINGS,
        cache=cache,
        julia=str(the_julia().launcher),
        path=f"{BUBBLEWRAP.parent}:{SETTINGS.path}",
        download_environment={"JULIA_PKG_SERVER": url},
    )


@contextmanager
def a_listener() -> Iterator[tuple[int, list[object]]]:
    """A port of this machine, and who has come to it."""
    callers: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        over = threading.Event()

        def listen() -> None:
            while not over.is_set():
                try:
                    callers.append(server.accept()[1])
                except TimeoutError:
                    continue

        thread = threading.Thread(target=listen)
        thread.start()
        yield server.getsockname()[1], callers
        over.set()
        thread.join()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    home = tmp_path_factory.mktemp("packages")
    canary = home / "canary"
    canary.write_text("alive")
    canary.chmod(0o666)
    suite = home / "suite"
    suite.mkdir()
    names = ("Plain", "Wordy", "Reading", "Building", "Prying", "Extending", "Stony", "Left", "Right")
    (suite / "Project.toml").write_text(
        project(*names, "Breaking", "Tomorrow", compat='Plain = "0.1, 0.2"\n')
    )
    (suite / "warmup.jl").write_text("using Plain\nPlain.plain() == 21 || error()\nPlain.WARM[] = true\n")
    with a_listener() as (port, callers):
        offered = installable(canary, port)
        with served(offered, [WORDS]) as server:
            settings = with_cache(home / "cache", server.url)
            installed = install(suite, settings, also=("Leaning",))
    assert callers == []
    compile_judge(installed.seen_by(the_julia()), settings.cache, lambda *_: None)
    return World(suite, settings, the_julia(), installed, canary, offered)


@pytest.fixture(scope="module")
def judge(world: World) -> Iterator[Judge]:
    with a_judge(world) as judge:
        yield judge


def a_judge(world: World, *, level: str | None = None, cold: bool = False) -> Judge:
    factory = SandboxFactory(packages=world.packages, level=level, cold=cold, settings=world.settings)
    return Judge(sandbox_factory=factory)


def verdict(judge: Judge, code: str, *tests: str, imports: tuple[str, ...] = ()) -> Evaluation:
    case = replace(a_case(), imports=imports, examples=(), unit_tests=tests)
    return judge.evaluate(f"```julia\n{code}\ndouble(x) = 2x\n```", case)


# Installing


def test_versions_within_the_authors_bounds_are_installed_with_what_they_need(world: World) -> None:
    assert world.installed.packages == {
        "Plain": "0.2.1", "Leaning": "1.0.0", "Wordy": "1.0.0", "Reading": "1.0.0", "Building": "1.0.0",
        "Prying": "1.0.0", "Extending": "1.0.0", "Stony": "1.0.0", "Left": "1.0.0", "Right": "1.0.0",
        "Breaking": "1.0.0",
    }  # fmt: skip
    assert world.installed.loadable == (
        *(
            "Building",
            "Extending",
            "Leaning",
            "Left",
            "Plain",
            "Prying",
            "Reading",
            "Right",
            "Stony",
            "Wordy",
        ),
    )


def test_a_package_that_cannot_be_compiled_and_one_for_another_julia_stop_no_other(world: World) -> None:
    problems = world.installed.problems
    assert set(problems) == {"Breaking", "Tomorrow"}
    assert "this package cannot be compiled" in problems["Breaking"]
    assert "julia" in problems["Tomorrow"]


def test_the_suite_keeps_the_versions_and_the_names_that_were_added(world: World) -> None:
    minor = ".".join(world.julia.version.split(".")[:2])
    kept = (world.environment / f"Manifest-v{minor}.toml").read_text()
    assert 'version = "0.2.1"' in kept
    text = (world.environment / "Project.toml").read_text()
    assert text.startswith("# Ours.\n[deps]\nLeaning = ")
    assert 'Plain = "0.1, 0.2"' in text


@pytest.mark.parametrize("name", ["Building", "Prying"])
def test_what_runs_when_a_package_is_built_or_compiled_has_no_network_and_sees_none_of_our_files(
    world: World, judge: Judge, name: str
) -> None:
    found = f'@test {name}.FOUND == "network no, canary read no, written no"'
    assert verdict(judge, f"using {name}", found).outcome is Outcome.PASS
    assert world.canary.read_text() == "alive"


def test_candidates_load_what_was_compiled_at_set_up(judge: Judge) -> None:
    assert verdict(judge, "using Prying", "@test Prying.COMPILED").outcome is Outcome.PASS


def test_what_is_there_is_not_installed_again_and_needs_no_network(world: World) -> None:
    offline = with_cache(world.settings.cache, "http://127.0.0.1:9")
    assert install(world.environment, offline) == world.installed


def test_another_manifest_is_another_installation(world: World) -> None:
    asked = read_environment(world.environment, world.julia)
    assert find_installed(asked, world.julia, world.settings.cache) == world.installed
    other = replace(asked, manifest=asked.manifest + "\n# changed\n")
    assert find_installed(other, world.julia, world.settings.cache) is None


def test_the_manifest_of_the_suite_decides_the_versions(world: World, tmp_path: Path) -> None:
    (tmp_path / "Project.toml").write_text(project("Plain"))
    with served(world.offered[:2]) as server:
        settings = with_cache(tmp_path / "cache", server.url)
        assert install(tmp_path, settings).packages == {"Plain": "0.2.1"}
    with served(world.offered) as server:
        settings = with_cache(tmp_path / "other", server.url)
        assert install(tmp_path, settings).packages == {"Plain": "0.2.1"}  # though there is a 0.3.0 now
        minor = ".".join(world.julia.version.split(".")[:2])
        (tmp_path / f"Manifest-v{minor}.toml").unlink()
        assert install(tmp_path, settings, keep=False).packages == {"Plain": "0.3.0"}
        assert not list(tmp_path.glob("Manifest*"))


def test_without_a_network_it_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "Project.toml").write_text(project("Plain"))
    with pytest.raises(ToolchainError, match="Plain could not be downloaded"):
        install(tmp_path, with_cache(tmp_path / "cache", "http://127.0.0.1:9"))
    assert [path.name for path in (tmp_path / "cache/packages").iterdir()] == [".lock"]


def test_a_package_under_development_is_refused(tmp_path: Path) -> None:
    julia = the_julia()
    environment = Environment(folder=tmp_path, minor=".".join(julia.version.split(".")[:2]))
    environment.manifest_file.write_text(f'[[Mine]]\npath = "/home/me"\nuuid = "{uuid_of("Mine")}"\n')
    with pytest.raises(InputError, match="Mine: is under development in /home/me"):
        read_environment(tmp_path, julia)


# Candidates


def test_candidates_use_packages_their_needs_artifacts_and_files(judge: Judge) -> None:
    tests = (
        "@test Plain.plain() == 21",
        "@test Leaning.lean() == 42",
        '@test Wordy.words() == "words of an artifact\\n"',
        '@test Reading.SEEN[] == "read at the start"',
    )
    found = verdict(judge, "using Leaning, Wordy, Reading", *tests, imports=("Plain",))
    assert found.outcome is Outcome.PASS, found.execution


def test_an_extension_is_there_with_the_package_it_waits_for_on_a_julia_that_has_extensions(
    judge: Judge, world: World
) -> None:
    major, minor, *_ = (int(part) for part in world.julia.version.split("."))
    expected = "with Plain 21" if (major, minor) >= (1, 9) else "alone"
    found = verdict(judge, "using Extending, Plain", f'@test Extending.extended() == "{expected}"')
    assert found.outcome is Outcome.PASS, found.execution


def test_values_of_a_packages_types_are_judged_like_all_others(judge: Judge) -> None:
    tests = (
        "@test stone(1) == Stone([1])",
        "@test stone(2) isa Stone && stone(2).weights == [2]",
        "@test_throws Crumbled stone(-1)",
        '@test_throws Crumbled("air") stone(-1)',
        "@test typeof(stone(3)) == Stone",
        "let other = stone(4)\n    @test other == stone(4) && other.weights == [4]\nend",
        "@test double(1) == 2",
    )
    right = 'using Stony\nstone(w) = w < 0 ? throw(Crumbled("air")) : Stone([w])'
    found = verdict(judge, right, *tests, imports=("Stony",))
    assert found.outcome is Outcome.PASS, found.execution
    assert found.execution
    assert {1, 2, 6} <= decided_by_referee(found.execution)
    wrong = 'using Stony\nstone(w) = w < 0 ? throw(ErrorException("air")) : Pebble()'
    assert verdict(judge, wrong, *tests, imports=("Stony",)).unit_tests_passed == 1


def test_a_warm_server_has_run_the_suites_warm_up_and_a_cold_process_has_not(
    judge: Judge, world: World
) -> None:
    code = "using Plain\nis_warm() = Plain.WARM[]"  # asked where the candidate runs
    assert verdict(judge, code, "@test is_warm()", imports=("Plain",)).outcome is Outcome.PASS
    with a_judge(world, cold=True) as cold:
        assert verdict(cold, code, "@test is_warm()", imports=("Plain",)).outcome is Outcome.FAIL


LOADED = "loaded(name) = any(id -> id.name == name, keys(Base.loaded_modules))"


def test_packages_are_loaded_only_for_test_cases_that_import_them(judge: Judge) -> None:
    found = verdict(judge, LOADED, '@test !loaded("Plain") && loaded("Dates")')
    assert found.outcome is Outcome.PASS, found.execution
    found = verdict(judge, LOADED, '@test loaded("Plain") && loaded("Dates")', imports=("Plain",))
    assert found.outcome is Outcome.PASS, found.execution


def test_packages_that_cannot_be_loaded_together_serve_test_cases_side_by_side(judge: Judge) -> None:
    for name, other in (("Left", "Right"), ("Right", "Left"), ("Left", "Right")):
        test = f'@test loaded("{name}") && !loaded("{other}")'
        found = verdict(judge, LOADED, test, imports=(name,))
        assert found.outcome is Outcome.PASS, found.execution


class Recorded:
    """A sandbox that knows nothing but its packages."""

    level, julia_version = "fake", "1.10.0"

    def __init__(self, names: tuple[str, ...], log: list[str]) -> None:
        self.names, self.log = names, log
        log.append(f"start {' '.join(names)}")

    def execute(self, job: Job) -> Execution:
        return facts(job.test_case, sandbox=" ".join(self.names))

    def close(self) -> None:
        self.log.append(f"close {' '.join(self.names)}")


def test_each_set_of_packages_has_a_server_and_the_least_used_one_ends() -> None:
    log: list[str] = []
    installed = {"A": "1", "B": "1", "C": "1"}
    servers = SandboxesByPackages(lambda names: Recorded(names, log), ("A.Sub", "B", "C", "Dates"), installed)

    def served_by(*imports: str) -> str:
        case = replace(a_case(), imports=imports)
        return servers.execute(Job(test_case=case, snippets=())).sandbox

    assert log == ["start Dates"], "the others wait until they are needed"
    assert [served_by(), served_by("Dates"), served_by("NotInstalled")] == ["Dates"] * 3
    assert served_by("B", "A.Sub") == served_by("A.Sub", "B", "Dates") == "Dates A.Sub B"
    assert [served_by("C"), served_by("A.Sub", "B"), served_by("B")] == [
        "Dates C",
        "Dates A.Sub B",
        "Dates B",
    ]
    assert log == ["start Dates", "start Dates A.Sub B", "start Dates C", "close Dates C", "start Dates B"]
    servers.close()
    assert log[5:] == ["close Dates", "close Dates A.Sub B", "close Dates B"]


def test_a_server_that_starts_while_its_sandbox_is_closed_is_ended_too() -> None:
    log: list[str] = []

    def start(names: tuple[str, ...]) -> Recorded:
        if names:
            servers.close()
        return Recorded(names, log)

    servers = SandboxesByPackages(start, (), {"A": "1"})
    with pytest.raises(SandboxError, match="closed"):
        servers.execute(Job(test_case=replace(a_case(), imports=("A",)), snippets=()))
    assert log[-1] == "close A"


def test_a_warm_up_that_fails_is_told(world: World, tmp_path: Path) -> None:
    (tmp_path / "Project.toml").write_text(project("Plain"))
    (tmp_path / "warmup.jl").write_text("using Plain\nPlain.no_such_function()\n")
    with served(world.offered[:1]) as server:
        installed = install(tmp_path, with_cache(tmp_path / "cache", server.url))
    assert installed.loadable == ("Plain",)
    assert "no_such_function" in installed.problems["warmup.jl"]


def test_every_evaluation_tells_the_versions_of_all_packages(judge: Judge, world: World) -> None:
    found = verdict(judge, "", "@test double(1) == 2")
    assert found.execution
    assert found.execution.packages == world.installed.packages


def test_what_the_environment_does_not_have_is_not_installed(judge: Judge) -> None:
    found = verdict(judge, "using NotThere", "@test double(1) == 2")
    assert found.execution
    assert found.execution.extraction.dropped_imports == ("NotThere",)
    assert found.outcome is Outcome.PASS


@pytest.mark.parametrize("name", ["Breaking", "Tomorrow", "NotThere"])
def test_a_definition_that_needs_what_cannot_be_loaded_is_void(judge: Judge, name: str) -> None:
    found = verdict(judge, "", "@test double(1) == 2", imports=("Plain", name))
    assert (found.outcome, found.score) == (Outcome.VOID, None)
    assert found.execution
    assert found.execution.missing_packages == (name,)


def test_the_users_own_packages_are_not_seen(world: World, tmp_path: Path) -> None:
    minor = ".".join(world.julia.version.split(".")[:2])
    package, environment = tmp_path / "Mine", tmp_path / f"depot/environments/v{minor}"
    (package / "src").mkdir(parents=True)
    (package / "src/Mine.jl").write_text("module Mine end")
    (package / "Project.toml").write_text(f'name = "Mine"\nuuid = "{uuid_of("Mine")}"\n')
    environment.mkdir(parents=True)
    (environment / "Project.toml").write_text(f'[deps]\nMine = "{uuid_of("Mine")}"\n')
    (environment / "Manifest.toml").write_text(f'[[Mine]]\npath = "{package}"\nuuid = "{uuid_of("Mine")}"\n')
    loads = [str(world.julia.launcher), "--startup-file=no", "-e", "using Mine"]
    mine = {**os.environ, "JULIA_DEPOT_PATH": str(tmp_path / "depot")}
    subprocess.run(loads, env=mine, check=True, timeout=120)  # it is the user's, and works
    settings = replace(world.settings, julia_environment={"JULIA_DEPOT_PATH": str(tmp_path / "depot")})
    with Judge(sandbox_factory=SandboxFactory(packages=world.packages, settings=settings)) as judge:
        found = verdict(
            judge, "using Mine", "@test double(1) == 2", "@test Plain.plain() == 21", imports=("Plain",)
        )
    assert found.execution
    assert found.execution.extraction.dropped_imports == ("Mine",)
    assert found.outcome is Outcome.PASS


ATTACK = """
depot = DEPOT_PATH[1]
file = joinpath(depot, "packages")
for (root, folders, files) in walkdir(depot), name in files
    path = joinpath(root, name)
    for attempt in (
        () -> write(path, "PWNED"), () -> rm(path), () -> chmod(path, 0o777), () -> mv(path, path * "x"),
        () -> write(joinpath(root, "PWNED"), "x"), () -> symlink("/", joinpath(root, "PWNED")),
    )
        try attempt(); println("PWNED ", path) catch end
    end
end
for folder in (depot, joinpath(depot, ".."), joinpath(depot, "..", "environment"))
    try write(joinpath(folder, "PWNED"), "x"); println("PWNED ", folder) catch end
end
"""


@pytest.mark.parametrize(("level", "cold"), [(None, False), (None, True), ("L2.5", False), ("L2", False)])
def test_no_candidate_can_write_to_the_depot(world: World, level: str | None, cold: bool) -> None:
    with a_judge(world, level=level, cold=cold) as judge:
        attack = verdict(judge, ATTACK, "@test double(1) == 2")
        assert attack.execution
        assert attack.execution.stdout == ""
        assert attack.outcome is Outcome.PASS, attack.execution  # the attack ran to its end
        assert verdict(judge, "using Leaning", "@test Leaning.lean() == 42").outcome is Outcome.PASS
    asked = read_environment(world.environment, world.julia)
    assert find_installed(asked, world.julia, world.settings.cache) == world.installed


# What must hold


@pytest.fixture
def small(tmp_path: Path) -> Iterator[tuple[Path, Settings, PackageServer]]:
    """An environment with one package, not installed, and the server for it."""
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "Project.toml").write_text(project("Plain"))
    with served([Package(name="Plain", code="plain() = 1")]) as server:
        yield suite, with_cache(tmp_path / "cache", server.url), server


def setting_up(suite: Path, settings: Settings) -> subprocess.Popen[str]:
    """`codejury setup --packages` for a suite, in a process of its own."""
    return started(settings, "setup", "--packages", "--environment", suite)


def started(settings: Settings, *arguments: object) -> subprocess.Popen[str]:
    """A command of ours with these settings."""
    environment = {
        **os.environ,
        "CODEJURY_CACHE": str(settings.cache),
        "CODEJURY_JULIA": str(the_julia().launcher),
        "PATH": f"{BUBBLEWRAP.parent if BUBBLEWRAP else ''}:{os.environ['PATH']}",
        **settings.download_environment,
    }
    command = [sys.executable, "-m", "codejury", *map(str, arguments)]
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def asked_for_packages(server: PackageServer) -> int:
    return sum(path.startswith("/package/") for path in server.asked)


def test_a_setup_that_is_killed_is_completed_by_the_next(
    small: tuple[Path, Settings, PackageServer],
) -> None:
    suite, settings, server = small
    for moment in (
        lambda: asked_for_packages(server) > 0,
        lambda: any((settings.cache / "packages/.new/depot").glob("packages/*/*/src")),
        lambda: any((settings.cache / "packages/.new/depot").glob("compiled/*/*")),
    ):
        server.asked.clear()
        with setting_up(suite, settings) as process:
            while process.poll() is None and not moment():
                time.sleep(0.01)
            assert process.poll() is None, process.communicate()
            process.send_signal(signal.SIGKILL)
        environment = read_environment(suite, the_julia())
        assert find_installed(environment, the_julia(), settings.cache) is None
    with setting_up(suite, settings) as process:
        said, _ = process.communicate(timeout=300)
    assert (process.returncode, "Julia packages: Plain 1.0.0" in said) == (0, True), said
    environment = read_environment(suite, the_julia())
    assert find_installed(environment, the_julia(), settings.cache)


def test_two_setups_at_once_wait_for_each_other(small: tuple[Path, Settings, PackageServer]) -> None:
    suite, settings, server = small
    with setting_up(suite, settings) as first, setting_up(suite, settings) as second:
        said = [process.communicate(timeout=300)[0] for process in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0], said
    assert all("Julia packages: Plain 1.0.0" in each for each in said)
    assert asked_for_packages(server) == 1


def test_a_damaged_depot_is_told_from_a_missing_package_and_mended(
    small: tuple[Path, Settings, PackageServer],
) -> None:
    suite, settings, _ = small
    packages = Packages(("Plain",), suite)
    with Judge(sandbox_factory=SandboxFactory(packages=packages, settings=settings)) as judge:
        before = verdict(judge, "", "@test Plain.plain() == 1", imports=("Plain",))
    assert before.execution
    assert before.execution.missing_packages == ("Plain",)
    installed = install(suite, settings)
    (source,) = installed.home.glob("depot/packages/Plain/*/src/Plain.jl")
    source.unlink()
    judge = Judge(sandbox_factory=SandboxFactory(packages=packages, settings=settings))
    with pytest.raises(ToolchainError, match=r"damaged .* `codejury setup --packages` fixes them"), judge:
        verdict(judge, "", "@test Plain.plain() == 1", imports=("Plain",))
    assert install(suite, settings) == installed
    with Judge(sandbox_factory=SandboxFactory(packages=packages, settings=settings)) as judge:
        after = verdict(judge, "", "@test Plain.plain() == 1", imports=("Plain",))
    assert after.outcome is Outcome.PASS


def test_packages_in_use_are_not_replaced(world: World, judge: Judge) -> None:
    assert verdict(judge, "", "@test double(1) == 2").outcome is Outcome.PASS
    with served(world.offered, [WORDS]) as server:
        settings = with_cache(world.settings.cache, server.url)
        with pytest.raises(ToolchainError, match="are in use by a judge that is running"):
            install(world.environment, settings, force=True)
    asked = read_environment(world.environment, world.julia)
    assert find_installed(asked, world.julia, world.settings.cache) == world.installed


def test_the_seal_notices_a_file_more_a_file_less_and_another_age(tmp_path: Path) -> None:
    file = tmp_path / "depot/packages/x.jl"
    file.parent.mkdir(parents=True)
    seals = [seal_of(tmp_path)]
    for change in (
        lambda: file.write_text("a"),
        lambda: os.utime(file, (1, 1)),
        lambda: file.write_text("ab"),
        lambda: file.with_name("y.jl").symlink_to(file),
    ):
        change()
        seals.append(seal_of(tmp_path))
    assert len(set(seals)) == len(seals)


# The commands


def told(settings: Settings, *arguments: object) -> tuple[int, str]:
    """The exit code of a command, and all that it said, in one line."""
    with started(settings, *arguments) as process:
        said, _ = process.communicate(timeout=300)
    return process.returncode, " ".join(said.split())


def test_without_a_network_it_says_what_is_there(world: World, tmp_path: Path) -> None:
    (tmp_path / "Project.toml").write_text(project("Leaning", "Plain"))
    offline = with_cache(world.settings.cache, "http://127.0.0.1:9")
    code, said = told(offline, "setup", "--packages", "--environment", tmp_path)
    assert code == 2
    assert "Leaning, Plain could not be downloaded; Julia's package manager said:" in said
    there = ", ".join(f"{name} {version}" for name, version in sorted(world.installed.packages.items()))
    assert f"Installed for Julia {world.julia.version}: {there}" in said


@pytest.fixture
def needing(tmp_path: Path) -> tuple[Path, Path]:
    """Definitions of which one needs a package, and an answer to it."""
    definitions = in_folders(tmp_path / "cases", "maths/double")
    path = definitions / "maths/double/definition.toml"
    tests = ("@test double(1) == 2", "@test double(Plain.plain()) == 42")
    case = replace(load_definition(path), imports=("Plain",), unit_tests=tests)
    save_definition(case, path)
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"task_id": "double", "solution": "double(x) = 2x"}) + "\n")
    return definitions, answers


def test_an_environment_that_is_named_serves_the_definitions(
    world: World, needing: tuple[Path, Path], tmp_path: Path
) -> None:
    definitions, answers = needing
    named = ("--environment", world.environment, "--workers", 1)
    code, said = told(world.settings, "validate", definitions, "--no-strict", *named)
    assert (code, "1 valid" in said) == (0, True), said
    verdicts = tmp_path / "verdicts.jsonl"
    asked = ("judge", answers, "--definitions", definitions, "--output", verdicts)
    code, said = told(world.settings, *asked, *named)
    assert (code, "wait" in said) == (0, False), said
    found = json.loads(verdicts.read_text())
    assert (found["outcome"], found["packages"]["Plain"]) == ("pass", "0.2.1")


def test_each_command_says_what_would_install_a_package_that_is_missing(
    world: World, needing: tuple[Path, Path], tmp_path: Path
) -> None:
    definitions, answers = needing
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "Project.toml").touch()
    named = ("--environment", empty, "--workers", 1)
    repair = f"python -m codejury setup --packages --environment {empty}"
    _, said = told(world.settings, "validate", definitions, "--no-strict", *named)
    assert repair in said
    output = tmp_path / "verdicts.jsonl"
    asked = ("judge", answers, "--definitions", definitions, "--output", output)
    _, said = told(world.settings, *asked, *named)
    assert f"1 answer waits for Plain: {repair}" in said
    assert json.loads(output.read_text())["outcome"] == "void"
    tree = Tree(tmp_path / "results", definitions)
    tree.ask("double(x) = 2x")
    again = ("rescore", tree.root, "--definitions", definitions)
    code, said = told(world.settings, *again, *named)
    assert (code, f"1 answer waits for Plain: {repair}" in said) == (0, True), said
    launcher = world.julia.launcher
    _, said = told(world.settings, *again, *named, "--julia", launcher)
    assert f"1 answer waits for Plain: CODEJURY_JULIA={launcher} {repair}" in said
    _, said = told(world.settings, "validate", definitions, "--no-strict", *named, "--julia", launcher)
    assert f"-> CODEJURY_JULIA={launcher} {repair}" in said


# The files of an environment


def test_a_definition_belongs_to_the_nearest_environment_above_it(tmp_path: Path) -> None:
    definition = tmp_path / "suite/category/case/definition.toml"
    definition.parent.mkdir(parents=True)
    (tmp_path / "Project.toml").touch()  # above the suite: somebody else's
    assert environment_above(definition) is None
    (tmp_path / "suite/Project.toml").touch()
    assert environment_above(definition) == tmp_path / "suite"


def test_packages_are_added_to_a_project_that_otherwise_stays_as_it_is() -> None:
    before = '# why\n[deps]\nB = "2"\n\n[compat]\nB = "1"  # the last that worked\n'
    assert with_dependencies(before, {"C": "3", "A": "1"}) == before.replace(
        "[deps]\n", '[deps]\nA = "1"\nC = "3"\n'
    )
    assert with_dependencies("", {"A": "1"}) == '[deps]\nA = "1"\n'


# What people are told


def test_the_command_that_installs_what_is_missing_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tell_waiting({"DataFrames": 6}, bundled_suite())
    tell_waiting({"Plain": 1}, tmp_path)
    tell_waiting({"NotListed": 2}, bundled_suite())
    assert capsys.readouterr().err.splitlines() == [
        "6 answers wait for DataFrames: codejury setup --packages",
        f"1 answer waits for Plain: codejury setup --packages --environment {tmp_path}",
        "2 answers wait for NotListed: codejury setup --packages --environment <the folder of their suite>",
    ]


def test_the_bundled_suite_lists_every_package_that_its_definitions_import() -> None:
    julia = the_julia()
    cases = Suite.below().usable()
    standard = {path.name for path in julia.stdlib.iterdir()} | {"Base"}
    imported = {name.partition(".")[0] for case in cases for name in case.imports} - standard
    assert imported == dependencies(bundled_suite())


def test_the_environment_of_test_cases_is_their_suites_else_the_bundled_one(tmp_path: Path) -> None:
    case = replace(a_case(), imports=("Plain",), path=tmp_path / "suite/category/case/definition.toml")
    assert packages_of([case]) == Packages(("Plain",), bundled_suite())
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite/Project.toml").touch()
    assert packages_of([case]) == Packages(("Plain",), tmp_path / "suite")
    assert packages_of([case], tmp_path) == Packages(("Plain",), tmp_path)
    other = replace(case, path=tmp_path / "other/category/case/definition.toml")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/Project.toml").touch()
    with pytest.raises(InputError, match="two Julia environments"):
        packages_of([case, other])
