"""Everything the models of one run share, and the table they are made from.

    async with Session(configuration) as session:
        model = session.resolve("openai/gpt-4o")
        completion = await model.complete(prompt, Parameters(), test_case=test_case)

A model string is looked up in this order: a `[models]` table of `codejury.toml`; the server given by
`--base-url`; the provider before the first `/`. Providers are one table of model factories: our own, then
those of installed packages (entry points of the group `codejury.models`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import AsyncExitStack
from importlib.metadata import EntryPoint, entry_points
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeVar, cast

from ..errors import CodejuryError, InputError, ModelRefused, Problem, suggestion
from .keys import Keyring
from .limits import AdaptiveLimiter, RequestClock, RequestPolicy, SystemClock
from .protocol import BatchProgress, Model, Parameters, Retry
from .providers import ANY_SERVERS_KEY, known_providers
from .spec import KEYLESS, ModelFactory, ModelSpec

if TYPE_CHECKING:
    from pathlib import Path

    from ..configuration import Configuration, ModelTable
    from .http import Clients
    from .replies import Names


ENTRY_POINTS: Final = "codejury.models"


class Closable(Protocol):
    async def aclose(self) -> None: ...


Resource = TypeVar("Resource", bound=Closable)


class Session:
    """Makes models, and holds what they share: keys, limiters, connections, servers."""

    def __init__(
        self,
        configuration: Configuration | None = None,
        *,
        base_url: str = "",
        max_connections: int | None = None,
        keyring: Keyring | None = None,
        clock: RequestClock | None = None,
        on_retry: Callable[[Retry], None] = lambda retry: None,
        batch_folder: Path | None = None,
    ) -> None:
        if configuration is not None:
            check_models(configuration)
        if base_url:
            check_address(base_url)
        self.configuration = configuration
        self.base_url = base_url
        self.max_connections = max_connections
        """Requests at once per service, in place of the service's own default."""
        self.keyring = Keyring.load() if keyring is None else keyring
        self.clock = clock or SystemClock()
        self.on_retry = on_retry
        self.batch_folder = batch_folder
        """The results folder that remembers batches, where models are asked in batches."""
        self.on_batch: Callable[[BatchProgress], None] = lambda progress: None
        self._models: dict[str, tuple[str, Model]] = {}
        self._limiters: dict[str, AdaptiveLimiter] = {}
        self._names: dict[str, Names] = {}
        self._shared: dict[Hashable, Closable] = {}
        self._closing = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Give everything back. Safe to call twice."""
        self._shared.clear()
        await self._closing.aclose()

    def resolve(self, text: str) -> Model:
        """The model a user means; ModelRefused says what is missing. Sends no request."""
        spec = self.spec_of(text)
        model = make_model(spec, self)
        check_name(model.name)
        owner, model = self._models.setdefault(model.name, (text, model))
        if owner != text:
            raise ModelRefused(f"{text}: would be stored as `{model.name}`, and so would {owner}")
        return model

    def spec_of(self, text: str) -> ModelSpec:
        """What a model string means, without making the model: no key is needed."""
        tables = self.configuration.models if self.configuration else {}
        if text in tables:
            return spec_from_table(text, tables[text])
        provider, _, model = text.partition("/")
        if self.base_url and provider not in KEYLESS:
            return ModelSpec(
                name=text,
                provider="",
                model=text,
                base_url=self.base_url,
                key_variables=(ANY_SERVERS_KEY,),
                key_is_optional=True,
            )
        if not model:
            raise ModelRefused(f"{text}: {_no_such_model(text, tables)}")
        return ModelSpec(name=text, provider=provider, model=model)

    def limiter(self, owner: str, most: int, per_minute: int | None = None) -> AdaptiveLimiter:
        """The gate of one service (or of one model with limits of its own)."""
        if owner not in self._limiters:
            self._limiters[owner] = AdaptiveLimiter(most, per_minute, self.clock)
        return self._limiters[owner]

    def names_at(self, base_url: str) -> Names:
        """What one server calls the models of this run."""
        from .replies import Names

        return self._names.setdefault(base_url, Names())

    def keep_within(self, connections: int) -> bool:
        """Ask all services together no more than so much at once; whether that is less than was meant."""
        windows = [limiter.window for limiter in self._limiters.values()]
        if sum(window.most for window in windows) <= connections:
            return False
        for window in windows:
            window.most = max(1, min(window.most, connections // len(windows)))
            window.size = min(window.size, window.most)
        return True

    def clients(self, *, near: bool) -> Clients:
        """Connections to servers that are near, or to those that are not."""
        from .http import Clients

        return self.shared(("http", near), lambda: Clients(near=near))

    def shared(self, key: Hashable, make: Callable[[], Resource]) -> Resource:
        """What is made once per run and closed at its end."""
        if key not in self._shared:
            self._shared[key] = resource = make()
            self._closing.push_async_callback(resource.aclose)
        return cast("Resource", self._shared[key])


def providers_table() -> dict[str, EntryPoint]:
    """Every provider by name, as an entry point to its model factory. Ours cannot be replaced."""
    modules = {**dict.fromkeys(known_providers(), "hosted"), **KEYLESS}
    own = {
        name: EntryPoint(name, f"{__package__}.{module}:make", ENTRY_POINTS)
        for name, module in modules.items()
    }
    return {**{point.name: point for point in entry_points(group=ENTRY_POINTS)}, **own}


def make_model(spec: ModelSpec, session: Session) -> Model:
    if session.batch_folder is not None and spec.provider not in KEYLESS:
        from .batches.model import make as make_batches

        return make_batches(spec, session)
    if spec.base_url:
        from .hosted import make

        return make(spec, session)
    point = known_provider(spec)
    try:
        model = _loaded(point)(spec, session)
    except CodejuryError:
        raise
    except Exception as error:  # a plug-in can fail in any way, and takes only itself down
        raise ModelRefused(f"{spec.name}: {_plug_in(point)}: {type(error).__name__}: {error}") from error
    if not isinstance(getattr(model, "name", None), str) or not callable(getattr(model, "complete", None)):
        raise ModelRefused(f"{spec.name}: {_plug_in(point)} made a {type(model).__name__}, which is no model")
    return model


def _plug_in(point: EntryPoint) -> str:
    return f"the plug-in {point.name} ({point.value})"


def known_provider(spec: ModelSpec) -> EntryPoint:
    """The entry point of its provider; ModelRefused, with a hint at what was meant, if there is none."""
    table = providers_table()
    if spec.provider not in table:
        hint = suggestion(spec.provider, table)
        raise ModelRefused(f"{spec.name}: no provider `{spec.provider}`; {hint}")
    return table[spec.provider]


def _loaded(point: EntryPoint) -> ModelFactory:
    try:
        return cast("ModelFactory", point.load())
    except Exception as error:  # a plug-in can fail in any way, and takes only itself down
        what = f"{type(error).__name__}: {error}"
        raise ModelRefused(f"{_plug_in(point)} cannot be loaded: {what}") from error


def spec_from_table(name: str, table: ModelTable) -> ModelSpec:
    """A `[models."NAME"]` table, filled in."""
    prefix, _, rest = name.partition("/")
    is_prefixed = bool(rest) and not table.base_url and table.provider in ("", prefix)
    given = {"seconds": table.timeout_seconds, "silence_seconds": table.silence_seconds, "tries": table.tries}
    policy: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    return ModelSpec(
        name=name,
        provider=table.provider if table.base_url else table.provider or prefix,
        model=table.model or (rest if is_prefixed else name),
        base_url=table.base_url,
        adapter=table.adapter,
        streams=table.stream,
        key_variables=(table.key_variable,) if table.key_variable else (),
        parameters=Parameters.from_mapping(table.parameters.model_dump(exclude_none=True)),
        usd_per_million=(table.price.input, table.price.output) if table.price else None,
        max_connections=table.max_connections,
        requests_per_minute=table.requests_per_minute,
        command=table.command,
        batch_poll_seconds=table.batch_poll_seconds,
        policy=RequestPolicy(**policy),
    )


def check_models(configuration: Configuration) -> None:
    """What the file alone cannot know: whether the providers exist. All problems at once."""
    from ..configuration import ConfigurationError

    table, problems = providers_table(), []
    for name, model in configuration.models.items():
        provider = model.provider or name.partition("/")[0]
        wanted = known_providers() if model.base_url else table
        if provider not in wanted and (model.provider or not model.base_url):
            what, repair = f"there is no provider `{provider}`", suggestion(provider, wanted)
            where = f'models."{name}"'
            problems.append(Problem(file=configuration.path, field=where, what=what, repair=repair))
    if problems:
        raise ConfigurationError(problems)


def check_address(base_url: str) -> None:
    from ..options import address_problem

    if problem := address_problem(base_url):  # not quoted: what is too much in it may be a password
        raise InputError(f"the base URL {problem}: write one such as http://127.0.0.1:8000/v1")


def _no_such_model(text: str, tables: Mapping[str, object]) -> str:
    if text.endswith("/"):
        return "the model's name is missing after the `/`"
    advice = (
        'write PROVIDER/MODEL, such as openai/gpt-4o, or describe it under [models."NAME"] in codejury.toml'
    )
    return f"{suggestion(text, tables)} {advice}" if tables else advice


def check_name(name: str) -> None:
    """Results are stored in a folder of this name: it must stay within its parent."""
    parts = name.split("/")
    is_safe = name.isprintable() and "\\" not in name and len(name) <= 200
    if not is_safe or any(part in ("", ".", "..") or part != part.strip() for part in parts):
        raise ModelRefused(f"{name!r}: not a model's name: it cannot be the name of a folder")
