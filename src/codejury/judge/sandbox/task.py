"""One run of one candidate, as it is asked for: the job for its process, and the blocks one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...records import BlockKind, TestCase
from .wire import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockOrder:
    """One example or unit test to be run."""

    number: int
    """In the run, from 1: examples, then unit tests."""
    kind: BlockKind
    index: int
    setup: str
    code: str
    teardown: str
    split: bool = False
    """Decided by the referee, if the test can be taken apart."""
    reveal: bool = False
    """Its process may learn what the test holds. Else that is put off while split unit tests follow."""

    @property
    def whole(self) -> list[Item]:
        """The order to judge it in the candidate's process."""
        place = (self.kind.value, str(self.index), str(self.number))
        return ["whole", *place, self.setup, self.code, self.teardown]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a candidate's process is started with, and what it is asked after its main code has run."""

    payload: Sequence[Item]
    """As `read_job` in julia/judge.jl reads it. It holds no example and no unit test."""
    blocks: tuple[BlockOrder, ...] = ()
    test_case: TestCase | None = None
    """For the referee; without one every block is judged in the candidate's process."""
    interpret: bool = False
    """In Julia's interpreter: a quick try, whose end is not always the verdict."""
    measures: bool = False
    """Nothing is judged: it tells how fast a candidate is (see `measuring`)."""
