"""Run a benchmark through the library: ask models, follow what happens, read the results.

    python examples/run_benchmark.py [FOLDER]

Asks the built-in baselines, which need no key; put the models you have in MODELS. The results go to FOLDER,
or to a temporary folder.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import fmean
from typing import Any

from codejury import Benchmark, CodejuryError, Judge, RunOptions, run_benchmark
from codejury.run import Event, Judged, ModelFailed, RequestFailed, expected_cost

MODELS = ("baseline/reference", "baseline/stub")
CASES = ("wrap_words", "numerics/quad*")


def show(event: Event) -> None:
    """Called for everything that happens; see codejury.run.events for all of it."""
    match event:
        case Judged(which=which, score=score, outcome=outcome):
            print(f"   {which.model:20} {which.test_case:32} {which.prompt:16} {score:6.1f} {outcome}")
        case RequestFailed(what=what) | ModelFailed(what=what):
            print(f"   no answer: {what}")


def main(folder: Path, judge: Judge | None = None) -> None:
    options: dict[str, Any] = {
        "case": CASES,
        "prompt": ["InJulia", "JuliaExpertAsk"],
        "samples": 1,
        "save_dir": folder,
    }

    print("1. The plan: what is wanted, minus what is on the disk. Nobody is asked.")
    plan = Benchmark(RunOptions.of(model=MODELS, **options)).plan()
    cost, is_known = expected_cost(plan)
    print(f"   {sum(plan.allowed.values())} requests, about {cost:.2f} USD{'' if is_known else ' and more'}")

    print("2. The run. Answers are stored as they come, judged, and the verdicts stored beside them.")
    evaluations = run_benchmark(MODELS, on_event=show, judge=judge, **options)

    print("3. What came back: the evaluation files, as docs/files.md describes them.")
    for model in MODELS:
        scores = [e["score"] for e in evaluations if e["model"] == model and e["score"] is not None]
        print(f"   {model:20} mean score {fmean(scores):.1f} of {len(scores)} samples")

    print("4. The same call again asks nobody: all is there already.")
    asked: list[Event] = []
    again = run_benchmark(MODELS, on_event=asked.append, judge=judge, **options)
    assert again == evaluations
    assert not any(isinstance(event, Judged) for event in asked)
    print(f"   {len(again)} evaluations, in {folder}")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="codejury-")))
    except CodejuryError as exc:
        sys.exit(f"error: {exc}")
