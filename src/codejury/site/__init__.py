"""The site: a board people open, and every answer behind it. Static files, no server, no network.

build.py      the whole way, from stored answers to a folder of pages
world.py      what is loaded: evaluations, test cases, groups of answers
tables.py     the numbers, asked of codejury.analysis        pairing.py   every pair of models
content.py    what stands on each page                       cases.py     the same for test cases
board.py      the board's columns and views
pages.py      templates, the security policy, markdown       wording.py   numbers as people read them
pictures.py   charts, still and moving
answers.py    one stored answer for the browser              shards.py    many of them in a compressed piece
archive.py    all shards, on all processors, only what changed
output.py     the folder: whole files, nothing left over     slugs.py     names in addresses
swap.py       a build that fails leaves the old site whole
serving.py    a server for this machine, that builds again when results change

templates/    the pages          static/    the browser's side: plain JavaScript and one style sheet
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .build import Built, build_site

__all__ = ["Built", "build_site"]


def __getattr__(name: str) -> Any:
    """Load when asked for: the processes that pack answers need little of it, and start often."""
    if name in __all__:
        from . import build

        return getattr(build, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
