r"""Julia, as far as its literals and its brackets go: where strings, commands and comments begin and end.

A fence, a prompt or a quotation mark means one thing in code and nothing in a docstring, so whoever reads an
answer line by line has to know in which of the two a line begins. This is a walk over the text, in time that
grows in step with it; it needs no grammar. tree-sitter-julia would be one more compiled dependency, for whole
programs, while answers often hold broken or half-written ones; Julia's own parser is not at hand where
answers are read, and stops at the first fault.
"""

from __future__ import annotations

import re
from typing import Final

# More open brackets, and more brackets and strings in all, than any answer has: a text like that is meant to
# be slow to read.
_DEEPEST: Final = 1000
_MOST_TOKENS: Final = 30_000

_BLOCK: Final = "block"
_COMMENT: Final = "#="
_CLOSERS: Final = {")": "(", "]": "[", "}": "{"}

# What a literal holds up to its end or to an interpolation, whichever comes first. A backslash takes the next
# character with it in all of them, also in `raw"..."`, as far as the literal's end is concerned. A literal
# with a prefix (r"...", md"...") has no interpolation.
_ESCAPE: Final = r"\\(?:.|$)"
_PLAIN_DOLLAR: Final = r"\$(?!\()"
_INSIDE: Final = {
    '"': re.compile(rf'(?:[^"\\$]++|{_ESCAPE}|{_PLAIN_DOLLAR})*+'),
    '"""': re.compile(rf'(?:[^"\\$]++|{_ESCAPE}|{_PLAIN_DOLLAR}|"(?!""))*+'),
    "`": re.compile(rf"(?:[^`\\$]++|{_ESCAPE}|{_PLAIN_DOLLAR})*+"),
    "```": re.compile(rf"(?:[^`\\$]++|{_ESCAPE}|{_PLAIN_DOLLAR}|`(?!``))*+"),
    'x"': re.compile(rf'(?:[^"\\]++|{_ESCAPE})*+'),
    'x"""': re.compile(rf'(?:[^"\\]++|{_ESCAPE}|"(?!""))*+'),
    "x`": re.compile(rf"(?:[^`\\]++|{_ESCAPE})*+"),
    "x```": re.compile(rf"(?:[^`\\]++|{_ESCAPE}|`(?!``))*+"),
}
_COMMENT_MARK: Final = re.compile(r"#=|=#")
_LITERALS: Final = frozenset({*_INSIDE, _COMMENT})

# What changes the state of code. Whole strings on one line come first: most are, and need no state.
_TOKEN: Final = re.compile(
    rf'"(?!"")(?:[^"\\$]++|\\.|{_PLAIN_DOLLAR})*+"'
    r'|"(?:"")?|`(?:``)?|\#=?|[\'()\[\]{}]'
    r"|(?<![@.:])\b(?:begin|do|end|for|function|if|let|macro|(?:bare)?module|quote|struct|try|while"
    r"|(?:abstract|primitive)[ \t]+type)\b"
)
_CHARACTER: Final = re.compile(
    r"'(?:(?:\\x[\da-fA-F]{1,2}){1,4}|\\(?:u[\da-fA-F]{1,4}|U[\da-fA-F]{1,8}|[0-7]{1,3}|.)|[^\\']|')'"
)
_INDEX_BEGIN: Final = re.compile(r"\s*[\]:+\-*/,)]")
# Parts of names that Python does not take for letters.
_SYMBOLS_IN_NAMES: Final = frozenset("∂∇∅∆∎∏∐∑∞∟∫∬∭∮⊤⊥′″‴⁺⁻⁼⁽⁾₊₋₌₍₎")


class Lexer:
    """Takes the lines of a program one after the other, and knows what is open after each."""

    def __init__(self) -> None:
        self._open: list[str] = []
        """Brackets, keywords that wait for their `end`, and literals, the innermost last."""
        self._literals = 0
        self._squares = 0
        self._last = ""
        """The last character of code before this line, blanks and comments aside."""
        self.literal = ""
        """What began the outermost open literal: `\"`, `\"\"\"`, a backtick or three, `#=`; else ""."""
        self.faulty = False
        """Brackets or `end`s do not match, a character has no end: this is no complete program."""
        self.nonsense = False
        """A string touches a word or another string, which no program has and quoted prose often does."""
        self.hopeless = False
        """Nested too deeply or endless: from here on nothing is known."""
        self._tokens = 0

    @property
    def in_literal(self) -> bool:
        """Whether the next line begins inside a string, a command or a comment."""
        return self._literals > 0

    @property
    def in_matrix(self) -> bool:
        """Whether the next line goes on inside square brackets, where words stand side by side."""
        return bool(self._open) and self._open[-1] == "["

    @property
    def is_open(self) -> bool:
        """Whether a bracket, a keyword or a literal still waits for its end."""
        return bool(self._open)

    @property
    def complete(self) -> bool:
        """Whether nothing is open and all brackets and `end`s had their partners."""
        return not (self._open or self.faulty or self.hopeless)

    def feed(self, line: str) -> None:
        """Take one line, without its line end."""
        at, size = 0, len(line)
        while at < size and not self.hopeless:
            if self._open and self._open[-1] in _LITERALS:
                at = self._in_literal(line, at, self._open[-1])
            else:
                at = self._in_code(line, at)
        if at == size and not self.in_literal:  # no comment at the end
            self._last = _before(line, size) or self._last

    def _count(self) -> None:
        self._tokens += 1
        self.hopeless |= self._tokens > _MOST_TOKENS

    # Literals

    def _in_literal(self, line: str, at: int, opener: str) -> int:
        """Go to the end of the literal, of an interpolation's opening, or of the line."""
        if opener == _COMMENT:
            return self._in_comment(line, at)
        inside = _INSIDE[opener].match(line, at)
        at = inside.end() if inside else at
        if at >= len(line):
            return at
        if line[at] == "$":
            self._push("(")
            return at + 2
        self._pop_literal()
        mark = opener.lstrip("x")
        at += len(mark)
        touches = line[at : at + 1]
        # r"..."i has a suffix; other strings touch nothing.
        self.nonsense |= touches == '"' or (opener in ('"', '"""') and _in_name(touches))
        return at

    def _in_comment(self, line: str, at: int) -> int:
        mark = _COMMENT_MARK.search(line, at)
        if not mark:
            return len(line)
        self._count()
        if mark[0] == _COMMENT:
            self._push_literal(_COMMENT)
        else:
            self._pop_literal()
        return mark.end()

    def _push_literal(self, opener: str) -> None:
        if not self._literals:
            self.literal = opener.lstrip("x")
        self._literals += 1
        self._push(opener)

    def _pop_literal(self) -> None:
        self._open.pop()
        self._literals -= 1
        if not self._literals:
            self.literal = ""

    # Code

    def _in_code(self, line: str, at: int) -> int:
        """Go behind the next token that matters, or to the end of the line."""
        self._count()
        found = _TOKEN.search(line, at)
        if not found:
            return len(line)
        token, start, end = found[0], found.start(), found.end()
        before = line[start - 1] if start else ""
        first = token[0]
        if first == '"' or first == "`":
            return self._at_quote(line, token, before, start)
        if first == "'":
            return self._at_apostrophe(line, before, start)
        if first == "#":
            self._last = _before(line, start) or self._last
            if token == "#":
                return len(line) + 1  # the rest is a comment
            self._push_literal(_COMMENT)
            return end
        if first in "([{":
            self._push(first)
        elif first in ")]}":
            self._close(_CLOSERS[first])
        elif token == "end":
            self._at_end()
        elif not self._is_plain_word(token, line, start, end):
            self._push(_BLOCK)
        return end

    def _at_quote(self, line: str, token: str, before: str, start: int) -> int:
        end = start + len(token)
        if len(token) > 1 and token not in ('"""', "```"):  # a whole string
            after = line[end : end + 1]
            self.nonsense |= after == '"' or (_in_name(after) and not _in_name(before))
            return end
        self._push_literal(f"x{token}" if _in_name(before) else token)
        return end

    def _at_apostrophe(self, line: str, before: str, start: int) -> int:
        """A character, or the adjoint of what it follows: x', f(x)', x[1]', x'', 2.'."""
        if _in_name(before) or (before and before in ")]}'\"`."):
            return start + 1
        character = _CHARACTER.match(line, start)
        self.faulty |= character is None
        return character.end() if character else start + 1

    def _at_end(self) -> None:
        if self._open and self._open[-1] == _BLOCK:
            self._open.pop()
        elif not self._squares:  # x[end]
            self.faulty = True

    def _is_plain_word(self, token: str, line: str, start: int, end: int) -> bool:
        """Whether a keyword needs no `end` here: a generator's `for` and `if`, the `begin` of x[begin]."""
        if not self._open or self._open[-1] == _BLOCK:
            return False
        if token == "begin":
            return self._squares > 0 and _INDEX_BEGIN.match(line, end) is not None
        if token not in ("for", "if"):
            return False
        before = _before(line, start) or self._last
        if _in_name(before):
            return not _ends_in_macro(line, start)  # (@static if x ...)
        return before != "" and before in ")]}\"'`."

    def _push(self, opener: str) -> None:
        self._open.append(opener)
        self._squares += opener == "["
        self.hopeless |= len(self._open) > _DEEPEST

    def _close(self, opener: str) -> None:
        if self._open and self._open[-1] == opener:
            self._open.pop()
            self._squares -= opener == "["
        else:
            self.faulty = True


def _before(line: str, stop: int) -> str:
    """The last character before a place in the line that is not blank, "" if there is none."""
    stop = _without_blanks(line, stop)
    return line[stop - 1] if stop else ""


def _without_blanks(line: str, stop: int) -> int:
    while stop and line[stop - 1] in " \t":
        stop -= 1
    return stop


def _ends_in_macro(line: str, stop: int) -> bool:
    """Whether the word before a place in the line is the name of a macro."""
    stop = _without_blanks(line, stop)
    while stop and _in_name(line[stop - 1]):
        stop -= 1
    return stop > 0 and line[stop - 1] == "@"


def _in_name(character: str) -> bool:
    return character.isalnum() or character == "_" or character in _SYMBOLS_IN_NAMES
