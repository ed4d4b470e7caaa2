"""Asks a candidate's process one block after the other, and carries values to the referee and orders back.

The process says what happened in the blocks that are judged whole; of a split unit test it says only values,
and the verdict is the referee's. What it says out of turn decides nothing.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Final

from ...records import BlockKind
from .referee import DECISIONS, Part, Referee, RefereeLost
from .run import BlockOrder, Task
from .wire import ForeignBytes, Item

ASKING: Final = frozenset({b"ask", b"need", b"turn", b"value", b"raised"})
"""What a process says in its part of a split test when it waits for an order; at `told` it goes on."""
LAST_SAYINGS: Final = frozenset({b"threw", b"ended"})
BEFORE_CODE: Final = frozenset({b"missing", b"given", b"begun", b"done"})
"""What a process may say before a line of the candidate has run: later, none of it makes a verdict void."""
OF_MEASURING: Final = frozenset({b"missing", b"begun", b"measured", b"unmeasured", b"done"})
BEFORE_BLOCKS: Final = frozenset({b"candidates", b"extraction", b"parsed", b"main", b"done"})
WHOLE: Final = Part(code=None, reveals=True)
UNDECIDED: Final = "the referee came to no decision about the value"


class _State(Enum):
    MEASURING = auto()  # nothing is asked: it tells what it measures
    PREPARING = auto()  # packages are loaded and given code runs
    BEFORE = auto()  # the main code has not run to its end
    WHOLE = auto()  # a block is judged in the process
    SPLIT = auto()  # the process runs its part of a unit test
    STOPPING = auto()  # that test is decided, and its teardown runs
    ENDING = auto()


class Examiner:
    """Follows one run of one task."""

    def __init__(
        self, task: Task, referee: Referee | None, send_order: Callable[[Sequence[Item]], None]
    ) -> None:
        self._send_order = send_order
        self._referee = referee if task.test_case is not None else None
        self._case = task.test_case
        self._blocks = deque(task.blocks)
        self._block: BlockOrder | None = None
        self.put_off: list[int] = []
        """Unit tests that were not run: as a whole they would have shown what later ones share with them."""
        self._state = _State.MEASURING if task.measures else _State.PREPARING

    def take(self, frame: list[bytes]) -> list[Item] | None:
        """The next frame; the fact that follows from it for the execution, if any.

        A verdict of the referee's has "" for its seconds. ForeignBytes if the frame has no place here.
        """
        match self._state:
            case _State.MEASURING if frame[0] in OF_MEASURING:
                return list(frame)
            case _State.PREPARING if frame[0] in BEFORE_CODE:
                self._state = _State.BEFORE if frame[0] == b"begun" else _State.PREPARING
                return list(frame)
            case _State.BEFORE if frame[0] in BEFORE_BLOCKS:
                if frame[:2] == [b"main", b"passed"]:
                    self._order_next()
                return list(frame)
            case _State.WHOLE if frame[0] == b"block" and self._is_about_block(frame):
                self._order_next()
                return [*frame, "candidate"]
            case _State.SPLIT if frame[0] == b"told":
                self._tell(frame)
                return None
            case _State.SPLIT if frame[0] in ASKING:
                return self._ask(frame)
            case _State.SPLIT if frame[0] in LAST_SAYINGS:
                return self._end_test(frame)
            case _State.STOPPING if frame[0] in LAST_SAYINGS:
                self._order_next()
                return None
            case _State.STOPPING if frame[0] == b"told" or frame[0] in ASKING:
                return None  # said before it was told to stop
            case _State.ENDING if frame[0] == b"done":
                return list(frame)
        raise ForeignBytes

    def close(self) -> None:
        """The process has ended, whatever was under way."""
        if self._referee is not None:
            with contextlib.suppress(RefereeLost):  # there is a new one for the next test
                self._referee.abort()

    def _is_about_block(self, frame: list[bytes]) -> bool:
        block = self._block
        return block is not None and frame[1:3] == [block.kind.value.encode(), str(block.index).encode()]

    def _order_next(self) -> None:
        while self._blocks:
            self._block = block = self._blocks.popleft()
            part = self._part(block)
            may_reveal = block.kind is BlockKind.EXAMPLE or block.reveal or not self._split_follows
            if part.reveals and not may_reveal:
                self.put_off.append(block.number)
            elif part.code is not None and self._begin(block, may_tell=may_reveal):
                self._state = _State.SPLIT
                self._send_order(["split", str(block.number), part.code])
                return
            else:
                self._state = _State.WHOLE
                self._send_order(block.whole)
                return
        self._block, self._state = None, _State.ENDING
        self._send_order(["end"])

    @property
    def _split_follows(self) -> bool:
        """Whether a unit test comes after this one that the process must not know beforehand."""
        return any(self._part(block).code is not None for block in self._blocks)

    def _part(self, block: BlockOrder) -> Part:
        if self._referee is None or self._case is None or not block.split:
            return WHOLE
        for _ in range(2):  # a referee that was lost in between is replaced
            with contextlib.suppress(RefereeLost):
                return self._referee.prepare(self._case)[block.index]
        self._referee = None  # it does not survive this test case: the other tests are not tried
        return WHOLE

    def _begin(self, block: BlockOrder, *, may_tell: bool) -> bool:
        """Have the referee wait for what the candidate's part will say; whether it does."""
        assert self._referee is not None
        assert self._case is not None
        for _ in range(2):
            with contextlib.suppress(RefereeLost):
                self._referee.prepare(self._case)
                self._referee.begin(block.index, block.number, may_tell=may_tell)
                return True
        return False

    def _tell(self, frame: list[bytes]) -> None:
        assert self._referee is not None
        with contextlib.suppress(RefereeLost):  # the verdict says so
            self._referee.tell(frame)

    def _ask(self, frame: list[bytes]) -> list[Item] | None:
        """Carry a question to the referee, and its answer back: an order, or the verdict."""
        assert self._referee is not None
        self._tell(frame)
        answer = self._answer()
        if answer[0] not in DECISIONS:
            self._send_order(list(answer))
            return None
        self._state = _State.STOPPING
        self._send_order(["stop"])
        return self._fact(self._block, answer)

    def _end_test(self, frame: list[bytes]) -> list[Item]:
        """The candidate goes on with the next test while the referee decides about this one."""
        block = self._block
        self._tell(frame)
        self._order_next()
        return self._fact(block, self._answer())

    def _answer(self) -> list[bytes]:
        assert self._referee is not None
        try:
            return self._referee.answer()
        except RefereeLost:
            return [b"verdict", b"failed", b"TestFailed", UNDECIDED.encode(), b"0", b"referee"]

    def _fact(self, block: BlockOrder | None, answer: list[bytes]) -> list[Item]:
        assert block is not None
        # Where it cannot be decided like this, the others go on: the run is repeated once for all of those.
        if answer[0] in (b"unsplit", b"untold"):
            return [answer[0], str(block.number)]
        _, ending, error, message, line, decided_by = answer
        return ["block", block.kind.value, str(block.index), ending, error, message, line, "", decided_by]
