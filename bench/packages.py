"""Measure what Julia packages cost: the start of a server, its memory, and the time of a verdict.

    python bench/packages.py [--environment DIR] [--package NAME --test CODE] [--count N]

Compared are a server for test cases without packages and one that holds the package loaded, on the same small
answers, in turns. The exit code is 1 where a warm verdict with packages takes more than 1.5 times as long.
Then the time of an answer that uses the package is printed, on a server that holds it and on one that does
not.

DIR is an environment that `codejury setup --packages --environment DIR` has installed. Without it, packages
of about the size of DataFrames and all that it needs are made, served on loopback and installed into a folder
that is removed afterwards: that takes a minute or two.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from codejury.judge.extract.snippets import find_snippets
from codejury.judge.sandbox.compiled import compile_judge
from codejury.judge.sandbox.factory import SandboxFactory
from codejury.judge.sandbox.forkserver import VERY_MANY_JOBS, ForkServerSandbox
from codejury.judge.sandbox.packages import install_packages
from codejury.judge.toolchain.find import find_bubblewrap, find_julia
from codejury.records import BlockKind, Job, Packages
from codejury.settings import Settings, load_settings
from fakes import a_case
from package_server import Package, served, uuid_of

MOST = 1.5
PARTS = 16
METHODS = 400
"""Of each part: together about as many as DataFrames and what it needs."""
TURNS = 5
PAGE = os.sysconf("SC_PAGESIZE")


@dataclass(frozen=True)
class Subject:
    """The packages to measure, installed."""

    settings: Settings
    environment: Path
    package: str
    test: str
    """A unit test that uses the package."""


def part(number: int) -> Package:
    """One package with many small methods; it needs the one before it."""
    before = f"Part{number - 1}" if number else ""
    methods = "\n".join(
        f"work{m}(x::Vector{{T}}, y = {m}) where T = mapreduce(i -> (i + y) % {m + 2}, +, x; init = zero(T))"
        if m % 2
        else f'work{m}(s::AbstractString) = join(reverse(split(s, "{chr(97 + m % 26)}")), "-")'
        for m in range(METHODS)
    )
    return Package(
        name=f"Part{number}",
        needs=(before,) if before else (),
        code=(f"using {before}\n" if before else "")
        + f'{methods}\nwork() = work1([1, 2, 3]) + length(work2("abc"))',
    )


@contextmanager
def made_subject() -> Iterator[Subject]:
    """Packages made for this, in a cache that is thrown away."""
    last = f"Part{PARTS - 1}"
    with tempfile.TemporaryDirectory() as folder, served([part(n) for n in range(PARTS)]) as server:
        Path(folder).chmod(0o755)
        environment = Path(folder, "suite")
        environment.mkdir()
        (environment / "Project.toml").write_text(f'[deps]\n{last} = "{uuid_of(last)}"\n')
        calls = "\n".join(f"{last}.work{m}({'[1, 2]' if m % 2 else repr_julia(m)})" for m in range(METHODS))
        (environment / "warmup.jl").write_text(f"using {last}\n{calls}\n")
        here = load_settings()
        julia, bubblewrap = find_julia(here), find_bubblewrap(here)
        assert julia, "no Julia: run `codejury setup`"
        assert bubblewrap, "no bubblewrap: run `codejury setup`"
        settings = replace(
            here,
            cache=Path(folder, "cache"),
            julia=str(julia.launcher),
            path=f"{bubblewrap.parent}:{here.path}",
            download_environment={"JULIA_PKG_SERVER": server.url},
        )
        installed = install_packages(environment, julia, bubblewrap, settings, lambda *_: None)
        assert not installed.problems, installed.problems
        for seen in (julia, installed.seen_by(julia)):
            compile_judge(seen, settings.cache, lambda *_: None)
        yield Subject(settings, environment, last, f"@test {last}.work() isa Integer")


def repr_julia(number: int) -> str:
    return f'"a{number}b"'


def job(code: str, *tests: str, imports: tuple[str, ...] = ()) -> Job:
    case = replace(a_case(), imports=imports, examples=(), unit_tests=tests)
    return Job(test_case=case, snippets=find_snippets(f"```julia\n{code}\ndouble(x) = 2x\n```"))


def started(subject: Subject, names: tuple[str, ...]) -> tuple[ForkServerSandbox, float]:
    """A server that holds these packages, and the seconds until it was ready."""
    factory = SandboxFactory(packages=Packages(names, subject.environment), settings=subject.settings)
    began = time.perf_counter()
    server = factory.server(names)
    assert isinstance(server, ForkServerSandbox), factory.note
    return server, time.perf_counter() - began


def seconds_each(server: ForkServerSandbox, what: Job, count: int) -> float:
    began = time.perf_counter()
    for _ in range(count):
        execution = server.execute(what)
        assert all(block.passed for block in execution.of_kind(BlockKind.UNIT_TEST)), execution
    return (time.perf_counter() - began) / count


def megabytes(pid: int) -> float:
    """Of a process and all below it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * PAGE / 2**20 + sum(megabytes(int(child)) for child in children)


def measure(subject: Subject, count: int) -> bool:
    """Print all numbers; whether a verdict is cheap enough."""
    plain_job = job("", "@test double(1) == 2", "@test double(2.5) == 5.0")
    own_job = job(f"using {subject.package}", subject.test, imports=(subject.package,))
    plain, plain_start = started(subject, ())
    with closing(plain):
        loaded, loaded_start = started(subject, (subject.package,))
        with closing(loaded):
            servers = {"without packages": plain, f"with {subject.package}": loaded}
            starts = dict(zip(servers, (plain_start, loaded_start), strict=True))
            for server in servers.values():
                seconds_each(server, plain_job, VERY_MANY_JOBS)  # until it has settled in
            turns = [[seconds_each(s, plain_job, count) for s in servers.values()] for _ in range(TURNS)]
            times = dict(zip(servers, map(statistics.median, zip(*turns, strict=True)), strict=True))
            for name, server in servers.items():
                memory = megabytes(server.worker_pid)
                print(
                    f"server {name}: ready in {starts[name]:.1f} s, {memory:.0f} MB, "
                    f"{1000 * times[name]:.1f} ms a verdict"
                )
            for name, server in servers.items():
                own = seconds_each(server, own_job, TURNS)
                print(f"an answer that uses {subject.package}, on the server {name}: {1000 * own:.0f} ms")
    ratio = times[f"with {subject.package}"] / times["without packages"]
    print(f"a verdict with packages takes {ratio:.2f} times as long; at most {MOST}")
    return ratio <= MOST


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--environment", type=Path)
    parser.add_argument("--package", default="DataFrames", help="of the environment")
    parser.add_argument("--test", default="@test nrow(DataFrame(a = [1, 2])) == 2", help="that uses it")
    parser.add_argument("--count", type=int, default=50, help="verdicts of a turn")
    options = parser.parse_args()
    if options.environment:
        subject = Subject(load_settings(), options.environment.absolute(), options.package, options.test)
        return 0 if measure(subject, options.count) else 1
    with made_subject() as subject:
        return 0 if measure(subject, options.count) else 1


if __name__ == "__main__":
    sys.exit(main())
