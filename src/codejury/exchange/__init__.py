"""Answers that come from elsewhere, and answers that go elsewhere.

lines       one line of an import: checked, and turned into what the store takes
library     what a folder holds already, so that an answer that is imported twice is stored once
importing   a file of answers -> stored conversations, judged and evaluated like all others
exporting   stored answers -> lines for bulk judging, or for training

    plan = prepare_import(answers, exam, save_dir, labels)
    for imported in run_import(plan, judge): ...

    for line in export_lines(root, Selection(form=Form.JSONL)): ...

A file that is exported as jsonl can be judged in bulk and imported again. No file is held in memory.
"""

from __future__ import annotations

from .exporting import Form, Selection, export_lines, write_lines
from .importing import Imported, ImportPlan, Status, prepare_import, run_import
from .lines import Labels

__all__ = [
    "Form",
    "ImportPlan",
    "Imported",
    "Labels",
    "Selection",
    "Status",
    "export_lines",
    "prepare_import",
    "run_import",
    "write_lines",
]
