"""The walk-throughs of benchmarks work as they stand."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmark_world import RIGHT, WRONG, replies, told_judge
from servers import HostileServer, Request

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_running_a_benchmark_works_as_a_user_types_it(tmp_path):
    done = subprocess.run(
        [sys.executable, EXAMPLES / "run_benchmark.py", tmp_path / "out"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "8 requests, about 0.00 USD" in done.stdout
    assert "baseline/reference   mean score 100.0 of 4 samples" in done.stdout
    assert done.stdout.count("numerics/") == 4
    assert len(list((tmp_path / "out").rglob("evaluation__*.json"))) == 8


def test_scanning_temperatures_groups_the_scores(tmp_path, definitions, capsys):
    def choose(request: Request) -> Any:
        return RIGHT if request.body["temperature"] < 0.5 else WRONG

    main = runpy.run_path(str(EXAMPLES / "scan_temperature.py"))["main"]
    with HostileServer(replies(choose)) as server, told_judge() as judge:
        means = main(
            *("mine", tmp_path / "out", judge),
            base_url=server.base_url,
            definitions=definitions,
            case="*",
        )
    assert means == {0.0: 100.0, 0.4: 100.0, 0.8: 0.0, 1.2: 0.0}
    assert sorted({request.body["seed"] for request in server.requests}) == [1, 2, 3]
    assert "0.4  100.0      0.0         6" in capsys.readouterr().out
