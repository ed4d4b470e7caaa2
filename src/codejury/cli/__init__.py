"""The command line. This file knows the commands by name; each lives in its own file, loaded when called.

main -> run -> the overview, or a command
             -> errors as one message on stderr, and the exit code

Exit codes: 0 done; 1 the answer is "no" (not valid, void); 2 bad input, or it could not be read;
70 a bug in Codejury; 130 stopped by Ctrl-C.

typer and rich take 0.1 to 0.4 s to import, so the overview does without them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TextIO

from .. import __version__
from ..errors import CodejuryError, suggestion
from ..program import command, started_as

if TYPE_CHECKING:
    import typer


BAD_INPUT: Final = 2
BUG: Final = 70
INTERRUPTED: Final = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of `codejury`."""

    home: str
    """The module in this package, and the function or typer.Typer in it."""
    summary: str
    """For the overview; the command's own help is its docstring."""
    examples: tuple[str, ...]


COMMANDS: Final = {
    "setup": Command(
        home="setup:setup",
        summary="Find Julia and bubblewrap, or install them without root.",
        examples=("codejury setup", "codejury setup --julia ~/julia-1.10/bin/julia"),
    ),
    "doctor": Command(
        home="doctor:doctor",
        summary="Show what this machine has for judging, and how to get what it lacks.",
        examples=("codejury doctor", "codejury doctor --json"),
    ),
    "selftest": Command(
        home="selftest:selftest",
        summary="Prove that this machine's Julia and sandbox judge as they should.",
        examples=("codejury selftest", "codejury selftest --full --json", "codejury selftest --level L2"),
    ),
    "demo": Command(
        home="demo:demo",
        summary="See a benchmark at work in a minute, without a key.",
        examples=("codejury demo",),
    ),
    "evaluate": Command(
        home="evaluate:evaluate",
        summary="Judge one answer, and show why.",
        examples=(
            "codejury evaluate wrap_words answer.md",
            "codejury evaluate my_cases/text/wrap_words answer.md --timeout 30",
            "cat answer.md | codejury evaluate wrap_words - --json",
        ),
    ),
    "judge": Command(
        home="judge:judge",
        summary="Judge a file of answers, one JSON object a line.",
        examples=(
            "codejury judge answers.jsonl --output verdicts.jsonl",
            "codejury judge answers.jsonl --definitions my_cases --output verdicts.jsonl --workers 4",
        ),
    ),
    "judge-server": Command(
        home="judge_server:app",
        summary="Show or stop the judge that stays warm between commands.",
        examples=("codejury judge-server status", "codejury judge-server stop"),
    ),
    "run": Command(
        home="run_benchmark:run",
        summary="Ask models, judge their answers, and store both.",
        examples=(
            "codejury run --model baseline/reference --model baseline/stub",
            "codejury run --model openai/gpt-4o-mini --samples 5 --budget 2 --dry-run",
            "codejury run --model ollama/qwen2.5-coder --temperature 0.2 --temperature 0.7 --experiment scan",
        ),
    ),
    "batches": Command(
        home="batches:batches",
        summary="List the batches that services are answering, or cancel one.",
        examples=("codejury batches", "codejury batches --cancel batch_123"),
    ),
    "prompts": Command(
        home="prompts:app",
        summary="List the prompt templates, or show one filled in.",
        examples=("codejury prompts", "codejury prompts show JuliaExpertAsk wrap_words"),
    ),
    "models": Command(
        home="models:models",
        summary="List models and services, which keys are set, and what they cost.",
        examples=("codejury models", "codejury models openai/gpt-4o --json"),
    ),
    "show": Command(
        home="show:show",
        summary="Show a stored answer with the verdict on each block.",
        examples=("codejury show evaluation__AsIs__1SHOT__20250131_120000__001.json",),
    ),
    "leaderboard": Command(
        home="leaderboard:leaderboard",
        summary="Rank models by their stored results, and say how sure that is.",
        examples=(
            "codejury leaderboard",
            "codejury leaderboard --by model --by prompt --since 2025-01-01",
            "codejury leaderboard --model 'openai/*' --pass-at 1 --pass-at 3 --format json",
            "codejury leaderboard --root code_generation --preset published --plot ranking.svg",
            "codejury leaderboard --julia 1.10.4 --julia 1.12.1",
        ),
    ),
    "compare": Command(
        home="compare:compare",
        summary="Compare two models, and tell what would separate them.",
        examples=("codejury compare openai/gpt-4o-mini ollama/qwen2.5-coder",),
    ),
    "power": Command(
        home="power:power",
        summary="Tell which differences a planned benchmark could resolve.",
        examples=(
            "codejury power --cases 20 --cases 60 --samples 5",
            "codejury power --root results/code_generation",
        ),
    ),
    "errors": Command(
        home="errors:errors",
        summary="Tell where points are lost, by kind of failure, with answers to open.",
        examples=(
            "codejury errors",
            "codejury errors --model 'openai/*' --examples 3",
            "codejury errors --root results/demo --plot failures.svg",
        ),
    ),
    "site": Command(
        home="site:app",
        summary="Show results as a web site: a board, pictures, and every answer.",
        examples=("codejury site build --root results/demo", "codejury site serve"),
    ),
    "rescore": Command(
        home="rescore:rescore",
        summary="Judge stored answers again, and tell which scores move and why.",
        examples=(
            "codejury rescore results --dry-run",
            "codejury rescore results --model 'openai/*' --all --json",
            "codejury rescore results --julia 1.10 --julia release",
        ),
    ),
    "verify": Command(
        home="verify:verify",
        summary="Check the stored answers and verdicts of a submission.",
        examples=(
            "codejury verify results --sample 200",
            "codejury verify submission --definitions code_generation --full --expect-samples 5",
        ),
    ),
    "import": Command(
        home="import_answers:import_answers",
        summary="Store and judge answers that were made elsewhere.",
        examples=("codejury import answers.jsonl --model my/model --save-dir results",),
    ),
    "export": Command(
        home="export:export",
        summary="Write stored answers as lines for other tools, or for training.",
        examples=(
            "codejury export results --output answers.jsonl",
            "codejury export results --format openai-chat --min-score 90 --output training.jsonl",
        ),
    ),
    "validate": Command(
        home="validate:validate",
        summary="Check definitions, and that their reference solutions pass.",
        examples=(
            "codejury validate",
            "codejury validate my_cases/text/wrap_words --watch",
            "codejury validate my_cases --no-run --json",
            "codejury validate my_cases/text/wrap_words --strength --repeats 20",
            "codejury validate my_cases --julia 1.10 --julia release",
        ),
    ),
    "suite": Command(
        home="suite:suite",
        summary="List the test cases, how strong they are, and how models fare on them.",
        examples=(
            "codejury suite",
            "codejury suite --results results --output suite.md",
            "codejury suite my_cases --stubs",
        ),
    ),
    "new": Command(
        home="new:new",
        summary="Start a test case: write a definition with blanks to fill in.",
        examples=(
            "codejury new text/wrap_words --contributor 'Ada L.' --solution wrap_words.jl",
            "codejury new 'performance/heat_step!' --kind speed",
            "codejury new debugging/wrap_words --kind fix --from wrap_words --root my_suite",
        ),
    ),
}


def main() -> None:
    """Run the command line of this process and end it."""
    _use_utf8()
    started_as(sys.argv[0], os.environ.get("PATH", os.defpath))
    # numpy multiplies small tables here. More threads are no faster, and those that wait for the next product
    # do so at full speed: a seventh of the processor time of a second build of the site.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # So it is with polars: hundreds of small tables, each of which wakes up all of its threads.
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    sys.exit(run(sys.argv[1:]))


def _use_utf8() -> None:
    """Start again in Python's UTF-8 mode, if files with letters of all languages could not be named else."""
    if sys.getfilesystemencoding() != "utf-8":
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    _escape_what_cannot_be_encoded()
    if os.environ.get("COLUMNS") == "0":  # of a terminal that does not know: in no columns, nothing is shown
        del os.environ["COLUMNS"]
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()  # here, where a closed pipe is expected, and not at the end of the process
    except CodejuryError as error:
        _complain(str(error))
        return int(getattr(error, "exit_code", BAD_INPUT))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        _print_nothing_more()
        return 1
    except OSError as error:  # a full disk, a right that is missing: nothing that we could fix
        where = f"{error.filename}: " if error.filename else "the output, or a file, cannot be written: "
        _print_nothing_more()
        _complain(f"{where}{error.strerror or error}")
        return BAD_INPUT
    except Exception:  # noqa: BLE001 - nobody above could tell of it
        _complain_about_ourselves()
        return BUG
    return code


def _dispatch(arguments: Sequence[str]) -> int:
    match list(arguments):
        case [] | ["-h" | "--help", *_]:
            _write(overview())
            return 0
        case ["--version"]:
            _write(f"codejury {__version__}")
            return 0
        case [name, *rest] if name in COMMANDS:
            return _run_command(name, rest)
        case [name, *_]:
            kind = "option" if name.startswith("-") else "command"
            known = suggestion(name, [*COMMANDS, "--help", "--version"])
            _complain(f"codejury has no {kind} {name!r}; {known}")
    return BAD_INPUT


def overview() -> str:
    """What `codejury --help` shows."""
    width = max(map(len, COMMANDS)) + 2
    commands = "\n".join(f"  {name:<{width}}{command.summary}" for name, command in COMMANDS.items())
    examples = "\n".join(f"  {command.examples[0]}" for command in COMMANDS.values())
    return (
        "Usage: codejury COMMAND [OPTIONS] [ARGUMENTS]\n\n"
        "A jury for the Julia code that language models write.\n\n"
        f"Commands:\n{commands}\n\n"
        f"Examples:\n{examples}\n\n"
        "`codejury COMMAND --help` explains a command; `codejury --version` shows the version."
    )


def _run_command(name: str, arguments: list[str]) -> int:
    import typer
    from typer.main import get_command

    try:
        code = get_command(_app(name)).main(args=arguments, prog_name=command(name), standalone_mode=False)
    except typer.Abort:  # the end of stdin, where a question was asked
        return 1
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        if said := _misuse(name, error):
            _complain(said)
        return BAD_INPUT
    return code if isinstance(code, int) else 0


def _misuse(name: str, error: Any) -> str:
    """What is wrong with a command line; "" where its help was shown instead.

    typer's own error, but that flags are suggested as all other names are.
    """
    option = getattr(error, "option_name", "")
    if option and getattr(error, "possibilities", None) is not None:
        flags = [flag for parameter in error.ctx.command.params for flag in parameter.opts]
        return f"codejury {name} has no option {option!r}; {suggestion(option, flags)}"
    message = error.format_message()
    return f"{message}\nTry: {command(name, '--help')}" if message else ""


def _app(name: str) -> typer.Typer:
    """The command as a typer application of its own."""
    from importlib import import_module

    import typer

    described = COMMANDS[name]
    module, _, attribute = described.home.partition(":")
    target = getattr(import_module(f".{module}", __name__), attribute)
    examples = "\n\n".join(("Examples:", *described.examples))
    if isinstance(target, typer.Typer):
        target.info.epilog = examples
        return target
    app = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    app.command(name, epilog=examples, context_settings={"help_option_names": ["-h", "--help"]})(target)
    return app


def _escape_what_cannot_be_encoded() -> None:
    """Escape what the terminal's encoding lacks, rather than fail."""
    from io import TextIOWrapper

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _print_nothing_more() -> None:
    """What is still buffered for stdout must go somewhere, or the end of the process would fail on it."""
    with suppress(OSError, ValueError):  # a test's stdout has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str) -> None:
    """Print an error. Its text can quote a model or a file, so nothing in it may steer the terminal."""
    from .render import error_console, safe_text

    with suppress(OSError):  # a stderr that is full as well
        error_console().print(safe_text(message), style="red", markup=False, highlight=False, soft_wrap=True)


def _complain_about_ourselves() -> None:
    import traceback

    _write(traceback.format_exc(), sys.stderr)
    _complain(f"This is a bug in codejury {__version__}. Please report it with the lines above.")


def _write(text: str, stream: TextIO | None = None) -> None:
    (stream or sys.stdout).write(f"{text}\n")
