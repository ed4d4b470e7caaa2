"""Where points are lost: one kind of failure for each evaluation that lost some, and tables of them.

kinds.py         the kinds, in order of precedence, and what a failure is
evidence.py      a row of the frame or an evaluation file -> the facts the rules look at
code_text.py     code as text: without strings, which language it looks like
python_isms.py   habits of Python in Julia code
packages.py      undefined names: a package that is missing, an import forgotten, an older Julia
answers.py       what an answer holds besides the code that was judged
blocks.py        one block that went wrong -> its kind
classify.py      all of it in order -> the failure
table.py         a frame -> classified failures, tables by model, void reasons
"""

from .classify import classify
from .kinds import LABELS, Failure, Kind
from .table import classified, failure_table, spread_out, summarised, void_table

__all__ = [
    "LABELS",
    "Failure",
    "Kind",
    "classified",
    "classify",
    "failure_table",
    "spread_out",
    "summarised",
    "void_table",
]
