"""What is wanted of a run, or of judging alone. Every option of the two is declared here, once.

The type and the default of a field, and the `Option` beside it, are all that is known of an option:
`cli/option_flags.py` makes its flag and its environment variable of them, `configuration.py` its key in
`codejury.toml`, and `scripts/option-table` its row in `docs/running.md`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, Field, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Final, Self, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from .errors import InputError, Problem, suggestion
from .records import EFFORTS, Limits

ONE_SHOT: Final = "1SHOT"
REPAIR: Final = "repair"
ENGINES: Final = ("local", "ray")


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
    for path in ("/chat/completions", "/responses", "/messages"):
        if parts.path.rstrip("/").endswith(path):
            return f"goes too far: leave out {path}"
    return ""


@dataclass(frozen=True, slots=True)
class Option:
    """What there is to know of an option beyond its name, its type and its default."""

    help: str
    example: Any
    """A value, as `codejury.toml` would have it."""
    _: KW_ONLY
    short: str = ""
    metavar: str = ""
    unset: str = ""
    """What holds where nothing is given and the default does not say it."""
    choices: tuple[str, ...] = ()
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    check: Callable[[str], str] | None = None
    """What is wrong with a value, "" if nothing is."""
    is_scanned: bool = False
    """A parameter of which a run may try several values."""
    page: str = ""
    """The documentation that says more."""

    @property
    def range(self) -> str:
        """`from 1`, `above 0, up to 1`; "" without bounds."""
        low = f"from {self.at_least:g}" if self.at_least is not None else ""
        low = f"above {self.above:g}" if self.above is not None else low
        return low if self.at_most is None else f"{low}, up to {self.at_most:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """How answers are judged: the options of every command that judges some."""

    # fmt: off
    workers: Annotated[int | None, Option(
        "Answers judged at once.", 2, at_least=1, unset="one per processor",
    )] = None
    timeout: Annotated[float, Option(
        "Seconds for a candidate's main code, and for each example and test.", 20.0, above=0,
    )] = Limits().seconds
    answer_timeout: Annotated[float, Option(
        "Seconds for all of an answer, its repetitions included.", 120.0, above=0, page="judging.md#time",
    )] = Limits().answer_seconds
    memory: Annotated[int, Option("Memory a candidate may use, in MB.", 2048, metavar="MB", at_least=16)] = (
        Limits().memory_mb
    )
    allow_unsafe: Annotated[bool, Option("Judge even where no sandbox can be had.", True)] = False
    environment: Annotated[Path | None, Option(
        "The folder of the Julia environment with the packages.", "my_environment",
        unset="that of the suite", page="installation.md#julia-packages",
    )] = None
    engine: Annotated[str, Option(
        "Where answers are judged: on this machine, or on a Ray cluster.", "ray", choices=ENGINES,
        page="scaling.md",
    )] = "local"
    ray_address: Annotated[str, Option(
        "The cluster, for the engine ray.", "head:6379", metavar="ADDRESS",
        unset="the one Ray knows of, or one on this machine",
    )] = ""
    # fmt: on

    def __post_init__(self) -> None:
        _raise_if_any(problems_of({each.name: getattr(self, each.name) for each in fields(self)}, type(self)))

    @classmethod
    def of(cls, **values: Any) -> Self:
        """From what a program or a file has at hand: single values for lists, text for paths, None for unset.

        RunOptions.of(model="a/b", temperature=[0, 1]) -> model=("a/b",), temperature=(0.0, 1.0)
        """
        return cls().with_values(values)

    def with_values(self, values: Mapping[str, Any]) -> Self:
        """The same with other values, as `of` takes them."""
        given = {name: value for name, value in values.items() if value not in (None, [], ())}
        _raise_if_any(problems_of(given, type(self)))
        known = declared_options(type(self))
        return replace(self, **{name: _converted(known[name], value) for name, value in given.items()})

    def with_times(self, times: float) -> Self:
        """The same with so many times the seconds."""
        return replace(self, timeout=self.timeout * times, answer_timeout=self.answer_timeout * times)

    @property
    def limits(self) -> Limits:
        return Limits(seconds=self.timeout, answer_seconds=self.answer_timeout, memory_mb=self.memory)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions(JudgeOptions):
    """Models x prompts x test cases x parameters, so many samples each, and the bounds of the run."""

    # fmt: off
    model: Annotated[tuple[str, ...], Option(
        "Whom to ask, such as openai/gpt-4o; repeatable. `codejury models` lists them.", ["openai/gpt-4o"],
        short="-m", metavar="MODEL",
    )] = ()
    prompt: Annotated[tuple[str, ...], Option(
        "A prompt template; repeatable. `codejury prompts` lists them.", ["InJulia", "JuliaExpertAsk"],
        short="-p", metavar="LABEL",
    )] = ("InJulia", "JuliaExpertAsk", "JuliaExpertCoTTask")
    case: Annotated[tuple[str, ...], Option(
        "Test cases by name or category/name; repeatable.", ["data_*"], short="-c", metavar="GLOB",
        unset="all",
    )] = ()
    not_case: Annotated[tuple[str, ...], Option(
        "Test cases to leave out, likewise; repeatable.", ["slow_*"], metavar="GLOB", unset="none",
    )] = ()
    samples: Annotated[int, Option("Answers to each question.", 5, short="-n", at_least=1)] = 1
    temperature: Annotated[tuple[float, ...], Option(
        "How random the answers are.", 0.7, at_least=0, at_most=2, is_scanned=True,
        unset="the model's own",
    )] = ()
    top_p: Annotated[tuple[float, ...], Option(
        "The share of likely tokens to choose from.", 0.95, above=0, at_most=1, is_scanned=True,
        unset="the model's own",
    )] = ()
    max_tokens: Annotated[tuple[int, ...], Option(
        "The longest answer.", 2048, at_least=1, is_scanned=True,
        unset="the model's own",
    )] = ()
    effort: Annotated[tuple[str, ...], Option(
        f"How much models reason: {', '.join(EFFORTS)}.", "high", metavar="LEVEL", choices=EFFORTS,
        is_scanned=True, unset="the model's own", page="models.md#reasoning",
    )] = ()
    thinking_tokens: Annotated[tuple[int, ...], Option(
        "Tokens to reason for, where a service counts them.", 8000, at_least=0,
        is_scanned=True, unset="the model's own", page="models.md#reasoning",
    )] = ()
    seed: Annotated[int | None, Option(
        "Of the first sample; the next one gets the next number.", 42, unset="none",
    )] = None
    strategy: Annotated[str, Option(
        "One try, or repair rounds with the judge's feedback.", REPAIR, choices=(ONE_SHOT, REPAIR),
    )] = ONE_SHOT
    rounds: Annotated[int, Option("Repair rounds at most.", 2, at_least=1)] = 1
    experiment: Annotated[str, Option(
        "Groups what belongs together.", "temperature scan", metavar="NAME", unset="none",
    )] = ""
    device: Annotated[str, Option("This machine's name in the results.", "workstation", metavar="NAME")] = "-"
    batch: Annotated[bool, Option(
        "Ask in batches, where a service takes them: half the price, and answers within a day.", True,
        page="models.md#batches",
    )] = False
    save_dir: Annotated[Path, Option(
        "Where results go.", "results",
    )] = Path("results/code_generation")
    limit: Annotated[int | None, Option(
        "Requests at most, in this run.", 10, at_least=1, unset="no limit",
    )] = None
    max_connections: Annotated[int | None, Option(
        "Requests at once per service.", 16, at_least=1, unset="the service's own",
    )] = None
    budget: Annotated[float | None, Option(
        "USD; nothing is asked for beyond it.", 5.0, metavar="USD", above=0, unset="no limit",
    )] = None
    confirm_above: Annotated[float, Option(
        "A run that is expected to cost more asks first.", 1.0, metavar="USD", at_least=0,
    )] = 1.0
    prompt_dir: Annotated[tuple[Path, ...], Option(
        "A folder of your own templates; repeatable.", ["my_prompts"], unset="none",
    )] = ()
    definitions: Annotated[Path | None, Option(
        "The folder of the test cases.", "my_cases", unset="the bundled suite",
    )] = None
    base_url: Annotated[str, Option(
        "An OpenAI-compatible server for all models that codejury.toml does not describe.",
        "http://127.0.0.1:8000/v1", metavar="URL", check=address_problem, unset="none",
    )] = ""
    ask_unjudgeable: Annotated[bool, Option(
        "Ask also for test cases that need packages which the Julia here lacks.", True,
    )] = False
    # fmt: on

    @property
    def repair_rounds(self) -> int:
        return self.rounds if self.strategy == REPAIR else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredOption:
    """An option with all that its declaration says."""

    name: str
    item: type
    """The type of a value, or of each value of a list."""
    is_list: bool
    default: Any
    about: Option
    flag: str
    """max_tokens -> --max-tokens."""
    variable: str
    """max_tokens -> CODEJURY_MAX_TOKENS."""
    help: str
    default_text: str
    """What holds if the option is left out, in words."""


def declared_options(record: type[JudgeOptions] = RunOptions) -> Mapping[str, DeclaredOption]:
    """Every option of a record by its name: its own, then those of judging."""
    if record not in _DECLARED:
        hints = get_type_hints(record, include_extras=True)
        own_first = sorted(fields(record), key=lambda each: each.name in JudgeOptions.__dataclass_fields__)
        _DECLARED[record] = {each.name: _declared(each, hints[each.name]) for each in own_first}
    return _DECLARED[record]


_DECLARED: Final[dict[type[JudgeOptions], Mapping[str, DeclaredOption]]] = {}


def _declared(field: Field[Any], annotation: Any) -> DeclaredOption:
    """tuple[float, ...] -> a list of float, int | None -> int."""
    hint, about = get_args(annotation)
    return DeclaredOption(
        name=field.name,
        item=(get_args(hint) or (hint,))[0],
        is_list=get_origin(hint) is tuple,
        default=field.default,
        about=about,
        flag=f"--{field.name.replace('_', '-')}",
        variable=f"CODEJURY_{field.name.upper()}",
        help=f"{about.help.removesuffix('.')}; several values make a scan."
        if about.is_scanned
        else about.help,
        default_text=_in_words(field.default, about),
    )


def _help(about: Option) -> str:
    scans = f"{about.help.removesuffix('.')}; several values make a scan."
    return scans if about.is_scanned else about.help


def _in_words(default: Any, about: Option) -> str:
    match default:
        case bool():
            return "off"
        case None | "" | ():
            return about.unset
        case tuple():
            return ", ".join(map(str, default))
        case float():
            return f"{default:g}"
    return str(default)


def _converted(option: DeclaredOption, value: Any) -> Any:
    convert = (lambda text: Path(text).expanduser()) if option.item is Path else option.item
    if not option.is_list:
        return convert(value)
    # Each value once, in the order given: a repeated one must not be paid for twice.
    items = value if isinstance(value, list | tuple) else [value]
    return tuple(dict.fromkeys(map(convert, items)))


def problems_of(values: Mapping[str, Any], record: type[JudgeOptions] = RunOptions) -> list[Problem]:
    """All that is wrong with values from anywhere: a program, flags, a file."""
    known = declared_options(record)
    return [problem for name, value in values.items() for problem in _problems(name, value, known)]


def _problems(name: str, value: Any, known: Mapping[str, DeclaredOption]) -> Iterator[Problem]:
    if name not in known:
        yield Problem(file=None, field=name, what="is not an option", repair=suggestion(name, known))
        return
    option = known[name]
    if value == option.default and type(value) is type(option.default):
        return
    several = option.is_list and isinstance(value, list | tuple)
    for index, item in enumerate(value if several else [value]):
        if what := _item_problem(item, option):
            where = f"{name}[{index}]" if several and len(value) > 1 else name
            repair = f"for example {name} = {json.dumps(option.about.example)}"  # as TOML would have it
            yield Problem(file=None, field=where, what=what, repair=repair)


_NOUNS: Final = {str: "a text", int: "an integer", float: "a number", bool: "true or false", Path: "a folder"}


def _item_problem(value: Any, option: DeclaredOption) -> str:
    # A value is quoted only where it cannot be a key that was pasted into the wrong place.
    number = f"{value:g}" if isinstance(value, float) else f"{value!r}"
    shown = f", not {number}" if isinstance(value, bool | int | float) else ""
    if not _is_a(value, option.item):
        return f"must be {_NOUNS[option.item]}{shown}"
    if isinstance(value, str | Path):
        return _text_problem(str(value), option.about)
    if not math.isfinite(value):
        return f"must be a finite number{shown}"
    about = option.about
    is_within = (
        (about.at_least is None or value >= about.at_least)
        and (about.above is None or value > about.above)
        and (about.at_most is None or value <= about.at_most)
    )
    return "" if is_within else f"must be {_NOUNS[option.item]} {about.range}{shown}"


def _text_problem(text: str, option: Option) -> str:
    if not text:
        return "must not be empty"
    if option.choices and text not in option.choices:
        return f"must be one of {', '.join(option.choices)}"
    return option.check(text) if option.check else ""


def _is_a(value: Any, item: type) -> bool:
    """Strictly, as files have it: true is no number; but 1 is one, and a text names a folder."""
    if item is float:
        return type(value) in (int, float)
    if item is Path:
        return isinstance(value, str | Path)
    return type(value) is item


def _raise_if_any(problems: list[Problem]) -> None:
    if problems:
        raise InputError("\n".join(map(str, problems)))
