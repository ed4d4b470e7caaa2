"""From a model's answer to the pieces of code in it. Reads text only: nothing here runs or parses Julia.

answer -> without reasoning -> blocks of markdown -> Snippets, in order, each with its language tag

`reasoning`   what the model said to itself goes
`fences`      fenced and indented blocks: CommonMark's, but a block of Julia ends where its code does
`markup`      code between HTML tags, where nothing better is there
`languages`   what a fence's tag says
`reading`     lines of code, transcripts and prose, told apart
`lexer`       where Julia's strings and comments begin and end

Which snippets become the candidate is decided later, by Julia's own parser; blocks of other languages are
handed on with their tag. All who look at answers read them here: the judge, `errors`, `show` and the site.
"""

from __future__ import annotations

from .fences import Block, end_blocks_as_julia_does
from .languages import JULIA, language_of
from .reading import quoted_commands
from .reasoning import without_reasoning
from .snippets import bare_code, extended_spans, fenced_blocks, find_snippets, is_julia

__all__ = [
    "JULIA",
    "Block",
    "bare_code",
    "end_blocks_as_julia_does",
    "extended_spans",
    "fenced_blocks",
    "find_snippets",
    "is_julia",
    "language_of",
    "quoted_commands",
    "without_reasoning",
]
