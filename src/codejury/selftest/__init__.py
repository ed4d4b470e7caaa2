"""Does judging work here? Tried on this machine, with this Julia and this sandbox.

examine_machine -> Machine -> run_selftest -> Checks, one after the other
judge_once      the shortest form: one worker, one verdict

checks.py         the nouns: Check, and the Trial that becomes one
machine.py        which Julia and which level are tried, and why nothing is where nothing can be
bench.py          a sandbox that one trial opens and the next ones use
isolation.py      the group `isolation`: bubblewrap, namespaces, seccomp, Landlock
startup.py        `start-up`: workers start and prove themselves, at each level
judging.py        `judging` and `cold judging`: short jobs with the ending that each must have
suite.py          `suite`: reference solutions and submissions of the bundled suite
attacking.py      `attacks`: hostile candidates
attack_runner.py  how those are run, and what is looked at after each
attacks/          the hostile candidates
"""

from __future__ import annotations

from .checks import Check, State
from .machine import Machine, examine_machine
from .once import FirstVerdict, judge_once
from .running import GROUPS, run_selftest

__all__ = [
    "GROUPS",
    "Check",
    "FirstVerdict",
    "Machine",
    "State",
    "examine_machine",
    "judge_once",
    "run_selftest",
]
