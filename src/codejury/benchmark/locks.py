"""One run at a time for a model in a folder: two would each ask, and pay, for what is missing.

A lock is an open file, held by the system: it ends with the process, however that ends.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from ..errors import InputError

FOLDER: Final = ".locks"


@contextmanager
def alone(save_dir: Path, models: Iterable[str]) -> Iterator[None]:
    """Hold the locks of these models; InputError if another run has one."""
    with ExitStack() as stack:
        try:
            (save_dir / FOLDER).mkdir(parents=True, exist_ok=True)
            for model in sorted(set(models)):
                stack.enter_context(_locked(save_dir, model))
        except OSError as error:
            raise InputError(f"{save_dir}: cannot be written: {error.strerror or error}") from None
        yield


@contextmanager
def _locked(save_dir: Path, model: str) -> Iterator[None]:
    name = hashlib.sha256(model.encode()).hexdigest()[:16]
    descriptor = os.open(save_dir / FOLDER / name, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"{save_dir}: another run is asking {model} for this folder; "
                "wait for it to end, or choose another --save-dir"
            ) from None
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        os.close(descriptor)
