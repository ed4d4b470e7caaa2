"""Fixtures for all tests."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codejury.judge import Judge
from codejury.records import Limits
from fakes import in_folders


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
