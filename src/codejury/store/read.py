"""One file, read and checked. Every error names the file and all that is wrong with it.

The quick decoders of `schema` take nearly every file. What they refuse gets a second look: it may only be
spelt unusually (a byte order mark, half a surrogate pair), and if it is broken, every wrong key is named.

Tolerant where the predecessor's files differ among each other (a cost of 0 or 0.0, keys that came later, an
empty answer), strict where a wrong value would become a wrong number on a board.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NoReturn

import msgspec

from ..errors import InputError
from .convert import conversation_record, evaluation_record, to_bytes
from .predecessor import category_of
from .samples import Conversation, StoredEvaluation, StoredSample
from .schema import (
    PUBLISHED_KEYS,
    REFUSED,
    EvaluationFile,
    MessageFile,
    decode_conversation,
    decode_evaluation,
)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)


def read_evaluation(path: Path | str) -> StoredEvaluation:
    """An evaluation file, ours or the predecessor's; InputError if it is malformed."""
    file = evaluation_file(path)
    return evaluation_record(file, "" if file.category is not None else _category(path, file.name))


def evaluation_json(path: Path | str) -> dict[str, Any]:
    """An evaluation file as it stands there, by the keys of docs/files.md; InputError if it is malformed."""
    evaluation_file(path)
    document: dict[str, Any] = _parsed(path, _bytes(path))
    return document


def evaluation_file(path: Path | str) -> Any:
    """The object of an evaluation file, by its keys: an `EvaluationFile`; InputError if it is malformed."""
    data = _bytes(path)
    try:
        return decode_evaluation(data)
    except REFUSED:
        value = _parsed(path, data)
    if (
        isinstance(value, dict) and "codejury_schema" not in value
    ):  # what else a foreign file holds is ignored
        value = {key: value[key] for key in PUBLISHED_KEYS if key in value}
    problems = list(_wrong_keys(value, EvaluationFile))
    if not problems:
        try:
            return msgspec.convert(value, EvaluationFile)
        except REFUSED as exc:
            problems = [_reason(exc)]
    raise InputError(f"{path}: {'; '.join(problems)}")


def read_conversation(path: Path | str) -> Conversation:
    """A conversation file, ours or the predecessor's; InputError if it is malformed."""
    data = _bytes(path)
    try:
        messages = decode_conversation(data)
    except REFUSED:
        messages = _second_look(path, data)
    if not messages:
        raise InputError(f"{path}: must be a JSON array of messages, at least one")
    if messages[-1].kind != "aimessage":
        raise InputError(f"{path}: the last message must be the model's answer (`_type` aimessage)")
    return conversation_record(messages)


def _second_look(path: Path | str, data: bytes) -> list[MessageFile]:
    value = _parsed(path, data)
    if not isinstance(value, list):
        raise InputError(f"{path}: must be a JSON array of messages, at least one")
    problems = [
        f"message {index}: {problem}"
        for index, message in enumerate(value)
        for problem in _wrong_keys(message, MessageFile)
    ]
    if problems:
        raise InputError(f"{path}: {'; '.join(problems)}")
    return msgspec.convert(value, list[MessageFile])


def _bytes(path: Path | str) -> bytes:
    # A plain call that takes strings: sites read tens of thousands, and a Path takes as long as the reading.
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            data = file.read()
    except OSError as exc:
        raise InputError(f"{path}: cannot be read: {exc.strerror}") from exc
    if not data.strip():
        raise InputError(f"{path}: is empty; remove it")
    return data


def _parsed(path: Path | str, data: bytes) -> Any:
    """Any JSON value, spelt as the store spells it."""
    try:
        value = _DECODER.decode(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as exc:  # bad JSON, bad UTF-8, NaN, a thousand brackets
        raise InputError(f"{path}: is not valid JSON: {exc}") from exc
    return json.loads(to_bytes(value))


def _wrong_keys(table: Any, shape: type[msgspec.Struct]) -> Iterator[str]:
    if not isinstance(table, dict):
        yield "must be a JSON object"
        return
    for field in msgspec.structs.fields(shape):
        key = field.encode_name
        if key not in table:
            if field.required:
                yield f"{key} is missing"
            continue
        try:
            msgspec.convert(table[key], field.type)
        except REFUSED as exc:
            yield f"{key} {_reason(exc)}, not {_shown(table[key])}"


def _reason(error: BaseException) -> str:
    """Expected `int`, got `str` -> must be `int`."""
    what, _, where = str(error).partition(" - at ")
    wanted = what.removeprefix("Expected ").partition(", got ")[0]
    place = "" if where in ("", "`$`") else f" at {where}"
    return f"must be {wanted}{place}" if what.startswith("Expected") else f"{what}{place}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _category(path: Path | str, name: str) -> str:
    folder = Path(path).parent
    above = category_of(os.fspath(folder), name)
    return above if above.strip(".") else category_of(os.fspath(folder.resolve()), name)


# ---- The verdicts of several Julias on one answer.
#
# evaluation__<PROMPT>__<STRATEGY>__<TIMESTAMP>.json      the present verdict, whichever Julia gave it
# julia-1.10.4__<PROMPT>__<STRATEGY>__<TIMESTAMP>.json    the verdict of another Julia, kept beside it
#
# Both have the same keys. The prefix hides the second from readers that look for `evaluation__*` in all
# folders, so that no table mixes versions of Julia unless it was asked to.

# 1.10.4, 1.13.0-rc1, 1.14.0-DEV.123: it becomes a part of a file name.
_VERSION: Final = re.compile(r"[0-9][0-9A-Za-z.+-]*")


def by_julia(sample: StoredSample, version: str) -> StoredSample:
    """The sample with the verdict of this Julia: the present one if it gave that, else the one beside it.

    There need not be one yet; then it is where that verdict will be.
    """
    if not _VERSION.fullmatch(version):
        raise InputError(f"{version!r}: not a version of Julia; one looks like 1.10.4")
    if sample.has_evaluation and _judged_by(sample) == version:
        return sample
    beside = replace(sample, julia=version, has_evaluation=False, outcome="")
    return replace(beside, has_evaluation=beside.evaluation.exists())


def _judged_by(sample: StoredSample) -> str:
    """The Julia of a stored verdict; "" where it names none, or cannot be read."""
    try:
        return read_evaluation(sample.evaluation).evaluation.julia_version
    except InputError:
        return ""
