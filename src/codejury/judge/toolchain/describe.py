"""Learn about a Julia by running it once, and remember the answer.

launcher -> facts -> JuliaInstall                    (about half a second)
launcher -> note in the cache -> JuliaInstall        (as long as no witness has changed)
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...errors import ToolchainError
from ...settings import Settings
from .julia import (
    LOADER_CACHE,
    SCRIPT,
    DescribedFacts,
    JuliaInstall,
    ask,
    julia_roots,
)
from .paths import Cache, closed_to_others, make_folder, write_atomically

# Part of every note's name: a note of an older Codejury is not read.
_NOTE_FORMAT = 2
_OLDEST = (1, 5)


def describe_julia(launcher: Path, settings: Settings) -> JuliaInstall:
    """What `launcher` is; from a note if nothing has changed since, else by running it.

    ToolchainError if it does not run, is too old, or cannot be used by the sandbox.
    """
    note = _note_path(launcher, settings)
    if remembered := _recall(note):
        return remembered
    facts = ask(launcher)
    _require_recent(launcher, facts.version)
    install = _install_from(launcher, facts, is_root=settings.is_root)
    _remember(note, install, _witnesses(launcher, facts, settings))
    return install


def _install_from(launcher: Path, facts: DescribedFacts, *, is_root: bool) -> JuliaInstall:
    roots = julia_roots(facts)
    if is_root:
        _require_readable(launcher, [facts.executable, *roots])
    stdlib = facts.paths("stdlib")[0]
    return JuliaInstall(
        launcher=launcher,
        executable=facts.executable,
        bindir=facts.paths("bindir")[0],
        version=facts.version,
        environment=facts.variables,
        roots=tuple(roots),
        depots=tuple(path for path in facts.paths("depot") if path.is_dir()),
        load_path=(str(stdlib),),
        stdlib=stdlib,
    )


def _require_recent(launcher: Path, version: str) -> None:
    if tuple(int(part) for part in re.findall(r"\d+", version)[:2]) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise ToolchainError(f"{launcher} is Julia {version}; Codejury needs {oldest} or newer")


def _require_readable(launcher: Path, needed: Iterable[Path]) -> None:
    """The sandbox never runs as root: it needs to read what root would use."""
    if closed := [path for path in needed if closed_to_others(path)]:
        raise ToolchainError(
            f"{launcher} cannot be used by root, since candidates run as another user, who cannot read "
            f"{closed[0]}; let all users read it (chmod -R a+rX), or run as an ordinary user"
        )


# Notes: what was learned, and the files whose change would make it wrong.


def _note_path(launcher: Path, settings: Settings) -> Path:
    asked = [_NOTE_FORMAT, str(launcher), settings.is_root, dict(settings.julia_environment)]
    digest = hashlib.sha256(json.dumps(asked).encode()).hexdigest()
    return Cache(settings.cache).notes / f"julia-{digest[:16]}.json"


def _witnesses(launcher: Path, facts: DescribedFacts, settings: Settings) -> dict[str, int]:
    here = Path(__file__)
    code = [SCRIPT, here, here.with_name("julia.py")]
    julia = [launcher, settings.juliaup / "juliaup.json", facts.executable, facts.image, LOADER_CACHE]
    return {str(path): _changed(path) for path in (*code, *julia)}


def _changed(path: Path) -> int:
    """When a file was last changed, in ns; 0 if there is none, so that a new one is noticed."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _recall(note: Path) -> JuliaInstall | None:
    try:
        stored: dict[str, Any] = json.loads(note.read_text(encoding="utf-8"))
        if any(_changed(Path(path)) != when for path, when in stored["witnesses"].items()):
            return None
        install = JuliaInstall.from_json(stored["install"])
        return install if all(path.exists() for path in install.roots) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # no note, or a damaged one: ask again


def _remember(note: Path, install: JuliaInstall, witnesses: Mapping[str, int]) -> None:
    text = json.dumps({"install": install.to_json(), "witnesses": witnesses}, indent=1)
    with suppress(OSError):  # a cache that cannot be written costs time, nothing else
        make_folder(note.parent)
        write_atomically(note, text)
