"""One wire format each: how a question is put to a service, and how its reply is read.

base              what an adapter is
chat              OpenAI's chat completions, which most servers speak
responses         OpenAI's Responses
messages          Anthropic's Messages
generate_content  Google's generateContent

A provider names its adapter in `providers.toml`; `adapter = "..."` in `codejury.toml` does the same for a
server of the user's own. All are pure: bytes are the business of `http`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from .base import Adapter
from .chat import ChatCompletions
from .generate_content import GenerateContent
from .messages import Messages
from .responses import Responses

ADAPTERS: Final[Mapping[str, type[Adapter]]] = {
    "chat": ChatCompletions,
    "responses": Responses,
    "messages": Messages,
    "generate_content": GenerateContent,
}


@cache
def adapter_named(name: str) -> Adapter:
    """The adapter of a provider; KeyError if there is none of this name."""
    return ADAPTERS[name]()
