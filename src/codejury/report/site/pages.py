"""HTML pages from templates: all that is put into one is escaped, and no page may run foreign script."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ... import __version__
from ...records import CANARY
from .formatting import FILTERS, counted, ranks
from .sharing import Sharing

if TYPE_CHECKING:
    from jinja2 import Environment

import hashlib
import re

HERE: Final = Path(__file__).parent
STATIC: Final = HERE / "static"

# No inline script, no eval, nothing from elsewhere, and text never becomes markup (trusted types).
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types {types}"
)
POLICY: Final = _POLICY.format(types="codejury")
# Vega needs a policy that lets it empty its box; static/pictures.js has it, and it lets nothing else pass.
POLICY_OF_PICTURES: Final = _POLICY.format(types="codejury default")

NAVIGATION: Final = (
    ("index.html", "Board"),
    ("pictures.html", "Pictures"),
    ("cases.html", "Test cases"),
    ("compare.html", "Compare"),
    ("news.html", "New"),
    ("method.html", "Method"),
)


@cache
def environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,  # a misspelt name is an error, not a gap in the page
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update({**FILTERS, "slug": slug, "markdown": markdown, "breakable": breakable})
    made.globals.update(
        version=__version__, navigation=NAVIGATION, counted=counted, ranks=ranks, sharing=Sharing()
    )
    return made


def render(template: str, context: Mapping[str, Any], *, up: str = "", policy: str = POLICY) -> str:
    """A page; `up` leads from it to the top of the site."""
    return (
        environment().get_template(template).render({**context, "up": up, "policy": policy, "canary": CANARY})
    )


def markdown(text: str) -> Any:
    """A test case's prompt as HTML. Raw HTML stays text, pictures are not loaded, links lead to the web."""
    from markupsafe import Markup

    return Markup(_markdown().render(text))


@cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "autolink"])
    made.validateLink = lambda url: url.startswith(("https://", "http://"))  # type: ignore[method-assign]
    made.add_render_rule("link_open", _open_link)
    return made


def _open_link(self: Any, tokens: Any, index: int, options: Any, env: Mapping[str, Any]) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    return str(self.renderToken(tokens, index, options, env))


def breakable(name: str) -> Any:
    """A model's name that may go on in the next line after a slash, and rather there than anywhere else."""
    from markupsafe import Markup, escape

    return Markup("/<wbr>").join(escape(part) for part in name.split("/"))


# ---- Names in addresses. A model's name is anybody's text; an address of the site is not.

_PLAIN: Final = re.compile(r"[a-z0-9_][a-z0-9_.-]{0,79}")
_MARKED: Final = re.compile(r".*-[0-9a-f]{8}")
_READABLE: Final = 60


def slug(name: str) -> str:
    """A name as one part of an address: the same every time, and no two names alike.

    What had to be changed carries eight digits of a hash. A plain name that looks as if it did gets them
    too, or it could pass for another's.
    """
    if _PLAIN.fullmatch(name) and not _MARKED.fullmatch(name) and not name.endswith("."):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    readable = re.sub(r"[^a-z0-9_]+", "-", name.lower())[:_READABLE].strip("-")
    return f"{readable}-{digest}" if readable else f"x-{digest}"
