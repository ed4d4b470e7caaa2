'''TOML values that a person can read: Julia code stands as it would in a .jl file wherever TOML allows it.

"f(1)"            where nothing needs an escape
'f("a")'          literal quotes, where a plain string would need escapes
"""..."""         for text of several lines, or with both kinds of quotes
'''

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple


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


def render_value(value: str | Sequence[str], *, on_one_line: bool = False, roomy: bool = False) -> str:
    """A string or a list of strings as TOML; a list has one element a line."""
    if isinstance(value, str):
        return render_string(value, roomy=roomy)
    elements = [render_string(element, roomy=roomy) for element in value]
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
