"""One file, read and checked. Every error names the file and all that is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NoReturn, cast

from ..errors import InputError
from .checking import conversation_problems, evaluation_problems
from .encoding import conversation_record
from .formats import EvaluationDict, MessageDict
from .samples import Conversation


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)


def read_evaluation(path: Path) -> EvaluationDict:
    """An evaluation file, ours or the predecessor's; InputError if it is malformed."""
    return cast(EvaluationDict, _read(path, evaluation_problems))


def read_conversation(path: Path) -> Conversation:
    """A conversation file, ours or the predecessor's; InputError if it is malformed."""
    return conversation_record(cast(list[MessageDict], _read(path, conversation_problems)))


def _read(path: Path, problems_of: Callable[[Any], list[str]]) -> Any:
    value = _read_json(path)
    if problems := problems_of(value):
        raise InputError(f"{path}: {'; '.join(problems)}")
    return value


def _read_json(path: Path) -> Any:
    try:
        data = path.read_bytes()
    except OSError as exc:
        raise InputError(f"{path}: cannot be read: {exc.strerror}") from exc
    if not data.strip():
        raise InputError(f"{path}: is empty; remove it")
    try:
        return _DECODER.decode(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as exc:  # bad JSON, bad UTF-8, NaN, a thousand brackets
        raise InputError(f"{path}: is not valid JSON: {exc}") from exc
