"""A server for this machine only, and a watch that builds the site again when results change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from ...errors import InputError
from .changes import fingerprint

HOST: Final = "127.0.0.1"
POLL_SECONDS: Final = 2.0
_SHARE_OF_TIME: Final = 20
"""A large tree is looked at less often: at most a twentieth of the time goes into looking."""


class Handler(SimpleHTTPRequestHandler):
    """Files of the site, always fresh, only for pages of this machine."""

    def send_head(self) -> Any:
        # Another site whose name leads to this machine must not read what is served here.
        if self.headers.get("Host", "").rpartition(":")[0] not in (HOST, "localhost"):
            self.send_error(403, "only for this machine")
            return None
        return super().send_head()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        self.send_error(404, "File not found")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has in the library
        """Nobody reads a line for each file."""


@contextmanager
def serving(folder: Path, port: int) -> Iterator[str]:
    """Serve a folder in the background; the address. A port that is taken gives way to a free one."""
    server = _bound(folder, port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _bound(folder: Path, port: int) -> ThreadingHTTPServer:
    handler = partial(Handler, directory=str(folder))
    for wanted in (port, 0):
        try:
            return ThreadingHTTPServer((HOST, wanted), handler)
        except PermissionError:
            raise InputError(f"port {wanted} is not for ordinary users; choose one above 1023") from None
        except OSError:
            continue
    raise InputError(f"no port of {HOST} is free")


class FolderWatch:
    """Calls `changed` each time a stored file below the folders is new, different or gone."""

    def __init__(
        self, folders: list[Path], changed: Callable[[], None], *, poll: float = POLL_SECONDS
    ) -> None:
        self._folders, self._changed, self._poll = folders, changed, poll
        self._stop = threading.Event()
        self._seen = fingerprint(folders)
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> FolderWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        pause = self._poll
        while not self._stop.wait(pause):
            started = time.monotonic()
            found = fingerprint(self._folders)
            pause = max(self._poll, _SHARE_OF_TIME * (time.monotonic() - started))
            if found != self._seen:
                self._seen = found
                self._changed()
