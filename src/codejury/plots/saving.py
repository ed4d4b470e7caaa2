"""A chart -> a file. The ending says which kind; nothing is fetched from anywhere, also not by the HTML."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

import vl_convert

from ..errors import InputError
from .page import page_of

_SCALE: Final = 2.0
"""Pixels of a PNG for each of the picture's own: sharp on screens with small pixels, and in print."""


def save_chart(chart: Any, path: Path | str) -> Path:
    """Write a chart as `.png`, `.svg`, `.html` or `.json`; InputError for another ending.

    The HTML holds the scripts it needs, and works without a network. The JSON is the Vega-Lite specification.
    """
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in _WRITERS:
        raise InputError(
            f"{target}: a picture is saved as {', '.join(ENDINGS)}, told by the ending of its name"
        )
    content = _WRITERS[ending](chart.to_dict())
    _write(target, content)
    return target


def _png(spec: dict[str, Any]) -> bytes:
    return vl_convert.vegalite_to_png(spec, scale=_SCALE)


def _svg(spec: dict[str, Any]) -> bytes:
    return vl_convert.vegalite_to_svg(spec).encode("utf-8")


def _html(spec: dict[str, Any]) -> bytes:
    return page_of(spec).encode("utf-8")


def _json(spec: dict[str, Any]) -> bytes:
    return json.dumps(spec, ensure_ascii=False, indent=1).encode("utf-8")


def _write(target: Path, content: bytes) -> None:
    """Write beside it, then move: a reader sees the old picture or the new one."""
    try:
        with NamedTemporaryFile(dir=target.parent, prefix=".codejury-", delete=False) as beside:
            beside.write(content)
        Path(beside.name).chmod(0o666 & ~_umask())
        Path(beside.name).replace(target)
    except OSError as exc:
        raise InputError(f"{target}: cannot be written: {exc.strerror}") from exc


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


_WRITERS: Final[Mapping[str, Callable[[dict[str, Any]], bytes]]] = {
    ".png": _png,
    ".svg": _svg,
    ".html": _html,
    ".json": _json,
}
ENDINGS: Final = tuple(_WRITERS)
