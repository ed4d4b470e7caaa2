"""From TOML files to templates. Strict at the border: every problem of every file at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ..errors import InputError, Problem, suggestion
from .template import Template, listed, wrong_placeholders

BUILT_IN: Final = Path(__file__).parent / "templates"
FIELDS: Final = ("system", "user", "version", "description")

# The label becomes a part of file names, between double underscores; see the store's names.
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]|_(?=[A-Za-z0-9.-])){0,79}")


def load_templates(*folders: Path | str) -> dict[str, Template]:
    """The built-in templates and those of the given folders, by label.

    InputError with all problems of all files; also where a label is taken already.
    """
    templates: dict[str, Template] = {}
    problems: list[Problem] = []
    for path in [
        *_template_files(BUILT_IN),
        *(f for folder in folders for f in _template_files(Path(folder))),
    ]:
        template, found = _read(path)
        problems += found
        if taken := _taken(path.stem, templates):
            problems.append(_problem(path, "label", f'"{path.stem}" is taken by {taken}', "rename the file"))
        elif template:
            templates[template.label] = template
    if problems:
        raise InputError("\n".join(str(problem) for problem in problems))
    return templates


def find_template(templates: Mapping[str, Template], label: str) -> Template:
    """The template of that label; InputError that names the known ones."""
    if label not in templates:
        raise InputError(f"no prompt template {label!r}; {suggestion(label, sorted(templates))}")
    return templates[label]


def _template_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(f"{folder}: not a folder of prompt templates; give one that holds LABEL.toml files")
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise InputError(f"{folder}: holds no prompt template; a template is a file LABEL.toml in it")
    return files


def _taken(label: str, templates: Mapping[str, Template]) -> str:
    """Where a label is in use; labels that differ only in case would share files on some disks."""
    for other in templates.values():
        if other.label.lower() == label.lower():
            built_in = other.origin is not None and other.origin.parent == BUILT_IN
            return f'the built-in template "{other.label}"' if built_in else str(other.origin)
    return ""


def _read(path: Path) -> tuple[Template | None, list[Problem]]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        return None, [_problem(path, "file", f"cannot be read: {exc}", "it must be TOML in UTF-8")]
    problems = [*_wrong_label(path), *_wrong_fields(path, table), *_wrong_texts(path, table)]
    if problems:
        return None, problems
    texts = {name: table[name].strip() for name in FIELDS}
    return Template(label=path.stem, origin=path, **texts), []


def _wrong_label(path: Path) -> Iterator[Problem]:
    if not _LABEL.fullmatch(path.stem):
        what = f'the file\'s name gives the label, and "{path.stem}" cannot be one'
        repair = "use up to 80 letters, digits, dots, hyphens and single underscores; a letter or digit first"
        yield _problem(path, "label", what, repair)


def _wrong_fields(path: Path, table: Mapping[str, Any]) -> Iterator[Problem]:
    for name in table.keys() - set(FIELDS):
        yield _problem(path, name, "unknown field", suggestion(name, FIELDS))
    for name in FIELDS:
        if name not in table:
            yield _problem(path, name, "missing", f'add {name} = "..."')
        elif not isinstance(table[name], str):
            yield _problem(path, name, "must be a string", f'write {name} = "..."')
        elif not table[name].strip() and name != "system":
            yield _problem(path, name, "is empty", "only `system` may be: then no system message is sent")


def _wrong_texts(path: Path, table: Mapping[str, Any]) -> Iterator[Problem]:
    texts = {name: table[name] for name in ("system", "user") if isinstance(table.get(name), str)}
    for name, text in texts.items():
        for what, repair in wrong_placeholders(text):
            yield _problem(path, name, what, repair)
    if "user" in texts and not _mentions_task(texts.values()):
        yield _problem(path, "user", "never asks for the task", f"put {{{{task}}}} in it; known: {listed()}")


def _mentions_task(texts: Iterable[str]) -> bool:
    return any(re.search(r"\{\{\s*task\s*\}\}", text) for text in texts)


def _problem(path: Path, field: str, what: str, repair: str) -> Problem:
    return Problem(file=path, field=field, what=what, repair=repair)
