"""What the commands that work on several Julias have in common: which ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ..settings import load_settings

if TYPE_CHECKING:
    from ..judge.toolchain.julia import JuliaInstall


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
