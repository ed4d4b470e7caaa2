"""A tree of stored answers with everything a site has to show, and everything that could break it."""

from __future__ import annotations

import atexit
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from codejury.records import (
    Block,
    BlockKind,
    Completion,
    Ending,
    Execution,
    Job,
    Level,
    Measurement,
    Message,
    Performance,
    TaskKind,
)
from codejury.report.site.build import build_site
from codejury.store.samples import Request
from codejury.store.write import write_conversation, write_evaluation
from codejury.suite.load import load_definition
from codejury.suite.save import save_definition
from fakes import a_judge, facts, honest, in_folders
from stored_trees import ASKED, Tree

CASES = ("maths/double", "maths/halve", "text/repeat", "text/shout")
GOOD, HALF, BAD = "openai/gpt-x", "ollama/tiny:7b", "ollama/tinier:1b"
EVIL = "evil/<script>window.pwned=1</script>"
"""A model's name, allowed by the store: its slash makes a folder called `script>`."""
EVIL_ERROR = '<img src=x onerror="window.pwned=2">'
EVIL_ANSWER = f"""\
# <img src=x onerror="window.pwned=3">

Some *text* with `code`, <b>markup</b> and a [link](javascript:window.pwned=4), a
[good link](https://example.org/x?a=1&b="2") and ![a picture](https://example.org/spy.png).

<script>window.pwned=5</script>
<style>body {{ display: none }}</style>
<meta http-equiv="refresh" content="0; url=https://example.org">

| a | b |
|---|---|
| <i>1</i> | 2 |

- one
  - two
1. three

> quoted {"> " * 40}deep

```julia
# right </code></pre><script>window.pwned=6</script>
double(x) = "{EVIL_ERROR}" * x  \u202e evil \u202c
```

{"`" * 3}{"`a" * 200} {"*" * 300} {"[" * 300}
"""
RIGHT = "Sure:\n\n```julia\nright(x) = 2x\n```\n"
HALFWAY = "```julia\nhalf(x) = 2x\n```"
WRONG = "```julia\ndef wrong(x):\n```"
FIX = ("1CODEFIXER__CodeFixerTiny", "It does not pass. Please fix it.")


@cache
def shared_site() -> tuple[Tree, Path]:
    """The tree and its site, built once for all tests, which only look at them."""
    folder = Path(mkdtemp(prefix="codejury-site-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    tree = site_tree(folder)
    build_site(tree.root, folder / "site", definitions=tree.definitions)
    return tree, folder / "site"


def site_tree(folder: Path) -> Tree:
    """Four test cases, four models, two prompts, two experiments, repairs, void ones, old ones."""
    tree = Tree(folder / "results", in_folders(folder / "cases", *CASES))
    for case in CASES:
        for prompt in ("InJulia", "JuliaExpertAsk"):
            script = measured if case == "maths/double" else honest
            tree.add(RIGHT, case, model=GOOD, prompt_label=prompt, experiment="first", script=script)
            tree.add(RIGHT if case == "maths/double" else HALFWAY, case, model=HALF, prompt_label=prompt)
        tree.add(WRONG, case, model=BAD)
        tree.add(EVIL_ANSWER, case, model=EVIL, script=evil, parameters={"<b>": "</script>"})
    tree.add(RIGHT, "text/shout", model=BAD, script=void)
    tree.add_published(RIGHT, "maths/double", parsed=True, executed=True, unit_tests_passed=1)
    repair(tree, "text/repeat", HALF)
    return tree


CROWD = tuple(f"vendor{number % 7}/a-model-with-a-long-name-{number:02d}" for number in range(64))


@cache
def crowded_site() -> Path:
    """The site of 64 models with prices, which answered four test cases of two levels and kinds."""
    folder = Path(mkdtemp(prefix="codejury-crowd-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    tree = Tree(folder / "results", in_folders(folder / "cases", *CASES))
    for case in ("maths/halve", "text/shout"):
        definition = load_definition(tree.definitions / case)
        hard = replace(definition, level=Level.HARD, kind=TaskKind.SPEED)
        save_definition(hard, tree.definitions / case / "definition.toml")
    for number, model in enumerate(CROWD):
        for place, case in enumerate(CASES):
            solved = (number * 7 + place * 3) % 11 < 6
            tests, examples = (4, 2) if solved else (number % 4, 0)
            tree.add_published(
                RIGHT, case, model=model, cost=0.001 * 1.1**number, parsed=True,
                executed=solved or number % 2 == 1, unit_tests_passed=tests, examples_executed=examples,
                timestamp=f"202401{1 + number % 28:02d}_120000__{number:03d}",
            )  # fmt: skip
    build_site(tree.root, folder / "site", definitions=tree.definitions)
    return folder / "site"


def evil(job: Job) -> Execution:
    """Everything a model can put into a verdict."""
    unmeasured = Performance(not_measured=EVIL_ERROR, failed=1)
    found = facts(
        job.test_case, tests=(0,), stdout=EVIL_ERROR, tampering=(EVIL_ERROR,), performance=unmeasured
    )
    blocks = [block if block.passed else spoilt(block.index) for block in found.blocks]
    changed: dict[str, Any] = {name: getattr(found, name) for name in found.__slots__}
    return Execution(**{**changed, "blocks": tuple(blocks)})


def measured(job: Job) -> Execution:
    """Twice as fast as the reference solution, though not surely, and it allocates."""
    one = Measurement(
        statement="double(x)", speed=2.0, spread=0.2, seconds=25e-6, allocated=1600, reference_allocated=0,
        inferred=False,
    )  # fmt: skip
    return replace(honest(job), performance=Performance(speed=2.0, noisy=True, statements=(one,)))


def spoilt(index: int) -> Block:
    return Block(
        kind=BlockKind.UNIT_TEST, index=index, ending=Ending.ERRORED, error_type="Evil<b>",
        message=EVIL_ERROR, line=1,
    )  # fmt: skip


def void(job: Job) -> Execution:
    return facts(job.test_case, missing_packages=("Nowhere<b>",))


def repair(tree: Tree, case: str, model: str) -> None:
    """A first try that fails and a second one that is told so: two samples, one conversation."""
    category, name = case.split("/")
    test_case = load_definition(tree.definitions / case)
    tries = (WRONG, RIGHT)
    messages = [*ASKED]
    completions: list[Completion] = []
    for number, answer in enumerate(tries):
        completions.append(Completion(text=answer, prompt_tokens=5, completion_tokens=7, elapsed_seconds=1.5))
        request = Request(
            category=category, name=name, model=model, prompt_label="AsIs", round=number,
            prompt_strategy=FIX[0] if number else "1SHOT",
        )  # fmt: skip
        sample = write_conversation(tree.root, request, messages, completions)
        with a_judge() as judge:
            write_evaluation(sample, judge.evaluate(answer, test_case))
        messages += [Message(role="assistant", content=answer), Message(role="user", content=FIX[1])]
