"""Where this machine gets its Debian packages from, and the same archive with another suite.

Reads both formats of apt's source lists (`.list`, one line per source; `.sources`, deb822 stanzas)
and writes deb822. Pure but for `machine_sources`, which reads /etc/apt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

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
