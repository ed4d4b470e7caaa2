"""The store: two JSON files for each answer, in a layout that is a contract (docs/files.md).

<root>/<category>/<test_case>/<model>/conversation__<PROMPT>__<STRATEGY>__<TIMESTAMP>.json   first
<root>/<category>/<test_case>/<model>/evaluation__<PROMPT>__<STRATEGY>__<TIMESTAMP>.json     after
<root>/<category>/<test_case>/<model>/superseded__<PROMPT>__<STRATEGY>__<TIMESTAMP>.<n>.json
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .read import read_conversation as read_conversation
    from .read import read_evaluation as read_evaluation
    from .scan import find_samples as find_samples

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "read": ("read_conversation", "read_evaluation"),
        "scan": ("find_samples",),
    },
)
