"""The names of the contract: `<kind>__<PROMPT>__<STRATEGY>__<TIMESTAMP>.json`.

A timestamp contains `__` (`20240201_195629__158`), and so do repair strategies
(`1CODEFIXER__CodeFixerTiny`): a name is read from its known ends, never split at `__`.
A model's name may contain `/`, and is then several folders deep.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, Self, get_args

from ..errors import InputError

Kind = Literal["conversation", "evaluation"]

_TIMESTAMP = r"\d{8}_\d{6}(?:__\d+)?"  # the predecessor could leave the last number out
_FILE = re.compile(
    rf"(?:{'|'.join(get_args(Kind))})__(?P<prompt>.+?)__(?P<strategy>.+)__(?P<time>{_TIMESTAMP})\.json"
)
# No underscore at either end, or the ends of the name's parts could not be told apart.
_WORD = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9.-])?")
_MAX_WORD: Final = 80  # two of them, the timestamp, the kind and a marker fit the 255 bytes of a file name
_MAX_PART: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleName:
    """What the files of one sample have in common."""

    prompt_label: str
    prompt_strategy: str
    timestamp: str

    def __post_init__(self) -> None:
        check_word(self.prompt_label, "prompt label")
        if "__" in self.prompt_label:
            raise InputError(f"prompt label {self.prompt_label!r}: must not contain a double underscore")
        check_word(self.prompt_strategy, "strategy")
        if not re.fullmatch(_TIMESTAMP, self.timestamp):
            raise InputError(f"timestamp {self.timestamp!r}: must look like 20240201_195629__158")

    @property
    def tail(self) -> str:
        """The file name without its kind."""
        return f"{self.prompt_label}__{self.prompt_strategy}__{self.timestamp}.json"

    def filename(self, kind: Kind) -> str:
        return f"{kind}__{self.tail}"

    @classmethod
    def parse(cls, filename: str) -> Self:
        """Read a file's name; InputError if it is not one of the contract.

        evaluation__InJulia__1CODEFIXER__CodeFixerTiny__20240201_195629__158.json
        -> prompt_label InJulia, prompt_strategy 1CODEFIXER__CodeFixerTiny, timestamp 20240201_195629__158
        """
        match = _FILE.fullmatch(filename)
        if not match:
            wanted = "<conversation|evaluation>__<PROMPT>__<STRATEGY>__<yyyymmdd_HHMMSS__nnn>.json"
            raise InputError(f"{filename}: not the name of a sample's file; it must look like {wanted}")
        return cls(prompt_label=match["prompt"], prompt_strategy=match["strategy"], timestamp=match["time"])


def check_word(text: str, what: str) -> None:
    """InputError unless the text can be a part of a file name of the contract."""
    if not _WORD.fullmatch(text) or len(text) > _MAX_WORD:
        raise InputError(
            f"{what} {text[:120]!r}: must be up to {_MAX_WORD} letters, digits, dots, hyphens and "
            "underscores, a letter or digit first and no underscore last"
        )


def model_parts(model: str) -> tuple[str, ...]:
    """The folders of a model below its test case; InputError for a name that could lead elsewhere.

    "accounts/fireworks/models/dbrx" -> ("accounts", "fireworks", "models", "dbrx")
    """
    parts = tuple(model.split("/"))
    for part in parts:
        if why := _unsafe(part):
            raise InputError(
                f"model {model!r}: cannot name a folder, because {why}; choose another name for it"
            )
    return parts


def folder_part(text: str, what: str) -> str:
    """A category or test case as one folder; InputError for a name that could lead elsewhere."""
    why = "it contains a slash" if "/" in text else _unsafe(text)
    if why:
        raise InputError(f"{what} {text!r}: cannot name a folder, because {why}")
    return text


# Each refusal with its reason; a backslash would be a separator on other systems.
_REFUSALS: Final[tuple[tuple[str, Callable[[str], bool]], ...]] = (
    ("a part of it is empty", lambda part: not part),
    ("a part of it begins with a dot", lambda part: part.startswith(".")),
    ("a part of it begins or ends with white space", lambda part: part != part.strip()),
    ("it contains a backslash", lambda part: "\\" in part),
    ("it contains a control or unprintable character", lambda part: not part.isprintable()),
    ("definition.toml is a file of the test case", lambda part: part == "definition.toml"),
    (f"a part of it is longer than {_MAX_PART} bytes", lambda part: len(part.encode()) > _MAX_PART),
)


def _unsafe(part: str) -> str:
    """Why a text cannot be the name of one folder, or ""."""
    return next((why for why, refuses in _REFUSALS if refuses(part)), "")


class TimestampClock:
    """Milliseconds that never repeat within this process, however many threads ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def tick(self) -> int:
        """Milliseconds since 1970; ahead of the time where more than one was asked for in one."""
        with self._lock:
            self._last = max(time.time_ns() // 1_000_000, self._last + 1)
            return self._last


def is_timestamp(text: str) -> bool:
    """Whether a text is the timestamp of a file of the contract."""
    return re.fullmatch(_TIMESTAMP, text) is not None


def next_timestamp(timestamp: str) -> str:
    """20240201_195629__158 -> 20240201_195629__159."""
    moment, _, number = timestamp.partition("__")
    return f"{moment}__{int(number or 0) + 1:03}"


def timestamp_of(milliseconds: int) -> str:
    """In UTC, so that the samples of several machines sort: 1706817389158 -> 20240201_195629__158."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y%m%d_%H%M%S}__{rest:03d}"
