"""The one reader of the environment: every variable Codejury heeds is named in this file.

CODEJURY_JULIA            which Julia to use: a path, or a name to look up in PATH
CODEJURY_SANDBOX          a sandbox of another package, by the name it is installed under
CODEJURY_CACHE            where Julia, bubblewrap, notes and the index of results are kept
CODEJURY_WARM_MINUTES     how long a judge stays warm for the next command; 0: it does not
XDG_RUNTIME_DIR           where its socket lies; in the cache where this is not set
PATH, HOME                where programs and juliaup's folder are looked for
JULIAUP_DEPOT_PATH        juliaup's folder, if it was moved
JULIA_PKG_SERVER, JULIA_SSL_CA_ROOTS_PATH, SSL_CERT_FILE, *_PROXY
                          handed to Julia when it downloads packages
JULIA_*, LD_LIBRARY_PATH  handed to Julia as they are; part of what a remembered answer depends on
RAY_ADDRESS               the Ray cluster to join, if none is named
CODEJURY_<FLAG>           any flag that `options.py` declares, in every command that has it; read by typer
*_API_KEY                 only whether they are set, never what they hold

Two places read more, and say why: `models/keys.py` the keys themselves, when a service is asked, and
`models/local.py` the environment it hands on, without the keys, to its own server.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from .errors import InputError

API_KEYS: Final = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GOOGLE_API_KEY",
    "GEMINI_API_KEY",
    "MISTRAL_API_KEY",
    "DEEPSEEK_API_KEY",
    "OPENROUTER_API_KEY",
    "TOGETHER_API_KEY",
    "FIREWORKS_API_KEY",
    "GROQ_API_KEY",
    "CODEJURY_API_KEY",
)

# The sandbox steps down to an unprivileged user when the tool runs as root, and that user should not
# need to look into root's home. This folder it can read.
ROOTS_CACHE: Final = Path("/var/cache/codejury")


WARM_MINUTES: Final = 10.0
"""A judge that has been idle for so long ends, unless the environment says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the environment says, read once."""

    julia: str = ""
    """The Julia asked for by CODEJURY_JULIA; "" for whichever is found."""
    sandbox: str = ""
    """The plug-in asked for by CODEJURY_SANDBOX; "" for our own."""
    cache: Path
    path: str = ""
    """PATH, as the shell writes it."""
    juliaup: Path
    """The folder where juliaup keeps its `juliaup.json`."""
    julia_environment: Mapping[str, str]
    """The variables that change which packages and libraries a Julia sees."""
    download_environment: Mapping[str, str] = field(default_factory=dict)
    """The variables that say how packages are to be downloaded."""
    api_keys: tuple[str, ...] = ()
    """Names of the API keys that are set."""
    runtime: Path | None = None
    """The user's folder for sockets, which lives no longer than the user is logged in."""
    warm_minutes: float = WARM_MINUTES
    """How long a judge waits for the next command; 0: none stays warm."""
    ray_address: str = ""
    """The cluster that RAY_ADDRESS names."""
    is_root: bool = False
    """Then candidates run as another user, who must be able to read Julia and its packages."""


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the environment (`os.environ` unless another is given)."""
    env = os.environ if environ is None else environ
    is_root = os.geteuid() == 0
    home = Path(env.get("HOME") or Path.home())
    return Settings(
        julia=env.get("CODEJURY_JULIA", ""),
        sandbox=env.get("CODEJURY_SANDBOX", ""),
        cache=_cache_folder(env, is_root=is_root),
        path=env.get("PATH", os.defpath),
        juliaup=Path(env.get("JULIAUP_DEPOT_PATH") or home / ".julia") / "juliaup",
        julia_environment={name: env[name] for name in sorted(env) if _concerns_julia(name)},
        download_environment={name: env[name] for name in sorted(env) if _concerns_downloads(name)},
        api_keys=tuple(name for name in API_KEYS if env.get(name)),
        runtime=Path(runtime) if (runtime := env.get("XDG_RUNTIME_DIR")) else None,
        warm_minutes=_warm_minutes(env.get("CODEJURY_WARM_MINUTES", "")),
        ray_address=env.get("RAY_ADDRESS", ""),
        is_root=is_root,
    )


def bare_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a Python process of ours needs that lives on: where programs and libraries are, and no key."""
    env = os.environ if environ is None else environ
    names = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "TMPDIR")
    python = ("PYTHONHOME", "PYTHONPATH", "PYTHONUTF8")
    return {name: env[name] for name in (*names, *python) if name in env}


def _cache_folder(env: Mapping[str, str], *, is_root: bool) -> Path:
    """CODEJURY_CACHE, else a folder the sandbox's user can read, else the user's own cache."""
    if chosen := env.get("CODEJURY_CACHE"):
        return Path(chosen).expanduser().absolute()
    if is_root:
        return ROOTS_CACHE
    from platformdirs import user_cache_path

    return user_cache_path("codejury")


def _warm_minutes(text: str) -> float:
    try:
        minutes = float(text or WARM_MINUTES)
    except ValueError:
        minutes = -1.0
    if not 0 <= minutes < math.inf:
        raise InputError(f"CODEJURY_WARM_MINUTES: {text!r} is not a number of minutes; 0 keeps no judge warm")
    return minutes


def _concerns_downloads(name: str) -> bool:
    named = ("JULIA_PKG_SERVER", "JULIA_SSL_CA_ROOTS_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR")
    return name in named or name.lower() in ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


def _concerns_julia(name: str) -> bool:
    return name.startswith("JULIA_") or name in ("LD_LIBRARY_PATH", "HOME")
