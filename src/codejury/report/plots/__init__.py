"""Pictures of results: tables in, altair charts out. Nothing here computes a statistic or reads a file.

altair takes a while to import and is an extra, so all of this is loaded when a name is first asked for.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from ...errors import CodejuryError
from .alt_text import CHART_KINDS, describe
from .captions import Caption, caption_of

if TYPE_CHECKING:
    from .by_parameter import prompt_comparison, score_by_parameter
    from .failures import failure_chart
    from .heat_map_chart import heat_map
    from .ranking_chart import ranking
    from .save import ENDINGS, save_chart
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
    "ENDINGS": "save",
    "failure_chart": "failures",
    "heat_map": "heat_map_chart",
    "prompt_comparison": "by_parameter",
    "ranking": "ranking_chart",
    "save_chart": "save",
    "score_against": "trade_offs",
    "score_by_parameter": "by_parameter",
}


def __getattr__(name: str) -> Any:
    """Load the module of a chart; say what to install if altair is not there."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import_module(f".{_HOMES[name]}", __name__)
    except ModuleNotFoundError as exc:
        if exc.name not in ("altair", "vl_convert"):
            raise
        raise CodejuryError(
            f"pictures need {exc.name}, which is not installed; run: pip install 'codejury[plots]'"
        ) from exc
    _bind()
    return globals()[name]


def _bind() -> None:
    """Names of what is loaded. Importing has put modules here, and some have the name of their function."""
    for name, home in _HOMES.items():
        module = sys.modules.get(f"{__name__}.{home}")
        if module is not None:
            globals()[name] = getattr(module, name)
