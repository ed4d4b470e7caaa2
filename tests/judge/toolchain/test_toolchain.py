"""Julia and bubblewrap: found in the right order, described by looking, installed whole or not at all.

The Julias here are small shell scripts that print the facts a real one would, but for the tests at the
end of the second part, which need the real one that `make setup` has found or installed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from codejury.errors import InputError, ToolchainError
from codejury.judge.sandbox.factory import SandboxFactory
from codejury.judge.sandbox.isolation.bubblewrap import bubblewrap_command, must_step_down
from codejury.judge.sandbox.isolation.probe import probe_isolation
from codejury.judge.toolchain.apt import Progress
from codejury.judge.toolchain.describe import describe_julia
from codejury.judge.toolchain.find import (
    choose_julia,
    find_bubblewrap,
    find_julia,
    forget_choice,
    named_julia,
    search_julia,
)
from codejury.judge.toolchain.install import JULIA, Fetch, Program, install
from codejury.judge.toolchain.julia import JuliaInstall, topmost
from codejury.judge.toolchain.paths import Cache, hold
from codejury.settings import Settings, load_settings


def silent(message: str, fraction: float | None) -> None:
    """Progress that nobody watches."""


def write_program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)
    return path


def fake_julia(path: Path, version: str = "1.9.0", libraries: Sequence[Path] = ()) -> Path:
    """A program that says what describe.jl would print, and counts its runs in the file `runs`."""
    home = path.parent
    facts = {
        "version": version,
        "bindir": home,
        "executable": path,
        "image": home / "sys.so",
        "stdlib": home / "stdlib",
        "witness": home / "Project.toml",
    }
    told = [*facts.items(), *(("library", library) for library in libraries)]
    lines = "".join(f"printf '%s\\t%s\\n' {name} '{value}'\n" for name, value in told)
    first = f'[ "$1" = --version ] && echo "julia version {version}" && exit 0\n'
    return write_program(path, f"{first}echo run >> {home}/runs\n{lines}echo end\n")


def runs(julia: Path) -> int:
    return len((julia.parent / "runs").read_text().splitlines())


def fake_juliaup(folder: Path, versions: list[str], default: str) -> None:
    for version in versions:
        fake_julia(folder / f"julia-{version}/bin/julia", version)
    state = {
        "Default": "mine",
        "InstalledVersions": {version: {"Path": f"./julia-{version}"} for version in versions},
        "InstalledChannels": {"mine": {"Version": default}},
    }
    (folder / "juliaup.json").write_text(json.dumps(state))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A machine without any Julia."""
    (tmp_path / "bin").mkdir()
    return Settings(
        cache=tmp_path / "cache",
        path=str(tmp_path / "bin"),
        juliaup=tmp_path / "juliaup",
        julia_environment={},
    )


def on_path(settings: Settings) -> Path:
    return Path(settings.path) / "julia"


def in_cache(settings: Settings, version: str = "1.5.3") -> Path:
    return settings.cache / "julia" / f"{version}-debian" / "julia"


# Finding


def test_a_machine_without_julia_has_none(settings: Settings) -> None:
    assert find_julia(settings) is None
    assert find_bubblewrap(settings) is None


def test_julia_is_looked_for_in_the_setting_then_path_then_juliaup_then_the_cache(
    settings: Settings, tmp_path: Path
) -> None:
    seen = []
    fake_julia(in_cache(settings))
    seen.append(search_julia(settings))
    fake_juliaup(settings.juliaup, ["1.10.4"], "1.10.4")
    seen.append(search_julia(settings))
    fake_julia(on_path(settings))
    seen.append(search_julia(settings))
    asked = fake_julia(tmp_path / "elsewhere/julia")
    seen.append(search_julia(replace(settings, julia=str(asked))))
    assert [search.place for search in seen] == ["cache", "juliaup", "PATH", "CODEJURY_JULIA"]
    assert seen[-1].found is not None
    assert seen[-1].found.launcher == asked


def test_of_juliaups_versions_the_default_comes_first(settings: Settings) -> None:
    fake_juliaup(settings.juliaup, ["1.9.4", "1.10.4", "1.11.0"], default="1.10.4")
    assert (julia := find_julia(settings))
    assert julia.version == "1.10.4"


def test_of_several_in_the_cache_the_newest_is_taken(settings: Settings) -> None:
    for version in ("1.9.4", "1.10.4", "1.5.3"):
        fake_julia(in_cache(settings, version), version)
    assert (julia := find_julia(settings))
    assert julia.version == "1.10.4"


def test_a_pre_release_is_taken_only_where_there_is_nothing_else(settings: Settings) -> None:
    fake_juliaup(settings.juliaup, ["1.12.1", "1.13.0-rc3", "1.14.0-DEV.123"], default="none of them")
    assert (julia := find_julia(settings))
    assert julia.version == "1.12.1"
    (settings.juliaup / "juliaup.json").unlink()
    for version in ("1.13.0-rc3", "1.13.0-beta2", "1.5.3"):
        fake_julia(in_cache(settings, version), version)
    assert (julia := find_julia(settings))
    assert julia.version == "1.5.3"
    in_cache(settings, "1.5.3").unlink()
    assert (julia := find_julia(settings))
    assert julia.version == "1.13.0-rc3"


@pytest.mark.parametrize("version", ["1.13.0-rc3", "1.14.0-DEV.123", "2.0.0"])
def test_a_julia_from_after_our_time_is_taken(settings: Settings, version: str) -> None:
    fake_julia(on_path(settings), version)
    assert (julia := find_julia(settings))
    assert julia.version == version


@pytest.mark.parametrize("damage", ["", "not json", "[]", '{"InstalledVersions": {"1.10.4": {}}}'])
def test_a_damaged_state_of_juliaup_is_passed_by(settings: Settings, damage: str) -> None:
    settings.juliaup.mkdir()
    (settings.juliaup / "juliaup.json").write_text(damage)
    assert find_julia(settings) is None


def test_a_julia_that_was_asked_for_by_name_is_looked_up_in_path(settings: Settings) -> None:
    fake_julia(Path(settings.path) / "julia-nightly")
    assert (julia := find_julia(replace(settings, julia="julia-nightly")))
    assert julia.launcher.name == "julia-nightly"


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ("/no/such/julia", "CODEJURY_JULIA: /no/such/julia is not an executable file"),
        ("/usr", "CODEJURY_JULIA: /usr is not an executable file; name the program `julia` itself"),
        ("no-such-julia", "CODEJURY_JULIA: no-such-julia is not in PATH"),
    ],
)
def test_a_wrong_path_is_an_error_and_nothing_else_is_taken(
    settings: Settings, asked: str, complaint: str
) -> None:
    fake_julia(on_path(settings))
    with pytest.raises(InputError) as error:
        find_julia(replace(settings, julia=asked))
    assert complaint in str(error.value)


def test_an_asked_for_program_that_fails_is_quoted(settings: Settings, tmp_path: Path) -> None:
    broken = write_program(tmp_path / "broken/julia", "echo no libjulia here >&2; exit 127\n")
    with pytest.raises(InputError, match=r"exit code 127\); it said:\n    no libjulia here"):
        find_julia(replace(settings, julia=str(broken)))


def test_a_program_that_is_no_julia_is_refused_though_it_succeeds(settings: Settings, tmp_path: Path) -> None:
    other = write_program(tmp_path / "other/julia", "echo hello\n")
    with pytest.raises(InputError, match="does not work as a Julia"):
        find_julia(replace(settings, julia=str(other)))


def test_a_julia_that_is_too_old_is_refused(settings: Settings, tmp_path: Path) -> None:
    old = fake_julia(tmp_path / "old/julia", "1.4.2")
    with pytest.raises(InputError, match=r"is Julia 1\.4\.2; Codejury needs 1\.5 or newer"):
        find_julia(replace(settings, julia=str(old)))


def test_a_broken_julia_in_path_is_passed_over_and_the_reason_kept(settings: Settings) -> None:
    write_program(on_path(settings), "echo broken shim >&2; exit 1\n")
    fake_julia(in_cache(settings))
    search = search_julia(settings)
    assert search.place == "cache"
    assert len(search.passed_over) == 1
    assert "broken shim" in search.passed_over[0]


def test_a_chosen_julia_is_kept_until_it_is_forgotten(settings: Settings, tmp_path: Path) -> None:
    fake_julia(on_path(settings))
    chosen = fake_julia(tmp_path / "chosen/julia")
    choose_julia(str(chosen), settings)
    assert search_julia(settings).place == "codejury setup --julia"
    assert search_julia(replace(settings, julia=str(on_path(settings)))).place == "CODEJURY_JULIA"
    forget_choice(settings)
    assert search_julia(settings).place == "PATH"


def test_a_julia_that_does_not_work_cannot_be_chosen(settings: Settings) -> None:
    with pytest.raises(InputError, match="--julia: /no/such/julia"):
        choose_julia("/no/such/julia", settings)
    assert not Cache(settings.cache).chosen_julia.exists()


def test_root_is_not_given_a_julia_that_other_users_cannot_read(settings: Settings) -> None:
    julia = fake_julia(on_path(settings))
    julia.chmod(0o700)
    search = search_julia(replace(settings, is_root=True))
    assert search.found is None
    assert f"who cannot read {julia}" in search.passed_over[0]
    assert find_julia(settings) is not None


def test_bubblewrap_is_looked_for_in_path_then_in_the_cache(settings: Settings) -> None:
    cached = write_program(settings.cache / "bubblewrap/0.8.0-debian/bwrap", "")
    assert find_bubblewrap(settings) == cached
    found = write_program(Path(settings.path) / "bwrap", "")
    assert find_bubblewrap(settings) == found


def test_a_bubblewrap_that_does_not_know_what_it_is_told_is_passed_over(settings: Settings) -> None:
    old = write_program(Path(settings.path) / "bwrap", "echo 'bwrap: Unknown option --size' >&2; exit 1\n")
    assert find_bubblewrap(settings) is None
    cached = write_program(settings.cache / "bubblewrap/0.8.0-debian/bwrap", "")
    assert find_bubblewrap(settings) == cached
    old.write_text("no program at all")  # as long as it does not say so itself, trying it will tell
    assert find_bubblewrap(settings) == old


# Describing


def test_a_julia_is_run_once_and_remembered(settings: Settings) -> None:
    julia = fake_julia(on_path(settings))
    first = find_julia(settings)
    assert find_julia(settings) == first
    assert runs(julia) == 1


def test_a_julia_is_named_by_a_channel_of_juliaup_by_its_path_or_by_its_name(settings: Settings) -> None:
    fake_juliaup(settings.juliaup, ["1.9.3+0.x64", "1.10.4+0.x64"], "1.9.3+0.x64")
    on_the_path = fake_julia(on_path(settings), "1.11.0")
    assert named_julia("mine", settings).version == "1.9.3+0.x64"
    assert named_julia("julia", settings).launcher == on_the_path
    assert named_julia(str(on_the_path), settings).version == "1.11.0"
    with pytest.raises(InputError, match=r"--julia: 1\.12 is not in PATH"):
        named_julia("1.12", settings)


def test_a_changed_julia_is_run_again(settings: Settings) -> None:
    julia = fake_julia(on_path(settings))
    find_julia(settings)
    fake_julia(julia, "1.10.0")
    os.utime(julia, ns=(1, 1))
    assert (found := find_julia(settings))
    assert found.version == "1.10.0"


def test_another_julia_environment_is_another_question(settings: Settings) -> None:
    julia = fake_julia(on_path(settings))
    find_julia(settings)
    find_julia(replace(settings, julia_environment={"JULIA_PROJECT": "/p"}))
    assert runs(julia) == 2


def test_a_damaged_note_is_not_believed(settings: Settings) -> None:
    julia = fake_julia(on_path(settings))
    first = find_julia(settings)
    (note,) = Cache(settings.cache).notes.iterdir()
    for damage in ("", "{}", note.read_text().replace('"version"', '"vision"')):
        note.write_text(damage)
        assert find_julia(settings) == first
    assert runs(julia) == 4


def test_a_library_that_was_opened_by_name_is_a_root_wherever_it_lies(
    settings: Settings, tmp_path: Path
) -> None:
    library, neighbour = (tmp_path / "system" / name for name in ("libgmp.so.10", "secrets.txt"))
    library.parent.mkdir()
    library.touch()
    neighbour.touch()
    fake_julia(on_path(settings), libraries=[library, tmp_path / "system/gone.so"])
    assert (julia := find_julia(settings))
    assert library in julia.roots
    assert not any(neighbour.is_relative_to(root) for root in julia.roots), "its folder is not shown"


def test_a_library_is_shown_by_every_name_it_has_in_its_folder(settings: Settings, tmp_path: Path) -> None:
    """Julia opens `libcholmod.so.5`, then `libcholmod`, and only the first is told."""
    library, other = tmp_path / "libcholmod.so.5.2", tmp_path / "libamd.so.3"
    names = [tmp_path / name for name in ("libcholmod.so.5", "libcholmod.so")]
    for file in (library, other):
        file.touch()
    for name in names:
        name.symlink_to(library.name)
    (tmp_path / "libamd.so").symlink_to(other.name)
    fake_julia(on_path(settings), libraries=[names[0]])
    assert (julia := find_julia(settings))
    assert set(names) <= set(julia.roots)
    assert not {other, tmp_path / "libamd.so"} & set(julia.roots)


def test_a_julia_whose_library_has_moved_is_asked_again(settings: Settings, tmp_path: Path) -> None:
    library = tmp_path / "libgmp.so.10"
    library.touch()
    julia = fake_julia(on_path(settings), libraries=[library])
    find_julia(settings)
    library.unlink()
    find_julia(settings)
    assert runs(julia) == 2


def test_standard_libraries_that_are_links_to_their_sources_are_shown_with_them(
    settings: Settings, tmp_path: Path
) -> None:
    """So they are in a Julia that runs where it was built."""
    launcher = on_path(settings)
    stdlib, source = launcher.parent / "stdlib", tmp_path / "source/stdlib/Test-4451e13"
    stdlib.mkdir()
    source.mkdir(parents=True)
    (source.parent / "Test").symlink_to("Test-4451e13")
    (stdlib / "Test").symlink_to(source.parent / "Test")
    (launcher.parent / "sys.so").touch()  # the image, whose folder is shown whole
    fake_julia(launcher)
    assert (julia := find_julia(settings))
    assert {source.parent / "Test", source} <= set(julia.roots)


def test_roots_never_lie_below_one_another() -> None:
    paths = [Path(name) for name in ("/a/b", "/a", "/a-b", "/c/../d/e", "/d", "/a/b")]
    assert topmost(paths) == [Path("/a"), Path("/a-b"), Path("/d")]


@pytest.fixture(scope="module")
def real_julia(tmp_path_factory: pytest.TempPathFactory) -> JuliaInstall:
    """The Julia of this machine, looked at anew."""
    settings = load_settings()
    julia = find_julia(settings)
    assert julia, "no Julia on this machine: run `make setup` first"
    return describe_julia(julia.launcher, replace(settings, cache=tmp_path_factory.mktemp("notes")))


def run_julia(julia: JuliaInstall, code: str) -> str:
    command = [str(julia.executable), "--startup-file=no", "-e", code]
    environment = {**os.environ, **julia.environment}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def test_the_real_julia_runs_as_described(real_julia: JuliaInstall) -> None:
    assert run_julia(real_julia, "print(VERSION)") == real_julia.version
    assert run_julia(real_julia, "print(Sys.BINDIR)") == str(real_julia.bindir)


def test_every_library_the_real_julia_loads_lies_in_its_roots(real_julia: JuliaInstall) -> None:
    code = "using Libdl, LinearAlgebra, LibGit2; rand(2, 2) \\ rand(2); foreach(println, dllist())"
    loaded = [Path(line) for line in run_julia(real_julia, code).splitlines() if line.startswith("/")]
    assert len(loaded) > 5
    outside = [
        path for path in loaded if not any(Path(path).is_relative_to(root) for root in real_julia.roots)
    ]
    assert outside == []


@pytest.fixture(scope="module")
def scattered_julia(real_julia: JuliaInstall, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this machine's Julia with a library in a folder of its own, outside of all that is Julia's.

    It is libpcre2-8, which Julia opens by its bare name; a launcher sets the path that it is searched in.
    """
    prefix = real_julia.bindir.parent
    if prefix == Path("/usr"):
        pytest.skip("this Julia is a part of the system, which is not to be copied")
    folder = tmp_path_factory.mktemp("scattered")
    copy, outside = folder / "julia", folder / "outside"
    shutil.copytree(prefix, copy, symlinks=True, copy_function=link_or_copy)
    outside.mkdir()
    libraries = list(copy.rglob("libpcre2-8.so*"))
    next(path for path in libraries if not path.is_symlink()).rename(outside / "moved.so")
    for path in libraries:
        path.unlink(missing_ok=True)
    for name in {"libpcre2-8.so", *(path.name for path in libraries)}:
        (outside / name).symlink_to("moved.so")
    before = real_julia.environment.get("LD_LIBRARY_PATH", "").replace(str(prefix), str(copy))
    return write_program(
        folder / "bin/julia",
        f"export LD_LIBRARY_PATH='{before}:{outside}' JULIA_BINDIR='{copy}/bin'\n"
        f"exec '{copy}/bin/{real_julia.executable.name}' \"$@\"\n",
    )


def link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk
        shutil.copy2(source, target)


USES_LIBRARIES = """
using LibGit2, LinearAlgebra
print(match(r"\\w+", "ab cd").match, " ", big(2)^70, " ", round(Int, det([1.0 2.0; 3.0 4.0])))
"""


def test_a_julia_whose_libraries_lie_outside_its_own_folders_works_in_the_sandbox(
    scattered_julia: Path, tmp_path: Path
) -> None:
    bubblewrap = find_bubblewrap(load_settings())
    isolation = probe_isolation(bubblewrap=bubblewrap)
    if bubblewrap is None or "bubblewrap" not in [check.name for check in isolation.checks if check.ok]:
        pytest.skip("bubblewrap does not work on this machine")
    julia = describe_julia(scattered_julia, replace(load_settings(), cache=tmp_path))
    command = bubblewrap_command(
        bubblewrap,
        readonly=julia.roots,
        tmp_mb=4,
        scratch=Path("/scratch"),  # the copy lies in /tmp
        environment={**julia.environment, "HOME": "/scratch"},
        command=[str(julia.executable), "--startup-file=no", "-e", USES_LIBRARIES],
        step_down=must_step_down(),
    )
    done = subprocess.run(command, env={}, capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout == "ab 1180591620717411303424 -2", done.stderr


def test_the_real_julias_roots_exist_and_hold_the_standard_libraries(real_julia: JuliaInstall) -> None:
    assert all(root.is_absolute() and root.exists() for root in real_julia.roots)
    assert list(real_julia.roots) == topmost(real_julia.roots)
    assert (real_julia.stdlib / "Test/src/Test.jl").is_file()
    assert any(real_julia.stdlib.is_relative_to(root) for root in real_julia.roots)


def test_of_the_users_own_packages_nothing_is_bound(
    real_julia: JuliaInstall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "depot/environments").mkdir(parents=True)
    (tmp_path / "depot/servers").mkdir()  # access tokens
    monkeypatch.setenv("JULIA_DEPOT_PATH", str(tmp_path / "depot"))
    julia = find_julia(replace(load_settings(), julia=str(real_julia.launcher), cache=tmp_path / "cache"))
    assert julia
    assert (julia.packages, julia.package_roots) == ((), ())
    assert julia.load_path == (str(julia.stdlib),)
    assert not any(path.is_relative_to(tmp_path) for path in (*julia.roots, *julia.depots))
    assert JuliaInstall.from_json(json.loads(json.dumps(julia.to_json()))) == julia


# Installing


def program(*ways: Fetch) -> Program:
    """Something to install, by the given ways."""
    named = tuple((f"way {number}", way) for number, way in enumerate(ways))
    return Program(
        name="Thing",
        folder="thing",
        command="thing",
        proof=(),
        ways=named,
        by_hand="make one",
    )


def good_way(folder: Path, progress: Progress) -> str:
    write_program(folder / "thing", "exit 0\n")
    return "1.0-test"


def bad_way(folder: Path, progress: Progress) -> str:
    write_program(folder / "thing", "exit 0\n")
    raise ToolchainError("the network is down")


def broken_way(folder: Path, progress: Progress) -> str:
    write_program(folder / "thing", "echo cut short >&2; exit 3\n")
    return "1.0-test"


def tree(cache: Path) -> set[str]:
    return {str(path.relative_to(cache)) for path in cache.rglob("*") if not path.is_dir()}


def test_an_installation_is_put_into_place_and_found_the_next_time(tmp_path: Path) -> None:
    launcher = install(program(good_way), tmp_path, silent)
    assert launcher == tmp_path / "thing/1.0-test/thing"
    assert tree(tmp_path) == {"install.lock", "thing/1.0-test/thing"}
    assert install(program(bad_way), tmp_path, silent) == launcher


def test_the_next_way_is_tried_when_one_fails(tmp_path: Path) -> None:
    install(program(bad_way, broken_way, good_way), tmp_path, silent)
    assert tree(tmp_path) == {"install.lock", "thing/1.0-test/thing"}


def test_when_all_ways_fail_each_reason_and_the_way_by_hand_are_told(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError) as error:
        install(program(bad_way, broken_way), tmp_path, silent)
    message = str(error.value)
    assert "way 0: the network is down" in message
    assert "way 1: what was fetched does not work (exit code 3):\n    cut short" in message
    assert "By hand: make one." in message
    assert tree(tmp_path) == {"install.lock"}


def test_an_interrupted_installation_leaves_nothing(tmp_path: Path) -> None:
    def interrupted(folder: Path, progress: Progress) -> str:
        good_way(folder, progress)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(program(interrupted), tmp_path, silent)
    assert tree(tmp_path) == {"install.lock"}


def test_a_forced_installation_replaces_the_old_one(tmp_path: Path) -> None:
    old = install(program(good_way), tmp_path, silent).parent / "old-file"
    old.touch()
    install(program(good_way), tmp_path, silent, force=True)
    assert tree(tmp_path) == {"install.lock", "thing/1.0-test/thing"}


def test_a_forced_installation_fetches_nothing_while_the_old_one_is_in_use(tmp_path: Path) -> None:
    old = install(program(good_way), tmp_path, silent).parent / "old-file"
    old.touch()
    in_use = hold(old.parent)
    with pytest.raises(ToolchainError, match=r"1\.0-test is in use by a judge that is running; let it end"):
        install(program(bad_way), tmp_path, silent, force=True)
    assert old.exists()
    os.close(in_use)
    install(program(good_way), tmp_path, silent, force=True)
    assert not old.exists()


def test_the_julia_of_a_running_judge_is_not_replaced(tmp_path: Path, real_julia: JuliaInstall) -> None:
    write_program(tmp_path / "julia/1.0-test/julia", f'exec {real_julia.launcher} "$@"\n')
    (tmp_path / "bubblewrap").symlink_to(Cache(load_settings().cache).bubblewrap)
    settings = replace(load_settings(), julia="", juliaup=tmp_path / "none", path="", cache=tmp_path)
    anew = replace(JULIA, ways=(("a way", good_way),))
    factory = SandboxFactory(settings=settings, cold=True, allow_unsafe=True)
    sandbox = factory()
    with pytest.raises(ToolchainError, match=r"Julia in .*1\.0-test is in use"):
        install(anew, tmp_path, silent, force=True)
    sandbox.close()
    factory.close()
    with pytest.raises(ToolchainError, match="a way: what was fetched cannot be run"):
        install(anew, tmp_path, silent, force=True)


def test_a_judge_that_starts_during_a_forced_installation_keeps_its_julia(tmp_path: Path) -> None:
    old = install(program(good_way), tmp_path, silent).parent / "old-file"
    old.touch()
    in_use: list[int] = []

    def meanwhile(folder: Path, progress: Progress) -> str:
        in_use.append(hold(old.parent))
        return good_way(folder, progress)

    with pytest.raises(ToolchainError, match="in use"):
        install(program(meanwhile), tmp_path, silent, force=True)
    assert old.exists()
    os.close(*in_use)


def test_a_forced_installation_that_fails_keeps_the_old_one(tmp_path: Path) -> None:
    launcher = install(program(good_way), tmp_path, silent)
    with pytest.raises(ToolchainError):
        install(program(broken_way), tmp_path, silent, force=True)
    assert launcher.exists()


def test_a_cache_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ToolchainError, match=r"Thing could not be installed in .*file/cache"):
        install(program(good_way), tmp_path / "file/cache", silent)


def test_installed_files_can_be_read_by_others_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        launcher = install(program(good_way), tmp_path / "cache", silent)
    finally:
        os.umask(before)
    for folder in (tmp_path / "cache", launcher.parent.parent, launcher.parent):
        assert folder.stat().st_mode & 0o055 == 0o055


# Run by two processes at once: says when it fetches, then waits for the file `go`.
SLOW_INSTALLER = """
import sys, time
from pathlib import Path
from codejury.judge.toolchain.install import Program, install
cache = Path(sys.argv[1])

def fetch(folder, progress):
    (folder / "half").touch()
    with (cache.parent / "fetched").open("a") as log:
        log.write("x")
    while not (cache.parent / "go").exists():
        time.sleep(0.01)
    (folder / "thing").write_text("#!/bin/sh\\n")
    (folder / "thing").chmod(0o755)
    (folder / "half").unlink()
    return "1.0-test"

def tell(message, fraction):
    print(message, flush=True)

print(install(Program(name="Thing", folder="thing", command="thing", proof=(), ways=(("way", fetch),),
                      by_hand=""), cache, tell))
"""


class Installer:
    """A process that installs into `folder/cache`, and what it says."""

    def __init__(self, folder: Path, name: str) -> None:
        self._said = folder / name
        command = [sys.executable, "-c", SLOW_INSTALLER, str(folder / "cache")]
        with self._said.open("w") as output:
            self.process = subprocess.Popen(command, stdout=output)

    def said(self, text: str) -> bool:
        return text in self._said.read_text()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def installer(tmp_path: Path) -> Iterator[Installer]:
    """One that has begun to fetch and waits for the file `go`."""
    started = Installer(tmp_path, "first")
    wait_for((tmp_path / "fetched").exists)
    yield started
    started.kill()


@pytest.fixture
def latecomer(installer: Installer, tmp_path: Path) -> Iterator[Installer]:
    """One that was started after it."""
    started = Installer(tmp_path, "second")
    yield started
    started.kill()


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def test_of_two_installers_at_once_one_waits_and_finds_it_done(
    tmp_path: Path, installer: Installer, latecomer: Installer
) -> None:
    wait_for(lambda: latecomer.said("Waiting for another installation to end"))
    assert not (tmp_path / "cache/thing/1.0-test").exists()
    (tmp_path / "go").touch()
    for each in (installer, latecomer):
        assert each.process.wait(timeout=60) == 0
        assert each.said("cache/thing/1.0-test/thing\n")
    assert (tmp_path / "fetched").read_text() == "x"


def test_a_killed_installer_leaves_nothing_in_place_and_the_next_one_sweeps(
    tmp_path: Path, installer: Installer
) -> None:
    installer.kill()
    cache = tmp_path / "cache"
    assert list((cache / "thing").iterdir()) == []
    assert (cache / "staging/new/half").exists()
    install(program(good_way), cache, silent)
    assert tree(cache) == {"install.lock", "thing/1.0-test/thing"}


# Settings


def test_the_cache_is_where_codejury_cache_says() -> None:
    assert load_settings({"CODEJURY_CACHE": "/somewhere", "HOME": "/h"}).cache == Path("/somewhere")


def test_roots_cache_can_be_read_by_other_users_and_anybody_elses_is_their_own() -> None:
    cache = load_settings({"HOME": "/h"}).cache
    assert (cache == Path("/var/cache/codejury")) == (os.geteuid() == 0)


def test_settings_know_the_names_of_keys_and_never_their_values() -> None:
    settings = load_settings({"HOME": "/h", "OPENAI_API_KEY": "sk-secret", "GROQ_API_KEY": ""})
    assert settings.api_keys == ("OPENAI_API_KEY",)
    assert "sk-secret" not in repr(settings)
