"""What is written about analysing results is true: its code runs, its example too."""

from __future__ import annotations

import inspect
import re
import runpy
from pathlib import Path

import pytest
from test_cli_results import CASES, STRONG, WEAK, publish

from codejury.cli.compare import compare
from codejury.cli.leaderboard import leaderboard
from codejury.cli.power import power
from codejury.cli.result_plots import PlotKind
from codejury.results.statistics.tables import COLUMNS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "analysis.md").read_text(encoding="utf-8")


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder `results` with two models on eight test cases, each answered twice."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CODEJURY_CACHE", str(tmp_path / "cache"))
    for model, passed in (("strong", STRONG), ("weak", WEAK)):
        for case, tests in zip(CASES, passed, strict=True):
            for number in (1, 2):
                publish(tmp_path / "results", model, case, max(tests - number + 1, 0), number=number)
    return tmp_path / "results"


def test_the_code_of_the_document_runs_from_top_to_bottom(results, capsys):
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE.partition("## Tables")[2], re.DOTALL):
        exec(compile(code, "docs/analysis.md", "exec"), names)
    said = capsys.readouterr().out
    assert "strong" in said
    assert "p_joint" in said
    assert "Elapsed" in said


def test_the_example_summarises_a_folder(results, capsys):
    table = runpy.run_path(str(ROOT / "examples" / "summarize_results.py"))["main"](results)
    said = capsys.readouterr().out
    assert table["model"].to_list() == ["strong", "weak"]
    assert "32 answers, 0 of them void" in said
    assert "2 to 2    weak" in said
    assert "strong - weak: +" in said
    assert "wins 5 to 0 on 8 test cases" in said


def test_the_document_names_every_column_and_every_kind_of_picture():
    assert [name for name in (*COLUMNS, *PlotKind) if f"`{name}`" not in PAGE] == []


@pytest.mark.parametrize("command", [leaderboard, compare, power])
def test_the_document_names_every_option(command):
    named = {"style": "--format", "probability": "--power", "a": "compare", "b": "compare"}
    options = [
        named.get(name, f"--{name.replace('_', '-')}") for name in inspect.signature(command).parameters
    ]
    assert [option for option in options if option not in PAGE] == []
