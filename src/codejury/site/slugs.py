"""Names in addresses. A model's name is anybody's text; an address of the site is not.

wrap_words     -> wrap_words
openai/gpt-4o  -> openai-gpt-4o-5e0b6a3c
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

_PLAIN: Final = re.compile(r"[a-z0-9_][a-z0-9_.-]{0,79}")
_MARKED: Final = re.compile(r".*-[0-9a-f]{8}")
_READABLE: Final = 60


def slug(name: str) -> str:
    """A name as one part of an address: the same every time, and no two names alike.

    What had to be changed carries eight digits of a hash. A plain name that looks as if it did gets them
    too, or it could pass for another's.
    """
    if _PLAIN.fullmatch(name) and not _MARKED.fullmatch(name) and not name.endswith("."):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    readable = re.sub(r"[^a-z0-9_]+", "-", name.lower())[:_READABLE].strip("-")
    return f"{readable}-{digest}" if readable else f"x-{digest}"
