"""The category of an evaluation that does not name it: the folder above the test case's own."""

from __future__ import annotations

from pathlib import PurePosixPath


class Categories(dict[tuple[str, str], str]):
    """By folder (relative to the root) and test case, each worked out once."""

    def __init__(self, root: str) -> None:
        super().__init__()
        self._root = root

    def __missing__(self, place: tuple[str, str]) -> str:
        self[place] = category_of(f"{self._root}/{place[0]}", place[1])
        return self[place]


def category_of(folder: str, name: str) -> str:
    """The folder above the last one of that name; a doubled one counts once. "" if there is none.

    /results/utility_functions/clean_column/clean_column/gpt-4, clean_column -> utility_functions
    """
    parts = PurePosixPath(folder).parts
    if name not in parts:
        return ""
    first = len(parts) - 1 - parts[::-1].index(name)
    while first and parts[first - 1] == name:
        first -= 1
    return parts[first - 1].strip("/").encode(errors="replace").decode() if first else ""
