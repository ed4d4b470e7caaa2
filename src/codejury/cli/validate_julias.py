"""`codejury validate --julia A --julia B`: the same definitions on several Julias, and where they differ."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..options import JudgeOptions
from ..records import Packages
from .option_flags import julias_named
from .progress import progress
from .render import output_console, safe_text, shown_path
from .validate import as_document, exit_code, show

if TYPE_CHECKING:
    from ..judge.judge import Judge
    from ..judge.toolchain.julia import JuliaInstall
    from ..suite.validation_report import ValidationReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How definitions are checked, whichever Julia does it."""

    paths: Sequence[Path]
    judging: JudgeOptions
    repeats: int

    def reports(self, julia: JuliaInstall) -> list[ValidationReport]:
        """All definitions on one Julia."""
        from ..suite.validate import validate_all

        with progress(f"solutions run by Julia {julia.version}", None) as status:

            def start(runs: int, packages: Packages) -> Judge:
                status.judge = judge = self._judge(julia, runs, packages)
                return judge

            return validate_all(
                self.paths, start_judge=start, repeats=self.repeats, on_progress=status.update
            )

    def _judge(self, julia: JuliaInstall, runs: int, packages: Packages) -> Judge:
        from ..judge.backends import open_judge

        return open_judge(self.judging, answers=runs, packages=packages, julia=julia.launcher)


def validate_on_each(names: Sequence[str], course: Course, *, strict: bool, as_json: bool) -> int:
    """Check on one Julia after the other, tell, and return the exit code: the worst of all."""
    julias = julias_named(names)
    found = {}
    environment = course.judging.environment
    for julia in julias:
        label = f"Julia {julia.version} ({julia.launcher})"
        found[label] = course.reports(julia)
        if not as_json:
            output_console().print(f"{label}:", style="bold", soft_wrap=True)
            show(found[label], environment=environment, julia=julia.launcher)
    if as_json:
        typer.echo(json.dumps(_document(julias, found, strict=strict), indent=2, ensure_ascii=False))
    else:
        _show_differences(found)
    return max(exit_code(reports, strict=strict) for reports in found.values())


def differences(found: Mapping[str, Sequence[ValidationReport]]) -> dict[Path | None, dict[str, str]]:
    """The definitions that do not fare alike: by file, how each Julia found it."""
    fates: dict[Path | None, dict[str, str]] = {}
    for label, reports in found.items():
        for report in reports:
            fates.setdefault(report.path, {})[label] = report.status.value
    return {path: fate for path, fate in fates.items() if len(set(fate.values())) > 1}


def _show_differences(found: Mapping[str, Sequence[ValidationReport]]) -> None:
    console = output_console()
    differing = differences(found)
    if not differing:
        console.print("All definitions fare alike on all of them.", style="bold")
    for path, fate in differing.items():
        told = ", ".join(f"{status} on {label}" for label, status in fate.items())
        console.print(f"{safe_text(str(shown_path(path)))}: {told}", style="bold", soft_wrap=True)


def _document(
    julias: Sequence[JuliaInstall], found: Mapping[str, Sequence[ValidationReport]], *, strict: bool
) -> dict[str, Any]:
    documents = [as_document(reports, strict=strict) for reports in found.values()]
    return {
        "valid": all(document["valid"] for document in documents),
        "julias": [
            {"version": julia.version, "launcher": str(julia.launcher), **document}
            for julia, document in zip(julias, documents, strict=True)
        ],
        "differ": {str(path): fate for path, fate in differences(found).items()},
    }
