"""Find out which temperature suits a model: the same questions at several values.

    python examples/scan_temperature.py [MODEL] [FOLDER]

MODEL is any model string, such as ollama/qwen2.5-coder; `codejury models` lists them. Without one the
baseline `baseline/reference` is asked, which needs no key and heeds no temperature.
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from codejury import CodejuryError, Judge, run_benchmark

TEMPERATURES = (0.0, 0.4, 0.8, 1.2)


def main(model: str, folder: Path, judge: Judge | None = None, **options: Any) -> dict[float, float]:
    """Scan, and print a line for each temperature; returns the mean scores."""
    settings: dict[str, Any] = {"case": "numerics/*", "prompt": "InJulia", "samples": 3} | options
    evaluations = run_benchmark(
        model,
        temperature=TEMPERATURES,  # several values make a grid; so do top_p and max_tokens
        experiment="temperature scan",  # kept apart from other runs of the same model
        seed=1,  # sample k is asked with seed 1 + k, where the server heeds one
        save_dir=folder,
        judge=judge,
        **settings,
    )
    scores: defaultdict[float, list[float]] = defaultdict(list)
    for evaluation in evaluations:
        if evaluation["score"] is not None:  # None: void, nothing was learned about the answer
            scores[evaluation["parameters"]["temperature"]].append(evaluation["score"])
    print(f"{model}, {len(evaluations)} answers\n\ntemperature   mean   spread   samples")
    for temperature, values in sorted(scores.items()):
        spread = stdev(values) if len(values) > 1 else 0.0
        print(f"{temperature:11.1f} {fmean(values):6.1f} {spread:8.1f} {len(values):9}")
    return {temperature: fmean(values) for temperature, values in scores.items()}


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "baseline/reference"
    try:
        main(chosen, Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp(prefix="codejury-")))
    except CodejuryError as exc:
        sys.exit(f"error: {exc}")
