"""Make a definition through the library: from a prompt and a solution to a validated file.

    python examples/create_definition.py [FOLDER]

The file goes to FOLDER/text_processing/run_lengths/definition.toml, or to a temporary folder.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from codejury import (
    CodejuryError,
    Judge,
    TestCase,
    check_test_case,
    load_definition,
    save_definition,
    validate_definition,
)

PROMPT = (
    "Write a function `run_lengths(text)` that returns the runs of equal characters in a string, in order, "
    "as a vector of pairs `character => length`. Example: \"aab\" gives ['a' => 2, 'b' => 1]."
)

SOLUTION = """\
function run_lengths(text::AbstractString)
    runs = Pair{Char,Int}[]
    for character in text
        if !isempty(runs) && first(runs[end]) == character
            runs[end] = character => last(runs[end]) + 1
        else
            push!(runs, character => 1)
        end
    end
    return runs
end
"""


def main(folder: Path, judge: Judge | None = None) -> Path:
    """Walk from a first draft to a validated file; returns the file."""
    print("1. A first draft. Everything a definition.toml holds is a field of TestCase.")
    draft = TestCase(
        name="run_lengths",
        contributor="ada",
        criteria=("parsed", "executed", "passed_unit_tests", "executed_examples"),
        prompt=PROMPT,
        version="1.0",
        examples=('run_lengths("aab")', 'run_lengths("")'),
        unit_tests=("run_lengths(\"aab\") == ['a' => 2, 'b' => 1]",),
        imports=("Dates", "Dates"),
        reference_solution=SOLUTION,
    )

    print("2. Check it. All problems come at once, each with its repair:")
    for problem in check_test_case(draft):
        print(f"   {problem}")

    print("3. Mend it, and save it. The file is meant to be read and edited by people:\n")
    mended = replace(
        draft,
        unit_tests=(
            "@test run_lengths(\"aab\") == ['a' => 2, 'b' => 1]",
            '@test run_lengths("") == []',
            "@test run_lengths(\"\\n\\n\") == ['\\n' => 2]",
        ),
        imports=(),
    )
    file = folder / "text_processing" / mended.name / "definition.toml"
    save_definition(mended, file)
    print(file.read_text(encoding="utf-8"))

    print("4. What was saved is what is loaded.")
    assert load_definition(file) == mended

    print("5. Validate it: the reference solution has to pass every example and every unit test.")
    report = validate_definition(file, judge=judge)
    for problem in report.problems:
        print(f"   {problem}")
    if report.execution:
        print(f"   examples {report.execution.examples_executed} of {len(mended.examples)}, ", end="")
        print(f"unit tests {report.execution.unit_tests_passed} of {len(mended.unit_tests)}")
    print(f"   {report.status}: {file}")
    return file


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="codejury-")))
    except CodejuryError as exc:
        sys.exit(f"error: {exc}")
