"""A chart as a page of its own: scripts inside, nothing fetched, and nothing in the data can become markup.

vl-convert's own pages put the data into the script as it is: a model called `</script>...` could run code.
"""

from __future__ import annotations

import json
from functools import cache
from html import escape
from typing import Any, Final

import vl_convert

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
