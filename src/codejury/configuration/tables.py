"""The schema of `codejury.toml`.

RunTable             [run]: a default for every flag of `codejury run`
ModelTable           [models."NAME"]: a server, a price, limits

A field's type and bounds check it, its example is the repair that a wrong value is answered with, and
its docstring is what the documentation says.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError


def _as_tuple(value: Any) -> Any:
    """One value may stand for a list of one."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _as_path(value: Any) -> Any:
    return Path(value).expanduser() if isinstance(value, str) and value else value


def _address(url: str) -> str:
    if problem := address_problem(url):
        raise PydanticCustomError("address", "{problem}", {"problem": problem})
    return url.rstrip("/")


def address_problem(url: str) -> str:
    """What is wrong with a server's address; "" if nothing is.

    A password or a query has no place in it: it would be shown wherever the address is.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return "is not an address"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "is not an http or https address"
    if parts.username or parts.password or parts.query or parts.fragment:
        return "holds more than an address"
    if parts.path.rstrip("/").endswith("/chat/completions"):
        return "goes too far: leave out /chat/completions"
    return ""


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
Folder = Annotated[Path, BeforeValidator(_as_path)]
Address = Annotated[str, AfterValidator(_address)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)


class RunTable(Table):
    """Defaults for the flags of `codejury run`, each under the flag's name."""

    model: Texts = Field(default=(), examples=[["openai/gpt-4o"]])
    """Models to ask."""
    prompt: Texts = Field(default=(), examples=[["InJulia", "JuliaExpertAsk"]])
    """Labels of the prompt templates."""
    case: Texts = Field(default=(), examples=[["data_*"]])
    """Patterns of test case names."""
    samples: Count | None = Field(default=None, examples=[5])
    """Answers per combination of model, prompt, test case and parameters."""
    temperature: Annotated[tuple[Temperature, ...], BeforeValidator(_as_tuple)] = Field(
        default=(), examples=[0.7]
    )
    """One value, or several for a scan."""
    top_p: Annotated[tuple[TopP, ...], BeforeValidator(_as_tuple)] = Field(default=(), examples=[0.95])
    """One value, or several for a scan."""
    max_tokens: Annotated[tuple[Count, ...], BeforeValidator(_as_tuple)] = Field(default=(), examples=[2048])
    """The longest answer, in tokens; one value, or several for a scan."""
    seed: int | None = Field(default=None, examples=[42])
    """Sent to servers that heed one."""
    strategy: Literal["1SHOT", "repair"] | None = Field(default=None, examples=["repair"])
    """One try, or repair rounds with the judge's feedback."""
    rounds: Count | None = Field(default=None, examples=[2])
    """Repair rounds, with `strategy = "repair"`."""
    experiment: str | None = Field(default=None, examples=["temperature scan"])
    """A name that groups what belongs together."""
    device: str | None = Field(default=None, examples=["workstation"])
    """The machine's name in the results."""
    save_dir: Folder | None = Field(default=None, examples=["results"])
    """Where results go; relative to this file."""
    limit: Count | None = Field(default=None, examples=[10])
    """At most so many requests."""
    workers: Count | None = Field(default=None, examples=[2])
    """Answers judged at once."""
    max_connections: Count | None = Field(default=None, examples=[16])
    """Requests at once per service."""
    budget: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(default=None, examples=[5.0])
    """USD; no new answers are asked for beyond it."""
    confirm_above: Dollars | None = Field(default=None, examples=[1.0])
    """USD; a run that is expected to cost more asks first."""
    prompts: Annotated[tuple[Folder, ...], BeforeValidator(_as_tuple)] = Field(
        default=(), examples=[["my_prompts"]]
    )
    """Folders with prompt templates of your own; relative to this file."""
    base_url: Address | None = Field(default=None, examples=["http://127.0.0.1:8000/v1"])
    """An OpenAI-compatible server for all models that this file does not describe."""
    definitions: Folder | None = Field(default=None, examples=["my_cases"])
    """The folder of the test cases; relative to this file."""
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(default=None, examples=[20.0])
    """Seconds for a candidate's main code, and for each example and unit test."""
    answer_timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        default=None, examples=[120.0]
    )
    """Seconds for all of an answer, its repetitions included."""
    allow_unsafe: bool | None = Field(default=None, examples=[False])
    """Judge on a machine that gives no isolation."""
    ask_unjudgeable: bool | None = Field(default=None, examples=[False])
    """Ask also for test cases that need packages which the Julia here lacks."""
    engine: Literal["local", "ray"] | None = Field(default=None, examples=["ray"])
    """Where answers are judged: on this machine, or on a Ray cluster."""
    ray_address: str | None = Field(default=None, examples=["head:6379"])
    """The cluster's address, as Ray writes it."""


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


class ModelTable(Table):
    """A model of the user's own, or what differs for a known one."""

    provider: str = Field(default="", examples=["openai"])
    """A provider Codejury knows; see `codejury models`."""
    base_url: Address = Field(default="", validate_default=False, examples=["http://127.0.0.1:8000/v1"])
    """An OpenAI-compatible server, in place of a provider."""
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
    """For one try, from the first byte to the last; 600 if left out."""
    silence_seconds: Seconds | None = Field(default=None, examples=[300])
    """The longest wait for the next byte; 300 if left out."""
    tries: Annotated[int, Field(ge=1, le=20)] | None = Field(default=None, examples=[6])
    """Requests in all before the model counts as unavailable; 6 if left out."""


class Document(Table):
    """The whole file."""

    run: RunTable = RunTable()
    """Defaults of `codejury run`."""
    models: dict[str, ModelTable] = Field(default_factory=dict)
    """Models by name."""
