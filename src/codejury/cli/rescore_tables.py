"""How `codejury rescore` shows its plan, each move, and the sums, to a person or as JSON."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from .render import error_console, many, number, safe_text
from .stored import wide_console

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..exchange.moves import RescoreSummary
    from ..exchange.rescore import Rescored, Survey
    from ..records import Evaluation


_ARROWS: Final = {"up": ("+", "green"), "down": ("-", "red"), "new": ("*", "cyan"), "same": ("=", "dim")}


def as_row(result: Rescored, folder: Path) -> dict[str, Any]:
    """One answer as JSON."""
    from ..exchange.moves import direction

    request = result.sample.request
    return {
        "file": str(result.sample.evaluation.relative_to(folder)),
        "model": request.model,
        "task_id": f"{request.category}/{request.name}",
        "prompt_label": request.prompt_label,
        "prompt_strategy": request.prompt_strategy,
        "timestamp": result.sample.timestamp,
        "reasons": list(result.reasons),
        "moved": result.moved,
        "direction": direction(result) if result.after and not result.problem else None,
        "causes": list(result.causes),
        "before": _row(result.before),
        "after": _row(result.after),
        "written": result.written,
        "problem": result.problem,
    }


def _row(verdict: Evaluation | None) -> dict[str, Any] | None:
    from ..exchange.reasons import claim_row

    return claim_row(verdict) if verdict else None


def summary(board: RescoreSummary) -> dict[str, Any]:
    """What moved, as JSON."""
    return {
        "judged": board.judged,
        "models": {
            model: {
                "judged": tally.judged,
                "first_score": tally.first,
                "up": tally.up,
                "down": tally.down,
                "void": tally.void,
                "not_judged": tally.not_judged,
                "mean_before": tally.mean_before,
                "mean_after": tally.mean_after,
            }
            for model, tally in sorted(board.models.items())
        },
        "causes": [
            {"causes": list(causes), "direction": way, "count": count}
            for (causes, way), count in board.causes.most_common()
        ],
        "problems": dict(board.problems),
    }


def show_plan(planned: Survey, *, as_json: bool) -> None:
    """What a rescore would do."""
    if as_json:
        typer.echo(json.dumps(_plan_document(planned), indent=2))
        return
    console = wide_console()
    if planned.to_judge:
        console.print(_plan_table(planned))
    standing = planned.samples - planned.to_judge - planned.problems.total()
    stand = many(standing, "verdict", "stands", "stand")
    console.print(f"{planned.to_judge} of {many(planned.samples, 'answer')} to judge; {stand}.")
    show_problems(console, planned.problems)


def _plan_document(planned: Survey) -> dict[str, Any]:
    models: dict[str, dict[str, int]] = {}
    for (model, reason), count in sorted(planned.reasons.items()):
        models.setdefault(model, {})[reason.value] = count
    return {
        "samples": planned.samples,
        "to_judge": planned.to_judge,
        "models": models,
        "problems": dict(planned.problems),
    }


def _plan_table(planned: Survey) -> Table:
    from rich.table import Table

    from ..exchange.reasons import TOLD

    table = Table(box=None, pad_edge=False)
    table.add_column("model", overflow="fold")
    table.add_column("to judge", justify="right")
    table.add_column("because", overflow="fold")
    for model, count in sorted(planned.per_model.items()):
        reasons = {reason: n for (name, reason), n in sorted(planned.reasons.items()) if name == model}
        told = ", ".join(f"{n} {TOLD[reason]}" for reason, n in reasons.items())
        table.add_row(safe_text(model, one_line=True), str(count), told)
    return table


def tell_plan(planned: Survey) -> None:
    """One line on stderr: how many answers are judged, and why."""
    from ..exchange.reasons import TOLD

    totals: Counter[str] = Counter()
    for (_, reason), count in planned.reasons.items():
        totals[TOLD[reason]] += count
    told = ", ".join(f"{count} {reason}" for reason, count in totals.most_common())
    error_console().print(
        f"{planned.to_judge} of {many(planned.samples, 'answer')} to judge" + (f": {told}" if told else "")
    )


def show_move(console: Console, result: Rescored, folder: Path) -> None:
    """`+ 0 -> 100  text/wrap_words/gpt-x/evaluation__...json  definition changed`."""
    from rich.text import Text

    from ..exchange.moves import direction
    from ..exchange.reasons import TOLD

    mark, style = _ARROWS[direction(result)]
    before, after = points(result.before), points(result.after)
    file = safe_text(str(result.sample.evaluation.relative_to(folder)), one_line=True)
    why = ", ".join(TOLD[cause] for cause in result.causes)
    text = Text.assemble((f"{mark} {before} -> {after}", style), f"  {file}  ", (why, "dim"))
    console.print(text, soft_wrap=True)


def points(verdict: Evaluation | None) -> str:
    """The score for a person: `87.5`, `void`, or `none` where there was no verdict."""
    if verdict is None:
        return "none"
    return "void" if verdict.score is None else number(verdict.score)


def show_board(console: Console, board: RescoreSummary, *, untouched: int) -> None:
    """What moved, per model and per cause."""
    if board.judged:
        console.print(_models_table(board), "")
    if board.causes:
        console.print(_causes_table(board), "")
    console.print(f"{board.judged} judged again, {untouched} left as they are.")
    show_problems(error_console(), board.problems)


def _models_table(board: RescoreSummary) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("model", overflow="fold")
    for heading in ("judged", "first score", "up", "down", "void", "mean before", "mean after"):
        table.add_column(heading, justify="right")
    for model, tally in sorted(board.models.items()):
        means = [mean(tally.mean_before), mean(tally.mean_after)]
        counts = [str(n) for n in (tally.judged, tally.first, tally.up, tally.down, tally.void)]
        table.add_row(safe_text(model, one_line=True), *counts, *means)
    return table


def mean(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"


def _causes_table(board: RescoreSummary) -> Table:
    from rich.table import Table

    from ..exchange.reasons import TOLD

    table = Table(box=None, pad_edge=False)
    for heading in ("moved", "way"):
        table.add_column(heading, justify="right" if heading == "moved" else "left")
    table.add_column("because", overflow="fold")
    for (causes, way), count in board.causes.most_common():
        table.add_row(str(count), way, ", ".join(TOLD[cause] for cause in causes))
    return table


def show_problems(console: Console, problems: Counter[str]) -> None:
    """Why answers were not judged, and how many of them."""
    for problem, count in problems.most_common():
        many = "1 answer" if count == 1 else f"{count} answers"
        console.print(f"{many} not judged: {safe_text(problem)}", style="yellow", soft_wrap=True)
