"""`codejury prompts`: which templates there are; `codejury prompts show`: one of them filled in."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .render import output_console, safe_text

if TYPE_CHECKING:
    from ..prompts.template import Template
    from ..records import Prompt


app = typer.Typer(
    add_completion=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Folders = Annotated[
    list[Path] | None,
    typer.Option("--prompt-dir", metavar="DIR", help="A folder of your own templates; repeatable."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@app.callback(invoke_without_command=True)
def prompts(context: typer.Context, folders: Folders = None, as_json: AsJson = False) -> None:
    """List the prompt templates, or show one filled in for a test case.

    Example: codejury prompts --prompt-dir my_prompts
    """
    if context.invoked_subcommand:
        context.obj = (folders or [], as_json)  # `codejury prompts --json show ...` means the same
        return
    from ..prompts.load import load_templates

    templates = load_templates(*(folders or []))
    if as_json:
        _print_json([_as_row(template) for template in templates.values()])
    else:
        _print_table(templates.values())


@app.command()
def show(
    context: typer.Context,
    label: Annotated[str, typer.Argument(metavar="LABEL", help="A template, such as JuliaExpertAsk.")],
    test_case: Annotated[
        str, typer.Argument(metavar="TEST_CASE", help="A bundled test case's name, or a definition's path.")
    ],
    folders: Folders = None,
    as_json: AsJson = False,
) -> None:
    """Show what a model is sent under LABEL for TEST_CASE.

    Example: codejury prompts show JuliaExpertAsk my_cases/count_vowels/definition.toml
    """
    from ..prompts.load import find_template, load_templates
    from ..prompts.template import render
    from .evaluate import find_test_case
    from .stored import julia_in_use

    earlier_folders, earlier_json = context.obj or ([], False)
    template = find_template(load_templates(*earlier_folders, *(folders or [])), label)
    named = "julia" in template.placeholders
    prompt = render(template, find_test_case(test_case), julia=julia_in_use() if named else "")
    if as_json or earlier_json:
        _print_json(_as_document(prompt))
    else:
        _print_messages(prompt)


def _as_row(template: Template) -> dict[str, Any]:
    return {
        "label": template.label,
        "version": template.version,
        "description": template.description,
        "placeholders": list(template.placeholders),
        "hash": template.hash,
        "file": str(template.origin),
        "system": template.system,
        "user": template.user,
    }


def _as_document(prompt: Prompt) -> dict[str, Any]:
    return {
        "label": prompt.label,
        "messages": [{"role": message.role, "content": message.content} for message in prompt.messages],
        "variables": dict(prompt.variables),
        "template_hash": prompt.template_hash,
        "template_version": prompt.template_version,
    }


def _print_json(document: Any) -> None:
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))


def _print_table(templates: Iterable[Template]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("label", no_wrap=True, style="bold")
    table.add_column("version", no_wrap=True)
    table.add_column("hash", no_wrap=True)
    table.add_column("what a model gets", overflow="fold")
    for template in templates:
        table.add_row(template.label, template.version, template.hash[:8], safe_text(template.description))
    output_console().print(table)


def _print_messages(prompt: Prompt) -> None:
    """The messages as they are sent, each under its role: to be read, and to be copied."""
    for message in prompt.messages:
        typer.secho(f"--- {message.role} ---", bold=True)
        typer.echo(f"{safe_text(message.content)}\n")
    typer.secho(f"template {prompt.label} {prompt.template_version}, hash {prompt.template_hash}", dim=True)
