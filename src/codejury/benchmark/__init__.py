"""The main job: ask models, judge their answers, store both. Knows the order; emits events; never prints.

options        what is wanted                       contestants    the models, resolved
combinations   model x prompt x case x parameters   plan           what is wanted, minus what is on the disk
expectation    tokens and USD, guessed before       budget         the same, counted meanwhile
engine         one run
 ├ asking        request -> answer on the disk      desk           the queue of one model
 ├ judging       answer -> verdict on the disk      repair         what a model is told about its verdict
 ├ shelf         an answer, put on the disk          places         folders and descriptors, checked before
                                                    packages       what can be judged here
 └ events        what happens, as it happens        tally          the events, counted
standings      how all models stand, from the disk  locks          one run at a time
benchmark      the door for programs: run_benchmark, stream_benchmark, Benchmark
"""

from __future__ import annotations

from .benchmark import Benchmark, run_benchmark, stream_benchmark
from .events import Event, OnEvent, event_to_dict
from .options import RunOptions
from .plan import RunPlan
from .standings import Standing
from .tally import ModelTally, Tally

__all__ = [
    "Benchmark",
    "Event",
    "ModelTally",
    "OnEvent",
    "RunOptions",
    "RunPlan",
    "Standing",
    "Tally",
    "event_to_dict",
    "run_benchmark",
    "stream_benchmark",
]
