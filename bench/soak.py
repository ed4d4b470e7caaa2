"""Look for slowness and leaks: ten thousand candidates through one worker.

    python bench/soak.py [FOLDER] [--count N]

Prints the time of the last thousand over that of the first, on the clock and on the processor (which says
more on a busy machine), how many candidates died in the forked process and not in a cold one, and memory,
descriptors, processes and scratch before and after. FOLDER as in bench/judge.py.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from answers import answers_folder, load_candidates

from codejury.judge.sandbox.factory import SandboxFactory
from codejury.judge.sandbox.forkserver import ForkServerSandbox
from codejury.records import Ending

SLOW = {Ending.TIMED_OUT, Ending.OUT_OF_MEMORY}


def footprint(worker_pid: int) -> dict[str, int]:
    """What we and our worker hold at this moment."""
    tree = processes_below(os.getpid())
    return {
        "our memory, KB": resident_kb(os.getpid()),
        "worker's memory, KB": max(resident_kb(pid) for pid in processes_below(worker_pid) | {worker_pid}),
        "our descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "processes": len(tree),
        "scratch folders": len(list(Path(tempfile.gettempdir()).glob("codejury-*"))),
    }


def processes_below(pid: int) -> set[int]:
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        children = {int(child) for thread in threads for child in (thread / "children").read_text().split()}
    except OSError:
        return set()
    return children.union(*(processes_below(child) for child in children))


def processor_seconds(worker_pid: int) -> float:
    """What the server and all its children have used so far."""
    ticks = 0
    for pid in processes_below(worker_pid) | {worker_pid}:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(int(field) for field in fields[11:15])  # own and children's, user and system
    return ticks / os.sysconf("SC_CLK_TCK")


def resident_kb(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=answers_folder, nargs="?")
    parser.add_argument("--count", type=int, default=10_000)
    options = parser.parse_args()

    sandbox = SandboxFactory()()
    assert isinstance(sandbox, ForkServerSandbox)
    drawn = load_candidates(options.folder, 100)
    verdicts = {id(candidate): sandbox.execute(candidate.job) for candidate in drawn}
    quick = [c for c in drawn if not SLOW & {block.ending for block in verdicts[id(c)].blocks}]
    before = footprint(sandbox.worker_pid)

    clock, processor = [time.perf_counter()], [processor_seconds(sandbox.worker_pid)]
    tenth = options.count // 10
    deaths = changed = 0
    for number in range(options.count):
        candidate = quick[number % len(quick)]
        execution = sandbox.execute(candidate.job)
        expected = [block.ending for block in verdicts[id(candidate)].blocks]
        for note in execution.notes:
            deaths += 1
            print(f"candidate {number}: {note}")
        if [block.ending for block in execution.blocks] != expected:
            changed += 1
            print(f"candidate {number}: the verdict changed: {execution.blocks}")
        if (number + 1) % tenth == 0:
            clock.append(time.perf_counter())
            processor.append(processor_seconds(sandbox.worker_pid))
            each = [1000 * (marks[-1] - marks[-2]) / tenth for marks in (clock, processor)]
            print(
                f"{number + 1:6} candidates, {each[0]:.1f} ms each, {each[1]:.1f} ms of processor", flush=True
            )
    after = footprint(sandbox.worker_pid)
    sandbox.close()

    for name, marks in (("clock", clock), ("processor", processor)):
        print(f"last tenth / first tenth, {name}: {(marks[-1] - marks[-2]) / (marks[1] - marks[0]):.3f}")
    print(f"deaths that a cold process did not have: {deaths} of {options.count}")
    print(f"verdicts that changed: {changed}")
    for name in before:
        print(f"{name:22} {before[name]:>10} -> {after[name]:>10}")
    print(f"processes left after closing: {len(processes_below(os.getpid()))}")


if __name__ == "__main__":
    main()
