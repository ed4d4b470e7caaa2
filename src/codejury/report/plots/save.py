"""A chart -> a file. The ending says which kind; nothing is fetched from anywhere, also not by the HTML."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

import vl_convert

from ...errors import InputError
from ...files import overwrite

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
    content = _WRITERS[ending](chart.to_dict(validate=False))  # tests validate all charts
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
    try:
        overwrite(target, content)
    except OSError as exc:
        raise InputError(f"{target}: cannot be written: {exc.strerror}") from exc


_WRITERS: Final[Mapping[str, Callable[[dict[str, Any]], bytes]]] = {
    ".png": _png,
    ".svg": _svg,
    ".html": _html,
    ".json": _json,
}
ENDINGS: Final = tuple(_WRITERS)


# ---- A chart as a page of its own: scripts inside, nothing fetched, and nothing in the data can become ma

# Vega compiles its expressions, hence unsafe-eval; with no other source allowed there is nothing to fetch.
_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline';"
    " img-src data: blob:"
)
_PAGE: Final = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 1rem; font-family: sans-serif; color: #222 }}
figure {{ margin: 0; overflow-x: auto }}
</style>
</head>
<body>
<figure>
<div id="picture" role="img" aria-label="{words}"></div>
<figcaption>{words}</figcaption>
</figure>
<script>{scripts}</script>
<script>vegaEmbed("#picture", {spec}, {options});</script>
</body>
</html>
"""
_OPTIONS: Final = {
    "renderer": "svg",
    "actions": {"export": True, "source": False, "compiled": False, "editor": False},
}


def page_of(spec: dict[str, Any]) -> str:
    """Return the page of a chart."""
    return _PAGE.format(
        policy=_POLICY,
        title=escape(spec["title"]["text"]),
        words=escape(spec.get("description", "")),
        scripts=_scripts(),
        spec=script_json(spec),
        options=script_json(_OPTIONS),
    )


def script_json(value: Any) -> str:
    """Return JSON that can stand in a script: no `<`, so neither `</script>` nor `<!--`."""
    text = json.dumps(value, ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _scripts() -> str:
    """Vega, Vega-Lite and Vega-Embed in one; vl-convert takes a second or two to put them together."""
    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
