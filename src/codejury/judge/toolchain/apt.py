"""Debian packages without root: apt with a state of its own, and `dpkg -x` into a folder.

PrivateApt    one archive, an empty package database; the machine's own apt is not touched
  .update()     fetch and check the signed index
  .closure()    a package and all that apt's resolver says it needs
  .fetch()      download them, checked against the index
unpack()      extract packages into a folder

Signatures are checked by apt as always: a source whose signature does not hold is an error.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import ToolchainError
from .paths import make_folder

Progress = Callable[[str, float | None], None]
"""Told what is being done, and how much of it (0 to 1) where that is known."""

# Hooks of the machine's own configuration (they clean its caches and wake its daemons) are not
# for a private state; its proxies, keys and certificates are.
_CONFIGURATION = """\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Architectures;
APT::Architectures {{ "{architecture}"; }};
"""
_INSTALLED = re.compile(r"^Inst (\S+) \((\S+)", re.MULTILINE)
_DOWNLOAD_STATUS = re.compile(rb"^dlstatus:\d+:([\d.]+):")
_SECONDS = 900


class PrivateApt:
    """apt for one source, with everything it writes below `folder`."""

    def __init__(self, source: Source, folder: Path) -> None:
        self.source = source
        self._folder = make_folder(folder)
        for name in ("lists/partial", "cache/archives/partial", "etc"):
            make_folder(folder / name)
        (folder / "etc/archive.sources").write_text(source.to_deb822(), encoding="utf-8")
        (folder / "etc/apt.conf").write_text(_configuration(), encoding="utf-8")

    def update(self, progress: Progress) -> None:
        """Fetch the index of packages and check who signed it."""
        message = f"Reading the package index of Debian {self.source.suite}"
        # Without this option a source that cannot be reached is only a warning.
        self._run("apt-get", "update", "-o", "APT::Update::Error-Mode=any", report=_share(progress, message))

    def closure(self, package: str) -> dict[str, str]:
        """Versions by name of `package` and everything it depends on, as apt would install them."""
        output = self._run("apt-get", "install", "--simulate", "--no-install-recommends", package)
        return dict(_INSTALLED.findall(output))

    def fetch(self, packages: Sequence[str], folder: Path, progress: Progress) -> list[Path]:
        """Download packages into `folder`."""
        make_folder(folder)
        message = f"Downloading {len(packages)} Debian packages"
        self._run("apt-get", "download", *packages, cwd=folder, report=_share(progress, message))
        files = sorted(folder.glob("*.deb"))
        if len(files) != len(packages):
            raise ToolchainError(f"apt-get download left {len(files)} files for {len(packages)} packages")
        return files

    def _options(self) -> Iterator[str]:
        folder = self._folder
        yield from ("-c", str(folder / "etc/apt.conf"), "-q", "-y")
        for name, value in {
            "Dir::State": folder,
            "Dir::State::Lists": folder / "lists",
            "Dir::State::status": "/dev/null",
            "Dir::Cache": folder / "cache",
            "Dir::Etc::sourcelist": folder / "etc/archive.sources",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferences": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null",
            "Acquire::Languages": "none",
            "Acquire::Retries": 2,
            "Acquire::http::Timeout": 20,
            "Acquire::https::Timeout": 20,
        }.items():
            yield from ("-o", f"{name}={value}")

    def _run(
        self,
        program: str,
        *arguments: str,
        cwd: Path | None = None,
        report: Callable[[float], None] = lambda _: None,
    ) -> str:
        status_in, status_out = os.pipe()
        # A thread drains the pipe: apt would stop if nobody read its status.
        reader = threading.Thread(target=_follow, args=(status_in, report), daemon=True)
        reader.start()
        command = [program, *self._options(), "-o", f"APT::Status-Fd={status_out}", *arguments]
        try:
            return run(command, cwd=cwd, pass_fds=(status_out,))
        finally:
            os.close(status_out)
            reader.join(timeout=5)


def _configuration() -> str:
    # One architecture: a machine set up for two would fetch both indexes.
    return _CONFIGURATION.format(architecture=run(["dpkg", "--print-architecture"]).strip())


def _share(progress: Progress, message: str) -> Callable[[float], None]:
    progress(message, None)
    return lambda fraction: progress(message, fraction)


def _follow(status: int, report: Callable[[float], None]) -> None:
    """Pass on how much apt says it has downloaded, until it closes the pipe."""
    with os.fdopen(status, "rb") as lines:
        for line in lines:
            if match := _DOWNLOAD_STATUS.match(line):
                report(min(1.0, float(match[1]) / 100))


def run(command: Sequence[str], *, cwd: Path | None = None, pass_fds: Sequence[int] = ()) -> str:
    """Run a program to its end and return what it printed; ToolchainError with its last lines if it fails."""
    program = Path(command[0]).name
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            pass_fds=pass_fds,
            env={**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise ToolchainError(f"{program} is not on this machine") from None
    except subprocess.TimeoutExpired:
        raise ToolchainError(f"{program} did not end within {_SECONDS} seconds") from None
    output = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        raise ToolchainError(f"{program} failed (exit code {done.returncode}):\n{last_lines(output)}")
    return output


def last_lines(output: str, count: int = 6) -> str:
    """The end of a program's output, indented, for an error message."""
    lines = [line for line in output.splitlines() if line.strip()]
    return "\n".join(f"    {line}" for line in lines[-count:])


def libraries_only(packages: Sequence[str], *, besides: str) -> list[str]:
    """Of a dependency closure, what a program unpacked into a folder needs.

    Debian's policy names packages of shared libraries `lib...` (`zlib1g` is the one exception);
    the rest are programs for installing packages. The C library stays the running system's:
    it must fit the loader, and a newer one runs programs built for an older one.
    """
    return [
        name
        for name in packages
        if name.startswith(besides) or (name.startswith(("lib", "zlib")) and name != "libc6")
    ]


def unpack(debs: Sequence[Path], into: Path, progress: Progress) -> None:
    """Extract packages, one over the other, as dpkg would place them below `into`."""
    make_folder(into)
    for number, deb in enumerate(debs):
        progress("Unpacking", number / len(debs))
        run(["dpkg", "-x", str(deb), str(into)])


# ---- Where this machine gets its Debian packages from, and the same archive with another suite.

# Suites of Debian's main archive. A source of updates, security or a third party has another name,
# except third parties that call their own suite `bookworm`: those sign with their own key.
_DEBIAN_RELEASES = {"buster", "bullseye", "bookworm", "trixie", "forky", "duke", "sid"}
_DEBIAN_SUITES = _DEBIAN_RELEASES | {"stable", "oldstable", "oldoldstable", "testing", "unstable"}
_FIELD = re.compile(r"^([A-Za-z-]+):[ \t]*(.*)$")
_ONE_LINE = re.compile(r"^deb\s+(?:\[(?P<options>[^\]]*)\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<rest>.+)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One archive address with one suite."""

    uri: str
    suite: str
    components: tuple[str, ...]
    signed_by: str = ""
    """A keyring's path, a fingerprint, or a whole key; "" for the keys apt trusts by itself."""

    @property
    def is_debian_archive(self) -> bool:
        """Whether it looks like Debian's main archive or a mirror of it."""
        return (
            "main" in self.components
            and self.suite in _DEBIAN_SUITES
            and not self.uri.startswith("cdrom:")
            and (not self.signed_by.startswith("/") or "debian-archive" in self.signed_by)
        )

    def with_suite(self, suite: str) -> Source:
        """The same archive, another suite, `main` only. Who must have signed it stays the same."""
        return replace(self, suite=suite, components=("main",))

    def to_deb822(self) -> str:
        """As the text of a `.sources` file."""
        lines = [
            "Types: deb",
            f"URIs: {self.uri}",
            f"Suites: {self.suite}",
            f"Components: {' '.join(self.components)}",
        ]
        if self.signed_by:
            lines.append(f"Signed-By: {self.signed_by}")
        return "\n".join(lines) + "\n"


def machine_sources(etc: Path = Path("/etc/apt")) -> list[Source]:
    """All sources apt is set to use here, in apt's own order."""
    found: list[Source] = []
    for file in [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]:
        if not file.is_file():
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        if file.suffix == ".sources":
            found += parse_deb822(text)
        elif file.suffix == ".list":
            found += parse_one_line(text)
    return found


def parse_one_line(text: str) -> list[Source]:
    """`deb [signed-by=/k.gpg] http://host/debian bookworm main` -> one Source."""
    found = []
    for line in text.splitlines():
        if match := _ONE_LINE.match(line.split("#")[0].strip()):
            options = dict(part.partition("=")[::2] for part in (match["options"] or "").split())
            found.append(
                Source(
                    uri=match["uri"],
                    suite=match["suite"],
                    components=tuple(match["rest"].split()),
                    signed_by=options.get("signed-by", ""),
                )
            )
    return found


def parse_deb822(text: str) -> list[Source]:
    """A stanza with two URIs and two suites -> four Sources; disabled ones and `deb-src` -> none."""
    found = []
    for fields in _stanzas(text):
        if fields.get("enabled", "yes").lower() in ("no", "false", "0"):
            continue
        if "deb" not in fields.get("types", "").split():
            continue
        found += [
            Source(
                uri=uri,
                suite=suite,
                components=tuple(fields.get("components", "").split()),
                signed_by=fields.get("signed-by", ""),
            )
            for uri in fields.get("uris", "").split()
            for suite in fields.get("suites", "").split()
        ]
    return found


def _stanzas(text: str) -> Iterator[dict[str, str]]:
    """Fields by lower-case name; continuation lines stay as they are (a key may be written in place)."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for stanza in re.split(r"\n[ \t]*(?:\n[ \t]*)+", "\n".join(lines)):
        fields: dict[str, str] = {}
        name = ""
        for line in stanza.splitlines():
            if match := _FIELD.match(line):
                name = match[1].lower()
                fields[name] = match[2].strip()
            elif name and line.startswith((" ", "\t")):
                fields[name] += f"\n{line.rstrip()}"
        if fields:
            yield fields


def debian_archives(sources: Iterable[Source], suite: str) -> list[Source]:
    """The Debian archives among `sources`, each once, asked for `suite`."""
    return list(dict.fromkeys(source.with_suite(suite) for source in sources if source.is_debian_archive))


def own_archives(sources: Iterable[Source], codename: str) -> list[Source]:
    """The sources of the machine's own release, as they are: Debian's, or a derivative's such as Ubuntu's."""
    return [
        source
        for source in sources
        if source.is_debian_archive or (source.suite == codename and "main" in source.components)
    ]
