"""A run in a process of its own, which somebody may kill at any moment."""

from __future__ import annotations

from pathlib import Path

from benchmark_world import World
from codejury.configuration import Configuration, ModelTable
from codejury.models.batches import model as _loaded_once_for_all_children  # noqa: F401


def run_once(folder: Path, model: str, definitions: Path, base_url: str, provider: str) -> None:
    """One `run --batch`; a judge that believes what it reads."""
    table = ModelTable(base_url=base_url, provider=provider, batch_poll_seconds=0.02, tries=1)
    configuration = Configuration(models={model: table})
    world = World(folder, definitions)
    world.run(model, samples=2, max_tokens=99, batch=True, configuration=configuration)
