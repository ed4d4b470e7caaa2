"""The child process that serves one GGUF file: `python -m codejury.models.llama_server FILE SLOTS CONTEXT`.

It listens on a free port of 127.0.0.1, writes the address as one line to its stdout, and lives as
long as its stdin is open: the pipe is closed when its parent ends, even by SIGKILL.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

MOST_THREADS = 8


def main(path: str, slots: int, context: int) -> None:
    """Serve until the other end of stdin is closed."""
    answer = os.dup(1)
    os.dup2(2, 1)  # llama.cpp may print: stdout is for the address alone
    server = start(path, slots, context)
    os.write(answer, f"{server.listening_address}\n".encode())
    os.close(answer)
    while os.read(0, 1024):
        pass
    os._exit(0)  # at once: what is being generated has no reader


def start(path: str, slots: int, context: int):  # type: ignore[no-untyped-def]  # the package has no types
    llama = import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = path
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = slots
    params.n_ctx = slots * context
    params.verbosity = -1
    params.ui = False
    # llama.cpp's threads wait for each other by spinning: with the judge on the same cores, two threads
    # on two cores were slower than one by a factor of twenty. So half of the cores stay free.
    threads = max(1, min(MOST_THREADS, len(os.sched_getaffinity(0)) // 2))
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    return llama.Server(params)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
