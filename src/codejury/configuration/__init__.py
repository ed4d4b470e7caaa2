"""`codejury.toml`: the user's defaults for a run, and models of their own.

tables     the schema
problems   what is wrong with a file, all at once

Loads pydantic: import it where it is needed, not before.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from ..errors import InputError, Problem
from .problems import cross_problems, problem_of
from .tables import Document, ModelTable, RunTable, address_problem

__all__ = [
    "Configuration",
    "ConfigurationError",
    "ModelTable",
    "RunTable",
    "address_problem",
    "load_configuration",
]

FILE_NAME: Final = "codejury.toml"


class ConfigurationError(InputError):
    """A `codejury.toml` that cannot be used, with every problem found in it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What a `codejury.toml` says. Without a file, nothing."""

    run: RunTable = field(default_factory=RunTable)
    models: Mapping[str, ModelTable] = field(default_factory=dict)
    path: Path | None = None
    """The file it was read from."""


def load_configuration(path: Path | None = None) -> Configuration:
    """Read a file; without a path, the `codejury.toml` of the working folder if there is one."""
    if path is None and not Path(FILE_NAME).exists():
        return Configuration()
    path = Path(FILE_NAME) if path is None else path
    raw = _parsed(path)
    problems = list(cross_problems(raw))
    try:
        document = Document.model_validate(raw)
    except ValidationError as error:
        problems += [problem_of(details, raw) for details in error.errors(include_url=False)]
    if problems:
        raise ConfigurationError([replace(problem, file=path) for problem in problems])
    return Configuration(run=_located(document.run, path.parent), models=document.models, path=path)


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        what, repair = f"is not TOML: {error}", "mend the line it names"
    except UnicodeDecodeError:
        what, repair = "is not UTF-8 text", "save it as UTF-8"
    except OSError as error:
        what, repair = f"cannot be read: {error.strerror}", "check the path and its permissions"
    raise ConfigurationError([Problem(file=path, field="file", what=what, repair=repair)])


def _located(run: RunTable, folder: Path) -> RunTable:
    """Relative folders are relative to the file that names them."""
    single = {name: getattr(run, name) for name in ("save_dir", "definitions")}
    moved = {name: folder / path for name, path in single.items() if path is not None}
    return run.model_copy(update={**moved, "prompts": tuple(folder / path for path in run.prompts)})
