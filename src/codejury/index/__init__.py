"""From stored evaluations to a table: one row for each file, columns by contract (columns.py).

loading.py      load_evaluations, load_results: what is known already, and the rest read
walking.py      which files there are, and the marks by which a change is seen
shelf.py        the index in the user's cache: never needed, never believed without proof
reading.py      files -> rows, and the reasons why some have none
contents.py     the bytes of many small files
stored.py       one file, decoded strictly
rows.py         decoded files -> columns, and what follows from them
categories.py   the category where only the path says it
parameters.py   sampling parameters as columns
"""

from .loading import BrokenFile, Results, load_evaluations, load_results

__all__ = ["BrokenFile", "Results", "load_evaluations", "load_results"]
