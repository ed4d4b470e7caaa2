"""Is a definition fit for the exam? Its shape first; then its own solutions sit the exam.

running       validate_definition, validate_all -> ValidationReport: shapes, then runs, side by side
faults        from a run of the reference solution to the blocks it does not pass
submissions   from the runs of the other solutions: a right one fails, a wrong one passes everything
report        the nouns: Status, RunProblem, SubmissionResult, ValidationReport
"""

from __future__ import annotations

from .faults import report_on, run_problems
from .report import RunProblem, Status, SubmissionResult, ValidationReport
from .running import RunsCode, StartsJudge, validate_all, validate_definition

__all__ = [
    "RunProblem",
    "RunsCode",
    "StartsJudge",
    "Status",
    "SubmissionResult",
    "ValidationReport",
    "report_on",
    "run_problems",
    "validate_all",
    "validate_definition",
]
