"""Each model's scores under several prompts: one row for each model, one mark for each prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from .captions import Caption
from .heat import heat_map
from .names import by_name
from .style import OKABE_ITO, SHAPES, Picture, Rows, data, finished, need_columns, step_for, title
from .words import describe

if TYPE_CHECKING:
    import polars

_HEADING: Final = "Score by model and prompt"
_MOST_PROMPTS: Final = 7
"""More shapes than these cannot be told apart; then it is a heat map."""


def prompt_comparison(pivoted: polars.DataFrame, caption: Caption | None = None) -> Picture:
    """Draw a pivot of models by prompts: how much the prompt matters to whom. Best model on top."""
    need_columns(pivoted, (), "prompt comparison")
    if len(pivoted.columns) - 1 > _MOST_PROMPTS:
        return heat_map(pivoted, caption, heading=_HEADING)
    rows, order, prompts = _marks(pivoted)
    y = alt.Y(
        "name:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, grid=True, labelPadding=6)
    )
    x = alt.X("score:Q", title="Mean score (points of 100)", scale=alt.Scale(domain=[0, 100], nice=False))
    base = alt.Chart(data(rows)).encode(y=y)
    legend = alt.Legend(title="Prompt", orient="top", direction="horizontal", columns=4)
    colours, shapes = list(OKABE_ITO[: len(prompts)]), list(SHAPES[: len(prompts)])
    chart = alt.layer(
        base.mark_rule(color="#B5B5B5", strokeWidth=2).encode(x=alt.X("min(score):Q"), x2="max(score):Q"),
        base.mark_point(size=60, filled=True, opacity=0.9).encode(
            x=x,
            color=alt.Color("prompt:N", scale=alt.Scale(domain=prompts, range=colours), legend=legend),
            shape=alt.Shape("prompt:N", scale=alt.Scale(domain=prompts, range=shapes), legend=legend),
            tooltip=["name:N", "prompt:N", alt.Tooltip("score:Q", format=".1f")],
        ),
    ).properties(
        width=520,
        height=alt.Step(step_for(len(order))),
        title=title(_HEADING, "One mark for each prompt; the line spans them.", caption or Caption()),
    )
    return finished(chart, describe("prompts", pivoted))


def _marks(pivoted: polars.DataFrame) -> tuple[Rows, list[str], list[str]]:
    label, *names = pivoted.columns
    prompts = by_name(names)
    models = by_name([str(name) for name in pivoted[label].to_list()])
    rows: Rows = []
    means: dict[str, float] = {}
    for row in pivoted.iter_rows():
        known = {name: value for name, value in zip(names, row[1:], strict=True) if value is not None}
        shown = models[str(row[0])]
        means[shown] = sum(known.values()) / len(known) if known else 0.0
        rows += [{"name": shown, "prompt": prompts[name], "score": value} for name, value in known.items()]
    return rows, sorted(means, key=lambda name: -means[name]), list(prompts.values())
