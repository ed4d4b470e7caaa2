"""Between the disk and TOML: reading says where a file stops being TOML, writing is all or nothing.

A file that cannot be read at all is raised as a DefinitionError with one problem; what is wrong inside a
readable file is the business of `check`.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..errors import DefinitionError, InputError, Problem
from ..files import overwrite

FILE_NAME: Final = "definition.toml"

_CURLY: Final = "“”‘’"
_EXCERPT: Final = 80  # characters of a faulty line that are shown
_PLACE: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def definition_file(path: str | Path) -> Path:
    """The file meant by `path`: a folder stands for the definition in it."""
    path = Path(path)
    return path / FILE_NAME if path.is_dir() else path


def absolute(path: Path) -> Path:
    """`path` from the root, without `..`; links are kept, for the folder's name is part of a definition."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, with or without a byte order mark."""
    try:
        data = path.read_bytes()
    except OSError as exc:
        what = f"cannot be read: {exc.strerror}"
        raise unreadable(path, "file", what, "check the path and its rights") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = data.count(b"\n", 0, exc.start) + 1
        what = f"is not UTF-8 (byte 0x{data[exc.start]:02x})"
        raise unreadable(path, f"line {line}", what, "save the file as UTF-8") from None


def read_document(path: Path) -> dict[str, Any]:
    """The file as plain TOML values."""
    text = read_text(path)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise _not_toml(path, text, str(exc)) from None
    except RecursionError:
        raise unreadable(path, "file", "is nested too deeply", "a definition is one table") from None


def _not_toml(path: Path, text: str, message: str) -> DefinitionError:
    found = _PLACE.search(message)
    what = f"is not TOML: {_PLACE.sub('', message)}"
    if found is None or found[1] is None:
        return unreadable(path, "end of file", what, "something above it is not closed, such as a quote")
    line, column = int(found[1]), int(found[2])
    lines = text.split("\n")
    if line <= len(lines):
        what += f", in: {lines[line - 1].strip()[:_EXCERPT]}"
    return unreadable(path, f"line {line}, column {column}", what, _repair(lines, line, column, message))


def _repair(lines: Sequence[str], line: int, column: int, message: str) -> str:
    """What the author most likely has to do about it."""
    here = lines[line - 1] if line <= len(lines) else ""
    if any(quote in here for quote in _CURLY) and not message.startswith("Unclosed array"):
        return f"a word processor has made {_CURLY} of the quotes; write \" or ' instead"
    if message.startswith("Unclosed array"):
        return f"put a comma behind the element {_before(lines, line, column)}, or ] if it is the last"
    return "Julia code with quotes or backslashes fits best between ''' and '''"


def _before(lines: Sequence[str], line: int, column: int) -> str:
    """Where the element ends that comes before a place: `that ends in line 12`."""
    if line <= len(lines) and lines[line - 1][: column - 1].strip():
        return f"in front of column {column}"
    filled = [number for number in range(1, min(line, len(lines) + 1)) if lines[number - 1].strip()]
    return f"that ends in line {filled[-1]}" if filled else "above"


def unreadable(path: Path, field: str, what: str, repair: str) -> DefinitionError:
    """The error for a file that cannot be read at all."""
    return DefinitionError([Problem(file=path, field=field, what=what, repair=repair)])


def write_atomically(path: Path, text: str) -> None:
    """Replace the file's content; a reader sees the old text or the new, never half."""
    target = path.resolve()  # a link stays a link
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
        overwrite(target, text.encode(), mode=mode)
    except OSError as exc:
        raise InputError(f"{path}: cannot be written: {exc.strerror}") from None


def create(path: Path, text: str) -> None:
    """Write a new file; an existing one is never touched, not even by two writers at once."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(exist_ok=False)  # claims the name
    except FileExistsError:
        raise InputError(f"{path}: exists already and is left as it is; choose another name") from None
    except OSError as exc:
        raise InputError(f"{path}: cannot be created: {exc.strerror}") from None
    try:
        write_atomically(path, text)
    except BaseException:
        path.unlink()
        raise


# ---- TOML values that a person can read: Julia code stands as it would in a .jl file wherever TOML allows


class _Style(NamedTuple):
    quotes: str
    unfit: re.Pattern[str]
    """Finds what cannot stand as it is between these quotes."""


_CONTROL: Final = r"[\x00-\x08\x0a-\x1f\x7f]"
_CONTROL_BUT_NEWLINE: Final = rf"(?!\n){_CONTROL}"

_LITERAL_BLOCK: Final = _Style("'''", re.compile(rf"{_CONTROL_BUT_NEWLINE}|'''|'\Z"))
_STYLES: Final = (
    _Style('"', re.compile(rf'{_CONTROL}|[\\"]')),
    _Style("'", re.compile(rf"{_CONTROL}|'")),
    _Style('"""', re.compile(rf'{_CONTROL_BUT_NEWLINE}|\\|"""|"\Z')),
    _LITERAL_BLOCK,
)

_TO_ESCAPE: Final = re.compile(rf'{_CONTROL_BUT_NEWLINE}|\\|(?<="")"|"\Z')
_ESCAPES: Final = {"\b": r"\b", "\f": r"\f", "\r": r"\r", "\\": r"\\", '"': r"\""}


Value = str | Sequence[str] | Mapping[str, str] | Sequence[Mapping[str, str]]
"""What a field of a definition can hold."""


def render_value(value: Value, *, on_one_line: bool = False, roomy: bool = False) -> str:
    """A string, a table of strings or a list of either as TOML; a list has one element a line."""
    if isinstance(value, str):
        return render_string(value, roomy=roomy)
    if isinstance(value, Mapping):
        fields = [f"{name} = {render_string(text, roomy=roomy)}" for name, text in value.items()]
        return f"{{ {', '.join(fields)} }}"
    elements = [render_value(element, roomy=roomy) for element in value]
    if not elements or on_one_line:
        return f"[{', '.join(elements)}]"
    return "[\n" + "".join(f"    {element},\n" for element in elements) + "]"


def render_string(text: str, *, roomy: bool = False) -> str:
    """The most readable TOML string that means exactly `text`.

    `roomy` asks for literal triple quotes first: whatever Julia code is put there later, they stay right.
    """
    styles = (_LITERAL_BLOCK, *_STYLES) if roomy else _STYLES
    quotes = next((style.quotes for style in styles if not style.unfit.search(text)), "")
    if not quotes:
        quotes, text = '"""', _TO_ESCAPE.sub(_escape, text)
    # A newline right after the opening quotes is not part of the value.
    start = "\n" if "\n" in text else ""
    return f"{quotes}{start}{text}{quotes}"


def _escape(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[0], f"\\u{ord(found[0]):04x}")
