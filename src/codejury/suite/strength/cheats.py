"""Answers that know nothing of the task. A test case that lets one of them pass measures nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...records import TestCase
from .mutants import Findings

_CONSTANTS: Final = ("nothing", "0", "1", '""', "true", "false", "[]")
_MOST_EXPECTED: Final = 25
_ARGUMENTS: Final = (("the first argument", 1), ("the second argument", 2), ("the third argument", 3))


def make_cheats(test_case: TestCase, findings: Findings) -> list[tuple[str, str]]:
    """Cheats by name, as whole solutions; none where the tests use nothing that the solution defines."""
    names = _public_names(findings)
    if not names:
        return []
    cheats = [*_constants(names, findings), *_arguments(names), *_errors(names, findings)]
    if by_heart := _by_heart(names, test_case, findings):
        cheats.append(("the examples by heart", by_heart))
    return cheats


def _public_names(findings: Findings) -> list[str]:
    """What tests use and the solution defines: functions, types and macros."""
    used = {name for _, name in findings.unknown_names}
    return [name for name in dict.fromkeys(form.name for form in findings.forms) if name in used]


def _constants(names: Sequence[str], findings: Findings) -> Iterator[tuple[str, str]]:
    expected = [value for value in findings.expected if value not in _CONSTANTS]
    for value in (*_CONSTANTS, *expected[:_MOST_EXPECTED]):
        yield f"always {value}", _defining(names, value)


def _arguments(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name, number in _ARGUMENTS:
        value = f"length(args) >= {number} ? args[{number}] : nothing"
        yield (
            f"always {name}",
            _defining(names, value, f"length(args) >= {number} ? esc(args[{number}]) : nothing"),
        )


def _errors(names: Sequence[str], findings: Findings) -> Iterator[tuple[str, str]]:
    yield "always an error", _defining(names, 'error("no")', ':(error("no"))')
    for exception in findings.exceptions:
        # Each type of exception is made in its own way; the common ones take one text.
        value = f'throw(hasmethod({exception}, Tuple{{String}}) ? {exception}("no") : ErrorException("no"))'
        yield f"always {exception}", _defining(names, value, f":({value})")


def _defining(names: Sequence[str], value: str, in_macro: str | None = None) -> str:
    """Every public name as a function or macro of any arguments that gives the value."""
    return "\n".join(
        f"macro {name[1:]}(args...)\n    {in_macro or value}\nend"
        if name.startswith("@")
        else f"{name}(args...; options...) = {value}"
        for name in names
    )


def _by_heart(names: Sequence[str], test_case: TestCase, findings: Findings) -> str:
    """The solution's own results for the calls in the examples, `nothing` for all others."""
    functions = [name for name in names if not name.startswith("@")]
    # The solution is put into a module of its own, which would have its own copies of the given types.
    if not findings.calls or len(functions) < len(names) or test_case.given:
        return ""
    imports = "".join(f"using {name}\n" for name in test_case.imports)
    known = {name: [args for called, args in findings.calls if called == name] for name in functions}
    answers = "\n".join(
        f"const known_{number} = Any[{', '.join(known[name])}]\n"
        f"{name}(args...; options...) = "
        f"any(known -> isequal(known, args), known_{number}) ? LookedUp.{name}(args...; options...) : nothing"
        for number, name in enumerate(functions)
    )
    return f"{imports}module LookedUp\n{imports}{test_case.reference_solution}\nend\n{answers}\n"
