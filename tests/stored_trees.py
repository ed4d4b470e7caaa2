"""Trees of stored answers to spoil: ours, and the predecessor's."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from codejury.exchange.case_lookup import CaseLookup
from codejury.judge.judge import Judge
from codejury.records import Completion, Execution, Job, Message, Packages
from codejury.store.samples import Request, StoredSample
from codejury.store.write import write_conversation, write_evaluation
from codejury.suite.load import load_definition
from codejury.suite.suite import find_definitions
from fakes import a_judge, honest

Script = Callable[[Job], Execution]
ASKED = (Message(role="system", content="You are terse."), Message(role="user", content="Write `double`."))
TIMESTAMP = "20231214_005952__154"


class Tree:
    """A folder of stored answers, and the definitions they belong to."""

    def __init__(self, root: Path, definitions: Path) -> None:
        self.root = root
        self.definitions = definitions
        self.root.mkdir()
        self._elapsed = 0.0

    @property
    def lookup(self) -> CaseLookup:
        return CaseLookup(find_definitions(self.definitions))

    def ask(self, answer: str, case: str = "maths/double", **request: Any) -> StoredSample:
        """Store an answer that nobody has judged."""
        category, name = case.split("/")
        self._elapsed += 0.5
        completion = Completion(
            text=answer, prompt_tokens=10, completion_tokens=20, elapsed_seconds=self._elapsed, cost=0.25
        )
        facts = {"model": "openai/gpt-x", "prompt_label": "InJulia", "category": category, "name": name}
        return write_conversation(self.root, Request(**facts | request), ASKED, [completion])

    def add(
        self, answer: str, case: str = "maths/double", *, script: Script = honest, **request: Any
    ) -> StoredSample:
        """Store an answer and its verdict."""
        sample = self.ask(answer, case, **request)
        with a_judge(script) as judge:
            test_case = load_definition(self.definitions / case)
            return write_evaluation(sample, judge.evaluate(answer, test_case))

    def add_published(self, answer: str, case: str = "maths/double", **changes: Any) -> Path:
        """Store an answer and its verdict as the predecessor did."""
        category, name = case.split("/")
        facts = published(name, **changes)
        folder = self.root / category / name / facts["model"]
        folder.mkdir(parents=True, exist_ok=True)
        tail = f"{facts['prompt_label']}__{facts['prompt_strategy']}__{facts['timestamp']}.json"
        (folder / f"conversation__{tail}").write_text(json.dumps(published_conversation(answer)))
        (folder / f"evaluation__{tail}").write_text(json.dumps(facts))
        return folder / f"evaluation__{tail}"

    def files(self) -> dict[str, bytes]:
        """Every file, to see whether anything was touched."""
        files = (path for path in self.root.rglob("*") if path.is_file())
        return {str(path.relative_to(self.root)): path.read_bytes() for path in files}


def published(name: str, **changes: Any) -> dict[str, Any]:
    """An evaluation of the predecessor: everything failed, unless told otherwise."""
    return {
        "name": name, "parsed": False, "executed": False, "unit_tests_count": 4, "examples_count": 2,
        "unit_tests_passed": 0, "examples_executed": 0, "tokens": [68, -1], "elapsed_seconds": 1.75,
        "cost": 0, "model": "gpt-4", "timestamp": TIMESTAMP, "prompt_strategy": "1SHOT",
        "prompt_label": "InJulia", "device": "laptop", "version_prompt": "1.1",
        "schema": "PromptingTools.OllamaSchema()", "version_pt": "0.10.0", "parameters": {}, "experiment": "",
    } | changes  # fmt: skip


def published_conversation(answer: str) -> list[dict[str, Any]]:
    return [
        {"content": "Write it.", "variables": [], "_type": "usermessage"},
        {"content": answer, "status": 200, "tokens": [68, -1], "elapsed": 1.75, "_type": "aimessage"},
    ]


def rewrite(path: Path, **changes: Any) -> None:
    """Change fields of a stored JSON object."""
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


def stored(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@contextmanager
def judging(script: Script = honest, *, workers: int = 1) -> Any:
    with a_judge(script, workers=workers) as judge:
        yield judge


def starts(script: Script = honest, later: Script | None = None) -> Callable[..., Judge]:
    """What `verify` starts its judges by; the second one, with more time, can find something else."""

    def start(packages: Packages, times: int) -> Judge:
        return a_judge(script if times == 1 or later is None else later)

    return start
