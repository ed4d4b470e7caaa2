"""`codejury.toml`: the user's defaults for a run, and models of their own.

tables     the schema
problems   what is wrong with a file, all at once

Loads pydantic: import it where it is needed, not before.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from .errors import InputError, Problem, suggestion
from .options import DeclaredOption, RunOptions, address_problem, declared_options, problems_of


def _as_tuple(value: Any) -> Any:
    """One value may stand for a list of one."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _address(url: str) -> str:
    if problem := address_problem(url):
        raise PydanticCustomError("address", "{problem}", {"problem": problem})
    return url.rstrip("/")


def _variable(name: str) -> str:
    if not re.fullmatch(r"[A-Z_][A-Z0-9_]*", name):
        raise PydanticCustomError("variable", "is not the name of a variable in capitals")
    return name


def _sendable(values: Any) -> Any:
    """What a request can carry: JSON."""
    try:
        json.dumps(values, allow_nan=False)
    except (TypeError, ValueError):
        raise PydanticCustomError("sendable", "holds a value that JSON cannot carry") from None
    return values


Texts = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_as_tuple)]
Temperature = Annotated[float, Field(ge=0, le=2)]
TopP = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=1)]
ThinkingTokens = Annotated[int, Field(ge=0)]
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
Address = Annotated[str, AfterValidator(_address)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)


class PriceTable(Table):
    """USD per million tokens."""

    input: Dollars = Field(examples=[0.5])
    """Tokens read."""
    output: Dollars = Field(examples=[1.5])
    """Tokens written."""


class ParametersTable(BaseModel):
    """Sampling parameters. Any other field is sent to the server as it is."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True, use_attribute_docstrings=True)

    temperature: Temperature | None = Field(default=None, examples=[0.7])
    """0 to 2."""
    top_p: TopP | None = Field(default=None, examples=[0.95])
    """Above 0, up to 1."""
    max_tokens: Count | None = Field(default=None, examples=[2048])
    """The longest answer, in tokens."""
    seed: int | None = Field(default=None, examples=[42])
    """For servers that heed one."""
    effort: Effort | None = Field(default=None, examples=["high"])
    """How much the model reasons before it answers."""
    thinking_tokens: ThinkingTokens | None = Field(default=None, examples=[8000])
    """Tokens it may reason for, where the service counts them."""


class ModelTable(Table):
    """A model of the user's own, or what differs for a known one."""

    provider: str = Field(default="", examples=["openai"])
    """A provider Codejury knows; see `codejury models`. Beside a base_url, the one the server speaks like."""
    base_url: Address = Field(default="", validate_default=False, examples=["http://127.0.0.1:8000/v1"])
    """A server of your own, in place of a provider's."""
    adapter: Literal["", "chat", "responses", "messages", "generate_content"] = Field(
        default="", examples=["chat"]
    )
    """The wire format, where it is not the provider's own; chat for a server of your own."""
    stream: bool | None = Field(default=None, examples=[True])
    """Whether the answer is asked for in pieces, as it comes; else as the provider is asked."""
    model: str = Field(default="", examples=["qwen2.5-coder:7b"])
    """What the server calls the model; NAME if left out."""
    key_variable: Annotated[str, AfterValidator(_variable)] = Field(
        default="", validate_default=False, examples=["MY_SERVER_KEY"]
    )
    """The environment variable that holds the key. Never the key itself."""
    parameters: Annotated[ParametersTable, BeforeValidator(_sendable)] = Field(
        default=ParametersTable(), examples=[{"temperature": 0.2}]
    )
    """Used where the run says nothing."""
    price: PriceTable | None = Field(default=None, examples=[{"input": 0.5, "output": 1.5}])
    """USD per million tokens, over the price list."""
    max_connections: Count | None = Field(default=None, examples=[4])
    """Requests at once to this model; else all models of a service share the service's."""
    requests_per_minute: Count | None = Field(default=None, examples=[60])
    """Requests to this model in any 60 seconds."""
    timeout_seconds: Seconds | None = Field(default=None, examples=[600])
    """For one try, from the first byte to the last; if left out 600, or 3600 for an answer in pieces."""
    silence_seconds: Seconds | None = Field(default=None, examples=[300])
    """The longest wait for the next byte; 300 if left out."""
    tries: Annotated[int, Field(ge=1, le=20)] | None = Field(default=None, examples=[6])
    """Requests in all before the model counts as unavailable; 6 if left out."""
    batch_poll_seconds: Seconds | None = Field(default=None, examples=[60])
    """Between two looks at a batch; 30 if left out."""
    command: Texts = Field(default=(), examples=[["my-agent", "--print"]])
    """A program that answers, with its arguments; for a model whose NAME begins with command/."""


class Document(Table):
    """The whole file."""

    run: dict[str, Any] = Field(default_factory=dict)
    """Defaults of `codejury run`; `options.py` declares and checks them."""
    models: dict[str, ModelTable] = Field(default_factory=dict)
    """Models by name."""


# ---- What is wrong with a `codejury.toml`: field, fault and repair, for a person.

RESERVED: Final = frozenset(
    {"model", "messages", "input", "contents", "system", "systemInstruction", "stream", "n", "extra"}
)

_TABLES: Final[Mapping[tuple[str, ...], type[BaseModel]]] = {
    (): Document,
    ("models", "*"): ModelTable,
    ("models", "*", "price"): PriceTable,
    ("models", "*", "parameters"): ParametersTable,
}


def cross_problems(raw: Mapping[str, Any]) -> Iterator[Problem]:
    run = _mapping(raw.get("run"))
    if "rounds" in run and run.get("strategy") != "repair":
        yield _wrong(("run", "rounds"), "needs repair rounds to count", 'add strategy = "repair"')
    for name, table in _mapping(raw.get("models")).items():
        yield from _model_problems(name, _mapping(table))


def _model_problems(name: str, table: Mapping[str, Any]) -> Iterator[Problem]:
    where = ("models", name)
    if not table.get("provider") and not table.get("base_url") and "/" not in name:
        yield _wrong(where, "nobody answers for it", 'add provider = "..." or base_url = "http..."')
    is_command = name.startswith("command/")
    if is_command and not table.get("command"):
        yield _wrong((*where, "command"), "is missing", 'name the program: command = ["my-agent", "--print"]')
    if table.get("command") and not is_command:
        yield _wrong((*where, "command"), "is for programs alone", f'call the model "command/{name}"')
    reserved = sorted(RESERVED & _mapping(table.get("parameters")).keys())
    for key in reserved:
        yield _wrong((*where, "parameters", key), "is set by Codejury itself", "take it out")


def problem_of(error: ErrorDetails, raw: Mapping[str, Any]) -> Problem:
    location = error["loc"]
    if location and isinstance(location[-1], int) and not isinstance(_value_at(raw, location[:-1]), list):
        location = location[:-1]  # a single value that stands for a list of one
    if error["type"] == "extra_forbidden":
        return _wrong(location, "is not a field of this table", _known_fields(location))
    if error["type"] == "missing":
        return _wrong(location, "is missing", _example(location))
    return _wrong(location, _complaint(error), _example(location))


def _complaint(error: ErrorDetails) -> str:
    message = error["msg"].replace("Input should be", "should be")
    # A value is quoted only where it cannot be a key that was pasted into the wrong place.
    shown = error["input"]
    return f"{message}, not {shown!r}" if isinstance(shown, bool | int | float) else message


def _known_fields(location: tuple[int | str, ...]) -> str:
    name = str(location[-1])
    table = _TABLES.get(_pattern(location[:-1]))
    known = list(table.model_fields) if table else []
    meant = suggestion(name, known)
    if meant.startswith("known") and re.search("key|token|secret|password", name):
        return "a key stays out of this file: name the variable that holds it, key_variable"
    return meant


def _example(location: tuple[int | str, ...]) -> str:
    names = [part for part in location if isinstance(part, str)]
    table = _TABLES.get(_pattern(tuple(names[:-1])))
    info = table.model_fields.get(names[-1]) if table else None
    if info is None or not info.examples:
        return "make it a table"
    return f"for example {names[-1]} = {_toml(info.examples[0])}"


def _pattern(location: tuple[int | str, ...]) -> tuple[str, ...]:
    """Where a table is, whatever a model is called: ("models", "mine") -> ("models", "*")."""
    names = [part for part in location if isinstance(part, str)]
    return ("models", "*", *names[2:]) if names[:1] == ["models"] and len(names) > 1 else tuple(names)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)  # numbers, texts and lists look the same in both


def _wrong(location: tuple[int | str, ...], what: str, repair: str) -> Problem:
    return Problem(file=None, field=_field(location), what=what, repair=repair)


def _field(location: tuple[int | str, ...]) -> str:
    """The way to a field, as TOML would write it.

    ("models", "my llama", "price") -> models."my llama".price      ("run", "case", 1) -> run.case[1]
    """
    name = ""
    for part in location:
        if isinstance(part, int):
            name += f"[{part}]"
        else:
            bare = re.fullmatch(r"[A-Za-z0-9_-]+", part)
            name += ("." if name else "") + (part if bare else json.dumps(part, ensure_ascii=False))
    return name or "file"


def _value_at(raw: Any, location: Sequence[int | str]) -> Any:
    for part in location:
        raw = raw.get(part) if isinstance(raw, dict) else None
    return raw


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


# ---- `codejury.toml`: the user's defaults for a run, and models of their own.

__all__ = [
    "Configuration",
    "ConfigurationError",
    "ModelTable",
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

    run: RunOptions = field(default_factory=RunOptions)
    models: Mapping[str, ModelTable] = field(default_factory=dict)
    path: Path | None = None
    """The file it was read from."""


def load_configuration(path: Path | None = None) -> Configuration:
    """Read a file; without a path, the `codejury.toml` of the working folder if there is one."""
    if path is None and not Path(FILE_NAME).exists():
        return Configuration()
    path = Path(FILE_NAME) if path is None else path
    raw = _parsed(path)
    problems = [*_run_problems(_mapping(raw.get("run"))), *cross_problems(raw)]
    try:
        document = Document.model_validate(raw)
    except ValidationError as error:
        problems += [problem_of(details, raw) for details in error.errors(include_url=False)]
    if problems:
        raise ConfigurationError([replace(problem, file=path) for problem in problems])
    run = RunOptions.of(**_located(document.run, path.parent))
    return Configuration(run=run, models=document.models, path=path)


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        what, repair = f"is not TOML: {error}", "fix the line it names"
    except UnicodeDecodeError:
        what, repair = "is not UTF-8 text", "save it as UTF-8"
    except OSError as error:
        what, repair = f"cannot be read: {error.strerror}", "check the path and its permissions"
    raise ConfigurationError([Problem(file=path, field="file", what=what, repair=repair)])


def _run_problems(table: Mapping[str, Any]) -> Iterator[Problem]:
    for problem in problems_of(table):
        yield replace(problem, field=f"run.{problem.field}")


def _located(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Relative folders are relative to the file that names them."""
    return {name: _moved(value, declared_options()[name], folder) for name, value in table.items()}


def _moved(value: Any, option: DeclaredOption, folder: Path) -> Any:
    if option.item is not Path:
        return value
    if isinstance(value, list):
        return [_moved(item, option, folder) for item in value]
    return folder / Path(value).expanduser()
