"""Keys: where they come from, and how they stay unseen.

A key is read from the environment, or from a `.env` file in the working folder for names the
environment does not set. From then on it is a `Secret`, which shows its name and never its value.
Whatever a server says is scrubbed before it goes into an error, a log or an answer: a hostile or
careless one may repeat the key it was sent.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn
from urllib.parse import quote

from ..errors import InputError, ModelRefused

ENV_FILE: Final = ".env"

# Shorter "keys" are the placeholders that local servers are given (`none`, `ollama`): hiding those
# would tear holes into honest answers.
SHORTEST_SECRET: Final = 8

_ASSIGNMENT = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*")


class Secret:
    """A value that no repr, str, format, log or pickle shows."""

    __slots__ = ("_value", "name")

    def __init__(self, name: str, value: str) -> None:
        self.name = name
        self._value = value

    def reveal(self) -> str:
        """The value itself. The only caller puts it into a request's header."""
        return self._value

    def __repr__(self) -> str:
        return f"<secret {self.name}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self!r} is not to be stored")


@dataclass(frozen=True, slots=True)
class Keyring:
    """All variables that may hold keys, by name, each hidden."""

    _values: Mapping[str, Secret]

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None, folder: Path | None = None) -> Keyring:
        """The environment over the `.env` of `folder` (the working folder)."""
        environ = os.environ if environ is None else environ
        path = (folder or Path()) / ENV_FILE
        values = {**read_env_file(path), **{name: value for name, value in environ.items() if value}}
        return cls({name: Secret(name, value.strip()) for name, value in values.items() if value.strip()})

    def has(self, name: str) -> bool:
        return name in self._values

    def find(self, names: Iterable[str]) -> Secret | None:
        """The first of these variables that is set."""
        secret = next((self._values[name] for name in names if name in self._values), None)
        if secret is not None and not _fits_a_header(secret.reveal()):
            raise ModelRefused(f"{secret.name}: holds a character no key has; copy the key again, alone")
        return secret

    def __repr__(self) -> str:
        return f"<keyring of {len(self._values)} variables>"


def _fits_a_header(value: str) -> bool:
    # Checked here, since an HTTP library quotes an illegal header in its error, key and all.
    return all("!" <= character <= "~" for character in value)


def read_env_file(path: Path) -> dict[str, str]:
    """Names and values of a `.env` file; {} where there is none.

    export A_KEY="x y"  # said -> {"A_KEY": "x y"}       B_KEY=z # said -> {"B_KEY": "z"}

    Ours instead of python-dotenv: that takes 18 ms to load, in every run, to save two patterns,
    and the errors below would have to be caught around it all the same.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"{path}: cannot be read: {reason}") from None
    pairs = (_ASSIGNMENT.fullmatch(line) for line in text.splitlines())
    return {pair[1]: _unquoted(pair[2]) for pair in pairs if pair}


def _unquoted(value: str) -> str:
    if quoted := re.match(r"""(["'])(.*?)\1\s*(?:#.*)?$""", value):
        return quoted[2]
    return re.sub(r"(^|\s+)#.*$", "", value)


class Scrubber:
    """Takes a key out of text that came from outside."""

    def __init__(self, secret: Secret | None) -> None:
        value = secret.reveal() if secret and len(secret.reveal()) >= SHORTEST_SECRET else ""
        self._mask = f"[{secret.name}]" if secret else ""
        self._whole = _spellings(value) if value else ()
        self._parts = _telling_parts(value) if value else ()

    def answer(self, text: str) -> str:
        """Text to be kept as it is, but for the key itself."""
        return self._without(self._whole, text)

    def message(self, text: str) -> str:
        """Text for a person: not even the ends of the key that servers like to show."""
        return self._without((*self._whole, *self._parts), text)

    def _without(self, forms: tuple[str, ...], text: str) -> str:
        for form in forms:
            text = text.replace(form, self._mask)
        return text

    def __repr__(self) -> str:
        return f"<scrubber of {self._mask or 'no key'}>"


def _spellings(value: str) -> tuple[str, ...]:
    """The key as it is, in a URL, and in JSON."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return tuple(dict.fromkeys((value, quote(value, safe=""), escaped)))


def _telling_parts(value: str) -> tuple[str, ...]:
    if len(value) < 2 * SHORTEST_SECRET:
        return ()
    return (value[: len(value) // 2], value[-SHORTEST_SECRET:])
