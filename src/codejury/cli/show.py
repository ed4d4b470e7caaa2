"""`codejury show`: one stored answer, as it was given and as it was judged.

What is shown was written by a model, so it goes through `answer_text`: nothing in it can steer the terminal,
and nothing in it is hidden.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..errors import InputError
from ..program import command
from .answer_text import answer_text
from .render import number, output_console, safe_text, show_evaluation, tell_notes, tell_suite
from .stored import Definitions

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from ..records import Evaluation, TestCase
    from ..store.samples import Conversation, StoredEvaluation


_KINDS: Final = ("conversation", "evaluation", "superseded")
_DETAILS: Final = ("experiment", "parameters", "seed", "sample", "round", "tokens", "cost", "elapsed_seconds")


def show(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="An evaluation, a conversation or a superseded evaluation.")
    ],
    definitions: Definitions = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print both files as one JSON object.")] = False,
) -> None:
    """Show a stored answer: the conversation, the code that was judged, and the verdict on each block.

    Give either of its two files; the other one is looked for beside it.
    """
    stored = find_stored(file)
    if as_json:
        typer.echo(json.dumps(as_document(stored), indent=2))
        return
    console = output_console()
    _show_head(console, stored)
    _show_conversation(console, stored.conversation)
    _show_verdict(console, stored, definitions)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFiles:
    """The files of one answer; either can be missing."""

    folder: Path
    conversation: Conversation | None
    judged: Path
    """Its evaluation file, if there is one."""
    evaluation: StoredEvaluation | None


def find_stored(file: Path) -> ShownFiles:
    """Read a file of the contract and the one beside it; InputError if the one named cannot be read."""
    from ..store.names import SampleName
    from ..store.read import read_conversation, read_evaluation

    kind, _, tail = file.name.partition("__")
    of_a_julia = kind.startswith("julia-")  # julia-1.10.4__<name>.json: see store/by_julia.py
    if kind not in _KINDS and not of_a_julia:
        raise InputError(f"{file}: is no stored answer; its name must begin with {', '.join(_KINDS)}")
    if kind == "superseded":  # superseded__<name>.<n>.json
        tail = f"{tail.removesuffix('.json').rpartition('.')[0]}.json"
    SampleName.parse(f"evaluation__{tail}")
    asked = file.with_name(f"conversation__{tail}")
    judged = file if kind == "superseded" or of_a_julia else file.with_name(f"evaluation__{tail}")
    return ShownFiles(
        folder=file.parent,
        conversation=read_conversation(asked) if kind == "conversation" or asked.exists() else None,
        judged=judged,
        evaluation=read_evaluation(judged) if kind != "conversation" or judged.exists() else None,
    )


def as_document(stored: ShownFiles) -> dict[str, Any]:
    """Both files as JSON."""
    from ..store.read import evaluation_json

    messages = stored.conversation.messages if stored.conversation else ()
    return {
        "conversation": [{"role": each.role, "content": each.content} for each in messages] or None,
        "evaluation": evaluation_json(stored.judged) if stored.evaluation else None,
    }


def _show_head(console: Console, stored: ShownFiles) -> None:
    """Who was asked what, and how."""
    from rich.text import Text

    facts = _facts(stored)
    if not facts:
        return
    names = (facts["model"], f"{facts['prompt_label']} {facts['prompt_strategy']}", facts["timestamp"])
    console.print(Text(safe_text("   ".join(names), one_line=True), style="bold"))
    details = [
        f"{name} {_short(facts[name])}" for name in _DETAILS if facts.get(name) not in (None, "", {}, 0)
    ]
    console.print(Text(safe_text("   ".join(details), one_line=True), style="dim"))


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _facts(stored: ShownFiles) -> dict[str, Any]:
    """What the files say of the request; {} for a conversation of the predecessor on its own."""
    from dataclasses import asdict

    from ..store.convert import evaluation_dict

    if stored.evaluation:
        facts = evaluation_dict(stored.evaluation)
        return facts | {"tokens": list(facts["tokens"])}
    if stored.conversation and stored.conversation.request:
        return {**asdict(stored.conversation.request), "timestamp": stored.conversation.timestamp}
    return {}


def _show_conversation(console: Console, conversation: Conversation | None) -> None:
    from rich.rule import Rule

    if conversation is None:
        console.print("There is no conversation beside it.", style="yellow")
        return
    said = iter(conversation.completions)
    for message in conversation.messages:
        thought = next(said).reasoning if message.role == "assistant" else ""
        if thought:
            console.print(Rule("reasoning, not judged", align="left", style="dim"))
            console.print(answer_text(thought), style="dim")
        console.print(Rule(message.role, align="left", style="bold"))
        console.print(answer_text(message.content))
    console.print(Rule("verdict", align="left", style="bold"))


def _show_verdict(console: Console, stored: ShownFiles, definitions: Path | None) -> None:
    from ..exchange.reasons import claim_text

    if stored.evaluation is None:
        console.print("Not judged yet.", style="yellow")
        return
    record = stored.evaluation.evaluation
    if record.by_predecessor:
        console.print(claim_text(record))
        console.print(f"The predecessor judged it, and kept no more than that: `{command('rescore')}` does.")
        return
    if record.execution:
        main = next(iter(record.execution.blocks), None)
        _show_code(console, record.execution.extraction.code, main.line if main else None)
    found = _test_case(stored, definitions)
    if isinstance(found, str):
        _show_without_definition(console, record, found)
    else:
        show_evaluation(console, record, found)


def _show_code(console: Console, code: str, failing: int | None) -> None:
    """The code that was run, with the numbers that errors name; the failing line marked."""
    from rich.syntax import Syntax
    from rich.text import Text

    if not code.strip():
        return
    highlighted: Text = Syntax("", "julia", theme="ansi_dark").highlight(safe_text(code.rstrip()))
    highlighted.rstrip()
    for line_number, line in enumerate(highlighted.split("\n"), start=1):
        mark = ("> ", "bold red") if line_number == failing else "  "
        console.print(Text.assemble(mark, (f"{line_number:>3} ", "dim"), line), soft_wrap=True)
    console.print()


def _test_case(stored: ShownFiles, definitions: Path | None) -> TestCase | str:
    """The definition it was judged by, or why it is not at hand."""
    from ..exchange.case_lookup import CaseLookup
    from ..judge.score import definition_hash
    from ..store.samples import Request

    facts = _facts(stored)
    request = Request(category=facts["category"], name=facts["name"], model=facts["model"], prompt_label="")
    try:
        lookup = CaseLookup(_definition_files(stored.folder, definitions))
        test_case = lookup.find(request)
    except InputError as exc:
        return str(exc)
    tell_notes(lookup.notes())
    changed = definition_hash(test_case) != facts["definition_hash"]
    return f"{test_case.path} has changed since it was judged" if changed else test_case


def _definition_files(folder: Path, definitions: Path | None) -> list[Path]:
    """The definition in a folder above the answer, else those of the suite in use."""
    from ..suite.suite import find_definitions

    if definitions is not None:
        return find_definitions(definitions)
    above = (place / "definition.toml" for place in folder.absolute().parents)
    nearest = next((file for file in above if file.is_file()), None)
    return [nearest] if nearest else find_definitions(tell_suite())


def _show_without_definition(console: Console, evaluation: Evaluation, why: str) -> None:
    """The verdict alone: without the definition, nobody can say what a test was."""
    from rich.text import Text

    for block in evaluation.execution.blocks if evaluation.execution else ():
        said = ": ".join(part for part in (block.error_type, block.message.strip()) if part)
        line = f"{block.kind.replace('_', ' ')} {block.index + 1}: {block.ending.replace('_', ' ')}"
        console.print(Text(f"{line}  {safe_text(said, one_line=True)}".rstrip()))
    score = evaluation.score
    points = safe_text(evaluation.void_reason) if score is None else f"{number(score)} of 100 points"
    console.print(Text(f"{evaluation.outcome.upper()}  {points}", style="bold"))
    console.print(Text(f"The definition is not shown: {safe_text(why)}", style="yellow"))
