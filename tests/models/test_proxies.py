"""Proxies of the environment: for servers elsewhere, and never for this machine's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmark_world import RIGHT, World, always


@pytest.fixture
def world(tmp_path: Path, definitions: Path) -> World:
    return World(tmp_path, definitions)


def set_proxy(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", address)


def test_a_server_on_this_machine_is_asked_directly(world, monkeypatch):
    set_proxy(monkeypatch, "http://127.0.0.1:9")  # nobody listens on the discard port
    with always(RIGHT) as server:
        world.run("mine", base_url=server.base_url)
    assert len(world.samples()) == 2


def test_a_server_elsewhere_is_asked_through_the_proxy(world, monkeypatch):
    with always(RIGHT) as proxy:
        set_proxy(monkeypatch, f"http://127.0.0.1:{proxy.port}")
        world.run("mine", base_url="http://far.example/v1")
    assert len(world.samples()) == 2
    assert {request.path for request in proxy.requests} == {"http://far.example/v1/chat/completions"}
