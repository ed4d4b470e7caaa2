"""Fixtures for all tests."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codejury.judge.judge import Judge
from codejury.judge.toolchain.find import search_julia
from codejury.records import Limits
from codejury.settings import load_settings
from fakes import in_folders


def pytest_configure() -> None:
    os.environ["CODEJURY_WARM_MINUTES"] = "0"  # no judge outlives the test that started it
    # A shell's background job ignores Ctrl-C, and so would every process that a test starts and interrupts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> str:
    """The Julia that all tests run on: the one that CODEJURY_JULIA names, or whichever is found."""
    search = search_julia(load_settings())
    if search.found is None:
        return "no Julia: run `codejury setup`"
    return f"Julia {search.found.version}: {search.found.launcher} ({search.place})"


LONG = ("ray", "cold", "test_validation.py")
"""Where several processes run the tests, groups that take minutes begin: none is left with one at the end."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: group_of(item.nodeid) not in LONG)  # keeps the order within both


@pytest.hookimpl(optionalhook=True)  # the tests run without xdist too
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Where several processes run the tests, each takes a whole group of them at a time."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    config.option.loadscopereorder = False
    return ByGroup(config, log)


def group_of(test: str) -> str:
    """The tests of a file share what it starts; one cluster serves all tests of clusters, in any file."""
    file = test.partition("::")[0].rpartition("/")[2]
    if file == "test_cluster.py" or test.endswith("[ray]"):
        return "ray"
    return "cold" if test.endswith("[cold]") else file


@pytest.fixture
def definitions(tmp_path: Path) -> Path:
    """A folder with two test cases: maths/double and text/repeat."""
    return in_folders(tmp_path / "cases", "maths/double", "text/repeat")


@pytest.fixture(scope="session")
def jury() -> Iterator[Judge]:
    """A real judge with two warm workers, started once for all tests that only ask for verdicts."""
    with Judge(workers=2, limits=Limits(seconds=5)) as judge:
        yield judge


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Ray cluster of two nodes on this machine that we are connected to.

    It has three processors: the sandboxes' conformance tests keep one of them until the end.
    """
    import ray
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_TOKEN_PATH", str(tmp_path_factory.mktemp("ray") / "token"))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        made = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
        made.add_node(num_cpus=1)
        ray.init(address=made.address, log_to_driver=False, logging_level=logging.ERROR)
        yield made
        ray.shutdown()
        made.shutdown()
