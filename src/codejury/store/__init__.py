"""The store: two JSON files for each answer, in a layout that is a contract (docs/files.md).

<root>/<category>/<test_case>/<model>/conversation__<PROMPT>__<STRATEGY>__<TIMESTAMP>.json   first
<root>/<category>/<test_case>/<model>/evaluation__<PROMPT>__<STRATEGY>__<TIMESTAMP>.json     after
<root>/<category>/<test_case>/<model>/superseded__<PROMPT>__<STRATEGY>__<TIMESTAMP>.<n>.json

names.py       file and folder names: parsed from their known ends, safe against hostile model names
formats.py     the JSON objects as TypedDicts, and the history of the format's number
samples.py     Request, Conversation, StoredSample: the records this room gives and takes
encoding.py    conversations <-> JSON objects
verdicts.py    evaluations <-> JSON objects
checking.py    what is wrong with a JSON object
atomic.py      files that appear whole or not at all
reading.py     one file -> checked JSON -> record
writing.py     record -> file; nothing is ever overwritten or lost
unfiled.py     answers that could not be written where they belong
wanted.py      what runs wanted of a folder
finding.py     a tree -> the samples in it, and those not judged yet
"""

from .atomic import remove_leftovers
from .finding import find_samples, unfinished
from .formats import PUBLISHED_KEYS, SCHEMA, EvaluationDict
from .names import SampleName
from .reading import read_conversation, read_evaluation
from .samples import Conversation, Request, StoredSample
from .unfiled import file_again, keep_unfiled
from .verdicts import evaluation_record
from .wanted import Wanted, read_wanted, record_wanted, wanted_of
from .writing import earlier_evaluations, sample_folder, write_conversation, write_evaluation

__all__ = [
    "PUBLISHED_KEYS",
    "SCHEMA",
    "Conversation",
    "EvaluationDict",
    "Request",
    "SampleName",
    "StoredSample",
    "Wanted",
    "earlier_evaluations",
    "evaluation_record",
    "file_again",
    "find_samples",
    "keep_unfiled",
    "read_conversation",
    "read_evaluation",
    "read_wanted",
    "record_wanted",
    "remove_leftovers",
    "sample_folder",
    "unfinished",
    "wanted_of",
    "write_conversation",
    "write_evaluation",
]
