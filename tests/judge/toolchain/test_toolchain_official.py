"""Official builds: the real juliapkg, asked by us, against a download server on this machine.

`sitecustomize` is how the server's address gets into juliapkg's process: Python runs it at start.
"""

from __future__ import annotations

import hashlib
import io
import json
import platform
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from codejury.errors import ToolchainError
from codejury.judge.toolchain.official import fetch_official


class Server:
    """Serves files from memory."""

    def __init__(self) -> None:
        files = self.files = dict[str, bytes]()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                content = files.get(self.path)
                self.send_response(404 if content is None else 200)
                self.end_headers()
                self.wfile.write(content or b"")

            def log_message(self, *_: object) -> None:
                """Keep quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def offer_julia(self, version: str, *, cut: int = 0, stable: bool = True) -> None:
        """Enter a build in the list of versions; `cut` bytes of it are then lost on the way."""
        build = tar_gz(f"julia-{version}/bin/julia", f"#!/bin/sh\necho {version}\n".encode())
        name = f"/julia-{version}.tar.gz"
        self.files[name] = build[: len(build) - cut]
        versions = json.loads(self.files.get("/versions.json", b"{}"))
        versions[version] = {
            "stable": stable,
            "files": [
                {
                    "version": version,
                    "url": self.address + name,
                    "os": "linux",
                    "arch": platform.machine(),
                    "triplet": f"{platform.machine()}-linux-gnu",
                    "sha256": hashlib.sha256(build).hexdigest(),
                    "size": len(build),
                }
            ],
        }
        self.files["/versions.json"] = json.dumps(versions).encode()


def tar_gz(name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = len(content), 0o755
        archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    made = Server()
    redirect = "import juliapkg.install_julia as installer\n"
    redirect += f"installer._julia_versions_url = '{made.address}/versions.json'\n"
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(redirect)
    monkeypatch.syspath_prepend(tmp_path / "site")
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "staging/new"
    made.mkdir(parents=True)
    return made


def silent(message: str, fraction: float | None) -> None:
    """Progress that nobody watches."""


def test_the_newest_stable_version_is_fetched(server: Server, folder: Path) -> None:
    for version in ("1.9.4", "1.10.4", "1.12.1", "1.13.2"):
        server.offer_julia(version)
    server.offer_julia("1.14.0-rc1", stable=False)
    assert fetch_official(folder, silent) == "1.13.2-official"
    assert (folder / "julia").read_text().endswith("echo 1.13.2\n")
    assert not (folder / "julia").readlink().is_absolute()


def test_a_build_cut_short_is_refused(server: Server, folder: Path) -> None:
    server.offer_julia("1.12.1", cut=10)
    with pytest.raises(ToolchainError, match="SHA-256 hash does not match"):
        fetch_official(folder, silent)
    assert not (folder / "julia").exists()


def test_a_network_that_does_not_allow_it_is_told_in_one_line(server: Server, folder: Path) -> None:
    with pytest.raises(ToolchainError, match="HTTP Error 404"):
        fetch_official(folder, silent)


def test_a_list_without_a_fitting_version_is_an_error(server: Server, folder: Path) -> None:
    server.offer_julia("1.9.4")
    with pytest.raises(ToolchainError, match="no version of Julia is compatible"):
        fetch_official(folder, silent)


def test_progress_follows_the_download(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real download is too short here to be reported on, so a stand-in tells of a long one."""
    package = tmp_path / "site/juliapkg"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "compat.py").write_text("class Compat:\n    parse = staticmethod(str)\n")
    (package / "install_julia.py").write_text(
        "def best_julia_version(compat):\n    return '1.11.2', None\n"
        "def install_julia(files, prefix):\n    print('   downloaded 50.0 MB of 200.0 MB')\n"
    )
    monkeypatch.syspath_prepend(tmp_path / "site")
    told: list[tuple[str, float | None]] = []
    fetch_official(folder, lambda message, fraction: told.append((message, fraction)))
    assert told == [("Looking for an official build of Julia", None), ("Downloading Julia 1.11.2", 0.25)]
