"""`codejury new`: start a test case."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from ..errors import InputError
from ..program import command
from ..records import TaskKind
from .evaluate import find_test_case
from .render import safe_text, shown_path

_MOST_TRIED: Final = 120
_MOST_SHOWN: Final = 10


def new(
    target: Annotated[
        str, typer.Argument(metavar="CATEGORY/NAME", help="Such as text_processing/count_vowels.")
    ],
    root: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="The folder of the suite.",
            show_default="the suite that this folder is in, else code_generation here",
        ),
    ] = None,
    new_category: Annotated[
        bool, typer.Option("--new-category", help="Start a category that the suite does not have.")
    ] = False,
    contributor: Annotated[str, typer.Option(help="Who writes this test case.")] = "",
    prompt: Annotated[
        str, typer.Option("--task", help="The task, as a model reads it; mentions the name.")
    ] = "",
    solution: Annotated[
        Path | None, typer.Option(metavar="FILE.jl", help="A Julia file with the reference solution.")
    ] = None,
    imports: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="NAME", help="A Julia package to load; repeatable."),
    ] = None,
    kind: Annotated[TaskKind, typer.Option(help="What the task asks for.")] = TaskKind.WRITE,
    origin: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="CASE",
            help="With --kind fix: the test case whose solution gets a subtle fault.",
        ),
    ] = "",
    fault: Annotated[
        int, typer.Option(metavar="N", min=1, help="With --from: which of the proposed faults.")
    ] = 1,
    seed: Annotated[int, typer.Option(min=0, help="With --from: for the sample of faults.")] = 0,
) -> None:
    """Write a new definition with comments and blanks to fill in. Nothing is ever overwritten.

    What an option gives is filled in; `codejury validate` names the blanks that are left. A category can be
    spelt as `codejury suite` lists it, or in any other way.
    """
    from ..suite.new import SCHEMA_COPY, scaffold, suite_around
    from ..suite.validate import validate_definition

    folder = root or Path(shown_path(suite_around(Path.cwd())))
    target = _in_category(target, folder, new_category=new_category)
    had_schema = (folder / SCHEMA_COPY).exists()
    if origin:
        if kind is not TaskKind.FIX or prompt or solution or imports:
            raise InputError(
                "--from makes a task of --kind fix, with the tests and the solution of that case"
            )
        file = _from_case(target, origin, fault, seed, folder, contributor)
    else:
        file = scaffold(
            target,
            root=folder,
            contributor=contributor,
            prompt=prompt,
            solution=_read_solution(solution) if solution else "",
            imports=imports or (),
            kind=kind,
        )
    typer.echo(f"Wrote {file}")
    if not had_schema:
        typer.echo(f"Wrote {folder / SCHEMA_COPY}: editors complete and check the fields by it; keep it")
    typer.echo("\nWhat is left to do:")
    for problem in validate_definition(file, run=False).problems:
        typer.echo(f"  {problem.field}: {problem.what}")
    typer.echo("\nThen check it; this goes on until Ctrl-C, and looks again whenever you save:")
    typer.echo(f"  {command('validate', str(file.parent), '--watch')}")


def _in_category(target: str, root: Path, *, new_category: bool) -> str:
    """The target with its category as the suite spells it; one that may be misspelt is asked about."""
    from ..suite.new import categories_of, same_category, similar_category
    from ..suite.suite import bundled_suite

    category, slash, name = target.rpartition("/")
    known, bundled = categories_of(root), categories_of(bundled_suite())
    if not slash or category in known or new_category:
        return target
    if meant := same_category(category, [*known, *bundled]):
        return f"{meant}/{name}"
    similar = similar_category(category, known or bundled)  # a suite that begins here has none of its own
    if not similar:
        return f"{category.replace(' ', '_')}/{name}"
    asked = f"{root} has no category {category!r}; did you mean {similar}?"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(f"{asked} Name that one, or start a category of your own with --new-category")
    meant = similar if typer.confirm(asked, err=True, default=True) else category.replace(" ", "_")
    return f"{meant}/{name}"


def _from_case(target: str, origin: str, number: int, seed: int, root: Path, contributor: str) -> Path:
    """A task to fix a solution: shows the subtlest faults, and writes the one that was asked for."""
    from ..judge.judge import Judge
    from ..suite.new import scaffold_fix
    from ..suite.strength.faults import subtle_faults
    from ..suite.strength.mutants import find_mutants
    from ..suite.suite import packages_of
    from .render import error_console

    case = find_test_case(origin)
    (findings,) = find_mutants([case])
    with Judge(packages=packages_of([case])) as judge, error_console().status("Trying faults") as status:
        faults = subtle_faults(
            case,
            findings,
            judge.execute_code,
            most=_MOST_TRIED,
            seed=seed,
            on_progress=lambda done, of: status.update(f"Trying faults: {done} of {of}"),
        )
    if number > len(faults):
        raise InputError(
            f"{origin}: there are {len(faults)} faults that its tests notice; --fault {number} is none"
        )
    typer.echo(f"Faults in the solution of {case.name} that its {len(case.unit_tests)} unit tests notice:")
    for place, one in enumerate(faults[:_MOST_SHOWN], start=1):
        chosen = "->" if place == number else "  "
        about = f"line {one.mutant.line}, {one.mutant.operator}"
        typer.echo(f"{chosen} {place}  noticed by {len(one.noticed_by)}, {about}")
        for sign, lines in (("-", one.mutant.before), ("+", one.mutant.after)):
            for line in lines:
                typer.echo(f"       {sign} {safe_text(line, one_line=True)}")
    given = (
        "\n\n".join(part.strip("\n") for part in (case.given, faults[number - 1].mutant.code) if part) + "\n"
    )
    return scaffold_fix(target, case, given, root=root, contributor=contributor)


def _read_solution(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as exc:
        raise InputError(f"{path}: cannot be read: {exc.strerror}; name a Julia file") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8; save it as UTF-8") from None
    return text.replace("\r\n", "\n")
