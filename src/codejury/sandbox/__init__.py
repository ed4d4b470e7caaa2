"""The only room that runs Julia. Reports facts, never points.

open_sandbox()   the best sandbox this machine can give

forkserver.py    one warm Julia, one locked-down child per candidate
oneshot.py       one cold process per candidate: slower, needs no fork
fake.py          for tests
execution.py     from a job to facts, shared by both runners
clock.py         how much of an answer's time is left
turnstile.py     who runs beside whom, and which time-out counts
worker.py        a Julia process of ours and the conversation with it
watch.py         following one run of it, and keeping its limits
run.py           what came back from that run
wire.py          the encoding of that conversation
scratch.py       folders of the host that candidates write to
launch.py        how Julia is started at each level of isolation
compiled.py      its code, compiled in advance
probe.py         which level this machine gives, by trying (trial.py)
bubblewrap.py, landlock.py, seccomp.py, stepdown.py    the means
julia/           what runs inside
"""

from __future__ import annotations

from .factory import SandboxFactory, open_sandbox
from .protocol import Sandbox

__all__ = ["Sandbox", "SandboxFactory", "open_sandbox"]
