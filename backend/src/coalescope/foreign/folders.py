# SPDX-License-Identifier: Apache-2.0
"""Which files lie beside which run: those in the folders of its files, and in all above. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from coalescope.foreign.registry import ReadFile


def folder_of(name: str) -> str:
    """The folder that a file is in; empty for the outermost."""
    folder = str(PurePosixPath(name).parent)
    return "" if folder == "." else folder


def folders_above(names: Iterable[str]) -> set[str]:
    """The folders that these files are in, and those that these are in."""
    found = {""}
    for folder in {folder_of(name) for name in names}:
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]  # noqa: PLW2901  upwards
    return found


class Folders:
    """Files by their folders, and how many runs lie below each."""

    def __init__(self, files: Sequence[ReadFile], runs: Iterable[Iterable[str]]) -> None:
        """`runs`: of each the names of its files."""
        self._files: dict[str, list[tuple[int, ReadFile]]] = {}
        for place, file in enumerate(files):
            self._files.setdefault(folder_of(file.name), []).append((place, file))
        self._runs = Counter(folder for names in runs for folder in folders_above(names))

    def around(self, names: Iterable[str]) -> list[ReadFile]:
        """The files that lie beside a run of these files, in the order that they were given in."""
        found = [one for folder in folders_above(names) for one in self._files.get(folder, ())]
        return [file for _, file in sorted(found, key=lambda one: one[0])]

    def runs_beside(self, name: str) -> int:
        """How many runs that file lies beside."""
        return self._runs[folder_of(name)]
