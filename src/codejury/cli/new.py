"""`codejury new`: start a test case."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError


def new(
    target: Annotated[
        str, typer.Argument(metavar="CATEGORY/NAME", help="Such as text_processing/count_vowels.")
    ],
    root: Annotated[Path, typer.Option(file_okay=False, help="The folder of the suite.")] = Path(
        "code_generation"
    ),
    contributor: Annotated[str, typer.Option(help="Who writes this test case.")] = "",
    prompt: Annotated[str, typer.Option(help="The task, as a model reads it; mentions the name.")] = "",
    solution: Annotated[
        Path | None, typer.Option(metavar="FILE.jl", help="A Julia file with the reference solution.")
    ] = None,
    imports: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="NAME", help="A Julia package to load; repeatable."),
    ] = None,
) -> None:
    """Write a new definition with comments and blanks to fill in. Nothing is ever overwritten.

    What an option gives is filled in; `codejury validate` names the blanks that are left.

    \b
    Examples:
      codejury new text_processing/count_vowels
      codejury new dates/next_monday --contributor ada --solution next_monday.jl --import Dates
    """  # noqa: D301 - the character keeps the lines below it apart
    from ..definitions import check_definition, scaffold

    file = scaffold(
        target,
        root=root,
        contributor=contributor,
        prompt=prompt,
        solution=_read_solution(solution) if solution else "",
        imports=imports or (),
    )
    typer.echo(f"Wrote {file}\n")
    typer.echo("What is left to do:")
    for problem in check_definition(file):
        typer.echo(f"  {problem.field}: {problem.what}")
    typer.echo(f"\nThen check it:\n  codejury validate {shlex.quote(str(file))}")


def _read_solution(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as exc:
        raise InputError(f"{path}: cannot be read: {exc.strerror}; name a Julia file") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8; save it as UTF-8") from None
    return text.replace("\r\n", "\n")
