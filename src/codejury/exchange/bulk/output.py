"""The output file during one run: locked against a second run, written line by line."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from ...errors import InputError
from ...files import take_lock
from .plan import BulkPlan, whole_lines


class VerdictFile:
    """Takes lines at its end; each is in the file when `append` returns."""

    def __init__(self, plan: BulkPlan, path: Path) -> None:
        self._plan = plan
        self._path = path.resolve()  # a link stays a link
        with _told_as_input_error(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = _locked(self._path)
            self._check_unchanged()
            self._file.truncate(plan.whole_bytes)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def append(self, line: bytes) -> None:
        """Add one line, all of it: the next run drops what is left of one that was cut off."""
        with _told_as_input_error(self._path):
            rest = memoryview(line)
            while rest:
                rest = rest[self._file.write(rest) :]

    @contextmanager
    def rewriting(self) -> Iterator[None]:
        """Meanwhile, lines go to a new file, which takes the place of the old one at the end.

        However it ends, lines of the old file that were not written anew are copied first, so nothing is
        lost. If the process is killed, the old file is still there, untouched.
        """
        beside = self._path.with_name(f".{self._path.name}.again")
        old = self._file
        try:
            with _told_as_input_error(beside):
                self._file = _locked(beside)
                self._file.truncate(0)
            try:
                yield
            finally:
                with _told_as_input_error(beside):
                    self._copy_the_rest(beside)
                    beside.replace(self._path)
        finally:
            old.close()
            beside.unlink(missing_ok=True)

    def _copy_the_rest(self, beside: Path) -> None:
        written, size = 0, 0
        for line in whole_lines(beside):
            written, size = written + 1, size + len(line)
        self._file.truncate(size)
        for line in islice(whole_lines(self._path), written, None):
            self.append(line)
        shutil.copymode(self._path, beside)

    def _check_unchanged(self) -> None:
        if os.fstat(self._file.fileno()).st_size != self._plan.output_bytes:
            self._file.close()
            raise InputError(f"{self._path}: was changed since it was checked; start again")


class VerdictStream:
    """Takes lines as they come; a reader has each at once."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass  # the caller opened it, and closes it

    def append(self, line: bytes) -> None:
        self._stream.write(line)
        self._stream.flush()


def _locked(path: Path) -> FileIO:
    """Open a file to append to it; without a buffer, so that what was written is in the file."""
    file = FileIO(path, "a")
    if not take_lock(file.fileno()):
        file.close()
        raise InputError(f"{path}: another run writes to it; wait for its end or choose another --output")
    return file


@contextmanager
def _told_as_input_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise InputError(f"{path}: cannot be written: {exc.strerror}") from None
