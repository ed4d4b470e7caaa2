"""Ask a Julia about itself: run describe.jl with it and read the facts it prints."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..errors import ToolchainError
from .apt import last_lines

SCRIPT: Final = Path(__file__).with_name("describe.jl")
_SECONDS = 120  # a first start on a slow disk, or juliaup fetching what it was told to use


@dataclass(frozen=True, slots=True)
class Facts:
    """Lines of the script, split: a name, then values."""

    lines: tuple[tuple[str, ...], ...]

    def rows(self, name: str) -> list[tuple[str, ...]]:
        """The values of every line with this name."""
        return [line[1:] for line in self.lines if line[0] == name]

    def texts(self, name: str) -> list[str]:
        """The first value of every line with this name."""
        return [row[0] for row in self.rows(name)]

    def paths(self, name: str) -> list[Path]:
        """Likewise, as paths."""
        return [Path(text) for text in self.texts(name)]

    @property
    def version(self) -> str:
        return self.texts("version")[0]

    @property
    def executable(self) -> Path:
        return self.paths("executable")[0]

    @property
    def image(self) -> Path:
        return self.paths("image")[0]

    @property
    def variables(self) -> dict[str, str]:
        """The variables its launcher has set for it."""
        return {row[0]: row[1] for row in self.rows("variable")}


def ask(launcher: Path) -> Facts:
    """What the Julia behind `launcher` says about itself. ToolchainError if it does not work."""
    command = [str(launcher), "--startup-file=no", "--history-file=no", "--compiled-modules=no", str(SCRIPT)]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except OSError as error:
        raise ToolchainError(f"{launcher} cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise ToolchainError(f"{launcher} gave no answer within {_SECONDS} seconds") from None
    printed = done.stdout.decode(errors="replace").splitlines()
    # The script ends with `end`: without it, something else printed or it was cut short.
    if done.returncode != 0 or printed[-1:] != ["end"]:
        said = last_lines(done.stderr.decode(errors="replace")) or "    (nothing)"
        raise ToolchainError(
            f"{launcher} does not work as a Julia (exit code {done.returncode}); it said:\n{said}"
        )
    return Facts(tuple(tuple(line.split("\t")) for line in printed))
