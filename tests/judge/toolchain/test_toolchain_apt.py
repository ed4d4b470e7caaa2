"""Debian packages without root: reading apt's sources, and a private apt at work on a real archive.

The archive is made here: two small packages, an index, and a signature with a key of its own.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from codejury.errors import ToolchainError
from codejury.judge.toolchain import debian as debian_programs
from codejury.judge.toolchain.apt import (
    PrivateApt,
    Source,
    debian_archives,
    libraries_only,
    machine_sources,
    own_archives,
    parse_deb822,
    parse_one_line,
    unpack,
)
from codejury.judge.toolchain.debian import fetch_debian_bubblewrap, fetch_debian_julia

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

ONE_LINE = """\
# deb http://mirror.example/debian commented main
deb [lang=en signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://a.example/debian bookworm main x
deb http://mirror.example/debian bookworm-updates main  # the rest is a comment
deb-src http://mirror.example/debian bookworm main
deb [signed-by=/etc/apt/keyrings/vendor.gpg] https://vendor.example/apt bookworm main
deb cdrom:[Debian 12]/ bookworm main
"""

DEB822 = """\
# Debian's own
Types: deb deb-src
URIs: http://one.example/debian http://two.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: https://vendor.example/apt
Suites: nodistro
Components: main

Enabled: no
Types: deb
URIs: http://three.example/debian
Suites: bookworm
Components: main

Types: deb-src
URIs: http://sources.example/debian
Suites: bookworm
Components: main
"""

KEY_IN_PLACE = """\
Types: deb
URIs: http://mirror.example/debian
Suites: trixie
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mDMEY865UxYJKwYBBAHaRw8BAQdAd7Z0srwuhlB6JKFkcf4HU4SSS
 -----END PGP PUBLIC KEY BLOCK-----
"""


def test_one_line_sources_are_read_with_their_signer() -> None:
    sources = parse_one_line(ONE_LINE)
    assert sources[0] == Source(
        uri="http://a.example/debian",
        suite="bookworm",
        components=("main", "x"),
        signed_by=KEYRING,
    )
    assert [source.suite for source in sources[:3]] == ["bookworm", "bookworm-updates", "bookworm"]


def test_deb822_sources_are_read_one_for_each_address_and_suite() -> None:
    sources = parse_deb822(DEB822)
    assert [(source.uri, source.suite) for source in sources] == [
        ("http://one.example/debian", "bookworm"),
        ("http://one.example/debian", "bookworm-updates"),
        ("http://two.example/debian", "bookworm"),
        ("http://two.example/debian", "bookworm-updates"),
        ("https://vendor.example/apt", "nodistro"),
    ]
    assert sources[0].signed_by == KEYRING


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (parse_one_line(ONE_LINE), ["http://a.example/debian"]),
        (parse_deb822(DEB822), ["http://one.example/debian", "http://two.example/debian"]),
    ],
)
def test_only_debians_own_archive_is_asked_for_another_suite(
    sources: list[Source], expected: list[str]
) -> None:
    archives = debian_archives(sources, "bullseye")
    assert [archive.uri for archive in archives] == expected
    assert all(
        (archive.suite, archive.components, archive.signed_by) == ("bullseye", ("main",), KEYRING)
        for archive in archives
    )


def test_a_key_written_in_place_is_kept_whole() -> None:
    (source,) = parse_deb822(KEY_IN_PLACE)
    assert source.is_debian_archive
    assert parse_deb822(source.to_deb822()) == [source]
    assert "\n .\n mDME" in source.to_deb822()


def test_a_derivatives_own_release_counts_as_its_own_archive() -> None:
    (noble,) = parse_one_line("deb http://mirror.example/ubuntu noble main universe")
    assert own_archives([noble], "noble") == [noble]
    assert own_archives([noble], "jammy") == []
    assert debian_archives([noble], "bullseye") == []


def test_all_files_of_the_machines_configuration_are_read(tmp_path: Path) -> None:
    parts = tmp_path / "sources.list.d"
    parts.mkdir()
    (tmp_path / "sources.list").write_text("deb http://a.example/debian sid main\n")
    (parts / "b.sources").write_text("Types: deb\nURIs: http://b.example\nSuites: sid\nComponents: main\n")
    (parts / "c.list").write_text("deb http://c.example/debian sid main\n")
    (parts / "d.list.disabled").write_text("deb http://d.example/debian sid main\n")
    uris = [source.uri for source in machine_sources(tmp_path)]
    assert uris == ["http://a.example/debian", "http://b.example", "http://c.example/debian"]
    assert machine_sources(tmp_path / "nothing") == []


def test_of_a_closure_the_libraries_are_taken_but_not_the_c_library_or_the_installer() -> None:
    closure = ["julia", "julia-common", "libc6", "libllvm9", "zlib1g", "dpkg", "perl-base", "gcc-10-base"]
    assert libraries_only(closure, besides="julia") == ["julia", "julia-common", "libllvm9", "zlib1g"]


# A private apt at work


class Archive:
    """A small Debian archive on disk, signed with a key made for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index = folder / "dists/test/main" / f"binary-{native()}/Packages"
        self.index.parent.mkdir(parents=True)
        self._keys = folder / "keys"
        self._keys.mkdir(mode=0o700)
        self._gpg("--quick-generate-key", "Test Archive", "ed25519", "sign", "never")
        self._gpg("--output", str(folder / "key.gpg"), "--export")

    @property
    def source(self) -> Source:
        key = str(self.folder / "key.gpg")
        return Source(uri=f"file:{self.folder}", suite="test", components=("main",), signed_by=key)

    def add(self, name: str, depends: str = "", programs: Sequence[str] = ()) -> Path:
        """Build a package with one file, and more that can be run, and enter it in the index."""
        content = self.folder / "content" / name
        (content / "DEBIAN").mkdir(parents=True)
        (content / "usr/share/doc").mkdir(parents=True)
        (content / "usr/share" / name).write_text(f"this is {name}\n")
        (content / "usr/share/doc" / name).write_text("long words\n")
        for program in programs:
            (content / program).parent.mkdir(parents=True, exist_ok=True)
            (content / program).write_text('#!/bin/sh\necho "$LD_LIBRARY_PATH" "$JULIA_BINDIR" "$@"\n')
            (content / program).chmod(0o755)
        control = f"Package: {name}\nVersion: 1:2.3+dfsg-4\nArchitecture: all\n"
        control += "Maintainer: Nobody <nobody@example.org>\nDescription: a test\n"
        control += f"Depends: {depends}\n" if depends else ""
        (content / "DEBIAN/control").write_text(control)
        deb = self.folder / f"{name}.deb"
        quietly("dpkg-deb", "--root-owner-group", "--build", str(content), str(deb))
        with self.index.open("a") as index:
            index.write(
                f"{control}Filename: {deb.name}\nSize: {deb.stat().st_size}\nSHA256: {digest(deb)}\n\n"
            )
        return deb

    def sign(self) -> None:
        relative = self.index.relative_to(self.folder / "dists/test")
        release = self.folder / "dists/test/Release"
        release.write_text(
            "Origin: Test\nSuite: test\nCodename: test\nDate: Thu, 01 Jan 2026 00:00:00 UTC\n"
            f"Architectures: {native()} all\nComponents: main\n"
            f"SHA256:\n {digest(self.index)} {self.index.stat().st_size} {relative}\n"
        )
        self._gpg("--output", str(release.with_name("InRelease")), "--clearsign", str(release))
        release.unlink()

    def close(self) -> None:
        """End the agent that gpg has left running."""
        quietly("gpgconf", "--homedir", str(self._keys), "--kill", "all")

    def _gpg(self, *arguments: str) -> None:
        home = ["--homedir", str(self._keys), "--batch", "--yes", "--passphrase", "", "--pinentry-mode"]
        quietly("gpg", *home, "loopback", *arguments)


def native() -> str:
    return quietly("dpkg", "--print-architecture").strip()


def quietly(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    missing = [name for name in ("apt-get", "dpkg-deb", "gpg") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not a Debian machine: no {', '.join(missing)}")
    made = Archive(tmp_path / "archive")
    made.add("tool", depends="libtool-data, dpkg-like")
    made.add("libtool-data")
    made.add("dpkg-like")
    made.sign()
    yield made
    made.close()


def silent(message: str, fraction: float | None) -> None:
    """Progress that nobody watches."""


def test_a_package_and_its_libraries_are_fetched_and_unpacked(archive: Archive, tmp_path: Path) -> None:
    apt = PrivateApt(archive.source, tmp_path / "private")
    apt.update(silent)
    closure = apt.closure("tool")
    assert closure == dict.fromkeys(("tool", "libtool-data", "dpkg-like"), "1:2.3+dfsg-4")
    needed = libraries_only(list(closure), besides="tool")
    debs = apt.fetch(needed, tmp_path / "debs", silent)
    unpack(debs, tmp_path / "root", silent)
    unpacked = sorted(path.name for path in (tmp_path / "root/usr/share").iterdir())
    assert unpacked == ["doc", "libtool-data", "tool"]


def test_an_index_changed_after_signing_is_refused(archive: Archive, tmp_path: Path) -> None:
    archive.add("intruder")
    with pytest.raises(ToolchainError, match="apt-get failed"):
        PrivateApt(archive.source, tmp_path / "private").update(silent)


def test_an_archive_signed_by_somebody_else_is_refused(archive: Archive, tmp_path: Path) -> None:
    stranger = Archive(tmp_path / "stranger")
    stranger.close()
    (archive.folder / "key.gpg").write_bytes((stranger.folder / "key.gpg").read_bytes())
    with pytest.raises(ToolchainError, match="NO_PUBKEY"):
        PrivateApt(archive.source, tmp_path / "private").update(silent)


def test_an_unsigned_archive_is_refused(archive: Archive, tmp_path: Path) -> None:
    (archive.folder / "dists/test/InRelease").unlink()
    with pytest.raises(ToolchainError, match="does not have a Release file"):
        PrivateApt(archive.source, tmp_path / "private").update(silent)


def test_a_package_cut_short_is_refused(archive: Archive, tmp_path: Path) -> None:
    apt = PrivateApt(archive.source, tmp_path / "private")
    apt.update(silent)
    deb = archive.folder / "tool.deb"
    deb.write_bytes(deb.read_bytes()[:-10])
    with pytest.raises(ToolchainError, match="apt-get failed"):
        apt.fetch(["tool"], tmp_path / "debs", silent)


def test_an_unknown_package_is_named(archive: Archive, tmp_path: Path) -> None:
    apt = PrivateApt(archive.source, tmp_path / "private")
    apt.update(silent)
    with pytest.raises(ToolchainError, match="Unable to locate package no-such-tool"):
        apt.closure("no-such-tool")


# Debian's programs in a folder of ours


@pytest.fixture
def debian(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """The archive, in the place of those this machine knows."""
    monkeypatch.setattr(debian_programs, "debian_archives", lambda sources, suite: [archive.source])
    monkeypatch.setattr(debian_programs, "own_archives", lambda sources, suite: [archive.source])
    return archive


def added(archive: Archive, name: str, *programs: str) -> None:
    archive.add(name, depends="libtool-data", programs=programs)
    archive.sign()


def test_debians_julia_starts_with_the_libraries_that_came_with_it(debian: Archive, tmp_path: Path) -> None:
    added(debian, "julia", "usr/bin/julia", "usr/lib/some-triplet/libjulia.so.1")
    folder = tmp_path / "staging/new"
    assert fetch_debian_julia(folder, silent) == "2.3-debian"
    moved = folder.rename(tmp_path / "julia 1")
    said = quietly(str(moved / "julia"), "-e", "1 + 1")
    places = ("usr/lib/some-triplet", "usr/lib/some-triplet/julia", "lib/some-triplet")
    search = ":".join(f"{moved}/root/{place}" for place in places)
    assert said == f"{search} {moved}/root/usr/bin -e 1 + 1\n"
    assert sorted(path.name for path in (moved / "root/usr/share").iterdir()) == ["julia", "libtool-data"]
    assert list((tmp_path / "staging").iterdir()) == [], "what apt needed is gone"


def test_a_package_of_julia_without_its_library_is_refused(debian: Archive, tmp_path: Path) -> None:
    added(debian, "julia", "usr/bin/julia")
    with pytest.raises(ToolchainError, match=r"has no libjulia\.so\.1"):
        fetch_debian_julia(tmp_path / "staging/new", silent)


def test_debians_bubblewrap_is_linked_where_it_starts_by_itself(debian: Archive, tmp_path: Path) -> None:
    added(debian, "bubblewrap", "usr/bin/bwrap")
    folder = tmp_path / "staging/new"
    assert fetch_debian_bubblewrap(folder, silent) == "2.3-debian"
    assert (folder / "bwrap").is_symlink()
    assert quietly(str(folder / "bwrap"), "--version").split() == ["--version"]


def test_the_next_archive_is_asked_where_one_has_no_such_package(
    debian: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(debian, "bubblewrap", "usr/bin/bwrap")
    gone = replace(debian.source, suite="gone")
    monkeypatch.setattr(debian_programs, "own_archives", lambda sources, suite: [gone, debian.source])
    assert fetch_debian_bubblewrap(tmp_path / "one/new", silent) == "2.3-debian"
    monkeypatch.setattr(debian_programs, "own_archives", lambda sources, suite: [])
    with pytest.raises(ToolchainError, match="apt has no source of Debian packages"):
        fetch_debian_bubblewrap(tmp_path / "two/new", silent)
