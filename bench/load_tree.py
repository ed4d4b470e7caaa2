"""Make a tree of stored answers to load, of any size: seeded, and shaped like real ones.

The predecessor's evaluations have some 500 bytes, ours some 4 kB: what happened to each block, the code, the
output. Test cases, models and samples are spread as in the published data: a folder of a test case and a
model holds about 38 pairs.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

PUBLISHED_PAIRS = 29_701
CASES = 14
PAIRS_PER_FOLDER = 38
PROMPTS = ("InJulia", "JuliaExpertAsk", "JuliaExpertCoTTask", "JuliaRecapTask", "JuliaRecapCoTTask", "AsIs")
ERRORS = ("MethodError", "UndefVarError", "BoundsError", "ArgumentError", "TypeError", "KeyError")
CODE = """function solve_{0}(xs)
    total = 0
    for x in xs
        total += x * {0}
    end
    return total
end
"""


def make_tree(root: Path, pairs: int, *, kind: str = "published", seed: int = 0) -> None:
    """Fill a folder with pairs of conversation and evaluation: the predecessor's, `ours`, or half of each."""
    rng = random.Random(seed)
    folders = max(1, round(pairs / PAIRS_PER_FOLDER))
    for number in range(pairs):
        folder = number * folders // pairs
        ours = kind == "ours" or (kind == "mixed" and folder // CASES % 2 == 1)
        write_pair(root, rng, number, folder, ours=ours)


def write_pair(root: Path, rng: random.Random, number: int, folder: int, *, ours: bool) -> None:
    case, model = f"case_{folder % CASES:02d}", folder // CASES
    facts = request(rng, number, case, f"vendor/model-{model}" if ours else f"model:{model}b") | verdict(rng)
    if ours:
        facts |= our_facts(rng, facts)
    place = root / f"category_{folder % CASES % 3}" / case / facts["model"]
    place.mkdir(parents=True, exist_ok=True)
    tail = f"{facts['prompt_label']}__{facts['prompt_strategy']}__{facts['timestamp']}.json"
    (place / f"conversation__{tail}").write_bytes(compact(conversation(rng, number)))
    (place / f"evaluation__{tail}").write_bytes(compact(facts))


def compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def request(rng: random.Random, number: int, case: str, model: str) -> dict[str, Any]:
    ours = model.startswith("vendor/")
    day, second = divmod(number * 7, 80_000)
    clock = f"{second // 3600:02d}{second // 60 % 60:02d}{second % 60:02d}"
    return {
        "name": case,
        "tokens": [rng.randrange(40, 400), rng.randrange(40, 900)],
        "elapsed_seconds": rng.uniform(0.5, 60.0),
        "cost": rng.uniform(0.0001, 0.01) if ours else 0.0,
        "model": model,
        "timestamp": f"2024{1 + day // 28 % 12:02d}{1 + day % 28:02d}_{clock}__{number % 1000:03d}",
        "prompt_strategy": "1SHOT",
        "prompt_label": PROMPTS[number % len(PROMPTS)],
        "device": "-" if ours else "workstation",
        "version_prompt": "1.1",
        "schema": "openai" if ours else "PromptingTools.OllamaSchema()",
        "version_pt": "codejury-0.1.0" if ours else "0.10.0",
        "parameters": {"temperature": rng.choice((0.2, 0.7))} if ours else {"options": {"num_gpu": 99}},
        "experiment": "",
    }


def verdict(rng: random.Random) -> dict[str, Any]:
    tests, examples = rng.randrange(4, 21), rng.randrange(2, 6)
    parsed = rng.random() < 0.9
    executed = parsed and rng.random() < 0.85
    return {
        "parsed": parsed, "executed": executed, "unit_tests_count": tests, "examples_count": examples,
        "unit_tests_passed": rng.choice((tests, tests, rng.randrange(tests))) if executed else 0,
        "examples_executed": rng.choice((examples, rng.randrange(examples))) if executed else 0,
    }  # fmt: skip


def our_facts(rng: random.Random, facts: dict[str, Any]) -> dict[str, Any]:
    tests, examples = facts["unit_tests_count"], facts["examples_count"]
    blocks = [
        block(rng, "main", 0, executed=True, passed=facts["executed"]),
        *(
            block(rng, "example", i, executed=facts["executed"], passed=i < facts["examples_executed"])
            for i in range(examples)
        ),
        *(
            block(rng, "unit_test", i, executed=facts["executed"], passed=i < facts["unit_tests_passed"])
            for i in range(tests)
        ),
    ]
    shares = facts["unit_tests_passed"] / tests + facts["examples_executed"] / examples
    return {
        "codejury_schema": 1,
        "score": 25.0 * (facts["parsed"] + facts["executed"] + shares),
        "outcome": "pass" if facts["unit_tests_passed"] == tests else "fail",
        "void_reason": "", "rules_version": 1, "codejury_version": "0.1.0", "julia_version": "1.10.5",
        "sandbox": "L3", "definition_hash": "f" * 64,
        "extraction": {
            "rule": "all", "blocks_found": 2, "blocks_used": [0, 1], "extended": [],
            "code": "".join(CODE.format(rng.randrange(10_000)) for _ in range(8)), "dropped_imports": [],
            "dropped_tests": 0,
        },
        "blocks": blocks, "tampering": [], "missing_packages": [], "stdout_tail": "done\n" * 20,
        "extra": {}, "judged_at": "2024-02-01T12:00:00Z", "supersedes": [], "category": "",
        "prompt_hash": "a" * 64, "template_version": "1.0", "seed": None, "sample": 0, "round": 0,
        "run_id": 1, "retries": 0, "finish_reason": "stop",
    }  # fmt: skip


def block(rng: random.Random, kind: str, index: int, *, executed: bool, passed: bool) -> dict[str, Any]:
    error = "" if passed or not executed else rng.choice(ERRORS)
    return {
        "kind": kind, "index": index, "ending": "passed" if passed else "errored" if executed else "not_run",
        "error_type": error, "message": f"no method matching f(::Int{rng.randrange(99)})" if error else "",
        "line": 2 if error else None, "seconds": round(rng.uniform(0.0, 0.1), 6),
    }  # fmt: skip


def conversation(rng: random.Random, number: int) -> list[dict[str, Any]]:
    answer = "".join(CODE.format(rng.randrange(10_000)) for _ in range(8))
    return [
        {"content": "You are a Julia programmer.", "variables": [], "_type": "systemmessage"},
        {"content": f"Write function number {number}.", "variables": [], "_type": "usermessage"},
        {"content": f"```julia\n{answer}```\n", "status": 200, "tokens": [68, 200], "elapsed": 1.5,
         "_type": "aimessage"},
    ]  # fmt: skip
