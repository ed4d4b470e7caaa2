"""Prompts: templates as data files, filled in for one test case and hashed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .load import find_template as find_template
    from .load import load_templates as load_templates
    from .template import Template as Template
    from .template import render as render

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "load": ("find_template", "load_templates"),
        "template": ("Template", "render"),
    },
)
