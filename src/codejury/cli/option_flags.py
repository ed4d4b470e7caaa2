"""Flags and environment variables, made from the declaration of the options in `options.py`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..errors import InputError
from ..options import DeclaredOption, JudgeOptions, RunOptions, declared_options
from ..settings import load_settings

if TYPE_CHECKING:
    from ..judge.toolchain.julia import JuliaInstall


_METAVARS: Final = {int: "N", float: "X", Path: "DIR"}
_Command = Callable[..., None]


def with_flags(
    record: type[JudgeOptions], *, without: tuple[str, ...] = ()
) -> Callable[[_Command], _Command]:
    """Give a command a flag, with its environment variable, for every option of a record.

    The command receives them as keywords, to be given to the record's `of`; what nobody gave is None.
    """
    options = [option for name, option in declared_options(record).items() if name not in without]
    flags = [
        inspect.Parameter(
            option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_annotation(option)
        )
        for option in options
    ]

    def decorate(command: _Command) -> _Command:
        parameters = inspect.signature(command, eval_str=True).parameters.values()
        own = [each for each in parameters if each.kind is not each.VAR_KEYWORD]
        shown = [*flags, *own] if record is RunOptions else [*own, *flags]  # what matters most comes first
        every = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in shown]
        command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in every}
        return command

    return decorate


def _annotation(option: DeclaredOption) -> Any:
    item: Any = option.item
    return Annotated[list[item] | None if option.is_list else item | None, flag_of(option)]


def flag_of(option: DeclaredOption) -> Any:
    """The flag of an option, as typer has it."""
    about = option.about
    return typer.Option(
        *filter(None, (option.flag, about.short)),
        metavar=about.metavar or "|".join(about.choices) or _METAVARS.get(option.item),
        envvar=option.variable,
        help=option.help,
        show_default=option.default is not False and (option.default_text or False),
    )


EnvironmentFolder = Annotated[Path | None, flag_of(declared_options()["environment"])]


def over_the_file(flags: Mapping[str, Any], file: RunOptions) -> RunOptions:
    """A flag, or its variable, over the file."""
    options = file.with_values(flags)
    if flags["rounds"] is not None and not options.repair_rounds:
        raise InputError("rounds: there are none without --strategy repair; add it, or leave --rounds out")
    return options


JuliaNames = Annotated[
    list[str] | None,
    typer.Option(
        "--julia",
        metavar="JULIA",
        help="Do it with this Julia: a path, or a channel of juliaup such as 1.10; repeat it to compare.",
    ),
]


def julias_named(names: Sequence[str]) -> list[JuliaInstall]:
    """All of them, before anything runs: a wrong name costs no time. One that is named twice comes once."""
    from ..judge.toolchain.find import named_julia

    settings = load_settings()
    named = [named_julia(name, settings) for name in names]
    return list({julia.launcher: julia for julia in named}.values())
