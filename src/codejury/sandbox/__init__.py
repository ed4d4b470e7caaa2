"""The only room that runs Julia. Reports facts, never points.

open_sandbox()   the best sandbox this machine can give

forkserver.py    one warm Julia, one locked-down child per candidate
oneshot.py       one cold process per candidate: slower, needs no fork
fake.py          for tests
execution.py     from a job to facts, shared by both runners
worker.py        a Julia process of ours and the conversation with it
wire.py          the encoding of that conversation
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
