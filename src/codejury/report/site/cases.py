"""The pages of the test cases: how all models do on each, and on each single unit test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from ...judge.score import definition_hash
from ...records import TaskKind, TestCase
from .content import Content, first_address, heat_cells
from .formatting import counted
from .pages import slug
from .tables import Row

if TYPE_CHECKING:
    import polars as pl


def cases_page(content: Content) -> Row:
    return {
        **content.shared,
        "here": "cases.html",
        "cases": [
            {
                **case,
                "best": _best(content, case["test_case"]),
                "definition": content.world.definitions.get(case["test_case"]),
            }
            for case in content.cases
        ],
    }


def _models_of(content: Content, test_case: str) -> list[Row]:
    """The models on one test case, the best first."""
    found = [row for (name, _), row in content.pairs.items() if name == test_case]
    found.sort(
        key=lambda row: (row["score"] is None, -(row["solved"] or 0.0), -(row["score"] or 0.0), row["model"])
    )
    return [
        {
            **row,
            "slug": slug(row["model"]),
            "address": first_address(content, test_case, row["model"]),
        }
        for row in found
    ]


_KINDS_SAID: Final = {
    TaskKind.WRITE: "to be written anew", TaskKind.FIX: "a fault to be fixed",
    TaskKind.EXTEND: "given code to be extended", TaskKind.TRANSLATE: "to be translated",
    TaskKind.SPEED: "given code to be made faster", TaskKind.TEST: "tests to be written",
}  # fmt: skip


def _solvers(models: list[Row]) -> list[tuple[str, list[Row]]]:
    """The models by how many of their answers solve a test case: all, some, none, or nothing is known."""
    parts: dict[str, list[Row]] = {"Always": [], "Sometimes": [], "Never": [], "Void": []}
    for model in models:
        solved = model["solved"]
        part = "Void" if solved is None else "Always" if solved >= 100 else "Sometimes" if solved else "Never"
        look = {"Always": "pass", "Never": "fail"}.get(part, "void")
        parts[part].append({**model, "look": look})
    return list(parts.items())


def _best(content: Content, test_case: str) -> Row | None:
    best = _models_of(content, test_case)[0]
    return best if best["score"] is not None else None


def case_pages(content: Content) -> dict[str, Row]:
    """The contexts of all test cases' pages."""
    from ...results.statistics.missed import missed_tests, strong_models, unit_test_rates

    cases = content.world.definitions
    rates = unit_test_rates(
        content.world.frame, {name: definition_hash(case) for name, case in cases.items()}
    )
    by_case = rates.partition_by("test_case", as_dict=True)
    missed = missed_tests(rates, strong_models(content.board.ranked))
    marked = list(missed.select("test_case", "index").iter_rows())
    return {
        row["test_case"]: {
            **content.shared,
            "here": "",
            "row": row,
            "case": cases.get(row["test_case"]),
            "models": _models_of(content, row["test_case"]),
            "solvers": _solvers(_models_of(content, row["test_case"])),
            "kinds_said": _KINDS_SAID,
            "audit": [index + 1 for test_case, index in marked if test_case == row["test_case"]],
            **_unit_tests(content, cases.get(row["test_case"]), by_case.get((row["test_case"],))),
        }
        for row in content.cases
    }


def _unit_tests(content: Content, case: TestCase | None, rates: pl.DataFrame | None) -> Row:
    """Each unit test with how many pass it, and each model on each of them."""
    if case is None:
        note = "The definition of this test case is not here; --definitions names the folder that has it."
        return {"notes": [note], "tests": [], "hardest": None, "by_test": []}
    if rates is None:
        note = (
            "How single unit tests went is not known: the answers were judged by another version of this "
            "definition, or by the predecessor, which recorded counts only."
        )
        return {"notes": [note], "tests": _tests(case, {}), "hardest": None, "by_test": []}
    tests = _tests(case, _shares(rates))
    return {
        "notes": _left_out(content, case),
        "tests": tests,
        "hardest": _hardest(tests),
        "by_test": _by_test(content, case, rates),
    }


def _tests(case: TestCase, shares: Mapping[int, float]) -> list[Row]:
    return [
        {"number": index + 1, "code": code.strip(), "share": shares.get(index)}
        for index, code in enumerate(case.unit_tests)
    ]


def _hardest(tests: list[Row]) -> Row | None:
    """The test that the fewest answers pass, if they are not all alike."""
    known = sorted((test["share"], test["number"], test) for test in tests if test["share"] is not None)
    return known[0][2] if known and known[0][0] < known[-1][0] else None


def _shares(rates: pl.DataFrame) -> dict[int, float]:
    """Of all answers, whoever gave them."""
    passed: dict[int, float] = {}
    answers: dict[int, int] = {}
    for row in rates.iter_rows(named=True):
        passed[row["index"]] = passed.get(row["index"], 0.0) + row["share"] * row["answers"]
        answers[row["index"]] = answers.get(row["index"], 0) + row["answers"]
    return {index: passed[index] / answers[index] for index in passed}


def _left_out(content: Content, case: TestCase) -> list[str]:
    frame = content.world.frame
    own = frame.filter((frame["test_case"] == case.name) & (frame["outcome"] != "void"))
    others = own.filter(own["definition_hash"].fill_null("") != definition_hash(case)).height
    if not others:
        return []
    return [
        f"{counted(others, 'answer')} judged by another version of this definition count in the scores, "
        "and not in what is said about single unit tests."
    ]


def _by_test(content: Content, case: TestCase, rates: pl.DataFrame) -> list[Row]:
    found: dict[str, dict[int, float]] = {}
    for row in rates.iter_rows(named=True):
        found.setdefault(row["model"], {})[row["index"]] = row["share"]
    models = [row["model"] for row in _models_of(content, case.name) if row["model"] in found]
    return [
        {
            "model": model,
            "slug": slug(model),
            "cells": heat_cells(
                [_percent(found[model].get(index)) for index in range(len(case.unit_tests))],
                [f"../answer.html#{first_address(content, case.name, model)}"] * len(case.unit_tests),
            ),
        }
        for model in models
    ]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
