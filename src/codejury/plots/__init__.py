"""Pictures of results: tables in, altair charts out. Nothing here computes a statistic or reads a file.

captions.py       what a picture is about: how many answers and test cases, which Julia, whose data
names.py          names that fit, and stay different
style.py          palettes, sizes, titles: what all pictures share
placing.py        labels beside points, without overlaps
ranks.py          ranking: scores with intervals and ranks
trade_offs.py     score against cost or time, with the Pareto front
heat.py           a table of scores as a heat map
by_prompt.py      each model's scores under several prompts
by_parameter.py   score by temperature or another parameter
lost_points.py    kinds of failure, stacked
words.py          the same in words, for those who cannot see the picture
saving.py         a chart -> PNG, SVG, HTML or JSON
page.py           the HTML: scripts inside, nothing fetched, nothing that can become markup

altair takes a while to import and is an extra, so all of this is loaded when a name is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..errors import CodejuryError
from .captions import Caption, caption_of
from .words import CHART_KINDS, describe

if TYPE_CHECKING:
    from .by_parameter import score_by_parameter
    from .by_prompt import prompt_comparison
    from .heat import heat_map
    from .lost_points import failure_chart
    from .ranks import ranking
    from .saving import ENDINGS, save_chart
    from .trade_offs import score_against

__all__ = [
    "CHART_KINDS",
    "ENDINGS",
    "Caption",
    "caption_of",
    "describe",
    "failure_chart",
    "heat_map",
    "prompt_comparison",
    "ranking",
    "save_chart",
    "score_against",
    "score_by_parameter",
]

_HOMES: Final = {
    "ENDINGS": "saving",
    "failure_chart": "lost_points",
    "heat_map": "heat",
    "prompt_comparison": "by_prompt",
    "ranking": "ranks",
    "save_chart": "saving",
    "score_against": "trade_offs",
    "score_by_parameter": "by_parameter",
}


def __getattr__(name: str) -> Any:
    """Load the module of a chart; say what to install if altair is not there."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    except ModuleNotFoundError as exc:
        if exc.name not in ("altair", "vl_convert"):
            raise
        raise CodejuryError(
            f"pictures need {exc.name}, which is not installed; run: pip install 'codejury[plots]'"
        ) from exc
