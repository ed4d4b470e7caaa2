"""Prompts: templates as data files, filled in for one test case and hashed.

template.py    Template, the placeholders, and what makes a text of a template wrong
loading.py     TOML files -> Template; all problems of all files at once
rendering.py   Template + TestCase -> records.Prompt
templates/     the built-in templates, one file for each label
"""

from .loading import find_template, load_templates
from .rendering import render
from .template import PLACEHOLDERS, Template

__all__ = ["PLACEHOLDERS", "Template", "find_template", "load_templates", "render"]
