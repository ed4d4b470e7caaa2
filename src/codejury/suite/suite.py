"""Several definitions at once: one that cannot be used never stops the others.

Suite   reads each file once, when it is first asked for, and finds test cases by name
Notes   what a command has to say about the definitions it asked for: those left out, and the warnings
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..errors import DefinitionError, InputError, Problem
from ..judge.toolchain.environment import PROJECT, dependencies, environment_above
from ..program import command
from ..records import Packages, TestCase
from .load import Reading, read_definition
from .toml_file import FILE_NAME, absolute


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteNotes:
    """What is to be said about definitions."""

    left_out: tuple[Problem, ...] = ()
    """All problems of the definitions that cannot be used; () if all can."""
    warnings: tuple[Problem, ...] = ()
    """Of those that are used."""

    @property
    def files_left_out(self) -> int:
        return len({problem.file for problem in self.left_out})

    @property
    def files_with_warnings(self) -> int:
        return len({problem.file for problem in self.warnings})

    @property
    def place(self) -> Path | None:
        """The folder that holds all definitions with warnings: what to validate in order to see them."""
        folders = {absolute(problem.file).parent for problem in self.warnings if problem.file}
        return Path(os.path.commonpath(folders)) if folders else None


class Suite:
    """Some definitions, found by their names; each file is read once, when it is first needed."""

    def __init__(self, files: Iterable[Path]) -> None:
        self.files = tuple(files)
        self._readings: dict[Path, Reading] = {}
        self._asked: dict[Path, None] = {}
        self._by_folder = _by_key((file, absolute(file).parent.name) for file in self.files)
        self._by_other_name: dict[str, list[Path]] | None = None

    @classmethod
    def below(cls, *roots: str | Path) -> Suite:
        """All definitions at or below the roots; those of the suite in use without roots."""
        return cls(find_definitions(*roots))

    @property
    def keys(self) -> list[str]:
        """What the test cases can be asked for by, as their folders say: each `name` and `category/name`."""
        return list(self._by_folder)

    def find(self, key: str) -> list[Path]:
        """The files that a test case's `name`, or `category/name`, may mean; [] if there is none.

        As a rule the folder has that name. Where the name in the file is another, that one counts first:
        answers are stored under it.
        """
        in_folder = self._by_folder.get(key, [])
        fitting = [file for file in in_folder if self._other_name(file) is None]
        return fitting or self._under_other_names().get(key) or in_folder

    def key_of(self, file: Path) -> str:
        """`category/name` of one of the files; by its folder if it cannot be used."""
        folder = absolute(file).parent
        return f"{folder.parent.name}/{self._other_name(file) or folder.name}"

    def load(self, file: Path) -> TestCase:
        """The test case of one of the files. Raises DefinitionError if it cannot be used."""
        self._asked[file] = None
        reading = self._read(file)
        if reading.test_case is None:
            raise DefinitionError(reading.problems)
        return reading.test_case

    def usable(self, files: Sequence[Path] | None = None) -> list[TestCase]:
        """The test cases of these files, or of all, without those that cannot be used.

        Raises DefinitionError, with the problems of all of them, if none can be.
        """
        wanted = self.files if files is None else files
        self._asked.update(dict.fromkeys(wanted))
        cases = [case for file in wanted if (case := self._read(file).test_case)]
        if wanted and not cases:
            raise DefinitionError([problem for file in wanted for problem in self._read(file).problems])
        return cases

    @property
    def packages(self) -> Packages:
        """The Julia packages of the test cases that were asked for."""
        return packages_of(case for file in self._asked if (case := self._read(file).test_case))

    def notes(self) -> SuiteNotes:
        """What is to be said about the definitions that were asked for."""
        left_out: list[Problem] = []
        warnings: list[Problem] = []
        for file in self._asked:
            reading = self._read(file)
            (left_out if reading.test_case is None else warnings).extend(reading.problems)
        return SuiteNotes(left_out=tuple(left_out), warnings=tuple(warnings))

    def _read(self, file: Path) -> Reading:
        if file not in self._readings:
            self._readings[file] = read_definition(file)
        return self._readings[file]

    def _other_name(self, file: Path) -> str | None:
        """The name in the file if it is not the folder's; None if it is, or if the file cannot be used."""
        case = self._read(file).test_case
        same = case is None or _plain(case.name) == _plain(absolute(file).parent.name)
        return None if same or case is None else case.name

    def _under_other_names(self) -> dict[str, list[Path]]:
        if self._by_other_name is None:
            named = ((file, self._other_name(file)) for file in self.files)
            self._by_other_name = _by_key((file, name) for file, name in named if name is not None)
        return self._by_other_name


def packages_of(cases: Iterable[TestCase], environment: Path | None = None) -> Packages:
    """What these need, from the environment that was asked for, else that of their suite, else the bundled.

    InputError if they belong to several: a judge has one.
    """
    cases = list(cases)
    names = tuple(sorted({name for case in cases for name in case.imports}))
    if environment is not None:
        return Packages(names, environment)
    folders = {folder for case in cases if case.path and (folder := environment_above(case.path))}
    if len(folders) > 1:
        both = " and ".join(map(str, sorted(folders)[:2]))
        raise InputError(
            f"{both} are two Julia environments; judge their test cases "
            "one after the other, or name one with --environment"
        )
    return Packages(names, next(iter(folders), None) or bundled_suite())


def packages_folder() -> Path:
    """Where the packages of the suite in use are listed: in the suite itself, else in the bundled one."""
    folder = suite_in_use().absolute()
    return folder if (folder / PROJECT).is_file() else bundled_suite()


def setup_command(missing: Iterable[str], environment: Path | None) -> str:
    """What installs packages that are missing: `codejury setup --packages`."""
    if environment is None or environment.resolve() == bundled_suite().resolve():
        listed = dependencies(bundled_suite())
        ours = all(name.partition(".")[0] in listed for name in missing)
        where = "" if ours else " --environment <the folder of their suite>"
        return command("setup", "--packages") + where
    return command("setup", "--packages", "--environment", str(environment))


def _by_key(named: Iterable[tuple[Path, str]]) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for file, name in named:
        for key in (name, f"{absolute(file).parent.parent.name}/{name}"):
            found.setdefault(key, []).append(file)
    return found


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name)  # some file systems store ö as two characters


# ---- Which definitions there are: below folders, and in the suite that comes with Codejury.


def find_definitions(*roots: str | Path) -> list[Path]:
    """The definitions at or below each root, sorted within it, each once; the suite in use without roots.

    Raises InputError for a root that does not exist or holds none: in an empty suite every model would pass.
    """
    found: dict[Path, Path] = {}
    for root in map(Path, roots or (suite_in_use(),)):
        for file in _at_or_below(root):
            found.setdefault(file.resolve(), file)
    return list(found.values())


def definitions_of_results(root: Path, chosen: Path | None = None) -> list[Path]:
    """Those that stored answers are about: in the chosen folder, else beside the answers, else in use."""
    return find_definitions(suite_of_results(root, chosen))


def suite_of_results(root: Path, chosen: Path | None = None) -> Path:
    """The folder of the definitions that stored answers are about."""
    if chosen is not None:
        return chosen
    return root if root.is_dir() and next(_walk(root), None) else suite_in_use()


def _at_or_below(root: Path) -> list[Path]:
    if root.is_file():
        return [root]
    if not root.is_dir():
        raise InputError(f"{root}: there is no such file or folder")
    files = sorted(_walk(root))
    if not files:
        raise InputError(f"{root}: no {FILE_NAME} in this folder or below it")
    return files


def _walk(root: Path) -> Iterator[Path]:
    for folder, subfolders, files in os.walk(root):
        if FILE_NAME in files:
            yield Path(folder, FILE_NAME)
            subfolders.clear()  # below it are the stored answers of models, thousands of files
        subfolders[:] = [name for name in subfolders if not name.startswith(".")]


def suite_in_use() -> Path:
    """The suite that is meant where none is named.

    That is `definitions` of the `codejury.toml` in this folder, else `code_generation` in this folder if it
    holds definitions, else the one that comes with Codejury.
    """
    from ..configuration import load_configuration

    if chosen := load_configuration(None).run.definitions:
        return chosen
    here = Path.cwd() / "code_generation"
    with suppress(InputError):  # this installation may have none of its own
        if here.resolve() == bundled_suite().resolve():
            return bundled_suite()
    return here if any(here.glob(f"*/*/{FILE_NAME}")) else bundled_suite()


def bundled_suite() -> Path:
    """The folder `code_generation` that comes with Codejury: in the package, or beside `src`."""
    package = Path(__file__).parents[1]
    for home in (package, package.parents[1]):
        if (suite := home / "code_generation").is_dir():
            return suite
    raise InputError(f"{package}: the bundled test cases are missing; install codejury again")
