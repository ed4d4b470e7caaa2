"""How the sandbox holds against folders of attacks.

    python bench/attacks.py FOLDER... [--level L3] [--cold] [--seconds S] [--only TEXT]

Each `.jl` file is a hostile candidate (codejury/selftest/attack_runner.py says what one looks like). For each
the table shows whether it was contained, how many tests it forged, whether it was named as tampering, and how
it ended.
The exit code is 1 if any got through.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from codejury.judge.sandbox.factory import SandboxFactory
from codejury.records import Limits
from codejury.selftest.attack_runner import Attack, AttackResult, AttackRunner, load_attacks, surroundings


def run_all(attacks: list[Attack], options: argparse.Namespace) -> list[AttackResult]:
    factory = SandboxFactory(level=options.level, cold=options.cold)
    with tempfile.TemporaryDirectory() as folder, surroundings(Path(folder)) as around:
        sandbox = factory()
        try:
            print(f"{len(attacks)} attacks, level {sandbox.level}, Julia {sandbox.julia_version}\n")
            runner = AttackRunner(sandbox, around, limits=Limits(seconds=options.seconds))
            return [_run(runner, attack) for attack in attacks]
        finally:
            sandbox.close()
            factory.close()


def _run(runner: AttackRunner, attack: Attack) -> AttackResult:
    started = time.monotonic()
    finding = runner.run(attack)
    seconds = time.monotonic() - started
    contained = "got through" if finding.breaches else "contained"
    forged = f"{finding.forged} forged" if finding.forged else "none forged"
    print(f"{attack.name:28} {contained:11} {forged:11} {seconds:6.2f} s  {_one_line(finding.ending)}")
    for remark in (*finding.breaches, *(f"tampering: {what}" for what in finding.tampering)):
        print(f"{'':28}   {_one_line(remark)}")
    return finding


def _one_line(text: str) -> str:
    """Hostile text is shown escaped: it must not drive the terminal."""
    return text.encode("unicode_escape").decode()[:160]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--level", help="less isolation than this machine gives")
    parser.add_argument("--cold", action="store_true", help="one process per candidate")
    parser.add_argument("--seconds", type=float, default=3.0, help="limit for each block")
    parser.add_argument("--only", default="", help="attacks whose name contains this")
    options = parser.parse_args()
    attacks = [attack for attack in load_attacks(*options.folders) if options.only in attack.name]
    if not attacks:
        parser.error("there is no such attack: no .jl file in these folders")
    findings = run_all(attacks, options)
    through = [finding.attack.name for finding in findings if finding.breaches]
    forgers = [finding.attack.name for finding in findings if finding.forged]
    print(f"\ncontained {len(findings) - len(through)} of {len(findings)}; got through: {through or 'none'}")
    print(f"forged a passed test: {forgers or 'none'}")
    return 1 if through or forgers else 0


if __name__ == "__main__":
    sys.exit(main())
