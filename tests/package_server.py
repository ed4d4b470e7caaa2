"""A world of Julia packages: a registry and a package server of our own, on loopback, for the real Pkg.

It speaks the protocol of Julia's package servers: `/registries`, `/registry/UUID/HASH`, `/package/UUID/HASH`
and `/artifact/HASH`, each a compressed archive. Its registry takes the place of General, which Julia knows.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GENERAL = "23338594-aafe-5451-b93e-139f81909106"
STANDARD = {
    "Pkg": "44cfe95a-1eb2-52ea-b672-e2afdf69b78f",
    "Sockets": "6462fe0b-24de-5631-8697-dd941f90decc",
}


@dataclass(frozen=True, kw_only=True)
class Package:
    """One version of a package, as its author writes it."""

    name: str
    version: str = "1.0.0"
    code: str = ""
    """The inside of its module."""
    needs: tuple[str, ...] = ()
    """Other packages of this world, or of the standard library."""
    julia: str = "1"
    files: Mapping[str, str] = field(default_factory=dict)
    extra: str = ""
    """More of its Project.toml."""
    weak: tuple[str, ...] = ()

    @property
    def uuid(self) -> str:
        return uuid_of(self.name)

    @property
    def tree(self) -> dict[str, bytes]:
        deps = "".join(f'{name} = "{uuid_of(name)}"\n' for name in self.needs)
        project = (
            f'name = "{self.name}"\nuuid = "{self.uuid}"\nversion = "{self.version}"\n'
            f'[deps]\n{deps}[compat]\njulia = "{self.julia}"\n{self.extra}'
        )
        module = f"module {self.name}\n{self.code}\nend\n"
        texts = {"Project.toml": project, f"src/{self.name}.jl": module, **self.files}
        return {path: text.encode() for path, text in texts.items()}


def uuid_of(name: str) -> str:
    return STANDARD.get(name) or str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{name}.example"))


def tree_hash(tree: Mapping[str, bytes]) -> str:
    """As git names a folder with these files, all of them plain."""
    here: dict[str, bytes] = {path: data for path, data in tree.items() if "/" not in path}
    below: dict[str, dict[str, bytes]] = {}
    for path, data in tree.items():
        first, slash, rest = path.partition("/")
        if slash:
            below.setdefault(first, {})[rest] = data
    entries = [(name, b"100644", _object("blob", data)) for name, data in here.items()]
    entries += [(f"{name}/", b"40000", bytes.fromhex(tree_hash(inner))) for name, inner in below.items()]
    listed = b"".join(
        mode + b" " + name.rstrip("/").encode() + b"\0" + digest for name, mode, digest in sorted(entries)
    )
    return _object("tree", listed).hex()


def _object(kind: str, data: bytes) -> bytes:
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data).digest()


def archive(tree: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        folders = {path.rsplit("/", depth)[0] for path in tree for depth in range(1, path.count("/") + 1)}
        for folder in sorted(folders):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
        for path, data in sorted(tree.items()):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(data), 0o644
            tar.addfile(entry, io.BytesIO(data))
    return gzip.compress(packed.getvalue())


def registry_tree(packages: list[Package]) -> dict[str, bytes]:
    """The files of a registry that knows these packages."""
    names = sorted({package.name for package in packages})
    listed = "".join(
        f'{uuid_of(name)} = {{ name = "{name}", path = "{name[0]}/{name}" }}\n' for name in names
    )
    registry = f'name = "General"\nuuid = "{GENERAL}"\nrepo = "https://packages.invalid/General.git"\n'
    files = {"Registry.toml": f"{registry}[packages]\n{listed}"}
    for name in names:
        versions = [package for package in packages if package.name == name]
        home = f"{name[0]}/{name}"
        files[f"{home}/Package.toml"] = (
            f'name = "{name}"\nuuid = "{uuid_of(name)}"\nrepo = "https://packages.invalid/{name}.jl.git"\n'
        )
        files[f"{home}/Versions.toml"] = "".join(
            f'["{each.version}"]\ngit-tree-sha1 = "{tree_hash(each.tree)}"\n' for each in versions
        )
        files[f"{home}/Compat.toml"] = "".join(
            f'["{each.version}"]\njulia = "{_range(each.julia)}"\n' for each in versions
        )
        files[f"{home}/Deps.toml"] = "".join(
            f'["{each.version}"]\n' + "".join(f'{need} = "{uuid_of(need)}"\n' for need in each.needs)
            for each in versions
            if each.needs
        )
        weak = [each for each in versions if each.weak]
        if weak:
            files[f"{home}/WeakDeps.toml"] = "".join(
                f'["{each.version}"]\n' + "".join(f'{need} = "{uuid_of(need)}"\n' for need in each.weak)
                for each in weak
            )
    return {path: text.encode() for path, text in files.items()}


def _range(julia: str) -> str:
    """`1` in a project means any 1.x; a registry says so as a range."""
    return f"{julia}-{julia.partition('.')[0]}"


class PackageServer:
    """What the server offers, and what it was asked for."""

    def __init__(self, packages: list[Package], artifacts: list[Mapping[str, bytes]]) -> None:
        registry = registry_tree(packages)
        name = tree_hash(registry)
        self.asked: list[str] = []
        self.offers = {f"/registry/{GENERAL}/{name}": archive(registry)}
        self.offers |= {
            path: f"/registry/{GENERAL}/{name}\n".encode()
            for path in ("/registries", "/registries.eager", "/registries.conservative")
        }
        self.offers |= {
            f"/package/{package.uuid}/{tree_hash(package.tree)}": archive(package.tree)
            for package in packages
        }
        self.offers |= {f"/artifact/{tree_hash(tree)}": archive(tree) for tree in artifacts}
        self.url = ""


@contextmanager
def served(
    packages: list[Package], artifacts: list[Mapping[str, bytes]] | None = None
) -> Iterator[PackageServer]:
    """The server, running."""
    world = PackageServer(packages, artifacts or [])

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            world.asked.append(self.path)
            body = world.offers.get(self.path)
            self.send_response(200 if body else 404)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            """The tests' output is no place for it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        world.url = f"http://127.0.0.1:{server.server_port}"
        yield world
    finally:
        server.shutdown()
        server.server_close()
