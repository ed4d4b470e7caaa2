"""Whether what will be paid for can be kept: folders and descriptors, checked before the first request."""

from __future__ import annotations

import hashlib
import os
import re
import resource
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from ..errors import CodejuryError, InputError, WriteError
from ..files import PREFIX, create, take_lock
from ..judge.score import older_julia
from ..judge.toolchain.environment import with_packages
from ..judge.toolchain.find import find_julia
from ..judge.toolchain.julia import JuliaInstall
from ..models.session import Session
from ..settings import load_settings
from ..suite.suite import setup_command
from .combinations import Combination, packages

TRIAL_BYTES: Final = 64_000
"""One long answer must fit; with less than this the disk counts as full."""
OWN_DESCRIPTORS: Final = 64
"""For answers that are being written, locks, the terminal, the judge's notes."""
DESCRIPTORS_PER_WORKER: Final = 8
"""Of the judge: pipes to a sandbox, and files while one starts."""


def check_folders(save_dir: Path, folders: Iterable[Path]) -> None:
    """WriteError unless each of these folders is there, or can be made, and the disk has room."""
    problems = list(dict.fromkeys(filter(None, map(_problem, (save_dir, *folders)))))
    _problem.cache_clear()
    if problems:
        raise WriteError("\n".join(problems))
    trial = save_dir / f"{PREFIX}{secrets.token_hex(8)}"
    try:
        create(trial, bytes(TRIAL_BYTES))
    except OSError as error:
        raise WriteError(f"{save_dir}: cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            trial.unlink()


@cache  # thousands of folders have few above them
def _problem(folder: Path) -> str:
    """Why nothing can be written into a folder; "" if something can."""
    try:
        if folder.is_dir():
            can_write = os.access(folder, os.W_OK | os.X_OK)
            return "" if can_write else f"{folder}: cannot be written; change its rights, or choose another"
        if os.path.lexists(folder):
            return f"{folder}: is in the way: it must be a folder; move it"
    except OSError as error:
        return f"{folder}: cannot be used: {error.strerror or error}"
    return _problem(folder.parent)


def fit_connections(session: Session, workers: int) -> Iterator[str]:
    """Ask less at once where this process may not open enough files; yields a note that says so.

    InputError where there are too few for anything.
    """
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = most - _open_descriptors() - OWN_DESCRIPTORS - DESCRIPTORS_PER_WORKER * workers
    if free < 1:
        raise InputError(
            f"this process may open {most} files, and needs {most - free + 1} or more to ask and judge: "
            "raise the limit with `ulimit -n`, or lower --workers"
        )
    if session.keep_within(free):
        yield (
            f"this process may open {most} files, so at most {free} requests run at once; "
            "`ulimit -n` raises that"
        )


def _open_descriptors() -> int:
    try:
        return len(list(Path("/proc/self/fd").iterdir()))
    except OSError:  # no /proc
        return 32


# ---- Which test cases can be judged here: known before anybody is asked for an answer to them.

_FIRST_NAME = re.compile(r"\w+")
_JULIA = "Julia "
BASE = frozenset({"Base", "Core", "Main"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Test cases that are not asked for, since the Julia here lacks packages that they need."""

    lacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The packages, by category/name."""
    combinations: int = 0
    repair: str = ""
    """The command that installs packages; "" if none are missing."""

    @property
    def _how(self) -> str:
        return f" (packages: {self.repair})" if self.repair else ""

    def note(self, samples: int) -> str:
        """`12 samples of 2 test cases are left out: they need DataFrames, ...`."""
        wanted, cases = self.combinations * samples, len(self.lacks)
        packages = sorted({name for names in self.lacks.values() for name in names})
        return (
            f"{wanted} sample{'s' * (wanted != 1)} of {cases} test case{'s' * (cases != 1)} are left out: "
            f"they need {', '.join(packages)}, which this machine does not have{self._how}; or ask for them "
            "all the same with --ask-unjudgeable"
        )


def judgeable(
    combinations: Sequence[Combination], environment: Path | None = None
) -> tuple[list[Combination], LeftOut]:
    """Those that the Julia of this machine can judge, and what is left out."""
    needed = packages(combinations, environment)
    asks = needed.names or any(c.test_case.julia for c in combinations)
    julia = _julia(needed.environment) if asks else None
    lacks = {c.case_name: lacking for c in combinations if (lacking := tuple(_lacking(c, julia)))}
    kept = [c for c in combinations if c.case_name not in lacks]
    left_out = len(combinations) - len(kept)
    missing = {name for names in lacks.values() for name in names if not name.startswith(_JULIA)}
    repair = setup_command(missing, needed.environment) if missing else ""
    return kept, LeftOut(lacks=lacks, combinations=left_out, repair=repair)


def _lacking(combination: Combination, julia: JuliaInstall | None) -> Iterator[str]:
    if julia is None:
        return
    installed = {*julia.loadable} | BASE
    for wanted in combination.test_case.imports:
        name = _FIRST_NAME.match(wanted)
        if name and name[0] not in installed and not (julia.stdlib / name[0]).is_dir():
            yield name[0]
    if older_julia(julia.version, combination.test_case.julia):
        yield f"{_JULIA}{combination.test_case.julia}"


def _julia(environment: Path | None) -> JuliaInstall | None:
    """None where there is none: the judge says so, before anybody is asked."""
    settings = load_settings()
    try:
        julia = None if settings.sandbox else find_julia(settings)
        return julia and with_packages(julia, environment, settings.cache)
    except CodejuryError:
        return None


# ---- One run at a time for a model in a folder: two would each ask, and pay, for what is missing.

FOLDER: Final = ".locks"


@contextmanager
def alone(save_dir: Path, models: Iterable[str]) -> Iterator[None]:
    """Hold the locks of these models; InputError if another run has one."""
    with ExitStack() as stack:
        try:
            (save_dir / FOLDER).mkdir(parents=True, exist_ok=True)
            for model in sorted(set(models)):
                stack.enter_context(_locked(save_dir, model))
        except OSError as error:
            raise InputError(f"{save_dir}: cannot be written: {error.strerror or error}") from None
        yield


@contextmanager
def _locked(save_dir: Path, model: str) -> Iterator[None]:
    name = hashlib.sha256(model.encode()).hexdigest()[:16]
    descriptor = os.open(save_dir / FOLDER / name, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o666)
    try:
        if not take_lock(descriptor):
            raise InputError(
                f"{save_dir}: another run is asking {model} for this folder; "
                "wait for it to end, or choose another --save-dir"
            )
        yield
    finally:
        os.close(descriptor)
