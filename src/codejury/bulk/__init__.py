"""Bulk judging: a file of answers in, the same lines with their verdicts out.

tasks      a `task_id` -> the definition it means
answers    one line of the input: checked, and copied to the output byte for byte
results    one line of the output: whose answer it is, and whether its verdict stands
plan       both files read before anything runs: what is wrong, what is done, what is left to do
verdicts   the judge's workers, kept busy; verdicts come back in order, equal code is judged once
output     the output file: locked, appended to, or rewritten whole
run        the plan carried out: what was void judged again, then what is missing appended
tally      how many passed, failed and stayed void

    plan = prepare(answers, definitions, output)
    tally = run(plan, judge, workers=2)

Neither file is ever held in memory. The output is written line by line, in the order of the input, so a run
that ends early, by whatever cause, leaves a file that the next run goes on with.
"""

from __future__ import annotations

from .plan import Plan, prepare
from .run import run
from .tally import Tally
from .tasks import Tasks

__all__ = ["Plan", "Tally", "Tasks", "prepare", "run"]
